"""Claims of the stored partitions: there are none."""

from replication.judge.claims import ClaimBook

CLAIMS = ClaimBook()
