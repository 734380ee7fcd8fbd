import json
import shutil
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from kit import PUBLISHED, computed, costs_here, data_inputs, outlined

from couplings.cluster.kmeans import KMeans
from couplings.counts import cooccurrence
from couplings.metrics.external import macro_f1
from couplings.table import CategoricalTable
from replication.data.store import Tables, write_archive
from replication.errors import UserError
from replication.judge.published import load as load_published
from replication.papers.cde import embedding_costs, theory
from replication.papers.cde.clusterings import SCORES, Bench
from replication.papers.cde.repeated_scores import Runs, ScoreTable, paired_p, thresholds
from replication.papers.cde.tables.scores import reproduced
from replication.plan.compute_jobs import experiment_spec
from replication.run import cost
from replication.run.experiment import Experiment
from replication.run.journal import Journal
from replication.run.similarity import learn
from replication.steps import load_class

SMALL = {
    "embeddings": {"starts": 2},
    "similarities": {"embeddings": 3, "starts": 3},
    "bandwidths": {"embeddings": 1, "starts": 2},
    "alpha": {"alpha": [1, 10, 50], "starts": 2},
    "beta": {"beta": [1e-17, 1e-10, 0.1, 2.0], "starts": 2},
    "random_tables": {"strengths": [0.0, 1.0], "objects": 60},
    "embedding_growth": {
        **{"objects": [100, 200], "attributes": [3, 6], "values": [20, 40], "n": 50, "m": 3},
        **{"rows": [100, 200], "columns": [3, 6], "d": 3},
    },
}


@pytest.fixture(scope="module")
def small(catalog, tmp_path_factory):
    """Files of two classes that three attributes tell apart, and of what is learnt of them."""
    rng = np.random.default_rng(7)
    labels = np.repeat([0, 1], 20)
    columns = [(labels + (rng.random(40) < 0.15)) % 2 + 2 * rng.integers(0, 2, 40) for _ in "abc"]
    columns += [rng.integers(0, 3, 40)]
    table = CategoricalTable.from_codes(np.column_stack(columns), [4, 4, 4, 3])
    folder = tmp_path_factory.mktemp("tables")
    inputs = data_inputs(folder, table, labels, "values")
    tables = Tables({"status": "ok", "reason": "", "label_cuts": []}, [table], [labels])
    spec = json.loads(catalog.spec("similarity", paper="cde", dataset="zoo"))
    learnt = folder / "learnt.npz"
    write_archive(learnt, {"values": learn(tables, spec["preparations"]["values"])})
    return {one["role"]: one["file"] for one in inputs} | {"similarity": str(learnt)}


def experiment(catalog, name, small, dataset="zoo", trials=2, **parameters):
    entry = catalog.papers["cde"]["experiments"][name]
    spec = experiment_spec(catalog, "cde", name, dataset if "datasets" in entry else "none")
    spec["parameters"] |= SMALL.get(name, {}) | parameters
    spec["trials"] = min(trials, spec["trials"])
    spec["inputs"] = [{"role": role, "file": file} for role, file in small.items()]
    return Experiment(spec, Journal(Path(small["tables"]).with_name(f"{name}.partial"), name))


def run(catalog, name, small, **more):
    entry = catalog.papers["cde"]["experiments"][name]
    one = experiment(catalog, name, small, dataset=entry.get("datasets", [""])[0], **more)
    return list(computed(load_class(entry["run"]), one))


@pytest.fixture(scope="module")
def records(catalog, small):
    """Records of every experiment on the small table; times are taken in this process."""
    names = list(catalog.papers["cde"]["experiments"])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(embedding_costs, "costs", costs_here)
        patch.setattr(cost, "costs", costs_here)
        return {name: run(catalog, name, small) for name in names}


@pytest.mark.parametrize(("most", "timed"), [(40, 1), (39, 0)])
def test_similarities_are_timed_up_to_a_number_of_objects(catalog, small, most, timed):
    one = experiment(catalog, "embedding_times", small)
    made = embedding_costs.represented(one, {"similarity": ["cado"]}, most)
    assert len(list(made)) == timed


def test_vectors_of_distinct_objects_give_clusters_of_all(catalog, small):
    bench = Bench(experiment(catalog, "embeddings", small))
    weights, inverse = bench.places
    assert weights.sum() == 40
    assert len(weights) < 40
    rows = np.arange(len(weights), dtype=float)[:, None]
    made = bench.means(bench.vectors(rows), KMeans(2), 2, "x", clusters=3)
    assert made.facts == {"clusters": 3, "failed": 0}
    assert made.labels.shape == (2, 40)
    for labels in made.labels:
        assert all(len(set(labels[inverse == i])) == 1 for i in range(len(rows)))
    assert made.scores(SCORES)[0]["fscore"] == macro_f1(bench.objects.classes, made.labels[0])


def test_an_embedding_without_columns_scores_nothing(catalog, small):
    bench = Bench(experiment(catalog, "embeddings", small))
    rows = bench.vectors(np.zeros((bench.distinct.n_objects, 0)))
    make = partial(bench.means, rows, KMeans(2), 2, "x", clusters=0)
    runs, facts = bench.clustered(make, measure="cde")
    assert [run["fscore"] for run in runs] == [0.0, 0.0]
    assert facts == {"clusters": 0}


