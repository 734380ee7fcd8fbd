"""CDE: Jian, Cao, Pang, Lu and Gao, IJCAI 2017."""

PREPARATION = "values"
"""Numbers and constant attributes are left out."""
