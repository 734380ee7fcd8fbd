"""Score a partition against known classes, by names that all papers share."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np

from couplings.metrics import external
from replication.errors import UserError

MATCHED = ("precision", "recall", "specificity")


def matched_scores(table: np.ndarray) -> dict[str, float]:
    """Return precision, recall and specificity of classes and their matched clusters.

    Means over the classes (columns of a contingency table, its rows being the clusters), weighted
    by their size. A class without a cluster has precision and recall 0 and specificity 1.
    """
    from scipy.optimize import linear_sum_assignment

    rows, columns = linear_sum_assignment(table, maximize=True)
    sizes, n = table.sum(axis=0), table.sum()
    hits, found = np.zeros_like(sizes), np.zeros_like(sizes)
    hits[columns], found[columns] = table[rows, columns], table.sum(axis=1)[rows]
    true, others, weights = n - sizes - found + hits, n - sizes, sizes / n
    scores = {
        name: np.divide(part, whole, out=np.full(len(sizes), empty), where=whole > 0)
        for name, part, whole, empty in (
            ("precision", hits, found, 0.0),
            ("recall", hits, sizes, 0.0),
            ("specificity", true, others, 1.0),
        )
    }
    return {name: float((values * weights).sum()) for name, values in scores.items()}


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
_ALONE = {**_EXTERNAL, "largest": lambda table: table.sum(axis=1).max() / table.sum()}
EXTERNAL = tuple(_EXTERNAL)
"""Names of the scores of `couplings.metrics.external`."""
SCORES = (*_ALONE, *MATCHED)
"""Names of scores; ``largest`` is the share of the largest cluster."""


def score(
    classes: np.ndarray, labels: np.ndarray, names: Sequence[str] | Mapping[str, str]
) -> dict[str, float]:
    """Return the scores of one partition, from the class and cluster of each object.

    `names` are names of `SCORES`, or a mapping from the name in the result to one of them.

    Raises `UserError` if a score does not exist.
    """
    wanted = names if isinstance(names, Mapping) else {name: name for name in names}
    if unknown := [name for name in wanted.values() if name not in SCORES]:
        raise UserError(f"no score {unknown[0]!r}; scores are {', '.join(SCORES)}")
    table = external.contingency(classes, labels)
    matched = matched_scores(table) if any(name in MATCHED for name in wanted.values()) else {}
    return {
        column: matched[name] if name in matched else float(_ALONE[name](table))
        for column, name in wanted.items()
    }
