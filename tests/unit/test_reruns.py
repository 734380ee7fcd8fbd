"""What an edit of the code runs again: no computation for words, no other module's experiments."""

import re
import shutil

import pytest
from kit import ROOT

from replication.plan.code import Sources
from replication.plan.computing import batch_of, experiments, methods
from replication.plan.configuration import read_yaml
from replication.plan.layout import NO_DATASET
from replication.plan.plan import Plan

RUNNING = {"trials", "experiment", "timing"}
"""Rules that run experiments."""
COMPUTING = {"download", "discretize", "similarity", "tests", *RUNNING}


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    """Repository whose code can be edited."""
    folder = tmp_path_factory.mktemp("edited")
    shutil.copytree(ROOT / "src", folder / "src", ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "workflow").mkdir()
    for name in ("config", "data", "notebooks"):
        (folder / name).symlink_to(ROOT / name)
    return folder


@pytest.fixture(scope="module")
def catalog(root):
    return Plan.load(read_yaml(ROOT / "config/config.yaml", "config/config.yaml"), root)


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

    found = {(rule, ""): code(rule, dataset="car") for rule in ("download",)}
    for rule in ("discretize", "similarity"):
        found[rule, ""] = code(rule, paper="dilca", dataset="car")
    found |= {(rule, ""): code(rule) for rule in ("ledger", "rollup", "report")}
    found |= {("tests", paper): code("tests", paper=paper) for paper in catalog.papers}
    for rule, ids, names in running(catalog):
        found[rule, names] = code(rule, **ids)
    for paper in catalog.papers:
        for rule in ("table", "figure", "claims"):
            place = catalog.root / f"src/replication/papers/{paper}/{_module(rule)}"
            if place.is_dir() or place.with_suffix(".py").exists():
                artefact = (
                    next(iter(catalog.artefacts(paper, rule)), "") if rule != "claims" else ""
                )
                found[rule, paper] = code(
                    rule, paper=paper, **({"artefact": artefact} if artefact else {})
                )
    return found


def _module(rule):
    return rule if rule == "claims" else f"{rule}s"


def rerun(before, catalog, root, *edits):
    """Jobs whose digest edits change: file, text and replacement of each."""
    texts = {}
    try:
        for file, old, new in edits:
            path = root / "src/replication" / file
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


def test_words_colours_and_verdicts_compute_nothing_again(before, catalog, root):
    words = [
        ("papers/coupledmc/tables/method.py", "One start: everything", "A start: everything"),
        ("papers/dilca/tables/scores.py", '"inverse purity"', '"purity, inverse"'),
    ]
    assert rerun(before, catalog, root, *words) == {("table", "coupledmc"), ("table", "dilca")}
    jobs = rerun(
        before,
        catalog,
        root,
        *words,
        ("show/style.py", '"#0072B2"', '"#0072B3"'),
        ("show/sheet.py", '{self.digits}f"', '{self.digits}e"'),
        ("judge/verdicts.py", '"within noise"', '"in noise"'),
        ("judge/verdicts.py", 'MARKS = {EXACT: "="', 'MARKS = {EXACT: "+"'),
    )
    assert jobs >= {(rule, "dilca") for rule in ("table", "figure", "claims")}
    assert not {rule for rule, _ in jobs} & COMPUTING


def test_an_experiment_is_computed_again_with_its_module_alone(before, catalog, root):
    edits = {
        r"study\.(treatment|grid)_": ("papers/study/grid.py", "> 0.5", "> 0.6"),
        r"study\.profiles": (
            *("papers/study/profiles.py", '"baseline": name', '"baseline": "one"'),
        ),
        r"coupledmc\.(description|structure|peaks|sensitivity)": (
            *("papers/coupledmc/structure.py", "halo=True", "halo=False"),
        ),
        r"cde\.(embeddings|similarities|bandwidths|alpha|beta)$": (
            *("papers/cde/clusterings.py", "beta=0.0", "beta=0.1"),
        ),
        r"dilca\.(preparations|rock_clusters)": (
            *("papers/dilca/columns.py", "sizes[:8]", "sizes[:9]"),
        ),
    }
    jobs = rerun(before, catalog, root, *edits.values())
    found = {
        pattern: {
            (rule, names)
            for rule, names in before
            if rule in RUNNING and any(re.search(pattern, name) for name in names)
        }
        for pattern in edits
    }
    assert all(found.values())
    assert {job for job in jobs if job[0] in COMPUTING} == set.union(*found.values())


def test_the_runner_is_behind_every_clustering_and_nothing_else_that_computes(
    before, catalog, root
):
    edit = ("run/scores.py", "EXTERNAL = tuple(", "EXTERNAL = (*(),) + tuple(")
    jobs = rerun(before, catalog, root, edit)
    rules = {rule for rule, _ in jobs if rule in COMPUTING}
    assert "trials" in rules
    assert not rules & {"download", "discretize", "similarity"}
    # CASO's own tests know the names of its scores
    assert ("tests", "dilca") not in jobs
