"""Numbers by data set, method and reading from the records of DISC's experiments."""

import numpy as np
import pandas as pd
from scipy.stats import rankdata

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
HDC, MIXED = "hdc", "k_prototypes"
SOURCES = {
    (DISC, RELEASED): ("released", "disc_released", 0),
    (DISC, "literal"): ("readings", "disc_literal", 0),
    (DISC, "repaired"): ("readings", "disc", 0),
    (FIRST, RELEASED): ("released", "disc_released", 1),
    (FIRST, "literal"): ("first_rounds", "disc_literal", 1),
    (FIRST, "repaired"): ("first_rounds", "disc", 1),
    (KMODES, ""): ("starts", "kmodes_batch", 0),
    (WITHOUT, ""): ("starts", "kmodes_batch", 0),
    ("cbdm", ""): ("cbdm", "dilca_rr", 0),
    ("cdc_dr", ""): ("cdc_dr", "cdcdr", 0),
    (HDC, RELEASED): ("hdc", "hd", 0),
    (HDC, "literal"): ("rivals", "hd_ndw_released", 0),
    ("coforest", ""): ("rivals", "coforest_released", 0),
    ("sigdt", ""): ("sigdt", "sigdt", 0),
    ("harr", ""): ("rivals", "harr_v", 0),
    (MIXED, ""): ("mixed", "k_prototypes", 0),
}
"""Experiment, algorithm and most outer rounds (0: no limit) by method and reading (empty: all)."""
READ = {HDC: (RELEASED, "literal")} | dict.fromkeys(OURS, (RELEASED, "literal", "repaired"))
"""Readings of the methods that have several, the counted one first."""
SINGLE = ("released", "sigdt")
"""Experiments without a sample: the runs that the paper averages, or no random numbers."""
NUMBERS_OF = {name: f"{name}_mixed" for name in ("cc", "ap", "dt", "av", "bm")}
"""Data set with its numbers, for the experiment `mixed`."""
ABSENT = {
    "wocil": "not implemented: its formulas are not public to us",
    "cure": "not implemented: its formulas are not public to us",
    "mcdc": "not implemented: its formulas are not public to us",
    "disc_mixed": "not run: the text adds a Euclidean distance to the learnt ones, without its "
    "scale and weight, and the released program takes no numbers",
}
"""Reasons why a method has no number of ours."""
NOT_MIXED = {"harr": "not implemented: our HARR takes no numbers"}
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
    they have no deviation here, and neither has a method without random numbers.
    """
    runs = runs_of(found, method, dataset, reading)
    if runs.empty:
        return None
    column = runs[metric].to_numpy(float)
    if runs["experiment"].iloc[0] in SINGLE:
        return Reproduced(float(column.mean()))
    return Reproduced(
        float(column.mean()),
        float(column.std(ddof=1)) if len(column) > 1 else None,
        len(column),
        spread=(float(column.min()), float(column.max())),
    )


def runs_of(found: pd.DataFrame, method: str, dataset: str, reading: str) -> pd.DataFrame:
    """Return the runs of a method on a data set under a reading, perhaps none.

    A method without that reading has one for all of them, or its counted one.
    """
    sources = ((method, one) for one in (reading, "", RELEASED))
    source = next(SOURCES[one] for one in sources if one in SOURCES)
    return some_runs(found, place_of(method, dataset), *source)


def place_of(method: str, dataset: str) -> str:
    """Return the data set that a method clusters for a printed one, with its numbers or without."""
    return NUMBERS_OF.get(dataset, dataset) if method == MIXED else dataset


def ranges_of_ranks(
    values: dict[tuple[str, str], np.ndarray],
    printed: pd.DataFrame,
    lower: bool,
    draws: int,
    rng: np.random.Generator,
) -> pd.DataFrame:
    """Return the average ranks of methods, and the range that repeated runs give them.

    Parameters
    ----------
    values : dict of (str, str) to ndarray of float64
        Our scores by data set and method: a single one, or those of a sample of runs.
    printed : DataFrame
        Printed scores: data sets in rows, methods in columns. Those of `values` are replaced.
    lower
        As in `average_ranks`.
    draws : int
        Times that every sample is replaced by a mean of `PRINTED_RUNS` of its runs.
    rng : Generator
        Draws the runs.

    Returns
    -------
    DataFrame
        ``rank`` with the means over all runs; ``low`` and ``high``, the range of 95 % of the ranks
        with means of as many runs as the paper has. Scores are rounded like printed ones.
    """
    scores = np.repeat(printed.to_numpy(float)[None], draws + 1, axis=0)
    for (dataset, method), runs in values.items():
        place = (slice(None), printed.index.get_loc(dataset), printed.columns.get_loc(method))
        chosen = rng.integers(len(runs), size=(draws, PRINTED_RUNS))
        means = runs[chosen].mean(axis=1) if len(runs) > 1 else np.full(draws, runs[0])
        scores[place] = np.append(runs.mean(), means)
    ranks = _average_ranks(scores.round(4), lower)
    low, high = np.quantile(ranks[1:], [0.025, 0.975], axis=0)
    return pd.DataFrame({"rank": ranks[0], "low": low, "high": high}, index=printed.columns)


def average_ranks(scores: pd.DataFrame, lower: bool) -> pd.Series:
    """Return the average ranks of methods (columns) over data sets (rows).

    The lowest score has rank 1 if `lower`, otherwise the highest. Ties share their ranks; methods
    without a score share the last ranks.
    """
    return pd.Series(_average_ranks(scores.to_numpy(float), lower), index=scores.columns)


def _average_ranks(scores: np.ndarray, lower: bool) -> np.ndarray:
    """Return average ranks, shape (..., m), of scores of shape (..., n, m)."""
    worse = scores if lower else -scores
    return rankdata(np.where(np.isnan(scores), np.inf, worse), axis=-1).mean(axis=-2)


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
