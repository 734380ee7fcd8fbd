"""The rooms of the workflow package: who may import whom."""

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src"
FLOORS = [
    {"asking", "errors", "leftovers", "processor", "seeds"},
    {"files", "steps"},
    {"plan", "data"},
    {"run"},
    {"judge"},
    {"show"},
    {"papers"},
    {"report"},
    {"compiling"},
    {"warm"},
    {"__main__"},
]
LEVEL = {room: level for level, rooms in enumerate(FLOORS) for room in rooms}
MODULES = sorted((SOURCE / "replication").rglob("*.py"))


def room(path: Path) -> str:
    return path.relative_to(SOURCE / "replication").with_suffix("").parts[0]


def imported(path: Path) -> set[str]:
    """Rooms that a module imports from, inside functions as well."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            base = node.module.split(".")
            full = [[*base, alias.name] for alias in node.names] if len(base) == 1 else [base]
            names |= {parts[1] for parts in full if parts[0] == "replication"}
        elif isinstance(node, ast.Import):
            parts = [alias.name.split(".") for alias in node.names]
            names |= {one[1] for one in parts if one[0] == "replication" and len(one) > 1}
    return names


def test_every_module_has_a_room():
    assert {room(path) for path in MODULES} == {*LEVEL, "__init__"}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(SOURCE).as_posix())
def test_rooms_import_from_below_only(path):
    own = room(path)
    above = {
        other
        for other in imported(path)
        if own != "__init__" and other != own and LEVEL[other] >= LEVEL[own]
    }
    assert not above


def test_the_library_imports_nothing_of_the_workflow():
    for path in sorted((SOURCE / "couplings").rglob("*.py")):
        assert not imported(path), path
