"""Time the mixed-data methods and density peaks on a table of Adult's form.

Usage: python benchmarks/mixed.py adult.data

Prints one line per method: wall and processor seconds of one start (compiled beforehand on a small
part of the rows) and the peak memory of the process so far.
"""

import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pandas as pd

from couplings.cluster.density_peaks import DensityPeaks
from couplings.cluster.kprototypes import KPrototypes
from couplings.cluster.mixed_kmeans import AhmadDeyKMeans
from couplings.cluster.mixture import MultinomialGaussianMixture
from couplings.measures.contexts import AhmadDey
from couplings.measures.coupled_mixed import CoupledMixed
from couplings.mixed import MixedTable


def read(path: Path) -> MixedTable:
    """Read the complete rows, without the class."""
    df = pd.read_csv(path, header=None, skipinitialspace=True, na_values="?", comment="|")
    return MixedTable.from_pandas(df.iloc[:, :-1].dropna().rename(columns=str))


def report(name: str, run: Callable[[], object]) -> None:
    """Run once and print the cost."""
    wall, cpu = time.perf_counter(), time.process_time()
    run()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(f"{name:42}{wall:8.2f} s wall {cpu:8.2f} s cpu {peak:6.2f} GB peak", flush=True)


def methods(table: MixedTable) -> dict[str, Callable[[], object]]:
    """Return what is timed, by name."""
    categorical = table.categorical
    return {
        "k-prototypes": lambda: KPrototypes(2, random_state=1).fit(table),
        "mADD": lambda: AhmadDeyKMeans(2, random_state=1).fit(table),
        "mixture": lambda: MultinomialGaussianMixture(2, random_state=1).fit(table),
        "coupledMC, L = 3": lambda: CoupledMixed(3).fit_transform(table),
        "coupledMC, L = 4": lambda: CoupledMixed(4).fit_transform(table),
        "density peaks, mixed, cut": lambda: DensityPeaks(2).fit(table),
        "density peaks, mixed, gauss": lambda: DensityPeaks(2, kernel="gauss").fit(table),
        "density peaks, mixed, cut, halo": lambda: DensityPeaks(2, halo=True).fit(table),
        "density peaks, categories only, cut": lambda: DensityPeaks(2).fit(
            categorical, AhmadDey().fit(categorical).space_
        ),
    }


if __name__ == "__main__":
    whole = read(Path(sys.argv[1]))
    for warm in methods(whole.take(slice(0, 3000))).values():
        warm()
    print(whole)
    for name, run in methods(whole).items():
        report(name, run)
