"""Claims of DILCA on small invented tables: each verdict follows from the numbers."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from test_papers_dilca_times import records

from replication.claims import (
    CLAIM_VERDICTS,
    CONFIRMED,
    MIXED,
    NOT_RUN,
    REFUTED,
    Evidence,
    MissingEvidenceError,
    judge,
    published_claims,
)
from replication.papers.dilca import claims
from replication.published import load

PUBLISHED = Path(__file__).parents[2] / "data" / "published"
CELLS = load("dilca", PUBLISHED)
IDS = [one for one in published_claims(PUBLISHED / "claims.csv") if one["paper"] == "dilca"]
SETS = list(dict.fromkeys(CELLS.loc[CELLS["artefact"] == "fig04", "dataset_id"]))


class Invented(Evidence):
    """Evidence from frames instead of files; what is not given is missing."""

    def __init__(self, tables=None, experiments=None, tests=None):
        super().__init__({"paper": "dilca", "effort": "full", "inputs": []}, PUBLISHED)
        self.given = {"table": tables or {}, "experiment": experiments or {}, "tests": tests or {}}

    def _frames(self, role, name):
        if name not in self.given.get(role, {}):
            raise MissingEvidenceError(f"no {role} {name!r}")
        return self.given[role][name]


def quality(artefact, change=lambda row: {}, fixed=True):
    """Our numbers equal to the printed ones; `change` lays others over a row."""
    metric = {0: "purity", 1: "nmi", 2: "ari"}[(int(artefact[3:]) - 3) % 3]
    rows = []
    for cell in CELLS[(CELLS["artefact"] == artefact) & (CELLS["value"] != "")].to_dict("records"):
        value = float(cell["value"])
        row = {
            "dataset": cell["dataset_id"],
            "method": cell["method_id"],
            "reading": "reconciled",
            "reproduced": value,
            "printed_value": value,
            "verdict": "exact",
            "metric": metric,
            "inverse": value,
            "eq5": value + 0.1,
            "matching": value,
            "nmi_arithmetic": value + 0.01,
        }
        row |= change(row)
        rows.append(row)
        if fixed and cell["method_id"] in ("dilca_m", "rock", "limbo"):
            rows.append(row | {"reading": "fixed"})
    return pd.DataFrame(rows)


def every(**changes):
    return {
        f"fig{i:02d}": quality(f"fig{i:02d}", changes.get(f"fig{i:02d}", lambda row: {}))
        for i in range(3, 12)
    }


def verdict(name, tables=None, experiments=None):
    return claims.CLAIMS[name](Invented(tables, experiments))


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
            ("dilca_rr", ""),
        )
    ]
    return {"value_distances": pd.DataFrame(rows).assign(**changes)}


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


def sensitivity(ranges=(0.02, 0.3, 0.1), best="0.7 0.9"):
    rows = [
        {"dataset": dataset, "method": method, "index": "nmi", "range": value, "best": best}
        for dataset in SETS
        for method, value in zip(("dilca_m", "rock", "limbo"), ranges, strict=True)
    ]
    return {"sensitivity": pd.DataFrame(rows)}


def curves(names, slope):
    sigma = np.arange(11) / 10
    rows = [
        {"dataset": name, "sigma": s, "eq5": 0.5 + slope * s, "nmi": 0.4 + slope * s}
        for name in names
        for s in sigma
    ]
    return pd.DataFrame(rows)


def paper_sizes():
    return {"scalability": records((5000, 10_000)).pipe(_resized)}


def _resized(frame):
    wide = frame["axis"].isin(["attributes", "beyond"])
    # the widest table of the paper has 1,000 attributes, ours beyond it 2,000
    frame.loc[wide, "attributes"] = frame.loc[wide, "attributes"] // 10
    beyond = frame["axis"] == "beyond"
    frame.loc[beyond, "attributes"] *= 2
    return frame


def test_every_claim_has_a_test_and_is_not_run_without_evidence():
    rows = judge(claims.CLAIMS, IDS, Invented())
    assert len(rows) == 53
    assert {row["verdict"] for row in rows} == {NOT_RUN}


def test_every_claim_has_a_finding_with_evidence():
    fig02 = CELLS[(CELLS["artefact"] == "fig02") & (CELLS["metric"] != "type")]
    fig15 = CELLS[CELLS["artefact"] == "fig15"]
    plain = [
        frame.assign(
            dataset=frame["dataset_id"],
            reading="reconciled",
            reproduced=frame["value"].astype(float),
            verdict="exact",
        )
        for frame in (fig02, fig15)
    ]
    tables = {
        **every(),
        **sensitivity(),
        "fig01": pd.DataFrame(
            {
                "quantity": ["d(Turin, Milan)", "d(Milan, Florence)", "d(Turin, Florence)"],
                "reproduced": [0.4249, 0.2357, 0.5893],
            }
        ),
        "fig02": plain[0],
        "fig12": curves([name for name in SETS if name not in claims.SYNTHETIC], 0.01),
        "fig13": curves(claims.SYNTHETIC, 0.1),
        "fig15": plain[1],
    }
    rock = experiment(
        dataset=list(claims.ROCKS),
        chosen="yes",
        algorithm="rock_merge",
        largest_share=[0.9, 0.9, 0.8, 0.7],
        small_pure=[1, 0, 2, 3],
        sizes="9 1",
    )
    experiments = {**distances(), **theorems(), **paper_sizes(), "rock_clusters": rock}
    tests = {
        "score": ["ari", "purity"],
        "method_a": "dilca_m",
        "method_b": "rock",
        "p_holm": [0.03, 0.01],
    }
    tests = {"dilca": pd.DataFrame(tests)}
    rows = judge(claims.CLAIMS, IDS, Invented(tables, experiments, tests))
    found = {row["id"]: row for row in rows}
    assert {row["verdict"] for row in rows} <= set(CLAIM_VERDICTS) - {NOT_RUN}
    assert "finds 1 of 1 differences" in {row["id"]: row for row in rows}["dilca-34"]["evidence"]
    assert all(row["evidence"].endswith(".") and row["artefact"] for row in rows)
    expected = {
        "dilca-01": (CONFIRMED, "0.2357 < 0.5893"),
        "dilca-08": (CONFIRMED, "80/80"),
        "dilca-16": (CONFIRMED, "32/32"),
        "dilca-17": (REFUTED, "0/160"),
        "dilca-18": (CONFIRMED, None),
        "dilca-19": (MIXED, "2/4"),
        "dilca-21": (CONFIRMED, "12/16"),
        "dilca-24": (CONFIRMED, "3/3"),
        "dilca-28": (CONFIRMED, "5/5"),
        "dilca-36": (MIXED, "11/12"),
        "dilca-37": (CONFIRMED, "4/4"),
        "dilca-38": (MIXED, "4/6"),
        "dilca-39": (REFUTED, None),
        "dilca-43": (CONFIRMED, "2,000"),
        "dilca-47": (CONFIRMED, "4/4"),
        "dilca-52": (CONFIRMED, None),
    }
    for name, (judged, value) in expected.items():
        assert found[name]["verdict"] == judged, found[name]
        assert value is None or found[name]["value"] == value, found[name]


def test_rounding_noise_alone_mixes_a_theorem():
    frame = distances()["value_distances"]
    noise = (frame["measure"] == "dilca_m") & (frame["dataset"] == "car")
    frame.loc[noise, "smallest_context"] = 0
    for name in ("dilca-06", "dilca-07"):
        finding = verdict(name, experiments={"value_distances": frame})
        assert finding.verdict == MIXED
        assert "on none with uncertainties" in finding.evidence
        assert "on Car with the rounding noise" in finding.evidence


def test_numbers_that_differ_mix_or_refute_a_claim():
    some = every(fig03=lambda row: {"verdict": "differs"} if row["method"] == "rock" else {})
    finding = verdict("dilca-08", some)
    assert (finding.verdict, finding.value) == (MIXED, "64/80")
    none = every(fig09=lambda row: {"verdict": "differs"})
    assert verdict("dilca-14", none).verdict == REFUTED
    apart = every(
        fig09=lambda row: {"verdict": "not comparable"} if row["dataset"] == "adult" else {}
    )
    assert verdict("dilca-14", apart).value == "30/30"


def test_a_claim_about_all_data_sets_is_not_run_without_one_of_them():
    tables = every(fig04=lambda row: {"reproduced": None} if row["dataset"] == "car" else {})
    with pytest.raises(MissingEvidenceError, match="car"):
        verdict("dilca-21", tables)
    tables = every(fig03=lambda row: {"verdict": "not run"} if row["dataset"] == "car" else {})
    with pytest.raises(MissingEvidenceError, match="car"):
        verdict("dilca-08", tables)


def test_small_tables_say_nothing_about_the_sizes_of_the_paper():
    small = {"scalability": records((100, 200))}
    for name in ("dilca-38", "dilca-40", "dilca-41", "dilca-42", "dilca-43", "dilca-46"):
        with pytest.raises(MissingEvidenceError, match="smaller tables"):
            verdict(name, experiments=small)


@pytest.mark.parametrize(
    ("name", "changes", "judged"),
    [
        ("dilca-02", {}, CONFIRMED),
        ("dilca-02", {"highest": 1.5}, REFUTED),
        ("dilca-03", {}, CONFIRMED),
        ("dilca-03", {"coinciding": 1}, MIXED),
        ("dilca-03", {"triangle": 0.1}, REFUTED),
        ("dilca-03", {"asymmetry": 0.1}, REFUTED),
        ("dilca-06", {"smallest_context": 0}, REFUTED),
        ("dilca-07", {}, CONFIRMED),
        ("dilca-07", {"smallest_context": 3}, REFUTED),
    ],
)
def test_claims_about_distances(name, changes, judged):
    assert verdict(name, experiments=distances(**changes)).verdict == judged


@pytest.mark.parametrize(
    ("name", "changes", "judged"),
    [
        ("dilca-04", {}, CONFIRMED),
        ("dilca-04", {"su_independent": [0.0, 0.1]}, REFUTED),
        ("dilca-05", {}, CONFIRMED),
        ("dilca-05", {"gain": [0.3, 0.5]}, REFUTED),
        ("dilca-48", {}, CONFIRMED),
        ("dilca-48", {"vdm": [0.2, 0.2]}, REFUTED),
        ("dilca-50", {}, CONFIRMED),
        ("dilca-50", {"ari": [0.1, 0.1]}, REFUTED),
        ("dilca-50", {"nmi_identical": [1.0, 0.9]}, REFUTED),
    ],
)
def test_claims_about_any_table(name, changes, judged):
    assert verdict(name, experiments=theorems(**changes)).verdict == judged


@pytest.mark.parametrize(
    ("name", "more", "judged"),
    [
        ("dilca-25", {}, CONFIRMED),
        ("dilca-25", {"ranges": (0.0, 0.01, 0.1)}, REFUTED),
        ("dilca-26", {}, CONFIRMED),
        ("dilca-26", {"best": "0.1 0.2"}, REFUTED),
        ("dilca-53", {}, CONFIRMED),
        ("dilca-53", {"ranges": (0.2, 0.3, 0.1)}, MIXED),
        ("dilca-53", {"ranges": (0.4, 0.3, 0.1)}, REFUTED),
    ],
)
def test_claims_about_parameters(name, more, judged):
    assert verdict(name, sensitivity(**more)).verdict == judged


def test_orderings_follow_our_numbers_and_count_the_printed_ones():
    def behind(row):
        return {"reproduced": 0.0} if row["method"].startswith("dilca") else {}

    tables = every(fig07=behind)
    finding = verdict("dilca-28", tables)
    assert (finding.verdict, finding.value) == (REFUTED, "0/5")
    assert "by the printed numbers 5 of 5" in finding.evidence


def test_growth_without_variation_is_no_growth():
    finding = verdict("dilca-37", {"fig13": curves(claims.SYNTHETIC, 0.0)})
    assert (finding.verdict, finding.value) == (REFUTED, "0/4")


def test_vote_is_the_exception_of_the_sigma_claim():
    names = [name for name in SETS if name not in claims.SYNTHETIC]
    frame = curves(names, 0.01)
    frame.loc[frame["dataset"] == "vote", "nmi"] += frame["sigma"]
    finding = verdict("dilca-36", {"fig12": frame})
    assert (finding.verdict, finding.value) == (CONFIRMED, "12/12")
