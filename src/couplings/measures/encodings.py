"""Encodings: values become vectors; an object is the sum of the vectors of its values."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from couplings._checks import check_number, check_positive, is_integer
from couplings._kernels import lloyd
from couplings._params import distinct_names
from couplings.counts import CooccurrenceCounts
from couplings.embedding import with_further_points
from couplings.errors import MeasureError
from couplings.measures.base import ValueMeasure
from couplings.spaces import farthest
from couplings.table import Objects
from couplings.values import ValueMatrices

# Components below this share of the largest variance are rounding noise.
_NOISE = 1e-12


class Encoding(ValueMeasure):
    """Base class of the encodings; a subclass implements `_vectors`.

    Encodings are both scikit-learn transformers and measures: the Euclidean distance of two objects
    is the root of the summed squared distances of their values.

    Attributes
    ----------
    value_coordinates_ : ndarray of float64, shape (L, q)
        The vector of each value; rows of values that never occur are NaN.
    value_matrices_ : ValueMatrices
        Euclidean distances of the values; 0 for values that never occur.
    space_ : ObjectSpace
        Link "rss".
    n_features_in_, feature_names_in_, categories_
        As in `ValueMeasure`.
    """

    aggregation = "rss"

    def transform(self, X: Objects, dtype: DTypeLike = np.float64) -> Any:
        """Encode objects.

        Errors are those of `pairwise`.

        Parameters
        ----------
        X : CategoricalTable, DataFrame or array_like, shape (n, m)
            Objects, matched by attribute names and value labels; if `fit` took counts, a table of
            the same domains.
        dtype : {float64, float32}, default float64
            Type of the result.

        Returns
        -------
        ndarray of `dtype`, shape (n, q)
            A data frame if `set_output` requests one. With rules for missing or unseen values,
            every attribute has an additional column for them, 0 for all other values.
        """
        return self._contained(self._summed(X).astype(dtype, copy=False), X)

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> np.ndarray:
        """Return the names of the columns of `transform`, which all differ.

        Parameters and errors are those of `ValueMeasure.get_feature_names_out`.
        """
        self._require_fit()
        names = self._input_names(input_features)
        further = [f"{name}_{kind}" for name in names for kind in self._further_names()]
        return distinct_names([*self._column_names(names), *further])

    def _column_names(self, names: list[str]) -> list[str]:
        """Return the column names made from the attribute names."""
        kind = type(self).__name__.lower()
        return [f"{kind}{i}" for i in range(self.value_coordinates_.shape[1])]

    @property
    def embedding_defect_(self) -> float:
        """0, since the vectors are exact."""
        self._require_fit()
        return 0.0

    def _vectors(self, counts: CooccurrenceCounts) -> np.ndarray:
        """Return one row per value; rows of values that never occur may hold anything."""
        raise NotImplementedError

    def _values(self, counts: CooccurrenceCounts) -> ValueMatrices:
        self.value_coordinates_ = np.where(
            counts.marginals[:, None] > 0, self._vectors(counts), np.nan
        )
        return _distances(self.value_coordinates_, counts.offsets)

    def _summed(self, X: Objects) -> np.ndarray:
        """Return the sum of the coordinates of each object's values."""
        values = self._values_of(X)
        coordinates = self._with_further(self.value_coordinates_)
        total = coordinates[values[:, 0]]
        for column in values.T[1:]:
            total += coordinates[column]
        return total

    def _values_of(self, X: Objects) -> np.ndarray:
        """Return the row in `_with_further` of each cell, int64 of shape (n, m)."""
        self._require_fit()
        codes = self._point_codes(X).astype(np.int64)
        offsets = self._domains.offsets
        sizes = np.diff(offsets)
        first = offsets[-1] + len(self._further()) * np.arange(len(sizes))
        return np.where(codes < sizes, codes + offsets[:-1], codes - sizes + first)

    def _with_further(self, coordinates: np.ndarray) -> np.ndarray:
        """Return the coordinates, extended by rows and columns for missing and unseen values."""
        rules = self._further()
        if not rules:
            return coordinates
        m, e = self.n_attributes_, len(rules)
        c = e - rules.count("mean")
        n_values, q = coordinates.shape
        result = np.zeros((n_values + m * e, q + m * c))
        result[:n_values, :q] = coordinates
        shares, blocks = self._domains.all_shares, self.space_.matrices.blocks
        for j, (share, far) in enumerate(zip(shares, farthest(blocks, shares), strict=True)):
            seen = np.flatnonzero(share > 0)
            start = self._domains.offsets[j]
            squares = blocks[j][np.ix_(seen, seen)]
            weights = share[seen] / share[seen].sum()
            points = with_further_points(coordinates[start + seen], squares, weights, rules, far)
            rows = n_values + e * j + np.arange(e)
            result[rows, :q] = points[len(seen) :, :q]
            result[np.ix_(rows, q + c * j + np.arange(c))] = points[len(seen) :, q:]
        return result


