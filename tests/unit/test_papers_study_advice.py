"""Advice follows the evidence, is put above latent classes only if better, and is packaged."""

import json

import numpy as np
import pytest
from kit import ROOT
from scipy.stats import binomtest, ttest_1samp, wilcoxon

from couplings import CouplingsError
from replication.errors import UserError
from replication.files import read_rows, write_rows
from replication.papers.study import evidence as packaging
from replication.papers.study.advice import (
    DEFAULT,
    STANDARD,
    Check,
    advise,
    check,
    gained,
    reference_of,
)

ALONE = ("latent_classes", "disc")
PACKAGED = json.loads(packaging.PACKAGED.read_text("utf-8"))
TABLE = ROOT / "figures/study/evidence.csv"


def evidence(datasets=20, noise=0.0, **means):
    """Scores by name of a method or of a measure with k-modes, the same level on all data sets."""
    rng = np.random.default_rng(4)
    return [
        {"dataset": f"d{i}", "objects": 100, "ari": mean + noise * rng.normal()}
        | {"measure": name, "algorithm": name if name in ALONE else "kmodes"}
        for i in range(datasets)
        for name, mean in means.items()
    ]


def cells_for(scores, datasets=4, objects=100):
    """Evidence with the same scores on all data sets."""
    return [
        {"dataset": f"d{i}", "objects": objects, "measure": m, "algorithm": a, "ari": x}
        for i in range(datasets)
        for (m, a), x in scores.items()
    ]


# --- the choice ----------------------------------------------------------------------------------


def test_a_choice_that_is_better_than_latent_classes_is_put_above_them():
    found = advise(evidence(smd=0.1, lin=0.5, iof=0.1, latent_classes=0.3))
    assert (found.measure, found.algorithm) == ("lin", "kmodes")
    assert (found.standard.better, found.standard.worse) == (20, 0)
    assert (found.proven_better, found.proven_worse) == (0, 3)
    assert found.gain["mean"] == pytest.approx(0.4)


def test_a_choice_that_is_not_better_than_latent_classes_is_not():
    found = advise(evidence(smd=0.1, lin=0.301, iof=0.05, latent_classes=0.3))
    assert (found.first, found.mean_rank, found.candidates) == (("lin", "kmodes"), 1.0, 4)
    assert found.overall.skilled
    assert not found.standard.ahead
    assert (found.measure, found.algorithm) == STANDARD
    assert (found.proven_better, found.proven_worse) == (1, 2)


def test_latent_classes_that_are_no_better_than_k_modes_are_no_standard():
    found = advise(evidence(noise=0.1, smd=0.2, lin=0.2, iof=0.2, latent_classes=0.2))
    assert found.gain is None
    assert (found.measure, found.algorithm) == DEFAULT


def test_large_tables_get_nothing_that_needs_all_pairs():
    rows = cells_for(
        {("lin", "spectral"): 0.9, ("smd", "ward"): 0.8, ("smd", "kmodes"): 0.1}, datasets=12
    )
    assert advise(rows).algorithm == "spectral"
    assert advise(rows, large=True).algorithm == "kmodes"
    with pytest.raises(CouplingsError, match="no candidate for more than 9000 objects"):
        advise([row for row in rows if row["algorithm"] == "ward"], large=True)
    with pytest.raises(CouplingsError, match="the evidence is empty"):
        advise([])


def test_advice_is_chosen_without_the_data_set_that_it_is_tried_on():
    # each data set has a measure of its own that is best there and worst elsewhere
    rows = [
        {"dataset": f"d{i}", "objects": 9, "measure": m, "algorithm": "kmodes", "ari": x}
        for i in range(6)
        for m, x in [("smd", 0.5), *((f"m{j}", 0.9 if i == j else 0.1) for j in range(6))]
    ]
    found = check(rows, "simple matching", reference_of)
    assert (found.better, found.same, found.worse) == (0, 6, 0)
    assert found.chance_better == pytest.approx(6 / 7)
    assert found.chance_worse == pytest.approx(6 * 5 / 7)


