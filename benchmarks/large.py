"""Times large tables beside other engines: reading, counting, all pair tables, passes of k-modes.

Run ``python benchmarks/large.py``, with ``--help`` for the options; several numbers of rows give
the exponents as well. A line is the least of several calls, wall and CPU seconds; on a machine that
does other work compare the CPU seconds, and their ratios. The table is that of ``large_table.py``.
"""

import argparse
import itertools
import json
import math
import os
import platform
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import large_table
import numba
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from couplings import AhmadDey, CategoricalTable, CooccurrenceCounts, DilcaM, DilcaRR, cooccurrence
from couplings.large import (
    BatchKModes,
    DaskTable,
    LargeTable,
    PartitionedTable,
    count_parquet,
)

Times = tuple[float, float]
RESULTS: dict[str, Times] = {}
"""What was measured in this process."""


def timed(work: Callable[[], object], repeats: int) -> Times:
    """Return the least wall and the least CPU seconds of several calls."""
    wall, cpu = [], []
    for _ in range(repeats):
        start = time.perf_counter(), time.process_time()
        work()
        wall.append(time.perf_counter() - start[0])
        cpu.append(time.process_time() - start[1])
    return min(wall), min(cpu)


def report(name: str, times: Times, against: Times | None = None, what: str = "") -> None:
    """Print one line, with the ratio to other times."""
    RESULTS[name] = times
    ratio = (
        ""
        if against is None
        else (f"{times[0] / against[0]:8.2f} {times[1] / against[1]:8.2f}  times {what}")
    )
    print(f"  {name:<52}{times[0]:10.3f}{times[1]:10.3f}  {ratio}", flush=True)


def peak(what: str) -> None:
    """Print the largest resident size of this process so far."""
    size = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6
    print(f"  {'largest resident size ' + what:<52}{size:10.0f} MB", flush=True)


def files_of(folder: Path) -> list[Path]:
    """Return the parts."""
    return sorted(folder.glob("*.parquet"))


def read_codes(folder: Path, columns: list[str]) -> None:
    """Let Arrow read the dictionary codes, a batch at a time."""
    for path in files_of(folder):
        for _ in pq.ParquetFile(path, read_dictionary=columns).iter_batches(1 << 16):
            pass


def bench_reading(folder: Path, repeats: int) -> None:
    """Parquet to table, and to counts."""
    columns = pq.ParquetFile(files_of(folder)[0]).schema_arrow.names
    arrow = timed(lambda: read_codes(folder, columns), repeats)
    report("Arrow reads the dictionary codes", arrow)
    report(
        "CategoricalTable.from_parquet",
        timed(lambda: CategoricalTable.from_parquet(folder), repeats),
        arrow,
        "Arrow",
    )
    report(
        "count_parquet",
        timed(lambda: count_parquet(folder), repeats),
        arrow,
        "Arrow",
    )


def bench_pairs(folder: Path, repeats: int) -> None:
    """All pair tables, from columns that every engine holds in its own form."""
    # Only here: they would count in the resident size of the other parts.
    import duckdb
    import polars as pl

    table = CategoricalTable.from_parquet(folder)
    names = table.attributes
    pairs = list(itertools.combinations(range(len(names)), 2))
    ours = timed(lambda: cooccurrence(table), repeats)
    report(f"cooccurrence, {len(pairs)} pair tables", ours)
    expected = cooccurrence(table)
    frame = table.to_pandas()
    arrow = pa.Table.from_pandas(frame, preserve_index=False).combine_chunks()

    def by_arrow() -> int:
        return sum(
            arrow.select([names[j], names[k]])
            .group_by([names[j], names[k]])
            .aggregate([([], "count_all")])
            .num_rows
            for j, k in pairs
        )

    polars = pl.from_arrow(arrow)

    def by_polars() -> int:
        queries = [polars.lazy().group_by(names[j], names[k]).agg(pl.len()) for j, k in pairs]
        return sum(len(result) for result in pl.collect_all(queries))

    connection = duckdb.connect()
    connection.register("arrow", arrow)
    connection.execute("CREATE TABLE data AS SELECT * FROM arrow")

    def by_duckdb() -> int:
        return sum(
            len(
                connection.execute(
                    f"SELECT {names[j]}, {names[k]}, count(*) FROM data GROUP BY ALL"
                ).fetchall()
            )
            for j, k in pairs
        )

    cells = sum(int((expected.block(j, k) > 0).sum()) for j, k in pairs)
    for name, work in (("PyArrow", by_arrow), ("Polars", by_polars), ("DuckDB", by_duckdb)):
        found = []
        times = timed(lambda work=work, found=found: found.append(work()), 1)
        if found[0] != cells:
            raise SystemExit(f"{name} finds {found[0]} pairs of values, we find {cells}")
        report(f"{name} group-bys of all pairs", times, ours, "ours")


def bench_everything(folder: Path, repeats: int) -> None:
    """Counts and all value matrices, in a process of its own that tells its memory."""
    here = time.perf_counter(), time.process_time()
    counts = count_parquet(folder)
    counted = time.perf_counter() - here[0], time.process_time() - here[1]
    report("counts, the first time in a process", counted)
    peak("while counting")
    for measure in (DilcaM(), DilcaRR(), AhmadDey()):
        measure.fit(counts)
    total = time.perf_counter() - here[0], time.process_time() - here[1]
    report("and the value matrices of DILCA_M, DILCA_RR, ADD", total)
    peak("with the value matrices")


