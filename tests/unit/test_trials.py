import argparse
import csv
import json

import numpy as np
import pandas as pd
import pytest

from couplings.cluster.rock import Rock
from couplings.table import CategoricalTable
from replication.data.store import (
    Tables,
    read_similarity,
    read_tables,
    write_similarity,
    write_tables,
)
from replication.errors import UserError
from replication.run import statistics, trials
from replication.run.labels import read_labels
from replication.run.scores import score
from replication.run.selection import select
from replication.run.similarity import learn

PIPELINE = {
    "paper": "dilca",
    "dataset": "toy",
    "method": "dilca_m",
    "reading": "reconciled",
    "preparation": "bins10",
    "measure": "dilca_m",
    "algorithm": {
        "id": "ward_r",
        "class": "couplings.cluster.ward:Ward",
        "parameters": {"recurrence": "D", "ties": "R"},
    },
    "select": {"rule": "purity-nmi-first", "oracle": True},
    "fixed": {"sigma": 0.5},
    "row_orders": 2,
    "seed": 5,
}
MEASURE = {
    "measure": "dilca_m",
    "fits": [
        {
            "class": "couplings.measures.dilca:DilcaM",
            "parameters": {"rounding": "weka", "sigma": sigma},
            "setting": {"sigma": sigma},
        }
        for sigma in (0.0, 0.5, 1.0)
    ],
}


@pytest.fixture
def tables():
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1], 15).astype(np.int64)
    codes = np.where(rng.random((30, 4)) < 0.8, labels[:, None], rng.integers(0, 3, (30, 4)))
    table = CategoricalTable.from_codes(codes, n_values=[3, 3, 3, 4])
    facts = {"status": "ok", "reason": "", "classes": ["a", "b"], "cuts": [{}], "label_cuts": []}
    return Tables(facts, [table], [labels])


def test_archives_round_trip_and_are_byte_identical(tmp_path, tables):
    write_tables(tmp_path / "a.npz", tables)
    write_tables(tmp_path / "b.npz", tables)
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()
    back = read_tables(tmp_path / "a.npz")
    np.testing.assert_array_equal(back.tables[0].codes, tables.tables[0].codes)
    assert back.tables[0].categories == tables.tables[0].categories
    similarity = learn(tables, MEASURE)
    write_similarity(tmp_path / "s.npz", similarity)
    again = read_similarity(tmp_path / "s.npz")
    assert again.facts["settings"] == [fit["setting"] for fit in MEASURE["fits"]]
    for p in range(3):
        np.testing.assert_array_equal(
            again.spaces[0][p].matrices.data, similarity.spaces[0][p].matrices.data
        )
        np.testing.assert_array_equal(again.contexts[0][p], similarity.contexts[0][p])


def test_a_damaged_archive_is_named(tmp_path):
    (tmp_path / "x.npz").write_bytes(b"PK nonsense")
    with pytest.raises(UserError, match=r"x\.npz: not a readable archive"):
        read_tables(tmp_path / "x.npz")


def run(tmp_path, tables, **changes):
    write_tables(tmp_path / "t.npz", tables)
    write_similarity(tmp_path / "s.npz", learn(tables, MEASURE))
    args = argparse.Namespace(
        spec=json.dumps(PIPELINE | changes),
        tables=tmp_path / "t.npz",
        similarity=tmp_path / "s.npz",
        code="1",
        output=tmp_path / "out.csv",
        labels=tmp_path / "out.parquet",
        known=None,
    )
    assert trials.run(args) == 0
    with args.output.open() as stream:
        return list(csv.DictReader(stream))


def test_every_setting_in_file_order_then_permutations_of_the_reported_ones(tmp_path, tables):
    records = run(tmp_path, tables)
    assert [r["setting"] for r in records if r["order"] == "0"] == ["0", "0.5", "1"]
    permuted = {r["setting"] for r in records if r["order"] != "0"}
    assert "0.5" in permuted
    assert len(permuted) <= 2
    assert {r["n_clusters_found"] for r in records} == {"2"}
    assert {r["label_cuts"] for r in records} == {""}
    assert not (tmp_path / "out.csv.partial").exists()


