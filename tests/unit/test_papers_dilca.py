"""DILCA: tables, preparations, and the experiments behind its claims."""

import re
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from kit import ROOT, coded_inputs, computed, experiment_of, job_of, outlined, parsed

from couplings import CategoricalTable
from couplings.counts import cooccurrence
from couplings.measures.dilca import DilcaM
from replication.data.store import Tables
from replication.errors import UserError
from replication.files import read_rows
from replication.judge.cells import VERDICT_COLUMNS
from replication.judge.published import COLUMNS
from replication.judge.verdicts import DIFFERS, applying, equals_printed, parse_printed
from replication.papers.dilca import columns, properties
from replication.papers.dilca.columns import by_column
from replication.papers.dilca.records import pick
from replication.papers.dilca.tables import settings
from replication.plan.readings import resolved
from replication.run.records import write_records
from replication.run.trials import COLUMNS as RECORD
from replication.run.trials import SCORES
from replication.show.sheet import build

QUESTIONS = ("dilca.purity", "dilca.nmi", "dilca.context", "dilca.postop_classes")
CHOICES = {
    "reconciled": dict(zip(QUESTIONS, ("inverse", "sqrt", "strict", "4"), strict=True)),
    "literal": dict(zip(QUESTIONS, ("eq5", "sqrt", "algorithm3", "3"), strict=True)),
}
DILCA_M = {"id": "dilca_m", "label": "DILCA_M", "grid": {"sigma": [0.0, 0.5, 1.0]}}
DILCA_M |= {"select": "purity-nmi-first", "fixed": {"sigma": 0.5}}
DILCA_RR = {"id": "dilca_rr", "label": "DILCA_RR", "grid": None, "select": None, "fixed": None}


def record(setting=None, sample=0, order=0, **scores):
    row = dict.fromkeys(RECORD, "") | dict.fromkeys(SCORES, 0.25)
    row |= {"dataset": "vote", "sample": sample, "order": order, "setting": setting}
    row |= {"parameter": "" if setting is None else "sigma", "status": "ok"}
    return row | {"n_clusters_found": 2} | scores


def trials(path, method, **readings):
    rows = [
        row | {"method": method, "reading": reading}
        for reading, rows in readings.items()
        for row in rows
    ]
    write_records(path, RECORD, rows)
    return {"role": "trials", "dataset": "vote", "method": method, "file": str(path)}


def cell(dataset, method, metric, printed, artefact="fig03"):
    row = dict.fromkeys(COLUMNS, "")
    names = (dataset.lower(), method.lower())
    row |= {"id": f"dilca-{artefact}-{'-'.join(filter(None, names))}-{metric}", "paper": "dilca"}
    row |= {"artefact": artefact, "dataset": dataset, "dataset_id": names[0], "method": method}
    value = float(printed.rstrip("%")) / (100 if printed.endswith("%") else 1)
    return row | {"method_id": names[1], "metric": metric, "value": repr(value), "printed": printed}


def job(kind, inputs=(), **more):
    spec = {"kind": kind, "label": "Fig. 3", "readings": ["reconciled", "literal"]}
    spec |= {"datasets": [{"id": "vote", "printed": "Vote"}], "methods": [DILCA_M, DILCA_RR]}
    spec |= {"inputs": list(inputs), "choices": CHOICES, "notes": []}
    return job_of("dilca", "fig03", **spec | more)


@pytest.fixture
def inputs(tmp_path):
    """Records of one data set: sigma 0.5 wins on purity, sigma 1 on inverse purity."""
    grid = [
        record(0, purity=0.7, inverse_purity=0.60, nmi_sqrt=0.9),
        record(0.5, purity=0.9, inverse_purity=0.80, nmi_sqrt=0.5, accuracy=0.75),
        record(1, purity=0.9, inverse_purity=0.95, nmi_sqrt=0.4),
        record(0.5, order=1, purity=0.9, inverse_purity=0.70, nmi_sqrt=0.5),
        record(0.5, order=2, purity=0.9, inverse_purity=0.85, nmi_sqrt=0.5),
    ]
    single = [record(purity=0.5, inverse_purity=0.6789), record(order=1, inverse_purity=0.6789)]
    return [
        trials(tmp_path / f"{method}.parquet", method, reconciled=rows, literal=rows)
        for method, rows in (("dilca_m", grid), ("dilca_rr", single))
    ]


def verdicts(sheet):
    assert all(set(VERDICT_COLUMNS) <= set(row) for row in sheet.verdicts)
    return {(row["id"].rsplit("-", 2)[1], row["reading"]): row for row in sheet.verdicts}


