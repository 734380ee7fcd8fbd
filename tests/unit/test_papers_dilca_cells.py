"""Tables of DILCA across its figures, and the experiments behind its claims."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from kit import coded_inputs, computed, experiment_of, recorded, texts
from test_papers_dilca import DILCA_M, DILCA_RR, cell, job, record, trials
from test_papers_dilca_times import records

from couplings.counts import cooccurrence
from couplings.measures.dilca import DilcaM
from couplings.table import CategoricalTable
from replication.data.store import Tables
from replication.judge.published import load, numbers
from replication.papers.dilca import properties
from replication.papers.dilca.tables_cells import best_or_tied
from replication.show.sheet import build

CELLS = {"printed_in": ["fig03", "fig04", "fig05"]}


@pytest.fixture
def inputs(tmp_path):
    """DILCA_M: sigma 0.5 is chosen, sigma 1 has other scores. DILCA_RR: one clustering."""
    grid = [
        record(0.5, purity=0.9, inverse_purity=0.8, accuracy=0.75, nmi_sqrt=0.5, ari=0.4),
        record(1, purity=0.8, inverse_purity=0.7, accuracy=0.7, nmi_sqrt=0.3, ari=0.2),
    ]
    single = [record(purity=0.5, inverse_purity=0.6, accuracy=0.6, nmi_sqrt=0.1, ari=0.1)]
    return [
        trials(tmp_path / f"{method}.parquet", method, reconciled=rows)
        for method, rows in (("dilca_m", grid), ("dilca_rr", single))
    ]


def printed(method, purity, nmi, ari):
    return [
        cell("Vote", method, "purity", purity, "fig03"),
        cell("Vote", method, "nmi", nmi, "fig04"),
        cell("Vote", method, "ari", ari, "fig05"),
    ]


def unexplained(inputs, cells, **more):
    one = job("unexplained", inputs, parameters=CELLS, **more)
    one.artefact = "unexplained"
    return build(one, pd.DataFrame(cells))


def test_exact_cells_are_counted_and_the_others_listed(inputs):
    notes = [{"dataset": "vote", "method": "dilca_m", "metric": "nmi", "text": "tried it"}]
    cells = [
        *printed("DILCA_M", "75.00%", "0.3000", "0.4000"),
        *printed("DILCA_RR", "60.00%", "0.1000", "0.1050"),
    ]
    sheet = unexplained(inputs, cells, notes=notes)
    assert sheet.title == "Fig. 3: 3 of 6"
    assert sheet.caption.startswith("3 of 6 cells are exact, 4 within 0.01")
    assert not sheet.verdicts
    first, second = texts(sheet)
    assert first["purity.ours"] == "80.00 ≠†"
    assert "ari.ours" not in first
    assert first["givers"] == "purity: best matching; NMI: sigma 1"
    assert first["notes"] == "(1)"
    assert "(1) tried it." in sheet.legend
    assert second["ari.printed"] == "0.1050"
    assert "Exact cells by method: DILCA_M 1 of 3, DILCA_RR 2 of 3." in sheet.legend


def test_numbers_of_another_method_are_recognised(inputs):
    sheet = unexplained(inputs, printed("DILCA_M", "60.00%", "0.1000", "0.1000"))
    assert texts(sheet)[0]["givers"] == "all three numbers are ours of DILCA_RR"


def test_a_cell_printed_twice_counts_once(inputs):
    cells = printed("DILCA_RR", "60.00%", "0.1000", "0.1000")
    again = [one | {"artefact": "fig06"} for one in cells]
    one = job(
        "unexplained", inputs, parameters={"printed_in": ["fig03", "fig04", "fig05", "fig06"]}
    )
    one.artefact = "unexplained"
    assert "3 of 3 cells are exact" in build(one, pd.DataFrame(cells + again)).caption


def test_cells_that_were_not_run_do_not_count(inputs):
    cells = [*printed("DILCA_RR", "60.00%", "0.1000", "0.1000")]
    cells += [cell("Car", "DILCA_RR", "nmi", "0.5", "fig04")]
    left = [{"dataset": "car", "reason": "left out by limits"}]
    sheet = unexplained(
        inputs,
        cells,
        entries=[{"id": n, "printed": n.title()} for n in ("vote", "car")],
        left_out=left,
    )
    assert "3 of 3 cells" in sheet.caption
    assert "∅ Car: not run, left out by limits." in sheet.legend


def test_sensitivity_gives_ranges_and_best_settings(inputs):
    sheet = build(job("sensitivity", inputs[:1], methods=[DILCA_M]), pd.DataFrame({"artefact": []}))
    row = texts(sheet)[0]
    assert (row["nmi.range"], row["nmi.best"]) == ("0.200", "0.5")
    by_index = {one["index"]: one for one in sheet.data}
    assert by_index["ari"]["range"] == pytest.approx(0.2)
    assert "DILCA_M 0.200" in sheet.caption


def test_best_or_tied_compares_printed_digits():
    scores = {"a": 0.50001, "b": 0.50004, "c": 0.6}
    assert best_or_tied(scores, ["a"], ["b"])
    assert not best_or_tied(scores, ["a", "b"], ["c"])


def text_cells():
    rows = [
        ("DILCA", "datasets_where_best", "12"),
        ("DILCA_M", "best_sigma_above", "0.5"),
        ("ROCK", "max_instances_processed", "8,000"),
    ]
    cells = []
    for method, metric, text in rows:
        one = cell("", method, metric, text.replace(",", ""), "text")
        cells.append(one | {"printed": text})
    return pd.DataFrame(cells)


def text_job(inputs, tmp_path, **more):
    times = records((4000, 8000)).to_dict("records")
    timing = recorded(tmp_path / "scalability.parquet", times, experiment="scalability")
    rivals = [{"id": n, "label": n.upper(), "grid": None} for n in ("delta", "rock", "limbo")]
    rivals = [one | {"select": None, "fixed": None} for one in rivals]
    same = [{**inputs[1], "method": one["id"]} for one in rivals]
    one = job(
        "text_numbers",
        [*inputs, *same, timing],
        experiments=["scalability"],
        methods=[DILCA_M, DILCA_RR, *rivals],
        **more,
    )
    one.artefact = "text"
    return one


def test_numbers_of_the_text_are_judged(inputs, tmp_path):
    notes = [{"metric": "max_instances_processed", "code": "timing-hardware", "text": "theirs"}]
    sheet = build(text_job(inputs, tmp_path, notes=notes), text_cells())
    found = {(row["metric"], row["reading"]): row for row in sheet.verdicts}
    best = found["datasets_where_best", "reconciled"]
    assert (best["reproduced"], best["verdict"], best["oracle"]) == (1.0, "differs", True)
    assert not found["datasets_where_best", "fixed"]["oracle"]
    assert found["best_sigma_above", "reconciled"]["verdict"] == "exact"
    rock = found["max_instances_processed", "reconciled"]
    assert (rock["verdict"], rock["reproduced"]) == ("not comparable", 8000.0)


def test_counts_over_all_data_sets_are_not_run_without_them(inputs, tmp_path):
    left = [{"dataset": "car", "reason": "left out by limits"}]
    sheet = build(text_job(inputs, tmp_path, left_out=left), text_cells())
    found = {(row["metric"], row["reading"]): row for row in sheet.verdicts}
    for key in (("datasets_where_best", "fixed"), ("best_sigma_above", "reconciled")):
        assert (found[key]["verdict"], found[key]["reason"]) == ("not run", "left out by limits")


def test_every_printed_number_has_an_artefact():
    root = Path(__file__).parents[2]
    config = yaml.safe_load((root / "config/papers/dilca.yaml").read_text())
    cells = numbers(load("dilca", root / "data/published"))
    assert set(cells["artefact"]) <= set(config["artefacts"])
    assert len(set(config["artefacts"]["unexplained"]["datasets"])) == 11
    assert len(config["artefacts"]["unexplained"]["methods"]) == 10
    times = [one for one in config["experiments"].values() if one.get("alone")]
    assert len(times) == 2


# --- experiments ----------------------------------------------------------------------------------


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
    assert (found["smallest_context"], found["largest_context"]) == (1, 1)


def test_value_distances_cover_both_variants(tmp_path):
    codes = np.random.default_rng(3).integers(0, 3, (40, 4))
    table = CategoricalTable.from_codes(codes)
    parameters = {"preparation": "bins10", "sigmas": [0.0, 1.0]}
    rows = list(
        computed(
            properties.value_distances, experiment(tmp_path, parameters, table, np.arange(40) % 2)
        )
    )
    assert [(row["measure"], row["setting"]) for row in rows] == [
        ("dilca_m", "sigma=0"),
        ("dilca_m_clipped", "sigma=0"),
        ("dilca_m", "sigma=1"),
        ("dilca_m_clipped", "sigma=1"),
        ("dilca_rr", ""),
    ]
    assert rows[0]["smallest_context"] == 3
    assert all(0 <= row["highest"] <= 1 for row in rows)


def test_a_partition_is_described_by_its_clusters():
    labels_true = np.array([0] * 30 + [1] * 11)
    labels = np.array([0] * 30 + [0] * 10 + [1])
    found = properties.described(labels_true, labels)
    assert found["sizes"] == "40 1"
    assert found["small_pure"] == 1
    assert found["largest_share"] == pytest.approx(40 / 41)
    assert found["inverse_purity"] == pytest.approx(40 / 41)
    assert found["purity"] == pytest.approx(31 / 41)


def test_rock_clusters_mark_the_chosen_theta(tmp_path):
    codes = np.repeat([[0, 0, 0], [1, 1, 1]], [6, 4], axis=0)
    table, labels = CategoricalTable.from_codes(codes), np.repeat([0, 1], [6, 4])
    parameters = {"preparation": "bins10", "thetas": [0.2, 0.8], "rule": "purity-nmi-first"}
    rows = list(computed(properties.rock_clusters, experiment(tmp_path, parameters, table, labels)))
    assert [row["chosen"] for row in rows] == ["yes", "no"]
    assert {row["sizes"] for row in rows} == {"6 4"}
    sheet = build(rock_job(tmp_path, rows), pd.DataFrame({"artefact": []}))
    assert texts(sheet)[0]["sizes"] == "6 4"
    assert sheet.caption.startswith("In 0 of 1 partitions")


def rock_job(tmp_path, rows):
    rows = [row | {"dataset": "vote"} for row in rows]
    one = recorded(tmp_path / "rock.parquet", rows, experiment="rock_clusters")
    return job("rock_clusters", [one], experiments=["rock_clusters"])


def test_theorems_hold_on_random_tables(tmp_path):
    rows = pd.DataFrame(
        computed(properties.theorems, experiment(tmp_path, {"objects": 60, "values": 4}, trials=20))
    )
    assert len(rows) == 20
    assert rows["su"].between(0, 1).all()
    np.testing.assert_allclose(rows["su"], rows["su_reversed"], atol=1e-12)
    np.testing.assert_allclose(rows["gain"], rows["gain_reversed"], atol=1e-12)
    np.testing.assert_allclose(rows["su_determined"], 1)
    np.testing.assert_allclose(rows["su_independent"], 0, atol=1e-12)
    assert (rows["vdm"] - rows["vdm_reversed"]).abs().max() > 0.01
    again = pd.DataFrame(
        computed(properties.theorems, experiment(tmp_path, {"objects": 60, "values": 4}, trials=20))
    )
    pd.testing.assert_frame_equal(rows, again)


def test_value_difference_by_hand():
    # shares (1/2, 1/2) and (1, 0): weights sqrt(1/2) and 1, squared differences 1/2
    first, second = np.array([1, 1]), np.array([2, 0])
    assert properties.value_difference(first, second) == pytest.approx(np.sqrt(0.5) / 2)
    assert properties.value_difference(second, first) == pytest.approx(0.5)
