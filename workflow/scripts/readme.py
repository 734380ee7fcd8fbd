"""Renew the tables of README.md: readme.py <table of what holds.md> <README.md>."""

import sys
from pathlib import Path

import yaml

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "src"))

from replication.files import write_text
from replication.show.rollup import insert

ROOT = Path(__file__).resolve().parents[2]


def papers_table() -> str:
    """The papers that are run, in the order of the configuration: what they bring, their target."""
    read = yaml.safe_load
    run = read((ROOT / "config/config.yaml").read_text(encoding="utf-8"))["papers"]
    lines = ["| paper | what it brings | all of it |", "|---|---|---|"]
    for name in run:
        paper = read((ROOT / f"config/papers/{name}.yaml").read_text(encoding="utf-8"))
        lines.append(
            f"| {paper.get('name', name)}: {paper['citation']} | {paper.get('brings', '')} | "
            f"`snakemake paper_{name}` |"
        )
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    table, readme = map(Path, sys.argv[1:])
    text = insert(readme.read_text(encoding="utf-8"), table.read_text(encoding="utf-8"))
    write_text(readme, insert(text, papers_table(), "papers"))
