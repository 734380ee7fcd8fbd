"""Which method to try first on a table, and on what evidence.

The evidence is a comparison of measures with algorithms, and of methods that cluster a table by
themselves, on benchmark data with known classes. It is packaged as ``couplings/data/evidence.csv``,
one row per data set, measure and algorithm (a method by itself is both), and ``seconds.csv``, what
was timed of it.
"""

import csv
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Union

import numpy as np

from couplings.errors import CouplingsError, MeasureError
from couplings.learned.registry import METHODS
from couplings.measures.registry import measure_entry
from couplings.start import Startable
from couplings.table import CategoricalTable
from couplings.versus import ROPE, Versus, holm, p_text, signed_rank

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
# The statisticians' way, the anchor of the study: latent class analysis.
STANDARD = ("latent_classes", "latent_classes")
# Advice counts as better than chance below this probability.
ALPHA = 0.05
# Fewer data sets than this are not tested.
FEWEST = 3
_TIMED = "(Mushroom and Letter on average, on the machine of the evidence)"

Row = Mapping[str, str]
Key = tuple[str, str]
Reference = Callable[[str], Key]


@dataclass(frozen=True)
class Candidate:
    """One measure with one algorithm, on the data sets of the evidence.

    Attributes
    ----------
    measure, algorithm : str
        Names, as in the evidence; of a method that clusters by itself both are its name.
    mean_rank : float
        Mean rank by ARI over these data sets, 1 the best.
    mean_ari : float
        Mean adjusted Rand index.
    better, worse : int
        Data sets where it is better or worse than simple matching with the same algorithm
        (k-means: than the 0-1 encoding; a method by itself: than simple matching with k-modes), by
        more than 0.01 ARI.
    seconds : float or None
        Processor seconds of learning and one clustering, on the data sets and the machine that
        ``seconds.csv`` is of; None if it was not timed.
    """

    measure: str
    algorithm: str
    mean_rank: float
    mean_ari: float
    better: int
    worse: int
    seconds: float | None = None

    @property
    def name(self) -> str:
        """What it is, in words."""
        return words_of(self.measure, self.algorithm)


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

    @property
    def ahead(self) -> bool:
        """Whether the advice is better than the reference, by an exact one-sided sign test."""
        n = self.better + self.worse
        tail = sum(math.comb(n, i) for i in range(self.better, n + 1))
        return tail / 2**n < ALPHA

    def __str__(self) -> str:
        """Say it in words."""
        return (
            f"against {self.against}, better on {self.better} and worse on {self.worse} of "
            f"{self.tried} data sets that it had not seen (a random candidate: "
            f"{self.chance_better:.1f} and {self.chance_worse:.1f}; p {p_text(self.p)})"
        )


@dataclass(frozen=True, repr=False)
class Recommendation(Startable):
    """What to try first, and how sure that is.

    Attributes
    ----------
    measure, algorithm : str
        What is recommended; of a method that clusters by itself both are its name.
    constructor : str
        How to make the measure, or the method, with this package.
    ranking : tuple of Candidate
        All candidates, the best mean rank first. What is recommended need not be the first.
    datasets : tuple of str
        The data sets that they were compared on.
    overall : Check
        The first of the ranking against simple matching with k-modes: what one does without any
        advice.
    measure_alone : Check
        The same against simple matching with the same algorithm (k-means: the 0-1 encoding): what
        the choice of the measure adds.
    standard : Check or None
        The same against latent class analysis; None if the evidence does not have it.
    gain : Versus or None
        What is recommended against simple matching with k-modes; None if that is it, or is not
        among the candidates.
    proven_better, proven_worse : int
        Other candidates that are better or worse than what is recommended: Wilcoxon tests, Holm
        over all of them.
    """

    measure: str
    algorithm: str
    constructor: str
    ranking: tuple[Candidate, ...]
    datasets: tuple[str, ...]
    overall: Check
    measure_alone: Check
    standard: Check | None
    gain: Versus | None
    proven_better: int
    proven_worse: int

    @property
    def seconds(self) -> float | None:
        """Processor seconds of what is recommended, see `Candidate`."""
        own = (self.measure, self.algorithm)
        return next(
            (one.seconds for one in self.ranking if (one.measure, one.algorithm) == own), None
        )

    def __str__(self) -> str:
        """Say it in words."""
        own = self.constructor
        if self.measure != self.algorithm:
            own += f" with {self.algorithm}"
        first = self.ranking[0]
        if (self.measure, self.algorithm) == DEFAULT and not self.overall.skilled:
            return (
                "No advice: choices made by this evidence are no better than chance "
                f"({self.overall}). Start with {self.constructor} and {self.algorithm}."
            )
        said = [f"Try {own} first."]
        if self.gain is not None:
            said.append(f"It is {self.gain}.")
        said.append(
            f"Of {len(self.ranking) - 1} other candidates, better than it: {self.proven_better}, "
            f"worse: {self.proven_worse}, corrected for their number."
        )
        if (first.measure, first.algorithm) == (self.measure, self.algorithm):
            said.append(f"{self._advice(first)}, {self._alone()}.")
        else:
            said.append(f"{self._advice(first)}; {self.standard}, so it is not put above.")
        if self.seconds is not None:
            said.append(f"One start took {self.seconds:.2g} s {_TIMED}.")
        return " ".join([*said, "Data sets differ more than methods do: compare on your own."])

    def _advice(self, first: Candidate) -> str:
        """What choosing by mean rank does on unseen data."""
        return (
            f"{first.name} has the best mean rank ({first.mean_rank:.1f} of {len(self.ranking)}, "
            f"mean ARI {first.mean_ari:.2f}); choosing so is, {self.overall}"
        )

    def _alone(self) -> str:
        """What the measure adds to its algorithm."""
        if self.measure_alone.skilled:
            return f"{self.measure_alone}, so the measure matters as well"
        measure, algorithm = reference_of(self.algorithm)
        plain = constructor_of(measure)
        return f"{self.measure_alone}, so {plain} with {algorithm} may do as well"


