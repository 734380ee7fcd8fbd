"""CDE of Table 1 on Soybean-small, Zoo and Dermatology under other choices of its algorithm.

The diagonal of Mc, all stopping rules and three starts of k-means: 20 embeddings with five starts
each. A setting fits within two standard errors of a mean of 50 runs.
"""

from itertools import product

import numpy as np
from _search import close, mean_score, printed, report, table

from couplings import CDE
from couplings.cluster.kmeans import kmeans_runs
from couplings.counts import cooccurrence

EMBEDDINGS, RUNS = 20, 5

fitting = {}
for dataset in ("soybean_small", "zoo", "dermatology"):
    objects, classes = table("cde", dataset, "values")
    counts, found = cooccurrence(objects), []
    for diagonal, stop in product((1, 0), ("code", "printed", "printed-text")):
        labels: dict[str, list[np.ndarray]] = {start: [] for start in ("plus", "greedy", "sample")}
        for embedding in range(EMBEDDINGS):
            cde = CDE(mc_diag=diagonal, stop=stop, random_state=embedding).fit(counts)
            rows = cde.compact(objects)
            for start, own in labels.items():
                seeds = [np.random.default_rng((embedding, run)) for run in range(RUNS)]
                own += list(kmeans_runs(rows, len(set(classes)), seeds, init=start).labels)
        for start, own in labels.items():
            setting = f"diagonal {diagonal}, stop {stop}, start {start}"
            found.append((setting, mean_score("macro_f1", "fscore", classes, own)))
    fitting[dataset] = report(dataset, printed("cde", dataset, "cde", "fscore"), found)
close(fitting)
