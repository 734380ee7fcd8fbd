"""Decide which code a configuration may name.

A configuration is data. It names classes and functions of this repository, and of modules that the
user's command line allows, with ``--config plugins=PATH``; no file can allow them.
"""

import importlib.util
import os
import sys
from pathlib import Path
from typing import Any

from replication.errors import UserError

VARIABLE = "REPLICATION_PLUGINS"
"""Environment variable that hands the option to the jobs."""
PACKAGES = ("couplings", "replication")
CLASSES = ("couplings", "replication.papers")
"""Packages with the measures and algorithms of this repository."""
FUNCTIONS = ("replication.papers", "replication.run.statistics")
"""Packages with its experiments and comparisons."""
_HOW = (
    "to use a module of your own, allow it on the command line: --config plugins=PATH "
    "(docs/extend.md)"
)


def allowed() -> dict[str, Path]:
    """Return the folders of the modules that the command line allows, by module.

    The option names one module or a folder of modules.

    Raises
    ------
    UserError
        If there are none, or their names are taken.
    """
    given = os.environ.get(VARIABLE, "")
    if not given:
        return {}
    path = Path(given).expanduser().resolve()
    if path.is_dir():
        found = [*path.glob("*.py"), *(one.parent for one in path.glob("*/__init__.py"))]
    else:
        found = [path] if path.suffix == ".py" and path.is_file() else []
    names = [one.stem for one in found if one.stem.isidentifier()]
    if not names:
        raise UserError(
            f"plugins={given}: there is no module; give a Python file, or a folder of them"
        )
    if taken := next((one for one in names if _taken(one)), None):
        raise UserError(f"plugins={given}: the name {taken!r} is taken; rename the module")
    return dict.fromkeys(sorted(names), found[0].parent)


def _taken(name: str) -> bool:
    return name in PACKAGES or name in sys.stdlib_module_names


def check_point(point: str, packages: tuple[str, ...] = PACKAGES) -> None:
    """Check that a configuration may name a class or function ``module:name``.

    `packages` are those of this repository that have what is asked for.

    Raises `UserError` if not.
    """
    module = point.partition(":")[0]
    inside = any(module == one or module.startswith(f"{one}.") for one in packages)
    if not inside and module.partition(".")[0] not in allowed():
        raise UserError(f"{point!r} is not in {' or '.join(packages)}; {_HOW}")


def import_allowed(point: str) -> None:
    """Import the module of the command line that ``module:name`` names, if it names one.

    Raises `UserError` if another module of this name would be imported.
    """
    name, folder = point.partition(":")[0].partition(".")[0], Path()
    if name in PACKAGES:
        return
    folder = allowed()[name]
    if str(folder) not in sys.path:
        sys.path.append(str(folder))
    spec = importlib.util.find_spec(name)
    if spec is None or spec.origin is None or folder not in Path(spec.origin).resolve().parents:
        raise UserError(f"the name {name!r} is taken by an installed package; rename the module")


def is_ours(found: Any) -> bool:
    """Return whether an object is defined in a package that a configuration may name."""
    name = str(getattr(found, "__module__", "")).partition(".")[0]
    return name in PACKAGES or name in allowed()
