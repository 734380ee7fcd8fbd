"""Ward's method under fastcluster's name; its other methods stay its own."""

import fastcluster
import numpy as np

from adapters import stand_in
from couplings import CouplingsError
from couplings.cluster.ward import ward_linkage

np.random.seed(1)  # noqa: NPY002 (fastcluster's tests draw their seed from this generator)
THEIRS = fastcluster.linkage


def ward(distances):
    try:
        return ward_linkage(np.asarray(distances, dtype=float), recurrence="D2")
    except CouplingsError as refusal:
        raise FloatingPointError(str(refusal)) from refusal


stand_in(fastcluster, "_ward", ward, "cluster.ward_linkage")


def linkage(distances, method="single", *args, **keywords):
    if method == "ward":
        return fastcluster._ward(distances)
    return THEIRS(distances, method, *args, **keywords)


fastcluster.linkage = linkage
