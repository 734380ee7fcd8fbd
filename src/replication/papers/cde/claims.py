"""Claims of CDE, each with its test on the tables, tests and experiments of the run."""

from __future__ import annotations

from replication.judge.claims import ClaimBook
from replication.papers.cde.claims_experiments import EXPERIMENTS
from replication.papers.cde.claims_theory import THEORY
from replication.papers.cde.claims_times import TIMES

CLAIMS = ClaimBook.of(EXPERIMENTS, THEORY, TIMES)
