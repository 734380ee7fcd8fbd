"""Rows of the ledger: one printed number under one reading, with its verdict."""

import math
import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from replication.judge.verdicts import (
    DIFFERS,
    EXACT,
    ILL_POSED,
    MARKS,
    NOT_COMPARABLE,
    NOT_RUN,
    WITHIN_NOISE,
    Reproduced,
    Verdict,
)

VERDICT_COLUMNS = (
    "id",
    "paper",
    "artefact",
    "dataset",
    "method",
    "metric",
    "reading",
    "oracle",
    "setting",
    "printed",
    "reproduced",
    "sd",
    "spread_min",
    "spread_max",
    "noise_min",
    "noise_max",
    "orders",
    "samples",
    "trials",
    "verdict",
    "difference",
    "position",
    "reason",
)
ABSENT_DATASET = "data set not part of this workflow yet"
ABSENT_ARTEFACT = "artefact not part of this workflow yet"
NO_DATASET = "none of its data sets was computed"

COMPARABLE = (EXACT, WITHIN_NOISE, DIFFERS)
"""Verdicts of numbers that could be compared."""
ORACLE = "†"
"""Mark of a number that class labels took part in."""


@dataclass(frozen=True)
class Ours:
    """What there is of ours for one printed number under one reading.

    The values are those that were computed, or why nothing was.
    """

    values: Reproduced | str
    # whether class labels took part: in the choice of the setting, or the cuts of numbers
    oracle: bool = False
    # such as sigma=0.4
    setting: str = ""
    # clusterings behind our number, and runs behind the printed one
    trials: int = 0
    printed_runs: int = 1
    # lowest and highest number that there could be at all
    possible: tuple[float, float] | None = None
    # of the builder; and what else is to be said if the numbers differ, from the verdict of the
    # first reading (empty for the first one itself)
    reason: str = ""
    if_differs: Callable[[str], str] | None = None
    # further columns of the data
    more: Mapping[str, Any] = field(default_factory=dict)


def verdict_row(
    cell: Mapping[str, str], judged: Verdict, ours: Ours, *, reading: str
) -> dict[str, Any]:
    """Row of the ledger, by `VERDICT_COLUMNS`, and the ``remarks`` that make up its reason."""
    values = Reproduced(None) if isinstance(ours.values, str) else ours.values
    low, high = values.spread or (None, None)
    noise = judged.open or (None, None)
    ran = values.value is not None
    return {
        "id": cell["id"],
        "paper": cell["paper"],
        "artefact": cell["artefact"],
        "dataset": cell["dataset_id"],
        "method": cell["method_id"],
        "metric": cell["metric"],
        "reading": reading,
        "oracle": ours.oracle,
        "setting": ours.setting,
        "printed": cell["printed"],
        "reproduced": values.value,
        "sd": values.sd,
        "spread_min": low,
        "spread_max": high,
        "noise_min": noise[0],
        "noise_max": noise[1],
        "orders": values.orders if ran else None,
        "samples": values.runs if ran else None,
        "trials": ours.trials if ran else None,
        "verdict": judged.verdict,
        "difference": judged.difference,
        "position": judged.position,
        "reason": judged.reason,
        "remarks": judged.remarks,
    }


def mean_moved(shares: Iterable[Any]) -> float:
    """Mean share of objects that rounding alone moves; a share that is not known counts as 0."""
    known = [float(share) if share and pd.notna(share) else 0.0 for share in shares]
    return statistics.fmean(known) if known else 0.0


def not_run(cell: Mapping[str, str], reason: str, *, reading: str) -> dict[str, Any]:
    """Verdict row of a cell for which nothing was computed."""
    return verdict_row(cell, Verdict(NOT_RUN, (reason,)), Ours(reason), reading=reading)


def tally(rows: Iterable[Mapping[str, Any]]) -> Counter[str]:
    """Number of rows per verdict."""
    return Counter(row["verdict"] for row in rows)


