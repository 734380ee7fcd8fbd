"""Cluster a table of your own and explain the clusters, as the notebook `your_own_data` does.

The page and the labels are in results/own, in a folder of the table's name; another table of the
same name gets another folder.
"""

import argparse
import os
import re
import shlex
import subprocess
import sys
from itertools import count
from pathlib import Path

_ENDINGS = re.compile(r"(\.(csv|tsv|txt|parquet|pq))?(\.(gz|bz2|xz))?$")
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")


def folder_of(table: Path, base: Path) -> Path:
    """Return the folder of a table, which its file ``table.txt`` names, and make it if need be."""
    name = _ENDINGS.sub("", table.name)
    name = name if name.strip(".") else table.name
    for number in count(1):
        folder = base / (name if number == 1 else f"{name}-{number}")
        owner = folder / "table.txt"
        try:
            folder.mkdir(parents=True)
        except FileExistsError:
            pass
        else:
            owner.write_text(f"{table}\n", encoding="utf-8")
            return folder
        if owner.is_file() and owner.read_text(encoding="utf-8").strip() == str(table):
            return folder
    raise AssertionError("numbers do not end")


def main(table: Path, without: list[str], missing: list[str], separator: str) -> int:
    """Execute the notebook on a table; return 0, or 2 after one line about what is wrong."""
    if not table.is_file():
        print(f"error: {table}: there is no such table (docs/cluster-a-table.md)", file=sys.stderr)
        return 2
    place = table.parent.resolve() / table.name
    folder = folder_of(place, Path("results/own"))
    given = {
        "FILE": str(table),
        "WITHOUT": shlex.join(without),
        "MISSING": shlex.join(missing),
        "SEPARATOR": separator,
        "OUTPUT": str(folder),
    }
    command = [sys.executable, "-m", "nbconvert", "--execute", "--to", "html"]
    command += ["--HTMLExporter.mathjax_url=", "--HTMLExporter.require_js_url="]
    command += [f"--output-dir={folder}", "notebooks/your_own_data.ipynb"]
    known = os.environ | {f"REPLICATION_{name}": value for name, value in given.items()}
    run = subprocess.run(command, check=False, capture_output=True, text=True, env=known)  # noqa: S603
    log = _COLOURS.sub("", run.stdout + run.stderr)
    (folder / "log.txt").write_text(log, encoding="utf-8")
    if run.returncode:
        errors = [line for line in log.splitlines() if "Error" in line]
        print(*errors[-1:], file=sys.stderr)
        return 2
    print(folder / "your_own_data.html")
    return 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Cluster your own table, and explain the clusters")
    parser.add_argument("table", type=Path, help="CSV, TSV or Parquet")
    parser.add_argument("--without", nargs="*", default=[], metavar="COLUMN", help="left out")
    parser.add_argument("--missing", nargs="*", default=[], metavar="TEXT", help="missing cells")
    parser.add_argument("--separator", default="", help="if it is not found; tab, or a character")
    sys.exit(main(**vars(parser.parse_args())))
