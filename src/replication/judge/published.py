"""Read the printed numbers of the papers."""

from pathlib import Path

import pandas as pd

from replication.errors import UserError
from replication.judge.verdicts import parse_printed

COLUMNS = (
    *("id", "paper", "artefact", "dataset", "dataset_id", "method", "method_id", "metric"),
    *("value", "std", "printed", "note"),
)
SETTINGS = "settings"


def load(paper: str, folder: Path) -> pd.DataFrame:
    """Read the printed cells of one paper from its files ``<paper>_*.csv``, as texts.

    The rows are in the order of file names and lines, with `COLUMNS`; index 0...

    Raises `UserError` if there is no file, a file is incomplete or has other columns, an id occurs
    twice, or ``value`` is not the printed number.
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
        for row in frame.to_dict("records"):
            if problem := _problem(row, paper):
                raise UserError(f"{path}: {row['id']}: {problem}")
        frames.append(frame)
    cells = pd.concat(frames, ignore_index=True)
    for name in cells.loc[cells["id"].duplicated(), "id"]:
        raise UserError(f"{folder}: id {name} occurs twice; every printed cell has its own")
    return cells


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
    printed, value = parse_printed(row["printed"]), row["value"]
    if row["printed"] in ("", value) or (printed is None and value == ""):
        return ""
    number = pd.to_numeric(value, errors="coerce")
    if printed is not None and abs(float(printed.value) - number) <= 1e-9:
        return ""
    return f"value {value}, printed {row['printed']}"
