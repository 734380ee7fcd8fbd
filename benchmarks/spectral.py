"""Time and memory of categorical spectral clustering and CDE on the Adult data.

python benchmarks/spectral.py adult.data [--repeats 5]

Takes the complete rows and the eight categorical columns. Each line comes from a process of its
own; "first" includes compilation or loading of the kernels, memory is the peak of the process.
"""

import argparse
import csv
import multiprocessing
import resource
import statistics
import time
from pathlib import Path

import numpy as np

from couplings.cluster._farthest import largest_dissimilarity
from couplings.cluster.kmeans import kmeans_runs
from couplings.cluster.spectral import spectral_embedding
from couplings.measures.cde import CDE
from couplings.measures.contexts import AhmadDey
from couplings.table import CategoricalTable

COLUMNS = (1, 3, 5, 6, 7, 8, 9, 13)


def read(path):
    with path.open(newline="") as file:
        rows = [[cell.strip() for cell in row] for row in csv.reader(file)]
    rows = np.array([row for row in rows if len(row) == 15 and "?" not in row])
    codes = [np.unique(rows[:, j], return_inverse=True)[1] for j in COLUMNS]
    return CategoricalTable.from_codes(np.column_stack(codes))


def largest(table):
    matrices = AhmadDey().fit(table).value_matrices_
    distinct, *_ = table.distinct()
    return lambda: largest_dissimilarity(distinct, matrices)


def additive(table):
    measure = AhmadDey().fit(table)
    return lambda: spectral_embedding(table, measure, "one-minus", 2)


def embedding(table):
    return lambda: CDE(random_state=0).fit(table)


def means(table):
    distinct, weights, _ = table.distinct()
    rows = CDE(random_state=0).fit(table).compact(distinct)
    return lambda: kmeans_runs(rows, 2, range(50), weights=weights)


def width(table):
    cde = CDE(random_state=0).fit(table)
    return lambda: cde.bandwidth(table)


def gaussian(table):
    cde = CDE(random_state=0).fit(table)
    return lambda: spectral_embedding(table, cde, "gauss", 2, bandwidth=cde.bandwidth(table))


RUNS = {
    "largest dissimilarity, ADD": largest,
    "embedding, additive (ADD)": additive,
    "CDE fit": embedding,
    "k-means of CDE, 50 starts": means,
    "bandwidth of CDE-G, mean": width,
    "embedding, Gaussian of CDE": gaussian,
}


def measure(name, path, repeats, results):
    run = RUNS[name](read(path))
    wall, cpu = [], []
    for _ in range(repeats + 1):
        start, start_cpu = time.perf_counter(), time.process_time()
        run()
        wall.append(time.perf_counter() - start)
        cpu.append(time.process_time() - start_cpu)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    results.put((wall[0], statistics.median(wall[1:]), statistics.median(cpu[1:]), peak))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("path", type=Path, help="adult.data")
    parser.add_argument("--repeats", type=int, default=5)
    arguments = parser.parse_args()
    print(f"{'':28} first s   wall s    cpu s   peak MB")
    context = multiprocessing.get_context("spawn")
    for name in RUNS:
        results = context.SimpleQueue()
        process = context.Process(
            target=measure, args=(name, arguments.path, arguments.repeats, results)
        )
        process.start()
        process.join()
        if process.exitcode:
            raise SystemExit(f"{name}: failed")
        first, wall, cpu, peak = results.get()
        print(f"{name:28} {first:7.2f} {wall:8.3f} {cpu:8.3f} {peak:9.0f}")


if __name__ == "__main__":
    main()
