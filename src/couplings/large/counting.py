"""Counts of Parquet files, however large, with a progress bar and a state to go on from."""

import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from couplings import reading
from couplings._npz import State
from couplings.counts import CooccurrenceCounts, CountAccumulator
from couplings.parquet import ParquetFiles

SECONDS_BETWEEN_STATES = 10.0
BATCH_ROWS = 1 << 15
"""Rows counted at a time: fewer than elsewhere, as all columns are held beside their bits."""


def count_parquet(
    path: str | Path | Iterable[str | Path],
    *,
    missing: Iterable[str] = (),
    domains: Mapping[str, Sequence[str]] | None = None,
    usecols: Sequence[str] | None = None,
    incomplete: str = "raise",
    progress: bool = False,
    state: str | Path | None = None,
) -> CooccurrenceCounts:
    """Count the objects in Parquet files, however many: no table is held.

    Parameters
    ----------
    path, missing, domains, usecols
        As in `CategoricalTable.from_parquet`.
    incomplete
        As in `CooccurrenceCounts.from_batches`.
    progress : bool, default False
        Whether to show a progress bar.
    state : str or Path, optional
        File that keeps the counts so far, about every ten seconds: a run that was interrupted goes
        on there. It is removed at the end.

    Raises
    ------
    MissingValuesError, TableError
        As `CooccurrenceCounts.from_batches` and `CategoricalTable.from_parquet`; and if the state
        is of other files or other parameters.
    """
    files = ParquetFiles.open(path, usecols, domains)
    return count_files(files, CountAccumulator(domains, missing, incomplete), progress, state)


def count_files(
    files: ParquetFiles,
    total: CountAccumulator,
    progress: bool = False,
    state: str | Path | None = None,
    batch_rows: int = BATCH_ROWS,
) -> CooccurrenceCounts:
    """Count the objects of all files; see `count_parquet`."""
    import pyarrow as pa
    from tqdm import tqdm

    key = {
        "files": files.fingerprint(),
        "attributes": files.attributes,
        "domains": total.domains,
        "missing": total.missing,
        "incomplete": total.incomplete,
        "batch_rows": batch_rows,
    }
    kept = State(state, "a count", key)
    rows = 0
    if (before := kept.load()) is not None:
        about, arrays = before
        rows, total.total = about["rows"], CooccurrenceCounts.from_record(about, arrays)
    last = time.monotonic()
    with tqdm(
        total=files.n_rows,
        initial=rows,
        unit="row",
        unit_scale=True,
        disable=not progress,
        desc="counting",
    ) as bar:
        for place, columns in files.batches(batch_rows, rows):
            total.add_columns(columns, place)
            rows += reading.n_rows(columns)
            bar.update(rows - bar.n)
            # Arrow would keep what it has decoded for later, three times as much as is in use.
            del columns
            pa.default_memory_pool().release_unused()
            if state is not None and time.monotonic() - last >= SECONDS_BETWEEN_STATES:
                record, arrays = ({}, {}) if total.total is None else total.total.record()
                kept.save({"rows": rows, **record}, **arrays)
                last = time.monotonic()
    counts = total.counts_
    kept.remove()
    return counts
