"""The paper coupledMC: its worked example to the printed digit, tables, figures and claims."""

import json

import numpy as np
import pandas as pd
import pytest
from kit import (
    PUBLISHED,
    ROOT,
    coded_inputs,
    computed,
    costs_here,
    experiment_of,
    learnt_inputs,
    outlined,
    prepared_inputs,
    recorded,
)
from scipy.spatial.distance import cdist

from couplings import AhmadDey
from couplings.metrics.internal import internal_indices
from couplings.mixed import MixedSpace, MixedTable, scaled
from couplings.table import CategoricalTable
from replication.data.discretize import discretize
from replication.data.prepare import prepare
from replication.files import CLASS, read_raw
from replication.judge.cells import VERDICT_COLUMNS
from replication.judge.published import load, numbers
from replication.papers.coupledmc import accuracy_runs, clustering, example, structure
from replication.papers.coupledmc.tables.method import INDICES, ORIGINALS, _best_improvements
from replication.plan.compute_jobs import requested_settings
from replication.plan.configuration import read_yaml
from replication.plan.plan import Plan
from replication.plan.readings import resolved
from replication.show.job import Job
from replication.show.sheet import build

READINGS = read_yaml(ROOT / "config" / "readings.yaml", "readings.yaml")
REGISTRY = {
    name: resolved(read_yaml(ROOT / file, file), READINGS, file)
    for name, file in {
        "papers": "config/papers/coupledmc.yaml",
        "measures": "config/measures.yaml",
        "algorithms": "config/algorithms.yaml",
    }.items()
}
CONFIG = REGISTRY["papers"]
CATALOG = Plan.of_effort(ROOT, "full", check=False)
SETS = CONFIG["clustered"]
CELLS = load("coupledmc", PUBLISHED)


def experiment(tmp_path, name, dataset, frame, numeric, trials=2, **parameters):
    """An experiment of the configuration on a small prepared table."""
    entry, place = CONFIG["experiments"][name], tmp_path / f"{name}.{dataset}"
    inputs = prepared_inputs(place, frame, numeric=numeric)
    registered = {
        key: {one: registry[one] for one in entry.get(key, [])}
        for key, registry in REGISTRY.items()
    }
    learnt = requested_settings(entry)
    (preparation,) = entry["preparations"]
    rule = {"preparation": CONFIG["preparations"][preparation], "paper": "coupledmc"}
    cells = {column: frame[column].to_numpy(dtype=str) for column in frame}
    found = discretize(cells, {"numeric": numeric, "declared": {}}, rule | {"dataset": dataset})
    inputs += coded_inputs(place.with_name(f"{place.name}.npz"), **{preparation: found})
    measures = {one: REGISTRY["measures"][one] for one in learnt}
    file = place.with_name(f"{place.name}.learnt.npz")
    inputs += learnt_inputs(file, found, preparation, measures, learnt)
    return experiment_of(
        tmp_path / f"{name}.{dataset}.partial",
        "coupledmc",
        name,
        dataset=dataset,
        parameters={**entry.get("parameters", {}), **parameters},
        trials=trials,
        inputs=inputs,
        preparations=[preparation],
        similarities={one: {"settings": points} for one, points in learnt.items()},
        **registered,
    )


def small(n=60, seed=0):
    """Prepared table of three groups: three categories and two numbers."""
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 3, n)
    frame = pd.DataFrame(
        {
            name: np.where(rng.random(n) < 0.8, group, rng.integers(0, 3, n)).astype(str)
            for name in ("a", "b", "c")
        }
    )
    frame["x"] = np.round(group + rng.normal(size=n), 3).astype(str)
    frame["y"] = np.round(100 * group + 30 * rng.normal(size=n), 3).astype(str)
    frame[CLASS] = group.astype(str)
    return frame


