"""Numbers by data set, method and reading from the records of DISC's experiments."""

import numpy as np
import pandas as pd

from replication.judge.verdicts import Reproduced
from replication.run.records import available
from replication.show.job import Job

METRICS = {"accuracy": "accuracy", "ari": "ARI", "cmp": "CMP"}
"""Scores of Table 2 and their names; a lower CMP is better."""
LOWER = ("cmp",)
PRINTED_RUNS = 10
RELEASED = "released"

DISC, FIRST, WITHOUT, KMODES = "disc", "disc_i", "disc_ii", "kmodes"
OURS = (DISC, FIRST, KMODES, WITHOUT)
"""Methods that are run in every reading."""
SOURCES = {
    (DISC, RELEASED): ("released", "disc_released", 0),
    (DISC, "literal"): ("readings", "disc_literal", 0),
    (DISC, "repaired"): ("readings", "disc", 0),
    (FIRST, RELEASED): ("released", "disc_released", 1),
    (FIRST, "literal"): ("first_rounds", "disc_literal", 1),
    (FIRST, "repaired"): ("first_rounds", "disc", 1),
    (KMODES, ""): ("starts", "kmodes_batch", 0),
    (WITHOUT, ""): ("starts", "kmodes_batch", 0),
    ("hd_ndw", ""): ("rivals", "hd_ndw_released", 0),
    ("coforest", ""): ("rivals", "coforest_released", 0),
    ("harr", ""): ("rivals", "harr_v", 0),
}
"""Experiment, algorithm and most outer rounds (0: no limit) by method and reading (empty: all)."""
ABSENT = {
    "cbdm": "not part of this workflow: how the paper clusters by this distance is not said",
    "wocil": "not implemented: its formulas are not public to us",
    "cure": "not implemented: its formulas are not public to us",
    "mcdc": "not implemented: its formulas are not public to us",
    "sigdt": "not part of this workflow: a tree of rules that finds its own number of clusters",
    "cdc_dr": "not run: with as many dimensions as clusters its embedding is not defined on two of "
    "the data sets; the runs of others are shown instead",
    "k_prototypes": "not run: the weight of the numbers is not stated",
    "disc_mixed": "not run: how numbers enter is described by the program only",
}
"""Reasons why a method has no number of ours."""
NOT_MIXED = {"harr": "not run: how the numbers enter is not stated"}
"""The same for tables with numeric attributes."""


def all_runs(job: Job) -> pd.DataFrame:
    """Return the runs of the artefact's experiments on the available data sets."""
    return available(job.frame("experiment"))


def some_runs(
    found: pd.DataFrame, dataset: str, experiment: str, algorithm: str, rounds: int = 0
) -> pd.DataFrame:
    """Return the runs of one algorithm on one data set in an experiment, perhaps none."""
    if found.empty:  # without any data set there are no columns either
        return found
    return found[
        (found["dataset"] == dataset)
        & (found["experiment"] == experiment)
        & (found["algorithm"] == algorithm)
        & (found["rounds"] == rounds)
    ]


def mean_run(
    found: pd.DataFrame, method: str, dataset: str, metric: str, reading: str
) -> Reproduced | None:
    """Return the mean over the runs of a method under a reading; None if there are none.

    The runs of the released program are those that the paper averages. They are not a sample, so
    they have no deviation here.
    """
    source = SOURCES.get((method, reading)) or SOURCES[method, ""]
    runs = some_runs(found, dataset, *source)
    if runs.empty:
        return None
    column = runs[metric].to_numpy(float)
    if (method, reading) in SOURCES and reading == RELEASED:
        return Reproduced(float(column.mean()))
    return Reproduced(
        float(column.mean()),
        float(column.std(ddof=1)) if len(column) > 1 else None,
        len(column),
        spread=(float(column.min()), float(column.max())),
    )


def average_ranks(scores: pd.DataFrame, lower: bool) -> pd.Series:
    """Return the average ranks of methods (columns) over data sets (rows).

    The lowest score has rank 1 if `lower`, otherwise the highest. Ties share their ranks; methods
    without a score share the last ranks.
    """
    return scores.rank(axis=1, ascending=lower, na_option="bottom").mean()


def chance(means: np.ndarray, printed: float, half: float, metric: str) -> dict[str, float]:
    """Return the range of means of unselected starts, and the share that reaches a printed mean.

    Parameters
    ----------
    means : ndarray of float64, shape (draws,)
        Means of unselected starts.
    printed, half : float
        The printed mean, and its largest rounding error.
    metric : str
        One of `METRICS`.

    Returns
    -------
    dict of str to float
        ``low`` and ``high``, the 2.5 and 97.5 % quantiles of the means, and the ``share``.
    """
    sign = -1.0 if metric in LOWER else 1.0
    low, high = sorted(sign * np.quantile(sign * means, [0.025, 0.975]))
    reached = sign * means >= sign * printed - half - 1e-12
    return {"low": float(low), "high": float(high), "share": float(reached.mean())}


def best_of_groups(runs: pd.DataFrame, score: str) -> np.ndarray:
    """Return the score of the best run of every group, shape (groups,).

    The best run has the fewest empty clusters, then the lowest objective of the method itself, then
    the lowest number.
    """
    ordered = runs.sort_values(["group", "empty", "objective", "trial"], kind="stable")
    return ordered.groupby("group")[score].first().to_numpy(float)
