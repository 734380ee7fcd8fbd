"""Which method to try first on a table, and on what evidence: the packaged answer of a study.

The study compared measures with algorithms, and methods that cluster a table by themselves, on
benchmark data with known classes. Its answer is packaged as ``couplings/data/answer.json``.
"""

import json
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Union

from couplings.counts import CooccurrenceCounts
from couplings.table import CategoricalTable

if TYPE_CHECKING:
    import pandas as pd

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
    """What to try first, and how sure that is.

    Attributes
    ----------
    measure, algorithm : str
        The recommended method; of one that clusters a table by itself both are its name.
    estimator : str
        Its class in this package.
    parameters : dict
        Its parameters, but for the number of clusters and the seed.
    gain : dict or None
        Against simple matching with k-modes: data sets on which it is ``better``, the ``same`` or
        ``worse`` (differences up to 0.01 ARI are none), ``mean`` difference of the ARI with its
        95 % interval ``low`` to ``high``, and ``p`` of a Wilcoxon signed-rank test. None if simple
        matching with k-modes is itself recommended.
    base_rate : float
        Share of candidates and data sets with more than 0.01 ARI above simple matching with
        k-modes: how often a candidate drawn at random is better.
    datasets, candidates : int
        Data sets of the study, and methods that were compared on them.
    proven_better, proven_worse : int
        Candidates that are better or worse than it, by Wilcoxon tests corrected after Holm.
    first : dict
        Candidate of the best mean rank: ``name``, ``mean_rank``, ``mean_ari``, and whether it is
        what is ``recommended``.
    seconds : float or None
        Processor seconds of one start, mean of two large data sets; None if it was not timed.
    limits, date : str
        What the evidence does not say, and when the study gave this answer.
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
        """Say the choice; ``print`` says the evidence too."""
        given = ", ".join(f"{name}={value!r}" for name, value in self.parameters.items())
        return f"<Recommendation: {self.estimator}({given})>"

    def __str__(self) -> str:
        """Say it in words."""
        said = [f"Try {repr(self).removeprefix('<Recommendation: ').removesuffix('>')} first."]
        if self.gain is not None:
            says_p = _says(self.gain["p"])
            said.append(_GAIN.format(**self.gain, datasets=self.datasets, says_p=says_p))
            said.append(_BASE_RATE.format(base_rate=self.base_rate))
        known = {**vars(self), **self.first, "others": self.candidates - 1}
        said.append(_OTHERS.format(**known))
        if self.seconds is not None:
            said.append(f"One start took {self.seconds:.2g} s on the machine of the study.")
        return " ".join([*said, self.limits, f"As of {self.date}."])


def recommend(
    X: Union[CooccurrenceCounts, CategoricalTable, "pd.DataFrame"],
) -> Recommendation:
    """Recommend a method for clustering a table: a measure with an algorithm, or one by itself.

    Parameters
    ----------
    X : CooccurrenceCounts, CategoricalTable, data frame or list of rows
        The table or its counts; only the number of objects counts. For large tables the study
        compared only what needs no matrix of all pairs of objects.

    Raises
    ------
    CouplingsError
        If X is no table.

    Notes
    -----
    No property of a table but its size is used. The page of the study says how the answer
    was found.
    """
    table = X if isinstance(X, CooccurrenceCounts) else CategoricalTable.from_any(X)
    found = json.loads((files("couplings") / "data" / "answer.json").read_text("utf-8"))
    of_size = found["small" if table.n_objects <= found["largest"] else "large"]
    return Recommendation(**of_size, limits=found["limits"], date=found["date"])


def _says(p: float) -> str:
    return "< 0.001" if p < 0.001 else f"= {p:.3f}"
