"""What the tables of the study are made of: scores, comparisons and advice from records."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from couplings.errors import CouplingsError
from couplings.recommendation import LARGEST
from replication.papers.study.cells import SCORES
from replication.show.job import Job
from replication.steps import OK

if TYPE_CHECKING:
    import pandas as pd


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
COMMON = ("kmodes", "spectral", "ward", "average")
"""Algorithms that nearly all measures have."""
REFERENCE = "smd"
"""The measure that everything is compared with: it only asks whether values are equal."""
ROPE = 0.01
"""Differences of ARI up to this are no difference in practice."""
ALPHA = 0.05
BASELINES = {"majority": "one cluster", "random": "random clusters"}
FACTORS = {
    "values": ("values per attribute", "few values", "many values"),
    "coupling": ("coupling of the attributes (FCI)", "weak coupling", "strong coupling"),
    "imbalance": ("imbalance of the classes", "balanced classes", "imbalanced classes"),
    "objects": ("objects", "few objects", "many objects"),
}
HIGHER_IS_BETTER = {"rd": True, "di": True, "dbi": False, "sd_mean": False}


def parts(job: Job, experiment: str) -> pd.DataFrame:
    """Records of an experiment that has one part per measure, of all its parts."""
    import pandas as pd

    names = [name for name in job.spec["experiments"] if name.startswith(f"{experiment}_")]
    found = pd.concat([job.records(name) for name in names], ignore_index=True)
    return found[found["status"] == OK].reset_index(drop=True)


def scored(job: Job) -> pd.DataFrame:
    """Scored cells of the grid: data set, measure, algorithm."""
    found = parts(job, "grid")
    if found.empty:
        return found.reindex(columns=["dataset", "measure", "label", "algorithm", *SCORES])
    return found[(found["kind"] == "cell") & (found["outcome"] == OK)]


def matrix(found: pd.DataFrame, score: str = "ari") -> pd.DataFrame:
    """Scores with data sets as rows and measures as columns, in their order of appearance."""
    table = found.pivot_table(index="dataset", columns="measure", values=score, sort=False)
    return table.reindex(columns=list(dict.fromkeys(found["measure"])))


def complete(table: pd.DataFrame) -> pd.DataFrame:
    """The block without gaps: measures that most data sets have, then data sets that have them.

    A measure that lacks more than a quarter of the data sets is left out; then every data set that
    lacks one of the others.
    """
    kept = table.loc[:, table.notna().mean() >= 0.75]
    return kept.dropna()


def averaged(found: pd.DataFrame, score: str = "ari") -> pd.DataFrame:
    """Mean score over the common algorithms, for cells that have all of them."""
    table = found[found["algorithm"].isin(COMMON)].pivot_table(
        index=["dataset", "measure"], columns="algorithm", values=score, sort=False
    )
    if table.empty:
        return found.iloc[:0].pivot_table(index="dataset", columns="measure", values=score)
    mean = table.reindex(columns=list(COMMON)).mean(axis=1, skipna=False).rename("mean")
    mean = mean.reset_index().pivot_table(
        index="dataset", columns="measure", values="mean", sort=False
    )
    order = [name for name in dict.fromkeys(found["measure"]) if name in mean]
    return mean.reindex(columns=order)


def labels_of(found: pd.DataFrame) -> dict[str, str]:
    """Label of each measure."""
    return dict(zip(found["measure"], found["label"], strict=True))


def profiles(job: Job, kind: str) -> pd.DataFrame:
    """Profiles or baselines of the data sets."""
    found = job.records("profiles")
    found = found[found["status"] == OK]
    return found[found["kind"] == kind] if len(found) else found.reindex(columns=["dataset"])


def baselines(job: Job, datasets: Iterable[str]) -> dict[str, dict[str, float]]:
    """Mean scores of the two baselines over data sets, by name; empty if there are none."""
    found = profiles(job, "baseline")
    if found.empty:
        return {}
    own = found[found["dataset"].isin(list(datasets))]
    means = own.groupby("baseline")[list(SCORES)].mean()
    return {name: means.loc[name].to_dict() for name in BASELINES if name in means.index}


def compared(job: Job, found: pd.DataFrame, duel: Mapping[str, str]) -> list[dict[str, Any]]:
    """Comparison of two measures; empty if no data set has both."""
    import pandas as pd

    from replication.papers.study.statistics import compare, merged, signed_rank

    sides = []
    for side in ("first", "second"):
        algorithm = duel.get(f"{side}_algorithm", duel.get("algorithm"))
        own = found[(found["measure"] == duel[side]) & (found["algorithm"] == algorithm)]
        sides.append(own.set_index("dataset")["ari"].rename(side))
    table = pd.concat(sides, axis=1, join="inner").dropna()
    if table.empty:
        return []
    words = {key: duel.get(key, "") for key in ("claim", "first", "second")}
    algorithm = duel.get("algorithm") or (
        f"{ALGORITHMS[duel['first_algorithm']]}, {ALGORITHMS[duel['second_algorithm']]}"
    )
    rng = job.rng(duel["first"], duel["second"], algorithm)
    fewer = merged(table, job.need("parameters")["families"])
    return [
        {
            **words,
            "algorithm": algorithm,
            **compare(table["first"].to_numpy(), table["second"].to_numpy(), ROPE, rng),
            "p_merged": signed_rank((fewer["first"] - fewer["second"]).to_numpy()),
        }
    ]


def halves_of(job: Job) -> dict[str, pd.Series]:
    """Factor to upper half (True) of the data sets, split at the median over all of them."""
    found = profiles(job, "profile")
    if found.empty:
        return {}
    found = found.set_index("dataset")
    return {factor: found[factor] > found[factor].median() for factor in FACTORS}


def advice(job: Job) -> list[dict[str, Any]]:
    """What is recommended, choosing measure and algorithm or the measure alone, and its skill."""
    from couplings.recommendation import DEFAULT, check, recommend_for, reference_of
    from replication.papers.study.statistics import holm

    known = evidence_rows(job)
    if not known:
        return []
    choices = [
        ("both", known, "simple matching with k-modes", lambda algorithm: DEFAULT),
        ("both", known, "simple matching with the same algorithm", reference_of),
    ]
    for name in dict.fromkeys(row["algorithm"] for row in known):
        measure, _ = reference_of(name)
        part = [row for row in known if row["algorithm"] == name]
        if any(row["measure"] == measure for row in part):
            choices.append((name, part, "simple matching with the same algorithm", reference_of))
    found = []
    for choice, rows, against, reference in choices:
        tried = check(rows, against, reference)
        row = {"choice": choice, "against": against, **asdict(tried)}
        for size, objects in (("small", LARGEST), ("large", LARGEST + 1)):
            try:
                best = recommend_for(objects, rows).ranking[0]
            except CouplingsError:
                continue
            row |= {f"{size}_measure": best.measure, f"{size}_algorithm": best.algorithm}
        found.append(row)
    for row, p in zip(found, holm([row["p"] for row in found]), strict=True):
        row["p_holm"] = p
    return found


def evidence_rows(job: Job) -> list[dict[str, Any]]:
    """Scores of all cells with the kind of their data: what the recommendation rests on."""
    profile = profiles(job, "profile")
    profile = profile.set_index("dataset") if len(profile) else profile
    return [
        {
            "dataset": one["dataset"],
            "objects": int(profile.loc[one["dataset"], "objects"]),
            "values": round(float(profile.loc[one["dataset"], "values"]), 3),
            "coupling": round(float(profile.loc[one["dataset"], "coupling"]), 4),
            "measure": one["measure"],
            "algorithm": one["algorithm"],
            "ari": round(float(one["ari"]), 4),
        }
        for one in scored(job).to_dict("records")
    ]
