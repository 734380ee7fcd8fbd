"""Tables and figures, and the roll-up of all verdicts."""
