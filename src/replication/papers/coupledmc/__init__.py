"""coupledMC: Wang, Chi, Zhou and Wong, AAAI 2015."""

PREPARATION = "mixed"
"""Of all experiments but the worked example."""
