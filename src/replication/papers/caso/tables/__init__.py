"""Tables of CASO, a function per kind of artefact in ``config/papers/caso.yaml``."""
