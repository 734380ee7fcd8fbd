"""Clusters of low entropy: expected entropy of the attributes, or of single values."""

from dataclasses import dataclass
from typing import Literal, Self

import numpy as np
from numpy.typing import ArrayLike

from couplings._checks import check_positive
from couplings._domains import Domains, Extras, Unseen, has_names, learn_domains
from couplings._kernels import learned as kernels
from couplings.errors import CouplingsError
from couplings.learned.clustering import Data, LearnedClustering, NumpySeed, Rows, Run

_CRITERIA = {"attributes": kernels.CONDITIONAL, "values": kernels.BINARY}
_DRAWS = 1 << 16
# Rules for missing cells besides "raise".
_MISSING = ("value",)
# A gain below this share of the largest term of a criterion is rounding.
_NOISE = 1e-13


def g(x: np.ndarray) -> np.ndarray:
    """Return ``x ln x`` of counts, with 0 at 0."""
    return x * np.log(np.maximum(x, 1))


def _criterion(counts: np.ndarray, sizes: np.ndarray, n_attributes: int, criterion: str) -> float:
    """Return the criterion for counts of shape (k, L) and sizes of shape (k,)."""
    if criterion == "attributes":
        return float(n_attributes * g(sizes).sum() - g(counts).sum())
    rest = sizes[:, None] - counts
    total = counts.shape[1] * g(sizes).sum() - g(counts).sum() - g(rest).sum()
    return float(total / sizes.sum())


