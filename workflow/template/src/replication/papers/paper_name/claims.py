"""Claims of the paper, each with its test on the tables and experiments of the run."""

from __future__ import annotations

from replication.judge.claims import ClaimBook, Evidence, Outcome, cases

CLAIMS = ClaimBook()


@CLAIMS.about("paper_name-01")
def better_than_half(evidence: Evidence) -> Outcome:
    """More than half of the objects of every data set are in the cluster of their class."""
    table = evidence.table("table01").dropna(subset="reproduced")
    ours, printed = table["reproduced"], table["printed"].astype(float)
    found = cases(
        table["dataset"], ours > 0.5, ours=ours, printed=printed, print_holds=printed > 0.5
    )
    return Outcome(found, "table01")
