"""Tables of the study that compare pairs of methods."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from replication.papers.study.analysis import (
    ANCHORS,
    BESIDE,
    INDICES,
    Natural,
    Pair,
    compared,
    matrix,
    names_of,
    records,
    scored,
    whole,
)
from replication.papers.study.conclusions import standing
from replication.papers.study.statistics import ALPHA, Families
from replication.papers.study.tables.answer import against_anchors, choices_of, pair_of
from replication.papers.study.tables.common import (
    baseline_line,
    missing,
    natural_lines,
    pair_columns,
    pair_legend,
    plural,
    protocol_lines,
)
from replication.show.job import Job
from replication.show.sheet import Column, Sheet, number, pivot


def duels(
    job: Job,
    cells: pd.DataFrame,
    *,
    families: Families,
    designs: Sequence[str],
    duels: Sequence[Mapping[str, str]],
) -> Sheet:
    """One-to-one comparisons that the papers claim, under one protocol."""
    found = scored(job)
    claims = {pair_of(duel): duel["claim"] for duel in duels}
    data = [
        {"claim": claims[row["first"], row["second"]], **row}
        for row in compared(job, matrix(found), claims, families)
    ]
    verdicts = [row["verdict"] for row in data]
    kept, lost = verdicts.count("better"), verdicts.count("worse")
    tested = sum(row["p"] is not None for row in data)
    names = names_of(found)
    decided = [row for row in data if row["p"] is not None and row["p"] < ALPHA]
    favour, against = (
        "; ".join(
            f"{names[row['first']]} over {names[row['second']]}"
            for row in decided
            if (row["effect"] > 0) == side
        )
        or "none"
        for side in (True, False)
    )
    return Sheet.of(
        job,
        "claims of superiority under one protocol",
        f"{plural(tested, 'claim')} that a measure of the four papers is better than another "
        f"were tested. After Holm's correction {kept} hold{'s' if kept == 1 else ''}; the opposite "
        f"of {lost} does; {tested - kept - lost} remain undecided or are no difference. Below 5 % "
        f"without correction: for the claim {favour}; against it {against}.",
        pair_columns(names, _variants(job, found, claims, designs, families)),
        data,
        legend=[
            *pair_legend(len(data)),
            *protocol_lines(job),
            *baseline_line(job, job.datasets),
            *missing(job),
        ],
    )


def anchors(
    job: Job, cells: pd.DataFrame, *, families: Families, designs: Sequence[str], natural: Natural
) -> Sheet:
    """Every whole method against the baselines: latent class analysis, and k-modes."""
    found = whole(scored(job), natural)
    names = names_of(found)
    pairs = against_anchors(names)
    data = compared(job, matrix(found), pairs, families)
    columns = [Column("second", "Baseline", text=True, of=lambda row: names[row["second"]])]
    columns += [
        replace(column, head="Method") if column.key == "first" else column
        for column in pair_columns(names, _variants(job, found, pairs, designs, families))
        if column.key not in ("claim", "second")
    ]
    words = [
        f"Against {names[anchor]} {verdicts.count('better')} of "
        f"{plural(len(verdicts), 'method')} are better after Holm's correction, "
        f"{verdicts.count('worse')} worse."
        for anchor in ANCHORS
        if (verdicts := [row["verdict"] for row in data if row["second"] == anchor])
    ]
    return Sheet.of(
        job,
        "every method against latent class analysis and k-modes",
        " ".join(words) or "Neither was computed in this run.",
        columns,
        data,
        rows=pivot(columns, data),
        legend=[
            *pair_legend(len(data)),
            *natural_lines(natural, found),
            *_bic_line(job),
            *protocol_lines(job),
            *baseline_line(job, job.datasets),
            *missing(job),
        ],
    )


def _variants(
    job: Job,
    found: pd.DataFrame,
    pairs: Iterable[Pair],
    designs: Sequence[str],
    families: Families,
) -> dict[Any, str]:
    """Return the standing of each pair in the variants."""
    tables = {index: matrix(found, index) for index in INDICES}
    return standing(choices_of(job, designs, families).tests(tables, pairs))


def _bic_line(job: Job) -> list[str]:
    """Line on latent class analysis with the number of classes chosen by BIC."""
    found = records(job, *BESIDE, kind="classes")
    if found.empty:
        return []
    same = int((found["preferred"] == found["classes"]).sum())
    fewer = int((found["preferred"] < found["classes"]).sum())
    return [
        f"All methods are told the number of classes. BIC would choose it on {same} of "
        f"{plural(len(found), 'data set')}, fewer on {fewer}, more on {len(found) - same - fewer}; "
        f"mean ARI of latent class analysis with that choice {number(found['ari'].mean(), 3)}."
    ]
