"""Tables of DILCA: one function for each ``kind`` of artefact in ``config/papers/dilca.yaml``."""
