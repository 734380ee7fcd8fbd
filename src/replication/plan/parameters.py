"""Parameters that an experiment or an artefact knows, found in the code behind it.

A parameter is asked for by its name, so a name that occurs nowhere in the functions that a
computation can reach is one that nobody looks at: most likely a slip of the pen.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from replication.plan.digest import Sources


class Known(NamedTuple):
    """Names that occur in some code.

    Attributes
    ----------
    words : frozenset of str
        Every text that could be a parameter's name.
    asked : frozenset of str
        Those that are asked for by ``parameters[...]`` or ``parameters.get(...)``.
    listed : bool
        Whether one is asked for by a name that is computed, so that any will do.
    """

    words: frozenset[str] = frozenset()
    asked: frozenset[str] = frozenset()
    listed: bool = False


def known_parameters(points: Iterable[str], sources: Sources) -> Known:
    """Names that the functions behind a computation could ask for.

    Parameters
    ----------
    points : iterable of str
        Functions, as ``module:function``.
    sources : Sources
        The code. Only modules of the workflow are followed.

    Returns
    -------
    Known
    """
    waiting = [tuple(point.split(":")) for point in points]
    seen = set(waiting)
    words: set[str] = set()
    asked: set[str] = set()
    listed = False
    while waiting:
        module, name = waiting.pop()
        path = sources.file(module) if module.startswith("replication.") else None
        part = sources.module(path).parts.get(name) if path else None
        if part is None:
            continue
        words.update(part.words)
        asked.update(part.asked)
        listed = listed or part.listed
        new = {(one or module, other) for one, other in part.uses} - seen
        seen |= new
        waiting += new
    return Known(frozenset(words), frozenset(asked), listed)
