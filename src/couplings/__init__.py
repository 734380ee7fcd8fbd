"""Similarity of categorical data: fast measures, clusterings and scores.

Names are loaded on first use, so that a measure imports only its own dependencies. The stub
``__init__.pyi`` lists the module of each name; type checkers and editors read it too.
"""

from typing import Any

import lazy_loader

_load, _, _names = lazy_loader.attach_stub(__name__, __file__)
__all__ = sorted([*_names, "__version__"])

_MOVED = {
    **dict.fromkeys(
        ("Anderberg", "Burnaby", "CDCDR", "Gambaryan", "Smirnov", "UDM", "UEDM"),
        "couplings.measures",
    ),
    **dict.fromkeys(("AhmadDeyKMeans", "Climbo", "SpectralCAT"), "couplings.cluster"),
}
"""Names that few look for, and the package that has them now."""


def __getattr__(name: str) -> Any:
    """Import the module of `name` on first access."""
    if name == "__version__":
        from importlib.metadata import version

        return version("couplings")
    if name in _MOVED:
        from importlib import import_module

        from couplings._renamed import warn_of_name

        warn_of_name("couplings", name, f"{_MOVED[name]}.{name}")
        return getattr(import_module(_MOVED[name]), name)
    if name not in _names:
        from difflib import get_close_matches

        near = get_close_matches(name, __all__, n=3)
        hint = f"; did you mean {' or '.join(map(repr, near))}?" if near else ""
        raise AttributeError(f"module 'couplings' has no attribute {name!r}{hint}")
    return _load(name)


def __dir__() -> list[str]:
    return __all__