@dataclass(eq=False, repr=False)
class EntropyClusters(LearnedClustering):
    """Clusters that minimise entropy, found by moving single objects.

    With f_c(x) the number of objects of cluster c with value x, n_c its size and 0 ln 0 = 0, the
    criterion is one of

    - "attributes" (SRS): ``m sum_c n_c ln n_c - sum_c sum_x f_c(x) ln f_c(x)``. Divided by n it is
      the expected entropy of the attributes given the cluster.
    - "values" (EE): ``-(1 / n) sum_c sum_x [f_c(x) ln (f_c(x) / n_c) + (n_c - f_c(x))
      ln ((n_c - f_c(x)) / n_c)]``, which also adds the complement of every value.

    `fit` takes no `sample_weight`: single objects move, so equal rows can end in several clusters,
    and one row with a weight cannot stand for them.

    Parameters
    ----------
    n_clusters : int, default 2
        Number of clusters, k.
    criterion : {"attributes", "values"}, default "attributes"
        SRS, minimised by K-SigCat and COOLCAT, or EE.
    search : {"sweep", "random"}, default "sweep"
        "sweep": start from a random partition into parts of equal size; visit the objects in order
        and move each to its best cluster, until a pass moves none. "random", the search of the
        published programs: start with all objects in the first cluster; draw an object and another
        cluster, and move the object if the criterion decreases; stop after ``(k - 1) n + 1``
        failures in a row.
    n_init : int, default 10
        Number of starts; the one with the lowest criterion is kept.
    init : array_like of int, shape (n,), optional
        Initial labels 0 to k - 1, for either search.
    random_state : int, SeedSequence, Generator or None, default None
        Seed.
    max_iter : int, default 1000
        Maximum number of passes of a sweep.
    missing : {"raise", "value"}, default "raise"
        Rule for missing categories: refuse them, or treat them as one more value.
    unknown : {"warn", "raise", "mismatch"}, default "warn"
        Rule for values that `fit` has not seen. "mismatch": no cluster has them. "warn": the same,
        with an `UnknownValueWarning`. "raise": refuse them.
    n_jobs : int, optional
        Maximum number of threads; None and -1 use all cores.

    Attributes
    ----------
    labels_, empty_clusters_
        As in `LearnedClustering`. With "attributes", a cluster with objects keeps at least one, as
        in the program; with "values" it can become empty.
    objective_ : float
        Value of the criterion.
    n_iter_ : int
        Number of passes of the sweep, or of draws of the random search.

    References
    ----------
    Hu, He and others (2022) (K-SigCat); Li, Ma and Ogihara, ICML 2004. The sweep is our own.
    """

    n_clusters: int = 2
    criterion: Literal["attributes", "values"] = "attributes"
    search: Literal["sweep", "random"] = "sweep"
    n_init: int = 10
    init: ArrayLike | None = None
    random_state: NumpySeed = None
    max_iter: int = 1000
    missing: Literal["raise", "value"] = "raise"
    unknown: Unseen = "warn"
    n_jobs: int | None = None

    def _check(self, owner: str, rows: Rows) -> None:
        super()._check(owner, rows)
        check_positive(owner, max_iter=self.max_iter)

    def _rows(self, X: Data) -> Rows:
        # Objects move one by one, even equal ones.
        table, domains = learn_domains(X, self._owner, self.missing, choices=_MISSING)
        rows = Rows.of(table, collapse=False)
        # The value of missing cells is the last of an attribute.
        self._missing_code = np.where(domains.missing_code >= 0, rows.table.n_values - 1, -1)
        names = rows.table.attributes
        self._remember_features(names if has_names(X) else None, len(names))
        return rows

    def _distinct(self, rows: Rows) -> int:
        return rows.table.distinct()[0].n_objects

    def _start(self, n: int, rng: np.random.Generator) -> np.ndarray:
        k = self.n_clusters
        if self.init is not None:
            start = np.asarray(self.init)
            valid = start.shape == (n,) and start.dtype.kind in "iu"
            if not valid or start.min() < 0 or start.max() >= k:
                raise CouplingsError(
                    f"EntropyClusters: init must be {n} labels from 0 to {k - 1}, "
                    f"not {start.dtype} of shape {start.shape}"
                )
            return start.astype(np.int64)
        if self.search == "random":
            return np.zeros(n, dtype=np.int64)
        return rng.permutation(n) % k

    def _run(self, rows: Rows, rng: np.random.Generator) -> Run:
        n, k = rows.n_objects, self.n_clusters
        labels = self._start(n, rng)
        sizes = np.bincount(labels, minlength=k)
        counts = np.zeros((k, rows.n_values), dtype=np.int64)
        np.add.at(counts, (labels[:, np.newaxis], rows.values), 1)
        terms_of = g(np.arange(n + 1))
        terms = rows.n_attributes if self.criterion == "attributes" else rows.n_values
        arguments = (rows.values, terms_of, counts, sizes, labels, _CRITERIA[self.criterion])
        margin = _NOISE * terms * terms_of[-1]
        n_iter = 0
        if self.search == "sweep":
            moved = True
            while moved and n_iter < self.max_iter:
                n_iter += 1
                moved = kernels.sweep(*arguments, margin)
        elif k > 1:
            failures, limit = 0, (k - 1) * n + 1
            while failures < limit:
                drawn = rng.integers(n, size=_DRAWS), rng.integers(k - 1, size=_DRAWS)
                failures, used = kernels.random_moves(*arguments, margin, *drawn, failures, limit)
                n_iter += used
        value = _criterion(counts, sizes, rows.n_attributes, self.criterion)
        return Run(labels, value, n_iter)

    def _fit(self, rows: Rows) -> Self:
        super()._fit(rows)
        table, k = rows.table, self.n_clusters
        self._sizes = np.bincount(self.labels_, minlength=k)
        self._counts = np.zeros((k, rows.n_values), dtype=np.int64)
        np.add.at(self._counts, (self.labels_[:, np.newaxis], rows.values), 1)
        share = self._counts.sum(axis=0) / self._sizes.sum()
        self._domains = Domains(
            table.attributes,
            table.categories,
            table.offsets,
            share,
            self._missing_code,
            choices=_MISSING,
        )
        return self

    def predict(self, X: Data) -> np.ndarray:
        """Return the (first) cluster whose criterion each object alone would increase least.

        This is how COOLCAT places an object. An unseen value counts as one that no cluster has. The
        result is int64 of shape (n,). A fitted object can get another label than in `labels_`,
        because `fit` placed it as a member of its cluster. Errors are those of
        `ValueMeasure.pairwise`.

        Parameters
        ----------
        X : CategoricalTable or data frame
            Objects with the attributes of `fit`; values are matched by label.
        """
        self._require_fit()
        offsets, counts = self._domains.offsets, self._counts
        extras = Extras.of(len(offsets) - 1)
        codes = self._domains.encode(X, self._owner, self.missing, self.unknown, extras)
        larger, rest = g(self._sizes + 1) - g(self._sizes), self._sizes[:, None] - counts
        values = self.criterion == "values"
        gains = g(counts + 1) - g(counts)
        base = (len(offsets) - 1) * larger
        if values:
            others = g(rest + 1) - g(rest)
            base, gains = counts.shape[1] * larger - others.sum(axis=1), gains - others
        raised = np.tile(base, (len(codes), 1))
        for j, column in enumerate(codes.T):
            size = offsets[j + 1] - offsets[j]
            new = larger if values else np.zeros_like(larger)
            table = np.column_stack([gains[:, offsets[j] : offsets[j + 1]], -new])
            raised -= table.T[np.minimum(column, size)]
        return raised.argmin(axis=1)
