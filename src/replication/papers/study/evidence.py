"""Package the evidence of the study for `couplings.recommend`.

    python -m replication.papers.study.evidence figures/study/evidence.csv

reads the table `evidence` of a full run and writes ``src/couplings/data/evidence.csv``.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from replication.errors import UserError
from replication.files import read_rows, rows_text, write_text

COLUMNS = ("dataset", "objects", "values", "coupling", "measure", "algorithm", "ari")
PACKAGED = Path(__file__).parents[3] / "couplings" / "data" / "evidence.csv"


def packaged(rows: Sequence[dict[str, str]]) -> str:
    """Text of the packaged file, rows sorted by data set, measure and algorithm.

    Raises
    ------
    UserError
        If a column is missing, or there are no rows.
    """
    if not rows:
        raise UserError("the table of evidence has no rows; run the study first")
    absent = [name for name in COLUMNS if name not in rows[0]]
    if absent:
        raise UserError(f"the table of evidence lacks the columns {', '.join(absent)}")
    ordered = sorted(rows, key=lambda row: (row["dataset"], row["measure"], row["algorithm"]))
    return rows_text(COLUMNS, ordered)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description="Package the evidence of the study")
    parser.add_argument("table", type=Path, help="CSV of the table `evidence`")
    parser.add_argument("--output", type=Path, default=PACKAGED, help="where it is packaged")
    options = parser.parse_args(arguments)
    write_text(options.output, packaged(read_rows(options.table)))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
