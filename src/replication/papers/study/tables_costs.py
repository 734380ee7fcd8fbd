"""Tables of the study on cost and on the treatment of missing cells."""

from __future__ import annotations

from typing import TYPE_CHECKING

from replication.judge.times import HOW
from replication.papers.study.analysis import (
    ALGORITHMS,
    ROPE,
    averaged,
    complete,
    labels_of,
    parts,
    scored,
)
from replication.papers.study.spaces import RULES
from replication.papers.study.tables_common import baseline_line, known, name_of, p_text, sheet
from replication.show.job import Job
from replication.show.sheet import Column, Sheet, number
from replication.steps import OK

if TYPE_CHECKING:
    import pandas as pd


# --- cost ----------------------------------------------------------------------------------------


def cost(job: Job, cells: pd.DataFrame) -> Sheet:
    """Seconds and memory of each measure beside its quality, and which are on the front."""
    found = scored(job)
    table = complete(averaged(found))
    quality = table.mean()
    timed = parts(job, "cost")
    names = labels_of(found)
    rows, plain = [], []
    if len(timed):
        for measure, own in timed[timed["outcome"] == OK].groupby("measure", sort=False):
            seconds = float((own["fit_seconds"] + own["run_seconds"]).mean())
            plain.append(
                {
                    "measure": measure,
                    "label": names.get(measure, measure),
                    "ari": known(quality.get(measure)),
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
    return sheet(
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
            *baseline_line(job, table.index),
        ],
    )


# --- preparation ---------------------------------------------------------------------------------

TREATMENTS = {"value": "a value", "impute": "filled in", "drop": "dropped"}


def treatment(job: Job, cells: pd.DataFrame) -> Sheet:
    """Effect of what is done with missing cells."""
    from replication.papers.study.statistics import compare, holm

    found = parts(job, "treatment")
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
            f"{number(one['mean_difference'], 3)}, p {p_text(one['p_holm']) or 'not tested'}"
            for one in tests
        )
    else:
        words = "no data set with missing cells in this run"
    return sheet(
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
            *baseline_line(job, found["dataset"] if len(found) else []),
        ],
    )
