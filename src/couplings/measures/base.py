"""Base classes of the measures, which learn value matrices from co-occurrence counts."""

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from couplings._checks import check_positive
from couplings._domains import Domains, Extras, Points, Unknown, learn_domains
from couplings._params import Transformer, distinct_names, embedded_only, index_of
from couplings._weights import present_only, select_rows
from couplings.counts import CooccurrenceCounts, Data, cooccurrence
from couplings.embedding import Embedding
from couplings.errors import MeasureError, TableError
from couplings.reading import refuse
from couplings.spaces import (
    CentredSpace,
    ObjectSpace,
    Plain,
    QuotientSpace,
    centred,
    extended_blocks,
    k_nearest,
    with_zero_self_distance,
)
from couplings.table import CategoricalTable, Objects
from couplings.values import ValueMatrices

if TYPE_CHECKING:
    import pandas as pd

# Rules under which unseen values get no column in `transform`.
_SILENT = ("raise", "warn")
_IS_SIMILARITY = (
    "{name} is a similarity (large for similar objects): use {name}(...).as_distance() "
    "where distances are needed, or similarities(X) for the similarities themselves"
)


def require_dissimilarity(measure: Any, where: str) -> None:
    """Raise `MeasureError` if a measure is a similarity; the message begins with `where`."""
    if getattr(measure, "kind", "dissimilarity") == "similarity":
        name = type(measure).__name__
        raise MeasureError(f"{where} needs distances; {_IS_SIMILARITY.format(name=name)}")


def with_rules(measure: Any, owner: str, missing: str, unknown: str) -> "ValueMeasure":
    """Return a dissimilarity of values, not fitted, with these rules; or raise `MeasureError`."""
    require_dissimilarity(measure, owner)
    if not isinstance(measure, ValueMeasure):
        raise MeasureError(f"{owner} needs a measure of values, not {measure!r}")
    given = measure.get_params(deep=False)
    return type(measure)(**{**given, "missing": missing, "unknown": unknown})