def test_theorem_1_fails_where_two_attributes_have_the_same_extents():
    column = np.array([0, 0, 1, 1, 1, 2])
    other = np.array([0, 1, 0, 1, 0, 1])
    alone = CategoricalTable.from_codes(np.column_stack([column, other]), [3, 2])
    twice = CategoricalTable.from_codes(np.column_stack([column, other, column]), [3, 2, 3])
    assert theory.value_pairs(cooccurrence(alone))["undistinguished"] == 0
    found = theory.value_pairs(cooccurrence(twice))
    assert found["undistinguished"] == found["undistinguished_code"] == 3
    assert found["same_extents"] == 3
    assert found["occurrence_mismatches"] == 0


def test_variance_is_split_between_embeddings_and_starts():
    runs = Runs(np.array([[0.5, 0.7], [0.7, 0.9]]))
    assert runs.mean == pytest.approx(0.7)
    assert runs.start_sd == pytest.approx(np.sqrt(0.02))
    # between the means 0.6 and 0.8 lies a variance of 0.02, half of a start's is in it
    assert runs.embedding_sd == pytest.approx(np.sqrt(0.02 - 0.02 / 2))
    assert runs.run_sd == pytest.approx(np.sqrt(0.03))
    assert runs.standard_error == pytest.approx(np.sqrt(0.01 / 2 + 0.02 / 4))
    assert runs.independent == 3


def test_starts_of_one_embedding_are_independent_runs():
    runs = Runs(np.array([[0.1, 0.2, 0.3, 0.4]]))
    assert runs.independent == 4
    assert reproduced(runs).sd == pytest.approx(np.std([0.1, 0.2, 0.3, 0.4], ddof=1))
    assert Runs(np.full((3, 2), 0.5)).independent == 6
    assert reproduced(Runs(np.array([[0.5]]))).sd is None


def test_the_printed_columns_give_the_printed_tests():
    cells = load_published("cde", PUBLISHED).query("metric == 'fscore'")
    expected = {
        ("table01", "cde", 10): {"zero_one": 0.00275, "zero_one_p": 0.00251, "idf": 0.01960},
        ("table02", "cde_g", 9): {"cos": 0.05004, "dilca": 0.10219, "algo": 0.03147},
    }
    for (artefact, first, datasets), tests in expected.items():
        table = cells[cells["artefact"] == artefact].pivot_table(
            index="dataset_id", columns="method_id", values="value", aggfunc="first", sort=False
        )
        columns = ScoreTable.printed(table[:datasets].astype(float), np.random.default_rng(0))
        for other, p in tests.items():
            value, low, high = columns.central(paired_p(first, other))
            assert value == pytest.approx(p, abs=6e-6)
            assert low <= value <= high


def test_every_experiment_yields_flat_records(records, snapshot):
    for name, rows in records.items():
        assert rows, name
        for row in rows:
            assert all(isinstance(x, str | int | float | None) for x in row.values()), name
    # eigenvectors of few rows are not unique, and differ from machine to machine
    told = {name: rows for name, rows in records.items() if "embedding" not in rows[0]}
    assert {name: outlined(rows) for name, rows in told.items()} == snapshot
    # no more embeddings and starts than trials
    for key in ("embedding", "start"):
        assert {row[key] for row in records["similarities"]} == {0, 1}


def test_equal_indicators_share_what_each_alpha_gives_alone(catalog, small, records):
    for value in {row["alpha"] for row in records["alpha"]}:
        alone = run(catalog, "alpha", small, alpha=[value])
        assert alone == [row for row in records["alpha"] if row["alpha"] == value]


@pytest.mark.slow
def test_memory_is_that_of_a_process_of_its_own(catalog, small, tmp_path):
    # beside a table of its own, so that no record of the other experiments is taken up
    alone = small | {"tables": shutil.copy(small["tables"], tmp_path)}
    records = run(catalog, "adult_cost", alone)
    row = next(one for one in records if one["pipeline"] == "cos")
    assert 0 < row["before_mib"] <= row["peak_mib"]
    assert row["matrix_mib"] == pytest.approx(8 * 40**2 / 2**20)
    assert row["fit_seconds"] > 0


def test_thresholds():
    rows = [(1, 100), (5, 40), (10, 21), (20, 20)]
    alpha = pd.DataFrame([{"alpha": a, "clusters": c} for a, c in rows])
    beta = pd.DataFrame({"beta": [1e-17, 1e-15, 1e-10], "dimension": [30, 30, 20]})
    alpha, beta = (frame.assign(dataset="zoo", measure="cde") for frame in (alpha, beta))
    assert thresholds(alpha, "alpha").to_dict() == {"zoo": 10}
    assert thresholds(beta, "beta").to_dict() == {"zoo": 1e-10}
    with pytest.raises(UserError, match="add larger ones"):
        thresholds(beta.assign(dimension=7), "beta")
