"""What to say to a name that does not exist."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any

_SHOWN = 12


def remedy(value: Any, known: Iterable[Any]) -> str:
    """The closest known value, and the known ones."""
    names = [str(name) for name in known]
    close = difflib.get_close_matches(str(value), names, n=1)
    hint = f"did you mean {close[0]!r}? " if close else ""
    listed = ", ".join(names[:_SHOWN]) + (", ..." if len(names) > _SHOWN else "")
    return f"{hint}known: {listed}" if names else "there are none to choose from"
