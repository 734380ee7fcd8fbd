"""Tables of the study on its data: the data sets, cells that are not there, the evidence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

from replication.papers.study.analysis import ALGORITHMS, beside, evidence_rows, parts, profiles
from replication.papers.study.spaces import RULES
from replication.papers.study.tables_common import missing, plural
from replication.show.job import Job
from replication.show.sheet import Column, Sheet
from replication.steps import OK

if TYPE_CHECKING:
    import pandas as pd

    from replication.papers.study.analysis import Families


# --- the data ------------------------------------------------------------------------------------


def data(job: Job, cells: pd.DataFrame, *, families: Families) -> Sheet:
    """What kind of data each data set is, and what the baselines score on it."""
    base = profiles(job, "baseline")
    family = {name: group for group in families for name in group}
    found = []
    for row in profiles(job, "profile").to_dict("records"):
        dataset = row["dataset"]
        own = base[base["dataset"] == dataset]
        purity = dict(zip(own["baseline"], own["purity"], strict=True))
        related = [job.printed(name) for name in family.get(dataset, []) if name != dataset]
        found.append(
            {
                "dataset": dataset,
                **{k: int(row[k]) for k in ("objects", "attributes", "classes", "incomplete")},
                **{key: row[key] for key in ("values", "majority", "imbalance", "coupling")},
                "purity_majority": purity["majority"],
                "purity_random": purity["random"],
                "related": ", ".join(related),
            }
        )
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


# --- what is not there, evidence -----------------------------------------------------------------


def left_out(job: Job, cells: pd.DataFrame) -> Sheet:
    """Cells that a rule left out, and how many there are of each kind."""
    import pandas as pd

    found = [parts(job, "grid", "cell", outcome=""), beside(job, outcome="")]
    every = pd.concat([one for one in found if len(one)] or found[:1], ignore_index=True)
    absent = every[every["outcome"] != OK] if len(every) else every
    groups = absent.groupby(["rule", "algorithm"], sort=False) if len(absent) else ()

    def some(names: Iterable[str]) -> str:
        names = list(dict.fromkeys(names))
        return ", ".join(names) if len(names) < 8 else f"{len(names)}"

    keys = ["dataset", "measure", "algorithm", "rule", "detail"]
    return Sheet.of(
        job,
        "cells that are not there",
        f"{len(absent)} of {len(every)} cells are left out, each by a rule that was fixed before.",
        [
            Column("rule", "Rule", text=True),
            Column("algorithm", "Algorithm", text=True),
            Column("cells", "cells"),
            Column("measures", "measures", text=True),
            Column("datasets", "data sets", text=True),
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


def evidence(job: Job, cells: pd.DataFrame) -> Sheet:
    """Rows of the recommendation's evidence, counted by data set."""
    rows = evidence_rows(job)
    counts = Counter(row["dataset"] for row in rows)
    return Sheet.of(
        job,
        "what the recommendation rests on",
        f"{len(rows)} cells of {plural(len(counts), 'data set')}; the CSV is what "
        "`python -m replication.papers.study.evidence` packages for `couplings.recommend`.",
        [Column("dataset", "Data set", text=True), Column("cells", "cells")],
        rows,
        rows=[{"dataset": job.printed(name), "cells": str(n)} for name, n in counts.items()],
        legend=missing(job),
    )
