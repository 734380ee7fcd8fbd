"""Claims of DILCA, each with its test on the tables, tests and experiments of the run."""

from __future__ import annotations

from replication.judge.claims import ClaimBook
from replication.papers.dilca.claims_comparisons import COMPARISONS
from replication.papers.dilca.claims_numbers import NUMBERS
from replication.papers.dilca.claims_settings import SETTINGS
from replication.papers.dilca.claims_theory import THEORY
from replication.papers.dilca.claims_times import TIMES

CLAIMS = ClaimBook.of(COMPARISONS, NUMBERS, SETTINGS, THEORY, TIMES)
