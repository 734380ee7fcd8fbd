"""Kinds of tables in ``config/papers/study.yaml``: from records to sheets.

The unit of every test is the data set; the score of a cell is that of the start which the method
itself finds best, or the mean over fits or row orders. Nothing is
chosen with labels but the number of clusters, which is the number of classes for everybody. What
is chosen with them is a row or column of its own, marked *oracle*.
"""
