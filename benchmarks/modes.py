"""k-modes beside the package kmodes, on one start each and on ten: objective, seconds, ratio.

    PYTHONPATH=src python benchmarks/modes.py results/full/prepared [--starts 10]

Tables: the CSV files below a folder (the last column is the class and is left out, its number of
values is the number of clusters), and random ones with clusters, so that there are thirty.
"""

import argparse
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
from kmodes.kmodes import KModes as Peer

from couplings import KModes

_TABLES = 30
_MOST_VALUES = 60


def prepared(folder: Path) -> dict[str, tuple[pd.DataFrame, int]]:
    """Return the tables of a folder that are not too small or too wide for a comparison."""
    tables = {}
    for path in sorted(folder.rglob("*.csv")):
        frame = pd.read_csv(path, dtype=str, keep_default_na=False)
        rows, classes = frame.iloc[:, :-1], frame.iloc[:, -1].nunique()
        if rows.shape[1] < 3 or not 50 <= len(rows) <= 9000 or rows.nunique().max() > _MOST_VALUES:
            continue
        tables[f"{path.parent.name}/{path.stem}"] = (rows, min(max(classes, 2), 12))
    return tables


def random_table(seed: int) -> tuple[pd.DataFrame, int]:
    """Return objects around random modes, and their number."""
    rng = np.random.default_rng(seed)
    n, m, k = rng.integers(200, 1500), rng.integers(5, 20), int(rng.integers(2, 9))
    modes, group = rng.integers(0, 5, (k, m)), rng.integers(0, k, n)
    noisy = rng.random((n, m)) < rng.uniform(0.4, 0.8)
    codes = np.where(noisy, rng.integers(0, 5, (n, m)), modes[group])
    return pd.DataFrame(codes, columns=[f"a{j}" for j in range(m)]).astype(str), k


def timed(work: Callable[[], float]) -> tuple[float, float]:
    """Return a result and the CPU seconds that it took, of all threads."""
    start = time.process_time()
    return work(), time.process_time() - start


def main() -> None:
    """Print the comparison."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--starts", type=int, default=10)
    options = parser.parse_args()
    tables = dict(list(prepared(options.folder).items())[:_TABLES])
    for seed in range(_TABLES - len(tables)):
        tables[f"random {seed}"] = random_table(seed)
    KModes(2, random_state=0).fit(next(iter(tables.values()))[0])  # compiles
    print(f"{options.starts} starts; objective: less is better; CPU seconds")
    print(f"{'table':28}{'n':>6}{'m':>4}{'k':>4}{'couplings':>11}{'kmodes':>9}"
          f"{'s':>8}{'s':>8}{'faster':>8}")  # fmt: skip
    not_worse, ratios = 0, []
    for name, (rows, k) in tables.items():
        values = rows.to_numpy(dtype=str)
        ours, seconds = timed(
            lambda rows=rows, k=k: (
                KModes(k, n_init=options.starts, random_state=0).fit(rows).objective_
            )
        )
        theirs, their_seconds = timed(
            lambda values=values, k=k: (
                Peer(k, init="Huang", n_init=options.starts, random_state=0).fit(values).cost_
            )
        )
        not_worse += ours <= theirs
        ratios.append(their_seconds / seconds)
        print(f"{name:28}{len(rows):6}{rows.shape[1]:4}{k:4}{ours:11.0f}{theirs:9.0f}"
              f"{seconds:8.3f}{their_seconds:8.2f}{ratios[-1]:8.0f}", flush=True)  # fmt: skip
    print(
        f"objective not worse on {not_worse} of {len(tables)}; "
        f"{min(ratios):.0f} to {max(ratios):.0f} times faster, median {np.median(ratios):.0f}"
    )


if __name__ == "__main__":
    main()
