"""Conclusions: their variants, what holds in them, and sentences that follow the numbers."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import wilcoxon
from statsmodels.stats.multitest import multipletests

from replication.papers.study import conclusions, variance
from replication.papers.study.analysis import BINS
from replication.papers.study.conclusions import Choices, better, chosen, first_by_rank, none
from replication.papers.study.findings import duels
from replication.papers.study.protocol import digest

INDICES = ("ari", "purity")


def tables(n=24, **gains):
    """Scores by index of methods beside one called `plain`: the same gain everywhere, and noise."""
    rng = np.random.default_rng(3)
    level = rng.random(n) / 2
    names = [f"d{i}" for i in range(n)]
    return {
        index: pd.DataFrame(
            {"plain": level}
            | {a: level + gain + rng.normal(0, 0.01, n) for a, gain in gains.items()},
            index=names,
        )
        for index in INDICES
    }


def concluded(**gains):
    tests = Choices(["d0", "d1"], [["d2", "d3"]]).tests(tables(**gains), [("new", "plain")])
    return better(tests, ("new", "plain"), "New is better")


def test_the_variants_are_all_analyses():
    found = concluded(new=0.05)
    assert len(found.rows) == len(INDICES) * 2 * 2 * 2 * len(conclusions.ROPES)
    assert (found.share, found.standing) == (1.0, "holds")
    variants = Choices(["d0", "d1"], [["d2", "d3"]]).tables(tables(new=0.1))
    assert [len(table) for _, table in variants] == [24, 23, 22, 21] * len(INDICES)


@pytest.mark.parametrize(
    ("gain", "standing"),
    [(0.05, "holds"), (0.015, "fragile"), (0.0, "does not hold"), (-0.1, "does not hold")],
)
def test_a_sentence_says_how_far_it_holds(gain, standing):
    found = concluded(new=gain)
    assert found.standing == standing
    words = {"holds": "New", "fragile": "Fragile: New", "does not hold": "Not borne out: New"}
    shown = f"(in {found.share:.0%} of {len(found.rows)} variants)."
    assert found.sentence == f"{words[standing]} is better {shown}"


def test_a_pair_counts_in_either_order():
    tests = Choices().tests(tables(new=0.05), [("plain", "new")])
    assert better(tests, ("new", "plain"), "").standing == "holds"
    assert better(tests, ("plain", "new"), "").standing == "does not hold"
    assert conclusions.standing(tests) == {("plain", "new"): "0 / 16 of 16"}


def test_tests_by_their_formulas():
    own = tables(a=0.004, b=0.01, c=0.0)
    pairs = [(name, "plain") for name in "abc"]
    found = Choices().tests(own, pairs)
    p = [
        wilcoxon((own["ari"][a] - own["ari"][b]).round(10), zero_method="pratt").pvalue
        for a, b in pairs
    ]
    for method in ("holm", "fdr_bh"):
        part = found[(found["index"] == "ari") & (found["correction"] == method)]
        part = part[(part["designs"] == "in") & (part["families"] == "each")]
        assert part["p"].tolist() == pytest.approx(multipletests(p, method=method)[1].tolist())


def test_that_none_is_better():
    pairs = [(name, "plain") for name in "ab"]
    found = none(Choices().tests(tables(a=0.0, b=-0.1), pairs), ["better"], "None of {n}")
    assert (found.statement, found.standing) == ("None of 2", "holds")
    found = none(Choices().tests(tables(a=0.0, b=0.1), pairs), ["better"], "None of {n}")
    assert (found.standing, {row["value"] for row in found.rows}) == ("does not hold", {1})
    assert none(Choices().tests({}, pairs), ["better"], "") is None


def test_the_best_rank_and_the_choice_without_the_data_set():
    own = tables(a=0.1, b=0.0)
    assert first_by_rank(Choices(), own, "a", "").standing == "holds"
    assert first_by_rank(Choices(), own, "b", "").standing == "does not hold"
    # each of two halves has a best method that is worst in the other
    half = np.arange(24) < 12
    split = pd.DataFrame({"a": half * 1.0, "b": ~half * 1.0}, index=own["ari"].index)
    found = chosen(Choices(), {"ari": split})["ari"]["chosen"]
    assert (found == 0).all()


def test_components_of_variance_are_found_again():
    rng = np.random.default_rng(1)
    n, k, r = 60, 30, 5
    mean = rng.normal(0, 0.3, (n, 1)) + rng.normal(0, 0.1, (1, k)) + rng.normal(0, 0.05, (n, k))
    runs = mean[..., None] + rng.normal(0, 0.04, (n, k, r))
    rows = [
        {"dataset": f"d{i}", "method": f"m{j}", "algorithm": "ward" if j < 10 else "kmodes"}
        | {"ari": runs[i, j].mean(), "ari_sd": runs[i, j].std(ddof=1), "replicates": r}
        for i in range(n)
        for j in range(k)
    ]
    found = {name: value**0.5 for name, value in variance.components(pd.DataFrame(rows)).items()}
    expected = [0.3, 0.1, 0.05, 0.04, 0.04]
    assert list(found.values()) == pytest.approx(expected, rel=0.25)
    # one data set has no variance between data sets
    assert variance.components(pd.DataFrame(rows[:k])) == {}


@pytest.mark.parametrize(("verdict", "decided"), [("undecided", 0), ("better", 2), ("worse", 2)])
def test_the_finding_says_what_the_rows_say(verdict, decided):
    row = {"verdict": verdict, "low": "0", "mean_difference": "0.1", "high": "0.2", "datasets": "9"}
    rows = [
        {**row, "first": "a.ward", "second": second} for second in ("b.ward", "c.ward", "b.rock")
    ]
    holds = "no" if decided else "yes"
    rows += [{"conclusion": "None of the one-to-one claims", "holds": holds}] * 4
    said = duels(rows).sentence
    assert f"{decided} of 2 are decided; none is in {0 if decided else 100}% of 4" in said
    assert f"{3 * (verdict == 'better')} hold" in said


# --- the protocol --------------------------------------------------------------------------------


def test_the_newest_entry_of_the_history_has_the_hash_of_the_protocol(catalog):
    history = catalog.papers["study"]["history"]
    assert [one["date"] for one in history] == sorted(one["date"] for one in history)
    assert history[-1]["protocol"] == digest(catalog), (
        "the protocol of the study is another one: add an entry to `history` in "
        "config/papers/study.yaml that says what was changed, and what was known then"
    )
    parameters = catalog.papers["study"]["experiments"]["profiles"]["parameters"]
    assert parameters["bins"] == BINS


def test_any_change_of_what_is_computed_changes_the_hash(catalog):
    before = digest(catalog)
    entry = catalog.papers["study"]["experiments"]["learned"]
    entry["trials"] += 1
    assert digest(catalog) != before
    entry["trials"] -= 1
    entry = catalog.measures["smd"]
    label, entry["label"] = entry["label"], "another"
    assert digest(catalog) == before
    entry["label"] = label
