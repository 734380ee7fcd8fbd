"""What the machine can do at most, beside the kernels that it bounds, measured in turns."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from typing import Any

import numpy as np
from engine import random_table
from numba import njit
from speed_cases import mushroom

from couplings import (
    Cado,
    CategoricalTable,
    DensityPeaks,
    DilcaM,
    Limbo,
    SimpleMatching,
    cooccurrence,
)
from couplings._kernels import links
from couplings._kernels.intrinsics import popcount
from couplings._kernels.links import merge_by_goodness
from couplings._kernels.scaled import product
from couplings.cluster._farthest import largest_dissimilarity
from couplings.cluster.kmodes import kmodes, random_starts
from couplings.cluster.neighbours import NeighbourGraph
from couplings.cluster.ward import ward

BYTES = 1 << 27
"""Bytes of the array that is copied: larger than any cache."""
WORDS = 1024
"""Words of the two arrays that are joined: in the innermost cache."""
ROUNDS = 20_000
"""Passes over them."""
VALUES = 50
"""Values of each of the 20 attributes whose value matrices are computed."""
LOW_THETA = 0.2
"""Theta of ROCK's merges: nearly all objects are linked."""


@njit
def joined_bits(a, b, rounds):
    """Return the common bits of two arrays, counted over and over."""
    total = np.uint64(0)
    for r in range(rounds):
        # so that no pass can be left out as being the same as the one before
        a[r % a.size] ^= np.uint64(1)
        for w in range(a.size):
            total += popcount(a[w] & b[w])
    return total


@njit(fastmath=True)
def added(rows, total, rounds):
    """Add the rows of an array to `total`, over and over, in its precision."""
    for _ in range(rounds):
        for r in range(rows.shape[0]):
            for c in range(rows.shape[1]):
                total[c] += rows[r, c]


