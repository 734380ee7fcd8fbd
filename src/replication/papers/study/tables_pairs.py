"""Tables of the study that compare pairs of measures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from replication.papers.study.analysis import (
    ALGORITHMS,
    ALPHA,
    COMMON,
    REFERENCE,
    compared,
    labels_of,
    matrix,
    scored,
)
from replication.papers.study.tables_common import (
    PAIR_COLUMNS,
    baseline_line,
    correct,
    missing,
    pair_legend,
    pair_row,
    plural,
    sheet,
)
from replication.show.job import Job
from replication.show.sheet import Sheet
from replication.steps import OK

if TYPE_CHECKING:
    import pandas as pd


# --- pairs ---------------------------------------------------------------------------------------


def duels(job: Job, cells: pd.DataFrame) -> Sheet:
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
    found = pd.concat([scored(job), rivals], ignore_index=True)
    names = labels_of(found)
    plain = []
    for duel in job.need("parameters")["duels"]:
        plain += compared(job, found, duel)
    correct(plain, holm)
    kept = sum(one["verdict"] == "better" for one in plain)
    lost = sum(one["verdict"] == "worse" for one in plain)
    tested = sum(one["p"] is not None for one in plain)
    return sheet(
        job,
        "claims of superiority under one protocol",
        f"{plural(tested, 'claim')} that a measure of the four papers is better than another "
        f"were tested. After Holm's correction {kept} hold{'s' if kept == 1 else ''}; the opposite "
        f"of {lost} does; {tested - kept - lost} remain undecided or are no difference. "
        + _uncorrected(plain, names),
        PAIR_COLUMNS,
        [pair_row(one, names) for one in plain],
        plain,
        [*pair_legend(len(plain)), *baseline_line(job, job.datasets), *missing(job)],
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


def pairwise(job: Job, cells: pd.DataFrame) -> Sheet:
    """Every measure against simple matching, with every common algorithm; all pairs in the data.

    Holm corrects the rows that are shown; the p-values of all pairs of measures of an algorithm
    are corrected in a family of their own.
    """
    from replication.papers.study.statistics import holm, signed_rank

    found = scored(job)
    names = labels_of(found)
    plain = []
    for a in (*COMMON, "kmeans"):
        for measure in names:
            if measure != REFERENCE:
                duel = {"first": measure, "second": REFERENCE, "algorithm": a}
                if a == "kmeans":
                    duel["second"] = "one_hot"
                    if measure == "one_hot":
                        continue
                plain += compared(job, found, duel)
    correct(plain, holm)
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
    return sheet(
        job,
        "every measure against simple matching",
        f"{len(better)} of {len(plain)} combinations of measure and algorithm are better than "
        f"simple matching with the same algorithm after Holm's correction, "
        f"{sum(one['verdict'] == 'worse' for one in plain)} worse. Of all {len(every)} pairs of "
        f"measures with the same algorithm {clear} differ after correction within the algorithm.",
        PAIR_COLUMNS[1:],
        [pair_row(one, names) for one in plain],
        [{"family": "reference", **one} for one in plain]
        + [{"family": "all pairs", **one} for one in every],
        [
            *pair_legend(len(plain)),
            "k-means has vectors instead: there the second method is the 0-1 encoding.",
            *baseline_line(job, job.datasets),
            *missing(job),
        ],
    )
