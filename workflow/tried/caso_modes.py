"""Gain of CADO over ADD in k-modes, Table XI of CASO, under other modes, starts and h1, h2.

The most frequent and the minimising value as mode; starts from any and from distinct rows; three
pairs of h1 and h2. 100 starts each, the same for both dissimilarities.
"""

from itertools import product
from typing import Any

import numpy as np
from _search import Found, close, mean_score, printed, report, table

from couplings import AhmadDey, Cado
from couplings.cluster.kmodes import kmodes

CELLS = {
    "zoo": ("AC_improvement_max", "accuracy"),
    "soybean_small": ("NMI_improvement_min", "nmi_max"),
    "breastcancer": ("NMI_improvement_max", "nmi_max"),
}
PAIRS = (("inverse-1", "complement"), ("complement", "complement"), ("inverse-1", "inverse-1"))
STARTS = 100


def clustered(objects: Any, measure: Any, starts: np.ndarray, update: str) -> np.ndarray:
    """Labels of k-modes from the starts."""
    return kmodes(objects, measure.fit(objects).value_matrices_, starts, update).labels


def settings(dataset: str, metric: str, name: str) -> list[Found]:
    """Relative gains of the mean scores."""
    objects, classes = table("caso", dataset, "plain")
    k, found = len(set(classes)), []
    pools = {"any": np.arange(len(classes))}
    pools["distinct"] = np.unique(objects.codes, axis=0, return_index=True)[1]
    for (rows, pool), update in product(pools.items(), ("frequency", "minimiser")):
        draws = [np.random.default_rng(seed) for seed in range(STARTS)]
        how = np.array([rng.choice(pool, k, replace=False) for rng in draws]), update
        base = mean_score(name, metric, classes, clustered(objects, AhmadDey(), *how))[metric]
        for h1, h2 in PAIRS:
            runs = clustered(objects, Cado(h1=h1, h2=h2), *how)
            gain = mean_score(name, metric, classes, runs)[metric] / base - 1
            found.append((f"start of {rows} rows, mode {update}, h1 {h1}, h2 {h2}", {metric: gain}))
    return found


fitting = {}
for dataset, (metric, name) in CELLS.items():
    texts = printed("caso", dataset, "km_cado_vs_add", metric)
    fitting[dataset] = report(dataset, texts, settings(dataset, metric, name))
close(fitting)
