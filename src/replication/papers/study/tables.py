"""Tables of the study, one function per kind of artefact in ``config/papers/study.yaml``.

The unit of every test is the data set; the score of a cell is its mean over trials. Nothing is
chosen with labels but the number of clusters, which is the number of classes for everybody. What
is chosen with them is a row or column of its own, marked *oracle*.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from couplings.errors import CouplingsError
from couplings.recommendation import LARGEST
from replication.judge.times import HOW
from replication.papers.study.cells import SCORES
from replication.papers.study.grid import INDICES
from replication.papers.study.spaces import RULES
from replication.show.job import Job
from replication.show.sheet import Column, Sheet, number
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
FACTORS = {
    "values": ("values per attribute", "few values", "many values"),
    "coupling": ("coupling of the attributes (FCI)", "weak coupling", "strong coupling"),
    "imbalance": ("imbalance of the classes", "balanced classes", "imbalanced classes"),
    "objects": ("objects", "few objects", "many objects"),
}
HIGHER_IS_BETTER = {"rd": True, "di": True, "dbi": False, "sd_mean": False}


# --- reading the records -------------------------------------------------------------------------


def records(job: Job, experiment: str) -> pd.DataFrame:
    """Records of an experiment that has one part per measure, of all its parts."""
    import pandas as pd

    parts = [name for name in job.spec["experiments"] if name.startswith(f"{experiment}_")]
    found = pd.concat([job.records(name) for name in parts], ignore_index=True)
    return found[found["status"] == OK].reset_index(drop=True)


def cells(job: Job) -> pd.DataFrame:
    """Scored cells of the grid: data set, measure, algorithm."""
    found = records(job, "grid")
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


def labels(found: pd.DataFrame) -> dict[str, str]:
    """Label of each measure."""
    return dict(zip(found["measure"], found["label"], strict=True))


def profiles(job: Job, kind: str) -> pd.DataFrame:
    """Profiles or baselines of the data sets."""
    found = job.records("profiles")
    found = found[found["status"] == OK]
    return found[found["kind"] == kind] if len(found) else found.reindex(columns=["dataset"])


BASELINES = {"majority": "one cluster", "random": "random clusters"}


def baselines(job: Job, datasets: Iterable[str]) -> dict[str, dict[str, float]]:
    """Mean scores of the two baselines over data sets, by name; empty if there are none."""
    found = profiles(job, "baseline")
    if found.empty:
        return {}
    own = found[found["dataset"].isin(list(datasets))]
    means = own.groupby("baseline")[list(SCORES)].mean()
    return {name: means.loc[name].to_dict() for name in BASELINES if name in means.index}


def _baseline_line(job: Job, datasets: Iterable[str]) -> list[str]:
    """Line that says what the two baselines score on the data sets of a table."""
    found = baselines(job, datasets)
    if not found:
        return []
    said = "; ".join(
        f"{BASELINES[name]}: ARI {number(scores['ari'], 3)}, NMI "
        f"{number(scores['nmi_arithmetic'], 3)}, purity {number(scores['purity'], 3)}"
        for name, scores in found.items()
    )
    return [f"Baselines, means over the data sets of this table: {said}."]


def name_of(job: Job, dataset: str) -> str:
    """Name of a data set."""
    return job.datasets[dataset]["printed"]


def _sheet(
    job: Job,
    title: str,
    caption: str,
    columns: Sequence[Column],
    rows: list[dict[str, str]],
    data: list[dict[str, Any]],
    legend: Sequence[str] = (),
) -> Sheet:
    keys = list(dict.fromkeys(key for row in data for key in row))
    return Sheet(
        name=f"{job.paper}-{job.artefact}",
        title=f"{job.label}: {title}",
        caption=caption,
        columns=columns,
        rows=rows,
        data=data,
        data_columns=keys or ["dataset"],
        legend=legend,
    )


def _missing(job: Job) -> list[str]:
    """Line about data sets that this run did not compute."""
    if not job.left_out:
        return []
    return [f"{len(job.left_out)} of {len(job.datasets)} data sets: {_first(job.left_out)}."]


def _first(left_out: Mapping[str, str]) -> str:
    return next(iter(left_out.values()))


def _p(value: float | None) -> str:
    """Text of a p-value."""
    if value is None or value != value:
        return ""
    return "< 0.001" if value < 0.001 else number(value, 3)


def _known(value: Any) -> float | None:
    """A number, or None for a gap."""
    return None if value is None or value != value else float(value)


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" + ("" if count == 1 else "s")


# --- the data ------------------------------------------------------------------------------------


def data(job: Job, cells_: pd.DataFrame) -> Sheet:
    """What kind of data each data set is, and what the baselines score on it."""
    found = profiles(job, "profile")
    base = profiles(job, "baseline")
    family = {one: group for group in job.need("parameters")["families"] for one in group}
    rows, plain = [], []
    for one in found.to_dict("records"):
        own = base[base["dataset"] == one["dataset"]]
        purity = {row["baseline"]: row["purity"] for row in own.to_dict("records")}
        related = [name_of(job, x) for x in family.get(one["dataset"], []) if x != one["dataset"]]
        shown = {
            **{key: int(one[key]) for key in ("objects", "attributes", "classes", "incomplete")},
            **{key: one[key] for key in ("values", "majority", "imbalance", "coupling")},
            "purity_majority": purity["majority"],
            "purity_random": purity["random"],
            "related": ", ".join(related),
        }
        plain.append({"dataset": one["dataset"], **shown})
        rows.append(
            {
                "dataset": name_of(job, one["dataset"]),
                **{
                    key: str(shown[key])
                    for key in ("objects", "attributes", "classes", "incomplete", "related")
                },
                "values": number(one["values"], 1),
                **{
                    key: number(shown[key], 2)
                    for key in ("imbalance", "coupling", "purity_majority", "purity_random")
                },
            }
        )
    kept = len(rows)
    return _sheet(
        job,
        "the data sets under the common preparation",
        f"{_counted(kept, 'data set')}. One cluster of everything already has the purity of the "
        "column majority, and random clusters have at least that on average or come near it: "
        "purity has to be read against both. Both score 0 in ARI.",
        [
            Column("dataset", "Data set", text=True),
            Column("objects", "objects"),
            Column("attributes", "attributes"),
            Column("values", "values per attribute"),
            Column("classes", "classes"),
            Column("incomplete", "rows with gaps"),
            Column("imbalance", "imbalance"),
            Column("coupling", "FCI"),
            Column("purity_majority", "majority", "purity of"),
            Column("purity_random", "random", "purity of"),
            Column("related", "related to", text=True),
        ],
        rows,
        plain,
        [
            "imbalance: 1 minus the entropy of the classes over its maximum. FCI: mean symmetric "
            "uncertainty of two attributes.",
            "Rows with gaps: a missing cell is a value of its own, except in Adult, of which the "
            "complete rows of the training file are used.",
            *_missing(job),
        ],
    )


# --- which measure, which algorithm --------------------------------------------------------------


def overview(job: Job, cells_: pd.DataFrame) -> Sheet:
    """Mean ARI of every measure with every algorithm, over the data sets that all have."""
    found = cells(job)
    tables = {a: complete(matrix(found[found["algorithm"] == a])) for a in ALGORITHMS}
    names = labels(found)
    means = averaged(found)
    over = complete(means)
    rows, plain = [], []
    order = over.mean().sort_values(ascending=False, kind="stable").index
    for measure in [*order, *(name for name in names if name not in order)]:
        row = {"measure": names[measure]}
        for a, table in tables.items():
            if measure in table:
                value = float(table[measure].mean())
                row[a] = number(value, 3)
                plain.append(
                    {"measure": measure, "algorithm": a, "ari": value, "datasets": len(table)}
                )
        if measure in over:
            row["mean"] = number(float(over[measure].mean()), 3)
        rows.append(row)
    best = {"measure": "oracle: best measure of each data set"}
    for a, table in [*tables.items(), ("mean", over)]:
        if len(table):
            best[a] = number(float(table.max(axis=1).mean()), 3)
    rows.append(best)
    base = {a: baselines(job, table.index) for a, table in [*tables.items(), ("mean", over)]}
    for name, head in BASELINES.items():
        scores = {a: one[name]["ari"] for a, one in base.items() if name in one}
        if scores:
            shown = {a: number(value, 3) for a, value in scores.items()}
            rows.append({"measure": f"baseline: {head}", **shown})
    return _sheet(
        job,
        "mean adjusted Rand index of measures and algorithms",
        (
            f"The best measure over the four common algorithms is {names[order[0]]} "
            f"({rows[0]['mean']}); {names[REFERENCE]}, which only asks whether values are equal, "
            f"has {next(r for r in rows if r['measure'] == names[REFERENCE]).get('mean', '–')}. "
            if len(order) and REFERENCE in over
            else "Too few cells for a ranking. "
        )
        + "Whoever knew the best measure of each data set beforehand would have the row oracle; "
        "that choice needs the labels.",
        [
            Column("measure", "Measure", text=True),
            *(Column(a, head) for a, head in ALGORITHMS.items()),
            Column("mean", "mean of four"),
        ],
        rows,
        plain,
        [
            "Each column is over the data sets that all its measures have: "
            + ", ".join(f"{head} {len(tables[a])}" for a, head in ALGORITHMS.items())
            + f", mean of four {len(over)}. Empty: not defined, or left out by a rule.",
            "Mean of four: k-modes, spectral clustering, Ward, average linkage.",
            *_missing(job),
        ],
    )


def algorithms(job: Job, cells_: pd.DataFrame) -> Sheet:
    """The common algorithms against each other, over all measures that have all of them."""
    import pandas as pd

    from replication.papers.study.statistics import compare, friedman, holm, merged, signed_rank

    found = cells(job)
    table = found[found["algorithm"].isin(COMMON)].pivot_table(
        index=["dataset", "measure"], columns="algorithm", values="ari", sort=False
    )
    table = table.reindex(columns=list(COMMON)).dropna()
    scores = table.groupby("dataset", sort=False).mean() if len(table) else pd.DataFrame()
    test = friedman(scores) if len(scores) else None
    plain = []
    for i, a in enumerate(COMMON):
        for b in COMMON[i + 1 :]:
            if len(scores) == 0:
                continue
            pair = compare(
                scores[a].to_numpy(), scores[b].to_numpy(), ROPE, job.rng("algorithms", a, b)
            )
            fewer = merged(scores, job.need("parameters")["families"])
            again = signed_rank((fewer[a] - fewer[b]).to_numpy())
            plain.append({"first": a, "second": b, **pair, "p_merged": again})
    _correct(plain, holm)
    return _sheet(
        job,
        "algorithms compared, each as the mean over measures",
        _friedman_words(test, {a: ALGORITHMS[a] for a in COMMON}, len(scores)),
        _PAIR_COLUMNS,
        [_pair_row({**one, "algorithm": ""}, ALGORITHMS) for one in plain],
        plain,
        [*_pair_legend(len(plain)), *_baseline_line(job, scores.index), *_missing(job)],
    )


def ranks(job: Job, cells_: pd.DataFrame) -> Sheet:
    """Mean ranks of the measures with one algorithm, Friedman's test and Nemenyi's difference."""
    from replication.papers.study.statistics import friedman
    from replication.papers.study.statistics import ranks as ranked

    algorithm = job.need("parameters")["algorithm"]
    found = cells(job)
    names = labels(found)
    if algorithm == "mean":
        scores = {score: complete(averaged(found, score)) for score in SCORES}
    else:
        own = found[found["algorithm"] == algorithm]
        scores = {score: complete(matrix(own, score)) for score in SCORES}
    table = scores["ari"]
    test = friedman(table)
    mean_ranks = ranked(table).mean().sort_values(kind="stable") if table.size else table.mean()
    rows, plain = [], []
    for measure, rank in mean_ranks.items():
        values = {score: float(scores[score][measure].mean()) for score in SCORES}
        above = table[measure] - table.get(REFERENCE, math.nan)
        one = {
            "measure": measure,
            "label": names[measure],
            "rank": float(rank),
            **values,
            "wins": int((above > ROPE).sum()),
            "losses": int((above < -ROPE).sum()),
            "datasets": len(table),
            "difference": test.difference if test else None,
            "p": test.p_f if test else None,
        }
        plain.append(one)
        rows.append(
            {
                "measure": names[measure],
                "rank": number(one["rank"], 2),
                **{score: number(values[score], 3) for score in SCORES},
                "wins": f"{one['wins']} / {one['losses']}" if measure != REFERENCE else "",
            }
        )
    for name, means in baselines(job, table.index).items():
        shown = {score: number(mean, 3) for score, mean in means.items()}
        rows.append({"measure": f"baseline: {BASELINES[name]}", **shown})
    words = "the mean of four algorithms" if algorithm == "mean" else ALGORITHMS[algorithm]
    return _sheet(
        job,
        f"measures with {words}",
        _friedman_words(test, names, len(table)),
        [
            Column("measure", "Measure", text=True),
            Column("rank", "mean rank (ARI)"),
            Column("ari", "ARI", "mean"),
            Column("nmi_arithmetic", "NMI", "mean"),
            Column("accuracy", "accuracy", "mean"),
            Column("macro_f1", "macro-F1", "mean"),
            Column("purity", "purity", "mean"),
            Column("wins", f"better / worse than {names.get(REFERENCE, 'SMD')}"),
        ],
        rows,
        plain,
        [
            f"Over the {_counted(len(table), 'data set')} that all these measures have; random "
            "algorithms by their mean over trials. NMI with the arithmetic mean.",
            f"Better, worse: by more than {ROPE:g} ARI.",
            *_missing(job),
        ],
    )


def _friedman_words(test: Any, names: Mapping[str, str], n: int) -> str:
    """What Friedman's test says, in words."""
    if test is None:
        return f"{_counted(n, 'data set')}: too few for a test of ranks."
    best = test.ranks.index[0]
    level = [x for x, r in test.ranks.items() if r - test.ranks.iloc[0] < test.difference]
    return (
        f"Over {test.datasets} data sets {names[best]} has the best mean rank "
        f"({number(float(test.ranks.iloc[0]), 2)} of {test.methods}). Friedman's test with Iman "
        f"and Davenport's correction: p {_equals(test.p_f)}. Mean ranks have to differ by "
        f"{number(test.difference, 2)} (Nemenyi, 5 %); "
        f"{len(level) - 1} of the {test.methods - 1} others cannot be told from the best."
    )


