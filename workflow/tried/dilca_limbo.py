"""LIMBO of DILCA: accuracies, branches of the tree, codings, missing cells and row orders.

phi from 0 to 1 in five steps; trees of 2 to 100 branches; ten bins, MDL and plain numbers; missing
cells as the mode or a value; the order of the file and its reverse. On Soybean fewer clusters too.
"""

from itertools import product

from _search import anew, close, dilca_scores, printed, report

from couplings import Limbo

SETS = ("soybean", "hepatitis", "car", "vote", "audiology", "dermatology")
SETS += ("post_operative", "breast_cancer", "balloons")
TREES = [(0.0, 4), *product((0.25, 0.5, 0.75, 1.0), (2, 3, 4, 5, 10, 20, 100))]

fitting = {}
for dataset in SETS:
    found, seen = [], set()
    for missing, way in product(("impute", "value"), ("bins10", "mdl", "plain")):
        changed = {"numeric": []} if way == "plain" else {}
        preparation = "bins10" if way == "plain" else way
        table, classes = anew("dilca", dataset, preparation, missing=missing, **changed)
        if (content := table.codes.tobytes()) in seen:
            continue
        seen.add(content)
        k = len(set(classes))
        for backwards, (phi, branching) in product((False, True), TREES):
            rows, labels = (
                (table.codes[::-1], classes[::-1]) if backwards else (table.codes, classes)
            )
            for clusters in (k, *(range(10, k) if dataset == "soybean" and phi == 1 else ())):
                limbo = Limbo(n_clusters=clusters, phi=phi, branching=branching).fit(rows)
                order = "reversed" if backwards else "file"
                setting = f"{way}, missing: {missing}, {order} order, phi {phi:g}, B {branching}"
                found.append((f"{setting}, k {clusters}", dilca_scores(labels, limbo.labels_)))
    fitting[dataset] = report(dataset, printed("dilca", dataset, "limbo", "nmi", "ari"), found)
close(fitting)
