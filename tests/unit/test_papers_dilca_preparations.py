"""DILCA's columns on every preparation, and what the configuration says about single cells."""

import numpy as np
import pytest
from kit import ROOT, coded_inputs, computed, experiment_of, parsed

from couplings.table import CategoricalTable
from replication.data.store import Tables
from replication.files import read_rows
from replication.judge.verdicts import DIFFERS, applying, equals_printed, parse_printed
from replication.papers.dilca.columns import by_column
from replication.plan.readings import resolved

READINGS = parsed(ROOT / "config/readings.yaml")
FILE = "config/papers/dilca.yaml"
CONFIG = resolved(parsed(ROOT / FILE), READINGS, FILE)
QUALITY = [f"fig{i:02d}" for i in range(3, 12)]


def shown(artefact):
    return read_rows(ROOT / f"figures/dilca/{artefact}.csv")


# --- the experiment -------------------------------------------------------------------------------


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


def test_every_column_is_clustered_on_every_preparation(records):
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


# --- what is declared -----------------------------------------------------------------------------


def test_copied_columns_of_delta_are_those_that_the_table_finds():
    words = "all three numbers are ours of "
    found = {
        row["dataset"]: set(row["givers"].removeprefix(words).split(", "))
        for row in shown("unexplained")
        if row["method"] == "delta" and row["givers"].startswith(words)
    }
    noted = {
        note["dataset"]: note["text"]
        for note in CONFIG["notes"]
        if note.get("method") == "delta" and "copied" in note["text"]
    }
    assert len(noted) == 4
    assert set(noted) == set(found)
    for dataset, text in noted.items():
        names = text.removeprefix("all three printed numbers are ours of ").partition(":")[0]
        # the columns with a threshold of their own may agree by its choice
        assert set(names.split(", ")) == found[dataset] - {"ROCK", "LIMBO"}


def test_every_reconciled_number_that_differs_has_a_reason():
    rows = [
        {"metric": CONFIG["artefacts"][artefact].get("score")} | row | {"artefact": artefact}
        for artefact in (*QUALITY, "fig02", "fig15", "text")
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
        keys = ("artefact", "dataset", "metric", "reading")
        notes = applying(
            CONFIG["notes"], **{key: row.get(key, "") for key in keys}, method=row.get("method", "")
        )
        kinds = [float(row[kind]) for kind in ("eq5", "matching") if row.get(kind)]
        printed = parse_printed(row["printed"])
        given = [value for value in kinds if equals_printed(printed, value)]
        key = (row.get("dataset"), row.get("method"), row["metric"])
        assert notes or given or key in found, (
            row["artefact"],
            row["dataset"],
            row.get("method"),
            row["printed"],
        )
