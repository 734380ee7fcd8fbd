"""The steps `trials` and `experiment`: what is computed, written and resumed."""

import json
from unittest.mock import Mock

import numpy as np
import pytest
from kit import experiment_spec, learnt_inputs, read_labels, recorded

from couplings import CategoricalTable, MeasureError, MixedTable
from couplings.measures.coupled_mixed import CoupledMixed
from replication import plugins
from replication.data.store import Tables, read_archive, write_archive
from replication.errors import UserError
from replication.run import experiment as step
from replication.run import statistics, trials
from replication.run.records import record_rows
from replication.run.scores import EXTERNAL
from replication.run.selection import select
from replication.run.similarity import learn

# --- trials --------------------------------------------------------------------------------------

METHOD = {"paper": "dilca", "dataset": "toy", "method": "dilca_m", "select": "purity-nmi-first"}
METHOD |= {"fixed": {"sigma": 0.5}, "row_orders": 2, "seed": 5}
WARD = {"id": "ward_r", "class": "couplings.cluster.ward:Ward"}
WARD |= {"parameters": {"recurrence": "D", "ties": "R"}}
POINTS = [{"sigma": sigma} for sigma in (0.0, 0.5, 1.0)]
PIPELINE = {"preparation": "bins10", "measure": "dilca_m", "algorithm": WARD, "settings": POINTS}
DILCA_M = {"measure": "dilca_m", "class": "couplings.measures.dilca:DilcaM"}
MEASURE = [
    {**DILCA_M, "parameters": {"rounding": "weka", **point}, "setting": point} for point in POINTS
]


@pytest.fixture
def tables():
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1], 15).astype(np.int64)
    codes = np.where(rng.random((30, 4)) < 0.8, labels[:, None], rng.integers(0, 3, (30, 4)))
    table = CategoricalTable.from_codes(codes, n_values=[3, 3, 3, 4])
    facts = {"status": "ok", "reason": "", "classes": ["a", "b"], "cuts": [{}], "label_cuts": []}
    return Tables(facts, [table], [labels])


def test_archives_round_trip_and_are_byte_identical(tmp_path, tables):
    write_archive(tmp_path / "a.npz", {"bins10": tables})
    write_archive(tmp_path / "b.npz", {"bins10": tables})
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()
    back = read_archive(tmp_path / "a.npz", "bins10")
    np.testing.assert_array_equal(back.tables[0].codes, tables.tables[0].codes)
    assert back.tables[0].categories == tables.tables[0].categories
    similarity = learn(tables, MEASURE)
    write_archive(tmp_path / "s.npz", {"bins10": similarity})
    again = read_archive(tmp_path / "s.npz", "bins10", ["dilca_m"])
    assert [fit.setting for fit in again.fits] == [fit["setting"] for fit in MEASURE]
    for one, other in zip(again.fits, similarity.fits, strict=True):
        np.testing.assert_array_equal(one.spaces[0].matrices.data, other.spaces[0].matrices.data)
        np.testing.assert_array_equal(one.contexts[0], other.contexts[0])
    assert read_archive(tmp_path / "s.npz", "bins10", ["other"]).fits == []


def run(tmp_path, tables, readings=None, **changes):
    """Records of a batch of one method; `tables` of one preparation, or several by id."""
    tables = tables if isinstance(tables, dict) else {"bins10": tables}
    pipeline = {key: changes.get(key, value) for key, value in PIPELINE.items()}
    readings = readings or {"reconciled": pipeline}
    files = {"tables": str(tmp_path / "t.npz"), "similarity": str(tmp_path / "s.npz")}
    write_archive(tmp_path / "t.npz", tables)
    learnt = {name: learn(one, MEASURE) for name, one in tables.items()}
    write_archive(tmp_path / "s.npz", learnt)
    pipelines = [{"reading": name, **one} for name, one in readings.items()]
    method = {**METHOD, **changes, **files, "readings": pipelines, "journal": str(tmp_path / "j")}
    method = {key: value for key, value in method.items() if key not in PIPELINE}
    content = {"methods": [method], "experiments": []}
    trials.run(content, tmp_path / "out", tmp_path / "out.parquet", code="1")
    return record_rows(tmp_path / "out" / "dilca_m.parquet")


