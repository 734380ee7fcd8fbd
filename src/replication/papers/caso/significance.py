"""Significance tests of CASO: CADO against the others (Table XI), CROCK against ROCK (XII)."""

from collections.abc import Sequence
from typing import Any

import pandas as pd

from replication.papers.caso.clusterings import SCORES, main_algorithms
from replication.run.paired import BETWEEN, Pairs, compared, correct
from replication.run.records import available
from replication.run.statistics import Comparison

OURS, OTHERS = "cado", ("smd", "ofd", "add")
STARTS, ORDERS = "starts", "row orders"
TIED = 1e-9
"""Mean scores that differ by less are equal."""


def coupled(comparison: Comparison, *, rock: Sequence[str]) -> list[dict[str, Any]]:
    """Test over data sets, and within each over starts or row orders.

    ROCK and CROCK have the best threshold of each, which uses class labels. Holm's correction
    covers all tests over data sets, all over starts, and all over row orders. `rock` names the data
    sets of Table XII.

    Records: ``algorithm`` (``KM``, ``SC`` or ``ROCK``), ``first``, ``second``, ``score``, and the
    keys of `replication.run.paired.compared`.
    """
    partitions, rocks = (available(comparison.records(name)) for name in ("partitions", "rock"))
    wanted: list[tuple[Any, ...]] = []
    if len(partitions):
        for key, algorithm in main_algorithms(comparison.choice).items():
            runs = partitions[partitions["algorithm"] == algorithm]
            wanted += (
                (key, STARTS, runs, "measure", OURS, other, score, "trial")
                for other in OTHERS
                for score in ("ac", "nmi")
            )
    if len(rocks):
        runs = at_best_threshold(rocks[rocks["dataset"].isin(rock)])
        wanted += (
            ("ROCK", ORDERS, runs, "method", "crock", "rock", score, "order") for score in SCORES
        )
    rows = [
        {"algorithm": key, "first": first, "second": second, "score": score, **row}
        for key, over, runs, column, first, second, score, run in wanted
        for row in compared(pairs_of(runs, column, first, second, score, run), over)
    ]
    for over in (STARTS, ORDERS, BETWEEN):
        correct([row for row in rows if row["over"] == over])
    return rows


def pairs_of(
    records: pd.DataFrame, column: str, first: str, second: str, score: str, run: str
) -> Pairs:
    """Return the scores of two entries of a column by data set, sorted by run."""
    pairs: Pairs = {}
    for name, part in records.groupby("dataset", sort=False):
        sides = (part[part[column] == one].sort_values(run) for one in (first, second))
        a, b = (side[score].tolist() for side in sides)
        pairs[str(name)] = (a, b)
    return pairs


def threshold_means(curve: pd.DataFrame) -> tuple[pd.Series, list[float]]:
    """Return the mean score of a data set and method by threshold, and the best thresholds."""
    means = curve.groupby("theta")[list(SCORES)].mean().mean(axis="columns")
    return means, means.index[means >= means.max() - TIED].tolist()


def best_threshold(curve: pd.DataFrame) -> float:
    """Return the smallest best threshold, which uses class labels, see `threshold_means`."""
    return threshold_means(curve)[1][0]


def at_best_threshold(records: pd.DataFrame) -> pd.DataFrame:
    """Select the records of every data set and method at its own best threshold."""
    curves = records.groupby(["dataset", "method"], sort=False)
    return pd.concat([curve[curve["theta"] == best_threshold(curve)] for _, curve in curves])
