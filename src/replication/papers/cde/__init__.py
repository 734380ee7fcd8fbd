"""CDE: Jian, Cao, Pang, Lu and Gao, IJCAI 2017."""

PREPARATION = "values"
"""Preparation of all experiments, without numeric and constant attributes."""
