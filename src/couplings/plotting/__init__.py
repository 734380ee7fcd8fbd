"""Pictures, drawn with matplotlib (``pip install couplings[plot]``)."""
