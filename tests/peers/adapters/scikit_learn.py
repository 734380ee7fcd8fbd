"""Adjusted Rand index, NMI and mutual information under scikit-learn's names."""

import sklearn.metrics.cluster as public
from sklearn.metrics.cluster._supervised import check_clusterings

from adapters import stand_in
from couplings.metrics import external

AVERAGES = {"geometric": "sqrt", "arithmetic": "arithmetic", "max": "max", "min": "min"}


def adjusted_rand(labels_true, labels_pred):
    return external.adjusted_rand(*check_clusterings(labels_true, labels_pred))


def nmi(labels_true, labels_pred, *, average_method="arithmetic"):
    labels = check_clusterings(labels_true, labels_pred)
    return external.nmi(*labels, average=AVERAGES[average_method])


def mutual_information(labels_true, labels_pred, *, contingency=None):
    if contingency is None:
        return external.mutual_information(*check_clusterings(labels_true, labels_pred))
    dense = contingency.toarray() if hasattr(contingency, "toarray") else contingency
    return external.mutual_information(dense)


stand_in(public, "adjusted_rand_score", adjusted_rand, "metrics.adjusted_rand")
stand_in(public, "normalized_mutual_info_score", nmi, "metrics.nmi")
stand_in(public, "mutual_info_score", mutual_information, "metrics.mutual_information")
