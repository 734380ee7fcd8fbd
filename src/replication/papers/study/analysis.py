"""What the tables of the study are made of: scores, comparisons and advice from records."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from couplings.errors import CouplingsError
from replication.papers.study.advice import (
    DEFAULT,
    REFERENCE,
    ROPE,
    STANDARD,
    advise,
    check,
    reference_of,
)
from replication.papers.study.cells import SCORES
from replication.papers.study.grid import INDICES
from replication.papers.study.rivals.experiment import MIXED
from replication.run.paired import correct
from replication.show.job import Job
from replication.steps import OK

if TYPE_CHECKING:
    import pandas as pd

    from replication.papers.study.statistics import Friedman


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
Families = Sequence[Sequence[str]]
"""Related data sets, which count once together."""
Natural = Mapping[str, Sequence[str]]
"""Algorithm to the measures that it is the one algorithm of."""

GRID = ("kmodes", "spectral", "ward", "average", "rock", "kmeans")
"""Algorithms of the grid."""
METHODS = "methods"
"""Stands for the algorithm where every method has its own."""
ANCHORS = ("latent_classes", "smd")
"""Methods that every other is compared with: latent class analysis, k-modes."""
ALPHA = 0.05
BASELINES = {"majority": "one cluster", "random": "random clusters"}
FACTORS = {
    "values": ("values per attribute", "few values", "many values"),
    "coupling": ("coupling of the attributes (FCI)", "weak coupling", "strong coupling"),
    "imbalance": ("imbalance of the classes", "balanced classes", "imbalanced classes"),
    "objects": ("objects", "few objects", "many objects"),
}
HIGHER_IS_BETTER = {"rd": True, "di": True, "dbi": False, "sd_mean": False}


def parts(job: Job, experiment: str, kind: str = "", outcome: str = OK) -> pd.DataFrame:
    """Records of an experiment that has one part per measure, of all its parts.

    Parameters
    ----------
    kind, outcome : str
        What is wanted, such as ``cell`` and ``ok``; anything if empty.
    """
    import pandas as pd

    names = [name for name in job.spec["experiments"] if name.startswith(f"{experiment}_")]
    found = pd.concat([job.ok(name) for name in names], ignore_index=True)
    for column, wanted in (("kind", kind), ("outcome", outcome)):
        if wanted and column in found:
            found = found[found[column] == wanted]
    return found


def scored(job: Job) -> pd.DataFrame:
    """Scored cells of the grid: data set, measure, algorithm."""
    found = parts(job, "grid", "cell")
    if found.empty:
        return found.reindex(columns=["dataset", "measure", "label", "algorithm", *SCORES])
    return found


def beside(job: Job, kind: str = "cell", outcome: str = OK) -> pd.DataFrame:
    """Cells of the papers' rivals and of what is learnt with the clusters, if the table has them.

    Parameters
    ----------
    kind, outcome : str
        As in `parts`.
    """
    import pandas as pd

    names = [name for name in ("rivals", "learned") if name in job.spec["experiments"]]
    columns = ["kind", "outcome", "dataset", "measure", "label", "algorithm", *SCORES]
    found = [pd.DataFrame(columns=columns), *map(job.ok, names)]
    every = pd.concat([one for one in found if len(one)] or found[:1], ignore_index=True)
    every = every[every["kind"] == kind]
    return every[every["outcome"] == outcome] if outcome else every


def methods(job: Job, natural: Natural) -> pd.DataFrame:
    """Scores of whole methods: every measure with its natural algorithm, and all others.

    `natural` lists the measures of an algorithm; a measure that it does not name goes with
    k-modes. All cells have the algorithm `METHODS`.
    """
    import pandas as pd

    algorithm_of = {name: algorithm for algorithm, measures in natural.items() for name in measures}
    found = scored(job)
    own = found["measure"].map(lambda name: algorithm_of.get(name, "kmodes"))
    found = found[found["algorithm"] == own]
    other = beside(job)
    every = pd.concat([one for one in (found, other) if len(one)] or [found], ignore_index=True)
    labels = [
        label if algorithm == measure else f"{label}, {ALGORITHMS[algorithm]}"
        for label, measure, algorithm in zip(
            every["label"], every["measure"], every["algorithm"], strict=True
        )
    ]
    return every.assign(label=labels, algorithm=METHODS)


def cells_of(job: Job, algorithm: str, natural: Natural) -> pd.DataFrame:
    """Scored cells that a table about an algorithm, or about whole methods, is made of."""
    return methods(job, natural) if algorithm == METHODS else scored(job)


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
    found = job.ok("profiles")
    return found[found["kind"] == kind] if len(found) else found.reindex(columns=["dataset"])


def clear(row: Mapping[str, Any]) -> bool:
    """Whether a test is significant after correction."""
    return row["p_holm"] is not None and row["p_holm"] < ALPHA


def remaining(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Compared pairs with Holm's p-values, and what remains of the first one's advantage."""
    correct(rows)
    for row in rows:
        row["verdict"] = what_remains(row)
    return rows


