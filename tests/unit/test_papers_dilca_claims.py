"""Claims of DILCA on small invented tables: each count follows from the numbers."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from kit import Invented

from replication.judge.claims import (
    CONFIRMED,
    MIXED,
    NEARLY,
    NOT_RUN,
    NOT_TESTABLE,
    REFUTED,
    judge,
    published_claims,
)
from replication.judge.published import load
from replication.papers.dilca.claims import CLAIMS, ROCKS, SYNTHETIC, TABLES, duels, public
from replication.papers.dilca.times import TIMES

PUBLISHED = Path(__file__).parents[2] / "data" / "published"
CELLS = load("dilca", PUBLISHED)
OURS = {
    one["id"]: one
    for one in published_claims(PUBLISHED / "claims.csv")
    if one["paper"] == "dilca" and one["kind"] != "scaling/timing"
}
"""Claims that are tested here: all but those about times."""
SETS = list(dict.fromkeys(CELLS.loc[CELLS["artefact"] == "fig04", "dataset_id"]))
PUBLIC = public(SETS)


TESTS = pd.DataFrame(
    {"score": ["ari", "purity"], "method_a": "dilca_m", "method_b": "rock", "p_holm": 0.03}
)


def row_of(name, tables=None, experiments=None):
    """The row of the ledger for one claim."""
    evidence = Invented("dilca", tables, TESTS, **(experiments or {}))
    ([row], _) = judge({name: CLAIMS[name]}, [OURS[name]], evidence)
    return row


def judged(name, tables=None, experiments=None):
    row = row_of(name, tables, experiments)
    return row["verdict"], row["ours"]


def quality(artefact, change=lambda row: {}):
    """Our numbers equal to the printed ones; `change` lays others over a row."""
    rows = []
    for cell in CELLS[(CELLS["artefact"] == artefact) & (CELLS["value"] != "")].to_dict("records"):
        value = float(cell["value"])
        row = {
            "dataset": cell["dataset_id"],
            "method": cell["method_id"],
            "label": cell["method_id"],
            "reading": "reconciled",
            "reproduced": value,
            "printed_value": value,
            "verdict": "exact",
            "metric": TABLES[artefact][0],
            "inverse": value,
            "eq5": value + 0.1,
            "matching": value,
            "nmi_arithmetic": value + 0.01,
        }
        row |= change(row)
        rows.append(row)
        if cell["method_id"] in ("dilca_m", "rock", "limbo"):
            rows.append(row | {"reading": "fixed"})
    return pd.DataFrame(rows)


def every(change=lambda row: {}, **changes):
    """The nine tables; `change` acts on all, those by artefact on one."""
    return {
        artefact: quality(artefact, changes.get(artefact, change if not changes else lambda _: {}))
        for artefact in TABLES
    }


def scores(dataset, **methods):
    """Change of a table: scores of some methods on one data set."""
    return lambda row: (
        {"reproduced": methods[row["method"]]}
        if row["dataset"] == dataset and row["method"] in methods
        else {}
    )


def experiment(**columns):
    return pd.DataFrame({"status": "ok", "dataset": None, **columns})


def distances(**changes):
    rows = [
        {
            "dataset": dataset,
            "status": "ok",
            "measure": measure,
            "setting": setting,
            "attributes": 5,
            "lowest": 0.0,
            "highest": 0.5,
            "diagonal": 0.0,
            "asymmetry": 0.0,
            "triangle": 0.0,
            "pairs": 10,
            "coinciding": 0,
            "smallest_context": 4 if setting == "sigma=0" else 1,
        }
        for dataset in SETS
        for measure, setting in (
            ("dilca_m", "sigma=0"),
            ("dilca_m", "sigma=1"),
            ("dilca_m_clipped", "sigma=0"),
            ("dilca_m_clipped", "sigma=1"),
            ("dilca_rr", ""),
        )
    ]
    return {"value_distances": pd.DataFrame(rows).assign(**changes)}


def on(frames, mask, **changes):
    """Change some rows of the one frame of an experiment."""
    [(name, frame)] = frames.items()
    frame.loc[mask(frame), list(changes)] = list(changes.values())
    return {name: frame}


def theorems(**changes):
    columns = {
        "su": [0.1, 0.9],
        "su_determined": [1.0, 1.0],
        "su_independent": [0.0, 0.0],
        "gain": [0.3, 0.4],
        "gain_reversed": [0.3, 0.4],
        "ari": [-0.1, 0.1],
        "ari_identical": [1.0, 1.0],
        "nmi_identical": [1.0, 1.0],
        "vdm": [0.3, 0.2],
        "vdm_reversed": [0.2, 0.2],
    }
    return {"theorems": experiment(**(columns | changes))}


def sensitivity(ranges=(0.02, 0.3, 0.1), best="0.7 0.9", datasets=SETS):
    rows = [
        {"dataset": dataset, "method": method, "index": index, "range": value, "best": best}
        for dataset in datasets
        for index in ("eq5", "nmi", "ari")
        for method, value in zip(("dilca_m", "rock", "limbo"), ranges, strict=True)
    ]
    return {"sensitivity": pd.DataFrame(rows)}


def curves(names, slope):
    rows = [
        {"dataset": name, "sigma": s, "eq5": 0.5 + slope * s, "nmi": 0.4 + slope * s}
        for name in names
        for s in np.arange(11) / 10
    ]
    return pd.DataFrame(rows)


def rocks(**changes):
    columns = {
        "largest_share": [0.9, 0.9, 0.8, 0.75],
        "majority_share": 0.7,
        "small_pure": [1, 1, 2, 3],
    }
    frame = experiment(
        dataset=list(ROCKS), chosen="yes", algorithm="rock_last", sizes="9 1", **columns | changes
    )
    ignored = frame.assign(algorithm="rock_keep", small_pure=0)
    return {"rock_clusters": pd.concat([frame, ignored, frame.assign(chosen="no", small_pure=0)])}


def plain(artefact, change=lambda row: {}):
    """Numbers of a table that is no comparison: as printed."""
    cells = CELLS[(CELLS["artefact"] == artefact) & (CELLS["metric"] != "type")]
    rows = [
        {
            "dataset": cell["dataset_id"],
            "metric": cell["metric"],
            "method": cell["method_id"],
            "reading": "reconciled",
            "reproduced": float(cell["value"]),
            "printed": cell["value"],
            "verdict": "exact",
        }
        for cell in cells.to_dict("records")
    ]
    return {artefact: pd.DataFrame([row | change(row) for row in rows])}


CITIES = ("d(Turin, Milan)", "d(Milan, Florence)", "d(Turin, Florence)")


def cities(*reproduced):
    return {"fig01": pd.DataFrame({"quantity": CITIES, "reproduced": reproduced})}


def test_every_claim_but_those_about_times_has_one_test_here():
    assert sorted(set(CLAIMS) - set(TIMES)) == sorted(OURS)


def test_claims_are_not_run_without_evidence():
    for name in OURS:
        # what is about the print alone needs no run
        assert (row_of(name)["verdict"] == NOT_RUN) == (name != "dilca-24"), name


PRINT_AS_OURS = {
    "dilca-01": (CONFIRMED, "1/1", ""),
    "dilca-02": (CONFIRMED, "80/80", ""),
    "dilca-03": (CONFIRMED, "80/80", ""),
    "dilca-04": (CONFIRMED, "2/2", ""),
    "dilca-05": (CONFIRMED, "2/2", ""),
    "dilca-06": (CONFIRMED, "32/32", ""),
    "dilca-07": (CONFIRMED, "16/16", ""),
    "dilca-08": (CONFIRMED, "80/80", ""),
    "dilca-09": (CONFIRMED, "80/80", ""),
    "dilca-10": (CONFIRMED, "80/80", ""),
    "dilca-11": (CONFIRMED, "48/48", ""),
    "dilca-12": (CONFIRMED, "48/48", ""),
    "dilca-13": (CONFIRMED, "48/48", ""),
    "dilca-14": (CONFIRMED, "32/32", ""),
    "dilca-15": (CONFIRMED, "32/32", ""),
    "dilca-16": (CONFIRMED, "32/32", ""),
    "dilca-17": (REFUTED, "0/160", ""),
    "dilca-18": (CONFIRMED, "160/160", ""),
    "dilca-19": (CONFIRMED, "4/4", ""),
    "dilca-20": (CONFIRMED, "7/8", "7/8"),
    "dilca-21": (CONFIRMED, "9/12; 1/1", "12/16; 1/1"),
    "dilca-22": (CONFIRMED, "3/3", "4/4"),
    "dilca-23": (CONFIRMED, "6/6", "12/12"),
    "dilca-24": (CONFIRMED, "", "3/3"),
    "dilca-25": (CONFIRMED, "24/24", ""),
    "dilca-26": (CONFIRMED, "24/24", ""),
    "dilca-27": (MIXED, "4/4; 0/2", "6/6; 0/2"),
    "dilca-28": (CONFIRMED, "3/3", "5/5"),
    "dilca-29": (MIXED, "4/6", "5/8"),
    "dilca-30": (CONFIRMED, "19/24", "27/32"),
    "dilca-31": (CONFIRMED, "17/24", "19/32"),
    "dilca-32": (MIXED, "2/3", "5/6"),
    "dilca-33": (REFUTED, "2/4", "4/6"),
    "dilca-34": (REFUTED, "5/12", "7/16"),
    "dilca-35": (MIXED, "8/9", "8/9"),
    "dilca-36": (NEARLY, "12/12; 11/12", ""),
    "dilca-37": (NOT_TESTABLE, "", ""),
    "dilca-44": (CONFIRMED, "45/45", ""),
    "dilca-45": (MIXED, "8/11", "12/15"),
    "dilca-48": (CONFIRMED, "1/2", ""),
    "dilca-49": (NOT_TESTABLE, "", "8/8"),
    "dilca-50": (CONFIRMED, "1/2; 2/2", ""),
    "dilca-51": (NOT_TESTABLE, "", ""),
    "dilca-52": (CONFIRMED, "64/64", ""),
    "dilca-53": (CONFIRMED, "24/24; 24/24", ""),
}


def test_counts_if_our_numbers_were_the_printed_ones():
    tables = {
        **every(),
        **sensitivity(),
        **cities(0.4249, 0.2357, 0.5893),
        **plain("fig02"),
        **plain("fig15"),
        "fig12": curves(PUBLIC, 0.01),
        "fig13": curves(SYNTHETIC, 0.1),
    }
    experiments = {**distances(), **theorems(), **rocks()}
    rows = {name: row_of(name, tables, experiments) for name in OURS}
    assert {
        name: (row["verdict"], row["ours"], row["print"]) for name, row in rows.items()
    } == PRINT_AS_OURS
    assert all(row["evidence"].endswith(".") and row["artefact"] for row in rows.values())


@pytest.mark.parametrize("name", [f"dilca-{n}" for n in (*range(20, 24), *range(27, 36), 49, 51)])
def test_our_own_generated_sets_decide_no_comparison(name):
    lost = every(lambda row: {"reproduced": 0.0} if row["dataset"] in SYNTHETIC else {})
    absent = every(lambda row: {"reproduced": None} if row["dataset"] in SYNTHETIC else {})
    assert judged(name, every()) == judged(name, lost) == judged(name, absent)


def test_a_duel_takes_the_better_variant_and_the_best_rival():
    change = scores("vote", dilca_m=0.2, dilca_rr=0.3, delta=0.1, rock=0.4, limbo=0.25)
    evidence = Invented("dilca", every(fig04=change))
    found = duels(evidence, ["fig04"], ["vote", "syn_a"]).set_index("side")
    ours = found.loc["ours"]
    assert (ours["dataset"], ours["index"], ours["dilca"], ours["rival"]) == (
        *("vote", "nmi"),
        *(0.3, 0.4),
    )
    assert ours["lead"] == pytest.approx(-0.1)
    assert found.loc["printed", "dataset"].tolist() == ["vote", "syn_a"]
    assert found.loc["printed", "dilca"].tolist()[0] == 0.6009
    only = duels(evidence, ["fig04"], ["vote"], ["delta"]).set_index("side")
    assert only.loc["ours", "rival"] == 0.1


def test_fixed_settings_change_only_methods_that_have_one():
    tables = every()
    fixed = tables["fig04"]["reading"] == "fixed"
    tables["fig04"].loc[fixed, "reproduced"] = 0.01
    found = duels(Invented("dilca", tables), ["fig04"], ["vote"]).set_index("side")
    assert tuple(found.loc["fixed", ["dilca", "rival"]]) == (0.5278, 0.4994)
    assert found.loc["ours", "dilca"] == 0.6009


def test_a_data_set_or_method_that_was_not_run_leaves_claims_about_it_open():
    tables = every(fig04=scores("car", dilca_m=None))
    for name in ("dilca-21", "dilca-22", "dilca-34", "dilca-35"):
        row = row_of(name, tables)
        assert row["verdict"] == NOT_RUN
        assert "fig04, car" in row["evidence"]
    assert row_of("dilca-23", tables)["verdict"] == CONFIRMED
    tables = every(fig03=lambda row: {"verdict": "not run"} if row["dataset"] == "car" else {})
    assert "car" in row_of("dilca-08", tables)["evidence"]
    assert row_of("dilca-08", tables)["verdict"] == NOT_RUN


# --- theory ---------------------------------------------------------------------------------------


def test_rounding_noise_is_a_remark_and_decides_nothing():
    noisy = on(
        distances(),
        lambda rows: (rows["measure"] == "dilca_m") & (rows["dataset"] == "car"),
        smallest_context=0,
    )
    for name in ("dilca-06", "dilca-07"):
        row = row_of(name, experiments=noisy)
        assert row["verdict"] == CONFIRMED
        assert row["evidence"].endswith("the exceptions are: Car.")
    assert row_of("dilca-06", experiments=distances())["evidence"].endswith("are: none.")


def first(rows):
    return (rows["dataset"] == "car") & (rows["measure"] == "dilca_m_clipped")


@pytest.mark.parametrize(
    ("name", "changes", "expected"),
    [
        ("dilca-02", {"highest": 1.5}, (NEARLY, "78/80")),
        ("dilca-02", {"lowest": -0.1}, (NEARLY, "78/80")),
        ("dilca-03", {"coinciding": 1}, (NEARLY, "78/80")),
        ("dilca-03", {"triangle": 0.1}, (NEARLY, "78/80")),
        ("dilca-03", {"asymmetry": 0.1}, (NEARLY, "78/80")),
        ("dilca-03", {"diagonal": 0.1}, (NEARLY, "78/80")),
        ("dilca-03", {"triangle": 1e-12}, (CONFIRMED, "80/80")),
        ("dilca-06", {"smallest_context": 0}, (NEARLY, "30/32")),
        ("dilca-07", {"smallest_context": 3}, (NEARLY, "15/16")),
    ],
)
def test_claims_about_distances(name, changes, expected):
    assert judged(name, experiments=on(distances(), first, **changes)) == expected


@pytest.mark.parametrize(
    ("name", "changes", "expected"),
    [
        ("dilca-04", {"su": [0.1, 1.1]}, (REFUTED, "1/2")),
        ("dilca-04", {"su": [-0.1, 0.9]}, (REFUTED, "1/2")),
        ("dilca-04", {"su_independent": [0.0, 0.1]}, (REFUTED, "1/2")),
        ("dilca-04", {"su_determined": [1.0, 0.9]}, (REFUTED, "1/2")),
        ("dilca-05", {"gain": [0.3, 0.5]}, (REFUTED, "1/2")),
        ("dilca-05", {"gain": [0.3, 0.4 + 1e-12]}, (CONFIRMED, "2/2")),
        ("dilca-48", {"vdm": [0.2, 0.2]}, (REFUTED, "0/2")),
        ("dilca-48", {"vdm": [0.2, 0.2 + 1e-12]}, (REFUTED, "0/2")),
        ("dilca-50", {"ari": [0.1, -1e-12]}, (MIXED, "0/2; 2/2")),
        ("dilca-50", {"nmi_identical": [1.0, 0.9]}, (MIXED, "1/2; 1/2")),
        ("dilca-50", {"ari_identical": [0.9, 0.9]}, (MIXED, "1/2; 0/2")),
    ],
)
def test_claims_about_any_table(name, changes, expected):
    assert judged(name, experiments=theorems(**changes)) == expected


def test_florence_is_nearer_to_milan_or_not():
    assert judged("dilca-01", cities(0.1, 0.3, 0.3)) == (REFUTED, "0/1")
    assert judged("dilca-01", cities(0.9, 0.2, 0.3)) == (CONFIRMED, "1/1")


# --- printed numbers ------------------------------------------------------------------------------


def test_numbers_count_as_met_if_exact_or_within_noise():
    some = every(fig03=lambda row: {"verdict": "differs"} if row["method"] == "rock" else {})
    assert judged("dilca-08", some) == (MIXED, "64/80")
    noise = every(fig03=lambda row: {"verdict": "within noise"} if row["method"] == "rock" else {})
    assert judged("dilca-08", noise) == (CONFIRMED, "80/80")
    # the DILCA columns of Fig. 9 are those of Fig. 3 and are judged there
    none = every(
        fig09=lambda row: {} if row["method"].startswith("dilca") else {"verdict": "differs"}
    )
    assert judged("dilca-14", none) == (REFUTED, "0/32")
    apart = every(
        fig09=lambda row: {"verdict": "not comparable"} if row["dataset"] == "adult" else {}
    )
    assert judged("dilca-14", apart) == (CONFIRMED, "30/30")


def test_the_purity_that_is_printed_is_told_where_the_partition_is_that_of_the_paper():
    assert judged("dilca-17", every(lambda row: {"eq5": row["printed_value"], "inverse": 2.0})) == (
        CONFIRMED,
        "160/160",
    )
    # where NMI is not exact, or the two purities are the same, a cell says nothing
    unsettled = every(
        fig04=lambda row: {"verdict": "differs"} if row["method"] == "rock" else {},
        fig06=lambda row: {"eq5": row["inverse"]} if row["method"] == "lin" else {},
    )
    assert judged("dilca-17", unsettled) == (REFUTED, "0/128")


def test_the_normalisation_that_gives_the_printed_digits_is_counted():
    swapped = every(
        lambda row: {"reproduced": row["nmi_arithmetic"], "nmi_arithmetic": row["printed_value"]}
    )
    assert judged("dilca-18", swapped) == (REFUTED, "0/160")
    both = every(fig07=lambda row: {"nmi_arithmetic": row["reproduced"]})
    assert judged("dilca-18", both) == (CONFIRMED, "112/112")
    # another question: ours is the arithmetic mean, and no cell tells it from itself
    alike = {"nmi_arithmetic": 0.1, "reproduced": 0.1}
    same = every(**dict.fromkeys(("fig04", "fig07", "fig10"), lambda row: alike))
    row = row_of("dilca-18", same)
    assert row["verdict"] == NOT_RUN
    assert "tells the normalisations apart" in row["evidence"]


def test_a_large_context_is_counted_without_generated_sets():
    def whole(row):
        return {"reproduced": 9.0} if row["metric"] == "mean_context_size" else {}

    def syn(row):
        return whole(row) if row["dataset"] in SYNTHETIC else {}

    def half(row):
        # 7.5 of the 15 other attributes
        vote = row["dataset"] == "vote" and row["metric"] == "mean_context_size"
        return {"reproduced": 7.5} if vote else {}

    # only of 21 and more other attributes 9 are less than half
    assert judged("dilca-45", plain("fig15", whole)) == (REFUTED, "4/11")
    assert judged("dilca-45", plain("fig15", syn)) == (MIXED, "8/11")
    assert judged("dilca-45", plain("fig15", half)) == (MIXED, "7/11")


# --- comparisons ----------------------------------------------------------------------------------


def test_orderings_follow_our_numbers_and_the_print_has_its_own_column():
    tables = every(
        fig07=lambda row: {"reproduced": 0.0} if row["method"].startswith("dilca") else {}
    )
    row = row_of("dilca-28", tables)
    assert (row["verdict"], row["ours"]) == (REFUTED, "0/3")
    assert (row["print_verdict"], row["print"]) == (CONFIRMED, "5/5")


@pytest.mark.parametrize(("lead", "ours"), [(0.05, "3/3"), (0.0499, "2/3"), (1e-16, "2/3")])
def test_much_better_is_ahead_by_the_margin(lead, ours):
    change = scores("vote", dilca_m=0.5 + lead, dilca_rr=0.1, lin=0.5, of=0.4, goodall3=0.3)
    assert judged("dilca-28", every(fig07=change))[1] == ours


@pytest.mark.parametrize(("lead", "ours"), [(1e-16, "18/24"), (1e-12, "18/24"), (1e-6, "19/24")])
def test_what_rounding_does_is_no_lead(lead, ours):
    change = scores("vote", dilca_m=0.5, dilca_rr=0.1, jaccard=0.5 - lead)
    assert judged("dilca-30", every(fig10=change))[1] == ours


def test_the_number_of_wins_is_a_part_of_its_own():
    worse = every(
        fig04=scores("vote", dilca_m=0.1, dilca_rr=0.1),
        fig05=scores("vote", dilca_m=0.1, dilca_rr=0.1),
    )
    assert judged("dilca-21", worse) == (MIXED, "8/12; 0/1")
    better = every(fig04=scores("soybean", dilca_m=0.99))
    assert judged("dilca-21", better) == (MIXED, "10/12; 0/1")
    # one index is enough, and a tie counts
    one = every(fig04=scores("vote", dilca_m=0.1, dilca_rr=0.1))
    assert judged("dilca-21", one) == (CONFIRMED, "9/12; 1/1")
    tied = every(fig04=scores("soybean", dilca_m=0.8161 - 1e-12))
    assert judged("dilca-21", tied)[1] == "10/12; 0/1"


def test_one_close_index_is_enough_where_dilca_is_not_best():
    far = {
        artefact: scores("car", dilca_m=-0.9, dilca_rr=-0.9)
        for artefact in ("fig03", "fig04", "fig05")
    }
    assert judged("dilca-22", every(**far)) == (MIXED, "2/3")
    del far["fig03"]
    assert judged("dilca-22", every(**far)) == (CONFIRMED, "3/3")
    won = every(lambda row: {"reproduced": 1.0} if row["method"] == "dilca_m" else {})
    row = row_of("dilca-22", won)
    assert row["verdict"] == NOT_RUN
    assert "never behind" in row["evidence"]


def test_gaps_to_the_measures_are_close_but_on_car():
    car = scores("car", dilca_m=0.0, dilca_rr=0.0)
    assert judged("dilca-27", every(fig07=car)) == (MIXED, "4/4; 1/2")
    both = every(fig07=car, fig08=scores("car", dilca_m=0.0, dilca_rr=0.0))
    assert judged("dilca-27", both) == (CONFIRMED, "4/4; 2/2")
    both["fig07"] = quality("fig07", scores("soybean", dilca_m=0.7, dilca_rr=0.7))
    assert judged("dilca-27", both) == (MIXED, "3/4; 1/2")
    level = every(fig07=scores("car", dilca_m=0.0634 - 1e-12), fig08=scores("car", dilca_m=0.0544))
    assert row_of("dilca-27", level)["verdict"] == NOT_RUN


def test_pearson_need_be_close_in_one_case_only():
    def apart(row):
        return {"reproduced": 2.0} if row["method"] == "pearson" else {}

    def but_on_car(row):
        return {} if row["dataset"] == "car" else apart(row)

    # far ahead is as little comparable as far behind
    assert judged("dilca-31", every(apart)) == (REFUTED, "0/24")
    one = every(fig10=apart, fig11=but_on_car)
    assert judged("dilca-31", one) == (CONFIRMED, "1/24")
    assert row_of("dilca-31", one)["print"] == "19/32"


def test_all_competitors_are_beaten_by_the_same_index():
    # ahead of the clusterings in NMI, of the others in ARI: no index is ahead of all
    split = every(
        fig04=scores("mushroom", dilca_m=0.9),
        fig08=scores("mushroom", dilca_m=0.9),
        fig11=scores("mushroom", dilca_m=0.9),
    )
    assert judged("dilca-34", split) == (REFUTED, "5/12")
    one = every(**{name: scores("mushroom", dilca_m=0.9) for name in ("fig04", "fig07", "fig10")})
    assert judged("dilca-34", one)[1] == "6/12"
    assert "finds 1 of 1 differences" in row_of("dilca-34", one)["evidence"]


def test_a_win_on_car_is_one_table():
    won = every(fig08=scores("car", dilca_m=0.9), fig06=scores("car", of=0.9))
    assert judged("dilca-35", won) == (MIXED, "8/9")
    tied = every(fig06=scores("car", of=0.7008))
    assert judged("dilca-35", tied) == (CONFIRMED, "9/9")


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"small_pure": [0, 1, 1, 1]}, (MIXED, "3/4")),
        ({"majority_share": [0.9, 0.7, 0.7, 0.7]}, (MIXED, "3/4")),
        ({"largest_share": [0.5, 0.6, 0.6, 0.9]}, (REFUTED, "1/4")),
    ],
)
def test_rock_makes_a_huge_mixed_cluster_and_a_small_pure_one(changes, expected):
    assert judged("dilca-19", experiments=rocks(**changes)) == expected


def test_what_the_paper_alone_can_know_is_not_testable():
    row = row_of("dilca-51", every(fig08=scores("car", of=0.7)))
    assert (row["verdict"], row["value"]) == (NOT_TESTABLE, "0.7000")
    better = every(fig04=lambda row: scores(row["dataset"], delta=2.0)(row))
    row = row_of("dilca-49", better)
    assert (row["verdict"], row["ours"], row["print"]) == (NOT_TESTABLE, "", "8/8")


# --- settings -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "more", "expected"),
    [
        ("dilca-25", {"ranges": (0.0, 0.049, 0.1)}, (REFUTED, "0/24")),
        ("dilca-25", {"ranges": (0.0, 0.05, 0.1)}, (CONFIRMED, "24/24")),
        ("dilca-26", {"best": "0.1 0.5"}, (REFUTED, "0/24")),
        ("dilca-26", {"best": "0.6"}, (CONFIRMED, "24/24")),
        ("dilca-53", {"ranges": (0.2, 0.3, 0.1)}, (MIXED, "24/24; 0/24")),
        ("dilca-53", {"ranges": (0.4, 0.3, 0.1)}, (REFUTED, "0/24; 0/24")),
        ("dilca-53", {"ranges": (0.3, 0.3, 0.3)}, (REFUTED, "0/24; 0/24")),
    ],
)
def test_claims_about_parameters(name, more, expected):
    assert judged(name, sensitivity(**more)) == expected


@pytest.mark.parametrize("name", ["dilca-25", "dilca-26", "dilca-53"])
def test_ranges_of_generated_sets_do_not_count(name):
    wild = pd.concat(
        [
            sensitivity(datasets=PUBLIC)["sensitivity"],
            sensitivity((0.9, 0.0, 0.0), "0.1", SYNTHETIC)["sensitivity"],
        ]
    )
    assert judged(name, {"sensitivity": wild}) == judged(name, sensitivity(datasets=PUBLIC))
    short = sensitivity(datasets=PUBLIC[1:])
    assert PUBLIC[0] in row_of(name, short)["evidence"]


def test_a_sigma_that_changes_nothing_has_no_best_value():
    frame = sensitivity(best="0.1")["sensitivity"]
    frame.loc[(frame["method"] == "dilca_m") & (frame["dataset"] != "vote"), "range"] = 0.0
    assert judged("dilca-26", {"sensitivity": frame}) == (REFUTED, "0/2")


def test_growth_without_variation_is_no_growth():
    row = row_of("dilca-37", {"fig13": curves(SYNTHETIC, 0.0)})
    assert (row["verdict"], row["ours"]) == (NOT_TESTABLE, "")
    assert "SynD 0.00 and 0.00" in row["evidence"]
    assert "SynD 1.00 and 1.00" in row_of("dilca-37", {"fig13": curves(SYNTHETIC, 0.1)})["evidence"]


def test_vote_is_the_exception_of_the_sigma_claim():
    frame = curves(PUBLIC, 0.01)
    frame.loc[frame["dataset"] == "vote", "nmi"] += frame["sigma"]
    assert judged("dilca-36", {"fig12": frame}) == (CONFIRMED, "11/12; 12/12")
    # 0.05 itself is plotted, whatever its last bit
    frame.loc[frame["dataset"] == "titanic", "eq5"] = 0.5 + 0.05 * frame["sigma"] * (1 - 1e-15)
    assert judged("dilca-36", {"fig12": frame}) == (NEARLY, "10/12; 11/12")
    frame["eq5"] += frame["sigma"]
    assert judged("dilca-36", {"fig12": frame}) == (REFUTED, "0/12; 1/12")
