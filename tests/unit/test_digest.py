"""Digests of code, and what is computed again after a change."""

import re
import shutil
import textwrap

import pytest
from kit import ROOT

from replication.errors import UserError
from replication.plan.code import Sources
from replication.plan.compute_jobs import batch_of, experiments, methods
from replication.plan.layout import NO_DATASET
from replication.plan.plan import Plan
from replication.plan.steps import COMMANDS

ONE, RUNS = "couplings/one.py", "replication/papers/p/runs.py"

FILES = {
    "couplings/__init__.py": '"""Lazy."""\nNAMES = {"Late": "couplings.late"}\n',
    "couplings/late.py": "x = 1\n",
    "couplings/errors.py": "class E(Exception): pass\n",
    "couplings/base.py": "from couplings.errors import E\n",
    ONE: '''
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
    "couplings/inner.py": "def g(x):\n    return x\n",
    "couplings/typed.py": "class T: pass\n",
    "couplings/other.py": "import couplings.base\n",
    "replication/__init__.py": "",
    "replication/papers/__init__.py": "",
    "replication/papers/p/__init__.py": "",
    RUNS: '''
        """Runs."""
        from couplings.one import (  # the measure
            f,
        )

        def first(x):
            """Docstring."""
            return f(x) + 1  # a comment
        ''',
}


@pytest.fixture
def root(tmp_path):
    for name, text in FILES.items():
        write(tmp_path, name, text)
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
    rooms = {name.split(".")[1] for name in Sources(ROOT).reached([COMMANDS[step]]) if "." in name}
    assert not rooms & {"plan", "judge", "show", "report", "papers"}


RUNNING = {"trials", "experiment", "timing"}
"""Rules that run experiments."""
COMPUTING = {"download", "discretize", "similarity", "tests", *RUNNING}


@pytest.fixture(scope="module")
def whole_root(tmp_path_factory):
    """Repository whose code can be edited."""
    folder = tmp_path_factory.mktemp("edited")
    shutil.copytree(ROOT / "src", folder / "src", ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "workflow").mkdir()
    for name in ("config", "data", "notebooks"):
        (folder / name).symlink_to(ROOT / name)
    return folder


@pytest.fixture(scope="module")
def catalog(whole_root):
    return Plan.of_effort(whole_root, "full")


@pytest.fixture(scope="module")
def before(catalog):
    return codes(catalog)


def running(catalog):
    """Jobs that run experiments or methods: rule and ids, with the names of what they run.

    Of jobs of a paper that run the same, one stands for all.
    """
    for paper, content in catalog.papers.items():
        found = {}
        for dataset in [*content["datasets"], NO_DATASET]:
            ids = {"paper": paper, "dataset": dataset}
            for rule in ("experiment", "timing"):
                if names := experiments(catalog, paper, dataset, rule):
                    found.setdefault((rule, *names), ids)
            batches = {}
            clustering = experiments(catalog, paper, dataset, "trials")
            for name in (*methods(catalog, paper, dataset), *clustering):
                batches.setdefault(batch_of(catalog, paper, name), []).append(name)
            for batch, names in batches.items():
                found.setdefault(("trials", *names), {**ids, "batch": batch})
        for (rule, *names), ids in found.items():
            yield rule, ids, tuple(f"{paper}.{name}" for name in names)


def codes(catalog):
    """Digest of every kind of job: the rule, and what tells its digests apart."""
    sources = Sources(catalog.root)

    def code(rule, **ids):
        return sources.digest(catalog.entry_points(rule, **ids))

    found = {("download", ""): code("download", dataset="car")}
    for rule in ("discretize", "similarity"):
        found[rule, ""] = code(rule, paper="dilca", dataset="car")
    found |= {(rule, ""): code(rule) for rule in ("ledger", "rollup", "report")}
    found |= {(rule, names): code(rule, **ids) for rule, ids, names in running(catalog)}
    for paper in catalog.papers:
        found["tests", paper] = code("tests", paper=paper)
        for rule, name in (("table", "tables"), ("figure", "figures"), ("claims", "claims")):
            place = catalog.root / f"src/replication/papers/{paper}/{name}"
            if place.is_dir() or place.with_suffix(".py").exists():
                artefact = rule != "claims" and next(iter(catalog.artefacts(paper, rule)), "")
                ids = {"artefact": artefact} if artefact else {}
                found[rule, paper] = code(rule, paper=paper, **ids)
    return found


@pytest.fixture
def rerun(before, catalog, whole_root):
    """Function that gives the jobs whose digest edits change: file, text, replacement of each."""

    def call(*edits):
        texts = {}
        try:
            for file, old, new in edits:
                path = whole_root / "src/replication" / file
                text = path.read_text(encoding="utf-8")
                assert old in text, f"{old!r} is not in {file}"
                texts.setdefault(path, text)
                path.write_text(text.replace(old, new, 1), encoding="utf-8")
            after = codes(catalog)
        finally:
            for path, text in texts.items():
                path.write_text(text, encoding="utf-8")
        assert before.keys() == after.keys()
        return {job for job in before if before[job] != after[job]}

    return call


def test_words_colours_and_verdicts_compute_nothing_again(rerun):
    words = [
        ("papers/coupledmc/tables/method.py", "One start: everything", "A start: everything"),
        ("papers/dilca/tables/scores.py", '"inverse purity"', '"purity, inverse"'),
        ("papers/cde/claims.py", "can break the theorem", "break the theorem"),
    ]
    assert rerun(*words) == {("claims", "cde"), ("table", "coupledmc"), ("table", "dilca")}
    jobs = rerun(
        *words,
        ("show/style.py", '"#0072B2"', '"#0072B3"'),
        ("show/sheet.py", '{self.digits}f"', '{self.digits}e"'),
        ("judge/verdicts.py", '"within noise"', '"in noise"'),
        ("judge/verdicts.py", 'MARKS = {EXACT: "="', 'MARKS = {EXACT: "+"'),
    )
    assert jobs >= {(rule, "dilca") for rule in ("table", "figure", "claims")}
    assert not {rule for rule, _ in jobs} & COMPUTING


EDITS = {
    r"study\.(treatment|grid)_": ("study/grid.py", "> 0.5", "> 0.6"),
    r"study\.profiles": ("study/profiles.py", '"baseline": name', '"baseline": "one"'),
    r"coupledmc\.(description|structure|peaks|sensitivity)": (
        *("coupledmc/structure.py", "halo=True", "halo=False"),
    ),
    r"cde\.(embeddings|similarities|bandwidths|alpha|beta)$": (
        *("cde/clusterings.py", "beta=0.0", "beta=0.1"),
    ),
    r"dilca\.(preparations|rock_clusters)": ("dilca/columns.py", "sizes[:8]", "sizes[:9]"),
}
"""Edits of modules of papers, by the experiments that run them."""


def test_an_experiment_is_computed_again_with_its_module_alone(before, rerun):
    jobs = rerun(*((f"papers/{file}", *texts) for file, *texts in EDITS.values()))
    expected = [
        {(rule, names) for rule, names in before if rule in RUNNING and any(map(search, names))}
        for search in (re.compile(pattern).search for pattern in EDITS)
    ]
    assert all(expected)
    assert {job for job in jobs if job[0] in COMPUTING} == set.union(*expected)


def test_the_runner_is_behind_every_clustering_and_nothing_else_that_computes(rerun):
    jobs = rerun(("run/scores.py", "EXTERNAL = tuple(", "EXTERNAL = (*(),) + tuple("))
    rules = {rule for rule, _ in jobs if rule in COMPUTING}
    assert "trials" in rules
    assert not rules & {"download", "discretize", "similarity"}
    # CASO's own tests know the names of its scores
    assert ("tests", "dilca") not in jobs