def write(folder, name, dataset, rows):
    """Records as the step `experiment` writes them; returns the input of an artefact."""
    common = {"paper": "coupledmc", "experiment": name, "dataset": dataset}
    path = folder / f"{name}.{dataset}.parquet"
    rows = [{**common, **row} for row in rows]
    return recorded(path, rows, experiment=name, dataset=dataset)


def sheet(artefact, inputs, left_out=()):
    spec = json.loads(CATALOG.spec("table", paper="coupledmc", artefact=artefact))
    spec["left_out"] = [{"dataset": one, "reason": "left out"} for one in left_out]
    spec["inputs"] = [one for one in inputs if one["experiment"] in spec["experiments"]]
    made = build(Job(spec), CELLS)
    assert {row["id"] for row in made.verdicts} == set(
        numbers(CELLS[CELLS["artefact"] == artefact])["id"]
    )
    assert all(set(VERDICT_COLUMNS) <= set(row) for row in made.verdicts)
    return made


@pytest.fixture(scope="module")
def worked(tmp_path_factory):
    """Input of the artefacts of the worked example, from the printed Table 1."""
    folder = tmp_path_factory.mktemp("example")
    entry = CONFIG["datasets"]["table1"]
    raw = read_raw(ROOT / "data" / "bundled" / entry["inline"])
    frame, facts = prepare(raw, {"paper": "coupledmc", "dataset": "table1", "entry": entry})
    job = experiment(folder, "example", "table1", frame, facts["numeric"], draws=10)
    return write(folder, "example", "table1", list(computed(example.worked_example, job)))


@pytest.mark.parametrize("block", [7, 2_000_000])
def test_internal_indices_are_those_of_the_library(monkeypatch, block):
    monkeypatch.setattr(structure, "_BLOCK", block)
    rng = np.random.default_rng(3)
    table = CategoricalTable.from_codes(rng.integers(0, 4, (17, 4)))
    classes, measure = np.append(rng.integers(0, 3, 16), 3), AhmadDey().fit(table)
    expected = internal_indices(table, classes, measure.space_)
    found = structure.internal(lambda part: measure.pairwise(table)[part], classes)
    assert found == pytest.approx({name: expected[name] for name in found})


def test_mixed_distances_are_those_of_the_space():
    table = MixedTable(
        CategoricalTable.from_codes(np.array([[0, 1], [2, 1], [1, 0], [2, 0]])),
        np.array([[1.0], [4.0], [2.5], [0.0]]),
        ("x",),
    )
    space = MixedSpace.weighted(table)
    gamma = float(space.matrices.data.max())
    numeric = structure.euclidean(scaled(table.numeric, "minmax"))
    found = structure.added(numeric, structure.one_hot(table), gamma)
    assert found(slice(0, 4)) == pytest.approx(space.pairwise(table))


def test_description_counts(tmp_path):
    job = experiment(tmp_path, "description", "zoo", small(), ["x", "y"])
    (record,) = computed(structure.description, job)
    assert (record["attributes"], record["discrete_attributes"], record["classes"]) == (5, 3, 3)
    assert record["columns_3"] == 3 * (record["values"] + 2)
    assert (record["ones_min"], record["ones_max"]) == (3, 3)
    assert 0 <= record["fsd_min"] <= record["fsd_max"] <= 1


def counts(dataset):
    """Records of Table 5 with the printed counts of a data set."""
    cells = CELLS[(CELLS["artefact"] == "table05") & (CELLS["dataset_id"] == dataset)]
    record = {
        one["metric"]: int(one["value"])
        for one in cells.to_dict("records")
        if one["metric"] != "short_form"
    }
    record |= dict.fromkeys(("ones_min", "ones_max"), record["discrete_attributes"])
    record |= {"fsd_min": 0.0, "fsd_max": 0.9, "su_min": 0.0, "su_max": 1.0, "columns_3": 36}
    return record | {"base_rate": 0.5, "values": 10, "numeric_attributes": 2, "columns_4": 48}


