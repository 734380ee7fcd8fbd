"""Random samples of a large table, and clusterings of a sample that other objects join."""

from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike

from couplings._kernels import modes
from couplings.errors import CouplingsError
from couplings.large.data import BatchClustering, PartitionedTable, Place, Work
from couplings.large.kmodes import Nearest, value_matrices_of
from couplings.measures.base import ValueMeasure
from couplings.spaces import Plain
from couplings.table import CategoricalTable

# Bytes of distances to the sample that are held at a time.
_BLOCK = 64 * 1024 * 1024


Drawn = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Random keys, positions and codes of objects."""


@dataclass(frozen=True, eq=False)
class _Draw:
    """Work of a pass: the objects with the smallest random keys, of seed and position alone."""

    size: int
    seed: int

    def __call__(self, table: CategoricalTable, place: Place) -> Drawn:
        """Return keys, positions (part and row) and codes of at most `size` objects."""
        part, first = place
        rows = np.arange(first, first + table.n_objects, dtype=np.uint64)
        keys = _scrambled(rows + _scrambled(np.uint64(part) + _scrambled(np.uint64(self.seed))))
        places = np.column_stack([np.full(len(rows), part), rows.astype(np.int64)])
        return self._smallest(keys, places, np.asarray(table.codes))

    def combine(self, one: Drawn, other: Drawn) -> Drawn:
        return self._smallest(*map(np.concatenate, zip(one, other, strict=True)))

    def _smallest(self, keys: np.ndarray, places: np.ndarray, codes: np.ndarray) -> Drawn:
        if len(keys) > self.size:
            kept = np.argpartition(keys, self.size - 1)[: self.size]
            keys, places, codes = keys[kept], places[kept], codes[kept]
        return keys, places, codes


def _scrambled(numbers: ArrayLike) -> np.ndarray:
    """Return pseudo-random 64-bit numbers (the finaliser of SplitMix64)."""
    with np.errstate(over="ignore"):
        z = np.asarray(numbers, dtype=np.uint64) + np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))


def draw(X: PartitionedTable, size: int, seed: int = 0, progress: bool = False) -> CategoricalTable:
    """Draw objects at random without replacement in one pass.

    Parameters
    ----------
    X : PartitionedTable
        n objects.
    size : int
        Requested number of objects, at most all.
    seed : int, default 0
        Seed of the draw.
    progress : bool, default False
        Whether to show a progress bar.

    Returns
    -------
    CategoricalTable
        The drawn objects, in the order of the table.
    """
    work = _Draw(size, seed)
    _, places, codes = X.reduce(work, work.combine, progress, "sampling")
    order = np.lexsort((places[:, 1], places[:, 0]))
    return X.table_of(codes[order])


@dataclass(frozen=True, eq=False)
class _NearestMean(Nearest):
    """Work of the last pass: the cluster with the smallest mean dissimilarity to each object."""

    names: np.ndarray

    def __call__(self, table: CategoricalTable, place: Place) -> np.ndarray:
        return self.names[self.nearest(table)[0]]


def _of_nearest_object(
    space: Plain,
    sample: CategoricalTable,
    labels: np.ndarray,
    table: CategoricalTable,
    place: Place,
) -> np.ndarray:
    """Work of the last pass: the cluster of the nearest object of the sample."""
    step = max(1, _BLOCK // (4 * sample.n_objects))
    nearest = [
        space.between(table.take(slice(i, i + step)), sample, dtype=np.float32).argmin(axis=1)
        for i in range(0, table.n_objects, step)
    ]
    return labels[np.concatenate(nearest)]


@dataclass(eq=False, repr=False)
class SampleAndAssign(BatchClustering):
    """Clusters a random sample with an algorithm that needs all pairs, then assigns the others.

    It makes Ward's method, ROCK or density peaks feasible for tables with too many pairs. The
    result is approximate: clusters too small to be in the sample are lost.

    Parameters
    ----------
    algorithm : object
        Has ``fit_predict`` and takes condensed dissimilarities, like `Ward`.
    measure : fitted measure
        Dissimilarity of the objects, fitted on the counts of the whole table.
    sample : int, default 10000
        Number of objects in the sample. Condensed dissimilarities take ``4 sample^2`` bytes.
    assign : {"mean", "nearest"}, default "mean"
        "mean": an object joins the cluster with the smallest mean dissimilarity to it, which takes
        as long as one pass of k-modes but needs dissimilarities that add up over the attributes
        (link "sum"). "nearest": it joins the cluster of the nearest object of the sample, which
        takes one dissimilarity per object of the sample.
    on_table : bool, default False
        Whether the algorithm takes the table of the sample instead of dissimilarities (`Rock`).
    random_state : int, default 0
        Seed of the sample.
    progress : bool, default False
        Whether to show progress bars.

    Attributes
    ----------
    sample_ : CategoricalTable
        The sample.
    sample_labels_ : ndarray of int64, shape (sample,)
        Labels from the algorithm; negative ones (outliers) attract no object.

    References
    ----------
    Guha, Rastogi and Shim, Information Systems 25 (2000), section 4.4, also label data on disk
    from a sample.
    """

    _sign_of_fit = "_work"

    algorithm: Any
    measure: ValueMeasure
    sample: int = 10_000
    assign: Literal["mean", "nearest"] = "mean"
    on_table: bool = False
    random_state: int = 0
    progress: bool = False

    def fit(self, X: PartitionedTable) -> Self:
        """Cluster a sample of the objects of `X`.

        Raises
        ------
        CouplingsError
            If an option is out of range, if the measure does not match `X` or does not add up, or
            if the pairs of the sample do not fit into memory.
        """
        self._check_choices()
        if not isinstance(self.sample, int | np.integer) or self.sample < 2:
            raise CouplingsError(
                f"SampleAndAssign: sample={self.sample!r} must be an integer above 1"
            )
        values = value_matrices_of(self.measure)
        space = self.measure.space_
        if self.assign == "mean" and space.link != "sum":
            raise CouplingsError(
                f"SampleAndAssign: the dissimilarities of {type(self.measure).__name__} do not add "
                "up over the attributes, so means cost as much as all pairs; use assign='nearest'"
            )
        self.sample_ = draw(X, self.sample, self.random_state, self.progress)
        data = self.sample_ if self.on_table else space.condensed(self.sample_)
        self.sample_labels_ = np.asarray(self.algorithm.fit_predict(data))
        inside = self.sample_labels_ >= 0
        named = np.unique(self.sample_labels_[inside])
        if not len(named):
            raise CouplingsError(
                "SampleAndAssign: the whole sample consists of outliers; draw a larger one"
            )
        self._encoder = X.encoder()
        self._work: Work[np.ndarray]
        if self.assign == "nearest":
            members = self.sample_.take(inside)
            labels = self.sample_labels_[inside]
            self._work = partial(_of_nearest_object, space, members, labels)
            return self
        offsets = values.offsets
        spread = np.zeros((int(offsets[-1]), modes.width(len(named))))
        for c, name in enumerate(named):
            members = self.sample_.codes[self.sample_labels_ == name]
            for j in range(values.n_attributes):
                shares = np.bincount(members[:, j], minlength=int(values.n_values[j]))
                block = space.matrices.block(j)
                spread[offsets[j] : offsets[j + 1], c] = block @ shares / len(members)
        self._work = _NearestMean(spread, offsets, len(named), named)
        return self

    def _assignment(self) -> Work[np.ndarray]:
        return self._work
