"""What type checkers read: ``python -m couplings._stub`` writes ``__init__.pyi``."""

from pathlib import Path

import couplings

_HEAD = '"""Similarity of categorical data. Written by ``python -m couplings._stub``."""\n\n'
_WIDTH = 100


def stub() -> str:
    """Return the stub of the package: where each of its names comes from."""
    # The stub, which type checkers read in place of the module, does not list it.
    modules: dict[str, str] = couplings._MODULES  # type: ignore[attr-defined]
    found = sorted(modules.items(), key=lambda one: (one[1], _order(one[0])))
    lines = []
    for name, module in found:
        line = f"from {module} import {name} as {name}"
        if len(line) > _WIDTH:
            line = f"from {module} import (\n    {name} as {name},\n)"
        lines.append(line)
    names = "".join(f'    "{name}",\n' for name in sorted(couplings.__all__, key=_order))
    return f"{_HEAD}{chr(10).join(lines)}\n\n__version__: str\n\n__all__ = [\n{names}]\n"


def _order(name: str) -> tuple[int, str]:
    """Constants, classes, functions, each by name, as sorted imports are."""
    kind = 0 if name.isupper() and len(name) > 1 else 1 if name[0].isupper() else 2
    return kind, name


if __name__ == "__main__":
    Path(couplings.__file__).with_suffix(".pyi").write_text(stub(), encoding="utf-8")
