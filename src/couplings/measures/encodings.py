"""Encodings: every value becomes a vector, and an object the sum of the vectors of its values."""

from typing import TYPE_CHECKING, Self, Union

import numpy as np
from numpy.typing import ArrayLike

from couplings._kernels import lloyd
from couplings.counts import CooccurrenceCounts
from couplings.errors import MeasureError, MissingValuesError, NotFittedError, TableError
from couplings.measures.base import ValueMeasure, squared
from couplings.space import ObjectSpace
from couplings.table import CategoricalTable, require_complete
from couplings.values import ValueMatrices

if TYPE_CHECKING:
    import pandas as pd

# Components with less than this share of the largest variance are rounding noise.
_NOISE = 1e-12

Objects = Union[CategoricalTable, "pd.DataFrame", ArrayLike]


class Encoding(ValueMeasure):
    """Base of the encodings: a subclass implements `_vectors`.

    Encodings are scikit-learn transformers, and measures too: the Euclidean distance of two
    objects is the root of the summed squared distances of their values.

    Attributes
    ----------
    value_coordinates_ : ndarray of float64, shape (L, q)
        The vector of each value; rows of values that never occur are NaN.
    value_matrices_ : ValueMatrices
        Euclidean distances of the values. Values that never occur have 0.
    space_ : ObjectSpace
        Link "rss".
    n_features_in_ : int
        Number of attributes.
    """

    def fit(self, X: CooccurrenceCounts | Objects, y: object = None) -> Self:
        """Learn the vectors of the values.

        Parameters
        ----------
        X : CooccurrenceCounts, CategoricalTable, DataFrame or array_like of shape (n, m)
            Only the co-occurrence counts are used. Every different entry of a column of an array
            is a value, numbers too.
        y : object
            Ignored.

        Raises
        ------
        MissingValuesError
            If a cell is missing.
        TableError
            If the data are no table of categorical attributes.
        MeasureError
            If the encoding cannot be computed.
        """
        if not isinstance(X, CooccurrenceCounts | CategoricalTable) and not _is_frame(X):
            X = _frame_of_labels(X)
            if len(X) == 1:
                raise TableError("the array has 1 sample; at least two are needed to compare")
            X = CategoricalTable.from_pandas(X)
        super().fit(X)
        self.n_features_in_ = self.n_attributes_
        return self

    def transform(self, X: Objects) -> np.ndarray:
        """Encode objects.

        Parameters
        ----------
        X : CategoricalTable, DataFrame or array_like, shape (n, m)
            Objects with the values that `fit` has seen, matched by label; if `fit` took counts,
            a table of the same domains.

        Returns
        -------
        ndarray of float64, shape (n, q)

        Raises
        ------
        NotFittedError
            If `fit` has not been called.
        MissingValuesError
            If a cell is missing.
        MeasureError
            If an object has a value that `fit` has not seen, or another number of attributes.
        """
        return self._summed(self._values_of(X))

    def fit_transform(self, X: Objects, y: object = None) -> np.ndarray:
        """Fit and encode the same objects; see `fit` and `transform`."""
        return self.fit(X, y).transform(X)

    def _vectors(self, counts: CooccurrenceCounts) -> np.ndarray:
        """Return one row per value; what rows of values that never occur hold does not matter."""
        raise NotImplementedError

    def _values(self, counts: CooccurrenceCounts) -> ValueMatrices:
        seen = counts.marginals > 0
        vectors = np.where(seen[:, None], self._vectors(counts), np.nan)
        self.value_coordinates_ = vectors
        self._seen = seen
        return _distances(vectors, counts.offsets)

    def _space(self, values: ValueMatrices, counts: CooccurrenceCounts) -> ObjectSpace:
        return ObjectSpace(squared(values), "rss")

    def _summed(self, values: np.ndarray) -> np.ndarray:
        """Return the sums of the coordinates of each object's values (rows of global indices)."""
        total = self.value_coordinates_[values[:, 0]]
        for column in values.T[1:]:
            total += self.value_coordinates_[column]
        return total

    def _values_of(self, X: Objects) -> np.ndarray:
        """Return the global index of each cell, int64 of shape (n, m), or refuse the objects."""
        if not hasattr(self, "space_"):
            raise NotFittedError(f"this {type(self).__name__} is not fitted yet; call fit first")
        names, columns = _label_columns(X)
        if len(columns) != self.n_features_in_:
            raise MeasureError(
                f"X has {len(columns)} features, but {type(self).__name__} is expecting "
                f"{self.n_features_in_} features as input"
            )
        offsets = self.space_.matrices.offsets
        if self.categories_ is None:
            domains = [[str(x) for x in range(v)] for v in np.diff(offsets)]
            if not isinstance(X, CategoricalTable) or (X.n_values != np.diff(offsets)).any():
                raise MeasureError(
                    f"{type(self).__name__} was fitted on counts, so it encodes only tables that "
                    f"declare {np.diff(offsets).tolist()} values per attribute"
                )
            columns = [(codes, domain) for (codes, _), domain in zip(columns, domains, strict=True)]
        else:
            domains = self.categories_
        values = np.empty((len(columns[0][0]), len(columns)), dtype=np.int64)
        for j, ((codes, labels), domain) in enumerate(zip(columns, domains, strict=True)):
            seen = self._seen[offsets[j] : offsets[j + 1]]
            index = {label: offsets[j] + x for x, label in enumerate(domain) if seen[x]}
            translation = np.array([index.get(label, -1) for label in labels], dtype=np.int64)
            values[:, j] = translation[codes]
            if (values[:, j] < 0).any():
                row = int(np.argmin(values[:, j]))
                raise MeasureError(
                    f"{type(self).__name__}: attribute {names[j]!r}, row {row}: fit has not seen "
                    f"the value {labels[codes[row]]!r}; fit on data that have it, or leave the "
                    "object out"
                )
        return values

    def __sklearn_tags__(self) -> object:
        """Describe the estimator to scikit-learn."""
        from sklearn.utils import TransformerTags

        tags = super().__sklearn_tags__()
        tags.transformer_tags = TransformerTags(preserves_dtype=[])
        return tags


