"""Time and memory of ROCK and LIMBO on a table without header, the first column being the class.

python benchmarks/clustering.py agaricus-lepiota.data [--repeats 5]
"""

import argparse
import csv
import multiprocessing
import resource
import statistics
import sys
import time
from pathlib import Path

import numpy as np

from couplings.cluster.limbo import Limbo
from couplings.cluster.rock import Rock
from couplings.table import CategoricalTable

RUNS = {
    "ROCK theta=0.8": lambda: Rock(2, theta=0.8),
    "ROCK theta=0.5": lambda: Rock(2, theta=0.5),
    "ROCK theta=0.2": lambda: Rock(2, theta=0.2),
    "LIMBO phi=0": lambda: Limbo(2, phi=0.0),
    "LIMBO phi=0.5": lambda: Limbo(2, phi=0.5),
    "LIMBO phi=1": lambda: Limbo(2, phi=1.0),
    "LIMBO space=1000": lambda: Limbo(2, space=1000),
}


def read(path):
    with path.open(newline="") as file:
        rows = np.array([row[1:] for row in csv.reader(file) if row])
    return CategoricalTable.from_codes(
        np.column_stack([np.unique(column, return_inverse=True)[1] for column in rows.T])
    )


def measure(name, path, repeats, results):
    """Time one run in this process; the first call compiles and is not counted."""
    table = read(path)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    RUNS[name]().fit(table)
    wall, cpu = [], []
    for _ in range(repeats):
        start_wall, start_cpu = time.perf_counter(), time.process_time()
        model = RUNS[name]().fit(table)
        wall.append(time.perf_counter() - start_wall)
        cpu.append(time.process_time() - start_cpu)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    results.put((statistics.median(wall), statistics.median(cpu), before, peak, model.n_clusters_))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("path", type=Path)
    parser.add_argument("--repeats", type=int, default=5)
    arguments = parser.parse_args()
    if not arguments.path.is_file():
        sys.exit(f"{arguments.path}: no such file")
    table = read(arguments.path)
    print(f"{table}; median of {arguments.repeats}")
    print(f"{'':18} {'wall s':>8} {'CPU s':>8} {'peak MB':>8} {'at start':>9} {'clusters':>9}")
    # A process for each run: the peak of memory is one number for the life of a process.
    context = multiprocessing.get_context("spawn")
    for name in RUNS:
        results = context.Queue()
        process = context.Process(
            target=measure, args=(name, arguments.path, arguments.repeats, results)
        )
        process.start()
        wall, cpu, before, peak, clusters = results.get()
        process.join()
        print(f"{name:18} {wall:8.3f} {cpu:8.3f} {peak:8.0f} {before:9.0f} {clusters:9d}")


if __name__ == "__main__":
    main()
