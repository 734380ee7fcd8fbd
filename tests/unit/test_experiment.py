"""The step `experiment`: what a computation may ask for, what is written, how it resumes."""

import json

import numpy as np
import pytest
from kit import learnt_inputs

from couplings.errors import MeasureError
from couplings.measures.coupled_mixed import CoupledMixed
from couplings.mixed import MixedTable
from couplings.table import CategoricalTable
from replication.data.store import Tables
from replication.errors import UserError
from replication.run import experiment as step
from replication.run.records import record_rows

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
    return {
        "paper": "toy",
        "experiment": "twice",
        "dataset": "",
        "run": f"{__name__}:{function}",
        "parameters": {},
        "trials": 3,
        "seed": 7,
        "measures": {},
        "algorithms": {},
        "similarities": {},
        "preparations": [],
        "inputs": [],
    } | other


def run(tmp_path, content, code="1"):
    one = content | {"journal": str(tmp_path / "journal")}
    step.run({"experiments": [one]}, tmp_path / "out", code)
    return record_rows(tmp_path / "out" / "twice.parquet")


@pytest.fixture(autouse=True)
def _no_calls():
    CALLS.clear()


def test_random_numbers_depend_on_names_and_trial_only(tmp_path):
    first = [row["random"] for row in run(tmp_path, spec())]
    again = [row["random"] for row in run(tmp_path, spec(parameters={"other": 1}))]
    assert first == again
    assert len(set(first)) == 3
    assert first != [row["random"] for row in run(tmp_path, spec(seed=8))]


def test_a_killed_job_goes_on(tmp_path, monkeypatch):
    content = spec("breaks")
    with pytest.raises(RuntimeError, match="cut off"):
        run(tmp_path, content)
    assert CALLS == [0, 1, 2]
    monkeypatch.setattr(f"{__name__}.breaks", doubles)
    rows = run(tmp_path, content)
    assert CALLS == [0, 1, 2]
    assert [row["value"] for row in rows] == [0, 2, 4]


def test_another_code_starts_anew(tmp_path):
    with pytest.raises(RuntimeError):
        run(tmp_path, spec("breaks"))
    with pytest.raises(RuntimeError):
        run(tmp_path, spec("breaks"), code="2")
    assert CALLS == [0, 1, 2] * 2


def test_an_unavailable_data_set_is_one_record(tmp_path):
    facts = tmp_path / "facts.json"
    facts.write_text(json.dumps({"status": "unavailable", "reason": "no route"}))
    content = spec(dataset="vote", inputs=[{"role": "facts", "file": str(facts)}])
    (row,) = run(tmp_path, content)
    assert (row["status"], row["reason"], row["dataset"]) == ("unavailable", "no route", "vote")
    assert CALLS == []


def test_what_the_entry_does_not_name_is_refused(tmp_path):
    with pytest.raises(UserError, match=r"experiments\.twice: .*needs 'bins10'"):
        run(tmp_path, spec("asks"))


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
