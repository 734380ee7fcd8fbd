"""Which method to try first, by the scores of the study, and how such advice does on unseen data.

Rows of evidence have ``dataset``, ``objects``, ``measure``, ``algorithm`` and ``ari``, as texts or
numbers: one per data set, measure and algorithm. A method that clusters a table by itself is both.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from couplings.errors import CouplingsError
from replication.papers.study.statistics import ALPHA, signed_rank
from replication.run.paired import holm

LARGEST = 9000
"""Beyond this many objects nothing counts that needs all pairs of them."""
ROPE = 0.01
"""Differences of ARI up to this are none in practice."""
REFERENCE = "smd"
REFERENCE_VECTORS = "one_hot"
"""Measure that stands for simple matching with k-means, which needs vectors: the 0-1 encoding."""
DEFAULT = (REFERENCE, "kmodes")
"""The method that one takes without any advice."""
STANDARD = ("latent_classes", "latent_classes")
"""The anchor of the study: latent class analysis, the statisticians' way."""

Row = Mapping[str, object]
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
    """

    measure: str
    algorithm: str
    mean_rank: float
    mean_ari: float


@dataclass(frozen=True)
class Gain:
    """The recommended method against simple matching with k-modes, over data sets.

    Attributes
    ----------
    better, same, worse : int
        Data sets on which it is better or worse by more than `ROPE`, or neither.
    mean : float
        Mean difference of the ARI.
    low, high : float
        Its 95 % interval over data sets, by Student's t.
    p : float
        Two-sided Wilcoxon signed-rank test, zeros by Pratt; not corrected. 1 below three data sets.
    """

    better: int
    same: int
    worse: int
    mean: float
    low: float
    high: float
    p: float

    @classmethod
    def of(cls, differences: np.ndarray) -> Gain:
        """Sum up the differences of the scores, one per data set and at least 2."""
        from scipy.stats import t

        n = len(differences)
        mean = float(differences.mean())
        half = float(t.ppf(0.975, n - 1) * differences.std(ddof=1) / np.sqrt(n))
        better, worse = int((differences > ROPE).sum()), int((differences < -ROPE).sum())
        p = signed_rank(differences)
        same = n - better - worse
        return cls(better, same, worse, mean, mean - half, mean + half, 1.0 if p is None else p)


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


@dataclass(frozen=True)
class Advice:
    """The method to try first, and how sure that is.

    Attributes
    ----------
    measure, algorithm : str
        The recommended method; of one that clusters by itself both are its name.
    first : Candidate
        The candidate of best mean rank, which need not be the recommended one.
    candidates, datasets : int
        Number of candidates, and of data sets that they were compared on.
    overall : Check
        The choice by mean rank against simple matching with k-modes, on unseen data sets.
    standard : Check or None
        The same against latent class analysis; None if the evidence does not have it.
    gain : Gain or None
        The recommended method against simple matching with k-modes; None if that is it, or is not
        among the candidates.
    proven_better, proven_worse : int
        Other candidates that are better or worse than the recommended one: Wilcoxon tests, Holm
        over all of them.
    """

    measure: str
    algorithm: str
    first: Candidate
    candidates: int
    datasets: int
    overall: Check
    standard: Check | None
    gain: Gain | None
    proven_better: int
    proven_worse: int


def advise(rows: Sequence[Row], large: bool = False) -> Advice:
    """Choose the method to try first.

    Candidates are ordered by their mean rank over all data sets of the evidence; a candidate has
    been scored on all of them. For large tables only those count that need no matrix of all pairs;
    for others only data sets of up to `LARGEST` objects, so that all candidates can be compared.

    The first is recommended only if such choices, made without a data set and tried on it, are
    better than candidates drawn at random, and better than latent class analysis (sign test).
    Otherwise it is latent class analysis if that is better than simple matching with k-modes
    (Wilcoxon test), and simple matching with k-modes if not.

    Parameters
    ----------
    rows : sequence of mapping
        Evidence, as this module describes it.
    large : bool, default False
        Whether the table has more than `LARGEST` objects.

    Raises
    ------
    CouplingsError
        If the evidence is empty, or has no candidate for such a table.
    """
    known = _Evidence.of(rows)
    datasets, candidates = known.comparable(large)
    if not len(candidates):
        raise CouplingsError(
            f"the evidence has no candidate for {'more than' if large else 'up to'} {LARGEST} "
            "objects that was scored on all its data sets of that size"
        )
    first = _first(known, datasets, candidates)
    overall = _check(known, "simple matching with k-modes", lambda algorithm: DEFAULT)
    standard = None
    if STANDARD in known.keys:
        standard = _check(known, "latent class analysis", lambda algorithm: STANDARD)
    there = {known.keys[j] for j in candidates}
    choice = DEFAULT
    if STANDARD in there and DEFAULT in there:
        anchored = known.gain(STANDARD, datasets)
        if anchored.mean > 0 and anchored.p < ALPHA:
            choice = STANDARD
    if overall.skilled and (choice == DEFAULT or (standard is not None and standard.ahead)):
        choice = (first.measure, first.algorithm)
    gain = known.gain(choice, datasets) if choice != DEFAULT and DEFAULT in there else None
    others = [known.keys[j] for j in candidates if known.keys[j] != choice]
    proven = _proven(known, datasets, choice, others)
    return Advice(
        *choice,
        first,
        len(candidates),
        len(datasets),
        overall,
        standard,
        gain,
        int((proven > 0).sum()),
        int((proven < 0).sum()),
    )


def _proven(
    known: _Evidence, datasets: np.ndarray, choice: Key, others: Sequence[Key]
) -> np.ndarray:
    """Return 1 for each of the others that is better than the choice, -1 for worse, else 0."""
    own = known.column(choice)[datasets]
    if np.isnan(own).any():
        return np.zeros(len(others), dtype=int)
    differences = [known.column(key)[datasets] - own for key in others]
    corrected = holm([signed_rank(one) for one in differences])
    clear = np.array([p is not None and p < ALPHA for p in corrected])
    return clear * np.sign([one.mean() for one in differences]).astype(int)


def check(rows: Sequence[Row], against: str, reference: Reference) -> Check:
    """Try advice on each data set of the evidence, chosen without it.

    Parameters
    ----------
    rows : sequence of mapping
        Evidence, as this module describes it.
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

    @classmethod
    def of(cls, rows: Sequence[Row]) -> _Evidence:
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
        return cls(list(objects), np.array(list(objects.values())), keys, ari, scales)

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

    def gain(self, key: Key, datasets: np.ndarray) -> Gain:
        """Compare a candidate with `DEFAULT` on data sets that both have."""
        return Gain.of((self.column(key) - self.column(DEFAULT))[datasets])


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
        best = _best(known, _mean_ranks(known, datasets, candidates), candidates)
        outcomes.append(int(signs[i, candidates[best]]))
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


def _best(known: _Evidence, ranks: np.ndarray, candidates: np.ndarray) -> int:
    """Return the position of the best mean rank; of equal ones the first by name."""
    return min(range(len(ranks)), key=lambda i: (ranks[i], known.keys[candidates[i]]))


def _first(known: _Evidence, datasets: np.ndarray, candidates: np.ndarray) -> Candidate:
    """Return the candidate of best mean rank."""
    ranks = _mean_ranks(known, datasets, candidates)
    best = _best(known, ranks, candidates)
    scores = known.ari[datasets, candidates[best]]
    return Candidate(*known.keys[candidates[best]], float(ranks[best]), float(scores.mean()))