@dataclass(eq=False, repr=False)
class ValueMeasure(Transformer):
    """Base class of the measures; a subclass implements `_values`.

    Parameters
    ----------
    missing : {"raise", "value", "mismatch"}, default "raise"
        Rule for missing cells. "raise": refuse them. "value": treat *missing* as one more value of
        the attribute. "mismatch": the same, but a missing cell is as far from every value as the
        two farthest values of the attribute are from each other (of an attribute with one value:
        as the farthest values of any attribute). Two missing cells of an attribute agree.
    unknown : {"warn", "raise", "mismatch", "typical"}, default "warn"
        Rule for values that `fit` has not seen, in `pairwise`, `kneighbors` and `transform`.
        "mismatch": as far from every value as the two farthest values of the attribute are from
        each other. "warn": the same, with an `UnknownValueWarning`; `transform` adds no column for
        them, but places them at the mean of the attribute. "raise": refuse them. "typical": at the
        mean distance between values of the attribute, weighted by frequency, in the terms of
        `space_`. Equal unseen values agree.

    Attributes
    ----------
    value_matrices_ : ValueMatrices
        One matrix over the values of each attribute.
    space_ : ObjectSpace
        The dissimilarity of objects built from them, as published.
    n_attributes_, n_features_in_ : int
        Number of attributes seen by `fit`.
    feature_names_in_ : ndarray of str, shape (m,)
        Names of the attributes, if the data have names.
    categories_ : tuple of m tuples of str
        Values of each attribute; None after a fit on counts without labels.
    """

    _: KW_ONLY
    missing: Literal["raise", "value", "mismatch"] = "raise"
    unknown: Unknown = "warn"

    kind: ClassVar[str] = "dissimilarity"
    """"similarity" if `space_` is larger for more similar objects."""
    _needs_context: ClassVar[bool] = False

    self_distance = "zero"
    aggregation = "sum"

    # --- learning -------------------------------------------------------------------------------

    @present_only
    def fit(self, X: Data, y: object = None, sample_weight: ArrayLike | None = None) -> Self:
        """Learn the value matrices.

        Parameters
        ----------
        X : CooccurrenceCounts, CategoricalTable, DataFrame or array_like of shape (n, m)
            Only the co-occurrence counts are used. Every distinct entry of an array column is a
            value, including numbers; so are whole numbers in a data frame, but columns of
            fractions are refused.
        y : object, ignored
        sample_weight : array_like of float, shape (n,), optional
            Number of objects that each row represents. A row of weight 0 is absent, but its values
            are known: they count as mismatches without a warning.

        Returns
        -------
        Self

        Raises
        ------
        MissingValuesError
            If a cell is missing and `missing` is "raise".
        TableError
            If the data are not a table of categorical attributes, or if counts come with weights.
        MeasureError
            If the measure needs other attributes and the data have only one, or if it is undefined.
        """
        owner = self._owner
        self._check_choices()
        if isinstance(X, CooccurrenceCounts):
            if sample_weight is not None:
                raise TableError(f"{owner}: counts include their weights; omit sample_weight")
            counts, domains = X, Domains.of_counts(X)
            self._fitted: CategoricalTable | None = None
        else:
            table, domains = learn_domains(X, owner, self.missing, sample_weight)
            counts = cooccurrence(table, sample_weight)
            self._fitted = table
        self._rows: np.ndarray | None = None
        if self._needs_context and counts.n_attributes < 2:
            raise MeasureError(
                f"{owner} compares the values of an attribute by the other attributes, but there "
                "is only one (1 feature(s)); use SimpleMatching or add an attribute"
            )
        return self._learned(counts, domains, self._values(counts))

    def _learned(self, counts: CooccurrenceCounts, domains: Domains, values: ValueMatrices) -> Self:
        self._domains = domains
        self.categories_ = domains.categories
        self.n_attributes_ = counts.n_attributes
        self._remember_features(domains.names, counts.n_attributes)
        self.value_matrices_ = values
        self.space_ = self._space(values, counts)
        self._metric: Plain | CentredSpace = self.space_
        if self.kind == "dissimilarity" and self.self_distance == "zero":
            self._metric = with_zero_self_distance(self.space_)
        self._embedding = self._embedded()
        return self

    def _know_absent(self, X: Objects, rows: np.ndarray) -> None:
        """Know the values of the rows of weight 0, and the rows that were fitted."""
        self._domains = self._domains.knowing(select_rows(X, ~rows), self._owner)
        self._rows = np.flatnonzero(rows)

    def _values(self, counts: CooccurrenceCounts) -> ValueMatrices:
        """Return the value matrices."""
        raise NotImplementedError

    def _space(self, values: ValueMatrices, counts: CooccurrenceCounts) -> Plain:
        """Return the object space, by default the one of `aggregation`."""
        if self.aggregation == "sum":
            return ObjectSpace(values, "sum")
        return ObjectSpace(squared(values), "rss")

    # --- dissimilarities of objects -------------------------------------------------------------

    def pairwise(
        self, X: Objects, Y: Objects | None = None, dtype: DTypeLike = np.float64
    ) -> np.ndarray:
        """Return the dissimilarities of objects.

        Parameters
        ----------
        X, Y : CategoricalTable, DataFrame or array_like
            n_x and n_y objects (at least one) over the attributes of `fit`. Named columns may come
            in any order; values are matched by label. Default of Y: X.
        dtype : {float64, float32}, default float64
            Type of the result and of the sums.

        Returns
        -------
        ndarray of float64 or float32, shape (n_x, n_y)
            0 for objects with equal values. A measure whose published form differs there has the
            parameter `self_distance`.

        Raises
        ------
        NotFittedError
            If `fit` has not been called.
        MissingValuesError
            If a cell is missing and `missing` is "raise".
        MeasureError
            If the attributes differ from those of `fit`, if a value is unknown and `unknown` is
            "raise", or if the measure is a similarity.
        """
        self._require_distance("pairwise")
        tables, extras = self._tables(X, Y)
        space = self._space_with(self._metric, extras)
        return space.between(tables[0], tables[-1], dtype=dtype)

    def kneighbors(
        self,
        X: Objects | None = None,
        n_neighbors: int = 5,
        return_distance: bool = True,
        *,
        among: Objects | None = None,
    ) -> tuple[np.ndarray, np.ndarray] | np.ndarray:
        """Return the nearest fitted objects, computed in blocks without a matrix of all pairs.

        Parameters
        ----------
        X : CategoricalTable, DataFrame or array_like, optional
            n objects. Default: those of `fit`; no object is its own neighbour.
        n_neighbors : int, default 5
            Number of neighbours of each object, k.
        return_distance : bool, default True
            Whether to return the dissimilarities.
        among : CategoricalTable, DataFrame or array_like, optional
            Objects to search. Default: those of `fit`.

        Returns
        -------
        distances : ndarray of float64, shape (n, k)
            In increasing order.
        indices : ndarray of int64, shape (n, k)
            Rows of the data of `fit`, or of `among`. Ties keep the first rows.

        Raises
        ------
        CouplingsError
            As `pairwise`; also if fewer than `n_neighbors` objects can be searched, or if `fit`
            took counts, which hold no objects.
        """
        self._require_distance("kneighbors")
        if self._fitted is None and (X is None or among is None):
            raise MeasureError(
                f"{type(self).__name__} was fitted on counts, which hold no objects to search; "
                "pass X and among, or fit on the table"
            )
        tables, extras = self._tables(
            self._fitted if X is None else X, self._fitted if among is None else among
        )
        queries, searched = tables[0], tables[-1]
        space = self._space_with(self._metric, extras)
        found = k_nearest(
            type(self).__name__,
            lambda rows: space.between(queries.take(rows), searched),
            (queries.n_objects, searched.n_objects),
            n_neighbors,
            others=X is None and among is None,
            return_distance=return_distance,
        )
        if self._rows is None or among is not None:
            return found
        if isinstance(found, tuple):
            return found[0], self._rows[found[1]]
        return self._rows[found]

    def _tables(self, X: Objects, Y: Objects | None) -> tuple[list[CategoricalTable], Extras]:
        """Return objects as tables over common domains, and values that `fit` has not seen."""
        self._require_fit()
        if X is None:
            refuse(X)
        extras = Extras.of(self.n_attributes_)
        codes = [self._encoded(part, extras) for part in (X, Y) if part is not None]
        sizes = np.diff(self._domains.offsets) + [len(labels) for labels in extras.labels]
        return [CategoricalTable._of_checked(part, sizes.tolist()) for part in codes], extras

    def _encoded(self, X: Any, extras: Extras) -> np.ndarray:
        """Return the codes of objects, reusing those of the fitted table."""
        if self._fitted is None or X is not self._fitted:
            return self._domains.encode(X, self._owner, self.missing, self.unknown, extras)
        codes = self._searched
        if self.missing == "mismatch" and (self._domains.missing_code >= 0).any():
            codes = codes.astype(np.int32)
            for j, code in enumerate(self._domains.missing_code):
                absent = codes[:, j] == code
                if code >= 0:
                    size = len(self._domains.shares(j))
                    codes[absent, j] = size + extras.index(j, None, "mismatch")
        return codes

    @property
    def _searched(self) -> np.ndarray:
        """Codes of the fitted table, of the type of the kernels; kept, as every search needs it."""
        found = self.__dict__.get("_codes_of_fit")
        if found is None or found[0] is not self._fitted:
            table: Any = self._fitted
            found = table, np.asfortranarray(table.codes, dtype=np.int32)
            self._codes_of_fit = found
        return found[1]

    def _space_with(self, space: Any, extras: Extras) -> Any:
        """Return the space over the domains of `fit` extended by unseen and missing values."""
        if not extras:
            return space
        alike = self.kind == "similarity"
        return space.extended(self._domains.all_shares, extras.rules, alike=alike)

    def _require_distance(self, method: str) -> None:
        self._require_fit()
        require_dissimilarity(self, method)

    # --- the exact embedding --------------------------------------------------------------------

    def _embeds(self) -> bool:
        """Return whether the dissimilarity is a function of sums of value dissimilarities."""
        return self.kind == "dissimilarity"

    def _why_not_embedded(self) -> str:
        if self.kind == "similarity":
            return _IS_SIMILARITY.format(name=type(self).__name__)
        return super()._why_not_embedded()

    def _embedded(self) -> Embedding | None:
        """Return the embedding of the values, or None if the dissimilarity has none."""
        space = self.space_
        if not self._embeds() or isinstance(space, QuotientSpace) or space.link == "ratio":
            return None
        matrices = space.matrices
        uneven = any(block.diagonal().any() for block in matrices.blocks)
        if space.link == "rss" and uneven:
            return None
        if space.link == "inverse":
            matrices = ValueMatrices(-matrices.data, matrices.offsets)
        return Embedding(centred(matrices), self._domains.all_shares, self._further())

    def _required_embedding(self) -> Embedding:
        self._require_fit()
        if self._embedding is None:
            raise MeasureError(f"the dissimilarity of {self!r} is not a sum over the attributes")
        return self._embedding

    def _further(self) -> tuple[str, ...]:
        """Return the rules of each attribute's additional points: unseen first, then missing."""
        unseen = ("mean" if self.unknown in _SILENT else self.unknown,)
        return unseen + ("mismatch",) * (self.missing == "mismatch")

    def _point_codes(self, X: Objects) -> np.ndarray:
        """Return the codes of objects, with one code for all unseen values and one for missing."""
        return self._encoded(X, Points([], [list(self._further())] * self.n_attributes_))

    @embedded_only
    def transform(self, X: Objects, dtype: DTypeLike = np.float64) -> Any:
        """Embed objects so that Euclidean distances of rows reproduce the measure.

        An attribute of v values takes at most v - 1 columns. The squared Euclidean distance of two
        rows is the sum of the value dissimilarities in `space_`: the dissimilarity itself for the
        link "sum", its square for "rss", the number of differing attributes for "jaccard", and one
        minus the mean similarity (centred, if self-similarities differ) for "inverse".
        `embedding_defect_` measures what negative eigenvalues cut off.

        Parameters
        ----------
        X : CategoricalTable, DataFrame or array_like
            n objects (at least one), seen by `fit` or not. All unseen values of an attribute
            share one point.
        dtype : {float64, float32}, default float64
            Type of the result.

        Returns
        -------
        ndarray of `dtype`, shape (n, q)
            A data frame if `set_output` requests one.

        Raises
        ------
        CouplingsError
            As `pairwise`.
        """
        rows = self._required_embedding().rows(self._point_codes(X), np.dtype(dtype).type)
        return self._contained(rows, X)

    @embedded_only
    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> np.ndarray:
        """Return the column names of `transform`: attribute and number; all differ.

        Parameters
        ----------
        input_features : array_like of str, shape (m,), optional
            Names of the attributes. Default: those of `fit`, or ``a0``, ``a1``, ...

        Raises
        ------
        MeasureError
            If they differ from the names of `fit`, or from the number of attributes.
        """
        tables = self._required_embedding().tables
        names = self._input_names(input_features)
        further = self._further_names()
        found = []
        for name, table in zip(names, tables, strict=True):
            own = table.shape[1] - len(further)
            found += [f"{name}_{i}" for i in range(own)] + [f"{name}_{kind}" for kind in further]
        return distinct_names(found)

    def _further_names(self) -> list[str]:
        """Return the suffixes of each attribute's additional columns."""
        return ["unseen"] * (self.unknown not in _SILENT) + ["missing"] * (
            self.missing == "mismatch"
        )

    def _input_names(self, input_features: ArrayLike | None) -> list[str]:
        if input_features is None:
            return list(self._domains.attributes)
        names = [str(name) for name in np.asarray(input_features)]
        if len(names) != self.n_attributes_:
            raise MeasureError(
                f"input_features should have length equal to the number of features of fit, "
                f"{self.n_attributes_}, not {len(names)}"
            )
        if self._domains.names is not None and names != list(self._domains.names):
            raise MeasureError("input_features is not equal to feature_names_in_")
        return names

    @property
    def embedding_defect_(self) -> float:
        """Share of the eigenvalues that `transform` cuts off, in [0, 1]; 0 if it is exact."""
        self._require_fit()
        if self._embedding is None:
            raise AttributeError(f"{type(self).__name__} has no embedding")
        return self._embedding.defect

    # --- learned values as labelled tables -------------------------------------------------------

    def value_distances(self, attribute: str | int) -> "pd.DataFrame":
        """Return the distances between the values of one attribute.

        Parameters
        ----------
        attribute : str or int
            Name or position of the attribute.

        Returns
        -------
        DataFrame of float64, shape (v, v)
            Labelled by the values that occur. Entries are the terms that `pairwise` sums, or
            their roots if it sums squares.

        Raises
        ------
        NotFittedError
            If `fit` has not been called.
        MeasureError
            If no attribute has this name, or if the measure compares whole objects only.

        Examples
        --------
        >>> from couplings import DilcaM
        >>> rows = [["step", "wide"], ["step", "slim"], ["sport", "slim"]]
        >>> DilcaM().fit(rows).value_distances("a0").round(2)
               sport  step
        sport   0.00  0.71
        step    0.71  0.00
        """
        import pandas as pd

        matrices = self._summed_matrices()
        j = self._domains.position(attribute)
        seen = np.flatnonzero(self._domains.shares(j) > 0)
        labels = [self._domains.labels(j)[x] for x in seen]
        block = matrices.block(j)[np.ix_(seen, seen)]
        if self.space_.link == "rss":
            block = np.sqrt(block)
        return pd.DataFrame(block, index=labels, columns=labels)

    def value_pairs(self) -> "pd.DataFrame":
        """Return the distance of every pair of values of each attribute, most similar pairs first.

        Errors are those of `value_distances`.

        Returns
        -------
        DataFrame
            Columns ``attribute``, ``value``, ``other``, ``distance``; one row per pair.

        Examples
        --------
        >>> from couplings import SimpleMatching
        >>> SimpleMatching().fit([["step", "wide"], ["sport", "slim"]]).value_pairs()
          attribute  value other  distance
        0        a0  sport  step       1.0
        1        a1   slim  wide       1.0
        """
        import pandas as pd

        rows = [
            (name, block.index[i], block.columns[j], block.iloc[i, j])
            for name in self._domains.attributes
            for block in [self.value_distances(name)]
            for i, j in zip(*np.triu_indices(len(block), 1), strict=True)
        ]
        pairs = pd.DataFrame(rows, columns=["attribute", "value", "other", "distance"])
        return pairs.sort_values("distance", kind="stable", ignore_index=True)

    def value_frequencies(self, attribute: str | int) -> "pd.Series":
        """Return the share of the fitted objects that have each value of one attribute.

        Parameters and errors are those of `value_distances`.
        """
        import pandas as pd

        self._require_fit()
        j = self._domains.position(attribute)
        shares = self._domains.shares(j)
        seen = np.flatnonzero(shares > 0)
        return pd.Series(shares[seen], index=[self._domains.labels(j)[x] for x in seen])

    def oddness(self, X: Any) -> "pd.DataFrame":
        """Return the mean dissimilarity of objects to the fitted ones, attribute by attribute.

        Errors are those of `pairwise`, and `MeasureError` if the measure compares whole objects
        only.

        Parameters
        ----------
        X : CategoricalTable, DataFrame or array_like
            n objects, as for `pairwise`.

        Returns
        -------
        DataFrame of float64, shape (n, m)
            For each attribute, the mean of the terms of the measure over the objects of `fit`
            (squared distances of values for the link "rss"). A row sums to the mean dissimilarity
            of the object, or to its mean square.
        """
        import pandas as pd

        matrices = self._summed_matrices()
        (table,), extras = self._tables(X, None)
        result = np.empty(table.codes.shape)
        shares, blocks = self._domains.all_shares, matrices.blocks
        if extras:
            blocks = extended_blocks(blocks, shares, extras.rules)
        for j, (block, share) in enumerate(zip(blocks, shares, strict=True)):
            weights = np.append(share, np.zeros(len(block) - len(share))) / share.sum()
            result[:, j] = (block @ weights)[table.codes[:, j]]
        names = list(self._domains.attributes)
        return pd.DataFrame(result, index=index_of(X), columns=names)

    def typical(self, X: Any, n: int = 5) -> "pd.DataFrame":
        """Return the objects with the smallest mean dissimilarity to the fitted ones.

        Errors are those of `oddness`; `CouplingsError` also if `n` is not a positive integer.

        Parameters
        ----------
        X : CategoricalTable, DataFrame or array_like
            Objects, as for `pairwise`.
        n : int, default 5
            Number of objects.

        Returns
        -------
        DataFrame, n rows
            ``oddness``, the row sum of `oddness`, increasing; ``because``, the attributes with the
            most typical values, farthest below the mean of `X` first.
        """
        return self._ranked(X, n, 1.0, self.oddness(X))

    def odd(
        self, X: Any, n: int = 5, by: Literal["rarity", "distance"] = "rarity"
    ) -> "pd.DataFrame":
        """Return the oddest objects, by their rare values or their learned distances, and why.

        Learned distances find outliers worse than rare values do: on twelve published data sets
        with known outliers the mean area under the ROC curve is 0.687 for learned distances and
        0.727 for rare values (higher is better), hence the default.

        Errors are those of `typical`, and `MeasureError` if `by` is neither of the two. Only
        "distance" needs a measure that sums over the attributes.

        Parameters
        ----------
        X : CategoricalTable, DataFrame or array_like
            Objects, as for `pairwise`.
        n : int, default 5
            Number of objects.
        by : {"rarity", "distance"}, default "rarity"
            "rarity": for each attribute the share of the fitted objects with another value,
            whatever the measure has learned. "distance": the parts of `oddness`.

        Returns
        -------
        DataFrame, n rows
            ``oddness``, the row sum of these parts, decreasing; ``because``, the attributes that
            make the object odd, farthest above the mean of `X` first.

        Examples
        --------
        >>> from couplings import SimpleMatching
        >>> rows = [["step", "wide"], ["step", "wide"], ["step", "wide"], ["sport", "wide"]]
        >>> SimpleMatching().fit(rows).odd(rows, 1)
           oddness          because
        3     0.75  a0=sport (0.75)
        """
        if by not in ("rarity", "distance"):
            raise MeasureError(f"{type(self).__name__}: by={by!r}; use 'rarity' or 'distance'")
        return self._ranked(X, n, -1.0, self._rarity(X) if by == "rarity" else self.oddness(X))

    def _rarity(self, X: Any) -> "pd.DataFrame":
        """Return the share of fitted objects with another value, attribute by attribute."""
        import pandas as pd

        (table,), _ = self._tables(X, None)
        parts = np.empty(table.codes.shape)
        for j, share in enumerate(self._domains.all_shares):
            # values that were not fitted come after the others, with share 0
            last = int(table.codes[:, j].max(initial=-1)) + 1
            known = np.append(share / share.sum(), np.zeros(max(0, last - len(share))))
            parts[:, j] = 1 - known[table.codes[:, j]]
        return pd.DataFrame(parts, index=index_of(X), columns=list(self._domains.attributes))

    def _ranked(self, X: Any, n: int, sign: float, parts: "pd.DataFrame") -> "pd.DataFrame":
        import pandas as pd

        check_positive(type(self).__name__, n=n)
        total = parts.to_numpy().sum(axis=1)
        order = np.argsort(sign * total, kind="stable")[:n]
        excess = sign * (parts.to_numpy() - parts.to_numpy().mean(axis=0))
        (table,), extras = self._tables(X, None)
        because = []
        for row in order:
            first = np.argsort(excess[row], kind="stable")[:3]
            named = [
                f"{parts.columns[j]}={self._label(j, table.codes[row, j], extras)} "
                f"({parts.to_numpy()[row, j]:.2f})"
                for j in first
                if excess[row, j] < 0
            ]
            because.append(", ".join(named))
        return pd.DataFrame({"oddness": total[order], "because": because}, index=parts.index[order])

    def _label(self, j: int, code: int, extras: Any) -> str:
        labels = (*self._domains.labels(j), *extras.labels[j])
        return "missing" if labels[code] is None else labels[code]

    def _summed_matrices(self) -> ValueMatrices:
        """Return the matrices whose entries `pairwise` sums; raise if it sums none."""
        self._require_distance("this")
        metric = self._metric
        if isinstance(metric, ObjectSpace) and metric.link in ("sum", "rss", "jaccard"):
            return metric.matrices
        if self._embedding is not None:
            return self._embedding.matrices
        raise MeasureError(
            f"{self!r} compares whole objects: its dissimilarity is not a sum over the attributes"
        )


@dataclass(eq=False, repr=False)
class PublishedDissimilarity(ValueMeasure):
    """Base class of measures whose published self-dissimilarity is not 0.

    Parameters
    ----------
    self_distance : {"zero", "paper"}, default "zero"
        "zero": `pairwise` returns ``D(u, v) - (D(u, u) + D(v, v)) / 2``, so that equal objects have
        distance 0, as algorithms and scores expect. "paper": D as published. `space_` is always D.
    missing, unknown : str
        Rules for missing cells and unseen values, see `ValueMeasure`.
    """

    _: KW_ONLY
    self_distance: Literal["zero", "paper"] = "zero"


def squared(values: ValueMatrices) -> ValueMatrices:
    """Return the squared entries, which the link "rss" sums."""
    return ValueMatrices(values.data**2, values.offsets)