def test_the_rule_picks_purity_then_nmi_then_the_smallest(inputs):
    picked = pick(job("quality", inputs), "vote", "dilca_m", "reconciled")
    assert picked.setting == "sigma=0.5"
    values = picked.reproduced("inverse_purity")
    assert (values.value, values.spread, values.orders, values.runs) == (0.8, (0.7, 0.85), 3, 1)
    assert values.sd is None


def test_every_sample_picks_its_own_setting(tmp_path):
    first = [record(0.0, 0, purity=0.9, ari=0.1), record(1.0, 0, purity=0.8, ari=0.2)]
    rows = [*first, record(0.0, 1, purity=0.8, ari=0.3), record(1.0, 1, purity=0.9, ari=0.4)]
    own = [trials(tmp_path / "dilca_m.parquet", "dilca_m", reconciled=rows)]
    picked = pick(job("quality", own), "vote", "dilca_m", "reconciled")
    values = picked.reproduced("ari")
    assert picked.setting == "sigma=0;1"
    assert values.value == pytest.approx(0.25)
    assert values.sd == pytest.approx(np.std([0.1, 0.4], ddof=1))
    assert (values.runs, values.spread) == (2, (0.1, 0.4))


def test_what_else_gives_the_printed_digits_is_the_reason_of_a_difference(inputs):
    cells = pd.DataFrame(
        [
            cell("Vote", "DILCA_M", "purity", "95%"),
            cell("Vote", "DILCA_M", "nmi", "0.9000"),
            cell("Vote", "DILCA_RR", "purity", "50.00%"),
        ]
    )
    found = verdicts(build(job("quality", inputs, score="purity"), cells.iloc[[0, 2]]))
    assert found["dilca_m", "reconciled"]["verdict"] == "differs"
    assert "sigma 1 gives the printed digits" in found["dilca_m", "reconciled"]["reason"]
    assert (
        "sigma 1 gives the printed digits; the reconciled reading does not give it either"
        in found["dilca_m", "fixed"]["reason"]
    )
    assert found["dilca_rr", "reconciled"]["reason"] == "eq. (5) gives the printed digits"
    assert found["dilca_rr", "literal"]["verdict"] == "exact"
    assert found["dilca_rr", "literal"]["reason"] == ""
    found = verdicts(build(job("quality", inputs, score="nmi"), cells.iloc[[1]]))
    assert found["dilca_m", "reconciled"]["reason"] == "sigma 0 gives the printed digits"


def test_a_missing_input_or_choice_is_named(inputs):
    cells = pd.DataFrame([cell("Vote", "DILCA_RR", "nmi", "0.5")])
    with pytest.raises(UserError, match=r"choices lack reconciled.dilca.nmi"):
        build(job("quality", inputs, score="nmi", choices={"reconciled": {}}), cells)
    with pytest.raises(UserError, match="poem"):
        build(job("poem"), cells)


@pytest.mark.parametrize(("high", "plotted"), [(0.75, True), (0.7499, False)])
def test_sigma_curves_include_a_range_of_exactly_the_limit(tmp_path, high, plotted):
    rows = [record(0, purity=0.7), record(1, purity=high)]
    one = trials(tmp_path / "x.parquet", "dilca_m", reconciled=rows)
    cells = pd.DataFrame([], columns=COLUMNS)
    sheet = build(job("sigma_curves", [one], methods=[DILCA_M]), cells)
    assert {point["eq5_plotted"] for point in sheet.data} == {plotted}


READINGS = parsed(ROOT / "config/readings.yaml")
FILE = "config/papers/dilca.yaml"
CONFIG = resolved(parsed(ROOT / FILE), READINGS, FILE)


def shown(artefact):
    return read_rows(ROOT / f"figures/dilca/{artefact}.csv")