class ValueEmbedding(Encoding):
    """Base class of encodings that concatenate the embedded values of an object.

    Attributes
    ----------
    value_embedding_ : ndarray of float64, shape (L, r)
        Embedded values; rows of values that never occur are NaN.
    value_coordinates_ : ndarray of float64, shape (L, q)
        Coordinates of the values whose sums have the distances of the objects.
    """

    value_embedding_: np.ndarray

    def transform(self, X: Objects, dtype: DTypeLike = np.float64) -> Any:
        """Embed objects.

        Parameters and errors are those of `Encoding.transform`.

        Returns
        -------
        ndarray of `dtype`, shape (n, m r)
            Embedded values of each object, attribute after attribute, then the columns for missing
            and unseen values if rules are set for them.
        """
        values = self._values_of(X)
        further = self._with_further(self.value_embedding_)
        r = self.value_embedding_.shape[1]
        rows = further[values, :r].reshape(len(values), -1)
        if self._further():
            rows = np.hstack([rows, further[values, r:].sum(axis=1)])
        return self._contained(rows.astype(dtype, copy=False), X)

    def compact(self, X: Objects) -> np.ndarray:
        """Embed objects in few columns with the same distances as `transform`.

        Parameters and errors are those of `Encoding.transform`.

        Returns
        -------
        ndarray of float64, shape (n, q), q at most L - m
            For k-means, whose result depends on distances only.
        """
        return self._summed(X)

    def _column_names(self, names: list[str]) -> list[str]:
        return [f"{name}_{i}" for name in names for i in range(self.value_embedding_.shape[1])]


class OneHot(Encoding):
    """0-1 encoding: one indicator column per value.

    Two values of an attribute are at distance sqrt(2).

    Parameters are those of `ValueMeasure`.

    References
    ----------
    CDE, IJCAI 2017, section 5.1 ("0-1").

    Examples
    --------
    >>> from couplings import OneHot
    >>> rows = [["step", "wide", "hub"], ["step", "wide", "rim"], ["sport", "slim", "rim"]]
    >>> OneHot().fit_transform(rows).round(2)
    array([[0., 1., 0., 1., 1., 0.],
           [0., 1., 0., 1., 0., 1.],
           [1., 0., 1., 0., 0., 1.]])
    """

    def _vectors(self, counts: CooccurrenceCounts) -> np.ndarray:
        return np.eye(int(counts.offsets[-1]))

    def _column_names(self, names: list[str]) -> list[str]:
        return [f"{name}_{x}" for j, name in enumerate(names) for x in self._domains.labels(j)]


