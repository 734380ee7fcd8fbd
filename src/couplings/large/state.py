"""Files that keep the state of a long computation, so that an interrupted one goes on."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from couplings._npz import read_npz, write_npz
from couplings.errors import TableError

_VERSION = 2


class State:
    """The state file of one computation.

    Parameters
    ----------
    path : str, Path or None
        The file; None keeps nothing.
    kind : str
        What is computed, for messages.
    key : mapping
        Everything that the result depends on, as JSON values; another key is another computation.
    """

    def __init__(self, path: str | Path | None, kind: str, key: Mapping[str, Any]) -> None:
        self.path = None if path is None else Path(path)
        self.kind = kind
        text = json.dumps(key, sort_keys=True, default=str)
        self.digest = hashlib.sha256(text.encode()).hexdigest()

    def load(self) -> tuple[dict[str, Any], dict[str, np.ndarray]] | None:
        """Return the record and the arrays that were kept last, None if there are none.

        Raises
        ------
        TableError
            If the file holds something else, or the state of another computation.
        """
        if self.path is None or not self.path.exists():
            return None
        what = f"the state of {self.kind}"
        about, arrays = read_npz(self.path, f"couplings.large: {self.kind}", _VERSION, what)
        if about.get("key") != self.digest:
            raise TableError(
                f"{self.path}: the state of {self.kind} of other data or with other parameters; "
                "remove the file to start anew, or name another one"
            )
        return about, arrays

    def save(self, about: Mapping[str, Any], **arrays: np.ndarray) -> None:
        """Keep a record and arrays in place of those before."""
        if self.path is not None:
            write_npz(
                self.path,
                f"couplings.large: {self.kind}",
                _VERSION,
                {"key": self.digest, **about},
                **arrays,
            )

    def remove(self) -> None:
        """Remove the file: the computation is done."""
        if self.path is not None:
            self.path.unlink(missing_ok=True)
