"""Start a new paper: new_paper.py <id> copies workflow/template under that id and adds its rows."""

import re
import sys
from pathlib import Path

from replication.errors import UserError
from replication.files import write_text

ROOT = Path(__file__).resolve().parents[1]
TEMPLATE = ROOT / "workflow" / "template"
PLACEHOLDER = "paper_name"
SHARED = tuple(f"data/published/{name}.csv" for name in ("artefacts", "claims", "files"))
"""Files of all papers: the rows of the template are added to them."""


def begin(paper: str) -> list[Path]:
    """Write the files of a new paper; return what was written.

    Raises
    ------
    UserError
        If the id is none, or taken.
    """
    if not re.fullmatch("[a-z][a-z0-9_]*", paper):
        raise UserError(
            f"NAME={paper!r}: an id has lower-case letters, digits and _, and begins with a letter"
        )
    files = {
        ROOT / str(path.relative_to(TEMPLATE)).replace(PLACEHOLDER, paper): path
        for path in sorted(TEMPLATE.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }
    shared = [ROOT / name for name in SHARED]
    for file in files:
        if file.exists() and file not in shared:
            raise UserError(f"{file.relative_to(ROOT)} exists; choose another id than {paper!r}")
    for file, source in files.items():
        text = source.read_text(encoding="utf-8").replace(PLACEHOLDER, paper)
        before = file.read_text(encoding="utf-8") if file in shared else ""
        file.parent.mkdir(parents=True, exist_ok=True)
        write_text(file, before + text)
    return list(files)


if __name__ == "__main__":
    try:
        written = begin(*sys.argv[1:])
    except (UserError, TypeError) as error:
        sys.exit(f"error: {error}")
    for file in written:
        print(file.relative_to(ROOT))
    print(f"next: snakemake paper_{sys.argv[1]}, see docs/extend.md")
