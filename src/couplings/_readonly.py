"""Arrays that cannot be written: compiled kernels index memory by them and check nothing."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np


def sealed(array: np.ndarray) -> np.ndarray:
    """Return an array that its maker alone holds, made read-only; a copy if it is a view."""
    if array.base is not None or type(array) is not np.ndarray:
        array = np.array(array, order="K", subok=False)
    array.flags.writeable = False
    return array


def read_only(array: np.ndarray) -> np.ndarray:
    """Return the array if its memory is read-only, else a read-only copy."""
    owner: Any = array
    while type(owner) is np.ndarray and not owner.flags.writeable:
        if owner.base is None:
            return array
        owner = owner.base
    return sealed(np.array(array, order="K", subok=False))


class ReadOnly:
    """Mixin of frozen dataclasses whose arrays are read-only, also after copying or unpickling."""

    def _seal(self) -> None:
        """Replace each writable array of a field by a read-only copy."""
        for name, value in vars(self).items():
            if isinstance(value, np.ndarray):
                object.__setattr__(self, name, read_only(value))

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        """Restore the fields, and check them again."""
        for one in fields(self):  # type: ignore[arg-type]
            value = state[one.name]
            # Copies and pickles lose the flag; their arrays belong to this object alone.
            kept = sealed(value) if isinstance(value, np.ndarray) else value
            object.__setattr__(self, one.name, kept)
        self.__post_init__()

    def __post_init__(self) -> None:
        """Seal the arrays; a subclass checks its fields as well."""
        self._seal()