@dataclass(eq=False, repr=False)
class OneHotPCA(OneHot):
    """Principal components of the 0-1 encoding, by default all that are not null.

    The centred 0-1 encoding is rotated, using the counts alone. With all components, at most
    L - m by decreasing variance, distances of objects stay the same; `pairwise` and `kneighbors`
    always have the distances of all.

    Parameters
    ----------
    n_components : int or float, optional
        Number of components that `transform` returns, at most as many as there are; a float
        between 0 and 1 is a share of the variance, and the fewest components that reach it are
        kept. Default: all.
    missing, unknown
        As in `ValueMeasure`; not with `n_components`.

    Attributes
    ----------
    explained_variance_ : ndarray of float64, shape (q,)
        Variance of each component over the objects (divisor n), decreasing.
    explained_variance_ratio_ : ndarray of float64, shape (q,)
        Its share of the total variance of the 0-1 encoding.
    value_coordinates_ : ndarray of float64, shape (L, q)
        Sums of rows are component scores, with mean 0 over the objects. Distances of objects, but
        not of values, are distances of these rows.
    value_matrices_ : ValueMatrices
        As for `OneHot`.

    References
    ----------
    CDE, IJCAI 2017, section 5.1 ("0-1P").

    Examples
    --------
    >>> from couplings import OneHotPCA
    >>> rows = [["step", "wide", "hub"], ["step", "wide", "rim"], ["sport", "slim", "rim"]]
    >>> OneHotPCA().fit_transform(rows).round(2)
    array([[-1.03,  0.53],
           [-0.38, -0.73],
           [ 1.4 ,  0.19]])
    """

    n_components: float | None = None

    def _values(self, counts: CooccurrenceCounts) -> ValueMatrices:
        chosen = self.n_components
        if chosen is not None and not is_integer(chosen):
            check_number("OneHotPCA", "n_components", chosen, most=1, above=0)
        elif chosen is not None:
            check_positive("OneHotPCA", n_components=chosen)
        far = "mismatch" in (self.missing, self.unknown) or self.unknown == "typical"
        if chosen is not None and far:
            raise MeasureError(
                "OneHotPCA: with n_components, missing='mismatch' and unknown='mismatch' or "
                "'typical' have no place among the components; use missing='value', unknown='warn'"
            )
        values = super()._values(counts)
        share = counts.marginals / counts.n_objects
        covariance = counts.matrix / counts.n_objects - np.outer(share, share)
        variances, components = principal_axes(covariance)
        kept = int((variances > _NOISE * max(variances[0], _NOISE)).sum())
        total = variances[:kept].sum()
        if chosen is not None and is_integer(chosen):
            if chosen > kept:
                raise MeasureError(
                    f"OneHotPCA: n_components={chosen} is more than the {kept} components that "
                    f"have a variance; choose at most {kept}"
                )
            kept = int(chosen)
        elif chosen is not None and chosen < 1 and kept:
            reached = np.cumsum(variances[:kept]) >= chosen * total * (1 - _NOISE)
            kept = int(np.argmax(reached)) + 1
        # a copy, whose layout and so whose sums are the same for any choice
        components = components[:, np.arange(components.shape[1]) < kept]
        self.explained_variance_ = variances[:kept].copy()
        self.explained_variance_ratio_ = variances[:kept] / (total if kept else 1.0)
        # Each of the m values of an object contributes 1 / m of the mean.
        vectors = components - share @ components / counts.n_attributes
        self.value_coordinates_ = np.where((counts.marginals > 0)[:, None], vectors, np.nan)
        return values

    _column_names = Encoding._column_names


class InverseDocumentFrequency(Encoding):
    """IDF encoding: one column per attribute, holding ``ln(n / f_x)`` of the value x.

    Parameters are those of `ValueMeasure`.

    References
    ----------
    CDE, IJCAI 2017, section 5.1 ("IDF").

    Examples
    --------
    >>> from couplings import InverseDocumentFrequency
    >>> rows = [["step", "wide", "hub"], ["step", "wide", "rim"], ["sport", "slim", "rim"]]
    >>> InverseDocumentFrequency().fit_transform(rows).round(2)
    array([[0.41, 0.41, 1.1 ],
           [0.41, 0.41, 0.41],
           [1.1 , 1.1 , 0.41]])
    """

    def _vectors(self, counts: CooccurrenceCounts) -> np.ndarray:
        attribute = np.repeat(np.arange(counts.n_attributes), counts.n_values)
        vectors = np.zeros((len(attribute), counts.n_attributes))
        seen = counts.marginals > 0
        rarity = np.log(counts.n_objects / np.where(seen, counts.marginals, 1))
        vectors[np.arange(len(attribute)), attribute] = rarity
        return vectors

    def _column_names(self, names: list[str]) -> list[str]:
        return names


def principal_axes(covariance: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the eigenvalues of a covariance matrix, largest first, and its eigenvectors.

    The eigenvectors are orthonormal columns; the largest entry of each in size is positive.
    """
    variances, axes = np.linalg.eigh(covariance)
    variances, axes = variances[::-1], axes[:, ::-1]
    largest = np.abs(axes).argmax(axis=0)
    return variances, axes * np.sign(axes[largest, np.arange(len(axes))])


def _distances(vectors: np.ndarray, offsets: np.ndarray) -> ValueMatrices:
    """Return the Euclidean distances of each attribute's values, 0 where a vector is NaN."""
    starts = np.concatenate([[0], np.cumsum(np.diff(offsets) ** 2)]).astype(np.int64)
    squares = lloyd.squared_distances(np.ascontiguousarray(vectors), offsets, starts)
    return ValueMatrices(np.sqrt(np.nan_to_num(squares, copy=False)), offsets)
