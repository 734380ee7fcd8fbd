"""Base classes of the clusterings: labels, scikit-learn tags, objects and their measure."""

import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import chain, count
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeVar, get_args

import numpy as np
from numpy.typing import ArrayLike

from couplings._checks import check_choice
from couplings._domains import MISSING_LABELS, Domains, Extras, Unseen
from couplings._params import Params
from couplings._weights import select_rows
from couplings.errors import CouplingsError, MeasureError, NotFittedError
from couplings.measures.base import ValueMeasure, require_dissimilarity
from couplings.measures.registry import measure_from
from couplings.mixed import Mixed, MixedTable, as_mixed, require_complete_categories
from couplings.reading import reread
from couplings.spaces import ObjectSpace, Space
from couplings.table import CategoricalTable, first_seen
from couplings.values import ValueMatrices

T = TypeVar("T")
Given = ValueMatrices | Space | ValueMeasure
Takes = Literal["table", "values", "space", "distances", "graph", "rows"]

# Links whose sums over the attributes order pairs of objects as their dissimilarities do.
_SUMS = ("sum", "rss", "jaccard")
# Largest number of dissimilarities held at once when new objects are compared with old ones.
_BLOCK = 1 << 22


class Clustering(Params):
    """Base class of the clusterings; a subclass implements `fit`, which sets ``labels_``.

    Attributes
    ----------
    takes : str
        What `fit` takes to cluster objects by a fitted measure, stated by the class. "table": no
        measure, only the table. "values": ``fit(table, matrices=...)`` with the dissimilarities of
        values. "space": ``fit(table, space=...)`` with the space of objects. "distances": the
        condensed dissimilarities. "graph": a `NeighbourGraph`. "rows": vectors of the objects.
    n_features_in_ : int
        Number of attributes.
    feature_names_in_ : ndarray of object, shape (m,)
        Names of the attributes, if the data have any.
    """

    takes: ClassVar[Takes] = "table"
    _role = "clusterer"

    labels_: np.ndarray

    if TYPE_CHECKING:  # provided by subclasses

        def fit(self, *args: Any, **kwargs: Any) -> Any: ...

        def predict(self, X: Any) -> np.ndarray: ...

    def fit_predict(self, X: Any, y: object = None, *further: Any, **given: Any) -> np.ndarray:
        """Cluster the objects and return their labels; see `fit`."""
        return self.fit(X, y, *further, **given).labels_

    def _know_absent(self, X: Any, rows: np.ndarray) -> None:
        """Give all rows a label; those of weight 0 join the clusters as new objects."""
        others = select_rows(X, ~rows)
        self._know_values(others)
        labels = np.empty(len(rows), dtype=np.int64)
        labels[rows], labels[~rows] = self.labels_, self.predict(others)
        self.labels_ = labels

    def _know_values(self, X: Any) -> None:
        """Know the values of rows of weight 0."""


class PrototypeClustering(Clustering):
    """Base class of clusterings around prototypes; a subclass sets ``modes_``, has `transform`."""

    modes_: np.ndarray

    if TYPE_CHECKING:

        def transform(self, X: Any) -> np.ndarray: ...

    def fit_transform(self, X: Any, y: object = None, **given: Any) -> np.ndarray:
        """Cluster the objects and transform them; see `fit` and `transform`."""
        return self.fit(X, y, **given).transform(X)

    def get_feature_names_out(self, input_features: object = None) -> np.ndarray:
        """Return the column names of `transform`: class name and number."""
        self._require_fit()
        name = type(self).__name__.lower()
        return np.array([f"{name}{c}" for c in range(len(self.modes_))], dtype=object)


