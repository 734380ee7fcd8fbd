"""Scores of the study from its records, comparisons of methods, and lines of several tables."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

import pandas as pd

from replication.papers.study.cells import SCORES
from replication.papers.study.statistics import ALPHA, ROPE, Families, Pair, compare
from replication.run.paired import correct
from replication.show.job import Job
from replication.show.sheet import number
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
"""Algorithms that nearly all measures can be used with."""
BESIDE = ("rivals", "learned")
"""Experiments with methods outside the grid: rivals, and distances learnt with the clusters."""
REFERENCE = "smd"
REFERENCE_VECTORS = "one_hot"
"""Simple matching in the form of vectors, which k-means needs: the 0-1 encoding."""
DEFAULT = f"{REFERENCE}.kmodes"
"""Method that a user takes by default."""
STANDARD = "latent_classes.latent_classes"
"""Latent class analysis, the standard method of statistics."""
ANCHORS = (STANDARD, DEFAULT)
"""Baselines, which every other method is compared with."""
ROCK = ".rock"
"""Ending of the ids of methods that depend on the threshold of ROCK."""
INDICES = dict(zip(SCORES, ("ARI", "NMI", "accuracy", "macro-F1", "purity"), strict=True))
BINS = 10
"""Number of bins of a numeric attribute in the common preparation."""
FEW = 60
"""Data sets with fewer objects are left out together with the designed ones."""
BASELINES = {"majority": "one cluster", "random": "random clusters"}
COLUMNS = (
    *("experiment", "kind", "outcome", "dataset", "measure", "label", "algorithm", "baseline"),
    *("rule", "detail", "treatment", "bins", "replicates", "ari_sd", "ari_error", *SCORES),
)
"""Columns that records always have here."""

Natural = Mapping[str, Sequence[str]]
"""Measures by the algorithm that each of them is used with."""


@cache
def records(job: Job, *experiments: str, kind: str = "cell", outcome: str = OK) -> pd.DataFrame:
    """Return the records of experiments, over all measures if they have one job per measure.

    Experiments that the artefact does not list are skipped; an empty `kind` or `outcome` stands for
    any. The records have `COLUMNS`; callers share them and do not change them.
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
    """Return the profiles of the data sets, or with the kind ``baseline`` the two baselines."""
    return records(job, "profiles", kind=kind, outcome="")


def scored(job: Job) -> pd.DataFrame:
    """Return the cells of all methods, each with the id ``method`` and its ``name``.

    The id is ``measure.algorithm``; for a method that clusters by itself both are its own id.
    """
    found = records(job, "grid", *BESIDE)
    own = found["algorithm"] == found["measure"]
    name = found["label"] + ", " + found["algorithm"].map(ALGORITHMS).fillna("")
    method = found["measure"] + "." + found["algorithm"]
    return found.assign(method=method, name=name.mask(own, found["label"]))


def whole(found: pd.DataFrame, natural: Natural) -> pd.DataFrame:
    """Return the cells of `scored` in which a measure has its one algorithm, and other methods.

    `natural` lists the measures of each algorithm; measures that it does not name have k-modes.
    """
    algorithm_of = {name: algorithm for algorithm, measures in natural.items() for name in measures}
    grid = found["experiment"].str.startswith("grid")
    own = found["measure"].map(algorithm_of).fillna("kmodes")
    return found[~grid | (found["algorithm"] == own)]


def names_of(found: pd.DataFrame) -> dict[str, str]:
    """Return the name of each method."""
    return dict(zip(found["method"], found["name"], strict=True))


def matrix(found: pd.DataFrame, score: str = "ari", column: str = "method") -> pd.DataFrame:
    """Return scores with data sets as rows and methods as columns, in order of appearance."""
    table = found.pivot_table(index="dataset", columns=column, values=score, sort=False)
    return table.reindex(columns=list(dict.fromkeys(found[column])))


def complete(table: pd.DataFrame) -> pd.DataFrame:
    """Return a block without gaps.

    Methods that lack more than a quarter of the data sets are left out, then the data sets that
    lack one of the other methods.
    """
    return table.loc[:, table.notna().mean() >= 0.75].dropna()


def common(found: pd.DataFrame, score: str = "ari") -> pd.DataFrame:
    """Return scores with the common algorithms as columns, by data set and measure without gaps."""
    table = found[found["algorithm"].isin(COMMON)].pivot_table(
        index=["dataset", "measure"], columns="algorithm", values=score, sort=False
    )
    return table.reindex(columns=COMMON).dropna()


def averaged(found: pd.DataFrame, score: str = "ari") -> pd.DataFrame:
    """Return the mean scores of measures over the common algorithms by data set, without gaps."""
    means = common(found, score).mean(axis=1).rename(score).reset_index()
    order = list(dict.fromkeys(found["measure"]))
    return complete(matrix(means, score, "measure").reindex(columns=order))


