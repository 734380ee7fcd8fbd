"""Coupled representation of mixed data: categories and numbers in one numeric matrix.

References
----------
coupledMC: Wang, Chi, Zhou, Wong, "Coupled Interdependent Attribute Analysis on Mixed Data",
AAAI 2015.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike

from couplings._checks import check_positive
from couplings._params import Transformer
from couplings.counts import cooccurrence, symmetric_uncertainty
from couplings.discretize import automatic_categories
from couplings.errors import MeasureError
from couplings.measures.coupled import Cado, casv
from couplings.mixed import (
    Mixed,
    MixedTable,
    Scale,
    as_mixed,
    location_and_spread,
    scaled,
    with_categories,
)
from couplings.table import require_complete
from couplings.values import ValueMatrices

_SIGNIFICANCE = 0.05
# Attributes that depend on `weights` alone, and those that `components` and `scores` leave alone.
_VALUES = ("symmetric_uncertainty_", "context_", "weights_", "value_matrices_", "_observed")
_COLUMNS = (
    *("fsd_", "_centre", "_spread", "correlation_", "_coupling", "_mean", "_deviation"),
    *("fshat_", "_singular"),
)
_Known = dict[tuple[Any, ...], dict[str, Any]]
# Uncertainties closer than this are tied; columns that vary less are constant.
_NOISE = 1e-12
# Loadings are tied within this relative difference.
_TIE = 1e-6


@dataclass(eq=False, repr=False)
class CoupledMixed(Transformer):
    """Coupled representation of mixed data (coupledMC).

    1. Numeric attributes are cut into categories (`couplings.discretize.automatic_categories`).
    2. The context of a categorical attribute holds other attributes, by decreasing symmetric
       uncertainty SU. A kept attribute removes each later one that it predicts at least as well as
       the target does. The weight of an attribute is its share of the SU.
    3. Every category value x becomes a column that holds the coupled similarity of x and the
       object's value: the intra-coupled similarity times the weighted overlap of their
       distributions over the context.
    4. These columns and the numeric ones, on a common scale, are raised to powers. Each power
       becomes the sum of all powers that correlate with it significantly, each times its
       correlation and the weight of its power.
    5. The columns are z-scored and reduced to principal components, whose scores can be put on a
       common scale.

    numpy's BLAS computes the matrix products: with another number of BLAS threads, scores differ by
    rounding (about 1e-13), not in sign.

    Parameters
    ----------
    max_power : int, default 2
        Largest power, L.
    weights : {"share", "minmax"}, default "share"
        Weights of the context: ``SU / sum of SU``, which the paper computes, or
        ``(SU - min) / (max - min)``, which it prints; 1 where that is undefined.
    base : {"z", "minmax", "symmetric", "raw"}, default "z"
        Scale of the columns before the powers, see `couplings.mixed.scaled`. The paper's example
        uses "raw", where a power of the widest column outweighs the rest.
    taylor : {"factorial", "reciprocal", "ones"}, default "factorial"
        Weight of power p: 1 / p!, 1 / p or 1.
    components : float or "all", default 0.85
        Smallest number of components with at least this share of the variance, or all non-null
        ones.
    scores : {"raw", "minmax", "symmetric", "z"}, default "raw"
        Scale of the component scores. "raw" keeps the variance of each component; the others give
        all components equal weight.

    Attributes
    ----------
    context_ : ndarray of bool, shape (m, m + r)
        Entry [j, k]: attribute k, the categorical ones first, is in the context of j.
    weights_ : ndarray of float64, shape (m, m + r)
        Weights of the contexts; the row of an empty context is zero.
    symmetric_uncertainty_ : ndarray of float64, shape (m + r, m + r)
        Symmetric uncertainty of all attributes, with numeric ones as categories.
    value_matrices_ : ValueMatrices
        Coupled similarities of the values of the m categorical attributes, in [0, n/(n + 2)].
    fsd_ : ndarray of float64, shape (n, T)
        Columns of the T category values, FS^d.
    correlation_ : ndarray of float64, shape (p L, p L)
        Significant correlations of the powers of the p = T + r columns, with powers of one column
        adjacent; 0 where the two-sided p-value is at least .05, 1 on the diagonal.
    fshat_ : ndarray of float64, shape (n, p L)
        The z-scored coupled columns; 0 for a constant column.
    components_ : ndarray of float64, shape (c, p L)
        Principal axes; the first of the largest entries of each axis is positive.
    explained_variance_ratio_ : ndarray of float64, shape (c,)
        Share of the variance of each axis.

    References
    ----------
    AAAI 2015, eq. 1-5.

    Examples
    --------
    >>> import pandas as pd
    >>> from couplings import CoupledMixed
    >>> bikes = pd.DataFrame(
    ...     {"frame": ["step", "step", "sport", "sport"],
    ...      "tyre": ["wide", "slim", "slim", "slim"],
    ...      "price": [300.0, 350.0, 900.0, 700.0]}
    ... )
    >>> CoupledMixed().fit_transform(bikes).shape
    (4, 2)
    """

    max_power: int = 2
    weights: Literal["share", "minmax"] = "share"
    base: Scale = "z"
    taylor: Literal["factorial", "reciprocal", "ones"] = "factorial"
    components: float | str = 0.85
    scores: Scale = "raw"
    _sign_of_fit = "components_"

    @property
    def predict(self) -> Any:
        """Raise an error that says why there is none."""
        raise AttributeError(
            "CoupledMixed has no predict: it makes columns and no clusters; transform new objects "
            "and let the clustering of the columns predict"
        )

    def fit(self, X: Mixed, y: object = None) -> Self:
        """Learn the representation.

        Parameters
        ----------
        X : MixedTable or DataFrame
            At least three objects, not all equal, without missing cells.
        y : object, ignored

        Raises
        ------
        MissingValuesError
            If a cell is missing.
        MeasureError
            If a parameter is out of range, if there are fewer than three objects or if all
            coupled columns are constant.
        """
        return self._fit(as_mixed(X), {})

    def transform(self, X: Mixed) -> Any:
        """Return the representation of objects, seen by `fit` or not.

        Parameters
        ----------
        X : MixedTable or DataFrame
            Objects over the attributes of `fit`, in any order; categories are matched by their
            labels.

        Returns
        -------
        ndarray of float64, shape (n, c)
            Principal component scores; new objects are scaled like the fitted ones. A data frame
            if `set_output` requests one.

        Raises
        ------
        NotFittedError
            If `fit` has not been called.
        MissingValuesError
            If a cell is missing.
        CouplingsError
            If the attributes differ from those of `fit`, or a category did not occur there.
        """
        self._require_fit()
        table = as_mixed(X, self._categorical, self._names)
        require_complete(table.categorical)
        codes = table.categorical.codes
        unseen = ~self._observed[codes + self.value_matrices_.offsets[:-1]]
        if unseen.any():
            row, j = np.argwhere(unseen)[0]
            raise MeasureError(
                f"column {table.attributes[j]!r}, row {row}: value "
                f"{table.categorical.categories[j][codes[row, j]]!r} did not occur in fit, so it "
                "has no similarity to the others; drop such rows or fit on data that have it"
            )
        fs = np.column_stack([self._category_columns(codes), table.numeric])
        powers = _powers((fs - self._centre) / self._spread, self.max_power)
        coupled = (powers @ self._coupling - self._mean) / self._deviation
        scores = coupled @ self.components_.T
        return self._contained((scores - self._origin) / self._unit, X)

    def fit_transform(self, X: Mixed, y: object = None) -> Any:
        """Learn the representation and return it for the same objects; see `transform`."""
        return self._contained(self.fit(X, y)._representation(), X)

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> np.ndarray:
        """Return the names of the columns of `transform`; `input_features` is ignored."""
        self._require_fit()
        return np.array([f"coupledmixed{i}" for i in range(len(self.components_))], dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        return tags

    def represented(self, X: Mixed, known: _Known) -> np.ndarray:
        """Fit, and return the representation of the same objects, float64 of shape (n, c).

        `known` caches intermediate results of fits to the same objects; pass an empty dict first.
        Value similarities depend on `weights` alone; coupled columns do not depend on `components`
        and `scores`. Errors are those of `fit`.
        """
        return self._fit(as_mixed(X), known)._representation()

    def _fit(self, table: MixedTable, known: _Known) -> Self:
        """Learn the representation, reusing results on the same table from `known`."""
        self._check_choices()
        check_positive("CoupledMixed", max_power=self.max_power)
        share = self.components
        if share != "all" and not (isinstance(share, int | float) and 0 < share <= 1):
            raise MeasureError(
                f"CoupledMixed: components={share!r} must be 'all' or a share above 0 and at most 1"
            )
        require_complete(table.categorical)
        _check_objects(table.n_objects)
        self._categorical, self._names = table.categorical, table.names
        self._remember_features(table.attributes, len(table.attributes))
        key: tuple[Any, ...] = (self.weights,)
        self._take(known, key, _VALUES, lambda: self._learn_values(table))
        key += (self.base, self.max_power, self.taylor)
        self._take(known, key, _COLUMNS, lambda: self._learn_columns(table))
        self._learn_components()
        self._origin, self._unit = location_and_spread(
            self.fshat_ @ self.components_.T, self.scores
        )
        return self

    def _representation(self) -> np.ndarray:
        return (self.fshat_ @ self.components_.T - self._origin) / self._unit

    def _take(
        self, known: _Known, key: tuple, names: tuple[str, ...], learn: Callable[[], None]
    ) -> None:
        """Set the attributes `names` from `known`; if it lacks them, `learn` sets them."""
        if key not in known:
            learn()
            known[key] = {name: getattr(self, name) for name in names}
        vars(self).update(known[key])

    def _learn_values(self, table: MixedTable) -> None:
        """Learn contexts, weights and the similarities of category values."""
        counts = cooccurrence(with_categories(table, automatic_categories))
        m = table.categorical.n_attributes
        self.symmetric_uncertainty_ = symmetric_uncertainty(counts)
        self.context_ = np.array([_context(self.symmetric_uncertainty_, j) for j in range(m)])
        self.weights_ = np.array(
            [
                _weights(su, context, self.weights)
                for su, context in zip(self.symmetric_uncertainty_, self.context_, strict=False)
            ]
        )
        padded = np.zeros(self.symmetric_uncertainty_.shape)
        padded[:m] = self.weights_
        similarities = casv(counts, padded)
        self.value_matrices_ = ValueMatrices.from_blocks([similarities.block(j) for j in range(m)])
        self._observed = counts.marginals[: self.value_matrices_.offsets[-1]] > 0

    def _learn_columns(self, table: MixedTable) -> None:
        """Learn the coupled columns, their singular values and right vectors."""
        self.fsd_ = self._category_columns(table.categorical.codes)
        fs = np.column_stack([self.fsd_, table.numeric])
        self._centre, self._spread = location_and_spread(fs, self.base)
        powers = _powers((fs - self._centre) / self._spread, self.max_power)
        self.correlation_ = _significant_correlation(powers)
        self._coupling = _power_weights(self.taylor, fs.shape[1], self.max_power) * (
            self.correlation_
        )
        coupled = powers @ self._coupling
        # A constant column has no correlations, so it stays constant: its own mean, deviation 1.
        constant, deviation = _constant(powers), coupled.std(axis=0, ddof=1)
        self._mean = np.where(constant, coupled[0], coupled.mean(axis=0))
        self._deviation = np.where(constant | (deviation == 0), 1.0, deviation)
        self.fshat_ = (coupled - self._mean) / self._deviation
        n, columns = self.fshat_.shape
        # The triangular factor has the same singular values and right vectors, and fewer rows.
        triangle = np.linalg.qr(self.fshat_, mode="r") if n > columns else self.fshat_
        self._singular = np.linalg.svd(triangle, full_matrices=False)[1:]

    def _category_columns(self, codes: np.ndarray) -> np.ndarray:
        """Return FS^d: the similarity of each object's value to every value of its attribute."""
        matrices = self.value_matrices_
        return np.column_stack([matrices.block(j)[column] for j, column in enumerate(codes.T)])

    def _learn_components(self) -> None:
        """Learn the principal axes of the coupled columns."""
        values, axes = self._singular
        if values[0] == 0:
            raise MeasureError("CoupledMixed: all columns are constant; drop them or add objects")
        ratio = values**2 / (values**2).sum()
        if isinstance(self.components, str):
            largest = max(self.fshat_.shape)
            kept = int((values > values[0] * largest * np.finfo(float).eps).sum())
        else:
            reached = np.cumsum(ratio) >= self.components - _NOISE
            kept = int(np.argmax(reached)) + 1
        axes = axes[:kept]
        size = np.abs(axes)
        # Loadings come in equal pairs of opposite sign: rounding must not decide between them.
        first = (size >= (1 - _TIE) * size.max(axis=1, keepdims=True)).argmax(axis=1)
        self.components_ = axes * np.sign(axes[np.arange(kept), first])[:, np.newaxis]
        self.explained_variance_ratio_ = ratio[:kept]