class MeasuredClustering(Clustering):
    """Base class of clusterings that take a categorical measure or precomputed matrices.

    Parameters
    ----------
    missing, unknown : str, optional
        Rules for missing cells and unseen values, see `ValueMeasure`. Default: those of the
        measure.
    """

    measure: Any
    missing: str | None
    unknown: str | None

    # A ValueMeasure, in clusterings of tables with numbers also a MixedDistance, or None.
    measure_: Any

    def _learn(
        self,
        X: Any,
        matrices: object = None,
        measure: Any = None,
        similarity: bool = False,
        sample_weight: ArrayLike | None = None,
    ) -> tuple[CategoricalTable, Space]:
        """Return the objects and their space; fit a measure unless `matrices` are given."""
        owner, X = type(self).__name__, reread(X)
        if matrices is not None:
            self.measure_ = None
            if not isinstance(X, CategoricalTable):
                raise CouplingsError(
                    f"{owner}: matrices refer to the codes of a CategoricalTable, not of a "
                    f"{type(X).__name__}; pass the table, or a measure instead of the matrices"
                )
            table, space = X, space_of(matrices)
            self._train = table
            self._remember_features(table.attributes, table.n_attributes)
        else:
            own = measure_from(self.measure if measure is None else measure)
            if not isinstance(own, ValueMeasure):
                raise MeasureError(
                    f"{owner} needs a measure of categorical values, not {type(own).__name__}"
                )
            if similarity != (own.kind == "similarity"):
                require_dissimilarity(own, owner)
                raise MeasureError(f"{owner}: this affinity needs a similarity, not {own!r}")
            self.measure_ = type(own)(**{**own.get_params(deep=False), **self._rules()})
            self.measure_.fit(X, sample_weight=sample_weight)
            kept = self.measure_._fitted
            # Reading the objects once more takes as long as the rest of a fit to few.
            objects = X if kept is None or self.measure_._rows is not None else kept
            (table,), extras = self.measure_._tables(objects, None)
            base = self.measure_.space_ if similarity else self.measure_._metric
            space = self.measure_._space_with(base, extras)
            self._train = self._labelled(table.codes)
            names = getattr(self.measure_, "feature_names_in_", None)
            self._remember_features(names, table.n_attributes)
        self._space = space
        return table, space

    def _know_values(self, X: Any) -> None:
        if self.measure_ is not None:
            domains = self.measure_._domains
            self.measure_._domains = domains.knowing(self._categories_of(X), self._owner)

    def _categories_of(self, X: Any) -> Any:
        """Return the part of the data that the measure compares."""
        return X

    def _rules(self) -> dict[str, str]:
        """Return the rules for missing and unseen values that replace those of the measure."""
        given = {"missing": self.missing, "unknown": self.unknown}
        return {name: rule for name, rule in given.items() if rule is not None}

    def _labelled(self, codes: np.ndarray) -> CategoricalTable:
        """Return a table with the labels of the fit; codes beyond them become missing cells."""
        if self.measure_ is None:
            return CategoricalTable.from_codes(
                codes, categories=self._train.categories, attributes=self._train.attributes
            )
        domains = self.measure_._domains
        sizes = np.diff(domains.offsets)
        return CategoricalTable.from_codes(
            np.where(codes < sizes, codes, -1),
            categories=[domains.labels(j) for j in range(len(sizes))],
            attributes=domains.attributes,
        )

    def _codes(self, X: Any) -> np.ndarray:
        """Return the codes of new objects; labels unknown to `fit` follow the known ones."""
        if self.measure_ is None:
            return _like(type(self).__name__, X, self._train).codes
        return self.measure_._tables(X, None)[0][0].codes

    def _known_codes(self, X: Any) -> np.ndarray | None:
        """Return the codes of new objects, None if a cell is missing or `fit` has not seen it."""
        self._require_fit()
        if self.measure_ is None:
            return _like(type(self).__name__, X, self._train).codes
        return self.measure_._domains.known(X)

    def _together(
        self, X: Any, old: CategoricalTable
    ) -> tuple[CategoricalTable, CategoricalTable, Space]:
        """Return new and old objects as tables over common domains, and their space."""
        self._require_fit()
        if self.measure_ is None:
            return _like(type(self).__name__, X, old), old, self._space
        (new, old), extras = self.measure_._tables(X, old)
        distance = self.measure_.kind == "dissimilarity"
        base = self.measure_._metric if distance else self.measure_.space_
        return new, old, self.measure_._space_with(base, extras)


class MixedClustering(Clustering):
    """Base class of clusterings of mixed data without a choice of measure."""

    missing: str
    unknown: str

    _scale: tuple[np.ndarray, np.ndarray]

    _incomplete = False  # whether missing numbers are allowed

    def _read(self, X: Mixed) -> MixedTable:
        if hasattr(self, "predict"):
            check_choice(self._owner, "unknown", self.unknown, get_args(Unseen))
        check_choice(self._owner, "missing", self.missing, ("raise", "value"))
        table = as_mixed(X, incomplete=self._incomplete)
        self._domains = Domains.of_table(table.categorical)
        if self.missing == "value" and table.categorical.has_missing:
            table, self._domains = _missing_as_value(table)
        require_complete_categories(table)
        self._categorical, self._names = table.categorical, table.names
        self._remember_features(table.attributes, len(table.attributes))
        return table

    def _new(self, X: Mixed) -> tuple[np.ndarray, np.ndarray]:
        """Return the scaled numbers and global values of new objects.

        An unseen value of attribute j gets the index L + j after the L values of the fit.
        """
        self._require_fit()
        table = as_mixed(X, self._categorical, self._names, False, self._incomplete)
        if self.missing == "raise":
            require_complete_categories(table)
        extras = Extras.of(table.categorical.n_attributes)
        found = self._domains.encode(
            table.categorical, self._owner, self.missing, self.unknown, extras
        )
        offsets = self._domains.offsets
        codes = np.where(
            found < np.diff(offsets),
            found.astype(np.int64) + offsets[:-1],
            offsets[-1] + np.arange(found.shape[1]),
        )
        centre, spread = self._scale
        scaled = np.ascontiguousarray((table.numeric - centre) / spread)
        return scaled, np.ascontiguousarray(codes)

    def _know_values(self, X: Mixed) -> None:
        table = as_mixed(X, self._categorical, self._names, False, self._incomplete)
        self._domains = self._domains.knowing(table.categorical, self._owner)


