"""Step `partitions`: fetch label vectors that others published; write them as one Parquet file.

The files are MATLAB arrays of cells, one cell per data set with one column per run. They are
fetched and checked like the files of a data set. A source without a route is unavailable.
"""

import io
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from replication.data.fetch import Fetcher, how_to_get, with_own_mirror
from replication.data.label_sets import LabelRow, write_label_sets
from replication.errors import UserError
from replication.files import write_json
from replication.steps import UNAVAILABLE


def run(
    spec: dict[str, Any], policy: dict[str, Any], raw: Path, output: Path, source: Path
) -> None:
    """Fetch all sources. `policy` is `data` of the configuration."""
    rows: list[LabelRow] = []
    facts = {}
    policy = with_own_mirror(policy)
    for name, entry in spec["sources"].items():
        payloads, facts[name] = fetched(name, entry, raw, **policy)
        if payloads is not None:
            rows += label_rows(name, entry, payloads)
        said = facts[name]["reason"] or f"{facts[name]['route']}"
        print(f"label vectors of {name}: {facts[name]['status']}, {said}", file=sys.stderr)
    write_label_sets(output, rows)
    # `make retry` fetches again what lacks a source
    missing = any(one["status"] == UNAVAILABLE for one in facts.values())
    write_json(source, {"status": UNAVAILABLE if missing else "available", "sources": facts})


def fetched(
    name: str,
    entry: Mapping[str, Any],
    raw: Path,
    *,
    mirrors: Sequence[str],
    official: bool,
    timeout: float,
) -> tuple[dict[str, bytes] | None, dict[str, Any]]:
    """Return the files of one source, None without a route, and the facts on how they came.

    Raises `UserError` if a route delivers another file than expected.
    """
    with tempfile.TemporaryDirectory() as scratch:
        fetcher = Fetcher(
            entry, raw / f"independent.{name}", Path(scratch), mirrors, official, timeout
        )
        found = fetcher.files()
    payloads, files = found or (None, [])
    tried = "; ".join(f"{a['file']} from {a['place']}: {a['outcome']}" for a in fetcher.attempts)
    return payloads, {
        "status": "available" if found else UNAVAILABLE,
        "route": "+".join(dict.fromkeys(file["route"] for file in files)),
        "files": files,
        "attempts": fetcher.attempts,
        "reason": "" if found else tried,
        "remedy": "" if found else how_to_get(entry),
    }


def label_rows(
    source: str, entry: Mapping[str, Any], payloads: Mapping[str, bytes]
) -> Iterator[LabelRow]:
    """Yield the label vectors of one source, without the data sets that are left out.

    Raises `UserError` if a file is no MATLAB file, lacks an array, or an array has another number
    of data sets than the configuration names.
    """
    from scipy.io import loadmat
    from scipy.io.matlab import MatReadError

    for file in entry["files"]:
        place = f"{source}/{file['name']}"
        try:
            found = loadmat(
                io.BytesIO(payloads[file["name"]]), variable_names=[*file["arrays"].values()]
            )
        except (MatReadError, ValueError, TypeError, NotImplementedError) as error:
            raise UserError(f"{place}: cannot be read as a MATLAB file ({error})") from error
        for method, name in file["arrays"].items():
            cells = found.get(name)
            if cells is None or cells.size != len(entry["datasets"]):
                has = "no such array" if cells is None else f"{cells.size} data sets"
                raise UserError(
                    f"{place}: {name}: {has}; want one of {len(entry['datasets'])} data sets, "
                    "correct `arrays` or `datasets` in config/independent.yaml"
                )
            for dataset, cell in zip(entry["datasets"], cells.ravel(), strict=True):
                if dataset in entry.get("left_out", {}):
                    continue
                for run_, labels in enumerate(np.asarray(cell).T, 1):
                    if labels.size:
                        yield source, method, dataset, run_, labels.astype(np.int32)