def _equals(p: float) -> str:
    return "< 0.001" if p < 0.001 else f"= {number(p, 3)}"


# --- pairs ---------------------------------------------------------------------------------------

_PAIR_COLUMNS = [
    Column("claim", "Claimed in", text=True),
    Column("first", "First", text=True),
    Column("second", "Second", text=True),
    Column("algorithm", "Algorithm", text=True),
    Column("wtl", "win / tie / loss"),
    Column("difference", "mean difference [95 %]", "ARI"),
    Column("effect", "effect"),
    Column("p", "Wilcoxon", "p"),
    Column("p_holm", "Holm", "p"),
    Column("p_merged", "related sets merged", "p"),
    Column("bayes", "better / same / worse", "probability (two new data sets)"),
    Column("verdict", "What remains", text=True),
]


def _pair_row(one: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, str]:
    row = {
        "claim": one.get("claim", ""),
        "first": names[one["first"]],
        "second": names[one["second"]],
        "algorithm": ALGORITHMS.get(one["algorithm"], one["algorithm"]),
        "wtl": f"{one['wins']} / {one['ties']} / {one['losses']}",
        "p": _p(one["p"]),
        "p_holm": _p(one["p_holm"]),
        "p_merged": _p(one["p_merged"]),
        "effect": number(one["effect"], 2),
        "verdict": one["verdict"],
    }
    if one["low"] is not None:
        row["difference"] = (
            f"{number(one['mean_difference'], 3)} [{number(one['low'], 3)}, "
            f"{number(one['high'], 3)}]"
        )
        row["bayes"] = " / ".join(number(one[key], 2) for key in ("better", "same", "worse"))
    return row


