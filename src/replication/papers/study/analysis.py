"""What the tables of the study are made of: scores from records, and comparisons of methods."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd

from replication.papers.study.advice import DEFAULT, STANDARD
from replication.papers.study.cells import SCORES
from replication.papers.study.statistics import ALPHA, ROPE, Families, compare
from replication.run.paired import correct
from replication.show.job import Job
from replication.steps import OK

ALGORITHMS = {
    "kmodes": "k-modes",
    "spectral": "spectral",
    "ward": "Ward",
    "average": "average linkage",
    "rock": "ROCK / CROCK",
    "kmeans": "k-means",
    "limbo": "LIMBO",
    "k_prototypes": "k-prototypes",
    "madd": "mADD",
    "mixture": "mixture",
    "spectralcat": "SpectralCAT",
}
COMMON = ["kmodes", "spectral", "ward", "average"]
"""Algorithms that nearly all measures have."""
BESIDE = ("rivals", "learned")
"""Experiments beside the grid: the papers' rivals, and what is learnt with the clusters."""
METHODS = "methods"
"""Stands for the algorithm where every method has its own."""
ANCHORS = (STANDARD[0], DEFAULT[0])
"""Methods that every other is compared with: latent class analysis, k-modes."""
BASELINES = {"majority": "one cluster", "random": "random clusters"}
COLUMNS = (
    *("kind", "outcome", "dataset", "measure", "label", "algorithm"),
    *("rule", "detail", "treatment", *SCORES),
)
"""Columns that records have here, whatever else there is."""

Natural = Mapping[str, Sequence[str]]
"""Algorithm to the measures that it is the one algorithm of."""


def records(job: Job, *experiments: str, kind: str = "cell", outcome: str = OK) -> pd.DataFrame:
    """Records of experiments, of all parts of those that have one part per measure.

    Parameters
    ----------
    *experiments : str
        Names; those that the artefact does not have are passed over.
    kind, outcome : str
        What is wanted; anything if empty.

    Returns
    -------
    DataFrame
        With `COLUMNS`.
    """
    names = [name for name in job.spec["experiments"] if name.partition("_")[0] in experiments]
    parts = [part for name in names if len(part := job.ok(name))]
    found = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()
    found = found.reindex(columns=list(dict.fromkeys([*found, *COLUMNS])))
    found = found.astype(dict.fromkeys(SCORES, float))
    for column, wanted in (("kind", kind), ("outcome", outcome)):
        found = found[found[column] == wanted] if wanted else found
    return found


def profiles(job: Job, kind: str = "profile") -> pd.DataFrame:
    """Profiles, or with the kind ``baseline`` the two baselines, of the data sets."""
    return records(job, "profiles", kind=kind, outcome="")


def methods(job: Job, natural: Natural) -> pd.DataFrame:
    """Scores of whole methods: every measure with its natural algorithm, and all others.

    `natural` lists the measures of an algorithm; a measure that it does not name goes with
    k-modes. All cells have the algorithm `METHODS`.
    """
    algorithm_of = {name: algorithm for algorithm, measures in natural.items() for name in measures}
    found = records(job, "grid")
    own = found["measure"].map(lambda name: algorithm_of.get(name, "kmodes"))
    every = pd.concat([found[found["algorithm"] == own], records(job, *BESIDE)], ignore_index=True)
    parts = zip(every["label"], every["measure"], every["algorithm"], strict=True)
    labels = [label if a == m else f"{label}, {ALGORITHMS[a]}" for label, m, a in parts]
    return every.assign(label=labels, algorithm=METHODS)


def cells_of(job: Job, algorithm: str, natural: Natural | None) -> pd.DataFrame:
    """Scored cells that a table about an algorithm, or about whole methods, is made of."""
    return methods(job, natural or {}) if algorithm == METHODS else records(job, "grid")


def of_algorithm(found: pd.DataFrame, algorithm: str, score: str = "ari") -> pd.DataFrame:
    """Scores with one algorithm, or means over the common ones (``mean``), without gaps.

    The algorithm may be `METHODS`, for cells that `methods` returns.
    """
    if algorithm == "mean":
        return complete(averaged(found, score))
    return complete(matrix(found[found["algorithm"] == algorithm], score))


