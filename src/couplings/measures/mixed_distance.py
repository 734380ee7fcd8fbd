"""One distance for tables of categories and numbers: Gower's, with learned distances of values."""

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from couplings._checks import check_choice, did_you_mean
from couplings._domains import UNKNOWN_RULES, Extras
from couplings._params import Params, Transformer
from couplings.errors import MeasureError, MissingValuesError, TableError
from couplings.measures.base import ValueMeasure, require_dissimilarity
from couplings.measures.registry import measure_from
from couplings.mixed import MixedTable, number_columns
from couplings.reading import array_of, check_filled, check_unique, counted, order_of
from couplings.spaces import ObjectSpace, extended_block, k_nearest
from couplings.values import ValueMatrices

if TYPE_CHECKING:
    import pandas as pd

MISSING = ("ignore", "mismatch", "raise")


@dataclass(eq=False, repr=False)
class MixedDistance(Params):
    """Distance of objects with categories and numbers, any measure for the categories.

    The weighted mean of one difference per attribute, as Gower defines it:
    ``D(u, v) = sum_k w_k d_k(u, v) / sum_k w_k``. For a number ``d = |a - b| / range``, for a
    category the distance of the two values that a measure has learned from the other categories,
    divided by the largest of the attribute, so that every attribute has the same part in D. With
    simple matching this is Gower's distance.

    Parameters
    ----------
    measure : str or ValueMeasure, default "dilca_rr"
        For the categories; its dissimilarity has to be a sum over the attributes. With a single
        categorical attribute only measures that need no other attributes work.
    weights : mapping from name to float, or sequence of float, optional
        Weight of each attribute, not negative; a sequence in the order of the columns. Attributes
        that a mapping does not name have weight 1. Default: 1 for all.
    missing : {"ignore", "mismatch", "raise"}, default "ignore"
        "ignore": an attribute that is missing in either object is left out of both sums, as Gower
        does. "mismatch": it is at its largest difference, 1 for numbers; two missing cells of an
        attribute agree. "raise": refuse it. The measure learns a missing cell as a value.
    unknown : {"raise", "mismatch", "typical"}, default "raise"
        Rule for categories that `fit` has not seen, as in `ValueMeasure`.

    Attributes
    ----------
    measure_ : ValueMeasure or None
        Fitted on the categories; None if there are none.
    ranges_ : ndarray of float64, shape (r,)
        Range of each number in `fit`. A number that is constant there adds nothing to D.
    weights_ : ndarray of float64, shape (m,)
        In the order of the columns of `fit`.
    numeric_features_, categorical_features_ : tuple of str
        Names of both kinds of columns.
    feature_names_in_ : ndarray of str, shape (m,)
    n_features_in_ : int

    References
    ----------
    Gower, Biometrics 27 (1971).

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

    measure: str | ValueMeasure = "dilca_rr"
    weights: Mapping[str, float] | Sequence[float] | None = None
    _: KW_ONLY
    missing: str = "ignore"
    unknown: str = "raise"

    kind = "dissimilarity"
    _sign_of_fit = "ranges_"
    __sklearn_tags__ = Transformer.__sklearn_tags__

    def fit(self, X: Any, y: object = None) -> Self:
        """Learn the distances of the values and the ranges of the numbers.

        Parameters
        ----------
        X : DataFrame, MixedTable, CategoricalTable or array_like
            At least two objects. Columns of numbers are numeric, all others categorical; numbers
            that are labels have to be marked: ``df["code"].astype("category")``.
        y : object
            Ignored.

        Raises
        ------
        MissingValuesError
            If a cell is missing and `missing` is "raise".
        TableError
            If the data are no table.
        MeasureError
            If a parameter does not fit, or the measure cannot be computed.
        """
        owner = type(self).__name__
        check_choice(owner, "missing", self.missing, MISSING)
        check_choice(owner, "unknown", self.unknown, UNKNOWN_RULES)
        frame = _frame(X)
        if len(frame) < 2:
            raise TableError(f"the data have {len(frame)} sample (row); at least two are needed")
        self._is_number = np.array(number_columns(frame))
        self.feature_names_in_ = np.array(frame.columns, dtype=object)
        self.n_features_in_ = frame.shape[1]
        self.numeric_features_ = tuple(frame.columns[self._is_number])
        self.categorical_features_ = tuple(frame.columns[~self._is_number])
        self.weights_ = self._checked_weights(list(frame.columns))
        numbers = self._numbers(frame)
        if len(numbers) and np.isnan(numbers).all(axis=0).any():
            name = self.numeric_features_[int(np.argmax(np.isnan(numbers).all(axis=0)))]
            raise TableError(f"column {name!r} has missing values only; drop it")
        self._low = np.nanmin(numbers, axis=0) if numbers.size else np.zeros(0)
        self.ranges_ = np.nanmax(numbers, axis=0) - self._low if numbers.size else np.zeros(0)
        self.measure_: ValueMeasure | None = None
        self._blocks: list[np.ndarray] = []
        self._shares: list[np.ndarray] = []
        if self.categorical_features_:
            self._learn_values(frame.loc[:, ~self._is_number])
        return self

    def pairwise(self, X: Any, Y: Any = None) -> np.ndarray:
        """Return the distances of objects.

        Parameters
        ----------
        X, Y : DataFrame, MixedTable, CategoricalTable or array_like
            n_x and n_y objects, one is enough; columns are matched by name. Default of Y: X.

        Returns
        -------
        ndarray, shape (n_x, n_y)
            Not negative; at most 1 between objects whose numbers are in the ranges of `fit`.

        Raises
        ------
        NotFittedError
            If `fit` has not been called.
        MissingValuesError
            If a cell is missing and `missing` is "raise".
        MeasureError
            If there are other attributes than in `fit`, if a value is unknown and `unknown` is
            "raise", or if two objects have no attribute that is missing in neither.
        """
        parts, extras = self._parts(X, Y)
        found = self._between(parts[0], parts[-1], extras)
        if np.isnan(found).any():
            u, v = np.argwhere(np.isnan(found))[0]
            raise MeasureError(
                f"objects {u} and {v} have no attribute that is missing in neither, so there is "
                "no distance between them; drop such objects or set missing='mismatch'"
            )
        return found

    def kneighbors(
        self,
        X: Any,
        n_neighbors: int = 5,
        among: Any = None,
        return_distance: bool = True,
    ) -> tuple[np.ndarray, np.ndarray] | np.ndarray:
        """Return the nearest objects, in blocks; as `ValueMeasure.kneighbors`.

        Objects that have no attribute that is missing in neither are infinitely far apart.
        """
        parts, extras = self._parts(X, among)
        queries, searched = parts[0], parts[-1]
        distances, indices = k_nearest(
            type(self).__name__,
            lambda rows: np.nan_to_num(
                self._between((queries[0][rows], queries[1][rows]), searched, extras), nan=np.inf
            ),
            (len(queries[0]), len(searched[0])),
            n_neighbors,
            others=among is None,
        )
        return (distances, indices) if return_distance else indices

    # --- learning -------------------------------------------------------------------------------

    def _checked_weights(self, names: list[str]) -> np.ndarray:
        given = self.weights
        if given is None:
            return np.ones(len(names))
        if isinstance(given, Mapping):
            for name in given:
                if name not in names:
                    raise MeasureError(
                        f"weights: no column is called {name!r}{did_you_mean(name, names)}; the "
                        f"columns: {', '.join(names)}"
                    )
            given = [given.get(name, 1.0) for name in names]
        weights = np.asarray(given, dtype=np.float64)
        if weights.shape != (len(names),):
            raise MeasureError(f"{len(names)} weights are needed, not {weights.size}")
        if not np.isfinite(weights).all() or (weights < 0).any() or not weights.any():
            raise MeasureError("weights are finite, not negative, and not all 0")
        return weights

    def _learn_values(self, categories: "pd.DataFrame") -> None:
        """Learn the measure of the categories, and the differences of their values."""
        owner = type(self).__name__
        measure = measure_from(self.measure)
        require_dissimilarity(measure, owner)
        if not isinstance(measure, ValueMeasure):
            raise MeasureError(f"{owner} takes measures of values, not {measure!r}")
        rules = {"missing": self._missing_rule, "unknown": self.unknown}
        measure = type(measure)(**{**measure.get_params(deep=False), **rules}).fit(categories)
        space = measure._metric
        if not isinstance(space, ObjectSpace) or space.link not in ("sum", "rss", "jaccard"):
            raise MeasureError(
                f"the dissimilarity of {measure!r} is no sum over the attributes, so it has "
                "no difference per attribute; choose another measure"
            )
        self.measure_, domains = measure, measure._domains
        self._shares = [domains.shares(j) for j in range(domains.n_attributes)]
        for j, share in enumerate(self._shares):
            block = space.matrices.block(j)
            if space.link == "rss":
                block = np.sqrt(block)
            largest = block[np.ix_(share > 0, share > 0)].max()
            self._blocks.append(block / largest if largest > 0 else block)

    @property
    def _missing_rule(self) -> str:
        """Return the rule for missing cells of the measure."""
        return "raise" if self.missing == "raise" else "mismatch"

    # --- objects --------------------------------------------------------------------------------

    def _parts(self, X: Any, Y: Any) -> tuple[list[tuple[np.ndarray, np.ndarray]], Extras]:
        """Return scaled numbers and codes of objects, and what is new among their values.

        The code is -1 for a missing cell that is to be left out.
        """
        self._require_fit()
        owner, names = type(self).__name__, list(self.feature_names_in_)
        extras = Extras.of(len(self.categorical_features_))
        parts = []
        for data in (X, Y):
            if data is None:
                continue
            frame = _frame(data)
            frame = frame.iloc[:, order_of(owner, list(frame.columns), names)]
            spread = np.where(self.ranges_ > 0, self.ranges_, np.inf)
            scaled = (self._numbers(frame) - self._low) / spread
            codes = np.zeros((len(frame), 0), dtype=np.int32)
            if self.measure_ is not None:
                categories = frame.loc[:, ~self._is_number]
                rules = (self._missing_rule, self.unknown)
                codes = self.measure_._domains.encode(categories, owner, *rules, extras)
                if self.missing == "ignore":
                    codes[categories.isna().to_numpy()] = -1
            parts.append((scaled, codes))
        return parts, extras

    def _numbers(self, frame: "pd.DataFrame") -> np.ndarray:
        """Return the numeric columns, float64, NaN where missing."""
        columns = frame.loc[:, self._is_number]
        for name, holds in zip(columns, number_columns(columns), strict=True):
            if not holds and not columns[name].isna().all():
                dtype = columns[name].dtype
                raise MeasureError(f"column {name!r} held numbers in fit, and now {dtype}")
        numbers = columns.to_numpy(dtype=np.float64, na_value=np.nan)
        if np.isinf(numbers).any():
            name = columns.columns[int(np.isinf(numbers).any(axis=0).argmax())]
            raise TableError(f"column {name!r} has infinite numbers (inf)")
        absent = np.isnan(numbers).sum(axis=0)
        if self.missing == "raise" and absent.any():
            raise MissingValuesError(
                f"missing cells (NaN) in {counted(list(columns.columns), absent)}: fill or drop "
                "them, or set missing='ignore' or missing='mismatch'"
            )
        return numbers

    def _between(
        self,
        a: tuple[np.ndarray, np.ndarray],
        b: tuple[np.ndarray, np.ndarray],
        extras: Extras,
    ) -> np.ndarray:
        from couplings._kernels import objects

        blocks = [
            extended_block(block, share, rules) if rules else block
            for block, share, rules in zip(self._blocks, self._shares, extras.rules, strict=True)
        ]
        matrices = ValueMatrices.from_blocks(blocks)
        out = np.empty((len(a[0]), len(b[0])))
        objects.weighted_means(
            np.ascontiguousarray(a[0]),
            np.ascontiguousarray(b[0]),
            np.ascontiguousarray(a[1]),
            np.ascontiguousarray(b[1]),
            self.weights_[self._is_number],
            self.weights_[~self._is_number],
            matrices.data,
            matrices.starts,
            matrices.n_values,
            self.missing == "ignore",
            out,
        )
        return out


def _frame(X: Any) -> "pd.DataFrame":
    """Return data as a pandas data frame whose column names are text."""
    import pandas as pd

    if isinstance(X, MixedTable):
        numbers = pd.DataFrame(X.numeric, columns=list(X.names))
        frame = pd.concat([X.categorical.to_pandas(), numbers], axis=1)
    elif isinstance(X, pd.DataFrame):
        frame = X
    elif hasattr(X, "to_pandas"):
        frame = X.to_pandas()
    else:
        rows = X if isinstance(X, list) else array_of(X)
        frame = pd.DataFrame(rows).infer_objects()
    names = [str(name) for name in frame.columns]
    check_unique(names)
    check_filled(frame.shape)
    return frame.set_axis(names, axis=1)
