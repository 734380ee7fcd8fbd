"""One number for the content of a table, whatever its labels are called."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Collection
from typing import TYPE_CHECKING

import numpy as np

from replication.files import MISSING

if TYPE_CHECKING:
    import pandas as pd


def table_fingerprint(frame: pd.DataFrame, numeric: Collection[str] = ()) -> str:
    """SHA-256 of a table up to the names of its labels.

    Hashed are the number of rows and of columns (two little-endian int64) and then, column by
    column, the code of every cell, numbered in order of first appearance (little-endian int32).
    So a one-to-one renaming of the labels of a column leaves the fingerprint as it is, and any
    other change shows: another order of rows, two labels merged, a label moved, a missing cell
    elsewhere (``?`` is a label like any other). Swapping two columns shows unless both cut the
    rows into the same groups.

    Parameters
    ----------
    frame : pandas.DataFrame
        Texts only, without missing entries of pandas.
    numeric : collection of str, optional
        Columns that hold quantities, which no renaming may touch: of these the values are hashed
        (little-endian float64, a missing cell as one fixed NaN), so ``1``, ``1.0`` and ``01`` are
        the same. Names that are not columns of the table are an error.

    Returns
    -------
    str
        64 hexadecimal digits.
    """
    import pandas as pd

    if unknown := {*numeric} - {*frame.columns}:
        raise KeyError(f"numeric columns that the table does not have: {sorted(unknown)}")
    digest = hashlib.sha256(struct.pack("<qq", *frame.shape))
    for k, column in enumerate(frame.columns):
        cells = frame.iloc[:, k]
        if cells.isna().any():
            raise ValueError(f"column {column}: a missing cell must be the text {MISSING!r}")
        if column in numeric:
            values = np.array(
                [np.nan if cell == MISSING else float(cell) + 0.0 for cell in cells], dtype="<f8"
            )
            digest.update(values.tobytes())
        else:
            codes, _ = pd.factorize(cells, use_na_sentinel=False)
            digest.update(codes.astype("<i4").tobytes())
    return digest.hexdigest()
