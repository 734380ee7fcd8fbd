"""Work that is repeated on larger and larger tables: seconds against rows, attributes, values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from engine import one_hot
from speed_cases import eigenvalues_of_scipy, lazily, links_of_numpy, with_start

from couplings import CategoricalTable, DilcaM, KModes, SimpleMatching, cooccurrence, ward_linkage
from couplings.cluster.kmodes import kmodes
from couplings.cluster.neighbours import NeighbourGraph
from couplings.cluster.spectral import spectral_embedding


def grouped(n: int, m: int, v: int, seed: int = 0, k: int = 4) -> CategoricalTable:
    """Objects around k random modes, three cells in ten anything: v values per attribute."""
    rng = np.random.default_rng(seed)
    modes, group = rng.integers(0, v, (k, m)), rng.integers(0, k, n)
    codes = np.where(rng.random((n, m)) < 0.3, rng.integers(0, v, (n, m)), modes[group])
    return CategoricalTable.from_codes(codes.astype(np.int16), [v] * m)


@dataclass(frozen=True)
class Growth:
    """Work that is repeated on larger and larger data.

    Attributes
    ----------
    task : str
        What is done, as the page says it.
    peer : str
        The name of the other one; empty if there is none.
    module : str
        What is imported to see whether it is here.
    base : tuple of int
        Rows, attributes and values where the other two grow.
    axes : mapping of str to tuple of int
        Sizes along "n", "m" and "values".
    prepare : callable
        Makes the data of a table.
    ours, theirs : callable
        As in a `Case`; None without a peer.
    """

    task: str
    peer: str
    module: str
    base: tuple[int, int, int]
    axes: dict[str, tuple[int, ...]]
    prepare: Callable[[CategoricalTable], Any]
    ours: Callable[[Any], Any]
    theirs: Callable[[Any], Any] | None = None


def itself(table: CategoricalTable) -> CategoricalTable:
    return table


GROWTHS = (
    Growth(
        "counts", "scipy.sparse Z'Z", "scipy", (20_000, 16, 8),
        {"n": (12_500, 25_000, 50_000, 100_000), "m": (8, 16, 32, 64), "values": (4, 8, 16, 32)},
        lambda table: (table, one_hot(table)), lambda data: cooccurrence(data[0]),
        lambda data: data[1].T @ data[1],
    ),
    Growth(
        "distances of all pairs", "scipy pdist", "scipy", (2000, 16, 8),
        {"n": (1000, 2000, 4000), "m": (8, 16, 32, 64), "values": (4, 8, 16, 32)},
        lambda table: (table, SimpleMatching().fit(table).space_, table.codes.astype(float)),
        lambda data: data[1].condensed(data[0]),
        lambda data: lazily("scipy.spatial.distance", "pdist")(data[2], "hamming"),
    ),
    Growth(
        "k-modes, 2 passes", "kmodes", "kmodes", (1000, 16, 8),
        {"n": (500, 1000, 2000, 4000), "m": (8, 16, 32, 64), "values": (4, 8, 16, 32)},
        with_start, lambda data: kmodes(*data[:3], "online", 2),
        lambda data: import_module("kmodes.kmodes").KModes(
            4, init=data[3][data[2][0]].astype(int), n_init=1, max_iter=2
        ).fit(data[3].astype(int)),
    ),
    Growth(
        "Ward", "fastcluster", "fastcluster", (1000, 16, 8), {"n": (1000, 2000, 4000)},
        lambda table: np.random.default_rng(0).random(
            table.n_objects * (table.n_objects - 1) // 2
        ), lambda d: ward_linkage(d, recurrence="D2"),
        lambda d: lazily("fastcluster", "linkage")(d, "ward"),
    ),
    Growth(
        "spectral embedding", "scipy eigsh", "scipy", (1000, 16, 8),
        {"n": (500, 1000, 2000), "m": (8, 16, 32), "values": (4, 8, 16)},
        lambda table: (table, SimpleMatching().fit(table)),
        lambda data: spectral_embedding(*data, "one-minus", 2, "sym"), eigenvalues_of_scipy,
    ),
    Growth(
        "links, theta = .3", "numpy A @ A", "numpy", (1000, 16, 8),
        {"n": (1000, 2000, 4000)}, lambda table: NeighbourGraph.from_table(table, 0.3),
        lambda graph: graph.links(), links_of_numpy,
    ),
    Growth(
        "DILCA_M from a table", "", "", (20_000, 16, 8),
        {"n": (12_500, 25_000, 50_000, 100_000), "m": (8, 16, 32, 64), "values": (4, 8, 16, 32)},
        itself, lambda table: DilcaM().fit(table),
    ),
    Growth(
        "k-modes, 10 starts, DILCA_M", "", "", (2000, 16, 8),
        {"n": (2000, 4000, 8000, 16_000), "m": (8, 16, 32, 64), "values": (4, 8, 16, 32)},
        itself, lambda table: KModes(4, "dilca_m", random_state=0).fit(table),
    ),
)  # fmt: skip
