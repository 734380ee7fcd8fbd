"""Step `granularity`: which printed shares can be shares of objects at all.

A purity or an accuracy of one run is c/n, a mean over R runs is c/(nR). With few objects most digit
strings are no such number, so the print itself tells what it can be. Only printed numbers are read:
shares, sizes of data sets, and numbers of runs.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import ROUND_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from replication.files import write_rows, write_text
from replication.judge.published import SETTINGS, load
from replication.judge.verdicts import Printed, parse_printed
from replication.steps import specification

if TYPE_CHECKING:
    import pandas as pd

SHARES = ("purity", "accuracy")
"""Metrics that count objects."""
SIZES = ("instances", "objects")
CLASSES = "classes"
ROUNDED, TRUNCATED, NEITHER, OPEN = "rounded", "truncated", "no", "cannot be told"

COLUMNS = (
    "id",
    "paper",
    "artefact",
    "dataset",
    "method",
    "metric",
    "printed",
    "objects",
    "runs",
    "one_run",
    "chance",
    "mean_of_runs",
    "least_best_run",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the step."""
    parser.add_argument("--spec", required=True, help="papers (JSON)")
    parser.add_argument("--published", type=Path, required=True, help="folder of printed numbers")
    parser.add_argument(
        "--output", type=Path, required=True, help="one row per printed share (CSV)"
    )
    parser.add_argument(
        "--markdown", type=Path, required=True, help="one line per column (Markdown)"
    )


def run(args: argparse.Namespace) -> int:
    """Run the step."""
    papers = specification(args.spec)["papers"]
    rows = [
        row for paper in papers for row in shares(paper["id"], load(paper["id"], args.published))
    ]
    write_rows(args.output, COLUMNS, rows)
    write_text(args.markdown, markdown(rows, [paper["id"] for paper in papers]))
    return 0


def counts_of(printed: Printed, parts: int) -> dict[str, range]:
    """Counts c for which c / parts is printed like this.

    Parameters
    ----------
    printed : Printed
        A share with decimals.
    parts : int
        Objects, or objects times runs.

    Returns
    -------
    dict
        ``rounded`` (half up or half to even) and ``truncated``, each with the counts that it
        leaves.
    """
    near = int(printed.value * parts)
    reach = int(parts * 2 * printed.half_unit) + 2
    unit = Decimal(1).scaleb(-printed.digits)
    found: dict[str, list[int]] = {ROUNDED: [], TRUNCATED: []}
    for count in range(max(0, near - reach), min(parts, near + reach) + 1):
        share = Decimal(count) * printed.scale / parts
        target = printed.value * printed.scale
        if target in (share.quantize(unit, ROUND_HALF_UP), share.quantize(unit, ROUND_HALF_EVEN)):
            found[ROUNDED].append(count)
        if target == share.quantize(unit, ROUND_DOWN):
            found[TRUNCATED].append(count)
    # the shares grow with the count, so those that are printed alike are neighbours
    return {
        name: range(counts[0], counts[-1] + 1) if counts else range(0)
        for name, counts in found.items()
    }