class OneHot(Encoding):
    """0-1 encoding: one indicator column per value.

    Any two values of an attribute are at distance sqrt(2).

    References
    ----------
    CDE, IJCAI 2017, section 5.1 ("0-1").
    """

    def _vectors(self, counts: CooccurrenceCounts) -> np.ndarray:
        return np.eye(int(counts.offsets[-1]))


class OneHotPCA(Encoding):
    """Principal components of the 0-1 encoding, all that vary.

    A rotation of the centred 0-1 encoding, learnt from the counts alone: the distances of the
    objects stay the same, in at most L - m columns by decreasing variance.

    Attributes
    ----------
    value_coordinates_ : ndarray of float64, shape (L, q)
        Their sums are the component scores, with mean 0 over the objects. The distances of
        values, unlike those of objects, are not the distances of these rows.
    value_matrices_ : ValueMatrices
        As for `OneHot`.

    References
    ----------
    CDE, IJCAI 2017, section 5.1 ("0-1P").
    """

    def _values(self, counts: CooccurrenceCounts) -> ValueMatrices:
        values = super()._values(counts)
        share = counts.marginals / counts.n_objects
        covariance = counts.matrix / counts.n_objects - np.outer(share, share)
        variances, components = principal_axes(covariance)
        components = components[:, variances > _NOISE * max(variances[0], _NOISE)]
        # Each object has m values, so that each of them carries 1 / m of the mean.
        vectors = components - share @ components / counts.n_attributes
        self.value_coordinates_ = np.where(self._seen[:, None], vectors, np.nan)
        return values

    def _vectors(self, counts: CooccurrenceCounts) -> np.ndarray:
        return np.eye(int(counts.offsets[-1]))


