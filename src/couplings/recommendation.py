"""Recommendation of a method to try first on a table, with evidence from a study.

The study compared measures combined with algorithms, and methods that cluster tables directly, on
benchmark data with known classes. Its answer is stored in ``couplings/data/answer.json``.
"""

import json
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from couplings.counts import CooccurrenceCounts, Data
from couplings.table import table_of

_GAIN = (
    "It is better than simple matching with k-modes on {better} and worse on {worse} of {datasets} "
    "data sets, by {mean:.2f} ARI on average (95 % interval {low:.2f} to {high:.2f}; p {says_p})."
)
_OTHERS = (
    "Of {others} other candidates, better than it: {proven_better}, worse: {proven_worse}, "
    "corrected for their number. {name} has the best mean rank ({mean_rank:.1f} of {candidates}, "
    "mean ARI {mean_ari:.2f})."
)
_BASE_RATE = "A candidate drawn at random is better than k-modes on {base_rate:.0%} of them."


@dataclass(frozen=True, repr=False)
class Recommendation:
    """Recommended method and its evidence.

    Attributes
    ----------
    measure, algorithm : str
        The recommended method; for one that clusters tables directly both are its name.
    estimator : str
        Its class in this package.
    parameters : dict
        Its parameters, except the number of clusters and the seed.
    gain : dict or None
        Against simple matching with k-modes: numbers of data sets on which it is ``better``, the
        ``same`` (up to 0.01 ARI) or ``worse``, ``mean`` difference of the ARI with its 95 %
        interval ``low`` to ``high``, and ``p`` of a Wilcoxon signed-rank test. None if simple
        matching with k-modes is itself recommended.
    base_rate : float
        Share of candidates and data sets with more than 0.01 ARI above simple matching with
        k-modes, the probability that a random candidate is better.
    datasets, candidates : int
        Numbers of data sets of the study and of methods compared on them.
    proven_better, proven_worse : int
        Candidates better or worse than it, by Wilcoxon tests with Holm's correction.
    first : dict
        Candidate with the best mean rank: ``name``, ``mean_rank``, ``mean_ari``, and whether it
        is ``recommended``.
    seconds : float or None
        Processor seconds of one start, mean over two large data sets; None if not timed.
    limits, date : str
        Limits of the evidence, and date of the study's answer.
    """

    measure: str
    algorithm: str
    estimator: str
    parameters: dict[str, Any]
    gain: dict[str, float] | None
    base_rate: float
    datasets: int
    candidates: int
    proven_better: int
    proven_worse: int
    first: dict[str, Any]
    seconds: float | None
    limits: str
    date: str

    def start(self, n_clusters: int, random_state: Any = None) -> Any:
        """Return the recommended estimator, not fitted; ``fit_predict(X)`` clusters a table.

        Examples
        --------
        >>> from couplings import recommend
        >>> bikes = [["step", "wide"], ["step", "wide"], ["sport", "slim"], ["sport", "slim"]]
        >>> labels = recommend(bikes).start(2, random_state=0).fit_predict(bikes)
        >>> len(set(labels))
        2
        """
        import couplings

        kind = getattr(couplings, self.estimator)
        return kind(n_clusters, random_state=random_state, **self.parameters)

    def __repr__(self) -> str:
        """Return the choice; ``print`` shows the evidence too."""
        given = ", ".join(f"{name}={value!r}" for name, value in self.parameters.items())
        return f"<Recommendation: {self.estimator}({given})>"

    def __str__(self) -> str:
        """Return the recommendation and its evidence in words."""
        said = [f"Try {repr(self).removeprefix('<Recommendation: ').removesuffix('>')} first."]
        if self.gain is not None:
            p = self.gain["p"]
            says_p = "< 0.001" if p < 0.001 else f"= {p:.3f}"
            said.append(_GAIN.format(**self.gain, datasets=self.datasets, says_p=says_p))
            said.append(_BASE_RATE.format(base_rate=self.base_rate))
        known = {**vars(self), **self.first, "others": self.candidates - 1}
        said.append(_OTHERS.format(**known))
        if self.seconds is not None:
            said.append(f"One start took {self.seconds:.2g} s on the machine of the study.")
        return " ".join([*said, self.limits, f"As of {self.date}."])


def recommend(X: Data) -> Recommendation:
    """Recommend a method for clustering a table: a measure with an algorithm, or a direct one.

    Only the size of the table is used. The page of the study describes how the answer was found.

    Parameters
    ----------
    X : CooccurrenceCounts, CategoricalTable, data frame or array_like
        The table or its counts; only the number of objects is used. For large tables the
        study compared only methods that need no matrix of all pairs of objects.

    Raises
    ------
    CouplingsError
        If X is not a table.
    """
    table = X if isinstance(X, CooccurrenceCounts) else table_of(X)
    found = json.loads((files("couplings") / "data" / "answer.json").read_text("utf-8"))
    of_size = found["small" if table.n_objects <= found["largest"] else "large"]
    return Recommendation(**of_size, limits=found["limits"], date=found["date"])
