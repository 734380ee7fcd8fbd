"""Rows of the ledger: printed numbers under a reading, with verdicts; legends about them."""

import math
import statistics
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from replication.judge import independent
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
    *("id", "paper", "artefact", "dataset", "method", "metric", "reading", "oracle", "setting"),
    *("printed", "reproduced", "sd", "spread_min", "spread_max", "noise_min", "noise_max"),
    *("orders", "samples", "trials", "verdict", "noise", "difference", "position", "reason"),
    *independent.COLUMNS,
)
ABSENT_DATASET = "data set not part of this workflow yet"
ABSENT_ARTEFACT = "artefact not part of this workflow yet"
NO_DATASET = "none of its data sets was computed"

COMPARABLE = (EXACT, WITHIN_NOISE, DIFFERS)
"""Verdicts of numbers that could be compared."""
ORACLE = "†"
"""Mark of a number that uses class labels."""


@dataclass(frozen=True)
class Ours:
    """Our number for one printed number under one reading, or the reason why there is none."""

    values: Reproduced | str
    # whether class labels were used, to choose the setting or to cut numbers
    oracle: bool = False
    # such as sigma=0.4
    setting: str = ""
    # clusterings behind our number, and runs behind the printed one
    trials: int = 0
    printed_runs: int = 1
    # deviation of one of these runs where the paper prints none; that of ours if not given
    printed_sd: float | None = None
    # smallest and largest possible number
    possible: tuple[float, float] | None = None
    # remark on the number; and function that returns the remark if the numbers differ, from the
    # verdict of the first reading (empty for the first reading itself)
    reason: str = ""
    if_differs: Callable[[str], str] | None = None
    # further columns of the data
    more: Mapping[str, Any] = field(default_factory=dict)


def verdict_row(
    cell: Mapping[str, str], judged: Verdict, ours: Ours, *, reading: str
) -> dict[str, Any]:
    """Return a row of the ledger, by `VERDICT_COLUMNS`, and the ``remarks`` of its reason."""
    values = Reproduced(None) if isinstance(ours.values, str) else ours.values
    low, high = values.spread or (None, None)
    noise_min, noise_max = judged.open or (None, None)
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
        "noise_min": noise_min,
        "noise_max": noise_max,
        "orders": values.orders if ran else None,
        "samples": values.runs if ran else None,
        "trials": ours.trials if ran else None,
        "verdict": judged.verdict,
        "noise": judged.noise,
        "difference": judged.difference,
        "position": judged.position,
        "reason": judged.reason,
        **dict.fromkeys(independent.COLUMNS),
        "remarks": judged.remarks,
    }


def mean_moved(shares: Iterable[Any]) -> float:
    """Return the mean share of objects that rounding alone moves; unknown shares count as 0."""
    known = [float(share) if share and pd.notna(share) else 0.0 for share in shares]
    return statistics.fmean(known) if known else 0.0


def not_run(cell: Mapping[str, str], reason: str, *, reading: str) -> dict[str, Any]:
    """Return the verdict row of a cell for which nothing was computed."""
    return verdict_row(cell, Verdict(NOT_RUN, (reason,)), Ours(reason), reading=reading)


def tally(rows: Iterable[Mapping[str, Any]]) -> Counter[str]:
    """Count rows per verdict."""
    return Counter(row["verdict"] for row in rows)


def counting(
    rows: Iterable[Mapping[str, Any]], noun: str = "comparable numbers", *, differ: bool = False
) -> str:
    """Return a count of verdicts: ``7 of 9 comparable numbers are exact, 1 within noise``.

    The noun may be empty. With `differ` the numbers that differ are counted too.
    """
    counts = tally(rows)
    comparable = sum(counts[name] for name in COMPARABLE)
    others = (WITHIN_NOISE, *((DIFFERS,) if differ else ()), NOT_COMPARABLE, NOT_RUN)
    said = " ".join(filter(None, (f"{counts[EXACT]} of {comparable}", noun, "are exact")))
    plural = {DIFFERS: "differ"}
    found = ((counts[name], name) for name in others if counts[name])
    return ", ".join(
        [said, *(f"{n} {plural.get(name, name) if n > 1 else name}" for n, name in found)]
    )


