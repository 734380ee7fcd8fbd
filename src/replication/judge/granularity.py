"""Step `granularity`: find the possible values among the printed shares of objects.

A purity or an accuracy of one run is c/n, a mean over R runs is c/(nR). With few objects most digit
strings are not such a number, so the printed digits show which shares are possible. The step reads
printed numbers only: shares, sizes of data sets, and numbers of runs.
"""

import math
from collections.abc import Sequence
from decimal import ROUND_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import Any

import pandas as pd
from scipy.stats import poisson_binom

from replication.files import write_rows, write_text
from replication.judge.published import SETTINGS, load
from replication.judge.verdicts import Printed, parse_printed, printed_number

SHARES = ("purity", "accuracy")
"""Metrics that count objects."""
SIZES = ("instances", "objects")
CLASSES = ("classes", "class")
ROUNDED, TRUNCATED, NEITHER, OPEN = "rounded", "truncated", "no", "cannot be told"
_ROUNDINGS = {ROUNDED: (ROUND_HALF_UP, ROUND_HALF_EVEN), TRUNCATED: (ROUND_DOWN,)}

COLUMNS = (
    *("id", "paper", "artefact", "dataset", "method", "metric", "printed", "objects", "runs"),
    *("one_run", "chance", "mean_of_runs", "least_best_run"),
)


def run(spec: dict[str, Any], published: Path, output: Path) -> None:
    """Run the step."""
    papers = [paper["id"] for paper in spec["papers"]]
    found = pd.concat(shares(load(paper, published)) for paper in papers)
    write_rows(output, COLUMNS, found.to_dict("records"))
    write_text(output.with_suffix(".md"), markdown(found, papers))


def counts_of(printed: Printed, parts: int) -> dict[str, list[int]]:
    """Return the counts c for which c / parts is printed so, ``rounded`` and ``truncated``.

    The parts are objects, or objects times runs.
    """
    near, reach = int(printed.value * parts), int(parts * 2 * printed.half_unit) + 2
    unit, target = Decimal(1).scaleb(-(printed.digits or 0)), printed.value * printed.scale
    shares = {
        count: Decimal(count) * printed.scale / parts
        for count in range(max(0, near - reach), min(parts, near + reach) + 1)
    }
    return {
        name: [
            n for n, share in shares.items() if target in {share.quantize(unit, m) for m in modes}
        ]
        for name, modes in _ROUNDINGS.items()
    }


def chance(printed: Printed, objects: int) -> float:
    """Return the share of the numbers in [0, 1] with as many decimals that are a rounded c/n."""
    numbers = 10 ** ((printed.digits or 0) + round(math.log10(printed.scale))) + 1
    # steps of 1/n give different numbers if they are at least as large as a unit, else all numbers
    return min(objects + 1, numbers) / numbers


def least_best_run(mean: Printed, deviation: Printed, runs: int, least: float) -> float:
    """Return the smallest possible value of the largest run behind a mean and its deviation.

    Runs between a and b satisfy ``var <= (b - mean)(mean - a)`` (Bhatia and Davis 2000), so that
    ``b >= mean + var / (mean - a)``.

    Parameters
    ----------
    mean, deviation : Printed
        Mean and standard deviation of a sample of at least 2 runs; rounding counts in favour of
        the printed numbers.
    runs : int
        Number of runs.
    least : float
        The smallest possible run, a.

    Returns
    -------
    float
        A value above 1 shows that mean and deviation are impossible; it is infinite if the mean is
        not above `least`.
    """
    variance = max(0.0, float(deviation.value) - deviation.half_unit) ** 2 * (runs - 1) / runs
    low, high = float(mean.value) - mean.half_unit, float(mean.value) + mean.half_unit
    if high <= least:
        return math.inf
    # mean + var / (mean - a) falls up to mean = a + sqrt(var) and grows from there
    best = min(max(low, least + math.sqrt(variance)), high)
    return best + (variance / (best - least) if variance else 0.0)


def shares(cells: pd.DataFrame) -> pd.DataFrame:
    """Return for each printed share of a paper which runs can give its digits, by `COLUMNS`.

    A share that is printed again in another figure is listed once. ``one_run`` says whether one
    run over the printed number of objects can give the share, ``chance`` is the share of digit
    strings that one run can give, and ``mean_of_runs`` says whether the mean over the stated runs
    can give it. For ``least_best_run`` see `least_best_run`; the smallest run is n/k for n objects
    in k classes, the smallest accuracy of a best matching.
    """
    sizes, classes = _facts(cells, SIZES), _facts(cells, CLASSES)
    of_all = (cells["dataset_id"] == "") & (cells["method_id"] == "")
    stated = cells[of_all & (cells["artefact"] == SETTINGS) & (cells["metric"] == "runs")]["value"]
    runs = int(stated.iloc[0]) if len(stated) else 1
    of_objects = cells[cells["metric"].isin(SHARES) & cells["dataset_id"].isin(sizes)]
    once = of_objects.drop_duplicates(["dataset_id", "method_id", "metric", "printed"])
    rows = []
    for cell in once.to_dict("records"):
        printed = parse_printed(cell["printed"])
        if printed is None or not printed.digits:
            continue
        objects, groups = sizes[cell["dataset_id"]], classes.get(cell["dataset_id"])
        deviation = parse_printed(cell["std"])
        rows.append(
            cell
            | {
                "dataset": cell["dataset_id"],
                "method": cell["method_id"],
                "objects": objects,
                "runs": runs,
                "one_run": one_run(printed, objects),
                "chance": chance(printed, objects),
                "mean_of_runs": any(counts_of(printed, objects * runs).values())
                if runs > 1
                else None,
                "least_best_run": least_best_run(
                    printed, deviation, runs, math.ceil(objects / groups) / objects
                )
                if deviation and groups and runs > 1
                else None,
            }
        )
    return pd.DataFrame(rows, columns=list(COLUMNS), dtype=object)


