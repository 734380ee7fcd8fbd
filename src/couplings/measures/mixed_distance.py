"""One distance for tables of categories and numbers: Gower's, with learned distances of values."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from couplings._domains import UNKNOWN_RULES, Domains, Extras
from couplings._neighbours import k_nearest
from couplings._output import Transformer, embedded_only
from couplings._params import check_choice, did_you_mean
from couplings.embedding import Embedding
from couplings.errors import MeasureError, MissingValuesError, NotFittedError, TableError
from couplings.measures.base import ValueMeasure, require_dissimilarity
from couplings.measures.registry import measure_from
from couplings.mixed import MixedTable
from couplings.reading import counted
from couplings.spaces import ObjectSpace, extended_block
from couplings.table import CategoricalTable

if TYPE_CHECKING:
    import pandas as pd

NUMERIC = ("range", "squared")
MISSING = ("ignore", "mismatch", "raise")
SCALES = ("largest", "none")


class MixedDistance(Transformer):
    """Distance of objects with categories and numbers, any measure for the categories.

    The weighted mean of one difference per attribute, as Gower defines it:
    ``D(u, v) = sum_k w_k d_k(u, v) / sum_k w_k``. For a number ``d = |a - b| / range``, for a
    category the distance of the two values that a measure has learned from the other categories.
    With simple matching this is Gower's distance.

    Parameters
    ----------
    measure : str or ValueMeasure, default "dilca_rr"
        For the categories; its dissimilarity has to be a sum over the attributes. With a single
        categorical attribute only measures that need no other attributes work.
    weights : mapping from name to float, or sequence of float, optional
        Weight of each attribute, not negative; a sequence in the order of the columns. Attributes
        that a mapping does not name have weight 1. Default: 1 for all.
    numeric : {"range", "squared"}, default "range"
        "range": as above. "squared": D is the root of the weighted mean of
        ``((a - b) / range)^2`` and of the squared distances of values; it is the Euclidean distance
        of the rows that `transform` gives.
    scale : {"largest", "none"}, default "largest"
        "largest": the distances of the values of an attribute are divided by the largest of them,
        so that every attribute has the same part in D. "none": they are as the measure gives them.
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

    kind = "dissimilarity"

    def __init__(
        self,
        measure: str | ValueMeasure = "dilca_rr",
        weights: Mapping[str, float] | Sequence[float] | None = None,
        numeric: str = "range",
        *,
        scale: str = "largest",
        missing: str = "ignore",
        unknown: str = "raise",
    ) -> None:
        self.measure = measure
        self.weights = weights
        self.numeric = numeric
        self.scale = scale
        self.missing = missing
        self.unknown = unknown

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
        check_choice(owner, "numeric", self.numeric, NUMERIC)
        check_choice(owner, "scale", self.scale, SCALES)
        check_choice(owner, "missing", self.missing, MISSING)
        check_choice(owner, "unknown", self.unknown, UNKNOWN_RULES)
        frame = _frame(X)
        if len(frame) < 2:
            raise TableError(f"the data have {len(frame)} sample (row); at least two are needed")
        is_number = [_is_number(dtype) for dtype in frame.dtypes]
        self.feature_names_in_ = np.array(frame.columns, dtype=object)
        self.n_features_in_ = frame.shape[1]
        self.numeric_features_ = tuple(frame.columns[is_number])
        self.categorical_features_ = tuple(frame.columns[np.logical_not(is_number)])
        self.weights_ = self._checked_weights(list(frame.columns))
        numbers = self._numbers(frame)
        if len(numbers) and np.isnan(numbers).all(axis=0).any():
            name = self.numeric_features_[int(np.argmax(np.isnan(numbers).all(axis=0)))]
            raise TableError(f"column {name!r} has missing values only; drop it")
        self._low = np.nanmin(numbers, axis=0) if numbers.size else np.zeros(0)
        self.ranges_ = np.nanmax(numbers, axis=0) - self._low if numbers.size else np.zeros(0)
        self.measure_ = None
        if self.categorical_features_:
            self.measure_ = self._learned_measure(frame[list(self.categorical_features_)])
        self._blocks, self._shares = self._value_distances()
        self._embedding = self._embedded()
        return self

    def pairwise(
        self,
        X: Any,
        Y: Any = None,
        out: np.ndarray | None = None,
        dtype: DTypeLike = np.float64,
    ) -> np.ndarray:
        """Return the distances of objects.

        Parameters
        ----------
        X, Y : DataFrame, MixedTable, CategoricalTable or array_like
            n_x and n_y objects, one is enough; columns are matched by name. Default of Y: X.
        out : ndarray of float64, shape (n_x, n_y), optional
            Buffer to write into.
        dtype : {float64, float32}, default float64
            Type of the result, if there is no `out`.

        Returns
        -------
        ndarray, shape (n_x, n_y)
            Not negative; at most 1 between objects whose numbers are in the ranges of `fit`,
            with ``scale="largest"``.

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
        if out is not None:
            out[:] = found
            return out
        return found.astype(dtype, copy=False)

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

    @embedded_only
    def transform(self, X: Any, dtype: DTypeLike = np.float64) -> Any:
        """Embed objects: `pairwise` gives the Euclidean distances of these rows.

        Only with ``numeric="squared"``. What is cut off to make it so is `embedding_defect_`.

        Parameters
        ----------
        X : DataFrame, MixedTable, CategoricalTable or array_like
            n objects without missing cells, one is enough.
        dtype : {float64, float32}, default float64
            Type of the result.

        Returns
        -------
        ndarray of `dtype`, shape (n, q)
            The numbers first. A data frame if `set_output` asks for one.

        Raises
        ------
        MissingValuesError
            If a cell is missing.
        CouplingsError
            As `pairwise`.
        """
        ((numbers, codes),), _ = self._parts(X, None)
        if np.isnan(numbers).any() or (codes < 0).any():
            raise MissingValuesError(
                "objects with missing cells (NaN) have no place among the others: fill them, or "
                "use pairwise or kneighbors"
            )
        number_weights, code_weights = self._split_weights()
        whole = self.weights_.sum()
        rows = [numbers * np.sqrt(number_weights / whole)]
        if self._embedding is not None:
            sizes = np.array([len(share) for share in self._shares])
            # All unseen values of an attribute are one point.
            codes = np.minimum(codes, sizes)
            columns = self._embedding.rows(codes)
            widths = [table.shape[1] for table in self._embedding.tables]
            rows.append(columns * np.sqrt(np.repeat(code_weights / whole, widths)))
        return self._contained(np.hstack(rows).astype(dtype, copy=False), X)

    @embedded_only
    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> np.ndarray:
        """Return the names of the columns of `transform`."""
        self._require_fit()
        if input_features is not None and len(np.asarray(input_features)) != self.n_features_in_:
            raise MeasureError(
                "input_features should have length equal to the number of features of fit, "
                f"{self.n_features_in_}"
            )
        names = list(self.numeric_features_)
        if self._embedding is not None:
            for name, table in zip(self.categorical_features_, self._embedding.tables, strict=True):
                names += [f"{name}_{i}" for i in range(table.shape[1])]
        return np.array(names, dtype=object)

    @property
    def embedding_defect_(self) -> float:
        """Share of the eigenvalues of the values that `transform` cuts off; 0 if it is exact."""
        self._require_fit()
        return 0.0 if self._embedding is None else self._embedding.defect

    def _embeds(self) -> bool:
        return self.numeric == "squared"

    def _why_not_embedded(self) -> str:
        return "set numeric='squared'; a mean of absolute differences has no columns of its own"

    def _require_fit(self) -> None:
        if not hasattr(self, "ranges_"):
            raise NotFittedError(f"this {type(self).__name__} is not fitted yet; call fit first")

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

    def _learned_measure(self, categories: "pd.DataFrame") -> ValueMeasure:
        """Return the measure of the categories, fitted."""
        measure = measure_from(self.measure)
        require_dissimilarity(measure, "MixedDistance")
        if not isinstance(measure, ValueMeasure):
            raise MeasureError(f"MixedDistance takes measures of values, not {measure!r}")
        measure = type(measure)(**measure.get_params(deep=False))
        rule = "raise" if self.missing == "raise" else "mismatch"
        measure.set_params(missing=rule, unknown=self.unknown)
        measure.fit(categories)
        _additive(measure)
        return measure

    def _value_distances(self) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """Return the differences of the values of each category, and the shares of the values."""
        if self.measure_ is None:
            return [], []
        domains: Domains = self.measure_._domains
        space = _additive(self.measure_)
        blocks = []
        for j in range(domains.n_attributes):
            block = space.matrices.block(j)
            if space.link == "rss" and self.numeric == "range":
                block = np.sqrt(block)
            if self.scale == "largest":
                seen = domains.shares(j) > 0
                largest = block[np.ix_(seen, seen)].max()
                block = block / largest if largest > 0 else block
            blocks.append(block)
        return blocks, [domains.shares(j) for j in range(domains.n_attributes)]

    def _embedded(self) -> Embedding | None:
        from couplings.values import ValueMatrices

        if not self._blocks:
            return None
        rules = () if self.unknown == "raise" else (self.unknown,)
        return Embedding(ValueMatrices.from_blocks(self._blocks), self._shares, rules)

    # --- objects --------------------------------------------------------------------------------

    def _parts(self, X: Any, Y: Any) -> tuple[list[tuple[np.ndarray, np.ndarray]], Extras]:
        """Return scaled numbers and codes of objects, and what is new among their values."""
        self._require_fit()
        extras = Extras.of(len(self.categorical_features_))
        parts = []
        for data in (X, Y):
            if data is None:
                continue
            frame = self._aligned(_frame(data))
            numbers = self._numbers(frame)
            spread = np.where(self.ranges_ > 0, self.ranges_, np.inf)
            scaled = (numbers - self._low) / spread
            codes = np.zeros((len(frame), 0), dtype=np.int32)
            if self.measure_ is not None:
                known = self.measure_._domains
                codes = self._codes(frame[list(self.categorical_features_)], known, extras)
            parts.append((scaled, codes))
        return parts, extras

    def _codes(self, categories: "pd.DataFrame", domains: Domains, extras: Extras) -> np.ndarray:
        """Return the codes of categories; -1 for a missing cell that is to be left out."""
        rule = "raise" if self.missing == "raise" else "mismatch"
        owner = type(self).__name__
        codes = domains.encode(categories, owner, rule, self.unknown, extras)
        if self.missing == "ignore":
            codes[categories.isna().to_numpy()] = -1
        return codes

    def _aligned(self, frame: "pd.DataFrame") -> "pd.DataFrame":
        """Return the columns in the order of the fit."""
        names = list(self.feature_names_in_)
        if frame.shape[1] != len(names):
            raise MeasureError(
                f"X has {frame.shape[1]} features, but {type(self).__name__} is expecting "
                f"{len(names)} features as input"
            )
        if set(frame.columns) != set(names):
            new = [name for name in frame.columns if name not in names]
            gone = [name for name in names if name not in set(frame.columns)]
            raise MeasureError(
                f"{type(self).__name__}: the feature names should match those of fit; not seen in "
                f"fit: {', '.join(new)}; missing now: {', '.join(gone)}"
            )
        return frame[names]

    def _numbers(self, frame: "pd.DataFrame") -> np.ndarray:
        """Return the numeric columns, float64, NaN where missing."""
        columns = frame[list(self.numeric_features_)]
        for name, dtype in columns.dtypes.items():
            if not _is_number(dtype) and not columns[name].isna().all():
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

    def _split_weights(self) -> tuple[np.ndarray, np.ndarray]:
        by_name = dict(zip(self.feature_names_in_, self.weights_, strict=True))
        numeric, categorical = (
            np.array([by_name[name] for name in names], dtype=np.float64)
            for names in (self.numeric_features_, self.categorical_features_)
        )
        return numeric, categorical

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
        sizes = np.array([len(block) for block in blocks], dtype=np.int64)
        starts = np.concatenate([[0], np.cumsum(sizes**2)]).astype(np.int64)
        data = np.concatenate([block.ravel() for block in blocks]) if blocks else np.zeros(0)
        out = np.empty((len(a[0]), len(b[0])))
        objects.weighted_means(
            np.ascontiguousarray(a[0]),
            np.ascontiguousarray(b[0]),
            np.ascontiguousarray(a[1]),
            np.ascontiguousarray(b[1]),
            *self._split_weights(),
            data,
            starts,
            sizes,
            self.numeric == "squared",
            self.missing == "ignore",
            out,
        )
        return out

    def __sklearn_is_fitted__(self) -> bool:
        """Tell scikit-learn whether `fit` has been called."""
        return hasattr(self, "ranges_")

    def __sklearn_tags__(self) -> object:
        """Describe the estimator to scikit-learn."""
        from sklearn.utils import InputTags, Tags, TargetTags, TransformerTags

        return Tags(
            estimator_type=None,
            target_tags=TargetTags(required=False),
            transformer_tags=TransformerTags(preserves_dtype=[]) if self._embeds() else None,
            input_tags=InputTags(categorical=True, string=True, allow_nan=self.missing != "raise"),
        )


def _frame(X: Any) -> "pd.DataFrame":
    """Return data as a pandas data frame whose column names are text."""
    import pandas as pd

    if isinstance(X, MixedTable):
        frame = X.categorical.to_pandas()
        for name, column in zip(X.names, X.numeric.T, strict=True):
            frame[name] = column
    elif isinstance(X, CategoricalTable):
        frame = X.to_pandas()
    elif isinstance(X, pd.DataFrame):
        frame = X
    elif hasattr(X, "to_pandas"):
        frame = X.to_pandas()
    else:
        frame = _frame_of_rows(X)
    names = [str(name) for name in frame.columns]
    if len(set(names)) < len(names):
        raise TableError("a column name occurs twice; rename one of them")
    if 0 in frame.shape:
        axis = "sample" if len(frame) == 0 else "feature"
        raise TableError(
            f"Found array with 0 {axis}(s) (shape={frame.shape}) while a minimum of 1 is required."
        )
    return frame.set_axis(names, axis=1)


def _frame_of_rows(X: Any) -> "pd.DataFrame":
    import pandas as pd

    if hasattr(X, "tocsr"):
        raise TableError("sparse data are not taken; pass a dense array or a data frame")
    array = X if isinstance(X, list) else np.asarray(X)
    if np.ndim(array) == 1 and not isinstance(array, list):
        raise TableError(
            "Expected 2D array, got 1D array instead: Reshape your data, one row per object"
        )
    if isinstance(array, np.ndarray) and array.ndim != 2:
        raise TableError(f"data must be a 2-D array, not {array.ndim}-D")
    if isinstance(array, np.ndarray) and array.dtype.kind == "c":
        raise TableError("Complex data not supported")
    return pd.DataFrame(array).infer_objects()


def _additive(measure: ValueMeasure) -> ObjectSpace:
    """Return the space of a fitted measure, or refuse one that has no difference per attribute."""
    space = measure._metric
    if not isinstance(space, ObjectSpace) or space.link not in ("sum", "rss", "jaccard"):
        raise MeasureError(
            f"the dissimilarity of {measure!r} is no sum over the attributes, so it has no "
            "difference per attribute; choose another measure"
        )
    return space


def _is_number(dtype: Any) -> bool:
    import pandas as pd

    return pd.api.types.is_numeric_dtype(dtype) and not pd.api.types.is_bool_dtype(dtype)