def measured(
    in_turns: Callable[..., list[list[tuple[float, float]]]],
    rows: int = 6000,
    long: int = 100_000,
    size: int = BYTES,
    rounds: int = ROUNDS,
    patience: float = 20.0,
) -> dict[str, Any]:
    """Measure kernels and limits in turns, with the threads of this process.

    Parameters
    ----------
    in_turns : callable
        `speed_measure.in_turns`.
    rows, long : int
        Rows of Mushroom, and of the table whose values are counted.
    size, rounds : int
        As `BYTES` and `ROUNDS`.
    patience : float
        As `speed_measure.PATIENCE`.

    Returns
    -------
    dict
        ``rates``: medians of GB/s copied (read and written), GB/s filled, 10^9 words/s joined,
        10^9 numbers/s added, in single and in double precision.
        ``kernels``: name, what bounds it, the amount of that, unit and the ratios of its seconds
        to those of the limit, turn by turn.
    """
    rng = np.random.default_rng(0)
    source = np.ones(size // 8)
    target = np.ones_like(source)
    a, b = (rng.integers(0, 1 << 63, WORDS, dtype=np.uint64) for _ in range(2))
    terms, total = np.ones((8, WORDS // 2), dtype=np.float32), np.zeros(WORDS // 2, np.float32)
    double_terms, double_total = np.ones((8, WORDS // 2)), np.zeros(WORDS // 2)
    frame = mushroom(rows)
    table = CategoricalTable.from_pandas(frame)
    n, m = table.n_objects, table.n_attributes
    measure = SimpleMatching().fit(table)
    space, matrices = measure.space_, measure.value_matrices_
    square = np.ones((n, n), dtype=np.float32)
    distances = rng.random(n * (n - 1) // 2)
    work = np.empty_like(distances)
    graph = NeighbourGraph.from_table(table, 0.5).words
    near = NeighbourGraph.from_table(table, LOW_THETA)
    (_, linked), *_ = near.linked_sets()
    linked = linked.copy()
    power = np.arange(n + 1, dtype=np.float64) ** (1 + 2 * (1 - LOW_THETA) / (1 + LOW_THETA))
    common = np.empty((n, n), dtype=np.uint32)
    wide = random_table(long, (10,) * 20, 0)
    simple = SimpleMatching().fit(wide).value_matrices_
    start = random_starts(wide.n_objects, 4, 1, 0)
    counts = cooccurrence(random_table(long // 5, (VALUES,) * 20, 0))
    affinity = 1.0 - space.pairwise(table) / m
    scale = 1.0 / np.sqrt(affinity.sum(axis=1))

    def merge_all() -> None:
        work[:] = distances
        ward(work, 2, overwrite=True)

    def merge_links() -> None:
        common[: len(linked), : len(linked)] = linked
        merge_by_goodness(common[: len(linked), : len(linked)], power, False)

    sides: dict[str, Callable[[], object]] = {
        "copy": lambda: np.copyto(target, source),
        "fill": lambda: target.fill(1.0),
        "popcount": lambda: joined_bits(a, b, rounds),
        "add": lambda: added(terms, total, rounds),
        "add double": lambda: added(double_terms, double_total, rounds),
        "reading": lambda: CategoricalTable.from_pandas(frame),
        "counts": lambda: cooccurrence(wide),
        "DILCA_M": lambda: DilcaM().fit(counts),
        "CADO": lambda: Cado().fit(counts),
        "distances": lambda: space._write(table, table, False, square.reshape(-1)),
        "k-modes": lambda: kmodes(wide, simple, start, max_iter=1),
        "largest": lambda: largest_dissimilarity(table, matrices),
        "product": lambda: product(affinity, scale, scale),
        "Ward": merge_all,
        "links": lambda: links.count_links(len(graph) * graph.size, graph, common),
        "ROCK": merge_links,
        "LIMBO": lambda: Limbo(2, phi=0.0).fit(table),
        "peaks": lambda: DensityPeaks(2).fit(table),
    }
    for side in sides.values():
        side()  # compiles
    taken = dict(zip(sides, in_turns(list(sides.values()), patience), strict=True))
    wall = {name: [seconds for _, seconds in times] for name, times in taken.items()}
    rates = {
        "copy": [2 * size / s / 1e9 for s in wall["copy"]],
        "fill": [size / s / 1e9 for s in wall["fill"]],
        "popcount": [rounds * WORDS / s / 1e9 for s in wall["popcount"]],
        "add": [rounds * terms.size / s / 1e9 for s in wall["add"]],
        "add double": [rounds * terms.size / s / 1e9 for s in wall["add double"]],
    }
    text = sum(int(frame[name].str.len().sum()) for name in frame)
    pairs, met = n * (n - 1) / 2, 20 * VALUES * (VALUES - 1) / 2
    kernels = [
        (f"data frame of {n:,} x {m} to codes", "reading", "copy", text + 9.0 * n * m,
         "bytes: text and where it begins read, codes written"),
        (f"counts of {long:,} x 20 attributes of 10 values",
         "counts", "popcount", _joined(wide), "words joined: pairs of values but the last ones"),
        (f"DILCA_M from counts, 20 attributes of {VALUES} values", "DILCA_M", "add double",
         met * VALUES * float(DilcaM().fit(counts).context_.sum()) / 20,
         "numbers added: values of the context, per pair of values"),
        ("CADO from the same counts", "CADO", "add double", met * 19 * VALUES,
         "numbers added: values of the others, per pair of values"),
        (f"distances of {n:,} objects, n x n in single precision, into a given buffer",
         "distances", "fill", 4.0 * n * n, "bytes written"),
        (f"the same {n:,} objects", "distances", "add", 1.0 * n * n * m,
         "numbers added: one per attribute and pair"),
        (f"k-modes, one pass, {long:,} x 20 attributes, k = 4", "k-modes", "add double",
         long * 20 * 4.0, "numbers added: one per object, attribute and mode"),
        (f"largest dissimilarity of {n:,} objects", "largest", "add double", pairs * m,
         "numbers added, if each pair were looked at"),
        (f"spectral: a product with the scaled affinities of {n:,} objects", "product", "copy",
         4.0 * n * n, "bytes read: one half of the matrix"),
        (f"Ward on {n:,} objects, random distances",
         "Ward", "copy", 12.0 * n * n,
         "bytes: each merge reads two rows of what is left and writes one"),
        (f"links of {n:,} objects, theta = 0.5",
         "links", "popcount", n * (n + 1) / 2 * graph.shape[1], "words joined"),
        (f"merges of ROCK, {len(linked):,} linked objects, theta = {LOW_THETA}", "ROCK", "copy",
         6.0 * len(linked) ** 2, "bytes, as for Ward"),
        (f"LIMBO, phi = 0, {n:,} objects", "LIMBO", "add double", 2 * pairs * m,
         "numbers added: one per attribute, for each pair of rows and each later row of a merge"),
        (f"density peaks of {n:,} objects", "peaks", "add double", 3 * pairs * m,
         "numbers added: one per attribute and pair, in three passes"),
    ]  # fmt: skip
    return {
        "rates": {name: statistics.median(values) for name, values in rates.items()},
        "kernels": [
            {
                "kernel": name,
                "limit": limit,
                "amount": amount,
                "unit": unit,
                "seconds": statistics.median(wall[side]),
                "ratios": [
                    seconds * rate * 1e9 / amount
                    for seconds, rate in zip(wall[side], rates[limit], strict=True)
                ],
            }
            for name, side, limit, amount, unit in kernels
        ],
    }


def _joined(table: CategoricalTable) -> float:
    """Words that are joined for the counts: the last value of an attribute follows."""
    free = (table.n_values - 1).astype(float)
    pairs = (free.sum() ** 2 - (free**2).sum()) / 2
    return pairs * (table.n_objects / 64)
