"""External scores: how well clusters agree with known classes.

Every score takes two label vectors of any hashable type, or instead a contingency table with
clusters in rows and classes in columns; `contingency` computes one from weighted objects.
"""

import math
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from couplings._checks import (
    check_choice,
    check_labels,
    check_memory,
    check_weights,
    coded,
    is_whole,
    label_array,
    unmasked,
)
from couplings.errors import CouplingsError

# Sums of int64, and sums of products of two of them, that cannot overflow.
_MOST_OBJECTS, _MOST_PAIRED = 2.0**63, 1 << 31
# Cells of the largest matrix that is matched: half a GB, minutes.
_LARGEST_MATCHING = 1 << 26
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
    clusters, classes, rows, columns = _coded_labels(labels_true, labels_pred)
    shape = (len(clusters), len(classes))
    weights = check_weights("contingency", sample_weight, len(rows))
    check_memory(
        "contingency",
        8.0 * shape[0] * shape[1],
        f"a table of {shape[0]} x {shape[1]} cells",
        "give both label vectors to the scores, which keep the cells that are not 0",
    )
    counts = np.bincount(rows * shape[1] + columns, weights, shape[0] * shape[1])
    return counts.reshape(shape).astype(weights.dtype)


def _coded_labels(
    labels_true: ArrayLike, labels_pred: ArrayLike
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return clusters and classes, sorted, and the positions of the objects' labels in them."""
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
    return clusters, classes, rows, columns


def purity(table_or_labels: ArrayLike, labels_pred: ArrayLike | None = None) -> float:
    """Return the share of objects in the largest class of their cluster, in (0, 1].

    DILCA, TKDD 2012, eq. 5.
    """
    table = _table(table_or_labels, labels_pred)
    return _largest(table.counts, table.rows, table.shape[0]).sum().item() / table.n_objects


def inverse_purity(table_or_labels: ArrayLike, labels_pred: ArrayLike | None = None) -> float:
    """Return the share of objects in the largest cluster of their class, in (0, 1]."""
    table = _table(table_or_labels, labels_pred)
    return _largest(table.counts, table.columns, table.shape[1]).sum().item() / table.n_objects


def accuracy(table_or_labels: ArrayLike, labels_pred: ArrayLike | None = None) -> float:
    """Return the share of objects in the best one-to-one matching of clusters and classes."""
    table = _table(table_or_labels, labels_pred)
    return table.counts[_matched(table)].sum().item() / table.n_objects


def mutual_information(table_or_labels: ArrayLike, labels_pred: ArrayLike | None = None) -> float:
    """Return the mutual information of clusters and classes in nats, at least 0.

    0 if the label vectors are empty.
    """
    return _mutual_information(_table(table_or_labels, labels_pred, least=0))


def _mutual_information(table: "_Table") -> float:
    if not table.n_objects:
        return 0.0
    n, counts = table.n_objects, table.counts
    expected = table.clusters[table.rows].astype(float) * table.classes[table.columns]
    ratio = counts * float(n) / expected
    return max(0.0, float((counts * np.log(ratio)).sum()) / n)


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
        1 if both partitions are trivial or the label vectors empty; 0 if only one is trivial.

    References
    ----------
    DILCA, TKDD 2012, eq. 6, uses "sqrt".
    """
    check_choice("nmi", "average", average, _AVERAGES)
    table = _table(table_or_labels, labels_pred, least=0)
    n = table.n_objects
    h_clusters, h_classes = _entropy(table.clusters, n), _entropy(table.classes, n)
    if h_clusters == 0 or h_classes == 0:
        return 1.0 if h_clusters == h_classes else 0.0
    divisor = {
        "sqrt": np.sqrt(h_clusters * h_classes),
        "arithmetic": (h_clusters + h_classes) / 2,
        "max": max(h_clusters, h_classes),
        "min": min(h_clusters, h_classes),
    }[average]
    return min(1.0, float(_mutual_information(table) / divisor))


def adjusted_rand(table_or_labels: ArrayLike, labels_pred: ArrayLike | None = None) -> float:
    """Return the Rand index adjusted for chance, at most 1 (1 if both are trivial and equal).

    1 if the label vectors are empty. DILCA, TKDD 2012, eq. 7 (Hubert and Arabie).
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
    f1 = 2 * table.counts / (table.clusters[table.rows] + table.classes[table.columns])
    return math.fsum(f1[_matched(table, f1)]) / table.shape[1]


def pairwise_f(table_or_labels: ArrayLike, labels_pred: ArrayLike | None = None) -> float:
    """Return F1 of the pairs of objects in one cluster against those in one class, in [0, 1].

    1 if neither partition has such a pair.
    """
    both, clusters, classes, _ = _pairs(_table(table_or_labels, labels_pred))
    return 2 * both / (clusters + classes) if clusters + classes else 1.0


def best_match_f(table_or_labels: ArrayLike, labels_pred: ArrayLike | None = None) -> float:
    """Return the mean, weighted by class size, of the best F1 of each class, in [0, 1]."""
    table = _table(table_or_labels, labels_pred)
    f1 = 2 * table.counts / (table.clusters[table.rows] + table.classes[table.columns])
    best = _largest(f1, table.columns, table.shape[1])
    return float((best * table.classes).sum() / table.classes.sum())


def external_scores(
    table_or_labels: ArrayLike, labels_pred: ArrayLike | None = None
) -> dict[str, float]:
    """Return every score of this module by name; NMI once per average, as ``nmi_sqrt`` etc."""
    table: Any = _table(table_or_labels, labels_pred)
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


@dataclass(frozen=True, eq=False)
class _Table:
    """The cells of a contingency table that are not 0, row by row; no row or column is empty.

    `rows`, `columns` and `counts` are those of the cells, `clusters` and `classes` the sums.
    """

    rows: np.ndarray
    columns: np.ndarray
    counts: np.ndarray
    clusters: np.ndarray
    classes: np.ndarray

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.clusters), len(self.classes)

    @property
    def n_objects(self) -> float:
        return self.clusters.sum().item()

    @classmethod
    def of_cells(cls, rows: np.ndarray, columns: np.ndarray, counts: np.ndarray) -> Self:
        """Return the table of cells that are not 0, given row by row."""
        clusters, rows = np.unique(rows, return_inverse=True)
        classes, columns = np.unique(columns, return_inverse=True)
        return cls(
            rows,
            columns,
            counts,
            _summed(counts, rows, len(clusters)),
            _summed(counts, columns, len(classes)),
        )


