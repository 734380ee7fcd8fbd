"""Tables of the study on its data: the data sets, cells that are not there, the evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from replication.papers.study.analysis import (
    ALGORITHMS,
    evidence_rows,
    parts,
    profiles,
)
from replication.papers.study.spaces import RULES
from replication.papers.study.tables_common import missing, name_of, plural, sheet
from replication.show.job import Job
from replication.show.sheet import Column, Sheet, number
from replication.steps import OK

if TYPE_CHECKING:
    import pandas as pd


# --- the data ------------------------------------------------------------------------------------


def data(job: Job, cells: pd.DataFrame) -> Sheet:
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
    return sheet(
        job,
        "the data sets under the common preparation",
        f"{plural(kept, 'data set')}. One cluster of everything already has the purity of the "
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
            *missing(job),
        ],
    )


# --- what is not there, evidence -----------------------------------------------------------------


def left_out(job: Job, cells: pd.DataFrame) -> Sheet:
    """Cells that a rule left out, and how many there are of each kind."""
    found = parts(job, "grid")
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
    return sheet(
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
        missing(job),
    )


def evidence(job: Job, cells: pd.DataFrame) -> Sheet:
    """Rows of the recommendation's evidence, counted by data set."""
    plain = evidence_rows(job)
    sets = list(dict.fromkeys(one["dataset"] for one in plain))
    return sheet(
        job,
        "what the recommendation rests on",
        f"{len(plain)} cells of {plural(len(sets), 'data set')}; the CSV is what "
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
        missing(job),
    )
