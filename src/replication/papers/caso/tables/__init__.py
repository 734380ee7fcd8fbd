"""Tables of CASO: one function for each ``kind`` of artefact in ``config/papers/caso.yaml``."""