class InverseDocumentFrequency(Encoding):
    """IDF encoding: one column per attribute, which holds ``ln(n / f_x)`` of the value x.

    References
    ----------
    CDE, IJCAI 2017, section 5.1 ("IDF").
    """

    def _vectors(self, counts: CooccurrenceCounts) -> np.ndarray:
        attribute = np.repeat(np.arange(counts.n_attributes), counts.n_values)
        vectors = np.zeros((len(attribute), counts.n_attributes))
        rarity = np.log(counts.n_objects / np.maximum(counts.marginals, 1))
        vectors[np.arange(len(attribute)), attribute] = rarity
        return vectors


def principal_axes(covariance: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the eigenvalues of a covariance matrix, largest first, and its eigenvectors.

    Parameters
    ----------
    covariance : ndarray of float64, shape (q, q)
        Symmetric.

    Returns
    -------
    variances : ndarray of float64, shape (q,)
        Decreasing.
    axes : ndarray of float64, shape (q, q)
        Orthonormal columns; the entry of the largest size of each is positive.
    """
    variances, axes = np.linalg.eigh(covariance)
    variances, axes = variances[::-1], axes[:, ::-1]
    largest = np.abs(axes).argmax(axis=0)
    return variances, axes * np.sign(axes[largest, np.arange(len(axes))])


def _distances(vectors: np.ndarray, offsets: np.ndarray) -> ValueMatrices:
    """Return the Euclidean distances of the values of each attribute, 0 where a vector is NaN."""
    starts = np.concatenate([[0], np.cumsum(np.diff(offsets) ** 2)]).astype(np.int64)
    squares = lloyd.squared_distances(np.ascontiguousarray(vectors), offsets, starts)
    return ValueMatrices(np.sqrt(np.nan_to_num(squares, copy=False)), offsets)


def _is_frame(X: object) -> bool:
    return hasattr(X, "columns") and hasattr(X, "iloc")


def _frame_of_labels(X: ArrayLike) -> "pd.DataFrame":
    """Return an array as a data frame of ``category`` columns."""
    import pandas as pd

    if hasattr(X, "tocsr"):
        raise TableError(
            "sparse data hold no categories; pass a dense array, or a CategoricalTable"
        )
    array = np.asarray(X)
    if array.ndim == 1:
        raise TableError(
            "Expected 2D array, got 1D array instead: Reshape your data, one row per object"
        )
    if array.ndim != 2:
        raise TableError(f"data must be a 2-D array of labels, not {array.ndim}-D {array.dtype}")
    if 0 in array.shape:
        axis = "sample" if len(array) == 0 else "feature"
        raise TableError(
            f"Found array with 0 {axis}(s) (shape={array.shape}) while a minimum of 1 is required."
        )
    if array.dtype.kind == "c":
        raise TableError("Complex data not supported: complex numbers are no labels")
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        raise TableError("the array holds NaN or infinite numbers; recode missing cells as a label")
    return pd.DataFrame(array).astype("category")


def _label_columns(X: Objects) -> tuple[list[str], list[tuple[np.ndarray, list[str]]]]:
    """Return the names and, per attribute, the codes and what label each code stands for."""
    if isinstance(X, CategoricalTable):
        require_complete(X)
        return list(X.attributes), list(zip(X.codes.T, X.categories, strict=True))
    frame = X.astype("category") if _is_frame(X) else _frame_of_labels(X)
    if len(frame) == 0:
        raise TableError("the data frame has no rows: there are no objects to encode")
    columns = []
    for position in range(frame.shape[1]):
        categories = frame.iloc[:, position].cat
        codes = categories.codes.to_numpy()
        if codes.min() < 0:
            raise MissingValuesError(
                f"missing cells (NaN) in attribute {str(frame.columns[position])!r}; "
                "recode them as a label first"
            )
        columns.append((codes, [str(label) for label in categories.categories]))
    return [str(name) for name in frame.columns], columns
