"""Tables of the study on its data sets, cells left out, costs and missing cells."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

from replication.judge.times import HOW
from replication.papers.study.analysis import (
    ALGORITHMS,
    BESIDE,
    complete,
    labels_of,
    matrix,
    profiles,
    records,
)
from replication.papers.study.data import TREATMENTS
from replication.papers.study.spaces import RULES
from replication.papers.study.statistics import Families, compare
from replication.papers.study.tables.common import (
    algorithm_of,
    baseline_line,
    missing,
    p_text,
    plural,
)
from replication.run.paired import correct
from replication.show.job import Job
from replication.show.sheet import Column, Sheet, number, words
from replication.steps import OK


def data(job: Job, cells: pd.DataFrame, *, families: Families) -> Sheet:
    """What kind of data each data set is, and what the baselines score on it."""
    base = profiles(job, "baseline").set_index(["dataset", "baseline"])["purity"].to_dict()
    family = {name: group for group in families for name in group}
    counts = ("objects", "attributes", "classes", "incomplete")
    found = [
        {"dataset": row["dataset"], **{key: int(row[key]) for key in counts}}
        | {key: row[key] for key in ("values", "majority", "imbalance", "coupling")}
        | {f"purity_{name}": base[row["dataset"], name] for name in ("majority", "random")}
        | {
            "related": ", ".join(
                job.printed(name)
                for name in family.get(row["dataset"], [])
                if name != row["dataset"]
            )
        }
        for row in profiles(job).to_dict("records")
    ]
    return Sheet.of(
        job,
        "the data sets under the common preparation",
        f"{plural(len(found), 'data set')}. One cluster of everything already has the purity of "
        "the column majority, and random clusters have at least that on average or come near it: "
        "purity has to be read against both. Both score 0 in ARI.",
        [
            Column("dataset", "Data set", text=True, of=lambda row: job.printed(row["dataset"])),
            Column("objects", "objects"),
            Column("attributes", "attributes"),
            Column("values", "values per attribute", digits=1),
            Column("classes", "classes"),
            Column("incomplete", "rows with gaps"),
            Column("imbalance", "imbalance", digits=2),
            Column("coupling", "FCI", digits=2),
            Column("purity_majority", "majority", "purity of", digits=2),
            Column("purity_random", "random", "purity of", digits=2),
            Column("related", "related to", text=True),
        ],
        found,
        legend=[
            "imbalance: 1 minus the entropy of the classes over its maximum. FCI: mean symmetric "
            "uncertainty of two attributes.",
            "Rows with gaps: a missing cell is a value of its own, except in Adult, of which the "
            "complete rows of the training file are used.",
            *missing(job),
        ],
    )


def left_out(job: Job, cells: pd.DataFrame) -> Sheet:
    """Cells that a rule left out, and how many there are of each kind."""
    every = records(job, "grid", *BESIDE, outcome="")
    absent = every[every["outcome"] != OK]
    keys = ["dataset", "measure", "algorithm", "rule", "detail"]
    groups = absent.groupby(["rule", "algorithm"], sort=False)

    def some(names: Iterable[str]) -> str:
        names = list(dict.fromkeys(names))
        return ", ".join(names) if len(names) < 8 else f"{len(names)}"

    return Sheet.of(
        job,
        "cells that are not there",
        f"{len(absent)} of {len(every)} cells are left out, each by a rule that was fixed before.",
        [
            *words(rule="Rule", algorithm="Algorithm"),
            Column("cells", "cells"),
            *words(measures="measures", datasets="data sets"),
        ],
        [
            {key: None if value != value else value for key, value in row.items()}
            for _, part in groups
            for row in part[keys].to_dict("records")
        ],
        rows=[
            {
                "rule": RULES[rule],
                "algorithm": ALGORITHMS.get(algorithm, part["label"].iloc[0]),
                "cells": str(len(part)),
                "measures": some(part["label"]),
                "datasets": some(map(job.printed, part["dataset"])),
            }
            for (rule, algorithm), part in groups
        ],
        legend=missing(job),
    )


def cost(job: Job, cells: pd.DataFrame) -> Sheet:
    """Seconds and memory of each method beside its quality, and which are on the front."""
    timed = records(job, "cost", kind="cost")
    found = records(job, "grid", *BESIDE)
    # the score of each measure with the algorithm that it was timed with
    pairs = set(zip(timed["measure"], timed["algorithm"], strict=True))
    own = [pair in pairs for pair in zip(found["measure"], found["algorithm"], strict=True)]
    table = complete(matrix(found[own]))
    data = costs(timed, table.mean(), labels_of(found))
    most = max((row["timed_on"] for row in data), default=0)
    front = [row["label"] for row in data if row["front"] == "yes"]
    return Sheet.of(
        job,
        "quality and cost",
        f"Nothing is both faster and better than {' or '.join(front)}."
        if front
        else "No times were taken in this run.",
        [
            Column("label", "Method", text=True),
            Column("ari", "mean ARI", digits=3),
            Column("fit_seconds", "learning", "seconds", digits=3),
            Column("seconds", "with one clustering", "seconds", digits=3),
            Column("memory_mib", "memory, MiB", digits=0),
            Column("algorithm", "clustering", text=True, of=_with_what),
            Column("timed_on", "data sets timed", digits=0),
            Column(
                "front",
                "Pareto",
                text=True,
                of=lambda row: "front" if row["front"] == "yes" else "",
            ),
        ],
        data,
        legend=[
            f"{HOW} Means over the data sets that were timed; what lacks one of the {most} is not "
            "on the front.",
            "Memory: by how much the process grew at most beyond interpreter, libraries, compiled "
            "code and data. Clustering: the cheapest one that the measure has, from one start; "
            "what clusters the table itself learns and clusters at once. ARI: with that "
            "clustering.",
            *baseline_line(job, table.index),
        ],
    )


def costs(
    timed: pd.DataFrame, quality: pd.Series, names: Mapping[str, str]
) -> list[dict[str, Any]]:
    """Mean seconds and greatest memory of each measure, its score, and whether it is on the front.

    `timed` are records of costs, `quality` the mean score and `names` the label by measure.
    """
    found = [
        {"measure": measure, "label": names.get(measure, measure)}
        | {"ari": float(quality[measure]) if measure in quality else None}
        | {"seconds": float((own["fit_seconds"] + own["run_seconds"]).mean())}
        | {"fit_seconds": float(own["fit_seconds"].mean())}
        | {"memory_mib": float((own["peak_mib"] - own["before_mib"]).max())}
        | {"algorithm": ", ".join(dict.fromkeys(own["algorithm"])), "timed_on": len(own)}
        for measure, own in timed.groupby("measure", sort=False)
    ]
    most = timed["dataset"].nunique()
    known = [row for row in found if row["ari"] is not None and row["timed_on"] == most]
    for row in found:
        beaten = any(
            one["ari"] >= row["ari"]
            and one["seconds"] <= row["seconds"]
            and (one["ari"], one["seconds"]) != (row["ari"], row["seconds"])
            for one in (known if row in known else ())
        )
        row["front"] = "yes" if row in known and not beaten else "no"
    return found


def _with_what(row: Mapping[str, Any]) -> str:
    """Algorithm that a measure was timed with; of a method by itself *its own*."""
    return "its own" if row["algorithm"] == row["measure"] else algorithm_of(row)


def treatment(job: Job, cells: pd.DataFrame) -> Sheet:
    """Effect of what is done with missing cells."""
    found = records(job, "treatment")
    table = found.pivot_table(
        index=["dataset", "measure", "algorithm"], columns="treatment", values="ari", sort=False
    )
    scores = table.dropna().groupby("dataset", sort=False).mean()
    pairs = (("value", "impute"), ("value", "drop"), ("impute", "drop")) if len(scores) else ()
    tests = [
        {"first": a, "second": b, **compare(scores[[a, b]], job.rng("treatment", a, b))}
        for a, b in pairs
    ]
    correct(tests)
    said = "; ".join(
        f"{TREATMENTS[test['first']]} against {TREATMENTS[test['second']]}: mean difference "
        f"{number(test['mean_difference'], 3)}, p {p_text(test['p_holm']) or 'not tested'}"
        for test in tests
    )
    return Sheet.of(
        job,
        "what is done with missing cells",
        "ARI over the complete rows, mean over measures and algorithms "
        f"({said or 'no data set with missing cells in this run'}).",
        [
            Column("name", "Data set", text=True),
            *(Column(name, head, "missing cell is", digits=3) for name, head in TREATMENTS.items()),
        ],
        [
            {"dataset": dataset, "name": job.printed(dataset)}
            | {name: float(row[name]) for name in TREATMENTS}
            for dataset, row in scores.iterrows()
        ],
        legend=[
            "All three are scored on the same rows, those without a missing cell; p-values of "
            "Wilcoxon tests over data sets after Holm's correction.",
            f"Left out: {RULES['few rows']}.",
            *baseline_line(job, found["dataset"]),
        ],
    )