@cache
def chance(objects: int, digits: int) -> float:
    """Share of the numbers of so many decimals in [0, 1] that are some c / objects, rounded."""
    steps = 10**digits
    return len({(2 * count * steps + objects) // (2 * objects) for count in range(objects + 1)}) / (
        steps + 1
    )


def least_best_run(
    mean: float, half: float, sd: float, sd_half: float, runs: int, least: float
) -> float:
    """Least possible largest run behind a printed mean and standard deviation.

    Runs between a and b satisfy ``var <= (b - mean)(mean - a)`` (Bhatia and Davis 2000), so that
    ``b >= mean + var / (mean - a)``. Rounding counts in favour of the print.

    Parameters
    ----------
    mean, sd : float
        As printed.
    half, sd_half : float
        Half a unit of their last digits.
    runs : int
        Number of runs, at least 2; the standard deviation is that of a sample.
    least : float
        Smallest possible run, a, below the mean.

    Returns
    -------
    float
        Above 1 if the pair is impossible; infinite if the mean is not above `least`.
    """
    variance = max(0.0, sd - sd_half) ** 2 * (runs - 1) / runs
    low, high = mean - half, mean + half
    if high <= least:
        return math.inf
    # mean + var / (mean - a) falls up to mean = a + sqrt(var) and grows from there
    best = min(max(low, least + math.sqrt(variance)), high)
    return best + (variance / (best - least) if variance else 0.0)


def shares(paper: str, cells: pd.DataFrame) -> list[dict[str, Any]]:
    """What the digits of each printed share allow.

    Parameters
    ----------
    paper : str
        Id of the paper.
    cells : DataFrame
        Its printed cells.

    Returns
    -------
    list of dict
        By `COLUMNS`; a share that is printed again in another figure is listed once. ``one_run``:
        whether one run over the printed number of objects can give it; ``chance``: how many digit
        strings one run could give, as a share; ``mean_of_runs``: whether the mean over the stated
        runs can; ``least_best_run``: see `least_best_run`, the smallest run being n/k of n objects
        in k classes, the least that a best matching finds.
    """
    sizes = _facts(cells, SIZES)
    classes = _facts(cells, (CLASSES, "class"))
    stated = cells[(cells["artefact"] == SETTINGS) & (cells["metric"] == "runs")]
    wide = stated[(stated["dataset_id"] == "") & (stated["method_id"] == "")]
    runs = int(wide["value"].iloc[0]) if len(wide) else 1
    rows, seen = [], set()
    for cell in cells.to_dict("records"):
        key = (cell["dataset_id"], cell["method_id"], cell["metric"], cell["printed"])
        printed = parse_printed(cell["printed"]) if cell["metric"] in SHARES else None
        if printed is None or not printed.digits or cell["dataset_id"] not in sizes or key in seen:
            continue
        seen.add(key)
        share = Share(printed, sizes[cell["dataset_id"]], runs)
        rows.append(
            {
                **{name: cell[name] for name in ("id", "paper", "artefact", "metric", "printed")},
                "dataset": cell["dataset_id"],
                "method": cell["method_id"],
                "objects": share.objects,
                "runs": runs,
                "one_run": share.one_run,
                "chance": share.chance,
                "mean_of_runs": share.mean_of_runs if runs > 1 else "",
                "least_best_run": _least_best(cell, share, classes.get(cell["dataset_id"])),
            }
        )
    return rows


@dataclass(frozen=True)
class Share:
    """A printed share over a number of objects and runs."""

    printed: Printed
    objects: int
    runs: int

    @property
    def decimals(self) -> int:
        """Decimals of the share as a fraction."""
        return self.printed.digits + round(math.log10(self.printed.scale))

    @property
    def chance(self) -> float:
        """See `chance`."""
        return chance(self.objects, self.decimals)

    @property
    def one_run(self) -> str:
        """Whether one run can give it: rounded, truncated, no, or cannot be told."""
        if self.chance == 1:
            return OPEN
        counts = counts_of(self.printed, self.objects)
        return next((name for name in (ROUNDED, TRUNCATED) if len(counts[name])), NEITHER)

    @property
    def mean_of_runs(self) -> str:
        """Whether the mean of the runs can give it."""
        counts = counts_of(self.printed, self.objects * self.runs)
        return "yes" if any(len(found) for found in counts.values()) else "no"


def _facts(cells: pd.DataFrame, metrics: Sequence[str]) -> dict[str, int]:
    """Printed sizes by data set."""
    rows = cells[
        cells["metric"].isin(metrics)
        & (cells["method_id"] == "")
        & (cells["dataset_id"] != "")
        & cells["value"].str.fullmatch(r"\d+")
    ]
    return dict(zip(rows["dataset_id"], rows["value"].astype(int), strict=True))


def _least_best(cell: dict[str, str], share: Share, classes: int | None) -> float | None:
    """Least largest run behind a cell; None without a deviation or the number of classes."""
    deviation = parse_printed(cell["std"]) if cell["std"] else None
    if deviation is None or classes is None or share.runs < 2:
        return None
    return least_best_run(
        float(share.printed.value),
        share.printed.half_unit,
        float(deviation.value),
        deviation.half_unit,
        share.runs,
        math.ceil(share.objects / classes) / share.objects,
    )


def at_least(hits: int, chances: Iterable[float]) -> float:
    """Probability of at least so many hits in independent trials of unequal chances."""
    import numpy as np

    distribution = np.ones(1)
    for p in chances:
        distribution = np.convolve(distribution, [1 - p, p])
    return float(distribution[hits:].sum())


def misprinted_sizes(rows: Iterable[dict[str, Any]]) -> dict[tuple[str, str], list[int]]:
    """Printed sizes that most shares of their data set contradict, where another one fits all.

    Parameters
    ----------
    rows : iterable of dict
        What `shares` returned.

    Returns
    -------
    dict
        By paper and data set: the numbers of objects within a fifth of the printed one of which
        every share is a count, rounded or truncated.
    """
    groups: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in rows:
        if row["runs"] == 1 and row["one_run"] != OPEN:
            groups.setdefault((row["paper"], row["dataset"]), []).append(row)
    found = {}
    for key, cells in groups.items():
        if 2 * sum(row["one_run"] == NEITHER for row in cells) <= len(cells):
            continue
        objects = cells[0]["objects"]
        printed = [parse_printed(row["printed"]) for row in cells]
        fitting = [
            size
            for size in range(objects * 4 // 5, objects * 6 // 5 + 1)
            if all(Share(share, size, 1).one_run != NEITHER for share in printed)
        ]
        if fitting:
            found[key] = fitting
    return found


def reasons(rows: Sequence[dict[str, Any]]) -> dict[str, str]:
    """Why printed shares of one run cannot be shares of the objects, by the id of the number."""
    sizes = misprinted_sizes(rows)
    return {
        row["id"]: f"no count of {row['objects']} objects is {row['printed']}, rounded or truncated"
        for row in rows
        if row["runs"] == 1
        and row["one_run"] == NEITHER
        and (row["paper"], row["dataset"]) not in sizes
    }


def markdown(rows: Sequence[dict[str, Any]], papers: Sequence[str]) -> str:
    """One line per printed column, and what there is to see.

    Parameters
    ----------
    rows : sequence of dict
        What `shares` returned, of all papers.
    papers : sequence of str
        Ids of the papers that were looked at.
    """
    import pandas as pd

    columns: dict[tuple[str, str, str], list[dict[str, Any]]] = {}
    for row in rows:
        columns.setdefault((row["paper"], row["metric"], row["method"]), []).append(row)
    lines = []
    for (paper, metric, method), cells in columns.items():
        told = [row for row in cells if row["one_run"] != OPEN]
        hits = sum(row["one_run"] == ROUNDED for row in told)
        chances = [row["chance"] for row in told]
        bounds = [row["least_best_run"] for row in cells if row["least_best_run"] is not None]
        lines.append(
            {
                "paper": paper,
                "metric": metric,
                "column": method,
                "runs": cells[0]["runs"],
                "cells": len(cells),
                "can be told": len(told),
                "c/n, rounded": hits,
                "only truncated": sum(row["one_run"] == TRUNCATED for row in told),
                "no c/n": sum(row["one_run"] == NEITHER for row in told),
                "by chance": f"{sum(chances):.2f}",
                "P(so many)": f"{at_least(hits, chances):.2g}" if told else "",
                "no mean of runs": sum(row["mean_of_runs"] == "no" for row in cells),
                "largest run needed": f"{max(bounds):.3f}" if bounds else "",
            }
        )
    sizes = [
        f"{paper}'s shares on {dataset} are no counts of the printed number of objects; they are "
        f"counts of {' or '.join(map(str, fitting))}.\n\n"
        for (paper, dataset), fitting in misprinted_sizes(rows).items()
    ]
    without = [paper for paper in papers if paper not in {row["paper"] for row in rows}]
    return (
        "# Which printed shares can be shares of objects\n\n"
        "A purity or accuracy of one run over n objects is c/n; *by chance* says how many cells of "
        "a column would be one if their digits were arbitrary, *P(so many)* how likely at least so "
        "many are. A column of means that consists of fractions c/n is no column of means; a share "
        "of one run that is no c/n is a misprint, or another number of objects. *Largest run "
        "needed*: the print's mean and standard deviation are possible only if some run reached "
        "it (the largest over the column).\n\n"
        + pd.DataFrame(lines).to_markdown(index=False)
        + "\n\n"
        + "".join(sizes)
        + (
            f"No share of objects is printed by {', '.join(without)}: F-scores, indices and "
            "improvements are no counts.\n"
            if without
            else ""
        )
    )
