"""Records of DISC's experiments as numbers per data set, method and reading."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from replication.judge.verdicts import Reproduced
from replication.steps import OK

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

    from replication.show.job import Job

METRICS = {"accuracy": "accuracy", "ari": "ARI", "cmp": "CMP"}
"""Scores of Table 2 and their names; of CMP the lower is better."""
LOWER = ("cmp",)
PRINTED_RUNS = 10
RELEASED = "released"
LITERAL = "literal"

DISC, FIRST, KMODES = "disc", "disc_i", "kmodes"
SOURCES = {
    (DISC, "released"): ("released", "disc_released", 0),
    (DISC, "literal"): ("readings", "disc_literal", 0),
    (DISC, "repaired"): ("readings", "disc", 0),
    (FIRST, "released"): ("released", "disc_released", 1),
    (FIRST, "literal"): ("first_rounds", "disc_literal", 1),
    (FIRST, "repaired"): ("first_rounds", "disc", 1),
}
"""Experiment, algorithm and most outer rounds behind a method under a reading."""
RIVALS = {"hd_ndw": "hd_ndw_released", "coforest": "coforest_released", "harr": "harr_v"}
"""Rivals of the paper that are implemented: method to algorithm."""
ABSENT = {
    "cbdm": "not part of this workflow: how the paper clusters by this distance is not said",
    "wocil": "not implemented: its formulas are not public to us",
    "cure": "not implemented: its formulas are not public to us",
    "mcdc": "not implemented: its formulas are not public to us",
    "sigdt": "not part of this workflow: a tree of rules that finds its own number of clusters",
    "cdc_dr": "not run: with as many dimensions as clusters its embedding is not defined on two of "
    "the data sets; its scores are checked against stored partitions",
    "k_prototypes": "not run: the weight of the numbers is not stated",
    "disc_mixed": "not run: how numbers enter is described by the program only",
}
"""Why there is no number of ours."""


class Found:
    """Runs of one artefact's experiments.

    Parameters
    ----------
    job : Job
        Its ``experiments`` are read.
    """

    def __init__(self, job: Job) -> None:
        self._frames = {name: job.records(name) for name in job.need("experiments")}

    def runs(self, experiment: str, algorithm: str, dataset: str, rounds: int = 0) -> pd.DataFrame:
        """Runs of one algorithm on one data set; empty if there are none."""
        frame = self._frames.get(experiment)
        if frame is None or "algorithm" not in frame:
            return _nothing()
        return frame[
            (frame["status"] == OK)
            & (frame["dataset"] == dataset)
            & (frame["algorithm"] == algorithm)
            & (frame["rounds"] == rounds)
        ]

    def of(self, method: str, dataset: str, reading: str) -> pd.DataFrame:
        """Runs of a method under a reading."""
        if method in (KMODES, "disc_ii"):
            return self.runs("starts", "kmodes_batch", dataset)
        if method in RIVALS:
            return self.runs("rivals", RIVALS[method], dataset)
        source = SOURCES.get((method, reading))
        return self.runs(source[0], source[1], dataset, source[2]) if source else _nothing()

    def number(self, method: str, dataset: str, metric: str, reading: str) -> Reproduced:
        """Mean over the runs.

        The runs of the released program are the very ones that the paper averages: nothing is
        left to chance, so they have no deviation here.
        """
        values = self.of(method, dataset, reading)
        if metric not in values or values.empty:
            return Reproduced(None)
        column = values[metric].to_numpy(float)
        mean = float(column.mean())
        if reading == RELEASED and (method, reading) in SOURCES:
            return Reproduced(mean)
        return Reproduced(
            mean,
            sd=float(column.std(ddof=1)) if len(column) > 1 else None,
            runs=len(column),
            spread=(float(column.min()), float(column.max())),
        )


def _nothing() -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame(columns=["dataset", "status"])


def average_ranks(columns: Mapping[str, Mapping[str, float]], lower: bool) -> dict[str, float]:
    """Average ranks of methods over data sets.

    Parameters
    ----------
    columns : mapping
        Scores by data set, of every method.
    lower : bool
        Whether the lowest score has rank 1.

    Returns
    -------
    dict of str to float
        Ties share their ranks; methods without a score share the last ranks.
    """
    import pandas as pd

    frame = pd.DataFrame(columns, dtype=float)
    ranks = frame.rank(axis=1, ascending=lower, na_option="bottom", method="average")
    return {str(name): float(value) for name, value in ranks.mean().items()}


def honest_means(values: np.ndarray, starts: int, rng: Any, draws: int) -> np.ndarray:
    """Means of some starts, drawn with replacement from all.

    Parameters
    ----------
    values : ndarray of float64, shape (t,)
        Scores of single starts.
    starts : int
        Starts behind a mean.
    rng : Generator
        Source of randomness.
    draws : int
        Means that are drawn.

    Returns
    -------
    ndarray of float64, shape (draws,)
    """
    return values[rng.integers(len(values), size=(draws, starts))].mean(axis=1)


def chance(means: np.ndarray, least: float) -> dict[str, float]:
    """Where means lie, and the share of them that reach a number; higher is better.

    Parameters
    ----------
    means : ndarray of float64, shape (draws,)
        Means of honest starts.
    least : float
        The least mean that rounds to the printed one.

    Returns
    -------
    dict of str to float
        ``low`` and ``high`` (2.5 and 97.5 % of the means), and the ``share``.
    """
    import numpy as np

    low, high = np.quantile(means, [0.025, 0.975])
    return {
        "low": float(low),
        "high": float(high),
        "share": float((means >= least - 1e-12).mean()),
    }


def best_of_groups(runs: pd.DataFrame, score: str) -> np.ndarray:
    """Score of the best run of every group, by the method's own objective.

    Runs with fewer empty clusters come first, then those of least objective; the first of several.

    Returns
    -------
    ndarray of float64, shape (groups,)
    """
    ordered = runs.sort_values(["group", "empty", "objective", "trial"], kind="stable")
    return ordered.groupby("group", sort=True)[score].first().to_numpy(float)
