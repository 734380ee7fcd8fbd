"""Score your own label vectors next to the methods of the study: score.py [FILE.parquet ...].

Without a file, the tables of the study are written, so that they can be clustered elsewhere.
"""

import subprocess
import sys
from pathlib import Path

from replication.errors import UserError
from replication.papers.study.score_labels import run

TABLES = Path("results/full/tables-of-the-study")


def main(files: list[str]) -> None:
    """Prepare the data of the study, then score the files or write the tables."""
    command = [sys.executable, "-m", "snakemake", "--cores", "all", "--until", "discretize"]
    subprocess.run([*command, "--", "study"], check=True)  # noqa: S603
    run([*map(Path, files)], tables=None if files else TABLES)


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except UserError as error:
        sys.exit(f"error: {error}")
