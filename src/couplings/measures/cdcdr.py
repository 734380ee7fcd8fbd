"""CDC-DR: values embedded by the spectrum of their graph of co-occurrence."""

from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from couplings._params import check_choice
from couplings.counts import CooccurrenceCounts
from couplings.errors import MeasureError
from couplings.measures.cde import compact_coordinates
from couplings.measures.encodings import Encoding, Objects

_LEAST_LENGTH = 1e-10


class CDCDR(Encoding):
    """Value embedding of CDC-DR: an object is the concatenation of its embedded values.

    Values x, y are as similar as the cosine of their 0-1 columns, ``S_xy = N_xy / sqrt(f_x f_y)``.
    With the degrees ``d = S 1`` and ``T_xy = S_xy / sqrt(d_x d_y)``, a value is its row in the
    eigenvectors of the k largest eigenvalues of T, the first included, divided by (its length +
    1e-10).

    Parameters
    ----------
    n_components : int, default 2
        k, which the authors set to the number of clusters.
    ties : {"refuse", "include"}, default "refuse"
        If eigenvalue k + 1 equals eigenvalue k, any rotation of their vectors is as good, and the
        embedding is not defined. "refuse" raises an error. "include", which is ours, takes all
        vectors of that eigenvalue.
    tolerance : float, default 1e-10
        Eigenvalues, which are in [0, 1], that differ by at most this are equal.
    missing, unknown
        As in `ValueMeasure`.

    Attributes
    ----------
    eigenvalues_ : ndarray of float64, shape (L',)
        Decreasing; L' is the number of values that occur.
    value_embedding_ : ndarray of float64, shape (L, r)
        The embedded values, r at least k; rows of values that never occur are NaN. Signs, and
        rotations within equal eigenvalues, are arbitrary.
    value_coordinates_ : ndarray of float64, shape (L, q)
        The same as coordinates whose sums over values have the distances of objects.
    value_matrices_, space_, n_features_in_
        As for every `Encoding`; values are at most 2 apart.

    Notes
    -----
    The variant whose scores are published: spectral, side by side, as many dimensions as clusters.
    Its authors cluster the objects by k-means from plain k-means++ starts, see `KMeans`.

    References
    ----------
    Bai and Liang, Pattern Recognition (2022) (CDC-DR, "SC" and "Joint").

    Examples
    --------
    >>> from couplings import CDCDR
    >>> rows = [["step", "wide", "hub"], ["step", "wide", "rim"], ["sport", "slim", "rim"]]
    >>> CDCDR().fit(rows).pairwise(rows).round(2)
    array([[0.  , 1.23, 2.39],
           [1.23, 0.  , 2.04],
           [2.39, 2.04, 0.  ]])
    """

    def __init__(
        self,
        n_components: int = 2,
        ties: str = "refuse",
        tolerance: float = 1e-10,
        *,
        missing: str = "raise",
        unknown: str = "raise",
    ) -> None:
        super().__init__(missing=missing, unknown=unknown)
        self.n_components = n_components
        self.ties = ties
        self.tolerance = tolerance

    def _vectors(self, counts: CooccurrenceCounts) -> np.ndarray:
        check_choice("CDCDR", "ties", self.ties, ("refuse", "include"))
        if not self.tolerance >= 0:
            raise MeasureError(f"CDCDR: tolerance={self.tolerance!r} is not a number of at least 0")
        seen = counts.marginals > 0
        k, n_seen = self.n_components, int(seen.sum())
        if not isinstance(k, int | np.integer) or not 1 <= k <= n_seen:
            raise MeasureError(
                f"CDCDR: n_components={k!r} is not an integer from 1 to the {n_seen} values that "
                "occur"
            )
        matrix = counts.matrix[np.ix_(seen, seen)]
        root = np.sqrt(matrix.diagonal())
        similarity = matrix / np.outer(root, root)
        scale = np.sqrt(similarity.sum(axis=1))
        values, vectors = np.linalg.eigh(similarity / np.outer(scale, scale))
        values, vectors = values[::-1], vectors[:, ::-1]
        last = int(np.count_nonzero(values >= values[k - 1] - self.tolerance))
        if last > k and self.ties == "refuse":
            raise MeasureError(
                f"CDCDR: eigenvalues {k} and {k + 1} are both {values[k]:.6g}, so an embedding in "
                f"{k} dimensions is not defined; use ties='include', or another n_components"
            )
        embedding = vectors[:, : max(last, k)]
        length = np.linalg.norm(embedding, axis=1, keepdims=True)
        embedding = embedding / (length + _LEAST_LENGTH)
        self.eigenvalues_ = values
        self.value_embedding_ = np.full((len(seen), embedding.shape[1]), np.nan)
        self.value_embedding_[seen] = embedding
        offsets = np.concatenate([[0], np.cumsum(seen)])[counts.offsets]
        compact = compact_coordinates(embedding, offsets)
        coordinates = np.zeros((len(seen), compact.shape[1]))
        coordinates[seen] = compact
        return coordinates

    def transform(self, X: Objects, dtype: DTypeLike = np.float64) -> Any:
        """Embed objects.

        Parameters and errors are those of `Encoding.transform`.

        Returns
        -------
        ndarray of `dtype`, shape (n, m r)
            The embedded values of each object, attribute after attribute; then the columns for
            missing and unseen values, if there are rules for them.
        """
        return self._contained(self._side_by_side(self.value_embedding_, X, dtype), X)

    def _column_names(self, names: list[str]) -> list[str]:
        return [f"{name}_{i}" for name in names for i in range(self.value_embedding_.shape[1])]

    def compact(self, X: Objects) -> np.ndarray:
        """Embed objects in few columns, with the distances that `transform` gives.

        Parameters and errors are those of `Encoding.transform`.

        Returns
        -------
        ndarray of float64, shape (n, q), q at most L - m
        """
        return self._summed(X)
