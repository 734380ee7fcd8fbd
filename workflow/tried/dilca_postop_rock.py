"""Tables of ROCK on Post-operative that have the printed NMI and ARI.

All tables of two to five clusters, with three or four classes, in which one cluster holds at least
80 of the 90 objects and the printed purity, 82 of 90, is the inverse one.
"""

from collections.abc import Iterator
from itertools import product

import numpy as np
from _search import close, dilca_scores, printed, report, table

Cluster = tuple[int, ...]
INVERSE_PURITY, SMALL, PARTS = 82, 10, 4


def sets(clusters: list[Cluster], room: int, parts: int) -> Iterator[tuple[Cluster, ...]]:
    """Sets of up to `parts` clusters, given in order, that hold up to `room` objects in all."""
    yield ()
    for i, one in enumerate(clusters if parts else []):
        if sum(one) <= room:
            for more in sets(clusters[i:], room - sum(one), parts - 1):
                yield one, *more


fitting = {}
for preparation in ("bins10_stripped", "bins10"):
    _, classes = table("dilca", "post_operative", preparation)
    sizes = np.bincount(classes)
    ranges = [range(min(SMALL, size) + 1) for size in sizes]
    clusters = [one for one in product(*ranges) if 0 < sum(one) <= SMALL]
    found = []
    for small in sets(clusters, SMALL, PARTS):
        rest = sizes - np.sum(small, axis=0, dtype=int)
        counts = np.array([rest, *small])
        if small and (rest >= 0).all() and counts.max(axis=0).sum() == INVERSE_PURITY:
            labels = np.concatenate([np.repeat(np.arange(len(counts)), c) for c in counts.T])
            setting = "; ".join(" ".join(map(str, row)) for row in counts)
            found.append((setting, dilca_scores(np.sort(classes), labels)))
    texts = printed("dilca", "post_operative", "rock", "nmi", "ari")
    place = f"{len(sizes)} classes"
    fitting[place] = report(place, texts, found)
close(fitting)
