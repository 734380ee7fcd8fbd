"""Plugins of pytest that put functions of couplings in the place of a peer's."""

import functools
import json
import os
from collections import Counter
from pathlib import Path

CALLS = Counter()
"""How often the peer's tests called each of our functions."""


def stand_in(module, name, ours, label):
    """Replace a function of a peer; count the calls under the label."""

    @functools.wraps(ours)
    def counted(*args, **keywords):
        CALLS[label] += 1
        return ours(*args, **keywords)

    CALLS[label] = 0
    setattr(module, name, counted)


def pytest_sessionfinish():
    Path(os.environ["PEERS_CALLS"]).write_text(json.dumps(CALLS))
