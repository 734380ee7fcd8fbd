"""Write the pages that speak of the run, from workflow/pages, data/record/full and figures.

README, pages, letters: each of their figures is a reference, see `replication.text.render`. A
letter has the questions of the page of its paper. A test compares what is committed with what this
program writes.
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
LETTER = PAGES / "letter.md"
QUESTIONS = "## Questions to the authors\n"


def pages() -> dict[Path, str]:
    """Return the pages that speak of the run, by path."""
    view = View.of_record(ROOT)
    sources = sorted(path for path in PAGES.rglob("*.md") if path != LETTER)
    found = {ROOT / path.relative_to(PAGES): page(path, view) for path in sources}
    template = LETTER.read_text(encoding="utf-8")
    for one in view.every_paper:
        asked = questions(found[ROOT / "docs" / "papers" / f"{one.paper}.md"])
        text = rendered(template, view, f"letter on {one.name}", one=one, questions=asked)
        found[ROOT / "docs" / "letters" / f"{one.paper}.md"] = text
    return found


def page(path: Path, view: View) -> str:
    """Return the text of one page."""
    source = path.read_text(encoding="utf-8")
    # a loop leaves empty lines
    return re.sub(r"\n{3,}", "\n\n", rendered(source, view, str(path.relative_to(ROOT))))


def questions(text: str) -> str:
    """Return the items of the questions of a page that ask something, without evidence."""
    items = re.findall(r"(?ms)^- .*?(?=^- |\Z)", questions_of(text))
    bare = (re.sub(r"(?s)\s*Evidence:.*?(?=\s\*[^*]+\?\*|\s*\Z)", "", one.strip()) for one in items)
    asked = (one for one in bare if one.endswith("?*"))
    return "\n".join(re.sub(r"(?s)\*([^*]+\?)\*\Z", r"\1", one) for one in asked)


def questions_of(text: str) -> str:
    """Return the section `QUESTIONS` of a page; raises `UserError` if there is none."""
    _, found, section = text.partition(QUESTIONS)
    if not found:
        raise UserError(f"a page of a paper has no section {QUESTIONS.strip()!r}")
    return section.partition("\n## ")[0]


if __name__ == "__main__":
    try:
        for path, text in pages().items():
            write_text(path, text)
    except UserError as error:
        sys.exit(f"error: {error}")
