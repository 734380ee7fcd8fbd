"""Step `ledger`: list every printed number of the papers in a run, with its verdict."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from replication.errors import UserError
from replication.files import read_json, read_rows, write_rows
from replication.judge import granularity
from replication.judge.cells import ABSENT_ARTEFACT, VERDICT_COLUMNS, not_run
from replication.judge.claims import CLAIM_COLUMNS
from replication.judge.published import load, numbers
from replication.judge.verdicts import DIFFERS, joined
from replication.steps import COMPLETE_ROWS, UNAVAILABLE

UNAVAILABLE_COLUMNS = ("dataset", "status", "reason", "remedy")
UNEXPLAINED = "unexplained"
"""Stands for the reason of a deviation without one."""


def run(
    spec: dict[str, Any],
    verdicts: list[Path],
    claims: list[Path],
    sources: list[Path],
    published: Path,
    output: Path,
) -> None:
    """Run the step."""
    cells = {paper: load(paper, published) for paper in spec["papers"]}
    rows = explained(complete(read_ledger(VERDICT_COLUMNS, *verdicts), cells), cells)
    for name, columns, content in (
        ("verdicts", VERDICT_COLUMNS, rows),
        ("unavailable", UNAVAILABLE_COLUMNS, unavailable(sources)),
        ("claims", CLAIM_COLUMNS, read_ledger(CLAIM_COLUMNS, *claims)),
    ):
        write_rows(output.with_name(f"{name}.csv"), columns, content.to_dict("records"))


def read_ledger(columns: Sequence[str], *paths: Path) -> pd.DataFrame:
    """Read files of the ledger, or of its kind, with texts as cells."""
    rows = [row for path in paths for row in read_rows(path, columns)]
    return pd.DataFrame(rows, columns=list(columns), dtype=object)


def complete(verdicts: pd.DataFrame, cells: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return verdicts on all printed numbers of the papers, in the order of the published files.

    A printed number without a verdict is *not run*. The readings of a number keep their order.

    Raises `UserError` if a number has two verdicts under one reading, or a verdict has no printed
    number.
    """
    for row in verdicts[verdicts.duplicated(["id", "reading"])].itertuples():
        raise UserError(
            f"two verdicts for {row.id} under the reading {row.reading!r}; an artefact must judge "
            "each printed number once"
        )
    printed = {row["id"]: row for one in cells.values() for row in numbers(one).to_dict("records")}
    found = {name: rows.to_dict("records") for name, rows in verdicts.groupby("id")}
    if odd := sorted(set(found) - set(printed)):
        raise UserError(
            f"{len(odd)} verdicts belong to no printed number of {', '.join(cells)}, the first "
            f"is {odd[0]}; delete the verdict files and run again"
        )
    rows = [
        row
        for name, cell in printed.items()
        for row in found.get(name) or [not_run(cell, ABSENT_ARTEFACT, reading="reconciled")]
    ]
    return pd.DataFrame(rows, columns=list(VERDICT_COLUMNS), dtype=object)


def explained(verdicts: pd.DataFrame, cells: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return verdicts with a further reason where the printed digits are no possible share."""
    digits = {
        name: reason
        for printed in cells.values()
        for name, reason in granularity.reasons(granularity.shares(printed)).items()
    }
    reasons = [
        joined((row.reason, digits.get(row.id, ""))) if row.verdict == DIFFERS else row.reason
        for row in verdicts.itertuples()
    ]
    return verdicts.assign(reason=reasons)


def unavailable(sources: Iterable[Path]) -> pd.DataFrame:
    """Return the data sets that could not be downloaded whole, with the reasons and remedies."""
    facts = [read_json(path, *UNAVAILABLE_COLUMNS) for path in sources]
    found = [one for one in facts if one["status"] in (UNAVAILABLE, COMPLETE_ROWS)]
    return pd.DataFrame(found, columns=list(UNAVAILABLE_COLUMNS))
