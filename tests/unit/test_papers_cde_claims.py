"""Claims of CDE on hand-made evidence: what is counted, on our numbers and on the printed ones."""

import pandas as pd
import pytest
from kit import PUBLISHED, Invented, verdicts_on

from replication.judge.claims import Count as C
from replication.judge.claims import MissingEvidenceError
from replication.judge.published import load
from replication.papers.cde.claims import CLAIMS, SWEPT


def invented(**frames):
    return Invented("cde", frames, **frames)


CELLS = load("cde", PUBLISHED)


@pytest.fixture
def tables():
    """Tables 1 and 2 with the printed numbers as ours; CDE-G leads by far where print has NA."""
    found = {}
    for artefact in ("table01", "table02"):
        rows = CELLS[CELLS["artefact"] == artefact]
        rows = rows.rename(columns={"dataset_id": "dataset", "method_id": "method"})
        rows = rows.loc[:, ~rows.columns.duplicated(keep="last")]
        value = rows["value"].replace("", "nan").astype(float)
        rows = rows.assign(label=rows["method"], printed_value=value, reproduced=value.fillna(0.1))
        rows = rows.assign(sd=0.01, samples=100.0, trials=100.0, verdict="exact", difference=0.0)
        rows.loc[value.isna(), ["verdict", "samples"]] = [None, None]
        frames = [rows.assign(reading=reading) for reading in ("reconciled", "literal")]
        derived = rows["dataset"].isin(["average", "p_value"])
        frames.append(rows[derived].assign(reading="print"))
        found[artefact] = pd.concat(frames, ignore_index=True)
    return found


@pytest.fixture
def factors():
    cells = CELLS.set_index("dataset_id")
    values = {
        metric.lower(): cells.loc[cells["metric"] == metric, "value"].astype(float)
        for metric in ("objects", "values", "FCI", "VCI", "classes")
    }
    frame = pd.DataFrame(values).rename_axis("dataset").reset_index()
    return frame.assign(status="ok", sibling_influence=0.0, asymmetric=1, together=2)


def counted(name, **frames):
    """Cases in which each part of a claim holds: on our numbers, and on the printed ones."""
    found = CLAIMS[name](invented(**frames))
    return found.counts("holds"), found.counts("print_holds")


def put(table, dataset, method, value, reading="reconciled"):
    place = (table["dataset"] == dataset) & (table["method"] == method)
    place &= (table["reading"] == reading) & (table["metric"] == "fscore")
    assert place.sum() == 1
    table.loc[place, "reproduced"] = value


@pytest.mark.parametrize(
    ("name", "artefact", "change", "ours"),
    [
        ("cde-12", "table01", ("zoo", "idf", 0.9), [C(6, 7)]),
        ("cde-12", "table01", ("hepatitis", "cde", 0.9), [C(7, 7)]),
        ("cde-17", "table01", ("mammographic", "cde", 0.9), [C(5, 5)]),
        ("cde-17", "table01", ("zoo", "zero_one", 0.647), [C(3, 5)]),
        ("cde-18", "table01", ("wisconsin", "zero_one_p", 0.9461), [C(5, 5)]),
        ("cde-18", "table01", ("zoo", "zero_one_p", 0.596), [C(3, 5)]),
        ("cde-19", "table01", ("adult", "idf", 0.9), [C(1, 2)]),
        ("cde-20", "table01", ("lymphography", "cde", 0.9), [C(0, 4)]),
        ("cde-20", "table01", ("adult", "idf", 0.9), [C(2, 4)]),
        ("cde-22", "table02", ("zoo", "cos", 0.9), [C(5, 10)]),
        ("cde-29", "table02", ("zoo", "cos", 0.9), [C(3, 5)]),
    ],
)
def test_a_changed_mean_changes_our_count_only(name, artefact, change, ours, tables, factors):
    before = counted(name, **tables, factors=factors)
    put(tables[artefact], *change)
    assert counted(name, **tables, factors=factors) == (ours, before[1])


@pytest.mark.parametrize(("width", "held"), [("mean", 4), ("dim", 3)])
def test_other_widths_of_the_gaussian_are_judged_too(width, held, tables, factors):
    tried = pd.DataFrame({"affinity": ["mean", "dim"], "chosen": [True, False], "fscore": 0.0})
    tried[["dataset", "method", "variant", "init"]] = "zoo", "cde_g", "sym", "plus"
    evidence = invented(**tables, factors=factors, bandwidths=tried)
    found = CLAIMS["cde-29"](evidence.of({"margin": ""}, {"cde.sigma": width}))
    assert found.counts("holds") == [C(held, 5)]


