"""Tables of coupledMC: one function per kind of artefact in ``config/papers/coupledmc.yaml``."""

from replication.judge.cells import legend_of_marks

AVERAGE = "average"
MARK_LEGEND = legend_of_marks()
VERDICT = ("reading", "oracle", "setting", "printed", "reproduced", "sd")
SPREAD = ("spread_min", "spread_max", "samples", "verdict", "difference", "reason")
BASE = "z-scores before the powers have the highest average accuracy here: uses class labels"
"""Line for every table with the coupled representation of the reconciled reading."""