def test_every_setting_in_file_order_then_permutations_of_the_reported_ones(tmp_path, tables):
    records = run(tmp_path, tables)
    assert [r["setting"] for r in records if r["order"] == 0] == [0.0, 0.5, 1.0]
    permuted = {r["setting"] for r in records if r["order"] != 0}
    assert 0.5 in permuted
    assert len(permuted) <= 2
    assert {r["n_clusters_found"] for r in records} == {2}
    assert {r["label_cuts"] for r in records} == {None}
    assert set(EXTERNAL) - set(records[0]) == {"mutual_information", "nmi_min"}
    assert not (tmp_path / "j").exists()


@pytest.mark.parametrize("recurrence", ["D", "D2"])
def test_permutations_are_clustered_only_if_ties_decide(tmp_path, tables, monkeypatch, recurrence):
    ward = WARD | {"parameters": {"recurrence": recurrence, "ties": "R"}}
    changes = {"algorithm": ward, "row_orders": 6}
    short = run(tmp_path, tables, **changes)
    labels = list(read_labels(tmp_path / "out.parquet")["labels"])
    monkeypatch.setattr(trials.OtherOrders, "after", lambda *_: trials.OtherOrders())
    full = run(tmp_path, tables, **changes)
    assert {r["made"] for r in full} == {True}
    assert False in {r["made"] for r in short if r["order"] != 0}
    rounded = ("made", "margin")
    for one, other in zip(short, full, strict=True):
        assert [one[c] for c in one if c not in rounded] == [
            other[c] for c in other if c not in rounded
        ]
    np.testing.assert_array_equal(labels, list(read_labels(tmp_path / "out.parquet")["labels"]))


@pytest.mark.parametrize("differs", [None, "codes", "n_values", "labels", "algorithm"])
def test_readings_share_clusterings_of_the_same_codes(tmp_path, tables, monkeypatch, differs):
    sizes, classes = [3, 3, 3, 4 + (differs == "n_values")], tables.labels[0]
    codes = (tables.tables[0].codes + (differs == "codes")) % 3
    facts = tables.facts | {"label_cuts": ["x"]}
    other = Tables(
        facts, [CategoricalTable.from_codes(codes, sizes)], [abs(classes - (differs == "labels"))]
    )
    original, made = trials._Bench._cluster, []
    monkeypatch.setattr(trials._Bench, "_cluster", lambda *a: made.append(1) or original(*a))
    algorithm = WARD | ({"id": "other"} if differs == "algorithm" else {})
    literal = PIPELINE | {"preparation": "mdl", "algorithm": algorithm}
    pipelines = {"reconciled": PIPELINE, "literal": literal}
    run(tmp_path, tables, {"reconciled": PIPELINE})
    alone = len(made)
    records = run(tmp_path, {"bins10": tables, "mdl": other}, pipelines)
    assert (len(made) == 2 * alone) == (differs is None)
    both = [[r for r in records if r["reading"] == name] for name in pipelines]
    assert [{r["label_cuts"] for r in one} for one in both] == [{None}, {"x"}]
    assert [{r["preparation"] for r in one} for one in both] == [{"bins10"}, {"mdl"}]
    jobs = read_labels(tmp_path / "out.parquet")["job"].value_counts()
    assert [jobs[f"dilca_m.{name}"] for name in pipelines] == [*map(len, both)]


@pytest.mark.parametrize(("margin", "looks"), [(None, 0), (0.1, 0), (1e-9, 0), (1e-12, 1)])
def test_clusters_without_ties_are_looked_at_again_if_rounding_may_move_them(margin, looks):
    distances, labels = Mock(return_value=np.array([1.0, 5.0, 5.0])), [np.array([0, 0, 1])]
    found = Mock(facts={"tied": False}, rounding=[{"margin": margin}], labels=labels)
    assert trials.OtherOrders.after(found, distances, "D").same is found
    assert distances.call_count == looks