def test_evidence_of_all_claims(snapshot, tables, factors):
    factors = factors.assign(same_extents=2, undistinguished=1)
    swept = sweep_frame("beta", {1e-15: {"fscore": 0.5}, 0.1: {"fscore": 0.52}, 2: {"fscore": 0.4}})
    more = {"random_tables": random_frame([0, 0, 2, 2]), "theorem1": None, "fig03": swept}
    wider = {f"cde-{n}" for n in ("02", "04", "05", "35", "36", "40", "46", "47")}
    assert [*verdicts_on(CLAIMS, invented(**tables, factors=factors, **more), wider)] == snapshot


@pytest.mark.parametrize(("sd", "clear"), [(0.001, 3), (0.3, 1), (0.5, 0), (2.0, 0)])
def test_what_exceeds_two_standard_errors_stands_in_the_evidence(sd, clear, tables, factors):
    tables["table01"]["sd"] = sd
    # raw means decide, whatever the errors are
    assert counted("cde-18", **tables, factors=factors)[0] == [C(4, 5)]
    put(tables["table01"], "zoo", "zero_one_p", 0.596)
    put(tables["table01"], "soybean_small", "zero_one_p", 0.929)
    found = CLAIMS["cde-18"](invented(**tables, factors=factors))
    assert f"more than two standard errors on {clear} of 5." in found.note


def test_printed_columns_are_never_among_ours(tables):
    plain = {"metric": "improvement_of_average", "printed": "9%", "reproduced": 0.09}
    rows = [
        {"method": method, "reading": reading, "verdict": verdict, **plain}
        for method in ("cde_vs_0_1", "cde_vs_0_1p", "cde_vs_idf")
        for reading, verdict in (("reconciled", "differs"), ("print", "exact"))
    ]
    assert counted("cde-13", text=pd.DataFrame(rows)) == ([C(0, 3)], [C(3, 3)])
    rows = tables["table01"]
    average = (rows["dataset"] == "average") & (rows["reading"] == "reconciled")
    rows.loc[average, "verdict"] = "differs"
    assert counted("cde-14", **tables) == ([C(0, 4)], [C(4, 4)])


def test_a_number_that_was_not_run_is_no_case(tables):
    rows = tables["table01"]
    rows.loc[(rows["dataset"] == "zoo") & (rows["metric"] == "fscore"), "verdict"] = "not run"
    with pytest.raises(MissingEvidenceError, match="zoo"):
        CLAIMS["cde-11"](invented(**tables))


def random_frame(undistinguished):
    kinds = ["random", "random", "duplicated", "duplicated", "planted", "planted", "planted"]
    return pd.DataFrame(
        {
            "kind": kinds,
            "dataset": "",
            "status": "ok",
            "same_extents": [0, 1, 2, 2, 0, 0, 0],
            "undistinguished": [*undistinguished, 0, 0, 0],
            "strength": [None] * 4 + [0.0, 0.5, 1.0],
            "fci": [None] * 4 + [0.1, 0.3, 0.2],
            "vci": [None] * 4 + [0.0, 0.4, 0.9],
        }
    )


def test_theorem_1_is_counted_where_it_can_fail(factors):
    factors = factors.assign(same_extents=0, undistinguished=0)
    factors.loc[:1, "same_extents"] = 3
    factors.loc[0, "undistinguished"] = 1
    found = CLAIMS["cde-01"](
        invented(factors=factors, random_tables=random_frame([0, 0, 2, 2]), theorem1=None)
    )
    # one of two data sets, the random table with equal extents, none with a repeated attribute
    assert found.counts("holds") == [C(2, 5)]
    assert found.cases["n"].tolist() == [1, 1, 1, 2]


def test_a_tie_of_factors_is_no_order():
    frame = random_frame([0] * 4)
    frame.loc[4, "vci"] = frame.loc[5, "vci"]
    assert counted("cde-09", random_tables=frame)[0] == [C(2, 3), C(2, 2)]


