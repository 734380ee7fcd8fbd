"""Kinds of tables in ``config/papers/cde.yaml``: from records to sheets with their verdicts."""

from __future__ import annotations

from replication.papers.cde.tables_costs import cost as cost
from replication.papers.cde.tables_costs import times as times
from replication.papers.cde.tables_scores import embeddings as embeddings
from replication.papers.cde.tables_scores import similarities as similarities
from replication.papers.cde.tables_scores import spread as spread
from replication.papers.cde.tables_settings import bandwidths as bandwidths
from replication.papers.cde.tables_settings import common_settings as common_settings
from replication.papers.cde.tables_sweeps import alpha as alpha
from replication.papers.cde.tables_sweeps import beta as beta
from replication.papers.cde.tables_text import statements as statements
from replication.papers.cde.tables_theory import pipeline as pipeline
from replication.papers.cde.tables_theory import theorem as theorem
