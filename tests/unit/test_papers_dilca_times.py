"""Times of DILCA: the experiments that measure, and their tables and figures."""

import itertools

import numpy as np
import pandas as pd
import pytest

from couplings.counts import cooccurrence
from couplings.measures.dilca import DilcaM
from couplings.table import CategoricalTable
from replication import figures
from replication.experiment import Experiment
from replication.journal import Finished
from replication.papers.dilca import scaling, timings
from replication.rows import rows_text
from replication.sheet import Job, build
from replication.store import Tables, write_tables
from replication.synthetic import gaussian_classes

REGISTRIES = {
    "measures": {
        "dilca_m": {"class": "couplings.measures.dilca:DilcaM"},
        "dilca_rr": {"class": "couplings.measures.dilca:DilcaRR"},
        "delta": {
            "class": "couplings.measures.ahmad_dey:AhmadDey",
            "parameters": {"aggregation": "rss"},
        },
    },
    "algorithms": {
        "rock_keep": {"class": "couplings.cluster.rock:Rock"},
        "limbo": {"class": "couplings.cluster.limbo:Limbo"},
    },
}
PARAMETERS = {
    "values": 4,
    "instances": {"sizes": [20, 40], "attributes": 3},
    "attributes": {"sizes": [2, 4], "instances": 20, "beyond": {"attributes": 5, "values": 3}},
    "long": {"sizes": [60, 120], "attributes": 3},
    "plain_sizes": 20,
    "euclidean_sizes": 40,
    "repeats": 2,
    "patience": 5,
}


def experiment(tmp_path, run="scalability", inputs=(), parameters=PARAMETERS, dataset=""):
    spec = {
        "paper": "dilca",
        "experiment": run,
        "dataset": dataset,
        "parameters": parameters,
        "trials": 1,
        "seed": 1,
        "inputs": list(inputs),
        **REGISTRIES,
    }
    return Experiment(spec, Finished(tmp_path / "partial", "key"))


def times(axis, size, method, phase, seconds):
    objects, attributes = (size, 50) if scaling.AXES[axis] == "objects" else (1000, size)
    return {
        "axis": axis,
        "objects": objects,
        "attributes": attributes,
        "values": 10,
        "method": method,
        "phase": phase,
        "seconds": seconds,
        "dataset": None,
        "status": "ok",
    }


def records(sizes=(1000, 2000)):
    """Linear counts, constant learning, quadratic rest; DELTA learns ten times as long."""
    rows = []
    for axis, factor in itertools.product(("instances", "attributes", "beyond", "long"), (1, 2)):
        size = sizes[factor - 1]
        rows += [
            times(axis, size, "all", "counts", 0.1 * factor),
            times(axis, size, "dilca_m", "values", 0.02),
            times(axis, size, "dilca_rr", "values", 0.01),
            times(axis, size, "delta", "values", 2.0),
        ]
        if axis != "long":
            rows += [
                times(axis, size, "all", "objects", 0.2 * factor**2),
                times(axis, size, "all", "dendrogram", 0.5 * factor**2),
            ]
        if axis in ("instances", "attributes"):
            rows.append(times(axis, size, "limbo", "clustering", 0.5 * factor**2))
        if axis == "instances":
            rows.append(times(axis, size, "rock", "clustering", 9.0 * factor**3))
    return pd.DataFrame(rows)


def job(tmp_path, kind, frame, name="scalability"):
    path = tmp_path / f"{name}.csv"
    frame.to_csv(path, index=False)
    return Job(
        {
            "paper": "dilca",
            "artefact": kind,
            "kind": kind,
            "label": "Fig. 14",
            "readings": ["reconciled"],
            "datasets": [],
            "methods": [],
            "left_out": [],
            "experiments": [name],
            "inputs": [
                {"role": "experiment", "experiment": name, "dataset": "none", "file": str(path)}
            ],
        }
    )


NOTHING = pd.DataFrame({"artefact": []})

# --- measuring ------------------------------------------------------------------------------------


