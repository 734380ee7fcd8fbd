"""Claims of CASO, each with its test on the tables, tests and experiments of the run."""

from __future__ import annotations

from replication.judge.claims import ClaimBook
from replication.papers.caso.claims_bibliographic import BIBLIOGRAPHIC
from replication.papers.caso.claims_experiments import EXPERIMENTS
from replication.papers.caso.claims_theory import THEORY
from replication.papers.caso.claims_times import TIMES

CLAIMS = ClaimBook.of(BIBLIOGRAPHIC, EXPERIMENTS, THEORY, TIMES)
