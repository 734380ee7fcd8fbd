"""The imports of the library: no circle, and nothing stands on `couplings.large`."""

import ast
from graphlib import TopologicalSorter

from kit import ROOT

SOURCE = ROOT / "src"


def name_of(path):
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


FILES = {name_of(path): path for path in (SOURCE / "couplings").rglob("*.py")}


def imported(name):
    """Modules of the library that a module imports, inside functions and for types as well."""
    found = set()
    for node in ast.walk(ast.parse(FILES[name].read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom):
            members = {f"{node.module}.{alias.name}" for alias in node.names} & FILES.keys()
            found |= members or {node.module}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return (found & FILES.keys()) - {name}


IMPORTS = {name: imported(name) for name in FILES}


def test_no_module_imports_itself_through_others():
    order = list(TopologicalSorter(IMPORTS).static_order())
    assert set(order) == set(FILES)


def test_nothing_stands_on_large():
    large = {name for name in FILES if name.startswith("couplings.large")}
    assert large
    assert not {name for name in FILES.keys() - large if IMPORTS[name] & large}