def what_remains(row: Mapping[str, Any]) -> str:
    """What is left of an advantage after Holm's correction."""
    if row["p_holm"] is None:
        return "not tested"
    if clear(row):
        return "better" if row["effect"] > 0 else "worse"
    if row["low"] is not None and row["low"] >= -ROPE and row["high"] <= ROPE:
        return "the same in practice"
    return "undecided"


def all_pairs(found: pd.DataFrame) -> list[dict[str, Any]]:
    """Tests of all pairs of measures with each common algorithm, corrected within it."""
    from replication.papers.study.statistics import signed_rank

    every = []
    for algorithm in COMMON if len(found) else ():
        table = matrix(found[found["algorithm"] == algorithm])
        family = []
        for first, second in itertools.combinations(table, 2):
            both = table[[first, second]].dropna()
            p = signed_rank((both[first] - both[second]).to_numpy())
            family.append({"algorithm": algorithm, "first": first, "second": second, "p": p})
        correct(family)
        every += family
    return every


def baselines(job: Job, datasets: Iterable[str]) -> dict[str, dict[str, float]]:
    """Mean scores of the two baselines over data sets, by name; empty if there are none."""
    found = profiles(job, "baseline")
    if found.empty:
        return {}
    own = found[found["dataset"].isin(list(datasets))]
    means = own.groupby("baseline")[list(SCORES)].mean()
    return {name: means.loc[name].to_dict() for name in BASELINES if name in means.index}


def compared(
    job: Job, found: pd.DataFrame, duel: Mapping[str, str], families: Families
) -> list[dict[str, Any]]:
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
    fewer = merged(table, families)
    return [
        {
            **words,
            "algorithm": algorithm,
            **compare(table["first"].to_numpy(), table["second"].to_numpy(), ROPE, rng),
            "p_merged": signed_rank((fewer["first"] - fewer["second"]).to_numpy()),
        }
    ]


def over_measures(found: pd.DataFrame) -> pd.DataFrame:
    """Scores of the common algorithms by data set, means over the measures that have them all."""
    table = found[found["algorithm"].isin(COMMON)].pivot_table(
        index=["dataset", "measure"], columns="algorithm", values="ari", sort=False
    )
    table = table.reindex(columns=list(COMMON)).dropna()
    return table.groupby("dataset", sort=False).mean() if len(table) else table.iloc[:0]


def compared_algorithms(job: Job, scores: pd.DataFrame, families: Families) -> list[dict[str, Any]]:
    """Comparison of any two of the common algorithms."""
    from replication.papers.study.statistics import compare, merged, signed_rank

    found = []
    for a, b in itertools.combinations(COMMON if len(scores) else (), 2):
        rng = job.rng("algorithms", a, b)
        pair = compare(scores[a].to_numpy(), scores[b].to_numpy(), ROPE, rng)
        fewer = merged(scores, families)
        again = signed_rank((fewer[a] - fewer[b]).to_numpy())
        found.append({"first": a, "second": b, **pair, "p_merged": again})
    return found


def ranked_measures(
    found: pd.DataFrame, algorithm: str
) -> tuple[Friedman | None, list[str], list[dict[str, Any]]]:
    """Friedman's test with one algorithm, its data sets, and the measures by mean rank."""
    from replication.papers.study.statistics import friedman, ranks

    scores = {score: of_algorithm(found, algorithm, score) for score in SCORES}
    table, names = scores["ari"], labels_of(found)
    test = friedman(table)
    places = ranks(table).mean().sort_values(kind="stable") if table.size else table.mean()
    rows = []
    for measure, rank in places.items():
        above = table[measure] - table.get(REFERENCE, math.nan)
        rows.append(
            {"measure": measure, "label": names[measure], "rank": float(rank)}
            | {score: float(scores[score][measure].mean()) for score in SCORES}
            | {"wins": int((above > ROPE).sum()), "losses": int((above < -ROPE).sum())}
            | {"datasets": len(table), "difference": test.difference if test else None}
            | {"p": test.p_f if test else None}
        )
    return test, list(table.index), rows


