"""Small checked files: NumPy arrays and one JSON record in an npz, without pickle."""

import json
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from couplings.errors import TableError
from couplings.reading import check_file


def write_npz(path: Path, kind: str, version: int, about: dict[str, Any], **arrays: Any) -> None:
    """Write arrays and a record; the same content gives the same bytes, in one step."""
    record = json.dumps({"format": kind, "version": version, **about})
    partial = path.with_name(path.name + ".partial")
    with partial.open("wb") as file:
        np.savez_compressed(
            file, about=np.frombuffer(record.encode("ascii"), dtype=np.uint8), **arrays
        )
    partial.replace(path)


def read_npz(
    path: Path, kind: str, version: int, what: str
) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Return the record and the arrays of a file that `write_npz` has written.

    Raises `TableError` if there is no such file, or it is truncated, of another kind or version;
    `what` is what it should hold, for the message.
    """
    check_file(path)
    try:
        with np.load(path, allow_pickle=False) as stored:
            arrays = {name: stored[name] for name in stored.files}
        about = json.loads(bytes(arrays.pop("about")))
    except (
        *(ValueError, KeyError, TypeError, AttributeError),
        *(EOFError, OSError, zipfile.BadZipFile, zlib.error),
    ) as error:
        raise TableError(f"{path}: is truncated or does not hold {what} ({error})") from error
    if not isinstance(about, dict) or about.get("format") != kind:
        raise TableError(f"{path}: does not hold {what}")
    if about.get("version") != version:
        raise TableError(
            f"{path}: holds {what} in version {about.get('version')} of the format, this package "
            f"reads version {version}"
        )
    return about, arrays