def matrix(found: pd.DataFrame, score: str = "ari") -> pd.DataFrame:
    """Scores with data sets as rows and measures as columns, in their order of appearance."""
    table = found.pivot_table(index="dataset", columns="measure", values=score, sort=False)
    return table.reindex(columns=list(dict.fromkeys(found["measure"])))


def complete(table: pd.DataFrame) -> pd.DataFrame:
    """The block without gaps: measures that most data sets have, then data sets that have them.

    A measure that lacks more than a quarter of the data sets is left out; then every data set that
    lacks one of the others.
    """
    return table.loc[:, table.notna().mean() >= 0.75].dropna()


def common(found: pd.DataFrame, score: str = "ari") -> pd.DataFrame:
    """Scores with the common algorithms as columns, where a measure has them all on a data set."""
    table = found[found["algorithm"].isin(COMMON)].pivot_table(
        index=["dataset", "measure"], columns="algorithm", values=score, sort=False
    )
    return table.reindex(columns=COMMON).dropna()


def averaged(found: pd.DataFrame, score: str = "ari") -> pd.DataFrame:
    """Mean score over the common algorithms, as `matrix` has it."""
    means = common(found, score).mean(axis=1).rename(score).reset_index()
    order = [name for name in dict.fromkeys(found["measure"]) if name in set(means["measure"])]
    return matrix(means, score)[order]


def labels_of(found: pd.DataFrame) -> dict[str, str]:
    """Label of each measure."""
    return dict(zip(found["measure"], found["label"], strict=True))


def baselines(job: Job, datasets: Iterable[str]) -> dict[str, dict[str, float]]:
    """Mean scores of the two baselines over data sets, by name; empty if there are none."""
    found = profiles(job, "baseline")
    if found.empty:
        return {}
    own = found[found["dataset"].isin(list(datasets))]
    means = own.groupby("baseline")[list(SCORES)].mean()
    return {name: means.loc[name].to_dict() for name in BASELINES if name in means.index}


def pairs_of(job: Job, found: pd.DataFrame) -> pd.DataFrame:
    """Scores with data sets as rows and pairs of measure and algorithm as columns."""
    table = found.pivot_table(index="dataset", columns=["measure", "algorithm"], values="ari")
    return table.reindex(index=list(job.datasets))


def compared(
    job: Job, scores: pd.DataFrame, duels: Iterable[Mapping[str, str]], families: Families
) -> list[dict[str, Any]]:
    """Compare pairs of measures, and correct over all of them.

    Parameters
    ----------
    scores : DataFrame
        By `pairs_of`.
    duels : iterable of mapping
        ``first``, ``second`` (measures) and ``algorithm``, or one for each:
        ``first_algorithm``, ``second_algorithm``; ``claim`` may be there. One that no data set has
        both sides of is passed over.

    Returns
    -------
    list of dict
        By `statistics.compare`, with ``p_holm`` and ``verdict``.
    """
    rows = []
    for duel in duels:
        sides = [
            (duel[side], duel.get(f"{side}_algorithm") or duel["algorithm"])
            for side in ("first", "second")
        ]
        if not all(side in scores for side in sides) or (both := scores[sides].dropna()).empty:
            continue
        algorithm = duel.get("algorithm") or ", ".join(ALGORITHMS[name] for _, name in sides)
        rng = job.rng(duel["first"], duel["second"], algorithm)
        words = {key: duel.get(key, "") for key in ("claim", "first", "second")}
        rows.append({**words, "algorithm": algorithm, **compare(both, rng, families)})
    return remaining(rows)


def remaining(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Compared pairs with Holm's p-values, and what remains of the first one's advantage."""
    correct(rows)
    return [{**row, "verdict": what_remains(row)} for row in rows]


def clear(row: Mapping[str, Any]) -> bool:
    """Whether a test is significant after correction."""
    return row["p_holm"] is not None and row["p_holm"] < ALPHA


def what_remains(row: Mapping[str, Any]) -> str:
    """What is left of an advantage after Holm's correction."""
    if row["p_holm"] is None:
        return "not tested"
    if clear(row):
        return "better" if row["effect"] > 0 else "worse"
    within = row["low"] is not None and row["low"] >= -ROPE and row["high"] <= ROPE
    return "the same in practice" if within else "undecided"
