"""coupledMC: Wang, Chi, Zhou and Wong, AAAI 2015."""

PREPARATION = "mixed"
"""Preparation of all experiments except the worked example."""
