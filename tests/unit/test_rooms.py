"""Who imports whom: rooms from below only, nothing in a circle; and who names a paper."""

import ast
import re
from graphlib import TopologicalSorter
from pathlib import Path

import grimp
import pytest

SOURCE = Path(__file__).parents[2] / "src"
FLOORS = [
    {"errors", "kernels", "processor"},
    {"files", "steps"},
    {"plan", "data"},
    {"run"},
    {"judge"},
    {"show"},
    {"papers", "report"},
    {"__main__"},
]
GRAPH = grimp.build_graph("couplings", "replication", cache_dir=None)
"""Imports inside functions, and those for type checkers, count as well."""
PAPERS = {path.stem for path in (SOURCE.parent / "config/papers").glob("*.yaml")}


def test_every_module_has_a_room():
    rooms = {name.split(".")[1] for name in GRAPH.find_descendants("replication")}
    assert rooms == set.union(*FLOORS)


def test_rooms_import_from_below_only():
    floors = [grimp.Layer(*floor) for floor in reversed(FLOORS)]
    found = GRAPH.find_illegal_dependencies_for_layers(floors, containers={"replication"})
    assert not [(one.importer, one.imported) for one in found]


def test_no_module_imports_itself_through_others():
    imports = {name: GRAPH.find_modules_directly_imported_by(name) for name in GRAPH.modules}
    TopologicalSorter(imports).prepare()  # an error names the circle


def test_nothing_in_the_library_stands_on_large():
    large = GRAPH.find_descendants("couplings.large") | {"couplings.large"}
    others = {name for name in GRAPH.modules if name.startswith("couplings.")} - large
    assert not [name for name in others if GRAPH.find_modules_directly_imported_by(name) & large]


def test_the_library_imports_nothing_of_the_workflow():
    assert not GRAPH.direct_import_exists(
        importer="couplings", imported="replication", as_packages=True
    )


ROOMS = sorted(set.union(*FLOORS) - {"papers", "__main__"})


@pytest.mark.parametrize("room", ROOMS)
def test_no_room_but_papers_names_a_paper(room):
    """Texts count that a program uses: docstrings may have examples."""
    named = re.compile(rf"\b({'|'.join(PAPERS)})\b", re.IGNORECASE)
    top = SOURCE / "replication" / room
    for path in sorted(top.rglob("*.py")) or [top.with_suffix(".py")]:
        nodes = list(ast.walk(ast.parse(path.read_text())))
        docstrings = {node.value for node in nodes if isinstance(node, ast.Expr)}
        texts = [
            node for node in nodes if isinstance(node, ast.Constant) and node not in docstrings
        ]
        assert not [one.value for one in texts if named.search(str(one.value))], path
