"""What the tables of CDE have in common: the legend of marks, parts of the chance."""

from __future__ import annotations

from replication.judge.cells import legend_of_marks
from replication.papers.cde.runs import Runs

MARK_LEGEND = legend_of_marks(
    "no farther apart than two standard errors of the difference of two means, or inside the range "
    "that chance leaves"
)


def sources_of_chance(runs: Runs | None) -> dict[str, float]:
    """Standard deviations over embeddings and over starts, if there are runs."""
    if runs is None:
        return {}
    return {"embedding_sd": runs.embedding_sd, "start_sd": runs.start_sd}
