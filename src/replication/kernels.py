"""Step `kernels`: compile the kernels that a run needs, as the last part of the set-up.

Jobs that come upon a kernel at the same time would each compile it. A kernel that is missing here
is compiled where it is first called.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from typing import Any

PROCESSES = 2
"""Processes that share the work: more would compile what the pieces have in common more often."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the step: none."""


def run(args: argparse.Namespace) -> int:
    """Run the step."""
    with ProcessPoolExecutor(PROCESSES) as pool:
        list(pool.map(_compile, range(PROCESSES)))
    return 0


def _compile(part: int) -> None:
    for work in list(works())[part::PROCESSES]:
        work()


def works() -> Iterator[Callable[[], object]]:
    """Small pieces of work, which together call the kernels with the types that a run has.

    Pieces that share much are `PROCESSES` apart, and so in one process.
    """
    import numpy as np
    import pandas as pd

    import couplings as library
    from couplings import CategoricalTable, cooccurrence, measure_from
    from couplings._kernels import scaled
    from couplings.cluster.climbo import climbo_labels
    from couplings.cluster.ward_ties import ward_settled

    rng = np.random.default_rng(0)
    codes = rng.integers(0, 4, (60, 6))
    table = CategoricalTable.from_codes(codes, [4] * 6)
    frame = pd.DataFrame(rng.random((60, 2)), columns=["x", "y"])
    frame["a"], frame["b"] = codes[:, 0].astype(str), codes[:, 1].astype(str)
    mixed = library.MixedTable.from_pandas(frame)

    def fits(data: object, *estimators: Any) -> Callable[[], object]:
        return lambda: [one.fit(data) for one in estimators]

    def measures() -> None:
        cooccurrence(CategoricalTable.from_codes(rng.integers(0, 4, (20_000, 6)), [4] * 6))
        for name in library.measure_names():
            if name != "coupled_mixed":
                measure_from(name).fit(cooccurrence(table)).space_.pairwise(table)

    def ties() -> None:
        distances = measure_from("simple_matching").fit(cooccurrence(table)).space_.condensed(table)
        ward_settled(distances, np.arange(60) % 3)

    def widths() -> None:
        cde = library.CDE(random_state=0).fit(table)
        for rule in ("mean", "median"):
            cde.bandwidth(table, rule)

    once = {"n_init": 1, "random_state": 0}
    yield measures
    yield fits(table, library.Limbo(3, phi=0.0), library.Limbo(3, phi=1.0))
    yield fits(table, library.Ward(3, measure="jaccard"))
    yield lambda: climbo_labels(cooccurrence(table), 0, 2)
    yield ties
    yield fits(table, library.DensityPeaks(3, halo=True))
    yield fits(
        table,
        library.CategoricalSpectral(3, affinity="one-minus", random_state=0, n_init=2),
        library.CategoricalSpectral(3, affinity="exp-mean", random_state=0, n_init=2),
    )
    yield fits(
        table,
        library.KModes(3, update="frequency", **once),
        library.KModes(3, update="online", **once),
    )
    yield lambda: library.CoupledMixed().fit_transform(mixed)
    yield fits(
        mixed,
        library.KPrototypes(3, **once),
        library.AhmadDeyKMeans(3, **once),
        library.MultinomialGaussianMixture(3, **once),
    )
    yield lambda: library.Rock(2, theta=0.2).fit(table).merges_  # merged when it is asked for
    yield widths
    # the spectral clustering of many objects
    yield lambda: scaled.product(np.eye(8), np.ones(8), np.ones(8))
