"""Rows with the counts, sizes and modes of clusters of them."""

import numpy as np

from couplings.learned.clustering import Rows
from replication.papers.study.rivals import kernels


class CountedRows(Rows):
    """Rows of a table, which know how often each value occurs in each cluster."""

    def counts(self, labels: np.ndarray, n_clusters: int) -> np.ndarray:
        """Return how often each value occurs in each cluster, int64 of shape (L, k)."""
        return kernels.count_values(self.values, self.weights, labels, n_clusters, self.n_values)

    def sizes(self, counts: np.ndarray) -> np.ndarray:
        """Return the number of objects of each cluster, int64 of shape (k,)."""
        return counts[: self.offsets[1]].sum(axis=0)

    def modes(self, counts: np.ndarray, previous: np.ndarray) -> np.ndarray:
        """Return the most frequent values of each cluster, int64 of shape (k, m).

        Ties go to the lowest code; a cluster without objects keeps its `previous` mode.
        """
        modes = np.column_stack(
            [
                first + counts[first:last].argmax(axis=0)
                for first, last in zip(self.offsets[:-1], self.offsets[1:], strict=True)
            ]
        )
        return np.where(self.sizes(counts)[:, None] > 0, modes, previous)