def indices(tmp_path, better):
    """Records of Fig. 1: coupled representations better than originals where it is said."""
    inputs = []
    for name in SETS:
        rows = []
        families = dict.fromkeys(ORIGINALS, "original") | dict.fromkeys(("L=3", "L=4"), "coupled")
        for representation, family in families.items():
            row = {"family": family, "representation": representation}
            for index, (_, sense) in INDICES.items():
                gain = 1 + SETS.index(name) / 100 if better(name, index) else -0.5
                coupled = representation == "L=4"
                row[index] = 2.0 + sense * gain * coupled - 9 * sense * (representation == "L=3")
            rows.append(row)
        inputs.append(write(tmp_path, "structure", name, rows))
    return inputs


def run_rows(method, values, reading="reconciled", setting=""):
    scores = dict.fromkeys(("nmi_max", "nmi_sqrt", "nmi_arithmetic", "ari", "largest"), 0.25)
    return [
        {"method": method, "reading": reading, "setting": setting, "run": run, **scores}
        | {"accuracy": value}
        for run, value in enumerate(values)
    ]


def best_rows(values):
    """Records of the best runs: L = 4 has the numbers, L = 3 smaller ones."""
    scores = dict.fromkeys(("nmi_max", "nmi_sqrt", "nmi_arithmetic", "ari", "largest"), 0.5)
    return [
        {"variant": variant, "power": power, "series": series, "runs": 100, **scores}
        | {"accuracy": value - 0.2 * (power == 3), "accuracy_mean": value - 0.3}
        | {"accuracy_sd": 0.01}
        for variant in ("best-run", "z-scores", "symmetric")
        for power in (3, 4)
        for series, value in enumerate(values)
    ]


def clusterings(tmp_path):
    """Records of Table 6: the printed accuracies of every method."""
    inputs = []
    for name in SETS:
        cells = CELLS[(CELLS["artefact"] == "table06") & (CELLS["dataset_id"] == name)]
        printed = {one["method_id"]: float(one["value"]) for one in cells.to_dict("records")}
        rows = []
        for method, value in printed.items():
            near = (value - 0.001, value, value + 0.001)
            if method == "coupledmc":
                rows += run_rows(method, [one - 0.1 for one in near], setting="L=3")
                rows += run_rows(method, near, setting="L=4")
                rows += run_rows(method, [0.1, 0.11, 0.12], "literal", "L=3")
                rows += run_rows(method, [0.2, 0.21, 0.22], "literal", "L=4")
            else:
                rows += run_rows(method, near)
            if method == "spectralcat":
                rows += run_rows(method, [0.9, 0.9, 0.9], "collapsed")
        value = printed["coupledmc"]
        inputs.append(write(tmp_path, "accuracy", name, rows))
        inputs.append(write(tmp_path, "description", name, [counts(name)]))
        inputs.append(write(tmp_path, "best_runs", name, best_rows([value, value - 0.02])))
    return inputs


def test_the_better_power_is_taken_per_series_and_ties_go_to_the_smaller():
    rows = [
        {"dataset": "zoo", "status": "ok", "variant": "best-run", "power": power}
        | {"series": series, "accuracy": value}
        for power, series, value in ((4, 0, 0.8), (3, 0, 0.8), (3, 1, 0.6), (4, 1, 0.7))
    ]
    found = accuracy_runs.best_series(pd.DataFrame(rows))
    assert [(one["power"], one["accuracy"]) for one in found["zoo"]] == [(3, 0.8), (4, 0.7)]
    assert accuracy_runs.best_series(pd.DataFrame(rows), "symmetric") == {}


def test_every_method_runs_and_resumes(tmp_path, snapshot):
    job = experiment(tmp_path, "accuracy", "zoo", small(), ["x", "y"])
    records = list(computed(clustering.accuracy, job))
    keys = {(one["method"], one["reading"], one["setting"]) for one in records}
    assert {method for method, *_ in keys} == set(accuracy_runs.METHODS)
    assert ("spectralcat", "collapsed", "") in keys
    assert {key[1:] for key in keys if key[0] == "coupledmc"} == {
        (reading, power) for reading in ("reconciled", "literal") for power in ("L=3", "L=4")
    }
    assert len(records) == 2 * len(keys)
    assert all(0 <= one["accuracy"] <= 1 for one in records)
    again = experiment(tmp_path, "accuracy", "zoo", small(), ["x", "y"])
    assert list(computed(clustering.accuracy, again)) == records
    assert outlined(records) == snapshot