def test_an_interrupted_run_goes_on_and_gives_the_same_bytes(tmp_path, tables, monkeypatch):
    calls, again = [], []
    original = trials._Bench._cluster
    monkeypatch.setattr(trials._Bench, "_cluster", lambda *a: again.append(1) or original(*a))
    whole = run(tmp_path, tables)
    n_whole = len(again)
    again.clear()
    written = (tmp_path / "out/dilca_m.parquet", tmp_path / "out.parquet")
    expected = [path.read_bytes() for path in written]
    written[0].unlink()

    def killed(self, objects, s, p, order):
        if len(calls) == 1:
            raise KeyboardInterrupt
        calls.append(p)
        return original(self, objects, s, p, order)

    monkeypatch.setattr(trials._Bench, "_cluster", killed)
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path, tables)
    [partial] = [path for path in (tmp_path / "j").rglob("*") if path.is_file()]
    assert len(partial.read_text().splitlines()) == 2
    partial.write_text(partial.read_text() + '0.0.9\t{"half')  # cut off in the middle of a line
    monkeypatch.setattr(trials._Bench, "_cluster", lambda *a: again.append(1) or original(*a))
    assert run(tmp_path, tables) == whole
    assert [path.read_bytes() for path in written] == expected
    assert len(again) == n_whole - 1 > 0


def test_unavailable_data_flow_through(tmp_path):
    nothing = Tables({"status": "unavailable", "reason": "no route"})
    (record,) = run(tmp_path, nothing)
    found = [record[key] for key in ("status", "reason", "purity")]
    assert found == ["unavailable", "no route", None]


def test_selection_prefers_purity_then_nmi_then_the_smallest_setting():
    scores = {"purity": [0.9, 0.9, 0.8, 0.9], "nmi_sqrt": [0.1, 0.3, 0.9, 0.3]}
    assert select({"setting": [0.0, 0.5, 0.6, 0.4], **scores}, "purity-nmi-first") == 0.4
    with pytest.raises(UserError, match="unknown rule 'best'"):
        select({"setting": [0.0]}, "best")


@pytest.mark.parametrize("cut", [None, ("y", 3)])
def test_wilcoxon_over_data_sets(tmp_path, cut):
    rng = np.random.default_rng(1)
    a, b = rng.random(9), rng.random(9)
    plain = {"reading": "reconciled", "order": 0, "sample": 0, "setting": None, "nmi_sqrt": 0.0}
    rows = [
        {"method": method, "dataset": f"d{i}", "ari": value, **plain}
        | {"label_cuts": "age" if (method, i) == cut else None}
        | {"purity": float((method, i) == ("x", 0))}
        for method, values in (("x", a), ("y", b))
        for i, value in enumerate(values)
    ]
    inputs = [recorded(tmp_path / "records.parquet", rows) | {"role": "trials"}]
    spec = {"paper": "p", "methods": {"x": {}, "y": {}}, "reading": "reconciled", "inputs": inputs}
    comparison = statistics.Comparison(spec, {"methods": ["x", "y"]})
    first, second = statistics.over_datasets(comparison, scores=["ari", "purity"])
    # every assignment of signs to the ranks of |differences|, counted
    difference = a - b
    ranks = np.argsort(np.argsort(np.abs(difference))) + 1
    signs = np.array(np.meshgrid(*[[0, 1]] * 9)).reshape(9, -1).T
    sums = signs @ ranks
    observed = min(ranks[difference > 0].sum(), ranks[difference < 0].sum())
    exact = min(1.0, 2 * np.mean(sums <= observed))
    assert first["oracle"] == bool(cut)
    assert first["p"] == pytest.approx(exact)
    assert first["p_holm"] == pytest.approx(exact)
    assert first["wins_a"] + first["wins_b"] == 9
    assert (second["wins_a"], second["ties"]) == (1, 8)
    assert second["p"] is None
    assert "no test" in second["note"]


# --- experiment ----------------------------------------------------------------------------------

CALLS = []


def doubles(experiment, *, other=0):
    for trial in range(experiment.trials):
        row = experiment.once(f"trial {trial}", lambda t=trial: work(experiment, t))
        yield {"trial": trial, **row}


def work(experiment, trial):
    CALLS.append(trial)
    return {"value": 2 * trial, "random": experiment.rng("x", trial=trial).random()}


def breaks(experiment):
    yield from doubles(experiment)
    raise RuntimeError("cut off")


def asks(experiment):
    yield {"tables": len(experiment.tables("bins10").tables)}


def spec(function="doubles", **other):
    plain = {"run": f"{__name__}:{function}", "trials": 3, "seed": 7}
    return experiment_spec("toy", "twice", **plain | other)