def halves_of(job: Job) -> dict[str, pd.Series]:
    """Factor to upper half (True) of the data sets, split at the median over all of them."""
    found = profiles(job, "profile")
    if found.empty:
        return {}
    found = found.set_index("dataset")
    return {factor: found[factor] > found[factor].median() for factor in FACTORS}


def advice(job: Job) -> list[dict[str, Any]]:
    """What choosing by mean rank says, among everything or given an algorithm, and its skill."""
    known = evidence_rows(job)
    if not known:
        return []
    choices = [
        ("both", known, "simple matching with k-modes", lambda algorithm: DEFAULT),
        ("both", known, "simple matching with the same algorithm", reference_of),
    ]
    if any(row["measure"] == STANDARD[0] for row in known):
        choices.append(("both", known, "latent class analysis", lambda algorithm: STANDARD))
    for name in dict.fromkeys(row["algorithm"] for row in known):
        measure, _ = reference_of(name)
        part = [row for row in known if row["algorithm"] == name]
        if any(row["measure"] == measure for row in part):
            choices.append((name, part, "simple matching with the same algorithm", reference_of))
    found = []
    for choice, rows, against, reference in choices:
        tried = check(rows, against, reference)
        row = {"choice": choice, "against": against, **asdict(tried)}
        for size in ("small", "large"):
            try:
                best = advise(rows, size == "large")
            except CouplingsError:
                continue
            first = best.first
            row |= {f"{size}_measure": first.measure, f"{size}_algorithm": first.algorithm}
            if choice == "both":
                row |= {f"{size}_advice": best.measure, f"{size}_advice_with": best.algorithm}
        found.append(row)
    correct(found)
    return found


def evidence_rows(job: Job) -> list[dict[str, Any]]:
    """Scores of all cells with the kind of their data: what the recommendation rests on.

    Beside the grid, what clusters a table of categories by itself; what needs the numbers
    themselves has no place in advice for such a table.
    """
    import pandas as pd

    profile = profiles(job, "profile")
    profile = profile.set_index("dataset") if len(profile) else profile
    other = beside(job)
    other = other[~other["measure"].isin(MIXED)]
    every = pd.concat([one for one in (scored(job), other) if len(one)] or [scored(job)])
    return [
        {
            "dataset": row["dataset"],
            "objects": int(profile.loc[row["dataset"], "objects"]),
            "values": round(float(profile.loc[row["dataset"], "values"]), 3),
            "coupling": round(float(profile.loc[row["dataset"], "coupling"]), 4),
            "measure": row["measure"],
            "algorithm": row["algorithm"],
            "ari": round(float(row["ari"]), 4),
        }
        for row in every.to_dict("records")
    ]


def moderated(table: pd.DataFrame, profile: pd.DataFrame) -> list[dict[str, Any]]:
    """Advantage of each measure over the reference against each factor, and its mean.

    Parameters
    ----------
    table : DataFrame
        Scores with data sets as rows and measures as columns.
    profile : DataFrame
        Factors of the data sets.
    """
    from replication.papers.study.statistics import moderation, pooled

    if REFERENCE not in table or not len(profile):
        return []
    profile = profile.set_index("dataset")
    advantage = {
        measure: (table[measure] - table[REFERENCE]).dropna()
        for measure in table
        if measure != REFERENCE
    }
    means = pooled({name: values.to_numpy() for name, values in advantage.items()})
    found = [
        {"measure": measure, "factor": factor}
        | moderation(values.to_numpy(), profile.loc[values.index, factor].to_numpy())
        | means.get(measure, {})
        for measure, values in advantage.items()
        for factor in FACTORS
    ]
    correct(found)
    return found


def foretelling(
    found: pd.DataFrame, means: pd.DataFrame
) -> tuple[dict[str, pd.Series], list[dict[str, Any]]]:
    """Mean ranks of the measures by each index, and its correlation with their scores.

    Parameters
    ----------
    found : DataFrame
        Records of internal indices.
    means : DataFrame
        Scores with data sets as rows and measures as columns.
    """
    from scipy.stats import spearmanr

    from replication.papers.study.statistics import ranks

    places, correlations = {}, []
    for index in INDICES if len(found) else ():
        table = complete(matrix(found, index))
        sign = 1.0 if HIGHER_IS_BETTER[index] else -1.0
        places[index] = ranks(sign * table).mean()
        both = table.columns.intersection(means.columns)
        for dataset in table.index.intersection(means.index, sort=False) if len(both) >= 5 else ():
            score = means.loc[dataset, both].to_numpy(dtype=float)
            value = sign * table.loc[dataset, both].to_numpy(dtype=float)
            if (score == score).all() and score.std() > 0 and value.std() > 0:
                rho = float(spearmanr(value, score).statistic)
                correlations.append({"index": index, "dataset": dataset, "rho": rho})
    return places, correlations


