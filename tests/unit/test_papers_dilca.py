import numpy as np
import pandas as pd
import pytest

from replication.errors import UserError
from replication.judge.cells import VERDICT_COLUMNS
from replication.judge.published import COLUMNS
from replication.papers.dilca.records import pick
from replication.run.records import write_records
from replication.run.trials import COLUMNS as RECORD
from replication.run.trials import SCORES
from replication.show.job import Job
from replication.show.sheet import build

CHOICES = {
    "reconciled": {"dilca.purity": "inverse", "dilca.nmi": "sqrt", "dilca.context": "strict"},
    "literal": {"dilca.purity": "eq5", "dilca.nmi": "sqrt", "dilca.context": "algorithm3"},
}
CHOICES["reconciled"]["dilca.postop_classes"] = "4"
CHOICES["literal"]["dilca.postop_classes"] = "3"
DILCA_M = {
    "id": "dilca_m",
    "label": "DILCA_M",
    "grid": {"sigma": [0.0, 0.5, 1.0]},
    "select": {"rule": "purity-nmi-first", "oracle": True},
    "fixed": {"sigma": 0.5},
}
DILCA_RR = {"id": "dilca_rr", "label": "DILCA_RR", "grid": None, "select": None, "fixed": None}


def record(setting=None, sample=0, order=0, status="ok", reason="", **scores):
    row = dict.fromkeys(RECORD, "")
    row |= {"dataset": "vote", "sample": sample, "order": order, "setting": setting}
    row |= {"parameter": "" if setting is None else "sigma", "status": status, "reason": reason}
    if status == "ok":
        row |= dict.fromkeys(SCORES, 0.25) | {"n_clusters_found": 2} | scores
    return row


def trials(path, method, **readings):
    """Entry of the records of a method, by reading."""
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


def job(kind, inputs=(), datasets=("vote",), entries=None, **more):
    spec = {
        "paper": "dilca",
        "artefact": "fig03",
        "kind": kind,
        "label": "Fig. 3",
        "readings": ["reconciled", "literal"],
        "datasets": entries or [{"id": name, "printed": name.capitalize()} for name in datasets],
        "methods": [DILCA_M, DILCA_RR],
        "left_out": [],
        "inputs": list(inputs),
        "choices": CHOICES,
        "notes": [],
    }
    return Job(spec | more)


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


# --- picking a setting --------------------------------------------------------------------------


def test_the_rule_picks_purity_then_nmi_then_the_smallest(inputs):
    picked = pick(job("quality", inputs), "vote", "dilca_m", "reconciled")
    assert picked.setting == "sigma=0.5"
    values = picked.reproduced("inverse_purity")
    assert (values.value, values.spread, values.orders, values.runs) == (0.8, (0.7, 0.85), 3, 1)
    assert values.sd is None


def test_every_sample_picks_its_own_setting(tmp_path):
    rows = [
        record(setting, sample, purity=purity, ari=ari)
        for sample, setting, purity, ari in (
            (0, 0.0, 0.9, 0.1),
            (0, 1.0, 0.8, 0.2),
            (1, 0.0, 0.8, 0.3),
            (1, 1.0, 0.9, 0.4),
        )
    ]
    own = [trials(tmp_path / "dilca_m.parquet", "dilca_m", reconciled=rows)]
    picked = pick(job("quality", own), "vote", "dilca_m", "reconciled")
    values = picked.reproduced("ari")
    assert picked.setting == "sigma=0;1"
    assert values.value == pytest.approx(0.25)
    assert values.sd == pytest.approx(np.std([0.1, 0.4], ddof=1))
    assert (values.runs, values.spread) == (2, (0.1, 0.4))


# --- Figs 3-11 ----------------------------------------------------------------------------------


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


# --- Fig. 12 ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("high", "plotted"), [(0.75, True), (0.7499, False)])
def test_sigma_curves_include_a_range_of_exactly_the_limit(tmp_path, high, plotted):
    rows = [record(0, purity=0.7), record(1, purity=high)]
    one = trials(tmp_path / "x.parquet", "dilca_m", reconciled=rows)
    cells = pd.DataFrame([], columns=COLUMNS)
    sheet = build(job("sigma_curves", [one], methods=[DILCA_M]), cells)
    assert {point["eq5_plotted"] for point in sheet.data} == {plotted}
