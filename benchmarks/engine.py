"""Times the engine beside other libraries: counts, value matrices, object distances, Ward.

Run ``python benchmarks/engine.py``, with ``--help`` for the options. All times of a line come from
one run on one machine; compare the ratios, not the seconds.
"""

import argparse
import os
import platform
import statistics
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import numba
import numpy as np
import pandas as pd
import scipy
from scipy import sparse
from scipy.spatial.distance import pdist

from couplings import CategoricalTable, DilcaM, DilcaRR, SimpleMatching, cooccurrence
from couplings.cluster.ward import ward

MUSHROOM_DOMAINS = (6, 4, 10, 2, 9, 2, 2, 2, 12, 2, 4, 4, 4, 9, 9, 1, 4, 3, 5, 9, 6, 7)
MUSHROOM_OBJECTS = 8124


def timed(work: Callable[[], object], repeats: int) -> tuple[float, float]:
    """Return the median and the minimum of the seconds that `work` takes, after a first call."""
    work()
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds), min(seconds)


def report(name: str, times: tuple[float, float], note: str = "") -> None:
    """Print one line."""
    print(f"  {name:<58}{times[0]:9.4f} s{times[1]:9.4f} s  {note}")


def compare(name: str, ours: tuple[float, float], peer: tuple[float, float]) -> None:
    """Print a peer's line with its ratio to ours."""
    report(name, peer, f"{peer[0] / ours[0]:.1f} times ours")


def random_table(n: int, n_values: tuple[int, ...], seed: int) -> CategoricalTable:
    """Return independent uniform codes."""
    rng = np.random.default_rng(seed)
    codes = np.empty((n, len(n_values)), dtype=np.int8, order="F")
    for j, v in enumerate(n_values):
        codes[:, j] = rng.integers(0, v, n)
    return CategoricalTable.from_codes(codes, n_values)


def one_hot(table: CategoricalTable) -> sparse.csr_array:
    """Return the indicator matrix of all values."""
    n, m = table.codes.shape
    columns = (table.codes.astype(np.int32) + table.offsets[:-1].astype(np.int32)).ravel()
    data = np.ones(n * m, dtype=np.int32)
    shape = (n, int(table.n_values.sum()))
    return sparse.csr_array((data, columns, np.arange(0, n * m + 1, m, dtype=np.int32)), shape)


def crosstabs(df: pd.DataFrame) -> None:
    """Tabulate every pair of columns."""
    names = list(df.columns)
    for j, first in enumerate(names):
        for second in names[j + 1 :]:
            pd.crosstab(df[first], df[second])


def bench_counts(rows: int, repeats: int) -> None:
    """Counts and DILCA's value matrices of a long table; peers on a tenth of it."""
    domains = (10,) * 50
    table = random_table(rows, domains, 0)
    print(f"\nValue matrices, {rows} x {len(domains)} attributes x 10 values")

    def everything() -> None:
        counts = cooccurrence(table)
        DilcaM().fit(counts)
        DilcaRR().fit(counts)

    report("counts", timed(lambda: cooccurrence(table), repeats))
    counts = cooccurrence(table)
    report("DILCA_M from counts", timed(lambda: DilcaM().fit(counts), repeats))
    report("DILCA_RR from counts", timed(lambda: DilcaRR().fit(counts), repeats))
    report("counts + DILCA_M + DILCA_RR", timed(everything, repeats))

    short = random_table(rows // 10, domains, 1)
    print(f"Counts, {short.n_objects} x {len(domains)} attributes x 10 values")
    ours = timed(lambda: cooccurrence(short), repeats)
    report("cooccurrence", ours)
    indicator = one_hot(short)
    compare("scipy.sparse Z.T @ Z, Z given", ours, timed(lambda: indicator.T @ indicator, 1))
    # Few pairs of columns, extrapolated: all 1225 take minutes.
    some = short.to_pandas().iloc[:, :8]
    median, least = timed(lambda: crosstabs(some), 1)
    scale = (50 * 49) / (8 * 7)
    compare("pandas.crosstab of all pairs (from 28 pairs)", ours, (median * scale, least * scale))


def bench_objects(table: CategoricalTable, repeats: int) -> None:
    """All object distances into a given buffer."""
    n, m = table.codes.shape
    print(f"\nObject distances, {n} x {m}, {int(table.n_values.sum())} values")
    space = SimpleMatching().fit(table).space_
    single, double = np.empty((n, n), dtype=np.float32), np.empty((n, n))
    condensed = np.empty(n * (n - 1) // 2)
    ours = timed(lambda: space._write(table, table, False, single.reshape(-1)), repeats)
    report("n x n float32", ours)
    full = timed(lambda: space._write(table, table, False, double.reshape(-1)), repeats)
    report("n x n float64", full)
    half = timed(lambda: space._write(table, table, True, condensed), repeats)
    report("condensed float64", half)
    codes = table.codes.astype(np.float64)
    compare("scipy pdist hamming, condensed", half, timed(lambda: pdist(codes, "hamming"), 1))


def bench_ward(table: CategoricalTable, repeats: int) -> None:
    """Ward on distances with many ties, and on random ones."""
    import fastcluster

    n = table.n_objects
    print(f"\nWard's method, {n} objects")
    tied = DilcaM().fit(table).space_.condensed(table)
    loose = np.random.default_rng(2).random(len(tied))
    for name, distances in (("DILCA_M", tied), ("random", loose)):
        work = np.empty_like(distances)

        def ours(distances: np.ndarray = distances, work: np.ndarray = work) -> None:
            work[:] = distances
            ward(work, 2, overwrite=True)

        times = timed(ours, repeats)
        report(f"ward, ties of R, {name} distances", times)
        peer = timed(lambda distances=distances: fastcluster.linkage(distances, "ward"), repeats)
        compare(f"fastcluster, {name} distances", times, peer)


def mushroom(path: Path | None) -> CategoricalTable:
    """Return the file's attributes after the class, or random codes of the same shape."""
    if path is None:
        return random_table(MUSHROOM_OBJECTS, MUSHROOM_DOMAINS, 3)
    df = pd.read_csv(path, header=None, dtype=str, keep_default_na=False)
    return CategoricalTable.from_pandas(df.iloc[:, 1:])


def main() -> None:
    """Run all benchmarks."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000, help="rows of the long table")
    parser.add_argument("--repeats", type=int, default=7, help="timed calls per line")
    parser.add_argument("--mushroom", type=Path, help="agaricus-lepiota.data; else random codes")
    options = parser.parse_args()
    print(
        f"{platform.processor() or platform.machine()}, {os.cpu_count()} CPUs, "
        f"{numba.get_num_threads()} threads, load {os.getloadavg()[0]:.1f}; "
        f"Python {platform.python_version()}, numpy {np.__version__}, numba {numba.__version__}, "
        f"scipy {scipy.__version__}, pandas {pd.__version__}, fastcluster {version('fastcluster')}"
    )
    print(f"  {'':<58}{'median':>11}{'least':>11}")
    bench_counts(options.rows, options.repeats)
    table = mushroom(options.mushroom)
    bench_objects(table, options.repeats)
    bench_ward(table, min(options.repeats, 3))


if __name__ == "__main__":
    main()
