import textwrap
from pathlib import Path

import pytest

from replication.errors import UserError
from replication.plan import syntax
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
        from . import base
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


@pytest.fixture(autouse=True)
def forget():
    """Nothing is known from before; call it to forget again what only this process knows."""

    def clear():
        syntax._module.cache_clear()
        syntax._FOUND.clear()

    clear()
    return clear


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
        ("couplings/one.py", '"""Docstring."""', '"""Another."""'),
        ("couplings/one.py", '"""Docstring."""', ""),
        ("couplings/one.py", "# a comment", "# better words"),
        ("couplings/one.py", '"""One."""', "# nothing\n\n\n"),
        ("couplings/one.py", "+ 1", "+ (1)"),
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


def test_the_order_of_entry_points_does_not_matter(root):
    one, other = "couplings.one", "couplings.other"
    assert code_digest([one, other], root) == code_digest([other, one], root)
    assert code_digest([one], root) != code_digest([other], root)


def test_a_missing_module_is_named(root):
    with pytest.raises(UserError, match=r"no module 'couplings\.nowhere'"):
        code_digest(["couplings.nowhere"], root)


def test_a_syntax_error_is_named_with_its_line(root):
    edit(root, "couplings/inner.py", "return x", "return (")
    with pytest.raises(UserError, match=r"inner\.py, line 2: not valid Python"):
        code_digest(["couplings.one"], root)


@pytest.mark.parametrize(
    "step", ["download", "discretize", "similarity", "trials", "tests", "experiment"]
)
def test_steps_that_compute_depend_on_nothing_that_plans_judges_or_shows(step):
    rooms = {name.split(".")[1] for name in reachable_modules([STEPS[step]], ROOT) if "." in name}
    assert not rooms & {"plan", "judge", "show", "report", "papers"}


# --- computations of papers, part by part ---------------------------------------------------------


@pytest.fixture
def papers(root):
    write(root, "replication/__init__.py", "")
    write(root, "replication/papers/__init__.py", "")
    write(root, "replication/papers/p/__init__.py", "")
    write(
        root,
        "replication/papers/p/runs.py",
        """
        from couplings import one, other
        from replication.papers.p.shared import LIMIT, unused
        import math

        STEP = 2
        TWICE = 2 * STEP

        def first(x):
            return _helped(x, LIMIT)

        def _helped(x, limit):
            return one.f(x) + STEP

        def second(x):
            return other.g(math.pi) + unused(x)
        """,
    )
    write(
        root,
        "replication/papers/p/shared.py",
        """
        from couplings.late import x

        LIMIT = 3

        def unused(y):
            return x + y
        """,
    )
    return root


FIRST = "replication.papers.p.runs:first"
SECOND = "replication.papers.p.runs:second"


@pytest.mark.parametrize(
    ("name", "old", "new", "changed"),
    [
        ("replication/papers/p/runs.py", "f(x) + STEP", "f(x) - STEP", {FIRST}),
        ("replication/papers/p/runs.py", "STEP = 2\n", "STEP = 3\n", {FIRST}),
        ("replication/papers/p/runs.py", "2 * STEP", "3 * STEP", set()),
        ("replication/papers/p/runs.py", "math.pi", "math.e", {SECOND}),
        ("replication/papers/p/runs.py", "import math", "import cmath as math", {SECOND}),
        ("replication/papers/p/runs.py", "STEP = 2\n", "STEP = 2\nprint()\n", {FIRST, SECOND}),
        ("replication/papers/p/shared.py", "LIMIT = 3", "LIMIT = 4", {FIRST}),
        ("replication/papers/p/shared.py", "x + y", "x - y", {SECOND}),
        ("couplings/late.py", "x = 1", "x = 2", {SECOND}),
        ("couplings/other.py", "import couplings.base", "import couplings.late", {SECOND}),
        ("couplings/inner.py", "return x", "return -x", {FIRST}),
        ("couplings/base.py", "errors import E", "errors import E as F", {FIRST, SECOND}),
    ],
)
def test_of_a_papers_module_only_what_is_reached_by_name_counts(papers, name, old, new, changed):
    before = {point: code_digest([point], papers) for point in (FIRST, SECOND)}
    whole = code_digest(["replication.papers.p.runs"], papers)
    edit(papers, name, old, new)
    after = {point: code_digest([point], papers) for point in (FIRST, SECOND)}
    assert {point for point in before if before[point] != after[point]} == changed
    assert code_digest(["replication.papers.p.runs"], papers) != whole


def test_a_name_that_a_papers_module_does_not_bind_means_all_of_it(papers):
    point = "replication.papers.p.runs:third"
    before = code_digest([point], papers)
    edit(papers, "replication/papers/p/runs.py", "math.pi", "math.e")
    assert code_digest([point], papers) != before


def kept(root):
    return sorted((root / syntax.KEPT).glob("*.json"))


def test_what_was_found_is_kept_and_holds_while_the_content_does(root, forget):
    first = code_digest(["couplings.one"], root)
    assert kept(root)
    forget()
    calls = []
    read = syntax.read
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(syntax, "read", lambda *args: calls.append(args) or read(*args))
        assert code_digest(["couplings.one"], root) == first
        assert not calls
        path = root / "src/couplings/one.py"
        path.write_text(path.read_text() + "\nX = 3\n")
        assert code_digest(["couplings.one"], root) != first
        assert len(calls) == 1


@pytest.mark.parametrize("content", [b"", b"[1]", b'{"key": "other"}', b"\xff"])
def test_what_is_kept_may_be_damaged(root, forget, content):
    first = code_digest(["couplings.one"], root)
    for path in kept(root):
        path.write_bytes(content)
    forget()
    assert code_digest(["couplings.one"], root) == first


def test_a_place_that_cannot_be_written_keeps_nothing(root):
    (root / syntax.KEPT.parent).write_text("no folder")
    assert len(code_digest(["couplings.one"], root)) == 32
    assert not kept(root)
