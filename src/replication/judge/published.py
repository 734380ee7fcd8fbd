"""Read the printed numbers of the papers."""

import math
from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from replication.errors import UserError
from replication.files import read_rows
from replication.judge.verdicts import parse_printed

COLUMNS = (
    *("id", "paper", "artefact", "dataset", "dataset_id", "method", "method_id", "metric"),
    *("value", "std", "printed", "note"),
)
SETTINGS = "settings"
LIST = "files.csv"
"""File that lists the files of printed numbers, with the number of rows of each."""
LIST_COLUMNS = ("file", "rows")


def load(paper: str, folder: Path) -> pd.DataFrame:
    """Read the printed cells of one paper from its files ``<paper>_*.csv``, as texts.

    The rows are in the order of file names and lines, with `COLUMNS`; index 0...

    Raises `UserError` if there is no file, a file is incomplete or has other columns, an id occurs
    twice, ``value`` is not the printed number, or the folder has a `LIST` that says otherwise.
    """
    files = sorted(Path(folder).glob(f"{paper}_*.csv"))
    if not files:
        raise UserError(f"{folder}: no file {paper}_*.csv; name the folder of the printed numbers")
    frames = []
    for path in files:
        try:
            frame = pd.read_csv(path, dtype=str, keep_default_na=False)
        except (OSError, ValueError) as error:  # pandas' own errors and those of encodings
            reason = getattr(error, "strerror", None) or str(error).splitlines()[0]
            raise UserError(
                f"{path}: no readable table ({reason}); restore the file from git"
            ) from error
        if frame.isna().any(axis=None) or not path.read_bytes().endswith(b"\n"):
            raise UserError(f"{path}: the last line is cut short; restore the file from git")
        if tuple(frame.columns) != COLUMNS:
            raise UserError(f"{path}: columns are {', '.join(frame)}; want {', '.join(COLUMNS)}")
        if frame.empty:
            raise UserError(f"{path}: has no rows; restore the file from git, or remove it")
        for row in frame.to_dict("records"):
            if problem := _problem(row, paper):
                raise UserError(f"{path}: {row['id']}: {problem}")
        frames.append(frame)
    check_list(
        Path(folder), paper, {path.name: len(one) for path, one in zip(files, frames, strict=True)}
    )
    cells = pd.concat(frames, ignore_index=True)
    for name in cells.loc[cells["id"].duplicated(), "id"]:
        raise UserError(f"{folder}: id {name} occurs twice; every printed cell has its own")
    return cells


def check_list(folder: Path, paper: str, found: Mapping[str, int]) -> None:
    """Check the files of a paper and their numbers of rows against the `LIST` of a folder.

    Raises `UserError` if a file is missing, has other rows, or is not listed.
    """
    path = folder / LIST
    if not path.is_file():
        return
    rows = read_rows(path, LIST_COLUMNS)
    names = [row["file"] for row in rows]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise UserError(f"{path}: lists {twice[0]} twice; remove a line")
    listed = {row["file"]: row["rows"] for row in rows if row["file"].startswith(f"{paper}_")}
    for name in sorted({*listed, *found}):
        if name not in found:
            raise UserError(
                f"{folder / name}: is not there; restore it from git, or take it out of {LIST}"
            )
        if name not in listed:
            raise UserError(f"{path}: does not list {name}; add the line {name},{found[name]}")
        if listed[name] != str(found[name]):
            raise UserError(
                f"{folder / name}: has {found[name]} rows, {path} says {listed[name]}; restore it "
                f"from git, or correct the line to {name},{found[name]}"
            )


def nothing_printed() -> pd.DataFrame:
    """Return an empty table of printed cells, for a study without a paper."""
    return pd.DataFrame(columns=list(COLUMNS), dtype=str)


def numbers(cells: pd.DataFrame) -> pd.DataFrame:
    """Return the cells with a printed result: a number, not a setting or a reconstruction."""
    says = cells["printed"].map(parse_printed).notna()
    return cells[says & (cells["value"] != "") & (cells["artefact"] != SETTINGS)]


def _problem(row: dict[str, str], paper: str) -> str:
    """Return the problem with a row; empty without one."""
    if row["paper"] != paper or not row["id"].startswith(f"{paper}-{row['artefact']}-"):
        return f"does not belong to paper {paper!r} and artefact {row['artefact']!r} by its id"
    if blank := [name for name, cell in row.items() if cell != cell.strip()]:
        return f"{blank[0]} begins or ends with a blank"
    numbers = {name: pd.to_numeric(row[name], errors="coerce") for name in ("value", "std")}
    if row["std"] and not math.isfinite(numbers["std"]):
        return f"std {row['std']} is not a finite number"
    if math.isinf(numbers["value"]):
        return f"value {row['value']} is not finite"
    printed, value = parse_printed(row["printed"]), row["value"]
    if row["printed"] in ("", value) or (printed is None and value == ""):
        return ""
    number = pd.to_numeric(value, errors="coerce")
    if printed is not None and abs(float(printed.value) - number) <= 1e-9:
        return ""
    return f"value {value}, printed {row['printed']}"
