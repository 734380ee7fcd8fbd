"""CDC-DR: values embedded by the spectrum of their co-occurrence graph."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from couplings._checks import check_clusters
from couplings.counts import CooccurrenceCounts
from couplings.errors import MeasureError
from couplings.measures.cde import compact_coordinates, of_observed, spread
from couplings.measures.encodings import ValueEmbedding

_LEAST_LENGTH = 1e-10
# Eigenvalues lie in [0, 1]; a difference up to this counts as a tie.
_EQUAL = 1e-10


@dataclass(eq=False, repr=False)
class CDCDR(ValueEmbedding):
    """Value embedding of CDC-DR: an object concatenates the embeddings of its values.

    The similarity of values x and y is the cosine of their 0-1 columns,
    ``S_xy = N_xy / sqrt(f_x f_y)``. With the degrees ``d = S 1`` and
    ``T_xy = S_xy / sqrt(d_x d_y)``, the vector of a value is its row in the eigenvectors of the k
    largest eigenvalues of T, including the first, divided by (its length + 1e-10). This is the
    variant of the published scores: spectral, concatenated, with as many dimensions as clusters.
    The authors cluster the objects by k-means with plain k-means++ starts, see `KMeans`.

    Parameters
    ----------
    n_components : int, default 2
        k; the authors set it to the number of clusters.
    ties : {"include", "refuse"}, default "include"
        If eigenvalues k and k + 1 are equal, their eigenvectors can be rotated freely and the
        embedding in k dimensions is undefined. "include" keeps all eigenvectors of that
        eigenvalue; it is not in the paper. "refuse" raises an error.
    missing, unknown
        As in `ValueMeasure`.

    Attributes
    ----------
    eigenvalues_ : ndarray of float64, shape (L',)
        In decreasing order; L' is the number of values that occur.
    value_embedding_ : ndarray of float64, shape (L, r)
        Embedded values, with r at least k; rows of values that never occur are NaN. Signs, and
        rotations within equal eigenvalues, are arbitrary.
    value_coordinates_ : ndarray of float64, shape (L, q)
        Coordinates of the values whose sums have the distances of the objects.
    value_matrices_, space_, n_features_in_
        As for every `Encoding`; values are at most 2 apart.

    References
    ----------
    Bai and Liang, Pattern Recognition (2022) (CDC-DR, "SC" and "Joint").

    Examples
    --------
    >>> from couplings.measures import CDCDR
    >>> rows = [["step", "wide", "hub"], ["step", "wide", "rim"], ["sport", "slim", "rim"]]
    >>> CDCDR().fit(rows).pairwise(rows).round(2)
    array([[0.  , 1.23, 2.39],
           [1.23, 0.  , 2.04],
           [2.39, 2.04, 0.  ]])
    """

    n_components: int = 2
    ties: Literal["include", "refuse"] = "include"

    def _vectors(self, counts: CooccurrenceCounts) -> np.ndarray:
        counts, seen = of_observed(counts)
        k = self.n_components
        check_clusters("CDCDR", k, int(seen.sum()), "n_components", "values that occur")
        root = np.sqrt(counts.marginals)
        similarity = counts.matrix / np.outer(root, root)
        scale = np.sqrt(similarity.sum(axis=1))
        values, vectors = np.linalg.eigh(similarity / np.outer(scale, scale))
        values, vectors = values[::-1], vectors[:, ::-1]
        last = int(np.count_nonzero(values >= values[k - 1] - _EQUAL))
        if last > k and self.ties == "refuse":
            raise MeasureError(
                f"CDCDR: eigenvalues {k} and {k + 1} are both {values[k]:.6g}, so an embedding in "
                f"{k} dimensions is not defined; use ties='include', or another n_components"
            )
        embedding = vectors[:, : max(last, k)]
        length = np.linalg.norm(embedding, axis=1, keepdims=True)
        embedding = embedding / (length + _LEAST_LENGTH)
        self.eigenvalues_ = values
        self.value_embedding_ = spread(embedding, seen, np.nan)
        return spread(compact_coordinates(embedding, counts.offsets), seen, np.nan)
