"""Tables and figures of the study, made from records of four invented measures."""

import csv
import io

import numpy as np
import pytest
from kit import job_of, recorded
from pages import CSV, MARKDOWN, Page, condensed, described, page

from replication.files import rows_text
from replication.judge.published import nothing_printed
from replication.papers.study import figures
from replication.papers.study.analysis import protocol_lines
from replication.papers.study.cells import SCORES
from replication.show.job import Job
from replication.show.sheet import build
from replication.show.tables import markdown

DATASETS = {f"d{i}": {"id": f"d{i}", "printed": f"Data {i}"} for i in range(6)}
LABELS = {"smd": "SMD", "lin": "LIN", "caso": "CASO", "one_hot": "0-1"}
SPREAD = {"replicates": 5, "clusters": 2.0, "ari_sd": 0.01, "ari_error": 0.0045}
"""What a cell has beside its scores."""


def cell(measure, algorithm, ari, label="", **more):
    """A record of a cell of the grid that was computed."""
    known = {"kind": "cell", "outcome": "ok", "measure": measure, "algorithm": algorithm}
    label = label or LABELS[measure]
    return known | {"label": label, **SPREAD, **dict.fromkeys(SCORES, ari), **more}


def named(record):
    return {key: record[key] for key in ("measure", "label", "algorithm")}


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    """Records of four measures on six data sets: caso is always best, lin lacks k-modes."""
    path = tmp_path_factory.mktemp("records")
    rng = np.random.default_rng(7)
    found = []

    def write(name, dataset, records):
        rows = [{"experiment": name, "dataset": dataset, **one} for one in records]
        file = path / f"{name}.{dataset}.parquet"
        found.append(recorded(file, rows, experiment=name, dataset=dataset))

    left_out = {"kind": "cell", "outcome": "left out", "detail": "why"}
    for i, dataset in enumerate(DATASETS):
        level = rng.random() * 0.5
        for measure, label in LABELS.items():
            common = {"measure": measure, "label": label}
            absent = {"rock": "no links"} | ({"kmodes": "not a sum"} if measure == "lin" else {})
            absent |= {} if measure == "one_hot" else {"kmeans": "no vectors"}
            records = []
            for algorithm in ("kmodes", "spectral", "ward", "average", "rock", "kmeans"):
                if algorithm in absent:
                    one = {**left_out, "rule": absent[algorithm], "algorithm": algorithm, **common}
                else:
                    gain = 0.4 if measure == "caso" else 0.02 * rng.random()
                    one = cell(measure, algorithm, level + gain)
                records.append(one)
            records += [
                {"kind": "pair", "outcome": "ok", "pair": j, "dissimilarity": float(x), **common}
                for j, x in enumerate(rng.random(5))
            ]
            write(f"grid_{measure}", dataset, records)
            treated = [
                cell(measure, "spectral", level + shift, **{column: setting})
                for column, setting, shift in (
                    ("treatment", "value", 0.0),
                    ("treatment", "impute", 0.1),
                    ("treatment", "drop", -0.1),
                    ("bins", 5, 0.05),
                    ("bins", 20, -0.05),
                )
            ]
            write(f"treatment_{measure}", dataset, treated)
        profile_ = {"kind": "profile", "objects": 10 * i, "attributes": 4, "values": 2 + i}
        profile_ |= {"classes": 2, "majority": 0.5, "imbalance": 0.1 * i, "coupling": 0.05 * i}
        base = [
            {"kind": "baseline", "baseline": b, **dict.fromkeys(SCORES, 0.5)}
            for b in ("majority", "random")
        ]
        write("profiles", dataset, [{**profile_, "incomplete": i}, *base])
        write("rivals", dataset, [cell("limbo", "limbo", level + 0.01, "LIMBO")])
        latent = cell("latent_classes", "latent_classes", level + 0.2, "LCA")
        entropy = cell("entropy_srs", "entropy_srs", level, "SRS")
        if i == 5:
            entropy = {**left_out, "rule": "failed", **named(entropy)}
        note = {"kind": "classes", "outcome": "ok", "classes": 2, "preferred": 1 + i % 3}
        write("learned", dataset, [latent, {**named(latent), **note, "ari": 0.5}, entropy])
    for i, (measure, label) in enumerate(LABELS.items()):
        record = {"kind": "cost", "outcome": "ok", "measure": measure, "label": label}
        record |= {"algorithm": "kmodes", "fit_seconds": 0.1 + i, "run_seconds": 0.1}
        for dataset, peak in (("d0", 153.0), ("d1", 157.0)):
            write(f"cost_{measure}", dataset, [{**record, "before_mib": 150.0, "peak_mib": peak}])
    record |= {"measure": "latent_classes", "algorithm": "latent_classes", "label": "LCA"}
    record |= {"fit_seconds": 0.05, "run_seconds": 0.0, "before_mib": 150.0, "peak_mib": 151.0}
    for dataset in ("d0", "d1"):
        write("cost_alone_latent_classes", dataset, [record])
    return found


