"""Claims of the paper, each with its test on the tables and experiments of the run."""

from __future__ import annotations

from replication.judge.claims import ClaimBook, Evidence, Finding, count

CLAIMS = ClaimBook()


@CLAIMS.about("paper_name-01")
def better_than_half(evidence: Evidence) -> Finding:
    """More than half of the objects of every data set are in the cluster of their class."""
    table = evidence.table("table01").dropna(subset="reproduced")
    held = count(table["reproduced"] > 0.5)
    return Finding(
        ours=held,
        printed=count(table["printed"].astype(float) > 0.5),
        evidence=f"{held} data sets; the least accuracy is {table['reproduced'].min():.2f}",
        artefact="table01",
    )
