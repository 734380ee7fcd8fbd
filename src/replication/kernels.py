"""Step `kernels`: compile the kernels of the papers, beside the first steps of a run.

Jobs that need the same kernel at the same time would each compile it. A kernel that is missing here
is compiled on its first call.
"""

from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import Any

PROCESSES = 2
"""Number of processes; with more, kernels that several pieces need would be compiled more often."""


def run() -> None:
    """Run the step."""
    with ProcessPoolExecutor(PROCESSES) as pool:
        list(pool.map(_compile, range(PROCESSES)))


def _compile(part: int) -> None:
    from couplings._kernels.threads import both_kinds

    # The small tables here need no threads, those of a run do.
    with both_kinds():
        for work in works()[part::PROCESSES]:
            work()


def works() -> list[Callable[[], object]]:
    """Return small pieces of work that together call the kernels with the types of a run.

    Pieces with kernels in common are `PROCESSES` apart, and so in one process.
    """
    import numpy as np
    import pandas as pd

    import couplings as library
    from couplings import CategoricalTable, cooccurrence, measure_from
    from couplings._kernels import scaled
    from couplings.cluster import AhmadDeyKMeans, Climbo
    from couplings.cluster.ward_ties import ward_settled

    rng = np.random.default_rng(0)
    codes = rng.integers(0, 4, (60, 6))
    table, many = (
        CategoricalTable.from_codes(one, [4] * 6)
        for one in (codes, rng.integers(0, 4, (20_000, 6)))
    )
    counts = cooccurrence(table)
    once: dict[str, Any] = {"n_init": 1, "random_state": 0}
    frame = pd.DataFrame(rng.random((60, 2)), columns=["x", "y"])
    mixed = library.MixedTable.from_pandas(
        frame.assign(a=codes[:, 0].astype(str), b=codes[:, 1].astype(str))
    )

    def space(name: str) -> Any:
        return measure_from(name).fit(counts).space_

    names = [name for name in library.measure_names() if name != "coupled_mixed"]
    cde = library.CDE(random_state=0)
    return [
        lambda: [cooccurrence(many), *(space(name).pairwise(table) for name in names)],
        lambda: [library.Limbo(3, phi=phi).fit(table) for phi in (0.0, 1.0)],
        partial(library.Ward(3, measure="jaccard").fit, table),
        partial(Climbo(2).fit, table),
        lambda: ward_settled(space("simple_matching").condensed(table), np.arange(60) % 3),
        partial(library.DensityPeaks(3, halo=True).fit, many),
        lambda: [
            library.CategoricalSpectral(3, affinity=name, random_state=0, n_init=2).fit(table)
            for name in ("one-minus", "exp-mean")
        ],
        lambda: [library.KModes(3, **once).fit(data) for data in (table, many)],
        partial(library.CoupledMixed().fit_transform, mixed),
        lambda: [
            clustering(3, **once).fit(mixed)
            for clustering in (
                library.KPrototypes,
                AhmadDeyKMeans,
                library.MultinomialGaussianMixture,
            )
        ],
        lambda: library.Rock(2, theta=0.2).fit(table).merges_,  # merged when it is asked for
        lambda: [cde.fit(table).bandwidth(table, rule) for rule in ("mean", "median")],
        # the spectral clustering of many objects
        lambda: scaled.product(np.eye(8), np.ones(8), np.ones(8)),
    ]
