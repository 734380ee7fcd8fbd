"""Build the article of a run: article.py results/full writes results/full/article.pdf.

Each of its figures is a reference into the ledger there and into figures, see
`replication.text.render`.
"""

import sys
from pathlib import Path

from replication.errors import UserError
from replication.files import write_bytes, write_text
from replication.text.render import TYPST, rendered
from replication.text.view import View

ROOT = Path(__file__).resolve().parents[1]
ARTICLE = ROOT / "workflow" / "article"


def article(results: Path, root: Path = ROOT) -> Path:
    """Write article.pdf of a run, from its own ledger and the figures of the repository."""
    import matplotlib as mpl
    import typst

    source = (ARTICLE / "article.typ").read_text(encoding="utf-8")
    view = View.of_record(ROOT, ledger=results / "ledger")
    # the compiler takes files below a root
    path = ARTICLE / "rendered.typ"
    write_text(path, rendered(source, view, "article.typ", TYPST))
    # the words of the figures are text
    fonts = {"ignore_system_fonts": True, "font_paths": [mpl.get_data_path()]}
    try:
        pdf = typst.compile(path, root=root, **fonts)
    except typst.TypstError as error:
        raise UserError(f"{ARTICLE / 'article.typ'}: {error}") from error
    finally:
        path.unlink()
    write_bytes(results / "article.pdf", pdf)
    return results / "article.pdf"


if __name__ == "__main__":
    try:
        print(article(Path(*sys.argv[1:] or ["results/full"])))
    except UserError as error:
        sys.exit(f"error: {error}")
