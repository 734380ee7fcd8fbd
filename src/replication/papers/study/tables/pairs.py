"""Tables of the study that compare pairs of measures."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from replication.papers.study.advice import REFERENCE, reference_of
from replication.papers.study.analysis import (
    ANCHORS,
    BESIDE,
    COMMON,
    METHODS,
    Natural,
    clear,
    compared,
    labels_of,
    matrix,
    methods,
    pairs_of,
    records,
)
from replication.papers.study.statistics import ALPHA, Families, signed_rank
from replication.papers.study.tables.common import (
    algorithm_of,
    baseline_line,
    missing,
    natural_lines,
    pair_columns,
    pair_legend,
    plural,
)
from replication.run.paired import correct
from replication.show.job import Job
from replication.show.sheet import Column, Sheet, number, pivot


def duels(
    job: Job, cells: pd.DataFrame, *, families: Families, duels: Sequence[Mapping[str, str]]
) -> Sheet:
    """Pairs that the papers call won, each under the one protocol; see `analysis.compared`."""
    found = records(job, "grid", "rivals")
    names = labels_of(found)
    data = compared(job, pairs_of(job, found), duels, families)
    verdicts = [row["verdict"] for row in data]
    kept, lost = verdicts.count("better"), verdicts.count("worse")
    tested = sum(row["p"] is not None for row in data)
    return Sheet.of(
        job,
        "claims of superiority under one protocol",
        f"{plural(tested, 'claim')} that a measure of the four papers is better than another "
        f"were tested. After Holm's correction {kept} hold{'s' if kept == 1 else ''}; the opposite "
        f"of {lost} does; {tested - kept - lost} remain undecided or are no difference. "
        + _uncorrected(data, names),
        pair_columns(names),
        data,
        legend=[*pair_legend(len(data)), *baseline_line(job, job.datasets), *missing(job)],
    )


def _uncorrected(rows: Iterable[Mapping[str, Any]], names: Mapping[str, str]) -> str:
    """Rows below 5 % without correction, for and against the claims, in words."""
    sides: dict[bool, list[str]] = {True: [], False: []}
    for row in rows:
        if row["p"] is not None and row["p"] < ALPHA:
            pair = f"{names[row['first']]} over {names[row['second']]} ({algorithm_of(row)})"
            sides[row["effect"] > 0].append(pair)
    favour, against = (", ".join(sides[side]) or "none" for side in (True, False))
    return f"Below 5 % without correction: for the claim {favour}; against it {against}."


def pairwise(job: Job, cells: pd.DataFrame, *, families: Families) -> Sheet:
    """Every measure against simple matching, with every common algorithm; all pairs in the data.

    Holm corrects the rows that are shown; the p-values of all pairs of measures of an algorithm
    are corrected in a family of their own.
    """
    found = records(job, "grid")
    names = labels_of(found)
    against = [
        {"first": measure, "second": reference_of(algorithm)[0], "algorithm": algorithm}
        for algorithm in (*COMMON, "kmeans")
        for measure in names
        if measure not in (REFERENCE, reference_of(algorithm)[0])
    ]
    shown = compared(job, pairs_of(job, found), against, families)
    every: list[dict[str, Any]] = []
    for algorithm in COMMON:
        table = matrix(found[found["algorithm"] == algorithm])
        tests = [
            {"algorithm": algorithm, "first": first, "second": second}
            | {"p": signed_rank((table[first] - table[second]).dropna().to_numpy())}
            for first, second in itertools.combinations(table, 2)
        ]
        correct(tests)
        every += tests
    verdicts = [row["verdict"] for row in shown]
    columns = pair_columns(names)[1:]
    return Sheet.of(
        job,
        "every measure against simple matching",
        f"{verdicts.count('better')} of {len(shown)} combinations of measure and algorithm are "
        "better than simple matching with the same algorithm after Holm's correction, "
        f"{verdicts.count('worse')} worse. Of all {len(every)} pairs of measures with the same "
        f"algorithm {sum(map(clear, every))} differ after correction within the algorithm.",
        columns,
        [{"family": "reference", **row} for row in shown]
        + [{"family": "all pairs", **row} for row in every],
        rows=pivot(columns, shown),
        legend=[
            *pair_legend(len(shown)),
            "k-means has vectors instead: there the second method is the 0-1 encoding.",
            *baseline_line(job, job.datasets),
            *missing(job),
        ],
    )


def anchors(job: Job, cells: pd.DataFrame, *, families: Families, natural: Natural) -> Sheet:
    """Every method against latent class analysis and against k-modes.

    Shown are whole methods, each measure with its natural algorithm; the data hold every other
    combination of measure and algorithm too, corrected in a family of their own.
    """
    whole = methods(job, natural)
    names = labels_of(whole)
    shown = _against(job, whole, names, families)
    other = records(job, "grid")
    other = other[other["algorithm"].isin([*COMMON, "kmeans"])]
    tied = list(other["measure"] + "." + other["algorithm"])
    other = other.assign(measure=tied, algorithm=METHODS)
    every = pd.concat([other, whole[whole["measure"].isin(ANCHORS)]], ignore_index=True)
    combined = _against(job, every, dict.fromkeys(tied), families)
    columns = [Column("second", "Anchor", text=True, of=lambda row: names[row["second"]])]
    columns += [
        replace(column, head="Method") if column.key == "first" else column
        for column in pair_columns(names)
        if column.key not in ("claim", "second", "algorithm")
    ]
    words = [
        f"Against {names[anchor]} {verdicts.count('better')} of "
        f"{plural(len(verdicts), 'method')} are better after Holm's correction, "
        f"{verdicts.count('worse')} worse."
        for anchor in ANCHORS
        if (verdicts := [row["verdict"] for row in shown if row["second"] == anchor])
    ]
    return Sheet.of(
        job,
        "every method against latent class analysis and k-modes",
        " ".join(words) or "No anchor was computed in this run.",
        columns,
        [{"family": "methods", **row} for row in shown]
        + [{"family": "combinations", **row} for row in combined],
        rows=pivot(columns, shown),
        legend=[
            *pair_legend(len(shown)),
            *natural_lines(natural, names),
            *_bic_line(job),
            *baseline_line(job, job.datasets),
            *missing(job),
        ],
    )


def _against(
    job: Job, found: pd.DataFrame, names: Iterable[str], families: Families
) -> list[dict[str, Any]]:
    """Comparison of each method with each anchor, corrected over all of them."""
    against = [
        {"first": name, "second": anchor, "algorithm": METHODS}
        for anchor in ANCHORS
        for name in names
        if name not in (anchor, f"{anchor}.kmodes")
    ]
    return compared(job, pairs_of(job, found), against, families)


def _bic_line(job: Job) -> list[str]:
    """Line about latent class analysis that chooses the number of classes itself."""
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
