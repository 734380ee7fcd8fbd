"""Which measure and which algorithm to try first on a table, and on what evidence.

The evidence is a comparison of measures and algorithms on benchmark data with known classes; it
is packaged as ``couplings/data/evidence.csv``, one row per data set, measure and algorithm.
"""

import csv
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Union

import numpy as np

from couplings.errors import CouplingsError, MeasureError
from couplings.measures.registry import measure_entry
from couplings.start import Startable
from couplings.table import CategoricalTable

if TYPE_CHECKING:
    import pandas as pd

    from couplings.counts import CooccurrenceCounts

# Beyond this many objects nothing is recommended that needs all pairs of them.
LARGEST = 9000
REFERENCE = "smd"
# k-means has vectors: there simple matching is the 0-1 encoding.
REFERENCE_VECTORS = "one_hot"
# What one does without any advice.
DEFAULT = (REFERENCE, "kmodes")
# Differences of ARI up to this are none in practice.
ROPE = 0.01
# Advice counts as better than chance below this probability.
ALPHA = 0.05

Row = Mapping[str, str]
Reference = Callable[[str], tuple[str, str]]


@dataclass(frozen=True)
class Candidate:
    """One measure with one algorithm, on the data sets of the evidence.

    Attributes
    ----------
    measure, algorithm : str
        Names, as in the evidence.
    mean_rank : float
        Mean rank by ARI over these data sets, 1 the best.
    mean_ari : float
        Mean adjusted Rand index.
    better, worse : int
        Data sets where it is better or worse than simple matching with the same algorithm
        (k-means: than the 0-1 encoding), by more than 0.01 ARI.
    """

    measure: str
    algorithm: str
    mean_rank: float
    mean_ari: float
    better: int
    worse: int


@dataclass(frozen=True)
class Check:
    """How advice fares on data that it has not seen, beside a candidate drawn at random.

    Each data set of the evidence is left out once; the first candidate of the others is compared
    with a reference on the one left out.

    Attributes
    ----------
    against : str
        The reference, in words.
    better, same, worse : int
        Data sets on which the advice is better or worse than the reference by more than 0.01 ARI,
        or neither.
    chance_better, chance_same, chance_worse : float
        The same counts, as expected of a candidate drawn at random.
    p : float
        Probability that random candidates reach the advice's better minus worse, or more.
    """

    against: str
    better: int
    same: int
    worse: int
    chance_better: float
    chance_same: float
    chance_worse: float
    p: float

    @property
    def tried(self) -> int:
        """Number of data sets."""
        return self.better + self.same + self.worse

    @property
    def skilled(self) -> bool:
        """Whether the advice is better than chance."""
        return self.p < ALPHA

    def __str__(self) -> str:
        """Say it in words."""
        return (
            f"against {self.against}, better on {self.better} and worse on {self.worse} of "
            f"{self.tried} data sets that it had not seen (a random candidate: "
            f"{self.chance_better:.1f} and {self.chance_worse:.1f}; p "
            f"{'< 0.001' if self.p < 0.001 else f'= {self.p:.3f}'})"
        )


@dataclass(frozen=True, repr=False)
class Recommendation(Startable):
    """What to try first, and how sure that is.

    Attributes
    ----------
    measure, algorithm : str
        The first candidate; simple matching with k-modes if the evidence gives no better advice
        than chance.
    constructor : str
        How to make the measure with this package.
    ranking : tuple of Candidate
        All candidates, the best first.
    datasets : tuple of str
        The data sets that they were compared on.
    overall : Check
        The advice against simple matching with k-modes: what one does without any.
    measure_alone : Check
        The advice against simple matching with the same algorithm (k-means: the 0-1 encoding): what
        the choice of the measure adds.
    """

    measure: str
    algorithm: str
    constructor: str
    ranking: tuple[Candidate, ...]
    datasets: tuple[str, ...]
    overall: Check
    measure_alone: Check

    def __str__(self) -> str:
        """Say it in words."""
        if not self.overall.skilled:
            return (
                "No advice: choices made by this evidence are no better than chance "
                f"({self.overall}). Start with {self.constructor} and {self.algorithm}."
            )
        first = self.ranking[0]
        alone = (
            "so the measure matters as well"
            if self.measure_alone.skilled
            else f"so {constructor_of(reference_of(self.algorithm)[0])} with {self.algorithm} may "
            "do as well"
        )
        return (
            f"Try {self.constructor} with {self.algorithm} first. Evidence: {len(self.datasets)} "
            f"data sets; mean ARI {first.mean_ari:.2f}, mean rank {first.mean_rank:.1f} of "
            f"{len(self.ranking)}. Such advice is, {self.overall}; {self.measure_alone}, {alone}. "
            "Data sets differ more than measures do: compare on your own."
        )