def _missing_as_value(table: MixedTable) -> tuple[MixedTable, Domains]:
    """Return mixed data with missing categories as a value, and their domains."""
    absent = table.categorical.missing.any(axis=0)
    used = set().union(*table.categorical.categories)
    label = next(one for one in chain(MISSING_LABELS, map(str, count())) if one not in used)
    filled = table.categorical.missing_as_value(label)
    code = np.where(absent, filled.n_values - 1, -1)
    domains = replace(Domains.of_table(filled), missing_code=code)
    return MixedTable(filled, table.numeric, table.names), domains


def announced(estimator: Any, runs: Iterable[T], says: Callable[[T], str]) -> Iterator[T]:
    """Yield the results of the starts; print a line about each if the estimator is verbose."""
    for start, run in enumerate(runs, 1):
        if estimator.verbose:
            print(f"start {start} of {estimator.n_init}: {says(run)}")
        yield run


def warn_of_clusters(
    owner: str,
    labels: np.ndarray,
    n_clusters: int,
    n_distinct: int | None = None,
    name: str = "n_clusters",
) -> None:
    """Issue a `ConvergenceWarning` if clusters are empty, or more than the distinct objects.

    Every algorithm that is asked for a number of clusters calls it. `n_distinct` is given by those
    that put equal objects into different clusters.
    """
    n_found = len(np.unique(labels[labels >= 0]))
    said = ""
    if n_found < n_clusters:
        said = f"only {n_found} of {name}={n_clusters} clusters have objects"
    elif n_distinct is not None and n_distinct < n_clusters:
        said = f"only {n_distinct} objects are distinct, so equal ones are in different clusters"
    if said:
        from sklearn.exceptions import ConvergenceWarning

        warnings.warn(f"{owner}: {said}; use fewer clusters", ConvergenceWarning, stacklevel=3)


def refuse_target(owner: str, y: object, keyword: str) -> None:
    """Raise `CouplingsError` if dissimilarities are passed in the place of scikit-learn's y."""
    if isinstance(y, ValueMatrices | Space | ValueMeasure):
        raise CouplingsError(
            f"{owner}.fit: the second argument is y, which is ignored; pass {keyword}=..., or a "
            "measure to the constructor"
        )


def blocks(
    new: CategoricalTable, old: CategoricalTable, space: Space
) -> Iterator[tuple[slice, np.ndarray]]:
    """Yield slices of the new objects and their dissimilarities to all old ones."""
    step = max(1, _BLOCK // old.n_objects)
    for first in range(0, new.n_objects, step):
        rows = slice(first, min(new.n_objects, first + step))
        yield rows, space.between(new.take(np.arange(rows.start, rows.stop)), old)


def summed_matrices(owner: str, space: Space) -> ValueMatrices:
    """Return the value dissimilarities that a space sums, or raise `MeasureError`."""
    if not isinstance(space, ObjectSpace) or space.link not in _SUMS:
        raise MeasureError(
            f"{owner} needs dissimilarities of values, but this measure compares whole objects "
            f"(link {space.link!r}); choose a measure that adds up over the attributes, or "
            "CategoricalSpectral or Ward"
        )
    return space.matrices


def roots(n: int, absorbed: np.ndarray, into: np.ndarray) -> np.ndarray:
    """Return the cluster name of each of n items, given which items were `absorbed` into which."""
    root = np.arange(n)
    root[absorbed] = into
    while not np.array_equal(root[root], root):
        root = root[root]
    return root


def numbered(names: np.ndarray) -> np.ndarray:
    """Return labels for cluster names, numbered by first objects."""
    return first_seen(names)[2]


def space_of(matrices: object) -> Space:
    """Return the space of value matrices or of a fitted measure; raise for anything else."""
    if isinstance(matrices, ValueMatrices):
        return ObjectSpace(matrices, "sum")
    if isinstance(matrices, ValueMeasure):
        if not hasattr(matrices, "space_"):
            raise NotFittedError(f"this {type(matrices).__name__} is not fitted; call fit first")
        return matrices.space_
    if not isinstance(matrices, Space):
        raise CouplingsError(
            "matrices must be ValueMatrices, an ObjectSpace or a fitted measure, not "
            f"{type(matrices).__name__}"
        )
    return matrices


def _like(owner: str, X: Any, old: CategoricalTable) -> CategoricalTable:
    if not isinstance(X, CategoricalTable) or X.categories != old.categories:
        raise CouplingsError(
            f"{owner} was fitted with precomputed matrices, so it accepts only tables over the "
            "same domains; fit it with a measure to accept other data"
        )
    return X
