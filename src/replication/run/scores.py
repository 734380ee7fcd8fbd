"""Scores of a partition against known classes, by name: the one list for all papers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np

from couplings.metrics import external
from replication.errors import UserError

MATCHED = ("precision", "recall", "specificity")


def matched_scores(table: np.ndarray) -> dict[str, float]:
    """Precision, recall and specificity of classes and the clusters that are matched with them.

    Parameters
    ----------
    table : ndarray of int, shape (k, c)
        Objects of every cluster (rows) in every class (columns).

    Returns
    -------
    dict of str to float
        Means over the classes, weighted by their size, and plain ones (``macro_``). A class
        without a cluster has precision and recall 0 and specificity 1.
    """
    from scipy.optimize import linear_sum_assignment

    sizes, clusters, n = table.sum(axis=0), table.sum(axis=1), int(table.sum())
    scores = {"precision": np.zeros(len(sizes)), "recall": np.zeros(len(sizes))}
    scores["specificity"] = np.ones(len(sizes))
    for row, column in zip(*linear_sum_assignment(table, maximize=True), strict=True):
        hits = int(table[row, column])
        scores["precision"][column] = hits / clusters[row]
        scores["recall"][column] = hits / sizes[column]
        others = n - int(sizes[column])
        false = int(clusters[row]) - hits
        scores["specificity"][column] = (others - false) / others if others else 1.0
    weights = sizes / n
    return {
        **{name: float((values * weights).sum()) for name, values in scores.items()},
        **{f"macro_{name}": float(values.mean()) for name, values in scores.items()},
    }


def _largest(table: np.ndarray) -> float:
    return float(table.sum(axis=1).max() / table.sum())


_EXTERNAL: dict[str, Callable[[np.ndarray], float]] = {
    "purity": external.purity,
    "inverse_purity": external.inverse_purity,
    "accuracy": external.accuracy,
    "mutual_information": external.mutual_information,
    "nmi_sqrt": partial(external.nmi, average="sqrt"),
    "nmi_arithmetic": partial(external.nmi, average="arithmetic"),
    "nmi_max": partial(external.nmi, average="max"),
    "nmi_min": partial(external.nmi, average="min"),
    "ari": external.adjusted_rand,
    "macro_f1": external.macro_f1,
    "pairwise_f": external.pairwise_f,
    "best_match_f": external.best_match_f,
}
_ALONE = {**_EXTERNAL, "largest": _largest}
_TOGETHER = (*MATCHED, *(f"macro_{name}" for name in MATCHED))
EXTERNAL = tuple(_EXTERNAL)
"""Names of the scores of `couplings.metrics.external`."""
SCORES = (*_ALONE, *_TOGETHER)
"""Names of scores; ``largest`` is the share of the largest cluster."""


def score(
    classes: np.ndarray, labels: np.ndarray, names: Sequence[str] | Mapping[str, str]
) -> dict[str, float]:
    """Scores of one partition.

    Parameters
    ----------
    classes, labels : ndarray of int, shape (n,)
        Class and cluster of each object.
    names : sequence of str, or mapping of str to str
        Of `SCORES`; or what each score is called in the result, and its name.

    Returns
    -------
    dict of str to float

    Raises
    ------
    UserError
        If there is no such score.
    """
    wanted = names if isinstance(names, Mapping) else {name: name for name in names}
    if unknown := [name for name in wanted.values() if name not in SCORES]:
        raise UserError(f"no score {unknown[0]!r}; scores are {', '.join(SCORES)}")
    table = external.contingency(classes, labels)
    matched = matched_scores(table) if any(name in _TOGETHER for name in wanted.values()) else {}
    return {
        column: matched[name] if name in matched else float(_ALONE[name](table))
        for column, name in wanted.items()
    }