def recommend(
    X: Union["CooccurrenceCounts", CategoricalTable, "pd.DataFrame"],
    evidence: Sequence[Row] | None = None,
) -> Recommendation:
    """Recommend a measure and an algorithm for clustering a table.

    Parameters
    ----------
    X : CooccurrenceCounts, CategoricalTable, data frame or list of rows
        The table or its counts; only the number of objects counts.
    evidence : sequence of mapping, optional
        Rows with ``dataset``, ``objects``, ``measure``, ``algorithm`` and ``ari``, as texts or
        numbers. Default: those of this package.

    Returns
    -------
    Recommendation

    Raises
    ------
    CouplingsError
        If the evidence has no candidate for such a table.

    Notes
    -----
    Candidates are ordered by their mean rank over all data sets of the evidence; a candidate has
    been scored on all of them. Above 9000 objects only those count that need no matrix of all
    pairs; up to 9000 only data sets of that size, so that all candidates can be compared. No
    property of a table beside its size is looked at: choosing by the number of values and the
    coupling of the attributes did no better on unseen data.

    The evidence is a few dozen public data sets whose classes need not be clusters: a starting
    point, no promise.
    """
    from couplings.counts import CooccurrenceCounts

    n_objects = X.n_objects if isinstance(X, CooccurrenceCounts | CategoricalTable) else len(X)
    return recommend_for(n_objects, evidence)


def constructor_of(measure: str) -> str:
    """Return the expression that makes a measure of the evidence; its name if it is unknown."""
    try:
        return measure_entry(measure).constructor
    except MeasureError:
        return measure


def recommend_for(n_objects: int, evidence: Sequence[Row] | None = None) -> Recommendation:
    """Recommend a measure and an algorithm for so many objects; see `recommend`."""
    known = _packaged() if evidence is None else _Evidence.of(evidence)
    datasets, candidates = known.comparable(n_objects)
    if not len(candidates):
        raise CouplingsError(
            f"the evidence has no measure and algorithm for {n_objects} objects; with fewer "
            "objects there are more candidates"
        )
    ranking = _ranking(known, datasets, candidates)
    overall, alone = _packaged_checks() if evidence is None else _checks(known)
    measure, algorithm = DEFAULT
    if overall.skilled:
        measure, algorithm = ranking[0].measure, ranking[0].algorithm
    return Recommendation(
        measure,
        algorithm,
        constructor_of(measure),
        ranking,
        tuple(known.names[i] for i in datasets),
        overall,
        alone,
    )


def check(rows: Sequence[Row], against: str, reference: Reference) -> Check:
    """Try advice on each data set of the evidence, chosen without it.

    Parameters
    ----------
    rows : sequence of mapping
        Evidence, as for `recommend`.
    against : str
        The reference in words.
    reference : callable
        Measure and algorithm that the candidates of an algorithm are compared with.

    Returns
    -------
    Check
        Over the data sets that have the choice and its reference. A candidate drawn at random is
        any of those that the choice was among and that the data set has.
    """
    return _check(_Evidence.of(rows), against, reference)


def reference_of(algorithm: str) -> tuple[str, str]:
    """Return measure and algorithm that stand for simple matching with an algorithm."""
    return (REFERENCE_VECTORS if algorithm == "kmeans" else REFERENCE), algorithm


