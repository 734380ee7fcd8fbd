"""What the tables of the study are made of: scores from records, and comparisons of methods."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd

from replication.papers.study.cells import SCORES
from replication.papers.study.statistics import ALPHA, ROPE, Families, compare
from replication.run.paired import correct
from replication.show.job import Job
from replication.steps import OK

ALGORITHMS = {
    "kmodes": "k-modes",
    "spectral": "spectral clustering",
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
"""Experiments other than the grid: the papers' rivals, and distances learnt with the clusters."""
REFERENCE = "smd"
REFERENCE_VECTORS = "one_hot"
"""Measure that stands for simple matching with k-means, which needs vectors: the 0-1 encoding."""
DEFAULT = f"{REFERENCE}.kmodes"
"""The method that one takes without any advice."""
STANDARD = "latent_classes.latent_classes"
"""Latent class analysis, the statisticians' way."""
ANCHORS = (STANDARD, DEFAULT)
"""Methods that every other is compared with."""
ROCK = ".rock"
"""How the methods end that rest on the threshold of ROCK."""
INDICES = dict(zip(SCORES, ("ARI", "NMI", "accuracy", "macro-F1", "purity"), strict=True))
BINS = 10
"""Bins of a number in the common preparation."""
BASELINES = {"majority": "one cluster", "random": "random clusters"}
COLUMNS = (
    *("experiment", "kind", "outcome", "dataset", "measure", "label", "algorithm"),
    *("rule", "detail", "treatment", "bins", "replicates", "ari_sd", "ari_error", *SCORES),
)
"""Columns that records have here, whatever else there is."""

Pair = tuple[str, str]
"""Two methods, the first against the second."""
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
    found = found.astype(dict.fromkeys((*SCORES, "ari_sd", "ari_error"), float))
    for column, wanted in (("kind", kind), ("outcome", outcome)):
        found = found[found[column] == wanted] if wanted else found
    return found


def profiles(job: Job, kind: str = "profile") -> pd.DataFrame:
    """Profiles, or with the kind ``baseline`` the two baselines, of the data sets."""
    return records(job, "profiles", kind=kind, outcome="")


def scored(job: Job) -> pd.DataFrame:
    """Cells of the grid and of all other methods, each with a ``method`` and its ``name``.

    A method is a measure with an algorithm, ``measure.algorithm``; of one that clusters by itself
    both are its id.
    """
    found = records(job, "grid", *BESIDE)
    own = found["algorithm"] == found["measure"]
    name = found["label"] + ", " + found["algorithm"].map(ALGORITHMS).fillna("")
    method = found["measure"] + "." + found["algorithm"]
    return found.assign(method=method, name=name.mask(own, found["label"]))


def whole(found: pd.DataFrame, natural: Natural) -> pd.DataFrame:
    """Cells of whole methods, of those that `scored` returns: one algorithm for each measure.

    `natural` lists the measures of an algorithm; a measure that it does not name goes with
    k-modes.
    """
    algorithm_of = {name: algorithm for algorithm, measures in natural.items() for name in measures}
    grid = found["experiment"].str.startswith("grid")
    natural_one = found["measure"].map(lambda name: algorithm_of.get(name, "kmodes"))
    return found[~grid | (found["algorithm"] == natural_one)]


def names_of(found: pd.DataFrame) -> dict[str, str]:
    """Name of each method."""
    return dict(zip(found["method"], found["name"], strict=True))


def matrix(found: pd.DataFrame, score: str = "ari", column: str = "method") -> pd.DataFrame:
    """Scores with data sets as rows and methods as columns, in their order of appearance."""
    table = found.pivot_table(index="dataset", columns=column, values=score, sort=False)
    return table.reindex(columns=list(dict.fromkeys(found[column])))


def complete(table: pd.DataFrame) -> pd.DataFrame:
    """The block without gaps: methods that most data sets have, then data sets that have them.

    A method that lacks more than a quarter of the data sets is left out; then every data set that
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
    """Mean score of measures over the common algorithms, data sets as rows, without gaps."""
    means = common(found, score).mean(axis=1).rename(score).reset_index()
    order = [name for name in dict.fromkeys(found["measure"]) if name in set(means["measure"])]
    return complete(matrix(means, score, "measure")[order])


def settings(job: Job, column: str, score: str = "ari") -> pd.DataFrame:
    """Scores by data set under each setting of the preparation, means over measures and algorithms.

    The `column` is ``treatment`` (of missing cells) or ``bins``; the grid has `BINS` of these.
    """
    found = records(job, "treatment").dropna(subset=[column])
    if column == "bins":
        found = pd.concat([found, records(job, "grid").assign(bins=BINS)])
    cell = ["dataset", "measure", "algorithm"]
    table = found.pivot_table(index=cell, columns=column, values=score, sort=False).dropna()
    table = table.groupby("dataset", sort=False).mean()
    return table.rename(columns=lambda name: name if isinstance(name, str) else f"{name:g}")


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


def compared(
    job: Job, table: pd.DataFrame, pairs: Iterable[Pair], families: Families
) -> list[dict[str, Any]]:
    """Compare pairs of methods, and correct over all of them.

    Pairs that no data set has both sides of are passed over.

    Returns
    -------
    list of dict
        ``first``, ``second``, and by `statistics.compare`, with ``p_holm`` and ``verdict``.
    """
    rows = []
    for first, second in pairs:
        if {first, second} <= set(table) and len(both := table[[first, second]].dropna()):
            found = compare(both, job.rng(first, second), families)
            rows.append({"first": first, "second": second, **found})
    correct(rows)
    return [{**row, "verdict": what_remains(row)} for row in rows]


def what_remains(row: Mapping[str, Any]) -> str:
    """What is left of an advantage after Holm's correction."""
    if row["p_holm"] is None:
        return "not tested"
    if row["p_holm"] < ALPHA:
        return "better" if row["effect"] > 0 else "worse"
    within = row["low"] is not None and row["low"] >= -ROPE and row["high"] <= ROPE
    return "the same in practice" if within else "undecided"
