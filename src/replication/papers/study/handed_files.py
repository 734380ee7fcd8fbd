"""Files that others hand in to the leaderboard: a method in Python, or label vectors in Parquet.

A Python file is code and runs with the rights of whoever runs it. A Parquet file is data: it is
read column by column, and nothing in it is run.

As a step (`hand_in`): check one file and put it where the leaderboard looks for it.
"""

from __future__ import annotations

import argparse
import importlib.util
import inspect
import shutil
import sys
import traceback
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from replication.errors import UserError, remedy
from replication.files import whole

MEASURE, CLUSTERING, LABELS = "measure", "clustering", "labels"
"""What a file hands in."""
COLUMNS = ("dataset", "fingerprint", "labels")
"""Columns of a file of label vectors, one clustering a row."""
MOST = 200_000_000
"""Labels in one file."""
_GET = "`snakemake leaderboard_tables` writes the tables and their fingerprints (tables.csv)"
_GIVEN = ("n_clusters", "random_state")
"""Parameters that the study gives."""


# --- Python --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Method:
    """A method of somebody else.

    Attributes
    ----------
    kind : str
        ``measure``, or ``clustering`` of the table itself.
    made : type
        Its class.
    module : str
        Name under which the file is imported.
    random : bool
        Whether it takes a ``random_state``.
    """

    kind: str
    made: type
    module: str
    random: bool

    @property
    def label(self) -> str:
        """Its name in tables."""
        return self.made.__name__


def load_method(path: Path) -> Method:
    """Import a file, and find the one class in it that can be run.

    Parameters
    ----------
    path : Path
        Python file, whose code is run.

    Raises
    ------
    UserError
        If the file cannot be imported, has not exactly one public class with a method ``fit``, or
        that class wants something that the study does not give.
    """
    from couplings.measures.base import ValueMeasure

    module = _imported(path)
    found = [
        one
        for name, one in vars(module).items()
        if isinstance(one, type)
        and one.__module__ == module.__name__
        and not name.startswith("_")
        and callable(getattr(one, "fit", None))
    ]
    if len(found) != 1:
        names = ", ".join(one.__name__ for one in found) or "none"
        raise UserError(
            f"{path}: must have one public class with a method `fit`, has: {names}; begin the "
            "names of others with _"
        )
    (made,) = found
    place = f"{path}: class {made.__name__}"
    parameters = dict(inspect.signature(made).parameters)
    named = {
        name: one
        for name, one in parameters.items()
        if one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)
    }
    kind = MEASURE if issubclass(made, ValueMeasure) else CLUSTERING
    given = _GIVEN if kind == CLUSTERING else _GIVEN[1:]
    wanted = [name for name, one in named.items() if one.default is one.empty]
    if unknown := [name for name in wanted if name not in given]:
        raise UserError(
            f"{place}: its constructor wants {unknown[0]!r}, which the study does not give; "
            "write a default"
        )
    if kind == CLUSTERING:
        if "n_clusters" not in named:
            raise UserError(
                f"{place}: takes no `n_clusters`; add this parameter to its constructor, or "
                "derive a measure from couplings.measures.base.ValueMeasure"
            )
        takes = list(inspect.signature(made.fit).parameters)[1:]  # type: ignore[attr-defined]
        if needs := [name for name in takes if name in ("matrices", "space")]:
            raise UserError(
                f"{place}: `fit` wants {needs[0]!r}, dissimilarities of a measure; only what "
                "clusters the table itself, `fit(table)`, can be handed in, or a measure"
            )
    return Method(kind, made, module.__name__, "random_state" in named)


def _imported(path: Path) -> Any:
    """Module of a file, run once."""
    name = f"handed_in_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise UserError(f"{path}: is no Python file; give it the ending .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        raise UserError(
            f"{path}{line_of(error, path)}: cannot be imported ({type(error).__name__}: {error}); "
            "mend the file, or install what it needs"
        ) from error
    return module


def line_of(error: BaseException, path: Path) -> str:
    """Where in a file an error came from, such as ``, line 3``; empty if not from there."""
    if isinstance(error, SyntaxError) and error.lineno:
        return f", line {error.lineno}"
    lines = [
        one.lineno
        for one in traceback.extract_tb(error.__traceback__)
        if Path(one.filename) == path and one.lineno
    ]
    return f", line {lines[-1]}" if lines else ""


# --- Parquet -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Vectors:
    """Label vectors of a file, and where they stand there.

    Attributes
    ----------
    path : Path
        The file.
    rows : list of (int, str, str, ndarray of int64)
        Row from 1, data set, fingerprint and labels of each clustering.
    """

    path: Path
    rows: list[tuple[int, str, str, np.ndarray]]

    def of(self, dataset: str, size: int, fingerprint: str) -> np.ndarray:
        """Label vectors of one data set, in the order of its file, int64 of shape (t, n).

        Parameters
        ----------
        dataset : str
            Id.
        size : int
            Rows of its table, n.
        fingerprint : str
            Of its table, see `replication.papers.study.handed_out.fingerprint`.

        Raises
        ------
        UserError
            If a vector belongs to another table.
        """
        found = []
        for row, name, theirs, labels in self.rows:
            if name != dataset:
                continue
            place = f"{self.path}: row {row} ({dataset})"
            if len(labels) != size:
                raise UserError(
                    f"{place}: has {len(labels)} labels, the table {size} rows; give one per row, "
                    f"in its order; {_GET}"
                )
            if theirs != fingerprint:
                raise UserError(
                    f"{place}: the fingerprint is {theirs!r}, that of the table {fingerprint!r}: "
                    f"the labels are of other rows or values; {_GET}"
                )
            found.append(labels)
        return np.array(found, dtype=np.int64).reshape(len(found), size)

    def check(self, datasets: Collection[str]) -> None:
        """Check that every data set is one of the study; `UserError` if not."""
        for row, name, _, _ in self.rows:
            if name not in datasets:
                raise UserError(
                    f"{self.path}: row {row}: unknown data set {name!r}; "
                    f"{remedy(name, sorted(datasets))}"
                )


