"""External scores: how well clusters agree with known classes.

Every score takes two label vectors of any hashable type, or instead a contingency table with
clusters in rows and classes in columns; `contingency` computes one from weighted objects.
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from couplings._checks import (
    check_choice,
    check_labels,
    check_weights,
    coded,
    is_whole,
    label_array,
)
from couplings.errors import CouplingsError

_AVERAGES = ("sqrt", "arithmetic", "max", "min")


def contingency(
    labels_true: ArrayLike, labels_pred: ArrayLike, sample_weight: ArrayLike | None = None
) -> np.ndarray:
    """Count the objects of every cluster in every class.

    Parameters
    ----------
    labels_true, labels_pred : array_like, shape (n,)
        Class and cluster of each object.
    sample_weight : array_like of float, shape (n,), optional
        Number of objects that each row represents, at least 0.

    Returns
    -------
    ndarray of int64 (float64 if weights are fractions), shape (k, c)
        Clusters in rows, classes in columns, both in sorted order of their labels.

    Raises
    ------
    CouplingsError
        If the vectors differ in length, if labels are missing (NaN, None), or if labels of one
        vector cannot be distinguished or ordered, such as 1 and "1".
    """
    true, pred = label_array(labels_true), label_array(labels_pred)
    if true.ndim != 1 or true.shape != pred.shape:
        raise CouplingsError(
            "labels_true and labels_pred must be vectors of one length; "
            f"they have shapes {true.shape} and {pred.shape}"
        )
    for name, labels in (("labels_true", true), ("labels_pred", pred)):
        check_labels(name, labels)
    classes, columns = coded(true)
    clusters, rows = coded(pred)
    shape = (len(clusters), len(classes))
    weights = check_weights("contingency", sample_weight, len(true))
    counts = np.bincount(rows * shape[1] + columns, weights, shape[0] * shape[1])
    return counts.reshape(shape).astype(weights.dtype)


def purity(table_or_labels: ArrayLike, labels_pred: ArrayLike | None = None) -> float:
    """Return the share of objects in the largest class of their cluster, in (0, 1].

    DILCA, TKDD 2012, eq. 5.
    """
    table = _table(table_or_labels, labels_pred)
    return table.max(axis=1).sum().item() / table.sum().item()


def inverse_purity(table_or_labels: ArrayLike, labels_pred: ArrayLike | None = None) -> float:
    """Return the share of objects in the largest cluster of their class, in (0, 1]."""
    table = _table(table_or_labels, labels_pred)
    return table.max(axis=0).sum().item() / table.sum().item()


def accuracy(table_or_labels: ArrayLike, labels_pred: ArrayLike | None = None) -> float:
    """Return the share of objects in the best one-to-one matching of clusters and classes."""
    table = _table(table_or_labels, labels_pred)
    rows, columns = _matching(table)
    return table[rows, columns].sum().item() / table.sum().item()


def mutual_information(table_or_labels: ArrayLike, labels_pred: ArrayLike | None = None) -> float:
    """Return the mutual information of clusters and classes in nats, at least 0.

    0 if there are no objects.
    """
    table = _table(table_or_labels, labels_pred, least=0)
    if not table.size:
        return 0.0
    n = table.sum().item()
    expected = table.sum(axis=1, keepdims=True).astype(float) * table.sum(axis=0)
    present = table > 0
    ratio = table[present] * float(n) / expected[present]
    return max(0.0, float((table[present] * np.log(ratio)).sum()) / n)


def nmi(
    table_or_labels: ArrayLike, labels_pred: ArrayLike | None = None, *, average: str = "sqrt"
) -> float:
    """Return the normalised mutual information, in [0, 1].

    Parameters
    ----------
    table_or_labels, labels_pred
        Contingency table, or the classes and the clusters of the objects.
    average : {"sqrt", "arithmetic", "max", "min"}, default "sqrt"
        Normaliser of the mutual information: the geometric or arithmetic mean, the larger or the
        smaller of the two entropies.

    Returns
    -------
    float
        1 if both partitions are trivial or there are no objects; 0 if only one is trivial.

    References
    ----------
    DILCA, TKDD 2012, eq. 6, uses "sqrt".
    """
    check_choice("nmi", "average", average, _AVERAGES)
    table = _table(table_or_labels, labels_pred, least=0)
    n = table.sum().item()
    h_clusters, h_classes = _entropy(table.sum(axis=1), n), _entropy(table.sum(axis=0), n)
    if h_clusters == 0 or h_classes == 0:
        return 1.0 if h_clusters == h_classes else 0.0
    divisor = {
        "sqrt": np.sqrt(h_clusters * h_classes),
        "arithmetic": (h_clusters + h_classes) / 2,
        "max": max(h_clusters, h_classes),
        "min": min(h_clusters, h_classes),
    }[average]
    return min(1.0, float(mutual_information(table) / divisor))


def adjusted_rand(table_or_labels: ArrayLike, labels_pred: ArrayLike | None = None) -> float:
    """Return the Rand index adjusted for chance, at most 1 (1 if both are trivial and equal).

    1 if there are no objects. DILCA, TKDD 2012, eq. 7 (Hubert and Arabie).
    """
    both, clusters, classes, pairs = _pairs(_table(table_or_labels, labels_pred, least=0))
    # In integers, to avoid cancellation: (both - expected) / (mean - expected).
    numerator = 2 * (both * pairs - clusters * classes)
    denominator = (clusters + classes) * pairs - 2 * clusters * classes
    return numerator / denominator if denominator else 1.0


def macro_f1(table_or_labels: ArrayLike, labels_pred: ArrayLike | None = None) -> float:
    """Return the mean over the classes of F1 with the matched cluster, in [0, 1].

    The one-to-one matching of clusters and classes is one with the most objects in common, as for
    `accuracy`; of several such matchings, the one with the largest mean counts. A class without
    a cluster scores 0.
    """
    table = _table(table_or_labels, labels_pred)
    f1 = 2 * table / (table.sum(axis=1, keepdims=True) + table.sum(axis=0))
    rows, columns = _matching(table, f1)
    return math.fsum(f1[rows, columns]) / table.shape[1]


def pairwise_f(table_or_labels: ArrayLike, labels_pred: ArrayLike | None = None) -> float:
    """Return F1 of the pairs of objects in one cluster against those in one class, in [0, 1].

    1 if neither partition has such a pair.
    """
    both, clusters, classes, _ = _pairs(_table(table_or_labels, labels_pred))
    return 2 * both / (clusters + classes) if clusters + classes else 1.0


def best_match_f(table_or_labels: ArrayLike, labels_pred: ArrayLike | None = None) -> float:
    """Return the mean, weighted by class size, of the best F1 of each class, in [0, 1]."""
    table = _table(table_or_labels, labels_pred)
    classes = table.sum(axis=0)
    scores = 2 * table / (table.sum(axis=1, keepdims=True) + classes)
    return float((scores.max(axis=0) * classes).sum() / classes.sum())


def external_scores(
    table_or_labels: ArrayLike, labels_pred: ArrayLike | None = None
) -> dict[str, float]:
    """Return every score of this module by name; NMI once per average, as ``nmi_sqrt`` etc."""
    table = _table(table_or_labels, labels_pred)
    return {
        "purity": purity(table),
        "inverse_purity": inverse_purity(table),
        "accuracy": accuracy(table),
        "mutual_information": mutual_information(table),
        **{f"nmi_{average}": nmi(table, average=average) for average in _AVERAGES},
        "ari": adjusted_rand(table),
        "macro_f1": macro_f1(table),
        "pairwise_f": pairwise_f(table),
        "best_match_f": best_match_f(table),
    }


def _table(table_or_labels: ArrayLike, labels_pred: ArrayLike | None, least: int = 1) -> np.ndarray:
    """Return the contingency table, without empty rows and columns, of at least `least` objects."""
    if labels_pred is not None:
        table = contingency(table_or_labels, labels_pred)
        if table.size < least:
            raise CouplingsError("labels_true and labels_pred are empty; give one object or more")
        return table
    table = np.asarray(table_or_labels)
    numbers = table.ndim == 2 and table.dtype.kind in "iuf"
    if not numbers or not table.sum() > least - 1 or (table < 0).any():
        raise CouplingsError(
            "one argument must be a contingency table: 2-D, numbers of at least 0, not all 0; "
            "for label vectors give both, classes first"
        )
    table = table[table.any(axis=1)][:, table.any(axis=0)]
    return table.astype(np.float64 if table.dtype.kind == "f" else np.int64)


def _matching(table: np.ndarray, second: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Return the matching of rows and columns with the largest total.

    Of several such matchings, return one with the largest total of `second`.
    """
    from scipy.optimize import linear_sum_assignment

    rows, columns = linear_sum_assignment(table, maximize=True)
    if second is None:
        return rows, columns
    # A square table has an optimal price for each column. The matchings with the largest total are
    # the perfect matchings of the cells that lose nothing at these prices.
    size = max(table.shape)
    total = np.zeros((size, size))
    total[: table.shape[0], : table.shape[1]] = table
    _, partner = linear_sum_assignment(total, maximize=True)
    least = size * np.finfo(float).eps * total.sum()
    loss = total[np.arange(size), partner][:, None] - total
    price = np.zeros(size)
    for _ in range(size):
        cheaper = (price + loss).min(axis=1)
        if (price[partner] - cheaper).max() <= least:
            break
        price[partner] = np.minimum(price[partner], cheaper)
    gain = np.full((size, size), -np.inf)
    gain[loss + price - price[partner][:, None] <= least] = 0
    gain[: table.shape[0], : table.shape[1]] += second
    rows, columns = linear_sum_assignment(gain, maximize=True)
    inside = (rows < table.shape[0]) & (columns < table.shape[1])
    return rows[inside], columns[inside]


def _entropy(sizes: np.ndarray, n: float) -> float:
    """Return the entropy of group sizes in nats; exactly 0 for a single group or none."""
    if len(sizes) <= 1:
        return 0.0
    share = sizes / n
    return float(-(share * np.log(share)).sum())


def _pairs(table: np.ndarray) -> tuple[float, float, float, float]:
    """Return twice the pairs of objects in one cell, one cluster, one class, and all.

    Objects of a table of fractions are shares, so they are drawn with replacement (`Weights`).
    """
    drawn = 1 if is_whole(table) else 0
    groups = (table.ravel(), table.sum(axis=1), table.sum(axis=0), table.sum(keepdims=True).ravel())
    # Counting pairs twice changes no ratio and keeps integers.
    both, clusters, classes, pairs = ((sizes * (sizes - drawn)).sum().item() for sizes in groups)
    return both, clusters, classes, pairs