def legend_of_marks(noise: str = "", oracle: str = "") -> str:
    """Return a line of a legend that explains the marks.

    `noise` explains *within noise*, `oracle` the mark *uses class labels*; both may be left out.
    """
    line = (
        f"Marks: {MARKS[EXACT]} the printed digits, rounded or truncated; {MARKS[WITHIN_NOISE]} "
        f"within noise{': ' if noise else ''}{noise}; {MARKS[DIFFERS]} differs; "
        f"{MARKS[NOT_COMPARABLE]} not comparable; {MARKS[NOT_RUN]} not run."
    )
    return f"{line} {ORACLE} oracle: {oracle}." if oracle else line


def _lines(said: Iterable[tuple[str, str, str]], most: float = math.inf) -> list[str]:
    """Return lines of a mark, its places (only the first of more than `most`), and a reason."""
    found = defaultdict[tuple[str, str], list[str]](list)
    for mark, place, reason in said:
        found[mark, reason].append(place)
    return [
        f"{mark}{', '.join(places)}: {reason}."
        if len(places) <= most
        else f"{mark}{places[0]} and {len(places) - 1} more: {reason}."
        for (mark, reason), places in found.items()
    ]


def _place(row: Mapping[str, Any], *names: str) -> str:
    return " ".join(filter(None, (row[name] for name in ("dataset", "method", "metric", *names))))


def reasons(cells: pd.DataFrame, verdicts: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return lines with the data sets or methods not comparable or not run, and the reasons."""
    shown = cells["dataset"].where(cells["dataset"] != "", cells["method"])
    names = dict(zip(cells["id"], shown, strict=True))
    said = (
        (
            f"{MARKS[row['verdict']]} ",
            names[row["id"]],
            f"{row['verdict']}, {next(iter(row['remarks']), '')}",
        )
        for row in verdicts
        if row["verdict"] in (NOT_COMPARABLE, NOT_RUN)
    )
    return _lines(dict.fromkeys(said))


def reasons_by_cell(verdicts: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return lines with the reasons why cells are not exact, each reason once, with the cells."""
    return _lines(
        (
            (f"{MARKS[row['verdict']]} ", _place(row), row["reason"])
            for row in verdicts
            if row["verdict"] in (DIFFERS, NOT_COMPARABLE, NOT_RUN) and row["reason"]
        ),
        most=4,
    )


def ill_posed_lines(verdicts: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return lines with the numbers that rounding decides, and how much it leaves open."""
    return _lines(
        dict.fromkeys(
            ("", _place(row, "reading"), remark)
            for row in verdicts
            for remark in row["remarks"]
            if remark.startswith(ILL_POSED)
        )
    )


def enumerated(words: Sequence[str]) -> str:
    """Return words as ``a, b and c``; empty without words."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def listed(words: Iterable[str]) -> str:
    """Return words separated by commas, or ``none``."""
    return ", ".join(words) or "none"


def valued(values: Mapping[Any, Any] | pd.Series, form: str = "{} {}") -> str:
    """Return names with their values, such as ``zoo 0.91, mushroom 0.84``."""
    return ", ".join(form.format(*pair) for pair in values.items())


def span(values: Iterable[float], low: str = ".2f", high: str = "") -> str:
    """Return the smallest and largest of some numbers, such as ``0.63 to 1.20``."""
    values = list(values)
    return f"{min(values):{low}} to {max(values):{high or low}}"


def not_run_lines(absent: Mapping[str, str]) -> list[str]:
    """Return lines with the data sets that were not run, from the reasons by printed name."""
    return [f"{MARKS[NOT_RUN]} {name}: {NOT_RUN}, {reason}." for name, reason in absent.items()]
