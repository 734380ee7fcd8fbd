"""Tables of the study that compare pairs of measures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from replication.papers.study.analysis import (
    ALPHA,
    ANCHORS,
    COMMON,
    METHODS,
    REFERENCE,
    all_pairs,
    beside,
    clear,
    compared,
    labels_of,
    methods,
    remaining,
    scored,
)
from replication.papers.study.tables_common import (
    algorithm_of,
    baseline_line,
    missing,
    natural_lines,
    pair_columns,
    pair_legend,
    plural,
)
from replication.show.job import Job
from replication.show.sheet import Column, Sheet, number, pivot
from replication.steps import OK

if TYPE_CHECKING:
    import pandas as pd

    from replication.papers.study.analysis import Families, Natural


def duels(
    job: Job, cells: pd.DataFrame, *, families: Families, duels: Sequence[Mapping[str, str]]
) -> Sheet:
    """Pairs that the papers call won, each under the one protocol.

    A duel has ``claim``, ``first``, ``second`` (measures) and ``algorithm``
    (or one for each: ``first_algorithm``, ``second_algorithm``).
    """
    import pandas as pd

    rivals = job.ok("rivals")
    if len(rivals):
        rivals = rivals[rivals["outcome"] == OK]
    found = pd.concat([scored(job), rivals], ignore_index=True)
    names = labels_of(found)
    data = remaining([pair for duel in duels for pair in compared(job, found, duel, families)])
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
    found = scored(job)
    names = labels_of(found)
    references = dict.fromkeys(COMMON, REFERENCE) | {"kmeans": "one_hot"}
    shown = remaining(
        [
            pair
            for algorithm, reference in references.items()
            for measure in names
            if measure not in (REFERENCE, reference)
            for pair in compared(
                job,
                found,
                {"first": measure, "second": reference, "algorithm": algorithm},
                families,
            )
        ]
    )
    every = all_pairs(found)
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
    import pandas as pd

    whole = methods(job, natural)
    names = labels_of(whole)
    shown = _against(job, whole, names, families)
    other = scored(job)
    other = other[other["algorithm"].isin([*COMMON, "kmeans"])]
    tied = [f"{m}.{a}" for m, a in zip(other["measure"], other["algorithm"], strict=True)]
    other = other.assign(measure=tied, algorithm=METHODS)
    known = whole[whole["measure"].isin(ANCHORS)]
    every = pd.concat([one for one in (other, known) if len(one)] or [other], ignore_index=True)
    combined = _against(job, every, dict.fromkeys(tied), families)
    columns = [Column("second", "Anchor", text=True, of=lambda row: names[row["second"]])]
    columns += [
        replace(column, head="Method") if column.key == "first" else column
        for column in pair_columns(names)
        if column.key not in ("claim", "second", "algorithm")
    ]
    words = []
    for anchor in ANCHORS if shown else ():
        verdicts = [row["verdict"] for row in shown if row["second"] == anchor]
        if verdicts:
            words.append(
                f"Against {names[anchor]} {verdicts.count('better')} of "
                f"{plural(len(verdicts), 'method')} are better after Holm's correction, "
                f"{verdicts.count('worse')} worse."
            )
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
            *_told_nobody(job),
            *baseline_line(job, job.datasets),
            *missing(job),
        ],
    )


def _against(
    job: Job, found: pd.DataFrame, names: Iterable[str], families: Families
) -> list[dict[str, Any]]:
    """Comparison of each method with each anchor, corrected over all of them."""
    return remaining(
        [
            pair
            for anchor in ANCHORS
            for name in names
            if name not in (anchor, f"{anchor}.kmodes")
            for pair in compared(
                job, found, {"first": name, "second": anchor, "algorithm": METHODS}, families
            )
        ]
    )


def _told_nobody(job: Job) -> list[str]:
    """Line about latent class analysis that chooses the number of classes itself."""
    found = beside(job, "classes")
    if not len(found):
        return []
    same = int((found["preferred"] == found["classes"]).sum())
    fewer = int((found["preferred"] < found["classes"]).sum())
    return [
        f"All methods are told the number of classes. BIC would choose it on {same} of "
        f"{plural(len(found), 'data set')}, fewer on {fewer}, more on {len(found) - same - fewer}; "
        f"mean ARI of latent class analysis with that choice {number(found['ari'].mean(), 3)}."
    ]
