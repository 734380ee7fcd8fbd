"""Labels of the worked table from each of its fifteen starts, as released programs give them."""

import numpy as np
import pytest
from rivals_toy import TOY

from replication.papers.disc.method import DISC
from replication.papers.study.rivals.coforest import COForest
from replication.papers.study.rivals.mismatches import MismatchKModes
from replication.papers.study.rivals.ndw import HDNDW

# start: k-modes, DISC released, DISC literal, COForest, HD-NDW, each with its outer rounds
_SAME = "111221 111221/1 111221/1 111221/1"
STARTS = {
    (1, 2): "121211 121211/1 121211/1 121211/1 111222/2",
    (1, 3): f"{_SAME} 112221/2",
    **dict.fromkeys([(1, 4), (1, 5), (2, 4), (2, 5), (3, 4)], f"{_SAME} 111221/2"),
    **dict.fromkeys([(1, 6), (4, 5)], f"{_SAME} 111122/2"),
    (2, 3): "112121 112221/2 112221/2 112221/2 212121/2",
    (2, 6): f"{_SAME} 111112/2",
    (3, 5): f"{_SAME} 111222/2",
    (3, 6): "111112 111112/1 111112/1 111112/1 111112/2",
    (4, 6): "211112 221112/2 211112/1 221112/2 221112/2",
    (5, 6): "221112 221112/1 221112/1 221112/1 221112/2",
}
METHODS = {
    "k-modes": (0, MismatchKModes()),
    "DISC released": (1, DISC(reading="released")),
    "DISC repaired": (1, DISC()),
    "DISC literal": (2, DISC(reading="literal")),
    "COForest repaired": (3, COForest()),
    "COForest released": (3, COForest(reading="released")),
    "HD-NDW repaired": (4, HDNDW()),
    "HD-NDW released": (4, HDNDW(reading="released")),
}


@pytest.mark.parametrize("name", METHODS)
def test_final_labels_and_rounds_of_all_starts(name):
    column, method = METHODS[name]
    assert len(STARTS) == 15
    for start, expected in STARTS.items():
        found = method.set_params(init=np.array(start) - 1).fit(TOY)
        labels = "".join(str(c + 1) for c in found.labels_)
        said = labels if column == 0 else f"{labels}/{found.n_iter_}"
        assert said == expected.split()[column], start
