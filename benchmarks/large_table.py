"""Writes a large table of text labels as a folder of Parquet files, always the same for one seed.

Run ``python benchmarks/large_table.py FOLDER --rows 100000000``. Every object belongs to one of the
classes; in each attribute it has the value of its class with probability `--purity`, else any.
Part i is drawn from the seed and i alone, so an interrupted run goes on with the parts that are not
there, and gives the same table.
"""

import argparse
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

PART_ROWS = 1_000_000


def part(
    index: int, rows: int, attributes: int, values: int, classes: int, purity: float, seed: int
) -> pa.Table:
    """Return one part: dictionary columns ``a00``, ``a01``, ... with the labels v00, v01, ..."""
    typical = np.random.default_rng([seed]).integers(0, values, (attributes, classes))
    rng = np.random.default_rng([seed, index])
    of_class = rng.integers(0, classes, rows)
    labels = pa.array([f"v{value:02d}" for value in range(values)])
    columns = {}
    for j in range(attributes):
        anything = rng.integers(0, values, rows, dtype=np.int8)
        pure = rng.random(rows, dtype=np.float32) < purity
        codes = np.where(pure, typical[j].astype(np.int8)[of_class], anything)
        columns[f"a{j:02d}"] = pa.DictionaryArray.from_arrays(codes, labels)
    return pa.table(columns)


def write(
    folder: Path,
    rows: int,
    attributes: int = 50,
    values: int = 10,
    classes: int = 10,
    purity: float = 0.4,
    seed: int = 0,
    part_rows: int = PART_ROWS,
) -> Path:
    """Write the parts that are not there yet; return the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for index, start in enumerate(range(0, rows, part_rows)):
        path = folder / f"part-{index:05d}.parquet"
        if path.exists():
            continue
        size = min(part_rows, rows - start)
        table = part(index, size, attributes, values, classes, purity, seed)
        partial = path.with_suffix(".partial")
        # Without the Arrow schema the columns are plain text, as most programs write them.
        pq.write_table(table, partial, store_schema=False, row_group_size=1 << 18)
        partial.rename(path)
    return folder


def main() -> None:
    """Write one table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--attributes", type=int, default=50)
    parser.add_argument("--values", type=int, default=10, help="of each attribute")
    parser.add_argument("--classes", type=int, default=10)
    parser.add_argument("--purity", type=float, default=0.4)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    write(**vars(options))


if __name__ == "__main__":
    main()
