import textwrap
from pathlib import Path

import pytest

from replication.errors import UserError
from replication.plan.code import definition, keywords, members
from replication.plan.digest import code_digest, reachable_modules
from replication.plan.layout import STEPS

ROOT = Path(__file__).parents[2]


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
    assert reachable_modules(["couplings.one:Thing"], root) == [
        "couplings",
        "couplings.base",
        "couplings.errors",
        "couplings.inner",
        "couplings.one",
    ]


def test_foreign_modules_are_ignored(root):
    assert reachable_modules(["numpy.linalg"], root) == []


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("couplings/typed.py", "class T: pass", "class T:\n    a = 1"),
        ("couplings/other.py", "import couplings.base", "import couplings.late"),
        ("couplings/late.py", "1", "2"),
    ],
)
def test_edits_without_meaning_leave_the_digest(root, name, old, new):
    before = code_digest(["couplings.one"], root)
    edit(root, name, old, new)
    assert code_digest(["couplings.one"], root) == before


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("couplings/one.py", "+ 1", "+ 2"),
        ("couplings/inner.py", "return x", "return -x"),
        ("couplings/errors.py", "Exception", "ValueError"),
        ("couplings/__init__.py", "Late", "Later"),
        ("couplings/one.py", "if TYPE_CHECKING:", "if TYPE_CHECKING is not None:"),
    ],
)
def test_edits_with_meaning_change_the_digest(root, name, old, new):
    before = code_digest(["couplings.one"], root)
    edit(root, name, old, new)
    assert code_digest(["couplings.one"], root) != before


def test_a_function_is_found_in_a_module_of_its_package(root):
    write(root, "replication/papers/toy/tables/__init__.py", "")
    write(root, "replication/papers/toy/tables/first.py", "def one(): pass\n")
    write(root, "replication/papers/toy/tables/second.py", "x = 1\ndef two(*, x): pass\n")
    package, source = "replication.papers.toy.tables", root / "src"
    assert members(package, source) == [package, f"{package}.first", f"{package}.second"]
    path, node = definition(f"{package}:two", source)
    assert (path.name, node.lineno) == ("second.py", 2)
    assert keywords(f"{package}:two", source) == {"x": True}
    assert definition(f"{package}:three", source)[1] is None


def test_the_order_of_entry_points_does_not_matter(root):
    one, other = "couplings.one", "couplings.other"
    assert code_digest([one, other], root) == code_digest([other, one], root)
    assert code_digest([one], root) != code_digest([other], root)


def test_a_missing_module_is_named(root):
    with pytest.raises(UserError, match=r"no module 'couplings\.nowhere'"):
        code_digest(["couplings.nowhere"], root)


@pytest.mark.parametrize(
    "step", ["download", "discretize", "similarity", "trials", "tests", "experiment"]
)
def test_steps_that_compute_depend_on_nothing_that_plans_judges_or_shows(step):
    rooms = {name.split(".")[1] for name in reachable_modules([STEPS[step]], ROOT) if "." in name}
    assert not rooms & {"plan", "judge", "show", "report", "papers"}


# --- modules of papers, by their syntax ----------------------------------------------------------

PAPER = "replication.papers.p.runs"


@pytest.fixture
def paper(root):
    for package in ("replication", "replication/papers", "replication/papers/p"):
        write(root, f"{package}/__init__.py", "")
    write(
        root,
        "replication/papers/p/runs.py",
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
    return root


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"""Docstring."""', '"""Another."""'),
        ('"""Docstring."""', ""),
        ("# a comment", "# better words"),
        ('"""Runs."""', "# nothing\n\n\n"),
        ("+ 1", "+ (1)"),
    ],
)
def test_words_of_a_paper_leave_the_digest(paper, old, new):
    before = code_digest([f"{PAPER}:first"], paper)
    edit(paper, "replication/papers/p/runs.py", old, new)
    assert code_digest([f"{PAPER}:first"], paper) == before


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("replication/papers/p/runs.py", "+ 1", "- 1"),
        ("couplings/inner.py", "return x", "return -x"),
    ],
)
def test_what_a_paper_computes_changes_the_digest(paper, name, old, new):
    before = code_digest([f"{PAPER}:first"], paper)
    edit(paper, name, old, new)
    assert code_digest([f"{PAPER}:first"], paper) != before


def test_a_syntax_error_is_named_with_its_line(paper):
    edit(paper, "replication/papers/p/runs.py", "return f(x)", "return (")
    with pytest.raises(UserError, match=r"runs\.py, line 8: not valid Python"):
        code_digest([PAPER], paper)
