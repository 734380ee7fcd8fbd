"""Errors that the reader can mend: one clear message, no traceback."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any

_SHOWN = 12
_COMPARED = 200


class UserError(Exception):
    """A problem in files, settings or the network that its message tells how to solve.

    The command line prints ``error: <message>`` and ends with exit code 2.
    """


def remedy(value: Any, known: Iterable[Any]) -> str:
    """The closest known value, and the known ones."""
    names = [str(name) for name in known]
    # what is very long is no slip of the pen, and comparing takes the square of the length
    close = difflib.get_close_matches(str(value)[:_COMPARED], names, n=1)
    hint = f"did you mean {close[0]!r}? " if close else ""
    listed = ", ".join(names[:_SHOWN]) + (", ..." if len(names) > _SHOWN else "")
    return f"{hint}known: {listed}" if names else "there are none to choose from"