def _table(table_or_labels: Any, labels_pred: ArrayLike | None, least: int = 1) -> _Table:
    """Return the contingency table of label vectors, of at least `least` objects, or as given."""
    if isinstance(table_or_labels, _Table):
        return table_or_labels
    if labels_pred is not None:
        _, _, rows, columns = _coded_labels(table_or_labels, labels_pred)
        if len(rows) < least:
            raise CouplingsError("labels_true and labels_pred are empty; give one object or more")
        # Most cells of a table of many labels are 0.
        n_columns = int(columns.max(initial=0)) + 1
        cells, counts = np.unique(rows * n_columns + columns, return_counts=True)
        return _Table.of_cells(cells // n_columns, cells % n_columns, counts)
    table = np.asarray(unmasked(table_or_labels, np.nan))
    numbers = table.ndim == 2 and table.dtype.kind in "iuf"
    if not numbers or not np.isfinite(table).all() or not table.any() or (table < 0).any():
        raise CouplingsError(
            "one argument must be a contingency table: 2-D, finite numbers of at least 0, not all "
            "0; for label vectors give both, classes first"
        )
    if table.sum(dtype=np.float64) >= _MOST_OBJECTS:
        raise CouplingsError(
            "a contingency table counts less than 2**63 objects; divide it by a common factor"
        )
    rows, columns = np.nonzero(table)
    counts = table[rows, columns].astype(np.float64 if table.dtype.kind == "f" else np.int64)
    return _Table.of_cells(rows, columns, counts)


def _summed(counts: np.ndarray, groups: np.ndarray, size: int) -> np.ndarray:
    """Return the sums of groups, in the type of the counts."""
    sums = np.zeros(size, dtype=counts.dtype)
    np.add.at(sums, groups, counts)
    return sums


def _largest(values: np.ndarray, groups: np.ndarray, size: int) -> np.ndarray:
    """Return the largest value of each group."""
    largest = np.zeros(size, dtype=values.dtype)
    np.maximum.at(largest, groups, values)
    return largest


def _matched(table: _Table, second: np.ndarray | None = None) -> np.ndarray:
    """Return the indices of the cells of the matching with the largest total.

    Of several such matchings, take one with the largest total of `second`, given per cell.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    # Clusters and classes without a chain of common objects are matched apart.
    n_clusters, n_classes = table.shape
    ends = (table.rows, n_clusters + table.columns)
    size = n_clusters + n_classes
    n_parts, part = connected_components(
        coo_array((np.ones(len(table.rows), dtype=np.int8), ends), (size, size)), directed=False
    )
    order = np.argsort(part[table.rows], kind="stable")
    bounds = np.searchsorted(part[table.rows][order], np.arange(n_parts + 1))
    single = np.diff(bounds) == 1
    found = [order[bounds[:-1][single]]]
    for first, last in zip(bounds[:-1][~single], bounds[1:][~single], strict=True):
        cells = order[first:last]
        clusters, rows = np.unique(table.rows[cells], return_inverse=True)
        classes, columns = np.unique(table.columns[cells], return_inverse=True)
        shape = (len(clusters), len(classes))
        if shape[0] * shape[1] > _LARGEST_MATCHING:
            raise CouplingsError(
                f"the one-to-one matching of {shape[0]} clusters and {shape[1]} classes is too "
                "large; leave out accuracy and macro_f1, or merge rare labels"
            )
        dense = np.zeros(shape)
        dense[rows, columns] = table.counts[cells]
        cell_of = np.full(shape, -1)
        cell_of[rows, columns] = cells
        more = None
        if second is not None:
            more = np.zeros(shape)
            more[rows, columns] = second[cells]
        chosen = cell_of[_matching(dense, more)]
        found.append(chosen[chosen >= 0])
    return np.sort(np.concatenate(found))


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


def _pairs(table: _Table) -> tuple[float, float, float, float]:
    """Return twice the pairs of objects in one cell, one cluster, one class, and all.

    Objects of a table of fractions are shares, so they are drawn with replacement (`is_whole`).
    """
    drawn = 1 if is_whole(table.counts) else 0
    # Python's integers have any size.
    exact = object if table.counts.dtype == np.int64 and table.n_objects > _MOST_PAIRED else None
    both, clusters, classes, pairs = (
        # Counting pairs twice changes no ratio and keeps integers.
        np.sum(sizes * (sizes - drawn), dtype=exact)
        for sizes in (
            np.asarray(group, dtype=exact)
            for group in (table.counts, table.clusters, table.classes, [table.n_objects])
        )
    )
    return _item(both), _item(clusters), _item(classes), _item(pairs)


def _item(number: Any) -> float:
    return number.item() if isinstance(number, np.generic) else number