def recommend(
    X: Union["CooccurrenceCounts", CategoricalTable, "pd.DataFrame"],
    evidence: Sequence[Row] | None = None,
) -> Recommendation:
    """Recommend a method for clustering a table: a measure with an algorithm, or one by itself.

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
    pairs; up to 9000 only data sets of that size, so that all candidates can be compared.

    The first is recommended only if such choices, made without a data set and tried on it, are
    better than candidates drawn at random, and better than latent class analysis (sign test).
    Otherwise it is latent class analysis if that is better than simple matching with k-modes
    (Wilcoxon test), and simple matching with k-modes if not. Latent class analysis was the anchor
    of the study before it was run, but after others had found it good on some of the same data
    sets; this rule was made when the scores were known. So what is said of its gain may be too
    good, and no unseen data have tried it.

    No property of a table beside its size is looked at: choosing by the number of values and the
    coupling of the attributes did no better on unseen data.

    The evidence is a few dozen public data sets whose classes need not be clusters: a starting
    point, no promise.
    """
    from couplings.counts import CooccurrenceCounts

    n_objects = X.n_objects if isinstance(X, CooccurrenceCounts | CategoricalTable) else len(X)
    return recommend_for(n_objects, evidence)


def constructor_of(measure: str) -> str:
    """Return the expression that makes a measure, or a method by itself; an unknown name as is."""
    if measure in METHODS:
        return METHODS[measure].constructor
    try:
        return measure_entry(measure).constructor
    except MeasureError:
        return measure


def words_of(measure: str, algorithm: str) -> str:
    """Return a candidate in words."""
    if measure == algorithm:
        return METHODS[measure].title if measure in METHODS else measure
    return f"{constructor_of(measure)} with {algorithm}"


def recommend_for(n_objects: int, evidence: Sequence[Row] | None = None) -> Recommendation:
    """Recommend for so many objects; see `recommend`."""
    if evidence is None:
        return _packaged_for(n_objects > LARGEST)
    known = _Evidence.of(evidence)
    return _recommended(known, n_objects > LARGEST, _checks(known))


@cache
def _packaged_for(large: bool) -> Recommendation:
    return _recommended(_packaged(), large, _packaged_checks())


def _recommended(
    known: "_Evidence", large: bool, checks: tuple[Check, Check, Check | None]
) -> Recommendation:
    datasets, candidates = known.comparable(large)
    if not len(candidates):
        raise CouplingsError(
            f"the evidence has no candidate for {'more than' if large else 'up to'} {LARGEST} "
            "objects that was scored on all its data sets of that size"
        )
    ranking = _ranking(known, datasets, candidates)
    overall, alone, standard = checks
    there = {known.keys[j] for j in candidates}
    choice = DEFAULT
    if STANDARD in there and DEFAULT in there:
        anchored = known.versus(STANDARD, DEFAULT, datasets)
        if anchored.mean > 0 and anchored.p < ALPHA:
            choice = STANDARD
    if overall.skilled and (choice == DEFAULT or (standard is not None and standard.ahead)):
        choice = (ranking[0].measure, ranking[0].algorithm)
    gain = None
    if choice != DEFAULT and DEFAULT in there:
        gain = known.versus(choice, DEFAULT, datasets)
    others = [known.keys[j] for j in candidates if known.keys[j] != choice]
    proven = _proven(known, datasets, choice, others)
    return Recommendation(
        *choice,
        constructor_of(choice[0]),
        ranking,
        tuple(known.names[i] for i in datasets),
        overall,
        alone,
        standard,
        gain,
        int((proven > 0).sum()),
        int((proven < 0).sum()),
    )


