"""Base classes of the clusterings of tables without a measure: LIMBO, CLIMBO and ROCK."""

import math
from abc import abstractmethod
from typing import Any, Self, get_args

import numpy as np

from couplings._checks import check_choice, check_clusters, limited
from couplings._domains import Extras, Unseen, learn_domains
from couplings.cluster._base import Clustering, warn_of_clusters
from couplings.cluster.joint_counts import JointCounts
from couplings.errors import CouplingsError
from couplings.table import CategoricalTable


class TableClustering(Clustering):
    """Base class of clusterings that read labels directly."""

    missing: str
    unknown: str

    def _read(self, X: Any) -> CategoricalTable:
        """Return the objects of `fit`, with missing cells as a value if requested."""
        owner = type(self).__name__
        check_choice(owner, "missing", self.missing, ("raise", "value"))
        check_choice(owner, "unknown", self.unknown, get_args(Unseen))
        table, self._domains = learn_domains(X, owner, self.missing, choices=("value",))
        self._remember_features(self._domains.names, table.n_attributes)
        return table

    def _codes(self, X: Any) -> np.ndarray:
        """Return the codes of new objects, int32 of shape (n, m), with -1 for unseen values."""
        self._require_fit()
        extras = Extras.of(self.n_features_in_)
        codes = self._domains.encode(X, type(self).__name__, self.missing, self.unknown, extras)
        return np.where(codes < np.diff(self._domains.offsets), codes, -1)


class ItemClustering(TableClustering):
    """Base class of LIMBO and CLIMBO: merge summaries of objects, then assign each object.

    Attributes
    ----------
    labels_ : ndarray of int64, shape (n,)
        Representative of each object.
    representatives_ : ndarray of float64, shape ``(n_clusters_, L)``
        Distribution of each cluster of summaries over the values of all attributes; rows sum to 1.
    priors_ : ndarray of float64, shape ``(n_clusters_,)``
        Share of the objects in each cluster of summaries.
    n_clusters_ : int
        Number of representatives.
    """

    n_clusters: int

    @limited
    def fit(self, X: Any, y: object = None) -> Self:
        """Cluster objects.

        Parameters
        ----------
        X : CategoricalTable, data frame or array_like, shape (n, m)
            Labels in any form that `CategoricalTable.from_any` reads.
        y : object, ignored

        Raises
        ------
        MissingValuesError
            If cells are missing and `missing` is "raise".
        CouplingsError
            If a parameter is out of range, or the table is too large for integer arithmetic.
        """
        table = self._read(X)
        check_clusters(type(self).__name__, self.n_clusters, table.n_objects)
        items = JointCounts.from_table(table)
        leaves = self._leaves(table, items)
        labels = self._merge(leaves, min(self.n_clusters, leaves.n_items), table.n_attributes)
        self._representatives = leaves.pooled(labels)
        self.n_clusters_ = self._representatives.n_items
        self.representatives_ = self._representatives.q
        self.priors_ = self._representatives.p
        self.labels_ = self._assign(items)
        warn_of_clusters(self._owner, self.labels_, self.n_clusters)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Return the representative of each object, int64 of shape (n,).

        Parameters
        ----------
        X : CategoricalTable, data frame or array_like
            Objects (at least one) with the attributes of `fit`; each has weight 1. An object
            without a value seen in `fit` joins the largest cluster. Errors are those of
            `KModes.predict`.
        """
        codes = self._codes(X)
        known = codes >= 0
        filled: np.ndarray = np.any(known, axis=1)
        labels = np.full(len(filled), int(np.argmax(self.priors_)), dtype=np.int64)
        if filled.any():
            offsets = self._domains.offsets
            counts = np.zeros((int(filled.sum()), int(offsets[-1])), dtype=np.int64)
            rows, columns = np.nonzero(known[filled])
            counts[rows, codes[filled][rows, columns] + offsets[columns]] = 1
            labels[filled] = self._assign(JointCounts.from_array(counts))
        return labels

    def _leaves(self, table: CategoricalTable, items: JointCounts) -> JointCounts:
        """Return the summaries of the objects, by default one per distinct object."""
        distinct, weights, _ = table.distinct()
        return JointCounts.from_table(distinct, weights)

    @abstractmethod
    def _merge(self, leaves: JointCounts, n_clusters: int, n_attributes: int) -> np.ndarray:
        """Return the cluster of each summary."""

    @abstractmethod
    def _assign(self, items: JointCounts) -> np.ndarray:
        """Return the representative of each item."""


def fitting_unit(items: JointCounts, representatives: JointCounts) -> int:
    """Return a common unit of masses; raise `CouplingsError` if the values differ in number."""
    if items.n_values != representatives.n_values:
        raise CouplingsError(
            f"items have {items.n_values} values, representatives {representatives.n_values}; "
            "build both over the same values"
        )
    return math.gcd(items.unit, representatives.unit)
