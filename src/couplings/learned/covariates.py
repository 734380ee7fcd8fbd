"""Covariates of latent classes: numbers as they are, categories as indicators."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from couplings._labels import text_of
from couplings.errors import CouplingsError
from couplings.mixed import frame_of, is_number

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Coding:
    """Columns of covariates and how they become numbers.

    Parameters
    ----------
    names : tuple of q str
        Names of the columns.
    levels : tuple of q tuples of str, or None for numbers
        Categories; the first is the baseline, each further one an indicator (dummy coding).
    named : bool
        Whether the data had names, by which later data are matched.
    """

    names: tuple[str, ...]
    levels: tuple[tuple[str, ...] | None, ...]
    named: bool

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns of the design: the constant, numbers and indicators."""
        found = ["(constant)"]
        for name, levels in zip(self.names, self.levels, strict=True):
            found += [name] if levels is None else [f"{name}={level}" for level in levels[1:]]
        return tuple(found)

    @classmethod
    def of(cls, owner: str, given: Any) -> Self:
        """Learn the coding of covariates; raise `CouplingsError` if a column cannot be coded."""
        frame = _frame(owner, given)
        levels = [_levels(owner, name, frame[name]) for name in frame.columns]
        return cls(tuple(frame.columns), tuple(levels), _has_names(given))

    def design(self, owner: str, given: Any, n: int) -> np.ndarray:
        """Return a column of ones and the coded covariates, float64 of shape (n, 1 + q').

        Raises `CouplingsError` if there are not n rows of these columns, or a cell is missing,
        infinite or a category that `fit` has not seen.
        """
        frame = _frame(owner, given)
        if frame.shape != (n, len(self.names)):
            raise CouplingsError(
                f"{owner}: covariates of shape {frame.shape} do not fit; pass values of shape "
                f"({n}, {len(self.names)})"
            )
        if self.named and _has_names(given):
            absent = [name for name in self.names if name not in frame.columns]
            if absent:
                raise CouplingsError(
                    f"{owner}: the covariate {absent[0]!r} of fit is missing; pass the columns "
                    f"{', '.join(self.names)}"
                )
            frame = frame[list(self.names)]
        parts = [np.ones(n)]
        for j, (name, levels) in enumerate(zip(self.names, self.levels, strict=True)):
            column = frame.iloc[:, j]
            if column.isna().any():
                raise CouplingsError(
                    f"{owner}: the covariate {name!r} has missing cells; fill them or drop the rows"
                )
            if levels is None:
                parts.append(_numbers(owner, name, column))
                continue
            texts = np.array([text_of(cell) for cell in column], dtype=object)
            new = sorted(set(texts) - set(levels))
            if new:
                raise CouplingsError(
                    f"{owner}: fit has not seen the value {new[0]!r} of the covariate {name!r}; "
                    "fit on data that have it"
                )
            parts += [(texts == level).astype(np.float64) for level in levels[1:]]
        return np.column_stack(parts)


def _has_names(given: Any) -> bool:
    return hasattr(given, "columns") or getattr(given, "name", None) is not None


def _frame(owner: str, given: Any) -> "pd.DataFrame":
    """Return covariates as a data frame; a vector or a series is one column."""
    import pandas as pd

    if hasattr(given, "to_frame") and not hasattr(given, "columns"):
        named = getattr(given, "name", None) is not None
        return frame_of(given.to_frame() if named else given.to_frame("0"))
    if not hasattr(given, "columns"):
        shape = np.shape(given)
        if len(shape) == 1:
            return frame_of(pd.DataFrame({"0": list(given)}))
        if len(shape) != 2:
            raise CouplingsError(
                f"{owner}: covariates of shape {shape} do not fit; pass a column, or a table"
            )
    return frame_of(given)


def _levels(owner: str, name: str, column: "pd.Series") -> tuple[str, ...] | None:
    """Return the categories of a column that occur, None if it holds numbers."""
    import pandas as pd

    dtype = column.dtype
    if is_number(dtype) or pd.api.types.is_bool_dtype(dtype):
        return None
    if getattr(dtype, "kind", "O") in "mMc":
        raise CouplingsError(
            f"{owner}: the covariate {name!r} is of the type {dtype}; derive numbers or categories "
            "from it"
        )
    order: Sequence[Any] = getattr(dtype, "categories", ())
    texts = {text_of(cell) for cell in column.dropna()}
    known = [text_of(level) for level in order if text_of(level) in texts]
    return tuple(known or sorted(texts))


def _numbers(owner: str, name: str, column: "pd.Series") -> np.ndarray:
    if getattr(column.dtype, "kind", "f") not in "iufb" and not is_number(column.dtype):
        raise CouplingsError(
            f"{owner}: the covariate {name!r} held numbers in fit, and now {column.dtype}"
        )
    numbers = column.to_numpy(dtype=np.float64)
    if not np.isfinite(numbers).all():
        raise CouplingsError(
            f"{owner}: the covariate {name!r} has infinite numbers; replace them or drop the rows"
        )
    return numbers
