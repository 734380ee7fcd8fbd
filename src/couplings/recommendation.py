"""Which measure and which algorithm to try first on a table, and on what evidence.

The evidence is a comparison of measures and algorithms on benchmark data with known classes; it
is packaged as ``couplings/data/evidence.csv``, one row per data set, measure and algorithm.
"""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Union

import numpy as np

from couplings.errors import CouplingsError
from couplings.table import CategoricalTable

if TYPE_CHECKING:
    import pandas as pd

    from couplings.counts import CooccurrenceCounts

# Beyond this many objects nothing is recommended that needs all pairs of them.
LARGEST = 9000
REFERENCE = "smd"
# k-means has vectors: there simple matching is the 0-1 encoding.
REFERENCE_VECTORS = "one_hot"
# Differences of ARI up to this are none in practice.
ROPE = 0.01
_FEWEST = 4

MEASURES = {
    "smd": "SimpleMatching()",
    "eskin": "Eskin()",
    "iof": "InverseOccurrenceFrequency()",
    "ofd": "OccurrenceFrequency(link='sum')",
    "lin": "Lin()",
    "lin1": "Lin1()",
    "goodall1": "Goodall(1)",
    "goodall2": "Goodall(2)",
    "goodall3_sum": "Goodall(3)",
    "goodall4": "Goodall(4)",
    "smirnov": "Smirnov()",
    "burnaby": "Burnaby()",
    "anderberg": "Anderberg()",
    "gambaryan": "Gambaryan()",
    "jaccard": "Jaccard()",
    "dilca_m": "DilcaM()",
    "dilca_rr": "DilcaRR()",
    "pearson": "Pearson()",
    "delta": "AhmadDey(aggregation='rss')",
    "add": "AhmadDey()",
    "caso": "Caso()",
    "cado": "Cado()",
    "one_hot": "OneHot()",
    "idf": "InverseDocumentFrequency()",
    "cde": "CDE()",
    "coupled_mixed": "CoupledMixed()",
}
"""How to make each measure of the evidence with this package."""

Row = Mapping[str, str]