def _correct(rows: list[dict[str, Any]], holm: Any) -> None:
    """Add Holm's p-values over all rows, and what remains of the first method's advantage."""
    for one, p in zip(rows, holm([one["p"] for one in rows]), strict=True):
        one["p_holm"] = p
        one["verdict"] = _verdict(one)


def _verdict(one: Mapping[str, Any]) -> str:
    if one["p_holm"] is None:
        return "not tested"
    if one["p_holm"] < 0.05:
        return "better" if one["effect"] > 0 else "worse"
    if one["low"] is not None and one["low"] >= -ROPE and one["high"] <= ROPE:
        return "the same in practice"
    return "undecided"


def _pair_legend(n: int) -> list[str]:
    return [
        f"Two-sided Wilcoxon signed-rank tests over data sets, zeros by Pratt; Holm over the {n} "
        "rows. Effect: matched-pairs rank-biserial correlation. Interval: percentile bootstrap "
        "over data sets.",
        "Probabilities that the mean difference over two new data sets like these is in favour of "
        f"the first, within {ROPE:g} ARI either way, or against it: posterior means of the "
        "Bayesian signed-rank test. *The same in practice*: the interval of the mean difference "
        "lies within that.",
        "Related sets merged: the same test after data sets of one family (see the table of data) "
        "were averaged.",
    ]


