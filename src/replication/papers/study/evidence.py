"""Package the evidence of the study for `couplings.recommend`.

    python -m replication.papers.study.evidence figures/study/evidence.csv figures/study/cost.csv

reads the tables `evidence` and `cost` of a full run and writes ``evidence.csv`` and ``seconds.csv``
in ``src/couplings/data``.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path

from replication.errors import UserError
from replication.files import read_rows, rows_text, write_text

COLUMNS = ("dataset", "objects", "values", "coupling", "measure", "algorithm", "ari")
SECONDS = ("measure", "algorithm", "seconds", "memory_mib")
PACKAGED = Path(__file__).parents[3] / "couplings" / "data"


def packaged(rows: Sequence[dict[str, str]]) -> str:
    """Text of the packaged scores, rows sorted by data set, measure and algorithm.

    Raises
    ------
    UserError
        If a column is missing, or there are no rows.
    """
    _check(rows, COLUMNS, "evidence")
    ordered = sorted(rows, key=lambda row: (row["dataset"], row["measure"], row["algorithm"]))
    return rows_text(COLUMNS, ordered)


def packaged_seconds(rows: Sequence[dict[str, str]]) -> str:
    """Text of the packaged times, of what was timed on as many data sets as any.

    Seconds to three significant digits, memory in whole MiB; rows sorted by measure.

    Raises
    ------
    UserError
        If a column is missing, or there are no rows.
    """
    _check(rows, (*SECONDS, "timed_on"), "cost")
    most = max(int(row["timed_on"]) for row in rows)
    kept = [row for row in rows if int(row["timed_on"]) == most]
    ordered = sorted(kept, key=lambda row: row["measure"])
    return rows_text(SECONDS, [_rounded(row) for row in ordered])


def _rounded(row: Mapping[str, str]) -> dict[str, str]:
    return {
        **row,
        "seconds": f"{float(row['seconds']):.3g}",
        "memory_mib": f"{float(row['memory_mib']):.0f}",
    }


def _check(rows: Sequence[Mapping[str, str]], columns: Sequence[str], table: str) -> None:
    if not rows:
        raise UserError(f"the table {table} has no rows; run the study first")
    absent = [name for name in columns if name not in rows[0]]
    if absent:
        raise UserError(f"the table {table} lacks the columns {', '.join(absent)}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description="Package the evidence of the study")
    parser.add_argument("evidence", type=Path, help="CSV of the table `evidence`")
    parser.add_argument("cost", type=Path, nargs="?", help="CSV of the table `cost`, if measured")
    parser.add_argument("--output", type=Path, default=PACKAGED, help="folder")
    options = parser.parse_args(arguments)
    write_text(options.output / "evidence.csv", packaged(read_rows(options.evidence)))
    if options.cost:
        write_text(options.output / "seconds.csv", packaged_seconds(read_rows(options.cost)))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