@dataclass(frozen=True)
class Candidate:
    """One measure with one algorithm, on the data sets that are like the table.

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
class Recommendation:
    """What to try first, and how sure that is.

    Attributes
    ----------
    measure, algorithm : str
        The first candidate.
    constructor : str
        How to make the measure with this package.
    ranking : tuple of Candidate
        All candidates, the best first.
    datasets : tuple of str
        The data sets of the evidence that are like the table.
    like : str
        In what they are like it.
    tried, kept : int
        On how many of these data sets the choice was made without looking at them, and on how many
        of them it then was not worse than simple matching with the same algorithm (k-means: than
        the 0-1 encoding).
    """

    measure: str
    algorithm: str
    constructor: str
    ranking: tuple[Candidate, ...]
    datasets: tuple[str, ...]
    like: str
    tried: int
    kept: int

    def __str__(self) -> str:
        """Say it in words."""
        first = self.ranking[0]
        return (
            f"Try {self.constructor} with {self.algorithm} first. Evidence: {len(self.datasets)} "
            f"data sets with {self.like}; mean ARI {first.mean_ari:.2f}, mean rank "
            f"{first.mean_rank:.1f} of {len(self.ranking)}. Chosen without looking at a data set, "
            f"the choice was not worse than simple matching on {self.kept} of {self.tried}. Data "
            "sets differ more than measures do: compare with simple matching on your own."
        )


def recommend(
    X: Union["CooccurrenceCounts", CategoricalTable, "pd.DataFrame"],
    evidence: Sequence[Row] | None = None,
) -> Recommendation:
    """Recommend a measure and an algorithm for clustering a table.

    Parameters
    ----------
    X : CooccurrenceCounts, or whatever `CategoricalTable.from_any` takes
        At least two objects without missing cells; their counts are enough.
    evidence : sequence of mapping, optional
        Rows with ``dataset``, ``objects``, ``values`` (mean number of values of an attribute),
        ``coupling`` (feature correlation index), ``measure``, ``algorithm`` and ``ari``, as texts
        or numbers.
        Default: those of this package.

    Returns
    -------
    Recommendation

    Raises
    ------
    MissingValuesError
        If a cell is missing.
    CouplingsError
        If the evidence has no candidate for such a table.

    Notes
    -----
    Data sets are like the table if they lie on the same side of the median of the evidence in the
    number of values per attribute and in the coupling of the attributes; with fewer than four of
    them all data sets count. A candidate has been scored on all of these. Candidates are ordered by
    their mean rank. Above 9000 objects only those count that need no matrix of all pairs; up to
    9000 only data sets of that size, so that all candidates can be compared.

    The evidence is a few dozen public data sets whose classes need not be clusters: a starting
    point, no promise.
    """
    from couplings.counts import CooccurrenceCounts, cooccurrence
    from couplings.metrics.factors import feature_correlation

    counts = X
    if not isinstance(X, CooccurrenceCounts):
        counts = cooccurrence(CategoricalTable.from_any(X))
    seen = np.split(counts.marginals > 0, counts.offsets[1:-1])
    values = float(np.mean([part.sum() for part in seen]))
    coupling = feature_correlation(counts) if counts.n_attributes > 1 else 0.0
    return recommend_for(values, coupling, counts.n_objects, evidence)


def recommend_for(
    values: float, coupling: float, n_objects: int, evidence: Sequence[Row] | None = None
) -> Recommendation:
    """Recommend a measure and an algorithm for a kind of table; see `recommend`.

    Parameters
    ----------
    values : float
        Mean number of values of an attribute.
    coupling : float in [0, 1]
        Feature correlation index.
    n_objects : int
        Number of objects.
    evidence : sequence of mapping, optional
        As for `recommend`.

    Raises
    ------
    CouplingsError
        If the evidence has no candidate for such a table.
    """
    rows = _packaged() if evidence is None else list(evidence)
    large = n_objects > LARGEST
    if not large:
        rows = [row for row in rows if float(row["objects"]) <= LARGEST]
    datasets, like = _alike(rows, values, coupling)
    scores = _scores(rows, datasets, large)
    if not scores:
        raise CouplingsError(
            f"the evidence has no measure and algorithm for {n_objects} objects; with fewer "
            "objects there are more candidates"
        )
    ranking = _ranking(scores)
    tried, kept = _left_out_in_turn(scores)
    best = ranking[0]
    return Recommendation(
        best.measure,
        best.algorithm,
        MEASURES.get(best.measure, best.measure),
        ranking,
        tuple(datasets),
        like,
        tried,
        kept,
    )


def reference_of(algorithm: str) -> tuple[str, str]:
    """Return measure and algorithm that stand for simple matching with an algorithm."""
    return (REFERENCE_VECTORS if algorithm == "kmeans" else REFERENCE), algorithm


@cache
def _packaged() -> list[dict[str, str]]:
    """Return the rows of the evidence that this package carries."""
    with (files("couplings") / "data" / "evidence.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _alike(rows: Sequence[Row], values: float, coupling: float) -> tuple[list[str], str]:
    """Return the data sets that are like a table, and in what."""
    kinds = {row["dataset"]: (float(row["values"]), float(row["coupling"])) for row in rows}
    if not kinds:
        raise CouplingsError("the evidence is empty")
    middle = np.median(list(kinds.values()), axis=0)
    own = tuple(np.array([values, coupling]) > middle)
    found = [name for name, kind in kinds.items() if tuple(np.array(kind) > middle) == own]
    if len(found) < _FEWEST:
        return list(kinds), "no restriction, because few are like this one"
    many, strong = own
    return found, (
        f"{'more' if many else 'at most'} {'than ' if many else ''}{middle[0]:.1f} values per "
        f"attribute and {'strong' if strong else 'weak'} coupling (FCI "
        f"{'above' if strong else 'up to'} {middle[1]:.2f})"
    )


def _scores(
    rows: Sequence[Row], datasets: Sequence[str], large: bool
) -> dict[tuple[str, str], np.ndarray]:
    """Return the ARI on all these data sets of every candidate that has them."""
    found: dict[tuple[str, str], dict[str, float]] = {}
    sums = {row["measure"] for row in rows if row["algorithm"] == "kmodes"}
    for row in rows:
        pairs = row["algorithm"] in ("ward", "average", "rock")
        if large and (pairs or (row["algorithm"] == "spectral" and row["measure"] not in sums)):
            continue
        found.setdefault((row["measure"], row["algorithm"]), {})[row["dataset"]] = float(row["ari"])
    return {
        key: np.array([scores[name] for name in datasets])
        for key, scores in found.items()
        if all(name in scores for name in datasets)
    }


def _ranking(scores: Mapping[tuple[str, str], np.ndarray]) -> tuple[Candidate, ...]:
    """Return the candidates, the best mean rank first; of equal ones the first by name."""
    from scipy.stats import rankdata

    table = np.array(list(scores.values()))
    ranks = np.column_stack([rankdata(-column) for column in table.round(10).T]).mean(axis=1)
    candidates = []
    for (measure, algorithm), rank in zip(scores, ranks, strict=True):
        ari = scores[measure, algorithm]
        gain = ari - scores.get(reference_of(algorithm), np.full(len(ari), np.nan))
        better, worse = int((gain > ROPE).sum()), int((gain < -ROPE).sum())
        candidates.append(
            Candidate(measure, algorithm, float(rank), float(ari.mean()), better, worse)
        )
    return tuple(sorted(candidates, key=lambda one: (one.mean_rank, one.measure, one.algorithm)))


def _left_out_in_turn(scores: Mapping[tuple[str, str], np.ndarray]) -> tuple[int, int]:
    """Return on how many data sets a choice without them was tried, and was not worse."""
    tried = kept = 0
    n = len(next(iter(scores.values())))
    for i in range(n if n > 1 else 0):
        best = _ranking({key: np.delete(ari, i) for key, ari in scores.items()})[0]
        reference = scores.get(reference_of(best.algorithm))
        if reference is not None:
            tried += 1
            kept += bool(scores[best.measure, best.algorithm][i] >= reference[i] - ROPE)
    return tried, kept
