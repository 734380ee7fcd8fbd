"""Section VIII-C of CASO: the tables of papers, their clusters, Table XIII, Fig. 3, claims."""

import itertools

import numpy as np
import pandas as pd
import pytest
from kit import Invented, computed, experiment_of, judged_claim, prepared_inputs

from replication.errors import UserError
from replication.files import CLASS
from replication.judge.claims import Count, MissingEvidenceError
from replication.papers.caso import bibliographic as bib
from replication.papers.caso.analysis import venue_clusters
from replication.papers.caso.claims import CLAIMS

PLANTED = {"papers": {"database": 20, "theory": 40}, "venues": {"database": 3, "theory": 4}}
PLANTED |= {"authors": {"database": 3, "theory": 5}, "years": [1970, 1975], "cells": 2}
PLANTED |= {"shared_venues": 1, "in_shared_venues": 0.1, "across": 0.05, "sole": 0.25, "zipf": 0.8}
FITTING = {"until": 1998, "without_venues": ["SIGMOD Record"]}
FITTING |= {"without_titles": ["editor", "calls for"]}
STIRRED = {"configurations": 4, "iterations": 7}
DRAWN = {"papers": {"database": 10, "theory": 14}, **FITTING, **STIRRED}


@pytest.fixture(scope="module")
def dblp():
    """Thirty records of each field; some of them may not be drawn."""
    rows = []
    for i in range(60):
        field = bib.FIELDS[i % 2]
        first = f"{'AB'[i % 2]}{i % 5} Name{'DT'[i % 2]}{i % 7}"
        second = first if i % 6 < 2 else f"C Other{'DT'[i % 2]}{i % 4} 0002"
        venue = ["SIGMOD", "STOC"][i % 2] if i % 7 else ["SIGMOD Record", "FOCS"][i % 2]
        title = "Editor's Notes" if i == 8 else f"On Editing {i}"
        rows.append((first, second, venue, str(1980 + i // 3), title, field))
    columns = ["first_author", "second_author", "venue", "year", "title", CLASS]
    return pd.DataFrame(rows, columns=columns)


def records(function, tmp_path, parameters, trials=1, table=None):
    inputs = [] if table is None else prepared_inputs(tmp_path / "prepared", table)
    spec = {"parameters": parameters, "trials": trials, "inputs": inputs}
    spec["dataset"] = "" if table is None else "bibliographic"
    made = experiment_of(tmp_path / "records.partial", "caso", "test", **spec)
    return pd.DataFrame(computed(function, made))


def test_papers_are_drawn_from_both_fields(dblp):
    records = bib.fitting_records(dblp, **FITTING)
    draw = {
        (names, sole): bib.dblp_papers(
            records, np.random.default_rng(0), DRAWN["papers"], names, sole
        )
        for names in ("last", "full")
        for sole in ("repeated", "none")
    }
    papers = draw["last", "repeated"]
    assert papers["field"].tolist() == ["database"] * 10 + ["theory"] * 14
    assert list(papers.columns) == [*bib.ATTRIBUTES, "field"]
    assert papers["first_author"].str.match(r"Name[DT]\d$").all()
    alone = draw["full", "repeated"]["first_author"] == draw["full", "repeated"]["second_author"]
    assert 0 < alone.sum() < 24
    assert (papers["first_author"] == papers["second_author"]).tolist() == alone.tolist()
    for names in ("last", "full"):
        assert (draw[names, "none"]["second_author"] == bib.NO_SECOND).tolist() == alone.tolist()
    assert draw["full", "none"]["first_author"].str.contains(" Name").all()
    with pytest.raises(UserError, match="field 'theory' are wanted"):
        bib.dblp_papers(records, np.random.default_rng(0), {"database": 1, "theory": 999})


def test_planted_papers():
    papers = bib.planted_papers(
        np.random.default_rng(2), **PLANTED | {"papers": {"database": 400, "theory": 600}}
    )
    assert papers["field"].value_counts().to_dict() == {"theory": 600, "database": 400}
    # first authors never leave their field, second ones and venues seldom do
    assert (papers["first_author"].str.split().str[0] == papers["field"]).all()
    second = papers["second_author"].str.split()
    first = papers["first_author"].str.split()
    assert (papers["second_author"] == papers["first_author"]).mean() == pytest.approx(
        0.25, abs=0.05
    )
    crossed = second.str[0] != papers["field"]
    assert crossed.mean() == pytest.approx(0.75 * 0.05, abs=0.02)
    assert (second[~crossed].str[1] == first[~crossed].str[1]).all()
    kinds = papers["venue"].str.split().str[0]
    assert (kinds == "both").mean() == pytest.approx(0.1, abs=0.03)
    assert ((kinds != "both") & (kinds != papers["field"])).mean() == pytest.approx(0.05, abs=0.02)
    assert papers["year"].astype(int).between(1970, 1975).all()
    counts = papers.loc[papers["field"] == "theory", "venue"].value_counts()
    assert counts["theory 00"] > counts["theory 03"] > 0
    pd.testing.assert_frame_equal(
        bib.planted_papers(np.random.default_rng(3), **PLANTED),
        bib.planted_papers(np.random.default_rng(3), **PLANTED),
    )


def test_every_method_labels_the_values_of_both_attributes():
    papers = bib.planted_papers(np.random.default_rng(4), **PLANTED)
    _, counts = bib.counted_papers(papers, np.random.default_rng(5))
    labels = bib.value_labels(counts, (4, 7), 7)
    assert {key[:2] for key in labels} == {(a, m) for a in bib.CLUSTERED for m in bib.METHODS}
    for attribute in bib.CLUSTERED:
        j = bib.ATTRIBUTES.index(attribute)
        assert (attribute, "stirr", bib.ASSIGNED) not in labels
        for method in ("stirr", "climbo", "climbo_mass"):
            assert len(labels[attribute, method, bib.MERGED]) == counts.n_values[j]
            assert set(labels[attribute, method, bib.MERGED]) <= {0, 1}


def test_planted_clusters(tmp_path):
    found = records(bib.value_clusters, tmp_path, PLANTED | STIRRED, 3)
    # 3 runs on the first table and one on two others; 9 labellings of 2 attributes
    assert len(found) == (3 + 2) * 2 * 9
    assert set(zip(found["draw"], found["run"], strict=True)) == {
        (0, 0), (0, 1), (0, 2), (1, 0), (2, 0)
    }  # fmt: skip
    scores = found[["precision", "recall", "specificity", "accuracy"]]
    assert ((scores >= 0) & (scores <= 1)).all().all()
    # with two classes and two clusters, recall weighted by class size is the accuracy
    np.testing.assert_allclose(found["recall"], found["accuracy"])
    assert set(found["papers_database"]) == {20}
    assert set(found.loc[found["method"] == "stirr", "setting"]) == {"M = 4, N = 7"}
    again = records(bib.value_clusters, tmp_path, PLANTED | STIRRED, 3)
    pd.testing.assert_frame_equal(found, again)


def test_maps_hold_every_paper(tmp_path, dblp):
    planted = records(bib.venue_map, tmp_path, PLANTED | STIRRED)
    (tmp_path / "drawn").mkdir()
    drawn = records(bib.venue_map, tmp_path / "drawn", DRAWN, 1, dblp)
    for papers, n in ((planted, 60), (drawn, 24)):
        assert papers["position"].tolist() == list(range(1, n + 1))
        assert papers["field"].is_monotonic_increasing
        for method in bib.METHODS:
            assert len(papers[["venue", method]].drop_duplicates()) == papers["venue"].nunique()


def test_venues_are_sorted_by_cluster_then_by_field():
    sizes = {("b", "database", 0): 3, ("d", "theory", 0): 1}
    sizes |= {("c", "database", 1): 1, ("a", "theory", 1): 3}
    rows = [one for one, size in sizes.items() for _ in range(size)]
    found = venue_clusters(pd.DataFrame(rows, columns=["venue", "field", "limbo"]), "limbo")
    assert list(found.index) == ["b", "d", "c", "a"]
    assert found["misplaced"].tolist() == [False, True, True, False]


ACCURACY = {"stirr": 0.5, "limbo": 0.6, "climbo": 0.7, "climbo_mass": 0.65, "climbo_mass_full": 0.6}
OURS = ["caso-56", "caso-57", "caso-58", "caso-59", "caso-60", "caso-61"]


def scored(source, accuracy, n=4, gain=0.05, **others):
    """Records of `n` tables; `accuracy` holds the mean by method, other scores follow it."""
    known = {"dataset": "bibliographic" if source == "dblp" else "", "status": "ok"}
    rows = []
    for (attribute, method, stage), names, sole, (draw, run) in itertools.product(
        bib.PARTITIONS,
        ("last", "full"),
        ("repeated", "none"),
        [*((draw, 0) for draw in range(n)), (0, 1)],
    ):
        score = accuracy[method] + 0.01 * (draw + run) * (method == "limbo")
        score += gain * ((names == "full") + (sole == "none"))
        rows.append(
            {**known, "attribute": attribute, "method": method, "stage": stage, "draw": draw}
            | {"run": run, "names": names, "sole": sole}
            | {"precision": score, "specificity": score, "accuracy": score, **others}
        )
    return pd.DataFrame(rows)


@pytest.mark.parametrize(
    ("changes", "others", "ours"),
    [
        # equal specificity is no advantage
        ({}, {"specificity": 0.6}, ["", "6/6", "8/8", "12/12", "4/4", "8/12"]),
        (
            {"climbo": 0.4, "stirr": 0.95, "climbo_mass": 0.95, "limbo": 0.92},
            {"gain": -0.01},
            ["", "0/6", "0/8", "1/12", "0/4", "0/12"],
        ),
    ],
)
def test_our_papers_are_counted_and_decide_no_claim_about_unpublished_ones(changes, others, ours):
    accuracy = ACCURACY | changes
    evidence = Invented(
        "caso",
        value_clusters=scored("dblp", accuracy, **others),
        value_clusters_planted=scored("planted", accuracy, **others),
    )
    rows = [judged_claim(CLAIMS, name, evidence) for name in OURS]
    assert [row["ours"] for row in rows] == ours
    assert [row["verdict"] for row in rows] == ["confirmed", *["not testable"] * 5]


def test_claims_without_dblp():
    absent = {"dataset": "bibliographic", "status": "unavailable", "reason": "no route"}
    planted = scored("planted", ACCURACY)
    found = Invented("caso", value_clusters=pd.DataFrame([absent]), value_clusters_planted=planted)
    assert CLAIMS["caso-60"](found).counts("holds") == [Count(2, 2)]
    assert CLAIMS["caso-61"](found).counts("holds") == [Count(6, 6)]
    with pytest.raises(MissingEvidenceError, match="value_clusters was not run"):
        CLAIMS["caso-59"](found)
