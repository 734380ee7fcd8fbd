"""mADD and the mixture on Echo, Table 6 of coupledMC: scales of the numbers, and more starts.

Of several starts a run keeps the one of least objective, or of largest likelihood; 100 runs each.
A setting fits within two standard errors of a mean of 50 runs.
"""

from collections.abc import Iterator
from itertools import product

from _search import Found, close, mean_score, printed, report, table

from couplings import MultinomialGaussianMixture
from couplings.cluster import AhmadDeyKMeans

RUNS = 100
objects, classes = table("coupledmc", "echo", "mixed")
CLASSES = len(set(classes))


def runs(algorithm: type, **parameters: object) -> dict[str, float]:
    """Mean accuracy of the runs."""
    made = (algorithm(CLASSES, random_state=run, **parameters) for run in range(RUNS))
    labels = [one.fit(objects).labels_ for one in made]
    return mean_score("accuracy", "accuracy", classes, labels)


def madd() -> Iterator[Found]:
    """Settings of mADD."""
    for scale, bins, starts in product(("minmax", "z", "raw"), (5, 10), (1, 3)):
        one = runs(AhmadDeyKMeans, scale=scale, bins=bins, n_init=starts)
        yield f"{scale}, {bins} bins, {starts} starts", one


def mixture() -> Iterator[Found]:
    """Settings of the mixture."""
    for ridge, count, starts in product((0.001, 0.01), (0.1, 1.0), (1, 2, 5, 10)):
        one = runs(MultinomialGaussianMixture, ridge=ridge, pseudo_count=count, n_init=starts)
        yield f"ridge {ridge}, pseudo-count {count}, {starts} starts", one


texts = {name: printed("coupledmc", "echo", name, "accuracy") for name in ("madd", "mixture")}
found = {"madd": madd(), "mixture": mixture()}
close({name: report(f"{name} on echo", texts[name], found[name]) for name in texts})