def duels(job: Job, cells_: pd.DataFrame) -> Sheet:
    """Pairs that the papers call won, each under the one protocol.

    The parameter ``duels`` lists ``claim``, ``first``, ``second`` (measures) and ``algorithm``
    (or one for each: ``first_algorithm``, ``second_algorithm``).
    """
    import pandas as pd

    from replication.papers.study.statistics import holm

    rivals = job.records("rivals")
    rivals = rivals[rivals["status"] == OK]
    if len(rivals):
        rivals = rivals[rivals["outcome"] == OK]
    found = pd.concat([cells(job), rivals], ignore_index=True)
    names = labels(found)
    plain = []
    for duel in job.need("parameters")["duels"]:
        plain += _compared(job, found, duel)
    _correct(plain, holm)
    kept = sum(one["verdict"] == "better" for one in plain)
    lost = sum(one["verdict"] == "worse" for one in plain)
    tested = sum(one["p"] is not None for one in plain)
    return _sheet(
        job,
        "claims of superiority under one protocol",
        f"{_counted(tested, 'claim')} that a measure of the four papers is better than another "
        f"were tested. After Holm's correction {kept} hold{'s' if kept == 1 else ''}; the opposite "
        f"of {lost} does; {tested - kept - lost} remain undecided or are no difference. "
        + _uncorrected(plain, names),
        _PAIR_COLUMNS,
        [_pair_row(one, names) for one in plain],
        plain,
        [*_pair_legend(len(plain)), *_baseline_line(job, job.datasets), *_missing(job)],
    )


def _uncorrected(rows: Iterable[Mapping[str, Any]], names: Mapping[str, str]) -> str:
    """Rows below 5 % without correction, for and against the claims, in words."""
    sides: dict[bool, list[str]] = {True: [], False: []}
    for row in rows:
        if row["p"] is not None and row["p"] < ALPHA:
            algorithm = ALGORITHMS.get(row["algorithm"], row["algorithm"])
            pair = f"{names[row['first']]} over {names[row['second']]} ({algorithm})"
            sides[row["effect"] > 0].append(pair)
    favour, against = (", ".join(sides[side]) or "none" for side in (True, False))
    return f"Below 5 % without correction: for the claim {favour}; against it {against}."


def _compared(job: Job, found: pd.DataFrame, duel: Mapping[str, str]) -> list[dict[str, Any]]:
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


def pairwise(job: Job, cells_: pd.DataFrame) -> Sheet:
    """Every measure against simple matching, with every common algorithm; all pairs in the data.

    Holm corrects the rows that are shown; the p-values of all pairs of measures of an algorithm
    are corrected in a family of their own.
    """
    from replication.papers.study.statistics import holm, signed_rank

    found = cells(job)
    names = labels(found)
    plain = []
    for a in (*COMMON, "kmeans"):
        for measure in names:
            if measure != REFERENCE:
                duel = {"first": measure, "second": REFERENCE, "algorithm": a}
                if a == "kmeans":
                    duel["second"] = "one_hot"
                    if measure == "one_hot":
                        continue
                plain += _compared(job, found, duel)
    _correct(plain, holm)
    every = []
    for a in COMMON:
        table = matrix(found[found["algorithm"] == a]) if len(found) else None
        family = []
        if table is None:
            continue
        for i, first in enumerate(table):
            for second in table.columns[i + 1 :]:
                both = table[[first, second]].dropna()
                p = signed_rank((both[first] - both[second]).to_numpy())
                family.append({"algorithm": a, "first": first, "second": second, "p": p})
        for one, p in zip(family, holm([one["p"] for one in family]), strict=True):
            one["p_holm"] = p
        every += family
    clear = sum(one["p_holm"] is not None and one["p_holm"] < 0.05 for one in every)
    better = [one for one in plain if one["verdict"] == "better"]
    return _sheet(
        job,
        "every measure against simple matching",
        f"{len(better)} of {len(plain)} combinations of measure and algorithm are better than "
        f"simple matching with the same algorithm after Holm's correction, "
        f"{sum(one['verdict'] == 'worse' for one in plain)} worse. Of all {len(every)} pairs of "
        f"measures with the same algorithm {clear} differ after correction within the algorithm.",
        _PAIR_COLUMNS[1:],
        [_pair_row(one, names) for one in plain],
        [{"family": "reference", **one} for one in plain]
        + [{"family": "all pairs", **one} for one in every],
        [
            *_pair_legend(len(plain)),
            "k-means has vectors instead: there the second method is the 0-1 encoding.",
            *_baseline_line(job, job.datasets),
            *_missing(job),
        ],
    )


