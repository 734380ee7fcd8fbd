"""Parameters that an experiment or an artefact knows, found in the code behind it.

A parameter is asked for by its name, so a name that occurs nowhere in the functions that a
computation can reach is one that nobody looks at: most likely a slip of the pen.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from replication.plan import syntax
from replication.plan.digest import module_file


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


def known_parameters(points: Iterable[str], source: Path) -> Known:
    """Names that the functions behind a computation could ask for.

    Parameters
    ----------
    points : iterable of str
        Functions, as ``module:function``.
    source : Path
        Folder of the packages. Only modules of the workflow are followed.

    Returns
    -------
    Known
    """
    waiting = [tuple(point.split(":")) for point in points]
    seen = set(waiting)
    found = Known()
    while waiting:
        module, name = waiting.pop()
        path = module_file(module, source)
        if path is None or not module.startswith("replication."):
            continue
        part = syntax.module(path, source.parent).parts.get(name)
        if part is None:
            continue
        found = Known(
            found.words.union(part.words),
            found.asked.union(part.asked),
            found.listed or part.listed,
        )
        new = {(one or module, other) for one, other in part.uses} - seen
        seen |= new
        waiting += new
    return found
