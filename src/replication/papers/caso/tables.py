"""Kinds of tables in ``config/papers/caso.yaml``: from records to sheets with their verdicts."""

from __future__ import annotations

from replication.papers.caso.tables_bibliographic import (
    bibliographic_clusters as bibliographic_clusters,
)
from replication.papers.caso.tables_bibliographic import bibliographic_map as bibliographic_map
from replication.papers.caso.tables_clustering import partition_quality as partition_quality
from replication.papers.caso.tables_clustering import rock_quality as rock_quality
from replication.papers.caso.tables_clustering import significance as significance
from replication.papers.caso.tables_clustering import theta_curve as theta_curve
from replication.papers.caso.tables_examples import abbreviations as abbreviations
from replication.papers.caso.tables_examples import framework as framework
from replication.papers.caso.tables_examples import input_table as input_table
from replication.papers.caso.tables_examples import notation as notation
from replication.papers.caso.tables_examples import relative_steps as relative_steps
from replication.papers.caso.tables_structure import rare_values as rare_values
from replication.papers.caso.tables_structure import structure_indices as structure_indices
from replication.papers.caso.tables_text import stated_numbers as stated_numbers
from replication.papers.caso.tables_theory import complexity as complexity
from replication.papers.caso.tables_theory import evaluation_counts as evaluation_counts
from replication.papers.caso.tables_theory import theory as theory