def partially_coupled_distances(X: Mixed, max_power: int = 2) -> np.ndarray:
    """Return distances that couple numbers with numbers and categories with categories.

    The distance is the Euclidean distance of the min-max columns of the coupled numbers plus gamma
    times the coupled dissimilarity (`Cado`) of the categories; gamma is half the mean sample
    standard deviation of the raw numbers. The result is float64 of shape (n, n), symmetric and not
    negative.

    Parameters
    ----------
    X : MixedTable or DataFrame
        n objects without missing cells, n > 2, of at least two categorical attributes.
    max_power : int, default 2
        Largest power of the numbers, L.

    Raises
    ------
    MissingValuesError
        If a cell is missing.
    MeasureError
        If there are fewer than three objects or two categorical attributes.

    References
    ----------
    AAAI 2015, introduction (pcd).
    """
    table = as_mixed(X)
    _check_objects(table.n_objects)
    powers = _powers(table.numeric, max_power)
    weights = _power_weights("factorial", table.n_numeric, max_power)
    coupled = scaled(powers @ (weights * _significant_correlation(powers)), "minmax")
    squares = (coupled**2).sum(axis=1)
    distances = squares[:, np.newaxis] + squares - 2 * (coupled @ coupled.T)
    np.fill_diagonal(distances, 0.0)
    gamma = 0.5 * float(table.numeric.std(axis=0, ddof=1).mean())
    return np.sqrt(np.maximum(distances, 0.0)) + gamma * Cado().fit(table.categorical).pairwise(
        table.categorical
    )


