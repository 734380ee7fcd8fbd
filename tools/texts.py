"""Write the pages that speak of the run, from workflow/pages, data/record/full and figures.

README, right of reply, letters: each of their figures is a reference, see
`replication.text.render`. A test compares what is committed with what this program writes.
"""

import re
import sys
from pathlib import Path

from replication.errors import UserError
from replication.files import write_text
from replication.text.render import rendered
from replication.text.view import View

ROOT = Path(__file__).resolve().parents[1]
PAGES = ROOT / "workflow" / "pages"


def pages() -> dict[Path, str]:
    """Return the pages that speak of the run, by path."""
    view = View.of_record(ROOT)
    return {
        ROOT / path.relative_to(PAGES): page(path, view) for path in sorted(PAGES.rglob("*.md"))
    }


def page(path: Path, view: View) -> str:
    """Return the text of one page."""
    source = path.read_text(encoding="utf-8")
    # a loop leaves empty lines
    return re.sub(r"\n{3,}", "\n\n", rendered(source, view, str(path.relative_to(ROOT))))


if __name__ == "__main__":
    try:
        for path, text in pages().items():
            write_text(path, text)
    except UserError as error:
        sys.exit(f"error: {error}")
