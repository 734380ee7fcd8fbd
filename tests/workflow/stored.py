"""Tables as the repository keeps them, in the form in which the report reads them.

A run writes both; in git are the Markdown files alone.
"""

import re

from replication.judge.cells import ORACLE
from replication.judge.verdicts import MARKS
from replication.show.sheet import Cell, Column, Sheet

VERDICT_OF = {mark: verdict for verdict, mark in MARKS.items()}
MARKED = re.compile(rf"(?P<text>.*?) ?(?P<mark>[{''.join(VERDICT_OF)}])(?P<sign>{ORACLE})?")


def split(line):
    return [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def cell(text):
    """One cell: text, verdict, and whether class labels took part."""
    match = MARKED.fullmatch(text)
    if match is None:
        return Cell(text)
    verdict = VERDICT_OF[match["mark"]]
    return Cell(match["text"], verdict=verdict, aside=match["sign"] or "")


def sheet(markdown):
    """What `replication.show.tables.sheet_json` writes, from a Markdown file of a table."""
    lines = markdown.splitlines()
    table = [line for line in lines if line.startswith("|")]
    before = lines[: lines.index(table[0])]
    heads, marks = split(table[0]), split(table[1])
    columns = [
        Column(head, head, text=not mark.endswith(":"), main=head.endswith(("printed", "ours")))
        for head, mark in zip(heads, marks, strict=True)
    ]
    return Sheet(
        name="",
        title=before[0].removeprefix("# "),
        caption=" ".join(line for line in before[1:] if line),
        columns=columns,
        rows=[dict(zip(heads, map(cell, split(line)), strict=True)) for line in table[2:]],
        legend=[line.removeprefix("- ") for line in lines if line.startswith("- ")],
        data=[],
        data_columns=[],
    ).record()