def alike(pairs: pd.DataFrame, names: Mapping[str, str]) -> list[dict[str, Any]]:
    """Mean rank correlation of the dissimilarities of any two measures.

    Parameters
    ----------
    pairs : DataFrame
        Dissimilarities of sampled pairs of objects.
    names : mapping
        Label of each measure.
    """
    import numpy as np
    from scipy.stats import rankdata

    total: dict[tuple[str, str], list[float]] = {}
    for _, part in pairs.groupby("dataset", sort=False):
        wide = part.pivot_table(
            index="pair", columns="measure", values="dissimilarity", sort=False
        ).dropna(axis=1)
        wide = wide.loc[:, wide.max() > wide.min()]
        place = np.apply_along_axis(rankdata, 0, wide.to_numpy())
        rho = np.atleast_2d(np.corrcoef(place, rowvar=False))
        for (i, a), (j, b) in itertools.product(enumerate(wide), repeat=2):
            total.setdefault((a, b), []).append(float(rho[i, j]))
    return [
        {"first": a, "second": b, "first_label": names[a], "second_label": names[b]}
        | {"rho": sum(total[a, b]) / len(total[a, b]), "datasets": len(total[a, b])}
        for a, b in itertools.product(names, repeat=2)
        if (a, b) in total
    ]


def timed_with(job: Job) -> pd.DataFrame:
    """Scores of what was timed: each measure with its algorithm, each method by itself.

    Returns
    -------
    DataFrame
        Data sets as rows and measures as columns, without gaps, see `complete`.
    """
    import pandas as pd

    timed = parts(job, "cost")
    if timed.empty:
        return pd.DataFrame()
    pairs = set(zip(timed["measure"], timed["algorithm"], strict=True))
    found = pd.concat([scored(job), beside(job)], ignore_index=True)
    own = [pair in pairs for pair in zip(found["measure"], found["algorithm"], strict=True)]
    return complete(matrix(found[own]))


def costs(
    timed: pd.DataFrame, quality: pd.Series, names: Mapping[str, str]
) -> list[dict[str, Any]]:
    """Mean seconds and greatest memory of each measure, its score, and whether it is on the front.

    Parameters
    ----------
    timed : DataFrame
        Records of costs.
    quality : Series
        Mean score by measure.
    names : mapping
        Label of each measure.
    """
    most = timed["dataset"].nunique() if len(timed) else 0
    found = []
    for measure, own in timed.groupby("measure", sort=False) if len(timed) else ():
        found.append(
            {
                "measure": measure,
                "label": names.get(measure, measure),
                "ari": float(quality[measure]) if measure in quality else None,
                "seconds": float((own["fit_seconds"] + own["run_seconds"]).mean()),
                "fit_seconds": float(own["fit_seconds"].mean()),
                "memory_mib": float((own["peak_mib"] - own["before_mib"]).max()),
                "algorithm": ", ".join(dict.fromkeys(own["algorithm"])),
                "timed_on": len(own),
            }
        )
    known = {
        (row["ari"], row["seconds"])
        for row in found
        if row["ari"] is not None and row["timed_on"] == most
    }
    for row in found:
        mine = (row["ari"], row["seconds"])
        beaten = any(
            ari >= mine[0] and seconds <= mine[1] and (ari, seconds) != mine
            for ari, seconds in (known if mine in known else ())
        )
        row["front"] = "yes" if mine in known and not beaten else "no"
    return found


def treated(job: Job) -> tuple[pd.DataFrame, list[dict[str, Any]]]:
    """Scores by data set and treatment of missing cells, and the treatments compared."""
    from replication.papers.study.statistics import compare

    found = parts(job, "treatment")
    if found.empty:
        return found, []
    table = found.pivot_table(
        index=["dataset", "measure", "algorithm"], columns="treatment", values="ari", sort=False
    ).dropna()
    scores = table.groupby("dataset", sort=False).mean()
    tests = []
    for a, b in (("value", "impute"), ("value", "drop"), ("impute", "drop")):
        rng = job.rng("treatment", a, b)
        pair = compare(scores[a].to_numpy(), scores[b].to_numpy(), ROPE, rng)
        tests.append({"first": a, "second": b, **pair})
    correct(tests)
    return scores, tests