def read_vectors(path: Path) -> Vectors:
    """Read label vectors: columns `COLUMNS`, one clustering a row, several of a data set are runs.

    Raises
    ------
    UserError
        If it is no such file; the message names the column or the row, and the remedy.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(path)
        _check_columns(path, file.schema_arrow)
        _check_size(path, file)
        table = file.read(columns=list(COLUMNS))
    except (OSError, pa.ArrowException) as error:
        raise UserError(
            f"{path}: cannot be read ({str(error).splitlines()[0]}); write it with "
            "DataFrame.to_parquet(..., index=False)"
        ) from error
    if not table.num_rows:
        raise UserError(f"{path}: has no rows; give one per clustering")
    rows = []
    columns = (table[name].to_pylist() for name in COLUMNS[:2])
    for i, (dataset, mark, labels) in enumerate(zip(*columns, table["labels"], strict=True), 1):
        there = (dataset is not None, mark is not None, labels.is_valid)
        if not all(there):
            empty = COLUMNS[there.index(False)]
            raise UserError(f"{path}: row {i}: {empty!r} is empty; fill it in. {_GET}")
        rows.append((i, dataset, mark, _labels(f"{path}: row {i} ({dataset})", labels.values)))
    return Vectors(path, rows)


def _check_columns(path: Path, schema: Any) -> None:
    """Names and types of the columns."""
    import pyarrow.types as kinds

    for name in schema.names:
        if name not in COLUMNS:
            rest = "write with index=False" if name.startswith("__index") else "take it out"
            raise UserError(f"{path}: unknown column {name!r}; {rest}; {remedy(name, COLUMNS)}")
    for name in COLUMNS:
        if schema.names.count(name) != 1:
            raise UserError(
                f"{path}: column {name!r} is missing or there twice; the columns are "
                f"{', '.join(COLUMNS)}; {_GET}"
            )
        kind = schema.field(name).type
        if name != "labels":
            if not (kinds.is_string(kind) or kinds.is_large_string(kind)):
                raise UserError(f"{path}: column {name!r} holds {kind}, must hold texts")
            continue
        if not (kinds.is_list(kind) or kinds.is_large_list(kind) or kinds.is_fixed_size_list(kind)):
            raise UserError(
                f"{path}: column 'labels' holds {kind}, must hold lists: one row per clustering, "
                "with the labels of all rows of the table in their order"
            )
        if not kinds.is_integer(kind.value_type):
            raise UserError(
                f"{path}: column 'labels' holds lists of {kind.value_type}, must hold whole "
                "numbers; number the clusters, and cast them: labels.astype(int)"
            )


def _check_size(path: Path, file: Any) -> None:
    """Number of labels, before they are read."""
    metadata = file.metadata
    count = sum(
        metadata.row_group(group).column(column).num_values
        for group in range(metadata.num_row_groups)
        for column in range(metadata.num_columns)
    )
    if count > MOST:
        raise UserError(f"{path}: has {count} cells, at most {MOST} are read; hand in fewer runs")


def _labels(place: str, values: Any) -> np.ndarray:
    """Labels of one clustering, int64 of shape (n,)."""
    if values.null_count:
        at = values.is_null().to_pylist().index(True)
        raise UserError(
            f"{place}: label {at + 1} is missing; every row of the table needs one, rows that "
            "are in no cluster one of their own"
        )
    labels = values.to_numpy(zero_copy_only=False)
    if (labels < 0).any():
        at = int(np.argmax(labels < 0))
        raise UserError(
            f"{place}: label {at + 1} is {labels[at]}; clusters are numbered from 0. If it stands "
            "for noise, give each such row a cluster of its own"
        )
    return np.unique(labels, return_inverse=True)[1].astype(np.int64)


# --- the command ---------------------------------------------------------------------------------


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the step."""
    parser.add_argument("file", type=Path, help="a method (.py) or label vectors (.parquet)")


def run(args: argparse.Namespace) -> int:
    """Run the step: check a file, and put it into the folder of the leaderboard."""
    from replication.plan.configuration import read_yaml
    from replication.plan.handed_in import FOLDER, KINDS, PAPER, check_id

    if args.file.suffix not in KINDS:
        raise UserError(f"{args.file}: must end in {' or '.join(KINDS)}")
    if not args.file.is_file():
        raise UserError(f"{args.file}: there is no such file; correct the path")
    check_id(args.file)
    what = check(args.file, list(read_yaml(Path(f"config/papers/{PAPER}.yaml"), PAPER)["datasets"]))
    place = Path(FOLDER) / args.file.name
    if not place.exists() or not place.samefile(args.file):
        with whole(place) as partial:
            shutil.copyfile(args.file, partial)
    print(f"{place}: {what}; `snakemake leaderboard` adds it")
    return 0


def check(path: Path, datasets: Collection[str]) -> str:
    """Check a file as far as that can be told without the data; what it is, in words."""
    if path.suffix == ".py":
        method = load_method(path)
        return f"{method.label}, a {method.kind}"
    vectors = read_vectors(path)
    vectors.check(datasets)
    count = len({name for _, name, _, _ in vectors.rows})
    return f"{len(vectors.rows)} label vectors of {count} data sets"
