"""Errors that the user can fix: one clear message, no traceback."""

import difflib
from collections.abc import Iterable
from typing import Any

_SHOWN = 12
_COMPARED = 200


class UserError(Exception):
    """A problem with files, settings or the network; its message says how to solve it.

    The command line prints ``error: <message>`` and ends with exit code 2.
    """


def remedy(value: Any, known: Iterable[Any]) -> str:
    """Suggest the closest known value, and list the known ones."""
    names = [str(name) for name in known]
    # comparing takes time that grows with the square of the length
    close = difflib.get_close_matches(str(value)[:_COMPARED], names, n=1)
    hint = f"did you mean {close[0]!r}? " if close else ""
    listed = ", ".join(names[:_SHOWN]) + (", ..." if len(names) > _SHOWN else "")
    return f"{hint}known: {listed}" if names else "there are none to choose from"