# --- by data set and by kind of data -------------------------------------------------------------


def heatmap(job: Job, cells_: pd.DataFrame) -> Sheet:
    """Rank of every measure on every data set, by the mean ARI of the common algorithms."""
    from replication.papers.study.statistics import ranks as ranked

    found = cells(job)
    names = labels(found)
    table = complete(averaged(found))
    places = ranked(table)
    order = places.mean().sort_values(kind="stable").index
    plain = [
        {
            "dataset": dataset,
            "name": name_of(job, dataset),
            "measure": measure,
            "label": names[measure],
            "rank": float(places.loc[dataset, measure]),
            "ari": float(table.loc[dataset, measure]),
        }
        for measure in order
        for dataset in places.index
    ]
    first = [measure for measure in order if (places[measure] == 1).any()]
    return _sheet(
        job,
        "ranks of the measures on each data set",
        f"{len(first)} of {len(order)} measures are the best one on some data set: no measure "
        "suits all data.",
        [
            Column("dataset", "Data set", text=True),
            *(Column(measure, names[measure]) for measure in order),
        ],
        [
            {
                "dataset": name_of(job, dataset),
                **{measure: number(float(places.loc[dataset, measure]), 1) for measure in order},
            }
            for dataset in places.index
        ],
        plain,
        [
            "Rank by the mean ARI of k-modes, spectral clustering, Ward and average linkage.",
            *_baseline_line(job, table.index),
        ],
    )


def _halves(job: Job) -> dict[str, pd.Series]:
    """Factor to upper half (True) of the data sets, split at the median over all of them."""
    found = profiles(job, "profile")
    if found.empty:
        return {}
    found = found.set_index("dataset")
    return {factor: found[factor] > found[factor].median() for factor in FACTORS}


def kinds(job: Job, cells_: pd.DataFrame) -> Sheet:
    """Mean rank of every measure on halves of the data sets: few or many values, and so on."""
    from replication.papers.study.statistics import ranks as ranked

    found = cells(job)
    names = labels(found)
    places = ranked(complete(averaged(found)))
    halves = _halves(job)
    rows, plain = [], []
    for measure in places.mean().sort_values(kind="stable").index:
        row = {"measure": names[measure], "all": number(float(places[measure].mean()), 1)}
        for factor, upper in halves.items():
            for high in (False, True):
                chosen = [d for d in places.index if upper[d] == high]
                if chosen:
                    value = float(places.loc[chosen, measure].mean())
                    row[f"{factor}.{high}"] = number(value, 1)
                    plain.append(
                        {
                            "measure": measure,
                            "factor": factor,
                            "half": "upper" if high else "lower",
                            "datasets": len(chosen),
                            "rank": value,
                        }
                    )
        rows.append(row)
    moved = sorted(
        {
            one["measure"]
            for one in plain
            for other in plain
            if one["measure"] == other["measure"]
            and one["factor"] == other["factor"]
            and abs(one["rank"] - other["rank"]) > 5
        }
    )
    return _sheet(
        job,
        "mean ranks by kind of data",
        f"{_counted(len(moved), 'measure')} of {len(rows)} change by more than five ranks between "
        "two halves of the data sets. Halves share data sets between factors, so the columns are "
        "not independent; see the table of moderators for tests.",
        [
            Column("measure", "Measure", text=True),
            Column("all", "all"),
            *(
                Column(f"{factor}.{high}", words[2 if high else 1].split()[0], words[0])
                for factor, words in FACTORS.items()
                for high in (False, True)
            ),
        ],
        rows,
        plain,
        [
            "Halves: at or below, and above the median of all data sets.",
            f"{_counted(len(places), 'data set')}; rank 1 is the best of {len(rows)}.",
            *_baseline_line(job, places.index),
        ],
    )


def moderators(job: Job, cells_: pd.DataFrame) -> Sheet:
    """Small meta-analysis: advantage over simple matching, and what it goes along with."""
    from replication.papers.study.statistics import holm, moderation, pooled

    found = cells(job)
    names = labels(found)
    table = averaged(found)
    profile = profiles(job, "profile")
    rows: list[dict[str, str]] = []
    plain: list[dict[str, Any]] = []
    if REFERENCE in table and len(profile):
        profile = profile.set_index("dataset")
        advantage = {
            measure: (table[measure] - table[REFERENCE]).dropna()
            for measure in table
            if measure != REFERENCE
        }
        means = pooled({name: values.to_numpy() for name, values in advantage.items()})
        for measure, values in advantage.items():
            for factor in FACTORS:
                property_ = profile.loc[values.index, factor].to_numpy()
                plain.append(
                    {
                        "measure": measure,
                        "factor": factor,
                        **moderation(values.to_numpy(), property_),
                        **means.get(measure, {}),
                    }
                )
        for one, p in zip(plain, holm([one["p"] for one in plain]), strict=True):
            one["p_holm"] = p
        for measure in advantage:
            own = {one["factor"]: one for one in plain if one["measure"] == measure}
            row = {"measure": names[measure]}
            if measure in means:
                m = means[measure]
                row["mean"] = (
                    f"{number(m['mean'], 3)} [{number(m['low'], 3)}, {number(m['high'], 3)}]"
                )
                row["spread"] = number(m["spread"], 3)
            for factor, one in own.items():
                star = " *" if one["p_holm"] is not None and one["p_holm"] < 0.05 else ""
                row[factor] = number(one["rho"], 2) + star
            rows.append(row)
    clear = [one for one in plain if one["p_holm"] is not None and one["p_holm"] < 0.05]
    return _sheet(
        job,
        "what an advantage over simple matching goes along with",
        f"{len(clear)} of {len(plain)} correlations between the advantage of a measure and a "
        "property of the data survive Holm's correction. So few data sets can show strong "
        "dependence only, the properties are not independent of each other, and nobody sampled "
        "the data sets: read this as a description.",
        [
            Column("measure", "Measure", text=True),
            Column("mean", "mean [95 %]", "advantage in ARI"),
            Column("spread", "sd between data sets", "advantage in ARI"),
            *(
                Column(factor, words[0], "Spearman's correlation with")
                for factor, words in FACTORS.items()
            ),
        ],
        rows,
        plain,
        ["Star: below 5 % after Holm's correction over the whole table.", *_missing(job)],
    )


