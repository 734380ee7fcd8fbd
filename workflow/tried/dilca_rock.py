"""ROCK of DILCA by any similarity that grows with the number of equal attributes.

Jaccard, simple matching and all others of the kind, above theta or at least theta, make neighbours
of objects that agree in so many attributes. Every such number is taken, with nine exponents,
objects as their own neighbours or not, clusters named by their first or last objects (the order
of ties), leftovers kept, merged or dropped, and missing cells as the mode or a value.
"""

from itertools import product

import numpy as np
from _search import Found, anew, close, dilca_scores, printed, report

from couplings import CategoricalTable, Rock
from couplings.cluster.neighbours import NeighbourGraph

THETAS = (0.0, 0.1, 0.2, 0.25, 0.3, 0.4, 0.6, 0.8, 1.0)
LEFTOVERS = ("keep", "merge", "outlier")


def graphs(table: CategoricalTable) -> dict[str, NeighbourGraph]:
    """Graphs of neighbours by the least number of equal attributes."""
    codes, m = table.codes, table.n_attributes
    equal = np.sum([column[:, None] == column for column in codes.T], axis=0)
    found = {}
    for least in range(1, m + 1):
        graph = NeighbourGraph.from_similarity((equal >= least).astype(float), 1.0)
        own = graph.words.copy()
        objects = np.arange(len(codes))
        own[objects, objects // 64] |= np.uint64(1) << (objects % 64).astype(np.uint64)
        found[f"{least} of {m} equal"] = graph
        found[f"{least} of {m} equal, own neighbours"] = NeighbourGraph(own, graph.similarity)
    return found


def settings(dataset: str) -> list[Found]:
    """Partitions of a data set under all settings, equal ones once."""
    found = {}
    for missing in ("impute", "value"):
        table, classes = anew("dilca", dataset, "bins10_stripped", missing=missing)
        for name, graph in graphs(table).items():
            graph.keep_links()
            linked = graph.component.max() + 1 < (k := len(set(classes)))
            # without leftovers their treatment decides nothing; with them the exponent does not
            thetas, kept = (THETAS, LEFTOVERS[:1]) if linked else (THETAS[:1], LEFTOVERS)
            for theta, naming, label in product(thetas, ("first", "last"), kept):
                rock = Rock(n_clusters=k, theta=theta, naming=naming, label=label)
                labels = rock.fit(graph).labels_
                rows = labels >= 0
                setting = f"{name}, missing: {missing}, exponent of {theta:g}, {naming}, {label}"
                content = labels.tobytes()
                if content not in found:
                    found[content] = setting, dilca_scores(classes[rows], labels[rows])
    return list(found.values())


fitting = {}
for dataset in ("audiology", "vote", "soybean", "dermatology", "balloons", "breast_cancer"):
    texts = printed("dilca", dataset, "rock", "nmi", "ari")
    fitting[dataset] = report(dataset, texts, settings(dataset))
close(fitting)