@dataclass(frozen=True, eq=False)
class _Evidence:
    """Evidence as a matrix: a row per data set, a column per candidate, NaN for no cell."""

    names: list[str]
    objects: np.ndarray
    keys: list[tuple[str, str]]
    ari: np.ndarray
    scales: np.ndarray
    """Which candidates need no matrix of all pairs."""

    @classmethod
    def of(cls, rows: Sequence[Row]) -> "_Evidence":
        if not rows:
            raise CouplingsError("the evidence is empty")
        objects = {row["dataset"]: float(row["objects"]) for row in rows}
        keys = list(dict.fromkeys((row["measure"], row["algorithm"]) for row in rows))
        ari = np.full((len(objects), len(keys)), np.nan)
        row_of = {name: i for i, name in enumerate(objects)}
        column_of = {key: j for j, key in enumerate(keys)}
        for row in rows:
            column = column_of[row["measure"], row["algorithm"]]
            ari[row_of[row["dataset"]], column] = float(row["ari"])
        sums = {measure for measure, algorithm in keys if algorithm == "kmodes"}
        scales = np.array(
            [
                algorithm not in ("ward", "average", "rock")
                and (algorithm != "spectral" or measure in sums)
                for measure, algorithm in keys
            ]
        )
        return cls(list(objects), np.array(list(objects.values())), keys, ari, scales)

    def comparable(self, n_objects: float, without: int = -1) -> tuple[np.ndarray, np.ndarray]:
        """Return data sets that count for so many objects, and candidates scored on all of them."""
        large = n_objects > LARGEST
        datasets = np.flatnonzero(large | (self.objects <= LARGEST))
        datasets = datasets[datasets != without]
        allowed = self.scales if large else np.ones(len(self.keys), dtype=bool)
        complete = ~np.isnan(self.ari[datasets]).any(axis=0) & bool(len(datasets))
        return datasets, np.flatnonzero(allowed & complete)

    def column(self, key: tuple[str, str]) -> np.ndarray:
        """Return the scores of a candidate, NaN where there are none."""
        if key not in self.keys:
            return np.full(len(self.names), np.nan)
        return self.ari[:, self.keys.index(key)]


@cache
def _packaged() -> _Evidence:
    """Return the evidence that this package carries."""
    text = (files("couplings") / "data" / "evidence.csv").read_text(encoding="utf-8")
    return _Evidence.of(list(csv.DictReader(text.splitlines())))


@cache
def _packaged_checks() -> tuple[Check, Check]:
    return _checks(_packaged())


def _checks(known: _Evidence) -> tuple[Check, Check]:
    """Return the checks of choosing measure and algorithm, and of the measure's part in it."""
    return (
        _check(known, "simple matching with k-modes", lambda algorithm: DEFAULT),
        _check(known, "simple matching with the same algorithm", reference_of),
    )


def _check(known: _Evidence, against: str, reference: Reference) -> Check:
    references = np.column_stack([known.column(reference(key[1])) for key in known.keys])
    gains = known.ari - references
    signs = (gains > ROPE).astype(int) - (gains < -ROPE)
    outcomes, chances = [], []
    for i, objects in enumerate(known.objects):
        datasets, candidates = known.comparable(objects, without=i)
        candidates = candidates[~np.isnan(gains[i, candidates])]
        if not len(candidates):
            continue
        outcomes.append(int(signs[i, candidates[_order(known, datasets, candidates)[0]]]))
        drawn = signs[i, candidates]
        chances.append([float((drawn == sign).mean()) for sign in (-1, 0, 1)])
    expected = np.sum(chances, axis=0) if chances else np.zeros(3)
    return Check(
        against,
        better=outcomes.count(1),
        same=outcomes.count(0),
        worse=outcomes.count(-1),
        chance_better=float(expected[2]),
        chance_same=float(expected[1]),
        chance_worse=float(expected[0]),
        p=_tail(sum(outcomes), chances),
    )


def _tail(net: int, chances: Sequence[Sequence[float]]) -> float:
    """Return P(sum of independent draws of -1, 0, 1 >= net); the chances are in this order."""
    distribution = np.ones(1)
    for chance in chances:
        distribution = np.convolve(distribution, chance)
    return min(1.0, float(distribution[net + len(chances) :].sum()))


def _mean_ranks(known: _Evidence, datasets: np.ndarray, candidates: np.ndarray) -> np.ndarray:
    from scipy.stats import rankdata

    scores = known.ari[np.ix_(datasets, candidates)]
    return rankdata(-scores.round(10), axis=1).mean(axis=0)


def _order(known: _Evidence, datasets: np.ndarray, candidates: np.ndarray) -> list[int]:
    """Return positions of candidates, the best mean rank first; of equal ones the first by name."""
    ranks = _mean_ranks(known, datasets, candidates)
    return sorted(range(len(ranks)), key=lambda i: (ranks[i], known.keys[candidates[i]]))


def _ranking(
    known: _Evidence, datasets: np.ndarray, candidates: np.ndarray
) -> tuple[Candidate, ...]:
    """Return the candidates, the best mean rank first."""
    ranks = _mean_ranks(known, datasets, candidates)
    ranking = []
    for i in _order(known, datasets, candidates):
        measure, algorithm = known.keys[candidates[i]]
        scores = known.ari[datasets, candidates[i]]
        gain = scores - known.column(reference_of(algorithm))[datasets]
        better, worse = int((gain > ROPE).sum()), int((gain < -ROPE).sum())
        ranking.append(
            Candidate(measure, algorithm, float(ranks[i]), float(scores.mean()), better, worse)
        )
    return tuple(ranking)
