"""Seconds of the pages "Coming from kmodes / gower / prince": both codes on one table.

pip install kmodes gower prince
PYTHONPATH=src python benchmarks/coming_from.py results/full/prepared/caso/mushroom.csv
"""

import argparse
import time
from collections.abc import Callable
from pathlib import Path

import gower
import numpy as np
import pandas as pd
import prince
from kmodes.kmodes import KModes as Peer

from couplings import KModes, MixedDistance, OneHotPCA, measure_from

_MOST = 2000


def seconds(work: Callable[[], object]) -> float:
    """Return the CPU seconds of a second call, when everything is compiled."""
    work()
    start = time.process_time()
    work()
    return time.process_time() - start


def main() -> None:
    """Print the comparison."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("table", type=Path, help="CSV, the last column is left out")
    options = parser.parse_args()
    frame = pd.read_csv(options.table, dtype=str, keep_default_na=False).iloc[:, :-1].astype(object)
    part = frame.head(_MOST)
    mixed = part.assign(size=np.random.default_rng(0).normal(size=len(part)))
    one = mixed.iloc[[0]]
    distance = MixedDistance("simple_matching").fit(mixed)
    tasks = {
        "k-modes, 10 starts, k = 2": (
            lambda: Peer(2, init="Huang", n_init=10, random_state=0).fit(part.to_numpy()),
            lambda: KModes(2, random_state=0).fit(part),
        ),
        "Gower's distances of all pairs": (
            lambda: gower.gower_matrix(mixed),
            lambda: MixedDistance("simple_matching").fit(mixed).pairwise(mixed),
        ),
        "five nearest of one row": (
            lambda: gower.gower_topn(one, mixed, n=5),
            lambda: distance.kneighbors(one, 5),
        ),
        "MCA, 5 components": (
            lambda: prince.MCA(n_components=5).fit(part).transform(part),
            lambda: OneHotPCA().fit(part).transform(part),
        ),
        "columns of learned distances": (
            lambda: prince.MCA(n_components=5).fit(part).transform(part),
            lambda: measure_from("dilca_rr").fit(part).transform(part),
        ),
    }
    print(f"{len(part)} rows, {part.shape[1]} columns (+ 1 of numbers for Gower); CPU seconds")
    for name, (theirs, ours) in tasks.items():
        peer, own = seconds(theirs), seconds(ours)
        print(f"{name:34}{peer:9.3f}{own:9.4f}{peer / own:8.1f} x", flush=True)


if __name__ == "__main__":
    main()
