"""Small checked files: NumPy arrays and one JSON record in an npz, without pickle.

One kind stores the state of a long computation, so that it can resume after an interruption.
"""

import hashlib
import json
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from couplings.errors import TableError
from couplings.reading import check_file

_STATE_VERSION = 2


def write_npz(path: Path, kind: str, version: int, about: dict[str, Any], **arrays: Any) -> None:
    """Write arrays and a record atomically; equal content gives equal bytes."""
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
    """Return the record and the arrays of a file written by `write_npz`.

    Raises `TableError` if there is no such file, or it is truncated, of another kind or version;
    `what` names the expected content, for the message.
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


class State:
    """The state file of one computation.

    Parameters
    ----------
    path : str, Path or None
        The file; None stores nothing.
    kind : str
        Name of the computation, for messages.
    key : mapping
        All inputs of the result, as JSON values; another key means another computation.
    """

    def __init__(self, path: str | Path | None, kind: str, key: Mapping[str, Any]) -> None:
        self.path = None if path is None else Path(path)
        self.kind = kind
        text = json.dumps(key, sort_keys=True, default=str)
        self.digest = hashlib.sha256(text.encode()).hexdigest()

    def load(self) -> tuple[dict[str, Any], dict[str, np.ndarray]] | None:
        """Return the record and the arrays saved last, None if there are none.

        Raises
        ------
        TableError
            If the file is of another kind or holds the state of another computation.
        """
        if self.path is None or not self.path.exists():
            return None
        what = f"the state of {self.kind}"
        about, arrays = read_npz(self.path, f"couplings.large: {self.kind}", _STATE_VERSION, what)
        if about.get("key") != self.digest:
            raise TableError(
                f"{self.path}: the state of {self.kind} of other data or with other parameters; "
                "remove the file to start anew, or name another one"
            )
        return about, arrays

    def save(self, about: Mapping[str, Any], **arrays: np.ndarray) -> None:
        """Save a record and arrays, replacing the previous ones."""
        if self.path is not None:
            write_npz(
                self.path,
                f"couplings.large: {self.kind}",
                _STATE_VERSION,
                {"key": self.digest, **about},
                **arrays,
            )

    def remove(self) -> None:
        """Remove the file: the computation is done."""
        if self.path is not None:
            self.path.unlink(missing_ok=True)
