"""Write findings, verdict counts and papers into README.md: readme.py <figures> <README.md>."""

import os
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

import yaml

from replication.errors import UserError
from replication.files import write_text
from replication.show.findings import read

ROOT = Path(__file__).resolve().parents[2]
FIRST = ("exact", "claims", "duels")
"""Findings of the first screen; the page of findings has all."""


def bullets(findings: Iterable[Mapping[str, str]], figures: str) -> str:
    """Return the findings as a list with links to files in the folder of the figures."""
    return "".join(
        f"- {one['sentence']} ([{one['evidence']}]({figures}/{one['file']}))\n" for one in findings
    )


def insert(text: str, part: str, name: str = "rollup") -> str:
    """Replace the part of a text between ``<!-- name -->`` and ``<!-- /name -->``.

    Raises
    ------
    UserError
        If the text does not hold both marks once.
    """
    begin, end = f"<!-- {name} -->", f"<!-- /{name} -->"
    if text.count(begin) != 1 or text.count(end) != 1:
        raise UserError(f"the text must hold {begin} and {end} once each")
    before, rest = text.split(begin)
    return f"{before}{begin}\n{part}{end}{rest.split(end)[1]}"


def papers_table() -> str:
    """Table of the papers in the order of the configuration, with contribution and target."""
    run = _yaml("config/config.yaml")["papers"]
    lines = ["| paper | what it brings | all of it |", "|---|---|---|"]
    for name in run:
        paper = _yaml(f"config/papers/{name}.yaml")
        lines.append(
            f"| {paper.get('name', name)}: {paper['citation']} | {paper.get('brings', '')} | "
            f"`snakemake paper_{name}` |"
        )
    return "\n".join(lines) + "\n"


def _yaml(name: str) -> dict:
    return yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))


if __name__ == "__main__":
    figures, readme = map(Path, sys.argv[1:])
    way = os.path.relpath(figures, readme.parent)
    text = readme.read_text(encoding="utf-8")
    first = [one for one in read(figures / "findings") if one["id"] in FIRST]
    text = insert(text, bullets(first, way), "findings")
    text = insert(text, (figures / "rollup.md").read_text(encoding="utf-8"), "rollup")
    text = insert(text, papers_table(), "papers")
    write_text(readme, text)
