"""What clusterings of tables share that have no measure: LIMBO, CLIMBO and ROCK."""

from typing import Any

import numpy as np

from couplings._checks import check_choice
from couplings._domains import Extras, learn_domains
from couplings.cluster._base import Clustering
from couplings.cluster.joint_counts import JointCounts
from couplings.table import CategoricalTable


class TableClustering(Clustering):
    """Base of the clusterings that read labels themselves."""

    missing: str
    unknown: str

    def _read(self, X: Any) -> CategoricalTable:
        """Return the objects of a fit, missing cells as a value if asked for."""
        owner = type(self).__name__
        check_choice(owner, "missing", self.missing, ("raise", "value"))
        check_choice(owner, "unknown", self.unknown, ("raise", "mismatch"))
        table, self._domains = learn_domains(X, owner, self.missing)
        names = self._domains.names
        self._remember_features(None if names is None else np.array(names), table.n_attributes)
        return table

    def _codes(self, X: Any) -> np.ndarray:
        """Return the codes of new objects, int32 of shape (n, m), -1 where one is unseen."""
        self._require_fit()
        extras = Extras.of(self.n_features_in_)
        codes = self._domains.encode(X, type(self).__name__, self.missing, self.unknown, extras)
        return np.where(codes < np.diff(self._domains.offsets), codes, -1)

    def _items(self, X: Any) -> tuple[JointCounts, np.ndarray]:
        """Return the new objects with any value of the fit as items, and which these are."""
        codes = self._codes(X)
        known = codes >= 0
        filled: np.ndarray = np.any(known, axis=1)
        offsets = self._domains.offsets
        counts = np.zeros((int(filled.sum()), int(offsets[-1])), dtype=np.int64)
        rows, columns = np.nonzero(known[filled])
        counts[rows, codes[filled][rows, columns] + offsets[columns]] = 1
        if not filled.any():
            counts = np.ones((1, int(offsets[-1])), dtype=np.int64)
        return JointCounts.from_array(counts), filled

    def _spread(self, labels: np.ndarray, filled: np.ndarray, priors: np.ndarray) -> np.ndarray:
        """Return a label for every object; the largest cluster takes those without a value."""
        spread = np.full(len(filled), int(np.argmax(priors)), dtype=np.int64)
        spread[filled] = labels[: filled.sum()]
        return spread
