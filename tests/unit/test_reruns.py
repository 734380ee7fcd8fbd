"""What an edit of the code runs again: no computation for words, no other one for an experiment."""

import re
import shutil
from pathlib import Path

import pytest

from replication.plan.catalog import Catalog
from replication.plan.configuration import read_yaml
from replication.plan.digest import Sources, code_digest
from replication.plan.layout import EXPERIMENTS, NO_DATASET, experiment_rule

ROOT = Path(__file__).parents[2]
COMPUTING = {"download", "prepare", "discretize", "similarity", "trials", "tests", *EXPERIMENTS}


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    """Repository whose code can be edited."""
    folder = tmp_path_factory.mktemp("edited")
    shutil.copytree(ROOT / "src", folder / "src", ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "workflow").mkdir()
    for name in ("config", "data", "notebooks", "workflow/schemas"):
        (folder / name).symlink_to(ROOT / name)
    return folder


@pytest.fixture(scope="module")
def catalog(root):
    return Catalog.load(read_yaml(ROOT / "config/config.yaml", "config/config.yaml"), root)


@pytest.fixture(scope="module")
def before(catalog):
    return codes(catalog)


def codes(catalog):
    """Digest of every kind of job: the rule, and what tells its digests apart.

    Of jobs that differ in a class of the library only, one stands for all.
    """
    sources = Sources(catalog.root)

    def code(rule, **ids):
        return code_digest(catalog.entry_points(rule, **ids), catalog.root, sources)

    found = {(rule, ""): code(rule) for rule in ("download", "prepare", "discretize")}
    found |= {(rule, ""): code(rule) for rule in ("ledger", "rollup", "report")}
    found |= {("tests", paper): code("tests", paper=paper) for paper in catalog.papers}
    found["similarity", ""] = code("similarity", measure="dilca_m")
    ids = {"paper": "dilca", "method": "dilca_m", "reading": "reconciled"}
    found["trials", ""] = code("trials", **ids)
    for paper, content in catalog.papers.items():
        for name, entry in content["experiments"].items():
            if paper == "study" and "_" in name and not name.endswith("_smd"):
                continue
            rule = experiment_rule(entry)
            ids = {"paper": paper, "experiment": name, "dataset": NO_DATASET}
            found[rule, f"{paper}.{name}"] = code(rule, **ids)
        for rule in ("table", "figure", "claims"):
            if (catalog.root / f"src/replication/papers/{paper}/{_module(rule)}.py").exists():
                found[rule, paper] = code(rule, paper=paper, artefact="")
    return found


def _module(rule):
    return rule if rule == "claims" else f"{rule}s"


def rerun(before, catalog, root, file, old, new):
    """Jobs whose digest an edit changes."""
    path = root / "src/replication" / file
    text = path.read_text(encoding="utf-8")
    assert old in text, f"{old!r} is not in {file}"
    try:
        path.write_text(text.replace(old, new, 1), encoding="utf-8")
        after = codes(catalog)
    finally:
        path.write_text(text, encoding="utf-8")
    assert before.keys() == after.keys()
    return {job for job in before if before[job] != after[job]}


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("papers/coupledmc/tables.py", '"One start:', '"A start:'),
        ("show/style.py", '"#0072B2"', '"#0072B3"'),
        ("show/sheet.py", '{self.digits}f"', '{self.digits}e"'),
        ("judge/verdicts.py", '"within noise"', '"in noise"'),
        ("judge/verdicts.py", 'MARKS = {EXACT: "="', 'MARKS = {EXACT: "+"'),
        ("papers/dilca/records.py", '"inverse purity"', '"purity, inverse"'),
    ],
    ids=["caption", "colour", "number format", "verdict rule", "legend", "words"],
)
def test_words_colours_and_verdicts_compute_nothing_again(before, catalog, root, file, old, new):
    jobs = rerun(before, catalog, root, file, old, new)
    assert jobs
    assert not {rule for rule, _ in jobs} & COMPUTING


@pytest.mark.parametrize(
    ("file", "old", "new", "experiments"),
    [
        ("papers/study/costs.py", "_WARM_UP = 600", "_WARM_UP = 601", r"study\.cost_"),
        (
            "papers/study/rivals/experiment.py",
            '"spectralcat")',
            '"spectralcat", "")',
            r"study\.rivals",
        ),
        ("papers/study/treatments.py", "share < 0.5", "share < 0.4", r"study\.treatment_"),
        ("papers/study/profiles.py", '"majority"', '"one"', r"study\.profiles"),
        ("papers/coupledmc/clustering.py", '"k-modes",', '"modes",', r"coupledmc\.discretized"),
        ("papers/coupledmc/clustering.py", '"density_peaks")', '"dp")', r"coupledmc\.adult_cost"),
        ("papers/caso/rocks.py", "fitted.n_remaining_", "fitted.n_clusters_", r"caso\.rock$"),
        ("papers/cde/embeddings.py", "beta=0.0", "beta=0.1", r"cde\.beta$"),
        ("papers/dilca/columns.py", "if len(values) == 1", "if not values", r"dilca\.preparations"),
    ],
)
def test_an_experiment_is_computed_again_alone(before, catalog, root, file, old, new, experiments):
    jobs = rerun(before, catalog, root, file, old, new)
    computed = {name for rule, name in jobs if rule in COMPUTING}
    assert computed == {
        name for rule, name in before if rule in EXPERIMENTS and re.search(experiments, name)
    }
    assert computed


def test_the_runner_is_behind_every_clustering_and_nothing_else_that_computes(
    before, catalog, root
):
    jobs = rerun(
        before, catalog, root, "run/scores.py", "EXTERNAL = tuple(", "EXTERNAL = (*(),) + tuple("
    )
    rules = {rule for rule, _ in jobs if rule in COMPUTING}
    assert {"trials", "clustering"} <= rules
    assert not rules & {"download", "prepare", "discretize", "similarity"}
    # CASO's own tests know the names of its scores
    assert ("tests", "dilca") not in jobs
