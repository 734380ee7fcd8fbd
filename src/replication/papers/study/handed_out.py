"""Step `hand_out`: the study's tables as files, for whoever clusters them elsewhere.

One Parquet file per data set, its rows in the order of the official file after those that the study
drops, its cells the values that every measure of the study sees; no class. A list beside them has
the number of clusters that is asked for, and the fingerprint by which label vectors that come back
are known to be of the same rows.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from replication.files import read_json, whole, write_rows
from replication.papers.study.data import Prepared, coded
from replication.steps import OK, specification

if TYPE_CHECKING:
    from couplings.table import CategoricalTable

COLUMNS = ("dataset", "name", "objects", "attributes", "clusters", "fingerprint", "file", "reason")
"""Columns of the list of tables."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the step."""
    parser.add_argument("--spec", required=True, help="data sets and their files (JSON)")
    parser.add_argument("--output", type=Path, required=True, help="list of the tables (CSV)")


def run(args: argparse.Namespace) -> int:
    """Run the step."""
    spec = specification(args.spec)
    rows = [_handed_out(spec, one, args.output.parent) for one in spec["inputs"]]
    write_rows(args.output, COLUMNS, rows)
    print(f"{args.output.parent}: {sum('file' in row for row in rows)} tables")
    return 0


def _handed_out(spec: dict[str, Any], one: dict[str, str], folder: Path) -> dict[str, Any]:
    """Write one table; its row of the list."""
    from replication.data.store import read_tables

    row = {"dataset": one["dataset"], "name": spec["names"][one["dataset"]]}
    facts = read_json(Path(one["facts"]), "status", "reason")
    if facts["status"] != OK:
        return {**row, "reason": facts["reason"]}
    tables = read_tables(Path(one["tables"]))
    found = (tables.tables[0], tables.labels[0], facts["numeric"])
    made = coded(*found, spec["missing"], spec["bins"])
    table = in_file_order(made)
    file = f"{one['dataset']}.parquet"
    write_table(folder / file, table)
    return {
        **row,
        "objects": table.n_objects,
        "attributes": table.n_attributes,
        "clusters": made.n_classes,
        "fingerprint": fingerprint(table),
        "file": file,
    }


def write_table(path: Path, table: CategoricalTable) -> None:
    """Write a table as Parquet: a column of texts per attribute."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns = [
        pa.array(np.array(domain, dtype=object)[codes], pa.string())
        for domain, codes in zip(table.categories, table.codes.T, strict=True)
    ]
    with whole(path) as partial:
        pq.write_table(pa.table(columns, names=list(table.attributes)), partial)


def in_file_order(made: Prepared) -> CategoricalTable:
    """Table of a prepared data set, its rows in the order of the file."""
    return made.table.take(np.argsort(made.rows))


def fingerprint(table: CategoricalTable) -> str:
    """Digest of names, values and rows in their order, as 16 hexadecimal digits.

    Parameters
    ----------
    table : CategoricalTable
        n objects; neither the classes nor how many values are declared beyond those that occur
        take part.
    """
    total = hashlib.sha256()
    for name, domain, codes in zip(table.attributes, table.categories, table.codes.T, strict=True):
        known, inverse = np.unique(codes, return_inverse=True)
        words = [name, *(domain[code] for code in known)]
        total.update(json.dumps(words).encode())
        total.update(inverse.astype("<i4").tobytes())
    return total.hexdigest()[:16]
