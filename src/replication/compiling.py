"""The kernels that a run needs, compiled before any job asks for one.

Compiled in each job that comes upon them, several at a time, kernels take twice the processor time:
every process readies the compiler for itself, and two that need the same kernel both compile it.
What is forgotten here is compiled where it is first called.
"""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NoReturn

PARTS = 2
"""Processes that share the work."""


def compile_kernels() -> None:
    """Compile the kernels in copies of this process, if no machine code is kept yet."""
    from couplings._kernels import agglomeration

    folder = agglomeration.merge_nearest.stats.cache_path
    if folder is None or any(Path(folder).glob("agglomeration.merge_nearest-*.nbi")):
        return
    children = []
    for part in range(PARTS):
        pid = os.fork()
        if pid == 0:
            _compile(part)
        children.append(pid)
    for pid in children:
        os.waitpid(pid, 0)


def _compile(part: int) -> NoReturn:
    """Be one of the copies, to its end."""
    status = 1
    try:
        for work in list(works())[part::PARTS]:
            work()
        status = 0
    except Exception:
        # the jobs that need the rest compile it
        traceback.print_exc()
    finally:
        os._exit(status)


def works() -> Iterator[Callable[[], object]]:
    """Small pieces of work, which together call the kernels with the types that a run has.

    Pieces that share much are `PARTS` apart, and so in one process.
    """
    import numpy as np
    import pandas as pd

    from couplings import CategoricalTable, MixedTable, cooccurrence, measure_from, measure_names
    from couplings._kernels import scaled
    from couplings.cluster import climbo, kprototypes, limbo, mixed_kmeans, mixture, rock
    from couplings.cluster.density_peaks import DensityPeaks
    from couplings.cluster.kmodes import KModes
    from couplings.cluster.spectral import CategoricalSpectral
    from couplings.cluster.ward import Ward
    from couplings.cluster.ward_ties import ward_settled
    from couplings.measures.cde import CDE
    from couplings.measures.coupled_mixed import CoupledMixed

    rng = np.random.default_rng(0)
    codes = rng.integers(0, 4, (60, 6))
    table = CategoricalTable.from_codes(codes, [4] * 6)
    numbers = rng.random((60, 2))
    frame = pd.DataFrame({"x": numbers[:, 0], "y": numbers[:, 1]})
    frame["a"], frame["b"] = codes[:, 0].astype(str), codes[:, 1].astype(str)
    mixed = MixedTable.from_pandas(frame)

    def measures() -> None:
        cooccurrence(CategoricalTable.from_codes(rng.integers(0, 4, (20_000, 6)), [4] * 6))
        for name in measure_names():
            if name != "coupled_mixed":
                measure_from(name).fit(cooccurrence(table)).space_.pairwise(table)

    def ties() -> None:
        distances = measure_from("simple_matching").fit(cooccurrence(table)).space_.condensed(table)
        ward_settled(distances, np.arange(60) % 3)

    def modes() -> None:
        for update in ("frequency", "online"):
            KModes(3, update=update, n_init=1, random_state=0).fit(table)

    def limbos() -> None:
        for phi in (0.0, 1.0):
            limbo.Limbo(3, phi=phi).fit(table)

    def spectral() -> None:
        for affinity in ("one-minus", "exp-mean"):
            CategoricalSpectral(3, affinity=affinity, random_state=0, n_init=2).fit(table)
        # of more objects than these
        scaled.product(np.eye(8), np.ones(8), np.ones(8))

    def rocks() -> None:
        rock.Rock(2, theta=0.2).fit(table).merges_  # noqa: B018 - merged when it is asked for

    def widths() -> None:
        cde = CDE(random_state=0).fit(table)
        for rule in ("mean", "median"):
            cde.bandwidth(table, rule)

    def of_mixed() -> None:
        for algorithm in (
            kprototypes.KPrototypes(3, n_init=1, random_state=0),
            mixed_kmeans.AhmadDeyKMeans(3, n_init=1, random_state=0),
            mixture.MultinomialGaussianMixture(3, n_init=1, random_state=0),
        ):
            algorithm.fit(mixed)

    yield measures
    yield limbos
    yield lambda: Ward(3, measure="jaccard").fit(table)
    yield lambda: climbo.climbo_labels(cooccurrence(table), 0, 2)
    yield ties
    yield lambda: DensityPeaks(3, halo=True).fit(table)
    yield spectral
    yield modes
    yield lambda: CoupledMixed().fit_transform(mixed)
    yield of_mixed
    yield rocks
    yield widths