def _proven(
    known: "_Evidence", datasets: np.ndarray, choice: Key, others: Sequence[Key]
) -> np.ndarray:
    """Return 1 for each of the others that is better than the choice, -1 for worse, else 0."""
    own = known.column(choice)[datasets]
    if np.isnan(own).any() or len(datasets) < FEWEST:
        return np.zeros(len(others), dtype=int)
    differences = [known.column(key)[datasets] - own for key in others]
    clear = holm([signed_rank(one) for one in differences]) < ALPHA
    return clear * np.sign([one.mean() for one in differences]).astype(int)


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


def reference_of(algorithm: str) -> Key:
    """Return measure and algorithm that stand for simple matching with an algorithm."""
    return (REFERENCE_VECTORS if algorithm == "kmeans" else REFERENCE), algorithm


@dataclass(frozen=True, eq=False)
class _Evidence:
    """Evidence as a matrix: a row per data set, a column per candidate, NaN for no cell."""

    names: list[str]
    objects: np.ndarray
    keys: list[Key]
    ari: np.ndarray
    scales: np.ndarray
    """Which candidates need no matrix of all pairs."""
    seconds: Mapping[Key, float]
    """Processor seconds of the candidates that were timed."""

    @classmethod
    def of(cls, rows: Sequence[Row], timed: Sequence[Row] = ()) -> "_Evidence":
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
                algorithm not in ("ward", "average", "rock", "limbo")
                and (algorithm != "spectral" or measure in sums)
                for measure, algorithm in keys
            ]
        )
        seconds = {(row["measure"], row["algorithm"]): float(row["seconds"]) for row in timed}
        return cls(list(objects), np.array(list(objects.values())), keys, ari, scales, seconds)

    def comparable(self, large: bool, without: int = -1) -> tuple[np.ndarray, np.ndarray]:
        """Return data sets that count for so many objects, and candidates scored on all of them."""
        datasets = np.flatnonzero(large | (self.objects <= LARGEST))
        datasets = datasets[datasets != without]
        allowed = self.scales if large else np.ones(len(self.keys), dtype=bool)
        complete = ~np.isnan(self.ari[datasets]).any(axis=0) & bool(len(datasets))
        return datasets, np.flatnonzero(allowed & complete)

    def column(self, key: Key) -> np.ndarray:
        """Return the scores of a candidate, NaN where there are none."""
        if key not in self.keys:
            return np.full(len(self.names), np.nan)
        return self.ari[:, self.keys.index(key)]

    def versus(self, first: Key, other: Key, datasets: np.ndarray) -> Versus:
        """Compare two candidates on data sets that both have."""
        differences = (self.column(first) - self.column(other))[datasets]
        return Versus.of(differences, words_of(*other))


@cache
def _packaged() -> _Evidence:
    """Return the evidence that this package carries."""
    folder = files("couplings") / "data"
    texts = [(folder / f"{name}.csv").read_text("utf-8") for name in ("evidence", "seconds")]
    rows, timed = (list(csv.DictReader(text.splitlines())) for text in texts)
    return _Evidence.of(rows, timed)


@cache
def _packaged_checks() -> tuple[Check, Check, Check | None]:
    return _checks(_packaged())


def _checks(known: _Evidence) -> tuple[Check, Check, Check | None]:
    """Return the checks of choosing by mean rank, of the measure's part, and beside the standard.

    The last is None if the evidence has no `STANDARD`.
    """
    return (
        _check(known, "simple matching with k-modes", lambda algorithm: DEFAULT),
        _check(known, "simple matching with the same algorithm", reference_of),
        _check(known, words_of(*STANDARD), lambda algorithm: STANDARD)
        if STANDARD in known.keys
        else None,
    )


def _check(known: _Evidence, against: str, reference: Reference) -> Check:
    references = np.column_stack([known.column(reference(key[1])) for key in known.keys])
    gains = known.ari - references
    signs = (gains > ROPE).astype(int) - (gains < -ROPE)
    outcomes, chances = [], []
    for i, objects in enumerate(known.objects):
        datasets, candidates = known.comparable(objects > LARGEST, without=i)
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
        plain = DEFAULT if measure == algorithm else reference_of(algorithm)
        gain = scores - known.column(plain)[datasets]
        better, worse = int((gain > ROPE).sum()), int((gain < -ROPE).sum())
        ranking.append(
            Candidate(
                measure,
                algorithm,
                float(ranks[i]),
                float(scores.mean()),
                better,
                worse,
                known.seconds.get((measure, algorithm)),
            )
        )
    return tuple(ranking)
