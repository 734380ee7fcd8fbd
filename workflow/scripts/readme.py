"""Write findings, verdict counts and papers into README.md: readme.py <figures> <README.md>."""

import os
import sys
from pathlib import Path

import yaml

from replication.files import write_text
from replication.show.findings import bullets, read
from replication.show.rollup import insert

ROOT = Path(__file__).resolve().parents[2]
FIRST = ("exact", "claims", "duels")
"""Findings of the first screen; the page of findings has all."""


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