def run_step(tmp_path, content, code="1"):
    one = content | {"journal": str(tmp_path / "journal")}
    step.run({"experiments": [one]}, tmp_path / "out", code)
    return record_rows(tmp_path / "out" / "twice.parquet")


@pytest.fixture(autouse=True)
def _no_calls(monkeypatch):
    CALLS.clear()
    monkeypatch.setenv(plugins.VARIABLE, __file__)


def test_random_numbers_depend_on_names_and_trial_only(tmp_path):
    first = [row["random"] for row in run_step(tmp_path, spec())]
    again = [row["random"] for row in run_step(tmp_path, spec(parameters={"other": 1}))]
    assert first == again
    assert len(set(first)) == 3
    assert first != [row["random"] for row in run_step(tmp_path, spec(seed=8))]


@pytest.mark.parametrize(("code", "calls"), [("1", [0, 1, 2]), ("2", [0, 1, 2] * 2)])
def test_a_killed_job_goes_on_and_another_code_starts_anew(tmp_path, monkeypatch, code, calls):
    content = spec("breaks")
    with pytest.raises(RuntimeError, match="cut off"):
        run_step(tmp_path, content)
    assert CALLS == [0, 1, 2]
    monkeypatch.setattr(f"{__name__}.breaks", doubles)
    rows = run_step(tmp_path, content, code)
    assert calls == CALLS
    assert [row["value"] for row in rows] == [0, 2, 4]


def test_an_unavailable_data_set_is_one_record(tmp_path):
    facts = tmp_path / "facts.json"
    facts.write_text(json.dumps({"status": "unavailable", "reason": "no route"}))
    content = spec(dataset="vote", inputs=[{"role": "facts", "file": str(facts)}])
    (row,) = run_step(tmp_path, content)
    assert (row["status"], row["reason"], row["dataset"]) == ("unavailable", "no route", "vote")
    assert CALLS == []


def test_what_the_entry_does_not_name_is_refused(tmp_path):
    with pytest.raises(UserError, match=r"experiments\.twice: .*needs 'bins10'"):
        run_step(tmp_path, spec("asks"))


def test_measures_come_from_the_registry():
    entry = {"class": "couplings.measures.dilca:DilcaM", "parameters": {"rounding": "clipped"}}
    made = step.Experiment(spec(measures={"m": entry}), None)
    parameters = made.measure("m", sigma=0.25).get_params()
    assert (parameters["rounding"], parameters["sigma"]) == ("clipped", 0.25)
    with pytest.raises(UserError, match="needs 'n', which the entry does not list; it lists m"):
        made.measure("n")
    with pytest.raises(UserError, match="it lists none"):
        made.algorithm("ward")


def test_vectors_and_spaces_are_taken_from_what_was_learnt(tmp_path):
    codes = np.array([[0, 0], [1, 1], [0, 1], [1, 0]])
    numbers = np.array([[1.0], [2.0], [4.0], [7.0]])
    mixed = MixedTable(CategoricalTable.from_codes(codes), numbers, ("x",))
    tables = Tables({"status": "ok", "reason": "", "label_cuts": []}, [mixed], [codes[:, 0]])
    measures = {"m": {"class": "couplings.measures.coupled_mixed:CoupledMixed"}}
    measures["v"] = {"class": "couplings.measures.frequency:SimpleMatching"}
    powers = {"m": [{"max_power": 2}, {"max_power": 3}]}
    inputs = learnt_inputs(tmp_path / "learnt.npz", tables, "mixed", measures, powers)
    asked = {"m": {"settings": powers["m"]}, "v": {"settings": [{}]}}
    made = step.Experiment(spec(similarities=asked, preparations=["mixed"], inputs=inputs), None)
    for power in (2, 3):
        expected = CoupledMixed(max_power=power).fit_transform(mixed)
        np.testing.assert_array_equal(made.similarity("m", "mixed", max_power=power), expected)
    with pytest.raises(UserError, match=r"twice\.similarities\.m: .*'max_power': 4"):
        made.similarity("m", "mixed", max_power=4)
    # value matrices need a table without numbers; that does not keep the others back
    with pytest.raises(MeasureError, match="tables without numbers"):
        made.similarity("v", "mixed")