@pytest.fixture
def records(tmp_path):
    """Two groups of objects; MDL, of which the labels tell, loses the attribute that parts them."""
    rng = np.random.default_rng(5)
    truth = np.repeat([0, 1], 12).astype(np.int64)
    codes = np.column_stack([truth, truth, rng.integers(0, 3, 24), rng.integers(0, 3, 24)])
    noise = codes.copy()
    noise[:, :2] = rng.integers(0, 2, (24, 2))
    coded = {}
    for name, values, labels, cuts in (
        ("bins10", codes, truth, []),
        ("mdl", noise, truth, ["age"]),
        ("bins10_stripped", codes, np.zeros(24, dtype=np.int64), []),
        ("mdl_printed", noise, np.zeros(24, dtype=np.int64), ["age"]),
    ):
        facts = {"status": "ok", "reason": "", "classes": ["a", "b"], "label_cuts": cuts}
        table = CategoricalTable.from_codes(values, n_values=[2, 2, 3, 3])
        coded[name] = Tables(facts, [table], [labels])
    spec = {
        "dataset": "vote",
        "parameters": {
            "algorithm": "ward_r",
            "on_tables": {"rock": "rock_last"},
            "grids": {"rock": {"theta": [0.2, 0.5]}, "dilca_m": {"sigma": [0.0, 0.5]}},
            "rule": "purity-nmi-first",
            "ways": {"bins": "bins10", "mdl": "mdl"},
            "stripped": {"bins": "bins10_stripped", "mdl": "mdl_printed"},
            "three_classes": ["rock"],
        },
        "measures": {
            "of": {"class": "couplings.measures.frequency:OccurrenceFrequency"},
            "dilca_m": {"class": "couplings.measures.dilca:DilcaM"},
        },
        "algorithms": {
            "ward_r": {"class": "couplings.cluster.ward:Ward"},
            "rock_last": {"class": "couplings.cluster.rock:Rock", "parameters": {"label": "merge"}},
        },
        "preparations": list(coded),
        "inputs": coded_inputs(tmp_path / "tables.npz", **coded),
    }
    made = experiment_of(tmp_path / "partial", "dilca", "preparations", **spec)
    return list(computed(by_column, made))


def test_every_column_is_clustered_on_every_preparation(records, snapshot):
    found = {(one["method"], one["way"]): one for one in records}
    assert set(found) == {(m, w) for m in ("of", "dilca_m", "rock") for w in ("bins", "mdl")}
    assert found["of", "bins"]["ari"] == 1.0
    assert found["of", "mdl"]["ari"] < 1.0
    assert found["of", "bins"]["setting"] == ""
    assert found["dilca_m", "bins"]["setting"] == "sigma=0"
    assert {one["label_cuts"] for one in records if one["way"] == "mdl"} == {"age"}
    assert {one["label_cuts"] for one in records if one["way"] == "bins"} == {""}
    # stripped of their blanks the labels are one class, so that ROCK makes one cluster
    assert found["rock", "bins"]["inverse_purity"] == 1.0
    assert outlined(records) == snapshot


def test_notes_name_the_columns_that_delta_repeats():
    words = "all three numbers are ours of "
    found = {
        row["dataset"]: set(row["givers"].removeprefix(words).split(", "))
        for row in shown("unexplained")
        if row["method"] == "delta" and row["givers"].startswith(words)
    }
    noted = {
        note["dataset"]: note["text"].partition(",")[0] if "whose" in note["text"] else note["text"]
        for note in CONFIG["notes"]
        if note.get("method") == "delta" and "the three printed numbers are" in note["text"]
    }
    assert len(noted) == 4
    assert set(noted) == set(found)
    labels = {method["label"] for method in CONFIG["methods"].values()} - {"DELTA"}
    for dataset, text in noted.items():
        # the columns with a threshold of their own may agree by its choice
        named = {label for label in labels if re.search(rf"\b{label}\b", text)}
        assert named == found[dataset] - {"ROCK", "LIMBO"}


def test_every_reconciled_number_that_differs_has_a_reason():
    rows = [
        {"metric": CONFIG["artefacts"][artefact].get("score")} | row | {"artefact": artefact}
        for artefact in (*[f"fig{i:02d}" for i in range(3, 12)], "fig02", "fig15", "text")
        for row in shown(artefact)
        if row["reading"] == "reconciled" and row["verdict"] == DIFFERS
    ]
    assert rows
    found = {
        (row["dataset"], row["method"], row["metric"])
        for row in shown("unexplained")
        if row["givers"]
    }
    for row in rows:
        keys = ("artefact", "dataset", "method", "metric", "reading")
        notes = applying(CONFIG["notes"], **{key: row.get(key, "") for key in keys})
        kinds = [float(row[kind]) for kind in ("eq5", "matching") if row.get(kind)]
        printed = parse_printed(row["printed"])
        given = [value for value in kinds if equals_printed(printed, value)]
        key = (row.get("dataset"), row.get("method"), row["metric"])
        assert notes or given or key in found, row


def experiment(tmp_path, parameters, table=None, labels=None, trials=1):
    inputs = []
    if table is not None:
        facts = {"status": "ok", "reason": "", "tables": 1, "classes": ["a", "b"]}
        coded = Tables(facts, [table], [labels])
        inputs = coded_inputs(tmp_path / "tables.npz", bins10=coded)
    rock = {"class": "couplings.cluster.rock:Rock", "parameters": {"label": "merge"}}
    return experiment_of(
        tmp_path / "partial",
        "dilca",
        "x",
        dataset="vote" if inputs else "",
        parameters=parameters,
        trials=trials,
        measures={
            "dilca_m": {"class": "couplings.measures.dilca:DilcaM"},
            "dilca_m_clipped": {"class": "couplings.measures.dilca:DilcaM"},
            "dilca_rr": {"class": "couplings.measures.dilca:DilcaRR"},
        },
        algorithms={"rock_merge": rock},
        inputs=inputs,
        preparations=["bins10"],
    )


