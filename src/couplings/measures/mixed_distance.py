"""One distance for tables of categories and numbers: Gower's, with learned value distances."""

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, Literal, NoReturn, Self

import numpy as np

from couplings._checks import check_weights
from couplings._domains import Extras, Unknown
from couplings._labels import domain_of
from couplings._params import Transformer
from couplings.errors import MeasureError, MissingValuesError, TableError
from couplings.measures.base import ValueMeasure, with_rules
from couplings.measures.registry import measure_from
from couplings.mixed import check_squares, frame_of, number_columns, numbers_of
from couplings.reading import check_known, counted, order_of, pandas_columns, text_of
from couplings.spaces import ObjectSpace, extended_blocks, k_nearest
from couplings.values import ValueMatrices

if TYPE_CHECKING:
    import pandas as pd


@dataclass(eq=False, repr=False)
class MixedDistance(Transformer):
    """Gower's distance for categories and numbers, with any measure for the categories.

    The distance is a weighted mean of one difference per attribute:
    ``D(u, v) = sum_k w_k d_k(u, v) / sum_k w_k``. For a number, ``d = |a - b| / range``. For a
    category, d is the distance of the two values that a measure has learned from the other
    categories, divided by the largest of the attribute. For an ordered category, d is the
    difference of the mean ranks of the two values, divided by the largest (Podani's extension).
    With simple matching, D is Gower's distance.

    Parameters
    ----------
    measure : str or ValueMeasure, optional
        Measure of the categories, whose dissimilarity must be a sum over the attributes. Default:
        "dilca_rr", which compares the values of an attribute by the other categorical attributes;
        "simple_matching" if the table has only one.
    weights : mapping from name to float, or sequence of float, optional
        Non-negative weight of each attribute; a sequence follows the order of the columns.
        Attributes missing from a mapping have weight 1. Default: 1 for all.
    missing : {"ignore", "nan", "mismatch", "raise"}, default "ignore"
        "ignore": leave an attribute out of both sums if it is missing in either object, as Gower
        does; `pairwise` refuses two objects without a common attribute. "nan": the same, but the
        distance of such objects is NaN. "mismatch": a missing cell is at the largest difference of
        its attribute; two missing cells of an attribute agree. "raise": refuse missing cells. The
        measure learns a missing cell as a value.
    unknown : {"warn", "raise", "mismatch", "typical"}, default "warn"
        Rule for categories that `fit` has not seen, as in `ValueMeasure`.
    scale : {"largest", "commensurable"}, default "largest"
        Divisor of an attribute's differences: the largest one (Gower), or their mean over all pairs
        of objects of `fit` that have the attribute. With the mean, every attribute contributes
        equally to D on average, so a rare category no longer outweighs a skewed number; distances
        then have mean 1 instead of maximum 1.
    ordered : mapping from name to sequence, optional
        Values of ordered attributes, from least to greatest. Columns of pandas' ordered categorical
        type bring their order; remove it with ``.cat.as_unordered()`` to learn their distances
        instead.

    Attributes
    ----------
    measure_ : ValueMeasure or None
        Measure fitted on the categories; None if the table has none.
    ranges_ : ndarray of float64, shape (r,)
        Range of each number in `fit`. A constant number adds nothing to D.
    ordered_features_ : tuple of str
        Names of the ordered categorical columns.
    weights_ : ndarray of float64, shape (m,)
        In the order of the columns of `fit`.
    numeric_features_, categorical_features_ : tuple of str
        Names of both kinds of columns.
    feature_names_in_ : ndarray of str, shape (m,)
    n_features_in_ : int

    References
    ----------
    Gower, Biometrics 27 (1971); Podani, Taxon 48 (1999), the variant that is a metric; van de
    Velden, Iodice D'Enza, Markos and Cavicchia, arXiv 2411.00429 (2024), commensurability.

    Examples
    --------
    >>> import pandas as pd
    >>> from couplings import MixedDistance
    >>> bikes = pd.DataFrame(
    ...     {"frame": ["step", "step", "sport"], "tyre": ["wide", "wide", "slim"],
    ...      "price": [300.0, 500.0, None]}
    ... )
    >>> MixedDistance("simple_matching").fit(bikes).pairwise(bikes).round(2)
    array([[0.  , 0.33, 1.  ],
           [0.33, 0.  , 1.  ],
           [1.  , 1.  , 0.  ]])
    """

    measure: str | ValueMeasure | None = None
    weights: Mapping[str, float] | Sequence[float] | None = None
    _: KW_ONLY
    missing: Literal["ignore", "nan", "mismatch", "raise"] = "ignore"
    unknown: Unknown = "warn"
    scale: Literal["largest", "commensurable"] = "largest"
    ordered: Mapping[str, Sequence[Any]] | None = None

    kind = "dissimilarity"
    _sign_of_fit = "ranges_"

    def fit(self, X: Any, y: object = None) -> Self:
        """Learn the distances of values and the ranges of numbers.

        Parameters
        ----------
        X : data frame or table of any library, MixedTable, CategoricalTable or array_like
            At least two objects. Numeric columns are numbers, all others categories; mark numeric
            labels as categories: ``df["code"].astype("category")``.
        y : object, ignored

        Raises
        ------
        MissingValuesError
            If a cell is missing and `missing` is "raise".
        TableError
            If the data are not a table.
        MeasureError
            If a parameter is invalid, or if the measure is undefined.

        Notes
        -----
        There is no `sample_weight`: the ranges of Gower's distance and simple matching do not
        depend on how often a row occurs. A learned measure of the categories and the scale
        "commensurable" do: repeat the rows.
        """
        self._check_choices()
        frame = self._in_order(self._frame(X))
        if len(frame) < 2:
            raise TableError(f"the data have {len(frame)} sample (row); at least two are needed")
        if self.missing == "raise" and frame.isna().to_numpy().any():
            self._refuse_missing(list(frame.columns), frame.isna().sum(axis=0).to_numpy())
        self._is_number = np.array(number_columns(frame))
        self._remember_features(frame.columns, frame.shape[1])
        self.numeric_features_ = tuple(frame.columns[self._is_number])
        self.categorical_features_ = tuple(frame.columns[~self._is_number])
        given = self.weights
        if isinstance(given, Mapping):
            check_known(given, frame.columns, f"{self._owner}: weights")
            given = [given.get(name, 1.0) for name in frame.columns]
        self.weights_ = check_weights(
            self._owner, given, frame.shape[1], "weights", "column"
        ).astype(np.float64)
        numbers = self._numbers(frame)
        if len(numbers) and np.isnan(numbers).all(axis=0).any():
            name = self.numeric_features_[int(np.argmax(np.isnan(numbers).all(axis=0)))]
            raise TableError(f"column {name!r} has missing values only; drop it")
        self._low = np.nanmin(numbers, axis=0) if numbers.size else np.zeros(0)
        self.ranges_ = np.nanmax(numbers, axis=0) - self._low if numbers.size else np.zeros(0)
        unit = self.ranges_
        if self.scale == "commensurable":
            unit = np.array([_mean_gap(column) for column in numbers.T])
        self._spread = np.where(self.ranges_ > 0, unit, np.inf)
        self.measure_: ValueMeasure | None = None
        self._blocks: list[np.ndarray] = []
        self._shares: list[np.ndarray] = []
        self.ordered_features_: tuple[str, ...] = ()
        self._fitted_extras = Extras.of(len(self.categorical_features_))
        self._fitted = (numbers - self._low) / self._spread, self._learn_values(frame)
        self._matrices = ValueMatrices.from_blocks(self._blocks)
        return self

    def pairwise(self, X: Any, Y: Any = None) -> np.ndarray:
        """Return the distances of objects.

        Parameters
        ----------
        X, Y : table of any kind that `fit` takes
            n_x and n_y objects (at least one); columns are matched by name. Default of Y: X.

        Returns
        -------
        ndarray, shape (n_x, n_y)
            Not negative. With `scale` "largest", at most 1 between objects whose numbers lie within
            the ranges of `fit`.

        Raises
        ------
        CouplingsError
            As `ValueMeasure.pairwise`; also if `missing` is "ignore" and two objects have no
            attribute present in both.
        """
        parts, extras = self._parts(X, Y)
        found = self._between(parts[0], parts[-1], extras)
        self._check_defined(found)
        return found

    def _check_defined(self, distances: np.ndarray) -> None:
        if self.missing != "nan" and np.isnan(distances).any():
            u, v = np.argwhere(np.isnan(distances))[0]
            raise MeasureError(
                f"objects {u} and {v} have no attribute present in both, so their distance is "
                "undefined; drop such objects, or set missing='nan' or 'mismatch'"
            )

    def kneighbors(
        self,
        X: Any = None,
        n_neighbors: int = 5,
        return_distance: bool = True,
        *,
        among: Any = None,
    ) -> tuple[np.ndarray, np.ndarray] | np.ndarray:
        """Return the nearest fitted objects, computed in blocks; as `ValueMeasure.kneighbors`.

        Objects without an attribute present in both are infinitely far apart.
        """
        self._require_fit()
        (queries, searched), extras = self._parts(
            self._fitted if X is None else X, self._fitted if among is None else among
        )
        return k_nearest(
            type(self).__name__,
            lambda rows: np.nan_to_num(
                self._between((queries[0][rows], queries[1][rows]), searched, extras), nan=np.inf
            ),
            (len(queries[0]), len(searched[0])),
            n_neighbors,
            others=X is None and among is None,
            return_distance=return_distance,
        )

    def transform(self, X: Any) -> Any:
        """Return the distances of objects to the fitted ones, float64 of shape (n, n_fitted).

        A step before anything that takes distances: ``metric="precomputed"`` in scikit-learn.
        `set_output` chooses another container. Parameters and errors are those of `pairwise`.
        """
        return self._contained(self._to_fitted(X), X)

    def _to_fitted(self, X: Any) -> np.ndarray:
        """Return the distances of objects to the fitted ones."""
        self._require_fit()
        parts, extras = self._parts(X, self._fitted)
        found = self._between(parts[0], parts[1], extras)
        self._check_defined(found)
        return found

    def _among_fitted(self) -> np.ndarray:
        """Return the distances of the fitted objects, float64 (n, n)."""
        found = self._between(self._fitted, self._fitted, deepcopy(self._fitted_extras))
        self._check_defined(found)
        return found

    def get_feature_names_out(self, input_features: object = None) -> np.ndarray:
        """Return the column names of `transform`: the class and the number of an object."""
        self._require_fit()
        return np.array([f"mixeddistance{u}" for u in range(len(self._fitted[0]))], dtype=object)

    # --- learning -------------------------------------------------------------------------------

    def _learn_values(self, frame: "pd.DataFrame") -> np.ndarray:
        """Learn the measure and the differences of the values; return the codes, see `_parts`."""
        categories = frame.iloc[:, np.flatnonzero(~self._is_number)]
        if not self.categorical_features_:
            return np.zeros(categories.shape, dtype=np.int32)
        default = "dilca_rr" if categories.shape[1] > 1 else "simple_matching"
        chosen = measure_from(default if self.measure is None else self.measure)
        missing = "raise" if self.missing == "raise" else "mismatch"
        measure = with_rules(chosen, type(self).__name__, missing, self.unknown).fit(categories)
        space = measure._metric
        if not isinstance(space, ObjectSpace) or space.link not in ("sum", "rss", "jaccard"):
            raise MeasureError(
                f"the dissimilarity of {measure!r} is not a sum over the attributes, so it has "
                "no difference per attribute; choose another measure"
            )
        self.measure_, domains = measure, measure._domains
        order = [getattr(dtype, "ordered", False) for dtype in categories.dtypes]
        self.ordered_features_ = tuple(categories.columns[order])
        extras = Extras.of(domains.n_attributes)
        codes = measure._encoded(measure._fitted, extras).astype(np.int32)
        present = codes < np.diff(domains.offsets)
        n = present.sum(axis=0)
        self._shares = domains.all_shares
        for j, share in enumerate(self._shares):
            block = space.matrices.block(j)
            if order[j]:
                # Differences of mean ranks as shares of the objects.
                middle = share.cumsum() - share / 2
                block = np.abs(np.subtract.outer(middle, middle))
            elif space.link == "rss":
                block = np.sqrt(block)
            shares = share / share.sum()
            if self.scale == "largest":
                unit = block[np.ix_(share > 0, share > 0)].max()
            else:
                unit = shares @ block @ shares * n[j] / max(n[j] - 1, 1)
            self._blocks.append(block / unit if unit > 0 else block)
        if self._ignores:
            return np.where(present, codes, -1)
        self._fitted_extras = extras
        return codes

    @property
    def _ignores(self) -> bool:
        return self.missing in ("ignore", "nan")

    # --- objects --------------------------------------------------------------------------------

    def _parts(self, X: Any, Y: Any) -> tuple[list[tuple[np.ndarray, np.ndarray]], Extras]:
        """Return scaled numbers, codes (-1: left out), and values that `fit` has not seen."""
        self._require_fit()
        extras = Extras.of(len(self.categorical_features_))
        if X is self._fitted or Y is self._fitted:
            extras = deepcopy(self._fitted_extras)
        return [self._part(data, extras) for data in (X, Y) if data is not None], extras

    def _part(self, data: Any, extras: Extras) -> tuple[np.ndarray, np.ndarray]:
        if data is self._fitted:
            return data
        frame = self._frame(data)
        order = np.array(order_of(self._owner, list(frame.columns), list(self.feature_names_in_)))
        scaled = (self._numbers(frame) - self._low) / self._spread
        if self.measure_ is None:
            return scaled, np.zeros((len(frame), 0), dtype=np.int32)
        categories = pandas_columns(frame, positions=order[~self._is_number].tolist())
        rules = ("ignore" if self._ignores else self.missing, self.unknown)
        return scaled, self.measure_._domains.encode(
            categories, self._owner, *rules, extras, ("ignore", "mismatch")
        )

    def _frame(self, X: Any) -> "pd.DataFrame":
        """Return data as a data frame, with text in the columns that `ordered` names."""
        frame, named = frame_of(X), self._orders()
        if not named:
            return frame
        check_known(named, frame.columns, "the table")
        # Integers next to missing cells are floats, but their labels stay "1", "2", ...
        text = {name: frame[name].map(text_of, na_action="ignore") for name in named}
        return frame.assign(**text)

    def _orders(self) -> Mapping[str, Any]:
        """Return the orders by column; `MeasureError` if they are no mapping."""
        if self.ordered is not None and not isinstance(self.ordered, Mapping):
            raise MeasureError(
                f"ordered: a {type(self.ordered).__name__} does not say of which column; pass a "
                "mapping from column to its values in order"
            )
        return self.ordered or {}

    def _in_order(self, frame: "pd.DataFrame") -> "pd.DataFrame":
        """Return fitted data with the columns of `ordered` as pandas' ordered type."""
        import pandas as pd

        found = {}
        for name, values in self._orders().items():
            order = list(domain_of(f"ordered[{name!r}]", values))
            outside = frame[name].dropna()[~frame[name].dropna().isin(order)]
            if len(set(order)) < len(order) or len(outside):
                what = f"lacks {outside.iloc[0]!r}; add it" if len(outside) else "repeats a value"
                raise MeasureError(f"ordered: the order of column {name!r} {what}")
            found[name] = pd.Categorical(frame[name], order, ordered=True)
        return frame.assign(**found)

    def _numbers(self, frame: "pd.DataFrame") -> np.ndarray:
        """Return the numeric columns, float64, NaN where missing."""
        names = self.numeric_features_
        numbers = numbers_of(frame, names)
        check_squares(names, numbers)
        absent = np.isnan(numbers).sum(axis=0)
        if self.missing == "raise" and absent.any():
            self._refuse_missing(names, absent)
        return numbers

    def _refuse_missing(self, names: Sequence[str], absent: np.ndarray) -> NoReturn:
        raise MissingValuesError(
            f"missing cells (NaN) in {counted(names, absent)}: fill or drop them, or set "
            "missing='ignore' or missing='mismatch'"
        )

    def _between(
        self,
        a: tuple[np.ndarray, np.ndarray],
        b: tuple[np.ndarray, np.ndarray],
        extras: Extras,
    ) -> np.ndarray:
        from couplings._kernels import objects

        matrices = self._matrices
        if extras:
            blocks = extended_blocks(self._blocks, self._shares, extras.rules)
            matrices = ValueMatrices.from_blocks(blocks)
        out = np.empty((len(a[0]), len(b[0])))
        objects.weighted_means(
            out.size * self.n_features_in_,
            np.ascontiguousarray(a[0]),
            np.ascontiguousarray(b[0]),
            np.ascontiguousarray(a[1]),
            np.ascontiguousarray(b[1]),
            self.weights_[self._is_number],
            self.weights_[~self._is_number],
            self.ranges_ / self._spread,
            matrices.data,
            matrices.starts,
            matrices.n_values,
            self._ignores,
            out,
        )
        return out


def fitted_mixed(measure: MixedDistance, X: Any) -> MixedDistance:
    """Return a copy of a distance, fitted to objects."""
    return type(measure)(**measure.get_params(deep=False)).fit(X)


def _mean_gap(column: np.ndarray) -> float:
    """Return the mean absolute difference of two different cells of a column, ignoring NaN."""
    x = np.sort(column[~np.isnan(column)])
    n = len(x)
    return float(2 * (2 * np.arange(n) - n + 1) @ (x - x[0]) / max(n * (n - 1), 1))
