"""Clusters of authors and venues of CASO, section VIII-C: records to numbers, without words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from replication.papers.caso.bibliographic import FIELDS, MERGED

if TYPE_CHECKING:
    import pandas as pd


def over_tables(
    frame: pd.DataFrame, attribute: str, method: str, stage: str = MERGED
) -> pd.DataFrame:
    """Records of a method on all tables, one run each, sorted by table.

    Authors are known by last names, and sole authors repeated, as in the paper.

    Parameters
    ----------
    frame : DataFrame
        Records of `replication.papers.caso.bibliographic.value_clusters`, one source.
    attribute : str
        ``first_author`` or ``venue``.
    method, stage : str
        Of `METHODS`, and `MERGED` or `ASSIGNED`.
    """
    return _as_printed(frame, attribute, method, stage).query("run == 0").sort_values("draw")


def over_runs(
    frame: pd.DataFrame, attribute: str, method: str, stage: str = MERGED
) -> pd.DataFrame:
    """Records of a method on the first table, all runs; parameters as in `over_tables`."""
    return _as_printed(frame, attribute, method, stage).query("draw == 0").sort_values("run")


def _as_printed(frame: pd.DataFrame, attribute: str, method: str, stage: str) -> pd.DataFrame:
    return frame[
        (frame["attribute"] == attribute)
        & (frame["method"] == method)
        & (frame["stage"] == stage)
        & (frame["names"] == "last")
        & (frame["sole"] == "repeated")
    ]


def summary(values: pd.Series) -> dict[str, Any]:
    """Mean, spread and number of some scores."""
    return {
        "mean": float(values.mean()),
        "sd": float(values.std()) if len(values) > 1 else None,
        "low": float(values.min()),
        "high": float(values.max()),
        "n": len(values),
    }


@dataclass(frozen=True)
class VenueClusters:
    """Clusters of the venues of one table by one method, in the order in which they are drawn.

    Attributes
    ----------
    venues : sequence of str
        From the bottom: the cluster of databases, then that of theory; in each the venues of the
        field itself first where databases end and last where theory ends, so that misplaced
        venues lie at the border.
    clusters : sequence of str
        Field that the cluster of each venue is matched with; empty without a match.
    fields : sequence of str
        Field of most of its papers, for each venue.
    accuracy : float
        Share of the papers whose field is that of the cluster of their venue.
    """

    venues: Sequence[str]
    clusters: Sequence[str]
    fields: Sequence[str]
    accuracy: float

    @property
    def misplaced(self) -> list[int]:
        """Places, from 1, of the venues in the cluster of the other field."""
        pairs = zip(self.clusters, self.fields, strict=True)
        return [place for place, (cluster, field) in enumerate(pairs, 1) if cluster != field]

    @property
    def border(self) -> int:
        """Number of venues in the cluster of databases."""
        return sum(cluster == FIELDS[0] for cluster in self.clusters)


def venue_clusters(papers: pd.DataFrame, method: str) -> VenueClusters:
    """Match the clusters of venues with the fields, and put the venues in order.

    Parameters
    ----------
    papers : DataFrame
        Records of `replication.papers.caso.bibliographic.venue_map`, one source.
    method : str
        Column with the cluster of the venue of each paper.

    Returns
    -------
    VenueClusters
    """
    from scipy.optimize import linear_sum_assignment

    counts = _crossed(papers, method)
    rows, columns = linear_sum_assignment(counts.to_numpy(), maximize=True)
    matched = {counts.index[r]: FIELDS[c] for r, c in zip(rows, columns, strict=True)}
    by_venue = _crossed(papers, "venue")
    # of as many papers of both fields, a venue is one of theory, the larger field
    own = (by_venue[FIELDS[0]] <= by_venue[FIELDS[1]]).map({False: FIELDS[0], True: FIELDS[1]})
    cluster = papers.groupby("venue")[method].first().map(lambda label: matched.get(label, ""))
    order = sorted(
        by_venue.index,
        key=lambda venue: (cluster[venue] != FIELDS[0], own[venue] != FIELDS[0], venue),
    )
    hits = papers[method].map(lambda label: matched.get(label, "")) == papers["field"]
    return VenueClusters(
        venues=order,
        clusters=[cluster[venue] for venue in order],
        fields=[own[venue] for venue in order],
        accuracy=float(hits.mean()),
    )


def _crossed(papers: pd.DataFrame, column: str) -> pd.DataFrame:
    """Numbers of papers by the labels of a column and by field."""
    import pandas as pd

    counts = pd.crosstab(papers[column], papers["field"])
    return counts.reindex(columns=list(FIELDS), fill_value=0)