def test_work_is_repeated_until_patience_ends(monkeypatch):
    clock, processor = itertools.count(), itertools.count(0, 2)
    monkeypatch.setattr(timings.time, "perf_counter", lambda: float(next(clock)))
    monkeypatch.setattr(timings.time, "process_time", lambda: float(next(processor)))
    calls = []
    result = timings.repeated(lambda: calls.append(1), repeats=5, patience=2.5)
    assert result == {
        "seconds": 2.0,
        "fastest": 2.0,
        "slowest": 2.0,
        "wall": 1.0,
        "repeats": 3,
    }
    assert timings.repeated(lambda: calls.append(1), repeats=2, patience=9)["repeats"] == 2
    assert timings.repeated(lambda: calls.append(1), repeats=5, patience=0)["repeats"] == 1
    assert len(calls) == 6


def test_scalability_times_every_method_at_every_size(tmp_path, monkeypatch):
    monkeypatch.setattr(timings, "WARM_UP", (12, 3))
    frame = pd.DataFrame(timings.scalability(experiment(tmp_path)))
    assert (frame["seconds"] > 0).all()
    assert (frame["fastest"] <= frame["seconds"]).all()
    found = dict(list(frame.groupby("axis")))
    assert set(found["instances"]["objects"]) == {20, 40}
    assert set(found["attributes"]["attributes"]) == {2, 4}
    assert set(found["beyond"]["values"]) == {3}
    assert set(found["long"]["phase"]) == {"counts", "values"}
    methods = {axis: set(part["method"]) for axis, part in found.items()}
    learnt = {"all", "dilca_m", "dilca_rr", "delta"}
    assert methods["instances"] == learnt | {"limbo", "rock", "one_hot_ward", "plain"}
    # the paper times no ROCK against attributes
    assert methods["attributes"] == learnt | {"limbo"}
    assert methods["beyond"] == methods["long"] == learnt
    plain = found["instances"][found["instances"]["method"] == "plain"]
    assert plain["objects"].tolist() == [20]


def test_a_killed_timing_goes_on(tmp_path, monkeypatch):
    monkeypatch.setattr(timings, "WARM_UP", (12, 3))
    first = list(timings.scalability(experiment(tmp_path)))
    monkeypatch.setattr(timings, "repeated", lambda *_: pytest.fail("measured again"))
    assert list(timings.scalability(experiment(tmp_path))) == first


def test_the_long_table_has_the_asked_size(tmp_path):
    table = timings._long(experiment(tmp_path), 25_000, 3, 4)
    assert (table.n_objects, table.n_attributes, table.n_values.tolist()) == (25_000, 3, [4] * 3)


@pytest.mark.parametrize("sigma", [0.0, 0.6, 1.0])
def test_the_plain_version_is_dilca_m(sigma):
    rng = np.random.default_rng(5)
    codes, _ = gaussian_classes(80, 5, 4, 3, 6.0, rng)
    table = CategoricalTable.from_codes(codes, [4] * 5)
    ours = DilcaM(sigma).fit(cooccurrence(table)).value_matrices_
    for j, matrix in enumerate(timings.plain_dilca_m(table.to_pandas(), sigma)):
        # a value that never occurs is at distance 0 in the library, by convention
        occurs = np.bincount(codes[:, j], minlength=4) > 0
        inside = np.ix_(occurs, occurs)
        np.testing.assert_allclose(matrix[inside], ours.block(j)[inside], atol=1e-12)


def test_uncertainty_of_a_constant_attribute_is_zero():
    assert timings._uncertainty(np.array([[5]])) == 0.0
    assert timings._uncertainty(np.array([[3, 0], [0, 3]])) == pytest.approx(1.0)


def test_one_hot_ward_separates_blocks():
    codes = np.repeat([[0, 0, 0], [1, 1, 1]], 4, axis=0)
    labels = timings.one_hot_ward(CategoricalTable.from_codes(codes), 2)
    assert len(set(labels[:4])) == len(set(labels[4:])) == 1
    assert labels[0] != labels[-1]