def sweep_frame(parameter, values):
    return pd.DataFrame(
        {"dataset": name, "reading": "reconciled", parameter: setting} | dict(one)
        for name in SWEPT
        for setting, one in values.items()
    )


def test_f_scores_are_flat_along_the_whole_sweep():
    rows = sweep_frame("beta", {1e-15: {"fscore": 0.5}, 0.1: {"fscore": 0.52}, 2: {"fscore": 0.5}})
    assert counted("cde-34", fig03=rows)[0] == [C(4, 4)]
    rows.loc[2, "fscore"] = 0.46
    assert counted("cde-34", fig03=rows)[0] == [C(3, 4)]


@pytest.mark.parametrize(
    ("dimensions", "falling", "constant"),
    [((9, 5, 5, 2), 4, 0), ((5, 5, 5, 5), 0, 4), ((5, 6, 5, 2), 0, 0)],
)
def test_the_dimension_either_falls_or_stays(dimensions, falling, constant):
    betas = (1e-15, 1e-12, 0.1, 2)
    values = {beta: {"dimension": d} for beta, d in zip(betas, dimensions, strict=True)}
    values[1e-17] = {"dimension": 99}
    rows = sweep_frame("beta", values)
    records = rows.assign(measure="cde", status="ok").drop(columns="reading")
    assert counted("cde-35", fig03=rows, beta=records)[0] == [C(falling, 4)]
    assert counted("cde-36", fig03=rows, beta=records)[0] == [C(constant, 4)]


def test_nmi_ranks_embeddings_like_f_score_above_a_half():
    # correlations 1, 0.6 and 0.4
    nmi = {"zoo": [1, 2, 3, 4], "adult": [2, 1, 4, 3], "wisconsin": [3, 1, 2, 4]}
    rows = pd.DataFrame(nmi).melt(var_name="dataset", value_name="nmi")
    rows = rows.assign(fscore=[1, 2, 3, 4] * 3, measure=list("abcd") * 3, status="ok")
    assert CLAIMS["cde-39"](invented(embeddings=rows)).counts("holds") == [C(2, 3)]


def test_both_wordings_of_the_stopping_rule_are_run():
    rows = [
        {"dataset": "zoo", "matrix": "occurrence", "trial": trial, "stop": stop, "k": k}
        for stop, ends in (
            ("printed", (2, 3, 4, 5)),
            ("printed-text", (2, 3, 4, 9)),
            ("code", (2, 8, 8, 8)),
        )
        for trial, k in enumerate(ends)
    ]
    found = CLAIMS["cde-42"](invented(granularity=pd.DataFrame(rows).assign(status="ok")))
    # a step of the algorithm has no case
    assert found.cases is None
    assert "at the same k in 3 of 4" in found.note
    assert "Algorithm 1 in 1." in found.note


@pytest.mark.parametrize(("kept", "holds"), [(0.58, 4), (0.5, 0)])
def test_little_is_lost_if_the_score_with_all_columns_is_close(kept, holds):
    rows = pd.DataFrame(
        {"dataset": name, "reading": "reconciled", "beta": beta}
        | {"fscore": score, "dimension": columns}
        for name in SWEPT
        for beta, score, columns in ((1e-17, 0.6, 50.0), (1e-10, kept, 30.0))
    )
    found = CLAIMS["cde-47"](Invented("cde", {"fig03": rows}))
    assert found.counts("holds") == [C(holds, 4)]
    assert "up to 20 on average" in found.note


@pytest.mark.parametrize(("wide", "holds"), [(5.0, True), (40.0, False)])
def test_the_order_of_an_embedding_may_not_hide_its_width(wide, holds):
    names, values = ["a", "b", "c"], [10, 20, 40]
    factors = pd.DataFrame(
        {"dataset": names, "status": "ok", "values": values, "attributes": 4, "objects": 9}
    )
    steps = pd.DataFrame({"dataset": names, "status": "ok", "stop": "code", "values": values})
    embeddings = pd.DataFrame({"dataset": names, "status": "ok", "measure": "cde"})
    embeddings["dimension"] = [5.0, (5.0 * wide) ** 0.5, wide]
    given = {"factors": factors, "granularity": steps.assign(k=3), "embeddings": embeddings}
    first, second = CLAIMS["cde-46"](Invented("cde", **given)).counts("holds")
    # a pass over an L x L matrix is not O(L)
    assert first == C(0, 1)
    assert second == C(int(holds), 1)
