"""coupledMC: Wang, Chi, Zhou and Wong, AAAI 2015."""
