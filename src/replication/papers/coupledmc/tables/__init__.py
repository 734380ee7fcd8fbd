"""Tables of coupledMC: one function per kind of artefact in ``config/papers/coupledmc.yaml``."""
