"""JACCARD of DILCA on Audiology in the order of the file and in 200 random row orders.

Ties decide most merges, so that every order gives another partition.
"""

import numpy as np
from _search import close, dilca_scores, printed, report, table, ward

from couplings import Jaccard

objects, classes = table("dilca", "audiology", "bins10")
found = []
for order in range(201):
    rng = np.random.default_rng(order)
    rows = rng.permutation(len(classes)) if order else np.arange(len(classes))
    labels = ward(Jaccard(), objects.take(rows), len(set(classes)))
    found.append((f"order {order or 'of the file'}", dilca_scores(classes[rows], labels)))
texts = printed("dilca", "audiology", "jaccard", "nmi", "ari")
count = report("audiology", texts, found)
print(f"Pairs of NMI and ARI in {len(found)} orders: {len({str(one) for _, one in found})}.")
close({"audiology": count})
