"""Which method to try first, by the scores of the study, and how such advice does on unseen data.

Rows of evidence have ``dataset``, ``objects``, ``measure``, ``algorithm`` and ``ari``, as texts or
numbers: one per data set, measure and algorithm. A method that clusters a table by itself is both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from couplings.errors import CouplingsError
from replication.papers.study.statistics import ALPHA, ROPE, pooled, ranks, signed_rank
from replication.run.paired import holm

LARGEST = 9000
"""Beyond this many objects nothing counts that needs all pairs of them."""
REFERENCE = "smd"
REFERENCE_VECTORS = "one_hot"
"""Measure that stands for simple matching with k-means, which needs vectors: the 0-1 encoding."""
DEFAULT = (REFERENCE, "kmodes")
"""The method that one takes without any advice."""
STANDARD = ("latent_classes", "latent_classes")
"""The anchor of the study: latent class analysis, the statisticians' way."""
AGAINST = {DEFAULT: "simple matching with k-modes", STANDARD: "latent class analysis"}

Row = Mapping[str, Any]
Method = tuple[str, str]
"""Measure and algorithm."""


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
        Data sets on which the advice is better or worse than the reference by more than `ROPE`,
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
    def skilled(self) -> bool:
        """Whether the advice is better than chance."""
        return self.p < ALPHA

    @property
    def ahead(self) -> bool:
        """Whether the advice is better than the reference, by an exact one-sided sign test."""
        from scipy.stats import binomtest

        n = self.better + self.worse
        return n > 0 and bool(binomtest(self.better, n, alternative="greater").pvalue < ALPHA)


@dataclass(frozen=True)
class Advice:
    """The method to try first, and how sure that is.

    Attributes
    ----------
    measure, algorithm : str
        The recommended method; of one that clusters by itself both are its name.
    first : Method
        The candidate of best mean rank, which need not be the recommended one.
    mean_rank, mean_ari : float
        Of the first candidate, over these data sets.
    candidates, datasets : int
        Number of candidates, and of data sets that they were compared on.
    overall : Check
        The choice by mean rank against simple matching with k-modes, on unseen data sets.
    standard : Check or None
        The same against latent class analysis; None if the evidence does not have it.
    gain : dict or None
        The recommended method against simple matching with k-modes, see `gained`; None if that is
        it, or is not among the candidates.
    proven_better, proven_worse : int
        Other candidates that are better or worse than the recommended one: Wilcoxon tests, Holm
        over all of them.
    """

    measure: str
    algorithm: str
    first: Method
    mean_rank: float
    mean_ari: float
    candidates: int
    datasets: int
    overall: Check
    standard: Check | None
    gain: dict[str, Any] | None
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
    known = _Evidence(rows)
    scores = known.comparable(large)
    if scores.empty:
        raise CouplingsError(
            f"the evidence has no candidate for {'more than' if large else 'up to'} {LARGEST} "
            "objects that was scored on all its data sets of that size"
        )
    first, mean_rank = _first(scores)
    overall = known.check(AGAINST[DEFAULT], lambda algorithm: DEFAULT)
    standard = None
    if STANDARD in known.ari:
        standard = known.check(AGAINST[STANDARD], lambda algorithm: STANDARD)
    choice = DEFAULT
    if STANDARD in scores and DEFAULT in scores:
        gain = gained((scores[STANDARD] - scores[DEFAULT]).to_numpy())
        choice = STANDARD if gain["mean"] > 0 and gain["p"] < ALPHA else DEFAULT
    if overall.skilled and (choice == DEFAULT or (standard is not None and standard.ahead)):
        choice = first
    proven = np.zeros(0)
    if choice in scores:
        differences = scores.drop(columns=[choice]).sub(scores[choice], axis=0)
        tests = holm([signed_rank(differences[one].to_numpy()) for one in differences])
        clear = np.array([p is not None and p < ALPHA for p in tests], dtype=int)
        proven = clear * np.sign(differences.mean().to_numpy())
    return Advice(
        *choice,
        first,
        mean_rank,
        float(scores[first].mean()),
        scores.shape[1],
        len(scores),
        overall,
        standard,
        gained((scores[choice] - scores[DEFAULT]).to_numpy())
        if choice != DEFAULT and DEFAULT in scores
        else None,
        int((proven > 0).sum()),
        int((proven < 0).sum()),
    )