def _check_objects(n: int) -> None:
    if n < 3:
        raise MeasureError(f"correlations need at least three objects, not {n}")


def _context(uncertainty: np.ndarray, target: int) -> np.ndarray:
    relevance = uncertainty[target]
    kept = relevance > 0
    kept[target] = False
    order = [k for k in np.argsort(-relevance, kind="stable") if kept[k]]
    for place, k in enumerate(order):
        if kept[k]:
            later = order[place + 1 :]
            kept[later] &= uncertainty[k, later] < relevance[later] - _NOISE
    return kept


def _weights(uncertainty: np.ndarray, context: np.ndarray, rule: str) -> np.ndarray:
    """Return the weights of the context of one target, float64 of shape (m + r,)."""
    weights = np.zeros(len(context))
    if context.any():
        own = uncertainty[context]
        if rule == "share":
            weights[context] = own / own.sum()
        else:
            span = own.max() - own.min()
            weights[context] = (own - own.min()) / span if span > 0 else 1.0
    return weights


def _powers(columns: np.ndarray, max_power: int) -> np.ndarray:
    """Return all powers of each column, side by side, (n, p L)."""
    powers = np.empty((*columns.shape, max_power))
    powers[:, :, 0] = columns
    for power in range(1, max_power):
        np.multiply(powers[:, :, power - 1], columns, out=powers[:, :, power])
    return powers.reshape(len(columns), -1)


