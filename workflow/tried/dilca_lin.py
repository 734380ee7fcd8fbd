"""LIN of DILCA on Audiology and Soybean.

Similarities of objects and of values, sums of the latter, Lin1 and Anderberg for it; missing cells
as the mode or as a value of their own; both updates of Ward, each in two orders of ties.
"""

from itertools import product

from _search import anew, close, dilca_scores, printed, report, ward

from couplings import Lin, Lin1
from couplings.measures import Anderberg

MEASURES = {
    "LIN of objects": Lin(),
    "LIN of values": Lin(link="value"),
    "LIN1": Lin1(),
    "ANDERBERG": Anderberg(),
}
fitting = {}
for dataset in ("audiology", "soybean"):
    found = []
    for missing in ("impute", "value"):
        table, classes = anew("dilca", dataset, "bins10", missing=missing)
        k = len(set(classes))
        for name, recurrence, ties in product(MEASURES, ("D", "D2"), ("R", "chain")):
            labels = ward(MEASURES[name], table, k, recurrence=recurrence, ties=ties)
            setting = f"{name}, missing: {missing}, Ward on {recurrence}, ties {ties}"
            found.append((setting, dilca_scores(classes, labels)))
    fitting[dataset] = report(dataset, printed("dilca", dataset, "lin", "nmi", "ari"), found)
close(fitting)
