"""Kinds of tables in ``config/papers/study.yaml``: from records to sheets.

The unit of every test is the data set; the score of a cell is that of the start which the method
itself finds best, or the mean over fits or row orders. Nothing is
chosen with labels but the number of clusters, which is the number of classes for everybody. What
is chosen with them is a row or column of its own, marked *oracle*.
"""

from __future__ import annotations

from replication.papers.study.tables_advice import answer as answer
from replication.papers.study.tables_costs import cost as cost
from replication.papers.study.tables_costs import treatment as treatment
from replication.papers.study.tables_data import data as data
from replication.papers.study.tables_data import evidence as evidence
from replication.papers.study.tables_data import left_out as left_out
from replication.papers.study.tables_kinds import agreement as agreement
from replication.papers.study.tables_kinds import heatmap as heatmap
from replication.papers.study.tables_kinds import indices as indices
from replication.papers.study.tables_kinds import kinds as kinds
from replication.papers.study.tables_kinds import moderators as moderators
from replication.papers.study.tables_leaderboard import leaderboard as leaderboard
from replication.papers.study.tables_pairs import anchors as anchors
from replication.papers.study.tables_pairs import duels as duels
from replication.papers.study.tables_pairs import pairwise as pairwise
from replication.papers.study.tables_ranks import algorithms as algorithms
from replication.papers.study.tables_ranks import overview as overview
from replication.papers.study.tables_ranks import ranks as ranks
