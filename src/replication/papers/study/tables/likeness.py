"""Table of the study on the agreement of measures."""

import itertools
from typing import Any

import numpy as np
import pandas as pd

from replication.papers.study.analysis import labels_of, records
from replication.show.job import Job
from replication.show.sheet import Column, Sheet, across, number


def agreement(job: Job, cells: pd.DataFrame) -> Sheet:
    """Rank correlation of the measures' dissimilarities of objects."""
    names = labels_of(records(job, "grid", kind="", outcome=""))
    data = alike(records(job, "grid", kind="pair"), names)
    rho = {(row["first"], row["second"]): row["rho"] for row in data}
    kept = list(dict.fromkeys(row["first"] for row in data))
    pairs = sorted(
        ((rho[p], *p) for p in itertools.combinations(kept, 2) if p in rho), reverse=True
    )
    said = [f"{names[a]} and {names[b]} ({number(value, 2)})" for value, a, b in pairs]
    words = f"Most alike: {said[0]}; least: {said[-1]}." if said else "Too few measures."
    return Sheet.of(
        job,
        "agreement of the measures",
        "Spearman's correlation of the dissimilarities of the same sampled pairs of objects, mean "
        f"over data sets. {words}",
        [
            Column("measure", "Measure", text=True, of="first_label"),
            *across("second", {m: names[m] for m in kept}, of="rho", digits=2),
        ],
        data,
        by=("first",),
        legend=[
            "Representations by vectors alone have no dissimilarity of values and are not here."
        ],
    )


def alike(pairs: pd.DataFrame, names: dict[str, str]) -> list[dict[str, Any]]:
    """Return the mean rank correlation of sampled dissimilarities, for any two measures."""
    total: dict[tuple[str, str], list[float]] = {}
    for _, part in pairs.groupby("dataset", sort=False):
        wide = part.pivot_table("dissimilarity", "pair", "measure", sort=False).dropna(axis=1)
        wide = wide.loc[:, wide.max() > wide.min()]
        rho = np.atleast_2d(np.corrcoef(wide.rank().to_numpy(), rowvar=False))
        for (i, a), (j, b) in itertools.product(enumerate(wide), repeat=2):
            total.setdefault((a, b), []).append(float(rho[i, j]))
    return [
        {"first": a, "second": b, "first_label": names[a], "second_label": names[b]}
        | {"rho": sum(total[a, b]) / len(total[a, b]), "datasets": len(total[a, b])}
        for a, b in itertools.product(names, repeat=2)
        if (a, b) in total
    ]