def one_run(printed: Printed, objects: int) -> str:
    """Return how one run over some objects gives a share: one of the texts of this module."""
    if chance(printed, objects) == 1:
        return OPEN
    counts = counts_of(printed, objects)
    return next((name for name in (ROUNDED, TRUNCATED) if counts[name]), NEITHER)


def _facts(cells: pd.DataFrame, metrics: Sequence[str]) -> dict[str, int]:
    """Return the printed sizes by data set."""
    rows = cells[
        cells["metric"].isin(metrics)
        & (cells["method_id"] == "")
        & (cells["dataset_id"] != "")
        & cells["value"].str.fullmatch(r"\d+")
    ]
    return dict(zip(rows["dataset_id"], rows["value"].astype(int), strict=True))


def other_sizes(found: pd.DataFrame) -> dict[tuple[str, str], list[int]]:
    """Return sizes that fit all printed shares of a data set where the printed size does not.

    They are listed by paper and data set if most shares contradict the printed number of objects:
    the numbers within a fifth of it of which every share is a count, rounded or truncated.
    """
    sizes = {}
    told = found[(found["runs"] == 1) & (found["one_run"] != OPEN)]
    for key, rows in told.groupby(["paper", "dataset"], sort=False):
        if 2 * (rows["one_run"] == NEITHER).sum() <= len(rows):
            continue
        objects, printed = rows["objects"].iloc[0], [*map(printed_number, rows["printed"])]
        fitting = [
            size
            for size in range(objects * 4 // 5, objects * 6 // 5 + 1)
            if all(one_run(share, size) != NEITHER for share in printed)
        ]
        if fitting:
            sizes[key] = fitting
    return sizes


def reasons(found: pd.DataFrame) -> dict[str, str]:
    """Return why printed shares of one run cannot be shares of the objects, by number."""
    sizes = other_sizes(found)
    return {
        row.id: f"no count of {row.objects} objects is {row.printed}, rounded or truncated"
        for row in found[(found["runs"] == 1) & (found["one_run"] == NEITHER)].itertuples()
        if (row.paper, row.dataset) not in sizes
    }


def _of_column(rows: pd.DataFrame) -> dict[str, Any]:
    """Return the counts over the shares of one printed column."""
    told = rows[rows["one_run"] != OPEN]
    hits = (told["one_run"] == ROUNDED).sum()
    return {
        "runs": rows["runs"].iloc[0],
        "cells": len(rows),
        "can be told": len(told),
        "c/n, rounded": hits,
        "only truncated": (told["one_run"] == TRUNCATED).sum(),
        "no c/n": (told["one_run"] == NEITHER).sum(),
        "by chance": f"{told['chance'].sum():.2f}",
        "P(so many)": f"{poisson_binom(told['chance'].tolist()).sf(hits - 1):.2g}"
        if len(told)
        else "",
        "no mean of runs": rows["mean_of_runs"].isin([False]).sum(),
        "largest run needed": rows["least_best_run"].dropna().map("{:.3f}".format).max(),
    }


def markdown(found: pd.DataFrame, papers: Sequence[str]) -> str:
    """Return the page: a line per printed column of all papers, and sizes that fit the shares."""
    lines = [
        dict(zip(("paper", "metric", "column"), key, strict=True)) | _of_column(rows)
        for key, rows in found.groupby(["paper", "metric", "method"], sort=False)
    ]
    sizes = [
        f"{paper}'s shares on {dataset} are no counts of the printed number of objects; they are "
        f"counts of {' or '.join(map(str, fitting))}.\n\n"
        for (paper, dataset), fitting in other_sizes(found).items()
    ]
    without = ", ".join(paper for paper in papers if paper not in set(found["paper"]))
    return (
        "# Which printed shares can be shares of objects\n\n"
        "A purity or accuracy of one run over n objects is c/n; *by chance* says how many cells of "
        "a column would be one if their digits were arbitrary, *P(so many)* how likely at least so "
        "many are. A mean of runs can be such a fraction as well. A share of one run that is no "
        "c/n is of another number of objects, or of none. *Largest run needed*: the print's mean "
        "and standard deviation are possible only if some run reached it (the largest over the "
        "column).\n\n"
        + pd.DataFrame(lines).fillna("").to_markdown(index=False)
        + "\n\n"
        + "".join(sizes)
        + (
            f"No share of objects is printed by {without}: F-scores, indices and "
            "improvements are no counts.\n"
            if without
            else ""
        )
    )