def test_advice_no_better_than_chance_is_not_given():
    rng = np.random.default_rng(1)
    rows = [
        {"dataset": f"d{i}", "objects": 9, "measure": m, "algorithm": "kmodes", "ari": x}
        for i in range(20)
        for m, x in zip(("smd", "lin", "iof", "eskin"), rng.random(4), strict=True)
    ]
    found = advise(rows)
    assert not found.overall.skilled
    assert (found.measure, found.algorithm) == DEFAULT


def test_the_probability_of_chance_is_that_of_all_draws():
    rows = cells_for({("smd", "kmodes"): 0.5, ("lin", "kmodes"): 0.9, ("iof", "kmodes"): 0.1}, 5)
    found = check(rows, "simple matching", reference_of)
    assert (found.better, found.worse) == (5, 0)
    assert found.p == pytest.approx((1 / 3) ** 5)
    assert found.skilled


@pytest.mark.parametrize(
    ("better", "worse"), [(13, 21), (20, 12), (22, 10), (5, 0), (4, 0), (0, 0)]
)
def test_being_ahead_is_a_sign_test(better, worse):
    tried = Check("it", better, 3, worse, 1.0, 1.0, 1.0, 0.5)
    p = binomtest(better, better + worse, alternative="greater").pvalue if better + worse else 1.0
    assert tried.ahead == (p < 0.05)


def test_differences_are_summed_up_as_the_formulas_say():
    differences = np.array([0.2, 0.1, -0.05, 0.005, 0.0, 0.3, 0.07, -0.02])
    found = gained(differences)
    assert (found["better"], found["same"], found["worse"]) == (4, 2, 2)
    interval = ttest_1samp(differences, 0).confidence_interval(0.95)
    assert (found["low"], found["high"]) == pytest.approx(tuple(interval))
    assert found["p"] == pytest.approx(wilcoxon(differences, zero_method="pratt").pvalue)


# --- the package ---------------------------------------------------------------------------------


def timed_as_packaged():
    """The row of the table `cost` that the packaged seconds are of; times are not committed."""
    own = PACKAGED["small"]
    return [{key: own[key] for key in ("measure", "algorithm", "seconds")} | {"timed_on": 2}]


def test_the_packaged_answer_is_that_of_the_committed_table():
    found = packaging.answer(read_rows(TABLE), timed_as_packaged(), PACKAGED["date"])
    assert found == PACKAGED


def test_the_command_packages_the_tables(tmp_path):
    cost = tmp_path / "cost.csv"
    alone = {"measure": "cde", "algorithm": "kmeans", "seconds": 4, "timed_on": 1}
    write_rows(cost, packaging.SECONDS, [*timed_as_packaged(), alone])
    target = tmp_path / "answer.json"
    assert packaging.main([str(TABLE), str(cost), "--output", str(target)]) == 0
    found = json.loads(target.read_text("utf-8"))
    assert {**found, "date": PACKAGED["date"]} == PACKAGED
    assert packaging.main([str(TABLE), "--output", str(target)]) == 0
    assert json.loads(target.read_text("utf-8"))["small"]["seconds"] is None


def test_a_method_that_the_library_does_not_have_is_not_packaged():
    with pytest.raises(UserError, match="the library has no estimator for 'disc' with 'disc'"):
        packaging.answer(evidence(smd=0.1, disc=0.5, iof=0.1), [], "")


def test_evidence_that_does_not_fit_is_refused():
    with pytest.raises(UserError, match="has no rows"):
        packaging.answer([], [], "")
    with pytest.raises(UserError, match="lacks the columns"):
        packaging.answer([{"dataset": "x"}], [], "")
    with pytest.raises(UserError, match="table cost lacks the columns"):
        packaging.answer(evidence(smd=0.1, lin=0.5), [{"measure": "smd"}], "")