def test_envelope_has_every_setting(tmp_path, snapshot):
    grid = [{"max_power": [3], "base": ["z", "raw"]}, {"max_power": [4], "scores": ["minmax"]}]
    others = {"madd": {"bins": [5, 10]}, "k_prototypes": {"gamma": [None], "starts": [2]}}
    job = experiment(tmp_path, "envelope", "zoo", small(), ["x", "y"], coupled=grid, others=others)
    records = list(computed(clustering.envelope, job))
    assert [(one["method"], one["setting"]) for one in records] == [
        ("coupledmc", "base=z, max_power=3"),
        ("coupledmc", "base=raw, max_power=3"),
        ("coupledmc", "max_power=4, scores=minmax"),
        ("madd", "bins=5"),
        ("madd", "bins=10"),
        ("k_prototypes", "gamma=own, starts=2"),
    ]
    assert all(one["accuracy_largest"] >= one["accuracy"] for one in records)
    assert {one["runs"] for one in records} == {2}
    assert outlined(records) == snapshot


def test_discretized_numbers_are_clustered_as_categories(tmp_path, snapshot):
    job = experiment(tmp_path, "discretized", "zoo", small(), ["x", "y"])
    records = list(computed(clustering.discretized, job))
    assert [one["run"] for one in records] == [0, 1]
    assert all(1 / 3 < one["accuracy"] <= 1 for one in records)
    assert job.objects("bins10").table.attributes == ("a", "b", "c", "x", "y")
    assert outlined(records) == snapshot


def test_cost_of_a_small_table(tmp_path, monkeypatch):
    monkeypatch.setattr(clustering, "costs", costs_here)
    job = experiment(tmp_path, "adult_cost", "adult", small(80), ["x", "y"])
    records = list(computed(clustering.cost, job))
    names = [one["method"] for one in records]
    assert names == ["k_prototypes", "madd", "mixture", "coupledmc", "density_peaks"]
    assert all(0 < one["before_mib"] <= one["peak_mib"] for one in records)
    made = sheet("cost", [write(tmp_path, "adult_cost", "adult", records)])
    assert "80 objects of 5 attributes" in made.caption
    assert sheet("cost", [], left_out=["adult"]).rows == []


def test_the_map_keeps_plane_distances():
    rng = np.random.default_rng(0)
    points = rng.normal(size=(20, 2)) * [3.0, 1.0]
    matrix = cdist(points, points)
    for places in (structure.classical(matrix), structure.scaling(matrix)):
        assert cdist(places, places) == pytest.approx(matrix, abs=1e-3)
    assert np.array_equal(structure.scaling(matrix), structure.scaling(matrix))


def test_largest_runs_are_compared_with_the_best_other_method():
    means = {"madd": 0.4, "mixture": 0.5, accuracy_runs.OURS: (0.6, 0.1)}
    (line,) = _best_improvements([], {accuracy_runs.BEST: means})
    assert line.endswith("of the best other method, mixture, 20.00%.")


def test_indices_are_shares_of_the_better_representation():
    structure = pd.DataFrame(
        [
            ("coupled", "a", "L=1", 2.0),
            ("coupled", "a", "L=2", 4.0),
            ("other", "a", accuracy_runs.ORIGINAL, 1.0),
        ],
        columns=["family", "dataset", "representation", "x"],
    )
    assert accuracy_runs._relative(structure, ["a"], "x", 1) == ([1.0], [0.25])
    assert accuracy_runs._relative(structure, ["a"], "x", -1) == ([1.0], [0.5])