@pytest.mark.parametrize("recurrence", ["D", "D2"])
def test_permutations_are_clustered_only_if_ties_decide(tmp_path, tables, monkeypatch, recurrence):
    ward = PIPELINE["algorithm"] | {"parameters": {"recurrence": recurrence, "ties": "R"}}
    changes = {"algorithm": ward, "row_orders": 6}
    short = run(tmp_path, tables, **changes)
    labels = list(read_labels(tmp_path / "out.parquet")["labels"])
    monkeypatch.setattr(trials, "any_order", lambda *_: False)
    full = run(tmp_path, tables, **changes)
    assert {r["made"] for r in full} == {"1"}
    assert "0" in {r["made"] for r in short if r["order"] != "0"}
    rounded = ("made", "margin")
    for one, other in zip(short, full, strict=True):
        assert [one[c] for c in one if c not in rounded] == [
            other[c] for c in other if c not in rounded
        ]
    np.testing.assert_array_equal(labels, list(read_labels(tmp_path / "out.parquet")["labels"]))


def test_labels_stand_beside_the_records_row_for_row(tmp_path, tables):
    records = run(tmp_path, tables)
    frame = read_labels(tmp_path / "out.parquet")
    assert [(f"{r['parameter']}={r['setting']}", int(r["order"])) for r in records] == list(
        zip(frame["setting"], frame["order"], strict=True)
    )
    for record, labels in zip(records, frame["labels"], strict=True):
        again = score(tables.labels[0], labels, trials.SCORES)
        assert again == {name: float(record[name]) for name in trials.SCORES}


def test_records_name_the_attributes_that_were_cut_with_the_labels(tmp_path, tables):
    facts = tables.facts | {"label_cuts": ["a", "c"]}
    records = run(tmp_path, Tables(facts, tables.tables, tables.labels))
    assert {r["label_cuts"] for r in records} == {"a c"}
    assert read_similarity(tmp_path / "s.npz").facts["label_cuts"] == ["a", "c"]


def test_an_algorithm_that_works_on_the_table_varies_its_own_parameter(tmp_path, tables):
    rock = {
        "id": "rock",
        "class": "couplings.cluster.rock:Rock",
        "parameters": {"label": "keep"},
        # With so few attributes several thetas join the same pairs.
        "settings": [{"theta": theta} for theta in (0.2, 0.25, 0.5, 0.55, 1.0)],
    }
    write_tables(tmp_path / "t.npz", tables)
    args = argparse.Namespace(
        spec=json.dumps(PIPELINE | {"algorithm": rock, "measure": "", "fixed": {"theta": 0.5}}),
        tables=tmp_path / "t.npz",
        similarity=None,
        code="1",
        output=tmp_path / "out.csv",
        labels=tmp_path / "out.parquet",
        known=None,
    )
    assert trials.run(args) == 0
    with args.output.open() as stream:
        records = list(csv.DictReader(stream))
    first = [r for r in records if r["order"] == "0"]
    assert [r["setting"] for r in first] == ["0.2", "0.25", "0.5", "0.55", "1"]
    labels = read_labels(args.labels)["labels"]
    table = tables.tables[0]
    for record, found in zip(first, labels, strict=False):
        alone = Rock(len(np.unique(tables.labels[0])), float(record["setting"])).fit(table)
        np.testing.assert_array_equal(found, alone.labels_)
    assert {r["parameter"] for r in records} == {"theta"}


def test_equal_tables_are_clustered_once(tmp_path, tables, monkeypatch):
    limbo = {
        "id": "limbo",
        "class": "couplings.cluster.limbo:Limbo",
        "parameters": {},
        "settings": [{"phi": 0.0}, {"phi": 0.5}],
    }
    spec = PIPELINE | {"algorithm": limbo, "measure": "", "fixed": {"phi": 0.0}}
    write_tables(tmp_path / "theirs.npz", tables)
    flipped = tables.tables[0].codes[:, ::-1]
    other = CategoricalTable.from_codes(flipped, n_values=[4, 3, 3, 3])
    write_tables(tmp_path / "other.npz", Tables(tables.facts, [other], tables.labels))

    def records(name, table, known):
        args = argparse.Namespace(
            spec=json.dumps(spec | {"preparation": table}),
            tables=tmp_path / f"{table}.npz",
            similarity=None,
            code="1",
            output=tmp_path / f"{name}.csv",
            labels=tmp_path / f"{name}.parquet",
            known=known,
        )
        assert trials.run(args) == 0
        return args.output.read_bytes(), args.labels.read_bytes()

    first = records("first", "theirs", None)
    shared = [tmp_path / "first.parquet", tmp_path / "theirs.npz"]
    calls = []
    original = trials._Bench._cluster
    monkeypatch.setattr(trials._Bench, "_cluster", lambda *a: calls.append(1) or original(*a))
    assert records("second", "theirs", shared) == first
    assert not calls
    alone = records("alone", "other", None)
    n_alone = len(calls)
    assert records("third", "other", shared) == alone
    assert len(calls) == 2 * n_alone