# --- internal indices, agreement -----------------------------------------------------------------


def indices(job: Job, cells_: pd.DataFrame) -> Sheet:
    """Internal indices of the classes, and whether they foretell the ARI of a measure."""
    from scipy.stats import spearmanr

    from replication.papers.study.statistics import ranks as ranked

    found = records(job, "grid")
    own = found[found["kind"] == "indices"] if len(found) else found
    own = own[own["outcome"] == OK] if len(own) else own
    means = averaged(cells(job))
    names = labels(found) if len(found) else {}
    places, plain = {}, []
    for index in INDICES:
        if not len(own):
            continue
        table = complete(matrix(own, index))
        sign = 1.0 if HIGHER_IS_BETTER[index] else -1.0
        places[index] = ranked(sign * table).mean()
        for dataset in table.index:
            both = table.columns.intersection(means.columns)
            if dataset not in means.index or len(both) < 5:
                continue
            score = means.loc[dataset, both].to_numpy(dtype=float)
            value = sign * table.loc[dataset, both].to_numpy(dtype=float)
            if (score == score).all() and score.std() > 0 and value.std() > 0:
                rho = float(spearmanr(value, score).statistic)
                plain.append({"index": index, "dataset": dataset, "rho": rho})
    rows = [
        {"measure": names[m], **{i: number(_known(p.get(m)), 1) for i, p in places.items()}}
        for m in names
        if any(m in p for p in places.values())
    ]
    middle = {
        index: sorted(one["rho"] for one in plain if one["index"] == index) for index in INDICES
    }
    rows.append(
        {
            "measure": "median correlation with ARI over data sets",
            **{
                index: number(values[len(values) // 2], 2) if values else ""
                for index, values in middle.items()
            },
        }
    )
    return _sheet(
        job,
        "internal indices of the classes",
        "Mean rank of each measure by how well the classes fit its dissimilarity, and in the last "
        "row the median over data sets of the rank correlation of an index with the ARI that the "
        "measures reach: "
        + (
            "; ".join(
                f"{index} {number(values[len(values) // 2], 2)}"
                for index, values in middle.items()
                if values
            )
            or "too few cells"
        )
        + ".",
        [
            Column("measure", "Measure", text=True),
            Column("rd", "RD (more)"),
            Column("dbi", "DBI (less)"),
            Column("di", "DI (more)"),
            Column("sd_mean", "SD (less)"),
        ],
        rows,
        [{"kind": "correlation", **one} for one in plain]
        + [
            {"kind": "rank", "index": index, "measure": m, "rank": float(r)}
            for index, p in places.items()
            for m, r in p.items()
        ],
        [
            "The indices know the classes: they judge the dissimilarity, no clustering. They "
            "change with the scale and the link of a dissimilarity, so they compare unlike things.",
            *_missing(job),
        ],
    )


def agreement(job: Job, cells_: pd.DataFrame) -> Sheet:
    """How alike the measures order the pairs of objects."""
    import numpy as np
    from scipy.stats import rankdata

    found = records(job, "grid")
    own = found[found["kind"] == "pair"] if len(found) else found
    names = labels(found) if len(found) else {}
    total: dict[tuple[str, str], list[float]] = {}
    for _, part in own.groupby("dataset", sort=False):
        wide = part.pivot_table(
            index="pair", columns="measure", values="dissimilarity", sort=False
        ).dropna(axis=1)
        wide = wide.loc[:, wide.max() > wide.min()]
        place = np.apply_along_axis(rankdata, 0, wide.to_numpy())
        alike = np.atleast_2d(np.corrcoef(place, rowvar=False))
        for i, a in enumerate(wide):
            for j, b in enumerate(wide):
                total.setdefault((a, b), []).append(float(alike[i, j]))
    kept = [m for m in names if (m, m) in total]
    plain = [
        {
            "first": a,
            "second": b,
            "first_label": names[a],
            "second_label": names[b],
            "rho": sum(values) / len(values),
            "datasets": len(values),
        }
        for a in kept
        for b in kept
        for values in [total.get((a, b), [])]
        if values
    ]
    value = {(one["first"], one["second"]): one["rho"] for one in plain}
    others = sorted(
        ((value[a, b], a, b) for i, a in enumerate(kept) for b in kept[i + 1 :] if (a, b) in value),
        reverse=True,
    )
    words = (
        f"Most alike: {names[others[0][1]]} and {names[others[0][2]]} "
        f"({number(others[0][0], 2)}); least: {names[others[-1][1]]} and {names[others[-1][2]]} "
        f"({number(others[-1][0], 2)})."
        if others
        else "Too few measures."
    )
    return _sheet(
        job,
        "agreement of the measures",
        "Spearman's correlation of the dissimilarities of the same sampled pairs of objects, mean "
        f"over data sets. {words}",
        [
            Column("measure", "Measure", text=True),
            *(Column(m, names[m]) for m in kept),
        ],
        [{"measure": names[a], **{b: number(value.get((a, b)), 2) for b in kept}} for a in kept],
        plain,
        ["Representations by vectors alone have no dissimilarity of values and are not here."],
    )


# --- cost ----------------------------------------------------------------------------------------


def cost(job: Job, cells_: pd.DataFrame) -> Sheet:
    """Seconds and memory of each measure beside its quality, and which are on the front."""
    found = cells(job)
    table = complete(averaged(found))
    quality = table.mean()
    timed = records(job, "cost")
    names = labels(found)
    rows, plain = [], []
    if len(timed):
        for measure, own in timed[timed["outcome"] == OK].groupby("measure", sort=False):
            seconds = float((own["fit_seconds"] + own["run_seconds"]).mean())
            plain.append(
                {
                    "measure": measure,
                    "label": names.get(measure, measure),
                    "ari": _known(quality.get(measure)),
                    "seconds": seconds,
                    "fit_seconds": float(own["fit_seconds"].mean()),
                    "memory_mib": float((own["peak_mib"] - own["before_mib"]).max()),
                    "algorithm": ", ".join(dict.fromkeys(own["algorithm"])),
                    "timed_on": len(own),
                }
            )
    for one in plain:
        one["front"] = (
            "yes"
            if one["ari"] is not None
            and not any(
                other["ari"] is not None
                and other["ari"] >= one["ari"]
                and other["seconds"] <= one["seconds"]
                and (other["ari"], other["seconds"]) != (one["ari"], one["seconds"])
                for other in plain
            )
            else "no"
        )
        rows.append(
            {
                "measure": one["label"],
                "ari": number(one["ari"], 3),
                "fit": number(one["fit_seconds"], 3),
                "seconds": number(one["seconds"], 3),
                "memory": number(one["memory_mib"], 0),
                "algorithm": ALGORITHMS.get(one["algorithm"], one["algorithm"]),
                "front": "front" if one["front"] == "yes" else "",
            }
        )
    front = [one["label"] for one in plain if one["front"] == "yes"]
    return _sheet(
        job,
        "quality and cost",
        (
            f"No measure is both faster and better than {' or '.join(front)}."
            if front
            else "No times were taken in this run."
        ),
        [
            Column("measure", "Measure", text=True),
            Column("ari", "mean ARI"),
            Column("fit", "learning", "seconds"),
            Column("seconds", "with one clustering", "seconds"),
            Column("memory", "memory, MiB"),
            Column("algorithm", "clustering", text=True),
            Column("front", "Pareto", text=True),
        ],
        rows,
        plain,
        [
            f"{HOW} Means over the data sets that were timed.",
            "Memory: by how much the process grew at most beyond interpreter, libraries, compiled "
            "code and data. Clustering: the cheapest one that the measure has.",
            *_baseline_line(job, table.index),
        ],
    )


# --- preparation ---------------------------------------------------------------------------------

TREATMENTS = {"value": "a value", "impute": "filled in", "drop": "dropped"}


def treatment(job: Job, cells_: pd.DataFrame) -> Sheet:
    """Effect of what is done with missing cells."""
    from replication.papers.study.statistics import compare, holm

    found = records(job, "treatment")
    found = found[found["outcome"] == OK] if len(found) else found
    plain, rows = [], []
    if len(found):
        table = found.pivot_table(
            index=["dataset", "measure", "algorithm"], columns="treatment", values="ari", sort=False
        ).dropna()
        scores = table.groupby("dataset", sort=False).mean()
        for dataset, row in scores.iterrows():
            shown = {name: float(row[name]) for name in TREATMENTS}
            plain.append({"dataset": dataset, "name": name_of(job, dataset), **shown})
            rows.append(
                {
                    "dataset": name_of(job, dataset),
                    **{name: number(value, 3) for name, value in shown.items()},
                }
            )
        tests = []
        for a, b in (("value", "impute"), ("value", "drop"), ("impute", "drop")):
            rng = job.rng("treatment", a, b)
            one = compare(scores[a].to_numpy(), scores[b].to_numpy(), ROPE, rng)
            tests.append({"first": a, "second": b, **one})
        for one, p in zip(tests, holm([one["p"] for one in tests]), strict=True):
            one["p_holm"] = p
        words = "; ".join(
            f"{TREATMENTS[one['first']]} against {TREATMENTS[one['second']]}: mean difference "
            f"{number(one['mean_difference'], 3)}, p {_p(one['p_holm']) or 'not tested'}"
            for one in tests
        )
    else:
        words = "no data set with missing cells in this run"
    return _sheet(
        job,
        "what is done with missing cells",
        f"ARI over the complete rows, mean over measures and algorithms ({words}).",
        [
            Column("dataset", "Data set", text=True),
            *(Column(name, head, "missing cell is") for name, head in TREATMENTS.items()),
        ],
        rows,
        plain,
        [
            "All three are scored on the same rows, those without a missing cell; p-values of "
            "Wilcoxon tests over data sets after Holm's correction.",
            f"Left out: {RULES['few rows']}.",
            *_baseline_line(job, found["dataset"] if len(found) else []),
        ],
    )


# --- the answer ----------------------------------------------------------------------------------


def _advice(job: Job) -> list[dict[str, Any]]:
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


def answer(job: Job, cells_: pd.DataFrame) -> Sheet:
    """What to try first, and how such advice does where it was not looked at, beside chance."""
    names = labels(cells(job))
    plain = _advice(job)

    def first(row: dict[str, Any], size: str) -> str:
        measure = row.get(f"{size}_measure")
        if measure is None:
            return ""
        return f"{names[measure]}, {ALGORITHMS[row[f'{size}_algorithm']]}"

    rows = [
        {
            "choice": "measure and algorithm"
            if row["choice"] == "both"
            else f"measure, given {ALGORITHMS[row['choice']]}",
            "small": first(row, "small"),
            "large": first(row, "large"),
            "against": row["against"],
            "advice": f"{row['better']} / {row['same']} / {row['worse']}",
            "chance": " / ".join(
                number(row[f"chance_{name}"], 1) for name in ("better", "same", "worse")
            ),
            "p": _p(row["p"]),
            "p_holm": _p(row["p_holm"]),
            "skill": "better than chance" if row["p_holm"] < ALPHA else "no better than chance",
        }
        for row in plain
    ]
    skilled = [row for row in plain if row["p_holm"] < ALPHA]
    return _sheet(
        job,
        "what to try first",
        f"Advice that has not seen a data set is better than a candidate drawn at random in "
        f"{len(skilled)} of {len(plain)} kinds of choice. Choosing measure and algorithm, it is "
        f"better than simple matching with k-modes on {plain[0]['better']} data sets and worse on "
        f"{plain[0]['worse']} (at random: {number(plain[0]['chance_better'], 1)} and "
        f"{number(plain[0]['chance_worse'], 1)}); against simple matching with the same algorithm "
        f"on {plain[1]['better']} and {plain[1]['worse']} (at random: "
        f"{number(plain[1]['chance_better'], 1)} and {number(plain[1]['chance_worse'], 1)})."
        if plain
        else "No data set was computed in this run.",
        [
            Column("choice", "What is chosen", text=True),
            Column("small", f"up to {LARGEST} objects", "Try first", text=True),
            Column("large", "more objects", "Try first", text=True),
            Column("against", "Compared with", text=True),
            Column("advice", "advice", "better / same / worse, unseen"),
            Column("chance", "at random", "better / same / worse, unseen"),
            Column("p", "at random as good", "p"),
            Column("p_holm", "Holm", "p"),
            Column("skill", "Advice is", text=True),
        ],
        rows,
        plain,
        [
            "Try first: the first of all candidates by mean rank over the data sets. For many "
            "objects only what needs no matrix of all pairs counts; for few, only data sets of "
            "that size.",
            "Unseen: each data set is left out once, everything is chosen on the others, and the "
            f"choice is compared with simple matching on the one left out; {ROPE:g} ARI either way "
            "is the same. At random: what a candidate drawn from the same list does, on average.",
            "p: probability that random candidates reach the advice's better minus worse, exact; "
            f"Holm over the {len(plain)} rows. The rows share data sets and candidates.",
            "Simple matching with k-means is the 0-1 encoding. `couplings.recommend` gives this "
            "advice for a table.",
            *_baseline_line(job, job.datasets),
            *_missing(job),
        ],
    )


# --- what is not there, evidence -----------------------------------------------------------------


def left_out(job: Job, cells_: pd.DataFrame) -> Sheet:
    """Cells that a rule left out, and how many there are of each kind."""
    found = records(job, "grid")
    own = found[found["kind"] == "cell"] if len(found) else found
    own = own[own["outcome"] != OK] if len(own) else own
    whole = len(found[found["kind"] == "cell"]) if len(found) else 0
    rows, plain = [], []
    for (rule, algorithm), part in own.groupby(["rule", "algorithm"], sort=False):
        measures = list(dict.fromkeys(part["label"]))
        datasets = list(dict.fromkeys(part["dataset"]))
        rows.append(
            {
                "rule": RULES[rule],
                "algorithm": ALGORITHMS[algorithm],
                "cells": str(len(part)),
                "measures": ", ".join(measures) if len(measures) < 8 else f"{len(measures)}",
                "datasets": ", ".join(name_of(job, d) for d in datasets)
                if len(datasets) < 8
                else f"{len(datasets)}",
            }
        )
        plain += part[["dataset", "measure", "algorithm", "rule", "detail"]].to_dict("records")
    return _sheet(
        job,
        "cells that are not there",
        f"{len(plain)} of {whole} cells are left out, each by a rule that was fixed before.",
        [
            Column("rule", "Rule", text=True),
            Column("algorithm", "Algorithm", text=True),
            Column("cells", "cells"),
            Column("measures", "measures", text=True),
            Column("datasets", "data sets", text=True),
        ],
        rows,
        [{key: None if value != value else value for key, value in one.items()} for one in plain],
        _missing(job),
    )


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
        for one in cells(job).to_dict("records")
    ]


def evidence(job: Job, cells_: pd.DataFrame) -> Sheet:
    """Rows of the recommendation's evidence, counted by data set."""
    plain = evidence_rows(job)
    sets = list(dict.fromkeys(one["dataset"] for one in plain))
    return _sheet(
        job,
        "what the recommendation rests on",
        f"{len(plain)} cells of {_counted(len(sets), 'data set')}; the CSV is what "
        "`python -m replication.papers.study.evidence` packages for `couplings.recommend`.",
        [Column("dataset", "Data set", text=True), Column("cells", "cells")],
        [
            {
                "dataset": name_of(job, name),
                "cells": str(sum(one["dataset"] == name for one in plain)),
            }
            for name in sets
        ],
        plain,
        _missing(job),
    )
