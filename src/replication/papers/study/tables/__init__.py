"""Kinds of tables in ``config/papers/study.yaml``: from records to sheets.

The unit of every test is the data set; the score of a cell is its mean over replicates. Nothing is
chosen with labels but the number of clusters, which is the number of classes for everybody.
"""
