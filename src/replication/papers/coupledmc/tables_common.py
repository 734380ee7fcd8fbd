"""What the tables of coupledMC have in common."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from replication.judge.cells import tally
from replication.judge.verdicts import DIFFERS, EXACT, MARKS, NOT_COMPARABLE, NOT_RUN, WITHIN_NOISE

if TYPE_CHECKING:
    import pandas as pd

PRINTED_RUNS = 100
NEAR = 0.02
"""Distance up to which an accuracy is near the printed one."""

MARK_LEGEND = (
    "Marks: = the printed digits, rounded or truncated; ~ within noise; ≠ differs; "
    "– not comparable; ∅ not run."
)
VERDICT = ("reading", "oracle", "setting", "printed", "reproduced", "sd")
SPREAD = ("spread_min", "spread_max", "samples", "verdict", "difference", "reason")

BASE = "z-scores before the powers have the highest average accuracy on these sets: oracle"
"""What is to be said wherever the coupled representation of the reconciled reading acts."""


def by_dataset(records: pd.DataFrame) -> dict[str, dict[str, Any]]:
    """First record of each data set; one that could not be had carries ``absent``."""
    return {
        one["dataset"]: one if one["status"] == "ok" else {"absent": one["reason"]}
        for one in records.drop_duplicates("dataset").to_dict("records")
    }


def counted_verdicts(rows: Iterable[Mapping[str, Any]]) -> str:
    """Clause that counts verdicts."""
    counts = tally(rows)
    comparable = sum(counts.get(name, 0) for name in (EXACT, WITHIN_NOISE, DIFFERS))
    parts = [f"{counts.get(EXACT, 0)} of {comparable} comparable numbers are exact"]
    parts += [
        f"{counts[name]} {name}"
        for name in (WITHIN_NOISE, NOT_COMPARABLE, NOT_RUN)
        if counts.get(name)
    ]
    return ", ".join(parts)


def reasons(verdicts: Iterable[Mapping[str, Any]]) -> list[str]:
    """What is to be said about cells that are not exact, the same words once."""
    said: dict[tuple[str, str], list[str]] = {}
    for row in verdicts:
        if row["verdict"] in (DIFFERS, NOT_COMPARABLE, NOT_RUN) and row["reason"]:
            place = " ".join(filter(None, (row["dataset"], row["method"], row["metric"])))
            said.setdefault((row["verdict"], row["reason"]), []).append(place)
    lines = []
    for (verdict, reason), places in said.items():
        where = ", ".join(places) if len(places) <= 4 else f"{places[0]} and {len(places) - 1} more"
        lines.append(f"{MARKS[verdict]} {where}: {reason}.")
    return lines
