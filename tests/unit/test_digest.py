import textwrap

import pytest
from kit import ROOT

from replication.errors import UserError
from replication.plan.code import Sources
from replication.plan.layout import STEPS

ONE, RUNS = "couplings/one.py", "replication/papers/p/runs.py"


@pytest.fixture
def root(tmp_path):
    write(tmp_path, "couplings/__init__.py", '"""Lazy."""\nNAMES = {"Late": "couplings.late"}\n')
    write(tmp_path, "couplings/late.py", "x = 1\n")
    write(tmp_path, "couplings/errors.py", "class E(Exception): pass\n")
    write(tmp_path, "couplings/base.py", "from couplings.errors import E\n")
    write(
        tmp_path,
        "couplings/one.py",
        '''
        """One."""
        from __future__ import annotations
        from typing import TYPE_CHECKING
        import numpy as np
        from couplings import base
        if TYPE_CHECKING:
            from couplings.typed import T

        def f(x):
            """Docstring."""
            from couplings import inner
            return inner.g(x) + 1  # a comment
        ''',
    )
    write(tmp_path, "couplings/inner.py", "def g(x):\n    return x\n")
    write(tmp_path, "couplings/typed.py", "class T: pass\n")
    write(tmp_path, "couplings/other.py", "import couplings.base\n")
    for package in ("replication", "replication/papers", "replication/papers/p"):
        write(tmp_path, f"{package}/__init__.py", "")
    write(
        tmp_path,
        RUNS,
        '''
        """Runs."""
        from couplings.one import (  # the measure
            f,
        )

        def first(x):
            """Docstring."""
            return f(x) + 1  # a comment
        ''',
    )
    return tmp_path


def write(root, name, text):
    path = root / "src" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(textwrap.dedent(text).lstrip("\n"))


def edit(root, name, old, new):
    path = root / "src" / name
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def test_reachable_modules_follow_every_real_import(root):
    found = Sources(root).reached(["couplings.one:Thing"])
    assert found == {"couplings"} | {f"couplings.{x}" for x in ("base", "errors", "inner", "one")}


@pytest.mark.parametrize(
    ("name", "old", "new", "changed"),
    [
        ("couplings/typed.py", "class T: pass", "class T:\n    a = 1", False),
        ("couplings/other.py", "import couplings.base", "import couplings.late", False),
        ("couplings/late.py", "1", "2", False),
        (ONE, "+ 1", "+ 2", True),
        ("couplings/inner.py", "return x", "return -x", True),
        ("couplings/errors.py", "Exception", "ValueError", True),
        ("couplings/__init__.py", "Late", "Later", True),
        (ONE, "if TYPE_CHECKING:", "if TYPE_CHECKING is not None:", True),
        (ONE, "# a comment", "# better words", True),
        # of the papers, the words of docstrings and comments do not count
        (RUNS, '"""Docstring."""', '"""Another.\n\n    Two more lines.\n    """', False),
        (RUNS, "# a comment", "# better words", False),
        (RUNS, '"""Runs."""', '# nothing\n\n\n"""More."""', False),
        (RUNS, "+ 1", "+ (1)", False),
        (RUNS, "+ 1", "- 1", True),
    ],
)
def test_edits_of_what_is_reached_change_the_digest(root, name, old, new, changed):
    point = "replication.papers.p.runs:first"
    before = Sources(root).digest([point])
    edit(root, name, old, new)
    assert (Sources(root).digest([point]) != before) == changed


def test_a_function_is_found_in_a_module_of_its_package(root):
    write(root, "replication/papers/toy/tables/__init__.py", "")
    write(root, "replication/papers/toy/tables/first.py", "def one(): pass\n")
    write(root, "replication/papers/toy/tables/second.py", "x = 1\ndef two(*, x): pass\n")
    package, sources = "replication.papers.toy.tables", Sources(root)
    assert sources.members(package) == [package, f"{package}.first", f"{package}.second"]
    assert sources.defined(f"{package}:two").endswith("toy/tables/second.py:2")
    assert sources.public(package) == ["one", "two"]
    assert sources.definition(f"{package}:three") is None


def test_a_missing_module_is_named(root):
    with pytest.raises(UserError, match=r"no module 'couplings\.nowhere'"):
        Sources(root).digest(["couplings.nowhere"])


@pytest.mark.parametrize(
    "step", ["download", "discretize", "similarity", "trials", "tests", "experiment"]
)
def test_steps_that_compute_depend_on_nothing_that_plans_judges_or_shows(step):
    rooms = {name.split(".")[1] for name in Sources(ROOT).reached([STEPS[step]]) if "." in name}
    assert not rooms & {"plan", "judge", "show", "report", "papers"}


def test_a_syntax_error_is_named_with_its_line(root):
    edit(root, RUNS, "return f(x)", "return (")
    with pytest.raises(UserError, match=r"runs\.py, line 8: not valid Python"):
        Sources(root).digest(["replication.papers.p.runs"])