def gained(differences: np.ndarray) -> dict[str, Any]:
    """Sum up the differences of two methods' scores, one per data set and at least 2.

    Returns
    -------
    dict
        ``better``, ``same``, ``worse``: data sets on which the first is better or worse by more
        than `ROPE`, or neither; ``mean`` difference with its 95 % interval ``low``, ``high`` over
        data sets, by Student's t; ``p``, see `signed_rank`, not corrected, 1 below three data sets.
    """
    better, worse = int((differences > ROPE).sum()), int((differences < -ROPE).sum())
    p, mean = signed_rank(differences), pooled(differences)
    return {
        **{"better": better, "same": len(differences) - better - worse, "worse": worse},
        **{key: mean[key] for key in ("mean", "low", "high")},
        "p": 1.0 if p is None else p,
    }


def check(rows: Sequence[Row], against: str, reference: Callable[[str], Method]) -> Check:
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
    return _Evidence(rows).check(against, reference)


def reference_of(algorithm: str) -> Method:
    """Return measure and algorithm that stand for simple matching with an algorithm."""
    return (REFERENCE_VECTORS if algorithm == "kmeans" else REFERENCE), algorithm


class _Evidence:
    """Evidence as a table of scores: a row per data set, a column per candidate."""

    def __init__(self, rows: Sequence[Row]) -> None:
        if not rows:
            raise CouplingsError("the evidence is empty")
        frame = pd.DataFrame(rows).astype({"objects": float, "ari": float})
        self.objects = frame.groupby("dataset", sort=False)["objects"].first()
        table = frame.pivot_table("ari", "dataset", ["measure", "algorithm"])
        self.ari = table.reindex(index=self.objects.index)
        sums = {measure for measure, algorithm in self.ari if algorithm == "kmodes"}
        # candidates that need no matrix of all pairs
        self.scales = [
            algorithm not in ("ward", "average", "rock", "limbo")
            and (algorithm != "spectral" or measure in sums)
            for measure, algorithm in self.ari
        ]

    def comparable(self, large: bool, without: str = "") -> pd.DataFrame:
        """Return the candidates for so many objects that all data sets of that size have."""
        counted = (large | (self.objects <= LARGEST)) & (self.objects.index != without)
        scores = self.ari.loc[counted, self.scales if large else slice(None)]
        return scores.dropna(axis=1) if len(scores) else scores.iloc[:, :0]

    def check(self, against: str, reference: Callable[[str], Method]) -> Check:
        """Try advice on each data set, chosen without it."""
        references = [reference(algorithm) for _, algorithm in self.ari]
        gains = self.ari - self.ari.reindex(columns=references).to_numpy()
        signs = (gains > ROPE).astype(int) - (gains < -ROPE).astype(int)
        outcomes, chances = [], []
        for dataset, objects in self.objects.items():
            scores = self.comparable(objects > LARGEST, without=dataset)
            there = gains.loc[dataset, scores.columns].notna()
            if not there.any():
                continue
            outcomes.append(int(signs.loc[dataset, _first(scores.loc[:, there])[0]]))
            drawn = signs.loc[dataset, scores.columns[there]].to_numpy()
            chances.append([float((drawn == sign).mean()) for sign in (-1, 0, 1)])
        worse, same, better = np.sum(chances, axis=0) if chances else np.zeros(3)
        return Check(
            against,
            outcomes.count(1),
            outcomes.count(0),
            outcomes.count(-1),
            float(better),
            float(same),
            float(worse),
            _tail(sum(outcomes), chances),
        )


def _tail(net: int, chances: Sequence[Sequence[float]]) -> float:
    """Return P(sum of independent draws of -1, 0, 1 >= net); the chances are in this order."""
    distribution = np.ones(1)
    for chance in chances:
        distribution = np.convolve(distribution, chance)
    return min(1.0, float(distribution[net + len(chances) :].sum()))


def _first(scores: pd.DataFrame) -> tuple[Method, float]:
    """Return the candidate of best mean rank, of equal ones the first by name; and the rank."""
    rank, method = min((rank, method) for method, rank in ranks(scores).mean().items())
    return method, float(rank)
