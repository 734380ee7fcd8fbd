"""The table of the leaderboard."""

import pytest
from kit import job_of, recorded, texts

from replication.judge.published import nothing_printed
from replication.papers.study.tables.ranking import COLUMNS
from replication.show.sheet import build

METHODS = [("smd", "kmodes"), ("smd", "ward"), ("cde", "kmodes"), ("limbo", "limbo")]
ARI = {"a": [0.5, 0.25, 0.5, 0.125], "b": [0.75, 0.5, 0.25, None], "c": [0.125, 0.0, 0.0625, None]}
SCORES = {(d, *one): ari for d, row in ARI.items() for one, ari in zip(METHODS, row, strict=True)}
"""ARI by data set, measure and algorithm; None is left out."""


def records(experiment, measures):
    for (dataset, measure, algorithm), ari in SCORES.items():
        if measure not in measures:
            continue
        common = {"experiment": experiment, "dataset": dataset, "status": "ok", "reason": ""}
        common |= {"kind": "cell", "measure": measure, "label": measure.upper()}
        common |= {"algorithm": algorithm}
        if ari is None:
            yield {**common, "outcome": "left out", "rule": "too large", "detail": "12 objects"}
        else:
            scores = dict.fromkeys(("nmi_arithmetic", "accuracy", "macro_f1", "purity"), ari / 2)
            yield {
                **common,
                "outcome": "ok",
                "replicates": 3,
                "clusters": 2.0,
                "ari": ari,
                **scores,
            }


@pytest.fixture
def sheet(tmp_path):
    parts = {
        "grid_smd": list(records("grid_smd", ["smd"])),
        "grid_cde": list(records("grid_cde", ["cde"])),
        "rivals": list(records("rivals", ["limbo"])),
        "profiles": [
            {"dataset": name, "status": "ok", "kind": "baseline", "baseline": base}
            | {"ari": 0.0, "nmi_arithmetic": 0.0, "purity": 0.5, "replicates": 1}
            for name in "abc"
            for base in ("majority", "random")
        ],
    }
    inputs = [
        recorded(tmp_path / f"{name}.parquet", rows, experiment=name)
        for name, rows in parts.items()
    ]
    names = [{"id": name, "printed": name.upper()} for name in "abc"]
    job = job_of("study", "leaderboard", datasets=names, inputs=inputs, experiments=list(parts))
    return build(job, nothing_printed())


def test_methods_stand_by_their_mean_rank_and_base_rates_below(sheet):
    rows = texts(sheet)
    assert [(row["label"], row.get("algorithm", "")) for row in rows] == [
        ("SMD", "k-modes"),
        ("CDE", "k-modes"),
        ("SMD", "Ward"),
        ("LIMBO", ""),
        ("base rate: one cluster", ""),
        ("base rate: random clusters", ""),
    ]
    # LIMBO lacks two of three data sets; SMD and CDE tie on the first
    assert [row.get("rank") for row in rows[:4]] == ["1.17", "2.17", "2.67", None]
    assert [row["datasets"] for row in rows[:4]] == ["3", "3", "3", "1"]
    assert "Over 3 data sets SMD with k-modes has the best mean rank" in sheet.caption


def test_the_data_hold_every_cell_with_its_rank_or_its_rule(sheet):
    assert sheet.data_columns == COLUMNS
    cells = {(one["dataset"], one["measure"], one["algorithm"]): one for one in sheet.data}
    assert {key: cells[key]["ari"] for key in SCORES} == SCORES
    assert [cells[key]["rank"] for key in list(SCORES)[:4]] == [1.5, 3.0, 1.5, 4.0]
    assert cells["b", "limbo", "limbo"]["rule"] == "too large"
    assert cells["a", "majority", "base rate"]["rank"] is None
    assert cells["a", "cde", "kmodes"]["experiment"] == "grid_cde"