def test_an_interrupted_run_goes_on_and_gives_the_same_bytes(tmp_path, tables, monkeypatch):
    whole = run(tmp_path, tables)
    expected = [(tmp_path / name).read_bytes() for name in ("out.csv", "out.parquet")]
    (tmp_path / "out.csv").unlink()
    calls = []
    original = trials._Bench._cluster

    def killed(self, objects, s, p, order):
        if len(calls) == 1:
            raise KeyboardInterrupt
        calls.append(p)
        return original(self, objects, s, p, order)

    monkeypatch.setattr(trials._Bench, "_cluster", killed)
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path, tables)
    partial = tmp_path / "out.csv.partial"
    assert len(partial.read_text().splitlines()) == 2
    partial.write_text(partial.read_text() + '0.0.9\t{"half')  # cut off in the middle of a line
    monkeypatch.setattr(trials._Bench, "_cluster", lambda *a: calls.append(1) or original(*a))
    assert run(tmp_path, tables) == whole
    made = [(tmp_path / name).read_bytes() for name in ("out.csv", "out.parquet")]
    assert made == expected


def test_a_partial_file_of_other_code_is_not_used(tmp_path):
    path = tmp_path / "out.csv.partial"
    path.write_text('other\n0.0.0\t{"purity": 1.0}\n')
    finished = trials.Finished(path, "mine")
    assert finished.get("0.0.0") is None
    assert path.read_text() == "mine\n"


def test_unavailable_data_flow_through(tmp_path):
    nothing = Tables({"status": "unavailable", "reason": "no route"})
    (record,) = run(tmp_path, nothing)
    assert (record["status"], record["reason"], record["purity"]) == ("unavailable", "no route", "")


def test_selection_prefers_purity_then_nmi_then_the_smallest_setting():
    scores = {"purity": [0.9, 0.9, 0.8, 0.9], "nmi_sqrt": [0.1, 0.3, 0.9, 0.3]}
    assert select([0.0, 0.5, 0.6, 0.4], scores, "purity-nmi-first") == 0.4
    with pytest.raises(UserError, match="unknown rule 'best'"):
        select([0.0], {}, "best")


@pytest.mark.parametrize("cut", [None, ("y", 3)])
def test_wilcoxon_over_data_sets(cut):
    rng = np.random.default_rng(1)
    a, b = rng.random(9), rng.random(9)
    rows = [
        {
            "method": method,
            "reading": "reconciled",
            "status": "ok",
            "order": 0,
            "sample": 0,
            "dataset": f"d{i}",
            "setting": "",
            "label_cuts": "age" if (method, i) == cut else "",
            "purity": 0.0,
            "nmi_sqrt": 0.0,
            "ari": value,
        }
        for method, values in (("x", a), ("y", b))
        for i, value in enumerate(values)
    ]
    comparison = {"methods": ["x", "y"], "reading": "reconciled", "scores": ["ari", "purity"]}
    spec = {"paper": "p", "methods": {"x": {}, "y": {}}}
    first, second = statistics.compare(pd.DataFrame(rows), comparison, spec)
    # every assignment of signs to the ranks of |differences|, counted
    difference = a - b
    ranks = np.argsort(np.argsort(np.abs(difference))) + 1
    signs = np.array(np.meshgrid(*[[0, 1]] * 9)).reshape(9, -1).T
    sums = signs @ ranks
    observed = min(ranks[difference > 0].sum(), ranks[difference < 0].sum())
    exact = min(1.0, 2 * np.mean(sums <= observed))
    assert first["oracle"] == ("yes" if cut else "no")
    assert first["p"] == pytest.approx(exact)
    assert first["p_holm"] == pytest.approx(exact)
    assert first["wins_a"] + first["wins_b"] == 9
    assert second["ties"] == 9
    assert second["p"] is None
    assert "no test" in second["note"]
