"""Step `ledger`: every printed number of the papers that were run, with its verdict."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from replication.errors import UserError
from replication.files import read_json, read_rows, write_rows
from replication.judge import granularity
from replication.judge.cells import ABSENT_ARTEFACT, VERDICT_COLUMNS, not_run
from replication.judge.claims import CLAIM_VERDICTS
from replication.judge.claims import COLUMNS as CLAIM_COLUMNS
from replication.judge.published import SETTINGS, load, numbers
from replication.judge.verdicts import DIFFERS, MARKS, VERDICTS, joined, printed_number
from replication.steps import UNAVAILABLE

SUMMARY_COLUMNS = ("paper", "artefact", "method", "reading", "verdict", "count")
UNAVAILABLE_COLUMNS = ("dataset", "reason", "remedy")
COVERAGE_COLUMNS = ("id", "paper", "artefact", "role", "verdicts")
DEVIATION_COLUMNS = (
    *VERDICT_COLUMNS[:7],
    *("printed", "reproduced", "difference", "size", "position", "reason"),
)
UNEXPLAINED = "unexplained"
"""Reason of a deviation that has none."""

ROLES = {
    "result": "a printed number, judged under every reading",
    "setting": "a choice of the authors",
    "input": "data or labels of a worked example",
    "reconstruction": "not printed: an image, reconstructed from the text",
    "none": "printed without a number",
}


def run(
    spec: dict[str, Any],
    verdicts: list[Path],
    claims: list[Path],
    sources: list[Path],
    published: Path,
    output: Path,
) -> int:
    """Run the step."""
    papers = [paper["id"] for paper in spec["papers"]]
    cells = {paper: load(paper, published) for paper in papers}
    rows = explained(complete(_rows(verdicts, VERDICT_COLUMNS), cells), cells)
    told = _rows(claims, CLAIM_COLUMNS)
    for name, columns, content in (
        ("verdicts", VERDICT_COLUMNS, rows),
        ("summary", SUMMARY_COLUMNS, summarise(rows)),
        ("unavailable", UNAVAILABLE_COLUMNS, unavailable(sources)),
        ("claims", CLAIM_COLUMNS, told),
        ("coverage", COVERAGE_COLUMNS, coverage(rows, cells)),
        ("deviations", DEVIATION_COLUMNS, deviations(rows)),
    ):
        write_rows(output.with_name(f"{name}.csv"), columns, content.to_dict("records"))
    print(roll_up(rows, ["paper", "reading"], "printed numbers", VERDICTS))
    print(roll_up(told, ["paper"], "claims", CLAIM_VERDICTS))
    return 0


def _rows(paths: Iterable[Path], columns: Sequence[str]) -> pd.DataFrame:
    rows = [row for path in paths for row in read_rows(path, columns)]
    return pd.DataFrame(rows, columns=list(columns), dtype=object)


def complete(verdicts: pd.DataFrame, cells: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Verdicts of all printed numbers of the papers, in the order of the published files.

    A printed number without a verdict is "not run"; the readings of a number keep their order.

    Raises
    ------
    UserError
        If a number has two verdicts under one reading, or a verdict has no printed number.
    """
    for row in verdicts[verdicts.duplicated(["id", "reading"])].itertuples():
        raise UserError(f"two verdicts for {row.id} under the reading {row.reading!r}")
    printed = [row for one in cells.values() for row in numbers(one).to_dict("records")]
    order = {row["id"]: i for i, row in enumerate(printed)}
    if odd := sorted(set(verdicts["id"]) - set(order)):
        raise UserError(
            f"{len(odd)} verdicts belong to no printed number of {', '.join(cells)}, the first "
            f"is {odd[0]}; delete the verdict files and run again"
        )
    known = set(verdicts["id"])
    absent = [
        not_run(row, ABSENT_ARTEFACT, reading="reconciled")
        for row in printed
        if row["id"] not in known
    ]
    whole = [*verdicts.to_dict("records"), *absent]
    whole.sort(key=lambda row: order[row["id"]])
    return pd.DataFrame(whole, columns=list(VERDICT_COLUMNS), dtype=object)


def explained(verdicts: pd.DataFrame, cells: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Deviations with what the printed digits themselves say against them."""
    digits: dict[str, str] = {}
    for printed in cells.values():
        digits |= granularity.reasons(granularity.shares(printed))
    reasons = [
        joined((row.reason, digits.get(row.id, ""))) if row.verdict == DIFFERS else row.reason
        for row in verdicts.itertuples()
    ]
    return verdicts.assign(reason=reasons)


def summarise(verdicts: pd.DataFrame) -> pd.DataFrame:
    """Number of rows per paper, artefact, method, reading and verdict, in order of appearance."""
    names = list(SUMMARY_COLUMNS[:-1])
    counts = verdicts.groupby(names, sort=False).size().reset_index(name="count")
    place = counts.groupby(names[:-1], sort=False).ngroup()
    rank = counts["verdict"].map(VERDICTS.index)
    return counts.iloc[np.lexsort([rank, place])]


def coverage(verdicts: pd.DataFrame, cells: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """What every published row is, by `ROLES`: a result with its verdicts, a setting, an input."""
    found = pd.concat(cells.values())
    counts = found["id"].map(verdicts["id"].value_counts()).fillna(0).astype(int)
    cases = {
        "result": counts > 0,
        "setting": found["artefact"] == SETTINGS,
        "reconstruction": found["printed"] == "",
        "input": found["value"] != "",
    }
    return found.assign(role=np.select(list(cases.values()), list(cases), "none"), verdicts=counts)


def deviations(verdicts: pd.DataFrame) -> pd.DataFrame:
    """Numbers that differ, the largest deviation first, under every reading.

    The size of a deviation is the difference, relative to the printed number where that is larger
    than 1 in absolute value.
    """
    found = verdicts[verdicts["verdict"] == DIFFERS]
    printed = [max(1.0, abs(float(printed_number(text).value))) for text in found["printed"]]
    return found.assign(
        size=found["difference"].astype(float).abs() / printed,
        reason=found["reason"].replace("", UNEXPLAINED),
    ).sort_values(["size", "id", "reading"], ascending=[False, True, True])


def unavailable(sources: Iterable[Path]) -> pd.DataFrame:
    """Data sets that no route could deliver, why, and what to do."""
    facts = [read_json(path, "status", *UNAVAILABLE_COLUMNS) for path in sources]
    found = [one for one in facts if one["status"] == UNAVAILABLE]
    return pd.DataFrame(found, columns=list(UNAVAILABLE_COLUMNS))


def roll_up(rows: pd.DataFrame, by: list[str], noun: str, verdicts: Sequence[str]) -> str:
    """Counts of verdicts per paper, and reading, as text."""
    lines = []
    for key, found in rows.groupby(by, sort=False)["verdict"]:
        counts = found.value_counts()
        parts = [
            f"{MARKS.get(name, '')} {counts[name]} {name}" for name in verdicts if name in counts
        ]
        lines.append(f"{', '.join(key)}: {len(found)} {noun}: {', '.join(map(str.strip, parts))}")
    return "\n".join(lines)