def test_cost_measures_in_a_process_of_its_own(tmp_path):
    codes = np.random.default_rng(2).integers(0, 3, (30, 4))
    path = tmp_path / "tables.npz"
    content = Tables(
        {"status": "ok", "reason": "", "tables": 1, "classes": ["a", "b"]},
        [CategoricalTable.from_codes(codes)],
        [np.arange(30) % 2],
    )
    write_tables(path, content)
    run = {"method": "rock", "algorithm": "rock_keep", "parameters": {"theta": 0.2}}
    parameters = {"preparation": "bins10", "runs": [run], "repeats": 2, "patience": 5}
    inputs = [{"role": "tables", "preparation": "bins10", "file": str(path)}]
    (row,) = timings.cost(experiment(tmp_path, "cost", inputs, parameters))
    assert (row["method"], row["setting"], row["objects"]) == ("rock", "theta=0.2", 30)
    assert row["repeats"] == 2
    assert 10 < row["base_mb"] <= row["peak_mb"] < 10_000


# --- tables ---------------------------------------------------------------------------------------


def test_totals_add_the_shared_phases():
    table = scaling.totals(records(), "instances")
    assert table[1000]["dilca_m"] == pytest.approx(0.1 + 0.02 + 0.2 + 0.5)
    assert table[1000]["limbo"] == 0.5
    assert scaling.totals(records(), "long")[2000]["delta"] == pytest.approx(2.2)


def test_phases_include_the_counts_in_learning():
    phases = scaling.phase_times(records(), "instances")[2000]
    assert phases["values.dilca_rr"] == pytest.approx(0.21)
    assert phases["dendrogram"] == pytest.approx(2.0)
    assert set(phases) == set(scaling.PHASES)


def test_the_slope_is_the_power():
    assert scaling.slope({10: 3.0, 100: 300.0, 1000: 30000.0}) == pytest.approx(2.0)
    with pytest.raises(ValueError, match="two sizes"):
        scaling.slope({10: 1.0})


def test_faster_counts_sizes_where_the_slower_variant_wins():
    assert scaling.faster(records(), ("dilca_m", "dilca_rr"), "rock") == (2, 2)
    # 0.5 s at either axis against 0.82 s
    assert scaling.faster(records(), ("dilca_m", "dilca_rr"), "limbo") == (0, 4)


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.001234, "0.00123"), (1.234, "1.23"), (123.4, "123"), (0.0, "0")]
)
def test_seconds_have_three_digits(seconds, text):
    assert scaling.seconds_text(seconds) == text


@pytest.mark.parametrize("kind", ["scalability", "phases"])
def test_tables_and_figures_of_times(tmp_path, kind):
    one = job(tmp_path, kind, records())
    sheet = build(one, NOTHING)
    assert not sheet.verdicts
    text = rows_text(sheet.data_columns, sheet.data)
    rows = list(pd.read_csv(pd.io.common.StringIO(text), dtype=str).to_dict("records"))
    drawing, title = figures.draw(one.spec, rows)
    assert title.startswith("Fig. 14: ")
    assert drawing.axes[0].get_xscale() == "log"
    if kind == "scalability":
        assert "DELTA at 4 of 4 sizes, LIMBO at 0 of 4 sizes, ROCK at 2 of 2 sizes" in sheet.caption
        growth = next(row for row in sheet.rows if row["part"].startswith("growth exponent, (a)"))
        assert (growth["limbo"], growth["rock"]) == ("2.00", "3.00")
    else:
        assert "10.0 times" in sheet.caption or "times as long" in sheet.caption
        assert sheet.rows[0]["share"] == "14.6"


def test_cost_table(tmp_path):
    frame = pd.DataFrame(
        [
            {
                "method": "rock",
                "setting": "theta=0.8",
                "objects": 8124,
                "attributes": 22,
                "seconds": 1.5,
                "fastest": 1.25,
                "slowest": 1.75,
                "repeats": 3,
                "base_mb": 150.0,
                "peak_mb": 420.4,
                "status": "ok",
            }
        ]
    )
    sheet = build(job(tmp_path, "cost", frame, "mushroom_cost"), NOTHING)
    assert sheet.caption == "8124 objects, 22 attributes: ROCK theta=0.8 1.50 s and 420 MiB."
    assert sheet.rows[0]["range"] == "1.25 to 1.75"


def test_cost_table_without_the_data_set(tmp_path):
    frame = pd.DataFrame([{"dataset": "mushroom", "status": "unavailable", "reason": "no route"}])
    sheet = build(job(tmp_path, "cost", frame, "mushroom_cost"), NOTHING)
    assert not sheet.rows
    assert sheet.caption == "Not run: no route."
