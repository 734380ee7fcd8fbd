"""Sizes of the classes with which the printed scores of DILCA on SynA can come about.

The paper says that its generator uses a Gaussian distribution; DatGen has one for the sizes of the
classes only (-r2). Both variants are printed with purity .992, NMI .9790 and ARI .9803. The
program counts the tables of classes and clusters that have these NMI and ARI, among all in which
eight of the 1000 objects are outside the cluster of their class.
"""

from itertools import combinations, permutations

import numpy as np
from _search import printed

from replication.data.datgen import rule_based
from replication.judge.verdicts import equals_printed, printed_number

N, CLASSES, OUTSIDE = 1000, 5, 8
DRAWN = 20
"""Tables of which the sizes of the classes are taken."""
LOG = np.concatenate([[0.0], np.arange(1, N + 1) * np.log(np.arange(1, N + 1))])
PAIRS = np.arange(N + 1) * np.arange(-1, N) / 2
WANTED = [*map(printed_number, printed("dilca", "syn_a", "dilca_rr", "nmi", "ari").values())]


def cells_outside() -> np.ndarray:
    """All ways in which the objects are outside: table, class, cluster."""
    pairs = np.array([*permutations(range(CLASSES), 2)])
    # bars between the cells of a row of stars
    bars = np.array([*combinations(range(OUTSIDE + len(pairs) - 1), len(pairs) - 1)])
    ends = np.full((len(bars), 1), OUTSIDE + len(pairs) - 1)
    found = np.zeros((len(bars), CLASSES, CLASSES), dtype=np.int64)
    found[:, *pairs.T] = np.diff(np.hstack([np.full_like(ends, -1), bars, ends])) - 1
    return found


AWAY = cells_outside()


def fitting(sizes: np.ndarray) -> int:
    """Number of tables with the printed NMI and ARI, by the sizes of the classes."""
    own = sizes - AWAY.sum(axis=2)
    clusters = own + AWAY.sum(axis=1)
    entropies = (np.log(N) - LOG[one].sum(axis=-1) / N for one in (sizes, clusters))
    of_classes, of_clusters = entropies
    joint = np.log(N) - (LOG[own].sum(axis=1) + LOG[AWAY].sum(axis=(1, 2))) / N
    nmi = (of_classes + of_clusters - joint) / np.sqrt(of_classes * of_clusters)
    pairs, both = PAIRS[own].sum(axis=1) + PAIRS[AWAY].sum(axis=(1, 2)), PAIRS[sizes].sum()
    chance = both * PAIRS[clusters].sum(axis=1) / PAIRS[N]
    ari = (pairs - chance) / ((both + PAIRS[clusters].sum(axis=1)) / 2 - chance)
    gaps = [np.abs(one - float(text.value)) for one, text in zip((nmi, ari), WANTED, strict=True)]
    near = np.maximum(*gaps) < 2e-4
    return sum(
        all(map(equals_printed, WANTED, found))
        for found in zip(nmi[near].tolist(), ari[near].tolist(), strict=True)
    )


print(f"{len(AWAY):,} tables with {OUTSIDE} objects outside the clusters of their classes")
equal = np.full(CLASSES, N // CLASSES)
print(f"classes of equal size: {fitting(equal)} have the printed NMI and ARI")
setting = {"sizes": "half-normal", "terms": [1, 3], "errors": 0.0}
met = 0
for trial in range(DRAWN):
    _, classes = rule_based(N, 50, 20, CLASSES, setting).first(np.random.default_rng(trial))
    met += fitting(np.bincount(classes, minlength=CLASSES + 1)[1:])
print(f"half-normal sizes of {DRAWN} generated tables: {met} have them")
