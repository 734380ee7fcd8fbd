"""Conclusions of the study: variants, sentences, and the packaged answer."""

import hashlib
import json

import numpy as np
import pandas as pd
import pytest
from kit import ROOT, refused_calls
from scipy.stats import ttest_1samp, wilcoxon
from statsmodels.stats.multitest import multipletests

from replication.__main__ import main
from replication.errors import UserError
from replication.papers.study import evidence as packaging
from replication.papers.study import statistics
from replication.papers.study.analysis import BINS
from replication.papers.study.evidence import answer, gained
from replication.papers.study.findings import duels
from replication.papers.study.statistics import Choices, better, chosen, first_by_rank, none
from replication.papers.study.tables import basis

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
    assert len(found.rows) == len(INDICES) * 2 * 2 * 2 * len(statistics.ROPES)
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
    words = {"holds": "New", "fragile": "Fragile: New", "does not hold": "Not supported: New"}
    shown = f"(in {found.share:.0%} of {len(found.rows)} variants)."
    assert found.sentence == f"{words[standing]} is better {shown}"


def test_a_pair_counts_in_either_order():
    tests = Choices().tests(tables(new=0.05), [("plain", "new")])
    assert better(tests, ("new", "plain"), "").standing == "holds"
    assert better(tests, ("plain", "new"), "").standing == "does not hold"
    assert statistics.standing(tests) == {("plain", "new"): "0 / 16 of 16"}


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
    one_family = Choices(families=[[*split.index]])  # nothing to choose by
    assert [*chosen(one_family, {"ari": split})["ari"]] == [*split]
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
    found = {name: value**0.5 for name, value in basis.components(pd.DataFrame(rows)).items()}
    expected = [0.3, 0.1, 0.05, 0.04, 0.04]
    assert list(found.values()) == pytest.approx(expected, rel=0.25)
    # one data set has no variance between data sets
    assert basis.components(pd.DataFrame(rows[:k])) == {}


@pytest.mark.parametrize(("verdict", "decided"), [("undecided", 0), ("better", 2), ("worse", 2)])
def test_the_finding_says_what_the_rows_say(verdict, decided):
    row = {"verdict": verdict, "low": "0", "mean_difference": "0.1", "high": "0.2", "datasets": "9"}
    rows = [
        {**row, "first": "a.ward", "second": second} for second in ("b.ward", "c.ward", "b.rock")
    ]
    holds = "no" if decided else "yes"
    rows += [{"conclusion": "None of the one-to-one claims", "holds": holds}] * 4
    said = duels(rows).sentence
    assert f"{decided} of 2 are significant; in {0 if decided else 100}% of 4" in said
    assert f"{3 * (verdict == 'better')} hold" in said


def digest(catalog):
    """First eight digits of the SHA-256 of the protocol, which is everything that decides results.

    It holds data sets, preparations and experiments of the study, the seed, and the entries of the
    measures and algorithms that the experiments list, without the names that are only shown.
    """
    study = catalog.papers["study"]
    experiments = study["experiments"].values()
    content = {
        "seed": catalog.config["seed"],
        **{key: study[key] for key in ("datasets", "preparations", "experiments")},
        **{
            kind: {name: known[name] for entry in experiments for name in entry.get(kind, ())}
            for kind, known in (("measures", catalog.measures), ("algorithms", catalog.algorithms))
        },
    }
    text = json.dumps(without_names(content), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def without_names(content):
    if isinstance(content, dict):
        shown = ("label", "printed")
        return {key: without_names(content[key]) for key in content if key not in shown}
    return [without_names(one) for one in content] if isinstance(content, list) else content


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


STUDY = ROOT / "figures/study"
PACKAGED = json.loads(packaging.PACKAGED.read_text("utf-8"))

ALONE = ("latent_classes", "disc")


def tables_of(datasets=20, objects=100, noise=0.0, **means):
    """Tables of methods, or of measures with an algorithm (k-modes) after two underscores."""
    rng = np.random.default_rng(4)
    rows = []
    for i in range(datasets):
        for name, mean in means.items():
            measure, _, algorithm = name.partition("__")
            algorithm = algorithm or (measure if measure in ALONE else "kmodes")
            ari = mean + noise * rng.normal()
            rows.append((f"d{i}", measure, algorithm, ari))
    data = pd.DataFrame({"dataset": [f"d{i}" for i in range(datasets)], "objects": objects})
    cells = pd.DataFrame(rows, columns=["dataset", "measure", "algorithm", "ari"])
    return {"leaderboard": cells, "data": data}


def test_latent_classes_are_named_if_they_are_better_than_k_modes():
    found = answer(tables_of(smd=0.1, lin=0.5, iof=0.1, latent_classes=0.3), "")["small"]
    assert (found["measure"], found["estimator"]) == ("latent_classes", "LatentClasses")
    assert found["gain"]["mean"] == pytest.approx(0.2)
    assert (found["proven_better"], found["proven_worse"]) == (1, 2)
    assert (found["first"]["mean_rank"], found["candidates"]) == (1.0, 4)
    assert found["base_rate"] == pytest.approx(2 / 3, abs=1e-4)
    found = answer(tables_of(noise=0.1, smd=0.2, lin=0.2, latent_classes=0.2), "")["small"]
    assert (found["measure"], found["algorithm"], found["gain"]) == ("smd", "kmodes", None)
    assert found["parameters"] == {"measure": "smd"}


def test_large_tables_get_nothing_that_needs_all_pairs():
    given = tables_of(smd=0.1, lin__spectral=0.9, smd__spectral=0.8, iof__ward=0.8)
    found = answer(given, "")
    assert (found["small"]["candidates"], found["large"]["candidates"]) == (4, 2)


def test_differences_are_summed_up_as_the_formulas_say():
    differences = np.array([0.2, 0.1, -0.05, 0.005, 0.0, 0.3, 0.07, -0.02])
    found = gained(differences)
    assert (found["better"], found["same"], found["worse"]) == (4, 2, 2)
    interval = ttest_1samp(differences, 0).confidence_interval(0.95)
    assert (found["low"], found["high"]) == pytest.approx(tuple(interval), abs=1e-4)
    p = wilcoxon(differences, zero_method="pratt").pvalue
    assert found["p"] == pytest.approx(p, abs=1e-4)


def test_the_packaged_answer_is_that_of_the_committed_tables():
    own = PACKAGED["small"]
    timed = {key: [own[key]] for key in ("measure", "algorithm", "seconds")} | {"timed_on": 2}
    tables = {
        name: pd.read_csv(STUDY / f"{name}.csv") for name in ("leaderboard", "data", "conclusions")
    }
    assert answer({**tables, "cost": pd.DataFrame(timed)}, PACKAGED["date"]) == PACKAGED


def test_the_command_packages_the_tables(tmp_path):
    target = tmp_path / "answer.json"
    for name in ("leaderboard", "data"):
        (tmp_path / f"{name}.csv").write_bytes((STUDY / f"{name}.csv").read_bytes())
    assert main(["package_answer", str(tmp_path), "--output", str(target)]) == 0
    assert json.loads(target.read_text("utf-8"))["small"]["seconds"] is None
    with pytest.raises(UserError, match="run the study first"):
        packaging.run(tmp_path / "none")


test_evidence_that_does_not_fit_is_refused = refused_calls(
    UserError,
    [
        (
            *(answer, tables_of(smd=0.1) | {"cost": pd.DataFrame({"measure": []})}, ""),
            "the table cost lacks one",
        ),
        (answer, tables_of(disc=0.5), "", "no scores of simple matching with k-modes"),
    ],
)
