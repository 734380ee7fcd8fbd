"""Build the article and the pages of reply, in which every number is a reference into a run.

article.py results/full   writes results/full/article.pdf, from the ledger there and from figures
article.py                writes docs/right-of-reply.md and docs/letters, from data/record/full

A reference (see `references`) is ``#n("query")`` in the article, ``{{query}}`` in a page. A number
that is typed by hand, or a reference that has no value, is an error.
"""

import json
import re
import sys
from pathlib import Path

from references import ROOT, WORDS, Tables

from replication.errors import UserError
from replication.files import write_bytes, write_text

ARTICLE = ROOT / "workflow" / "article"
TYPED = re.compile(
    rf"\d|(?i:\b(?:{'|'.join(WORDS[2:])}|(?:hundred|thousand|quarter|third|tenth)s?|half|twice|"
    r"dozens?)\b)"
)
"""A number in a text: a digit or a word."""
CALL = re.compile(r'#[a-z]+\(((?:[^()"\[]|"[^"]*"|\((?:[^()"\[]|"[^"]*")*\))*)\)')
"""A call in Typst; one with content within its brackets is none, so that its text is checked."""
CODE = re.compile(
    r"(?m)^#(?:import|show) .*$|^//.*$|#if [^\[\n]*|`[^`\n]*`|@[\w-]+|<[\w-]+>"
    r"|\$(?=[^$\n]*[a-z])[^$\n]*\$"
)
"""What else is no text in Typst: code, citations, labels, formulas."""
REFERENCE = re.compile(r'\b(?:n|listing|is)\("([^"]+)"')
MARKUP = re.compile(r"\{\{(.+?)\}\}")
LINKS = re.compile(r"`[^`\n]*`|\]\([^)\n]*\)|(?m:^    .*$)")


def refuse_typed(text: str, name: str) -> None:
    """Refuse a text with a number in it.

    Raises
    ------
    UserError
        With the lines that have a digit or a word for a number.
    """
    wrong = [
        f"  {name}:{i}: {found[0]!r} in {line.strip()[:70]!r}"
        for i, line in enumerate(text.splitlines(), 1)
        if (found := TYPED.search(line))
    ]
    if wrong:
        raise UserError("numbers typed by hand, not references into the run:\n" + "\n".join(wrong))


def prose(source: str) -> str:
    """Text of a Typst source, line by line; of calls, the texts behind the query or path."""

    def texts(call: re.Match[str]) -> str:
        return " ".join(re.findall(r'"([^"]*)"', call[1])[1:]) + "\n" * call[1].count("\n")

    return CODE.sub("", CALL.sub(texts, source))


def article(results: Path) -> Path:
    """Write article.pdf of a run, from its own ledger and the figures of the repository."""
    import matplotlib as mpl
    import typst

    path = ARTICLE / "article.typ"
    source = path.read_text(encoding="utf-8")
    refuse_typed(prose(source), path.name)
    values = Tables(results / "ledger", ROOT / "figures").answers(REFERENCE.findall(source))
    inputs = {"values": json.dumps(values)}
    # the words of the figures are text
    fonts = {"ignore_system_fonts": True, "font_paths": [mpl.get_data_path()]}
    try:
        pdf = typst.compile(path, root=ROOT, sys_inputs=inputs, **fonts)
    except typst.TypstError as error:
        raise UserError(f"{path}: {error}") from error
    write_bytes(results / "article.pdf", pdf)
    return results / "article.pdf"


def page(source: str, name: str, tables: Tables) -> str:
    """Text of a page in Markdown, its references replaced."""
    refuse_typed(LINKS.sub("", MARKUP.sub("", source)), name)
    values = tables.answers(MARKUP.findall(source))
    return MARKUP.sub(lambda match: values[match[1]], source)


def pages() -> dict[Path, str]:
    """Right of reply and letters, by path."""
    tables = Tables(ROOT / "data" / "record" / "full", ROOT / "figures")
    sources = [ARTICLE / "right-of-reply.md", *sorted((ARTICLE / "letters").glob("*.md"))]
    return {
        ROOT / "docs" / path.relative_to(ARTICLE): page(
            path.read_text(encoding="utf-8"), path.name, tables
        )
        for path in sources
    }


if __name__ == "__main__":
    try:
        if len(sys.argv) > 1:
            print(article(Path(sys.argv[1])))
        else:
            for path, text in pages().items():
                write_text(path, text)
    except UserError as error:
        sys.exit(f"error: {error}")
