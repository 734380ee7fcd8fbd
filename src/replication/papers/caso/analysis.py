"""Constants and statistics that several tables and claims of CASO share."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from replication.judge.cells import mean_moved
from replication.judge.verdicts import Reproduced
from replication.papers.caso.bibliographic import FIELDS, MERGED
from replication.papers.caso.examples import VALUE
from replication.show.job import Job

MEASURES = {"smd": "SMD", "ofd": "OFD", "add": "ADD", "cado": "CADO"}
"""The four dissimilarities that the paper compares."""
INDICES = {"rd": True, "dbi": False, "di": True, "sd_max": False, "sd_mean": False}
"""Internal indices that are compared; True if a higher index is better."""
INDEX_NAMES = dict(zip(INDICES, ("RD", "DBI", "DI", "SD (by max)", "SD (by mean)"), strict=True))
METRICS = {"precision": "Pr", "specificity": "Sp", "accuracy": "AC"}
"""Scores of Table XIII."""
SIX = ("shuttle", "balloon", "soybean_small", "zoo", "soybean_large", "breastcancer")
"""Data sets of Table XI."""
TEN = (
    *("movie", "balloon", "soybean_small", "zoo", "hayes_roth", "voting", "breastcancer"),
    *("tic", "letter", "mushroom"),
)
"""Data sets of Fig. 2 in the order of its axis."""
FIVE = ("movie", "hayes_roth", "spect", "voting", "mushroom")
"""Data sets of Table XII."""
BALLOONS = ("balloon", "balloon_adult_stretch", "balloon_yellow_small")
"""The files of Balloon that have 20 rows."""


def worked_values(job: Job) -> dict[tuple[str, str], Mapping[str, Any]]:
    """Return the records of the worked values, by data set and printed name."""
    rows = job.rows("worked")
    return {(row["dataset"], row["quantity"]): row for row in rows if row["kind"] == VALUE}


def extreme(bounds: pd.DataFrame, measure: str, end: str) -> pd.Series:
    """Return the least or greatest value similarity by data set, over equal and different values.

    `measure` is ``iaasv``, ``ieasv`` or ``casv``; `end` is ``least`` or ``greatest``.
    """
    ends = bounds[[f"{measure}_{which}_{end}" for which in ("apart", "self")]]
    return ends.min(axis="columns") if end == "least" else ends.max(axis="columns")


def mean_and_sd(scores: pd.Series) -> dict[str, float | None]:
    """Return mean and standard deviation of scores; the deviation of a single score is None."""
    return {"mean": float(scores.mean()), "sd": float(scores.std()) if len(scores) > 1 else None}


@dataclass(frozen=True)
class Change:
    """Relative change of a mean score from ADD to CADO over repeated runs.

    Attributes
    ----------
    ours : Reproduced
        The change. Both measures have the same starts, so its standard deviation is that of a
        ratio of paired runs, to first order.
    independent_sd : float or None
        Standard deviation of the same ratio if each measure had starts of its own. The paper does
        not say that its measures share their starts, so this one is assumed for a printed change.
    """

    ours: Reproduced
    independent_sd: float | None


def change(records: pd.DataFrame, score: str) -> Change:
    """Return the relative change of a mean score from ADD to CADO.

    `records` are those of one algorithm on one data set, with one row per measure and ``trial``.
    """
    sides = [records[records["measure"] == name].set_index("trial") for name in ("cado", "add")]
    cado, add = (side[score] for side in sides)
    moved, other_moved = (mean_moved(side.get("moved", ())) for side in sides)
    ratio = cado.mean() / add.mean()
    paired = independent = None
    if len(cado) > 1:
        paired = float((cado - ratio * add).std() / add.mean())
        independent = float(math.sqrt(cado.var() + ratio**2 * add.var()) / add.mean())
    rounding = float((moved + ratio * other_moved) / add.mean())
    ours = Reproduced(float(ratio - 1), paired, len(cado), rounding=rounding)
    return Change(ours, independent)


def over_tables(
    frame: pd.DataFrame, attribute: str, method: str, stage: str = MERGED, over: str = "tables"
) -> pd.DataFrame:
    """Select one run of a method on every table, or all its runs on the first table.

    `frame` has the records of `replication.papers.caso.bibliographic.value_clusters`. The result is
    sorted by `over`, ``tables`` or ``runs``. Authors have their last names, and a sole author is
    repeated, as in the paper.
    """
    picked = "attribute == @attribute and method == @method and stage == @stage"
    same, other = ("run", "draw") if over == "tables" else ("draw", "run")
    picked += f" and names == 'last' and sole == 'repeated' and {same} == 0"
    return frame.query(picked).sort_values(other)


def venue_clusters(papers: pd.DataFrame, method: str) -> pd.DataFrame:
    """Match the two clusters of venues with the fields, and put the venues in order.

    `papers` has the records of `replication.papers.caso.bibliographic.venue_map`, whose column
    `method` is the cluster of each paper's venue.

    The result has one row per venue, in the order of the figure from bottom to top: first the
    cluster of databases, then that of theory, each sorted by field, so that the venues that are
    misplaced lie next to the border of the clusters. ``place`` (from 1); ``cluster`` (the field
    that it is matched with; empty without a match); ``field`` (of most of its papers);
    ``misplaced``; ``papers`` and ``hits`` (number of papers, and of those in the field of the
    cluster).
    """
    from scipy.optimize import linear_sum_assignment

    def crossed(column: str) -> pd.DataFrame:
        counts = pd.crosstab(papers[column], papers["field"])
        return counts.reindex(columns=list(FIELDS), fill_value=0)

    counts, by_venue = crossed(method), crossed("venue")
    rows, columns = linear_sum_assignment(counts.to_numpy(), maximize=True)
    matched = {counts.index[r]: FIELDS[c] for r, c in zip(rows, columns, strict=True)}
    # with equal numbers of papers a venue belongs to theory, the larger field
    own = (by_venue[FIELDS[0]] <= by_venue[FIELDS[1]]).map({False: FIELDS[0], True: FIELDS[1]})
    cluster = papers.groupby("venue")[method].first().map(matched).fillna("")
    found = pd.DataFrame({"cluster": cluster, "field": own, "misplaced": cluster != own}).assign(
        papers=by_venue.sum(axis="columns"),
        hits=sum(by_venue[field].where(cluster == field, 0) for field in FIELDS),
    )
    later = found[["cluster", "field"]] != FIELDS[0]
    order = later.reset_index().sort_values(["cluster", "field", "venue"])["venue"]
    return found.loc[order].assign(place=range(1, len(order) + 1))