def test_axioms_see_values_that_coincide():
    codes = np.array([[0, 0], [1, 0], [2, 1], [0, 0], [1, 0], [2, 1]])
    counts = cooccurrence(CategoricalTable.from_codes(codes, [4, 2]))
    found = properties.axioms(DilcaM(0.0).fit(counts), counts)
    # the first two values of the first attribute have one profile; the fourth never occurs
    assert (found["pairs"], found["coinciding"]) == (4, 1)
    assert found["asymmetry"] == found["diagonal"] == 0.0
    assert found["triangle"] <= 1e-12
    assert found["smallest_context"] == 1


def test_value_distances_cover_both_variants(tmp_path, snapshot):
    codes = np.random.default_rng(3).integers(0, 3, (40, 4))
    table = CategoricalTable.from_codes(codes)
    parameters = {"preparation": "bins10", "sigmas": [0.0, 1.0]}
    made = experiment(tmp_path, parameters, table, np.arange(40) % 2)
    rows = list(computed(properties.value_distances, made))
    assert [(row["measure"], row["setting"]) for row in rows] == [
        ("dilca_m", "sigma=0"),
        ("dilca_m_clipped", "sigma=0"),
        ("dilca_m", "sigma=1"),
        ("dilca_m_clipped", "sigma=1"),
        ("dilca_rr", ""),
    ]
    assert rows[0]["smallest_context"] == 3
    assert all(0 <= row["highest"] <= 1 for row in rows)
    assert outlined(rows) == snapshot


def test_a_partition_is_described_by_its_clusters():
    labels_true = np.array([0] * 30 + [1] * 11)
    labels = np.array([1] * 10 + [0] * 30 + [2])
    found = columns.described(labels_true, labels)
    assert found["sizes"] == "30 10 1"
    assert found["small_pure"] == 1
    assert found["largest_share"] == pytest.approx(30 / 41)
    assert found["majority_share"] == pytest.approx(30 / 41)


def test_rock_clusters_mark_the_chosen_theta(tmp_path, snapshot):
    codes = np.repeat([[0, 0, 0], [1, 1, 1]], [6, 4], axis=0)
    table, labels = CategoricalTable.from_codes(codes), np.repeat([0, 1], [6, 4])
    parameters = {"preparation": "bins10", "thetas": [0.2, 0.8], "rule": "purity-nmi-first"}
    rows = list(computed(columns.rock_clusters, experiment(tmp_path, parameters, table, labels)))
    assert [row["chosen"] for row in rows] == [True, False]
    assert outlined(rows) == snapshot


def test_theorems_are_tried_on_random_tables(tmp_path, snapshot):
    """What holds of each trial is a theorem of tests/property."""
    made = experiment(tmp_path, {"objects": 60, "values": 4}, trials=20)
    rows = pd.DataFrame(computed(properties.theorems, made))
    assert outlined(rows.to_dict("records")) == snapshot
    assert (rows["vdm"] - rows["vdm_reversed"]).abs().max() > 0.01


def test_value_difference_by_hand():
    # shares (1/2, 1/2) and (1, 0): weights sqrt(1/2) and 1, squared differences 1/2
    first, second = np.array([1, 1]), np.array([2, 0])
    assert properties.value_difference(first, second) == pytest.approx(np.sqrt(0.5) / 2)
    assert properties.value_difference(second, first) == pytest.approx(0.5)


@pytest.mark.parametrize(("rival", "won"), [(0.50004, 1), (0.5001, 0)])
def test_a_tie_in_four_digits_counts_as_best(monkeypatch, rival, won):
    scores = {"dilca_m": 0.5, "dilca_rr": 0.1, "rock": rival, "limbo": 0.0, "delta": 0.0}

    def picked(job, dataset, name, reading):
        return SimpleNamespace(reproduced=lambda column: SimpleNamespace(number=scores[name]))

    monkeypatch.setattr(settings, "pick", picked)
    job = SimpleNamespace(
        datasets=["a"], methods={name: {"fixed": False} for name in scores}, readings=["reconciled"]
    )
    column = SimpleNamespace(column=lambda job: "x")
    monkeypatch.setattr(settings, "SCORES", {"nmi": column, "ari": column})
    assert settings._where_best(job, "reconciled")[0] == won