def counting(
    rows: Iterable[Mapping[str, Any]], noun: str = "comparable numbers", *, differ: bool = False
) -> str:
    """Clause that counts verdicts: ``7 of 9 comparable numbers are exact, 1 within noise``.

    The noun may be empty; with `differ` the numbers that differ are counted too.
    """
    counts = tally(rows)
    comparable = sum(counts[name] for name in COMPARABLE)
    others = (WITHIN_NOISE, *((DIFFERS,) if differ else ()), NOT_COMPARABLE, NOT_RUN)
    said = " ".join(filter(None, (f"{counts[EXACT]} of {comparable}", noun, "are exact")))
    return ", ".join([said, *(f"{counts[name]} {name}" for name in others if counts.get(name))])


def legend_of_marks(noise: str = "", oracle: str = "") -> str:
    """Line of a legend that explains the marks.

    Parameters
    ----------
    noise, oracle : str
        What is within noise, and what labels took part in; not said if empty.
    """
    line = (
        f"Marks: {MARKS[EXACT]} the printed digits, rounded or truncated; {MARKS[WITHIN_NOISE]} "
        f"within noise{': ' if noise else ''}{noise}; {MARKS[DIFFERS]} differs; "
        f"{MARKS[NOT_COMPARABLE]} not comparable; {MARKS[NOT_RUN]} not run."
    )
    return f"{line} {ORACLE} oracle: {oracle}." if oracle else line


def _lines(said: Iterable[tuple[str, str, str]], most: float = math.inf) -> list[str]:
    """Lines of mark, places and reason, from these for each place; a reason is said once."""
    found: dict[tuple[str, str], list[str]] = {}
    for mark, place, reason in said:
        found.setdefault((mark, reason), []).append(place)
    return [
        f"{mark}{', '.join(places)}: {reason}."
        if len(places) <= most
        else f"{mark}{places[0]} and {len(places) - 1} more: {reason}."
        for (mark, reason), places in found.items()
    ]


def _place(row: Mapping[str, Any], *names: str) -> str:
    return " ".join(filter(None, (row[name] for name in ("dataset", "method", "metric", *names))))


def reasons(cells: pd.DataFrame, verdicts: Iterable[Mapping[str, Any]]) -> list[str]:
    """Lines that say which data sets or methods are not comparable or were not run, and why."""
    names = cells["dataset"].where(cells["dataset"] != "", cells["method"])
    names_by_id = dict(zip(cells["id"], names, strict=True))
    said = (
        (
            f"{MARKS[row['verdict']]} ",
            names_by_id[row["id"]],
            f"{row['verdict']}, {next(iter(row['remarks']), '')}",
        )
        for row in verdicts
        if row["verdict"] in (NOT_COMPARABLE, NOT_RUN)
    )
    return _lines(dict.fromkeys(said))


def reasons_by_cell(verdicts: Iterable[Mapping[str, Any]]) -> list[str]:
    """Lines that say why cells are not exact, the same words once, with the cells' ids."""
    said = (
        (f"{MARKS[row['verdict']]} ", _place(row), row["reason"])
        for row in verdicts
        if row["verdict"] in (DIFFERS, NOT_COMPARABLE, NOT_RUN) and row["reason"]
    )
    return _lines(said, most=4)


def ill_posed_lines(verdicts: Iterable[Mapping[str, Any]]) -> list[str]:
    """Lines that name the numbers that rounding decides, and how much it leaves open."""
    said = (
        ("", _place(row, "reading"), remark)
        for row in verdicts
        for remark in row["remarks"]
        if remark.startswith(ILL_POSED)
    )
    return _lines(dict.fromkeys(said))


def enumerated(words: Sequence[str]) -> str:
    """Words in a row: a, b and c; empty if there is none."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def not_run_lines(absent: Mapping[str, str]) -> list[str]:
    """Lines that say what was not run, from the reason by printed name."""
    return [f"{MARKS[NOT_RUN]} {name}: {NOT_RUN}, {reason}." for name, reason in absent.items()]