def by_setting(job: Job, column: str, score: str = "ari") -> pd.DataFrame:
    """Return scores of cells (data set, measure, algorithm) under each setting of preparation.

    The `column` is ``treatment`` (of missing cells) or ``bins``; the cells of the grid have `BINS`.
    """
    found = records(job, "treatment").dropna(subset=[column])
    if column == "bins":
        found = pd.concat([found, records(job, "grid").assign(bins=BINS)])
    cell = ["dataset", "measure", "algorithm"]
    return found.pivot_table(index=cell, columns=column, values=score, sort=False).dropna()


def settings(job: Job, column: str, score: str = "ari") -> pd.DataFrame:
    """Return the means of `by_setting` over measures and algorithms, by data set."""
    table = by_setting(job, column, score).groupby("dataset", sort=False).mean()
    return table.rename(columns=lambda name: name if isinstance(name, str) else f"{name:g}")


def labels_of(found: pd.DataFrame) -> dict[str, str]:
    """Return the label of each measure."""
    return dict(zip(found["measure"], found["label"], strict=True))


def baselines(job: Job, datasets: Iterable[str]) -> dict[str, dict[str, float]]:
    """Return the mean scores of the two baselines over data sets; empty if there are none."""
    found = profiles(job, "baseline")
    means = found[found["dataset"].isin(list(datasets))].groupby("baseline")[list(SCORES)].mean()
    return {name: means.loc[name].to_dict() for name in BASELINES if name in means.index}


def compared(
    job: Job, table: pd.DataFrame, pairs: Iterable[Pair], families: Families
) -> list[dict[str, Any]]:
    """Compare pairs of methods, and correct the p-values over all of them.

    Pairs without a common data set are skipped.

    Returns
    -------
    list of dict
        ``first``, ``second``, and by `statistics.compare`, with ``p_holm`` and ``verdict``.
    """
    rows = [
        {"first": first, "second": second, **compare(both, job.rng(first, second), families)}
        for first, second in pairs
        if {first, second} <= set(table) and len(both := table[[first, second]].dropna())
    ]
    correct(rows)
    return [{**row, "verdict": what_remains(row)} for row in rows]


def what_remains(row: Mapping[str, Any]) -> str:
    """Return the verdict on a comparison after Holm's correction."""
    if row["p_holm"] is None:
        return "not tested"
    if row["p_holm"] < ALPHA:
        return "better" if row["effect"] > 0 else "worse"
    within = row["low"] is not None and row["low"] >= -ROPE and row["high"] <= ROPE
    return "the same in practice" if within else "undecided"


def protocol_lines(job: Job) -> list[str]:
    """Line on the protocol of a table, and on the number of replicates.

    The newest entry of the protocol's history counts; a test compares its hash with the
    configuration.
    """
    found = scored(job)
    if found.empty or not job.spec.get("history"):
        return []
    newest = job.spec["history"][-1]
    count = found["replicates"]
    noisy = float((2 * found["ari_error"] > ROPE).mean())
    return [
        f"Protocol {newest['protocol']} of {newest['date']}, in use since commit "
        f"{newest['commit']}. A cell is the mean of {count.min():.0f} to {count.max():.0f} "
        f"replicates ({count.mean():.1f} on average). In {noisy:.0%} of {len(found)} cells, two "
        f"standard errors of its ARI exceed {ROPE:g}, the largest difference that counts as none."
    ]


def baseline_line(job: Job, datasets: Iterable[str]) -> list[str]:
    """Line on the scores of the two baselines on the data sets of a table."""
    said = "; ".join(
        f"{BASELINES[name]}: ARI {number(scores['ari'], 3)}, NMI "
        f"{number(scores['nmi_arithmetic'], 3)}, purity {number(scores['purity'], 3)}"
        for name, scores in baselines(job, datasets).items()
    )
    return [f"Baselines, means over the data sets of this table: {said}."] if said else []


def missing(job: Job) -> list[str]:
    """Line on data sets that this run did not compute."""
    reasons = [*job.left_out.values()]
    return [f"{len(reasons)} of {len(job.datasets)} data sets: {one}." for one in reasons[:1]]


def natural_lines(natural: Natural, found: pd.DataFrame) -> list[str]:
    """Line on the algorithm of each measure in a table of whole methods, from their cells."""
    names = labels_of(found)
    said = "; ".join(
        f"{ALGORITHMS[algorithm]} for {', '.join(known)}"
        for algorithm, measures in natural.items()
        if (known := [names[name].partition(",")[0] for name in measures if name in names])
    )
    return [
        "Each measure has one algorithm for all data sets: k-means for vectors; Ward for quotients "
        "and for the measures of DILCA's paper; k-modes for all others"
        + (f" ({said})." if said else ".")
    ]


def algorithm_name(row: Mapping[str, Any], own: str) -> str:
    """Return the name of a method's algorithm, or `own` if the method clusters by itself."""
    name = row["algorithm"]
    return own if name == row["measure"] else ALGORITHMS.get(name, name)


def p_text(value: float | None) -> str:
    """Return the text of a p-value."""
    if value is None or value != value:
        return ""
    return "< 0.001" if value < 0.001 else number(value, 3)


def plural(count: int, noun: str) -> str:
    """Return a number with its noun, in the plural if need be."""
    return f"{count} {noun}" + ("" if count == 1 else "s")