def bench_kmodes(folder: Path, repeats: int) -> None:
    """Passes of k-modes over 20 attributes, beside reading them."""
    names = pq.ParquetFile(files_of(folder)[0]).schema_arrow.names[:20]

    def read() -> None:
        for path in files_of(folder):
            file = pq.ParquetFile(path, read_dictionary=names)
            for _ in file.iter_batches(1 << 16, columns=names):
                pass

    reading = timed(read, 2)
    report(f"Arrow reads {len(names)} attributes", reading)
    data = LargeTable.from_parquet(folder, usecols=names)
    measure = DilcaM().fit(data.counts())
    BatchKModes(10, random_state=0, max_iter=1).fit(data, measure)
    few, more = (
        timed(lambda n=n: BatchKModes(10, random_state=0, max_iter=n).fit(data, measure), repeats)
        for n in (1, 3)
    )
    one = (more[0] - few[0]) / 2, (more[1] - few[1]) / 2
    report("one pass of k-modes, k = 10, learnt distances", one, reading, "reading")
    peak("in the passes")


def _engine(folder: Path, repeats: int, run: Callable[[Path, Callable[..., None]], None]) -> None:
    """Counts and passes of k-modes by an engine, beside the same in this process.

    The engine's data frame is compared with data frames of pandas that are read from the same
    files. The engine has started, and has done the work once, before it is timed.
    """
    # Only here: it would count in the resident size of the other parts.
    import pandas as pd

    names = pq.ParquetFile(files_of(folder)[0]).schema_arrow.names
    init = LargeTable.from_parquet(folder).take(range(10))
    modes = [[init.categories[j][code] for j, code in enumerate(row)] for row in init.codes]

    def work(data: PartitionedTable) -> tuple[CooccurrenceCounts, BatchKModes]:
        counts = data.counts()
        return counts, BatchKModes(10, init=modes, max_iter=3).fit(data, AhmadDey().fit(counts))

    def compare(name: str, describe: Callable[[], PartitionedTable]) -> None:
        found = []
        times = timed(lambda: found.append(work(describe())), repeats + 1)
        report(f"{name}: counts, three passes of k-modes", times, here, "here")
        for counts, model in found:
            same = np.array_equal(counts.matrix, expected[0].matrix)
            if not same or not np.array_equal(model.sizes_, expected[1].sizes_):
                raise SystemExit(f"{name} finds something else")

    expected = work(LargeTable.from_parquet(folder))
    here = timed(
        lambda: work(LargeTable.from_batches(lambda: map(pd.read_parquet, files_of(folder)))),
        repeats,
    )
    report(f"this process: {len(names)} attributes, three passes", here)
    run(folder, compare)


def bench_dask(folder: Path, repeats: int) -> None:
    """Dask, two worker processes."""
    _engine(folder, repeats, _with_dask)


def _with_dask(folder: Path, compare: Callable[..., None]) -> None:
    import dask
    import dask.dataframe as dd
    from distributed import Client, LocalCluster

    # Each worker has one core.
    dask.config.set({"distributed.nanny.pre-spawn-environ.NUMBA_NUM_THREADS": "1"})
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster),
    ):
        compare("Dask, 2 workers", lambda: DaskTable(dd.read_parquet(folder)))


PARTS = {
    "reading": bench_reading,
    "pairs": bench_pairs,
    "everything": bench_everything,
    "kmodes": bench_kmodes,
    "dask": bench_dask,
}
VERSIONS = ("numpy", "numba", "pyarrow", "polars", "duckdb")
BY_DEFAULT = ["reading", "pairs", "everything", "kmodes"]


def exponents(measured: dict[int, dict[str, Times]]) -> None:
    """Print how each time grows between the fewest and the most rows."""
    fewest, most = min(measured), max(measured)
    if fewest == most:
        return
    print(f"growth from {fewest} to {most} rows: time ~ rows to the power of")
    for name in measured[fewest].keys() & measured[most].keys():
        powers = [
            math.log(more / less) / math.log(most / fewest)
            for less, more in zip(measured[fewest][name], measured[most][name], strict=True)
        ]
        print(f"  {name:<52}{powers[0]:10.3f}{powers[1]:10.3f}")


def main() -> None:
    """Run all parts, each in a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000_000])
    parser.add_argument(
        "--folder", type=Path, default=Path(tempfile.gettempdir()) / "couplings-benchmark"
    )
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--keep", action="store_true", help="do not delete the tables")
    parser.add_argument("--parts", nargs="+", default=BY_DEFAULT, choices=list(PARTS))
    parser.add_argument("--run", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.run is not None:
        folder = options.folder / f"{options.rows[0]}"
        PARTS[options.run](folder, options.repeats)
        (folder / "results.json").write_text(json.dumps(RESULTS))
        return
    print(
        f"{platform.processor() or platform.machine()}, {os.cpu_count()} CPUs, "
        f"{numba.get_num_threads()} threads, load {os.getloadavg()[0]:.1f}; Python "
        f"{platform.python_version()}, " + ", ".join(f"{name} {version(name)}" for name in VERSIONS)
    )
    measured: dict[int, dict[str, Times]] = {}
    for rows in options.rows:
        folder = options.folder / f"{rows}"
        large_table.write(folder, rows)
        size = sum(path.stat().st_size for path in files_of(folder)) / 1e9
        print(
            f"{rows} x 50 attributes x 10 values, {size:.2f} GB of Parquet\n"
            f"  {'':<52}{'wall s':>10}{'CPU s':>10}  {'wall':>8} {'CPU':>8}",
            flush=True,
        )
        measured[rows] = {}
        for name in options.parts:
            command = [sys.executable, __file__, "--run", name, "--rows", str(rows)]
            command += ["--folder", str(options.folder), "--repeats", str(options.repeats)]
            subprocess.run(command, check=True)
            measured[rows] |= json.loads((folder / "results.json").read_text())
        if not options.keep:
            shutil.rmtree(folder)
    exponents(measured)


if __name__ == "__main__":
    main()
