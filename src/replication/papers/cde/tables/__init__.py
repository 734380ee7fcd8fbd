"""Tables of CDE: one function per kind of artefact in ``config/papers/cde.yaml``."""