def sheet_of(kind, inputs, parameters=None, left_out=()):
    related = kind in ("data", "anchors", "conclusions", "duels")
    choices = {"families": [["d0", "d1"]], "designs": ["d2"]} if related else {}
    job = job_of(
        *("study", kind),
        **{"label": "Label", "datasets": list(DATASETS.values()), "left_out": list(left_out)},
        **{"inputs": inputs, "history": [HISTORY], "parameters": {**choices, **(parameters or {})}},
        experiments=list(dict.fromkeys(one["experiment"] for one in inputs)),
    )
    return build(job, nothing_printed()), job.spec


HISTORY = {"date": "today", "protocol": "1234abcd", "commit": "567", "change": "all"}


def duel(claim, first, second, **algorithms):
    return {"claim": claim, "first": first, "second": second, **algorithms}


DUELS = [
    duel("CASO", "caso", "smd", algorithm="ward"),
    duel("x", "one_hot", "smd", first_algorithm="kmeans", second_algorithm="ward"),
    duel("y", "caso", "limbo", first_algorithm="ward", second_algorithm="limbo"),
    duel("absent", "lin", "smd", algorithm="kmodes"),
]
NATURAL = {"kmeans": ["one_hot"], "ward": ["lin"]}
PLAIN = ("data", "agreement", "cost", "treatment", "variance", "left_out", "leaderboard", "history")
"""Tables without parameters."""
KINDS = {
    **{name: (name, {}) for name in PLAIN},
    "conclusions": ("conclusions", {"natural": NATURAL, "duels": DUELS}),
    "ranks-measures": ("ranks", {}),
    "ranks-methods": ("ranks", {"natural": NATURAL}),
    "heatmap": ("heatmap", {"natural": NATURAL}),
    "anchors": ("anchors", {"natural": NATURAL}),
    "duels": ("duels", {"duels": DUELS}),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", KINDS)
def test_golden_study_page(inputs, snapshot, name):
    kind, parameters = KINDS[name]
    sheet, spec = sheet_of(kind, inputs, parameters)
    rows = rows_text(sheet.data_columns, sheet.data)
    text = page(condensed(markdown(sheet), MARKDOWN, "|"), condensed(rows, CSV))
    if draw := getattr(figures, kind, None):
        text += page("## Figure", described(*draw(spec, list(csv.DictReader(io.StringIO(rows))))))
    if kind == "ranks":
        assert "nothing to draw" in draw(spec, [])[1]
    assert text == snapshot(extension_class=Page)


def test_without_an_anchor_nothing_is_compared(inputs):
    few = [one for one in inputs if one["experiment"] in ("grid_caso", "profiles")]
    sheet, spec = sheet_of("anchors", few, {"natural": NATURAL})
    assert protocol_lines(Job({**spec, "history": []})) == []
    assert sheet.caption == "This run computed neither baseline."
    assert not sheet.data


def test_data_sets_that_were_not_computed_are_named(inputs):
    left_out = [{"dataset": "d5", "reason": "left out by limits.datasets"}]
    sheet, _ = sheet_of("leaderboard", inputs, left_out=left_out)
    assert any("1 of 6 data sets: left out by limits.datasets" in line for line in sheet.legend)
