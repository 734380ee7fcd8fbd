"""Stored partitions claim nothing in words."""

from replication.judge.claims import ClaimBook

CLAIMS = ClaimBook()
