"""What the tables of CDE have in common: counting clauses, reasons, parts of the chance."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from replication.judge.cells import tally
from replication.judge.verdicts import (
    DIFFERS,
    EXACT,
    MARKS,
    NOT_COMPARABLE,
    NOT_RUN,
    WITHIN_NOISE,
)
from replication.papers.cde.runs import (
    Runs,
)
from replication.show.job import Job

if TYPE_CHECKING:
    import pandas as pd


MARK_LEGEND = (
    "Marks: = the printed digits, rounded or truncated; ~ within noise: no farther apart than two "
    "standard errors of the difference of two means, or inside the range that chance leaves; "
    "≠ differs; – not comparable; ∅ not run."
)


def facts(records: pd.DataFrame) -> dict[str, dict[str, Any]]:
    """Records of data sets that were counted, by data set."""
    rows = records.to_dict("records")
    return {row["dataset"]: row for row in rows if row["status"] == "ok"}


def why_absent(job: Job, dataset: str) -> str:
    """Why a data set has no numbers."""
    return job.missing(dataset) or "the data set could not be had"


def sources_of_chance(one: Runs | None) -> dict[str, float]:
    """Standard deviations over embeddings and over starts, if there are runs."""
    if one is None:
        return {}
    return {"embedding_sd": one.embedding_sd, "start_sd": one.start_sd}


def counted(rows: Iterable[Mapping[str, Any]]) -> str:
    """Clause that counts verdicts."""
    counts = tally(rows)
    comparable = sum(counts.get(name, 0) for name in (EXACT, WITHIN_NOISE, DIFFERS))
    parts = [f"{counts.get(EXACT, 0)} of {comparable} are exact"]
    parts += [
        f"{counts[name]} {name}"
        for name in (WITHIN_NOISE, DIFFERS, NOT_COMPARABLE, NOT_RUN)
        if counts.get(name)
    ]
    return ", ".join(parts)


def why(cells: pd.DataFrame, verdicts: Iterable[Mapping[str, Any]]) -> list[str]:
    """Lines that say what is not comparable or was not run, and why."""
    printed = cells.set_index("id")
    groups: dict[tuple[str, str], dict[str, None]] = {}
    for row in verdicts:
        if row["verdict"] in (NOT_COMPARABLE, NOT_RUN):
            reason = row["reason"].partition("; ")[0]
            name = str(printed.loc[row["id"], "dataset"] or printed.loc[row["id"], "method"])
            groups.setdefault((row["verdict"], reason), {})[name] = None
    return [
        f"{MARKS[verdict]} {', '.join(names)}: {verdict}, {reason}."
        for (verdict, reason), names in groups.items()
    ]
