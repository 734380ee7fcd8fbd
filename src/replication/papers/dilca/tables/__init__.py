"""Tables of DILCA, one function per kind of artefact in ``config/papers/dilca.yaml``."""