def _constant(powers: np.ndarray) -> np.ndarray:
    """Return which columns are constant up to rounding, such as the square of a balanced ±1 one."""
    lowest, highest = powers.min(axis=0), powers.max(axis=0)
    return highest - lowest <= _NOISE * np.maximum(np.abs(lowest), np.abs(highest))


def _power_weights(rule: str, n_columns: int, max_power: int) -> np.ndarray:
    """Return the weight of each source as a column, (p L, 1)."""
    power = np.arange(1, max_power + 1, dtype=np.float64)
    weights = {
        "factorial": 1 / np.cumprod(power),
        "reciprocal": 1 / power,
        "ones": np.ones(max_power),
    }[rule]
    return np.tile(weights, n_columns)[:, np.newaxis]


def _significant_correlation(powers: np.ndarray) -> np.ndarray:
    """Return the correlations significant in a two-sided t-test, with 1 on the diagonal."""
    from scipy.special import stdtrit

    n = len(powers)
    varies = ~_constant(powers)
    centred = np.where(varies, powers - powers.mean(axis=0), 0.0)
    centred /= np.where(varies, np.sqrt((centred**2).sum(axis=0)), 1.0)
    correlation = np.clip(centred.T @ centred, -1.0, 1.0)
    quantile = stdtrit(n - 2, 1 - _SIGNIFICANCE / 2)
    # p < .05 if and only if |r| exceeds this bound.
    limit = quantile / np.sqrt(n - 2 + quantile**2)
    correlation[np.abs(correlation) <= limit] = 0.0
    np.fill_diagonal(correlation, 1.0)
    return correlation
