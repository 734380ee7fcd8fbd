"""What is recommended follows the evidence, and is put above latent classes only if better."""

import numpy as np
import pandas as pd
import pytest
from kit import ROOT, configuration
from scipy.stats import binomtest, ttest_1samp, wilcoxon
from statsmodels.stats.multitest import multipletests

from couplings import LatentClasses, recommend
from couplings.learned.registry import METHODS, STARTS
from couplings.recommendation import DEFAULT, STANDARD, Check, recommend_for
from couplings.versus import Versus, holm, signed_rank
from replication.plan.configuration import read_yaml
from replication.steps import load_class

SMALL = pd.DataFrame({"a": ["x", "y", "x", "z"] * 9, "b": ["p", "q", "p", "p"] * 9})


def evidence(datasets=20, noise=0.0, **means):
    """Scores by name of a method or of a measure with k-modes, the same level on all data sets."""
    rng = np.random.default_rng(4)
    return [
        {"dataset": f"d{i}", "objects": 100, "ari": mean + noise * rng.normal()}
        | {"measure": name, "algorithm": name if name in METHODS else "kmodes"}
        for i in range(datasets)
        for name, mean in means.items()
    ]


def test_a_choice_that_is_better_than_latent_classes_is_put_above_them():
    found = recommend_for(100, evidence(smd=0.1, lin=0.5, iof=0.1, latent_classes=0.3))
    assert (found.measure, found.algorithm) == ("lin", "kmodes")
    assert (found.standard.better, found.standard.worse) == (20, 0)
    assert (found.proven_better, found.proven_worse) == (0, 3)
    assert found.gain.mean == pytest.approx(0.4)
    assert str(found).startswith("Try Lin() with kmodes first. It is better than SimpleMatching()")


def test_a_choice_that_is_not_better_than_latent_classes_is_not():
    rows = evidence(smd=0.1, lin=0.301, iof=0.05, latent_classes=0.3)
    found = recommend_for(100, rows)
    assert found.ranking[0].measure == "lin"
    assert found.overall.skilled
    assert not found.standard.ahead
    assert (found.measure, found.algorithm) == STANDARD
    assert (found.proven_better, found.proven_worse) == (1, 2)
    said = str(found)
    assert said.startswith("Try LatentClasses(pseudo_count=0.1) first.")
    assert "Lin() with kmodes has the best mean rank (1.0 of 4" in said
    assert said.count("so it is not put above") == 1
    assert repr(found) == "<Recommendation: 'latent_classes'>"


def test_latent_classes_that_are_no_better_than_k_modes_are_no_standard():
    found = recommend_for(100, evidence(noise=0.1, smd=0.2, lin=0.2, iof=0.2, latent_classes=0.2))
    assert found.gain is None
    assert (found.measure, found.algorithm) == DEFAULT
    assert str(found).startswith("No advice")


def test_without_them_the_first_is_recommended_as_before():
    found = recommend_for(100, evidence(smd=0.1, lin=0.5, iof=0.1))
    assert found.standard is None
    assert found.measure == "lin"


def test_the_packaged_advice_puts_nothing_above_latent_classes_that_is_not_better():
    for n_objects in (100, 10_000):
        found = recommend_for(n_objects)
        names = {(one.measure, one.algorithm) for one in found.ranking}
        assert STANDARD in names
        assert names >= {(one, one) for one in METHODS if n_objects == 100 or one != "limbo"}
        assert (found.measure, found.algorithm) == STANDARD or found.standard.ahead
        assert found.proven_better == 0
        assert found.proven_worse > 0
        assert found.seconds > 0
        assert f"{found.seconds:.2g} s" in str(found)


def test_what_is_recommended_starts():
    made = recommend(SMALL).start(2, random_state=0)
    assert type(made) is LatentClasses
    assert (made.n_clusters, made.n_init) == (2, STARTS)
    assert len(np.unique(made.fit_predict(SMALL))) == 2


@pytest.mark.parametrize("name", METHODS)
def test_methods_take_what_advice_takes(name):
    rows = SMALL.to_numpy().tolist()
    expected = METHODS[name].make(2, 0).fit_predict(SMALL)
    np.testing.assert_array_equal(METHODS[name].make(2, 0).fit_predict(rows), expected)


@pytest.mark.parametrize("name", METHODS)
def test_methods_are_those_of_the_study(name):
    config = configuration("study")["experiments"]
    assert {*METHODS} == {*config["learned"]["algorithms"], "limbo"}
    assert name in config["cost_alone"]["algorithms"]
    entry = configuration_of_algorithms()[name]
    made = METHODS[name].make(2, random_state=1)
    assert type(made) is load_class(entry["class"])
    given = entry.get("parameters", {})
    assert {key: made.get_params()[key] for key in given} == given
    assert made.get_params().get("random_state", 1) == 1


def configuration_of_algorithms():
    return read_yaml(ROOT / "config/algorithms.yaml", "config/algorithms.yaml")


def test_differences_are_summed_up_as_the_formulas_say():
    differences = np.array([0.2, 0.1, -0.05, 0.005, 0.0, 0.3, 0.07, -0.02])
    found = Versus.of(differences, "it")
    assert (found.better, found.same, found.worse, found.tried) == (4, 2, 2, 8)
    interval = ttest_1samp(differences, 0).confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx(tuple(interval))
    assert found.p == pytest.approx(wilcoxon(differences, zero_method="pratt").pvalue)
    assert signed_rank(np.zeros(5)) == 1.0
    assert str(found).startswith("better than it on 4 and worse on 2 of 8 data sets, by 0.08 ARI")


def test_holm_is_that_of_statsmodels():
    p = np.random.default_rng(0).random(40) ** 3
    np.testing.assert_allclose(holm(p), multipletests(p, method="holm")[1])


@pytest.mark.parametrize(
    ("better", "worse"), [(13, 21), (20, 12), (22, 10), (5, 0), (4, 0), (0, 0)]
)
def test_being_ahead_is_a_sign_test(better, worse):
    tried = Check("it", better, 3, worse, 1.0, 1.0, 1.0, 0.5)
    p = binomtest(better, better + worse, alternative="greater").pvalue if better + worse else 1.0
    assert tried.ahead == (p < 0.05)
