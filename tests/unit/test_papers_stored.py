"""Partitions that another group stored: single runs of ours, and the table beside them."""

import numpy as np
import pandas as pd
from kit import ROOT, computed, configuration, data_inputs, experiment_of, recorded

from couplings.table import CategoricalTable
from replication.judge.published import load, numbers
from replication.papers.stored import experiments
from replication.plan.configuration import read_yaml
from replication.show.job import Job
from replication.show.sheet import build

CELLS = load("stored", ROOT / "data/published")
CONFIG = configuration("stored")
REGISTRY = {
    name: read_yaml(ROOT / f"config/{name}.yaml", name) for name in ("measures", "algorithms")
}


def records(folder, codes, classes, **parameters):
    width = codes.max(axis=0) + 1
    table = CategoricalTable.from_codes(
        codes, categories=[tuple(map(str, range(v))) for v in width], attributes=["a", "b", "c"]
    )
    made = experiment_of(
        folder / "runs.partial",
        "stored",
        "runs",
        dataset="zoo",
        trials=4,
        parameters={**CONFIG["experiments"]["runs"]["parameters"], **parameters},
        algorithms={n: REGISTRY["algorithms"][n] for n in ("kmodes_online", "entropy_single")},
        inputs=data_inputs(folder, table, classes, "codes"),
        preparations=["codes"],
    )
    return pd.DataFrame(computed(experiments.runs, made))


def groups():
    rng = np.random.default_rng(1)
    classes = np.repeat([0, 1, 2], 10)
    codes = np.where(rng.random((30, 3)) < 0.8, classes[:, None], rng.integers(0, 3, (30, 3)))
    return codes, classes


def test_single_runs_of_every_method(tmp_path):
    found = records(tmp_path, *groups())
    assert found.groupby("method").size().to_dict() == {
        "cdc_dr": 4,
        "entropy_single": 4,
        "kmodes_online": 4,
    }
    assert set(found["objects"]) == {30}
    assert found["ari"].between(-0.5, 1).all()


def test_objects_with_some_values_are_left_out(tmp_path):
    codes, classes = groups()
    found = records(tmp_path, codes, classes, without_values={"a": ["2"]})
    assert set(found["objects"]) == {int((codes[:, 0] != 2).sum())}


def test_an_embedding_that_is_not_defined_is_said_so(tmp_path):
    full = np.array(np.meshgrid([0, 1], [0, 1], [0, 1])).reshape(3, -1).T
    found = records(tmp_path, full, full[:, 0])
    (row,) = found[found["method"] == "cdc_dr"].to_dict("records")
    assert "not defined" in row["absent"]


def test_means_are_judged_like_printed_numbers(tmp_path):
    entry = CONFIG["artefacts"]["partitions"]
    common = {"paper": "stored", "experiment": "runs", "dataset": "zoo", "status": "ok"}
    rows = [
        {**common, "reason": "", "method": "kmodes_online", "absent": "", "trial": t}
        | {"ari": 0.62 + 0.01 * t, "nmi": 0.1 + 0.001 * t, "accuracy": 0.69 + 0.01 * t}
        for t in range(3)
    ]
    rows.append({**rows[0], "method": "cdc_dr", "absent": "not defined"})
    rows[-1] |= {"trial": "", "ari": "", "nmi": "", "accuracy": ""}
    spec = {
        **{key: value for key, value in entry.items() if key != "outputs"},
        **{"paper": "stored", "artefact": "partitions", "readings": CONFIG["readings"]},
        "datasets": [{"id": "zoo", "printed": "zoo"}],
        **{"methods": [], "left_out": []},
        "inputs": [recorded(tmp_path / "runs.parquet", rows, experiment="runs", dataset="zoo")],
    }
    made = build(Job(spec), CELLS)
    found = {row["id"].removeprefix("stored-partitions-"): row for row in made.verdicts}
    assert len(found) == len(numbers(CELLS)) == 216
    assert found["zoo-kmodes-ari"]["verdict"] == "within noise"
    assert found["zoo-kmodes-nmi"]["verdict"] == "differs"
    assert found["zoo-cdc_dr-ari"]["reason"] == "not defined"
    assert "never published" in found["heart_disease-cde-ari"]["reason"]
    assert "kmodes 1 of 1" in made.caption
