"""Tables of the study: one function per kind of artefact in ``config/papers/study.yaml``.

The unit of every test is the data set; the score of a cell is its mean over replicates. Labels set
the number of clusters, which is the number of classes for every method, and nothing else.
"""
