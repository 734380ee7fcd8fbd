"""Old names work, and say the new one once."""

import warnings

import numpy as np
import pandas as pd
import pytest

import couplings
import couplings.cluster
import couplings.measures
from couplings import CouplingsError, KModes, KPrototypes, MultinomialGaussianMixture, choose_k
from couplings import _renamed as renamed

FRAME = pd.DataFrame({"a": list("xyxyxyzz") * 3, "b": list("uuvvuuvv") * 3})
MIXED = FRAME.assign(n=np.arange(24.0))


@pytest.fixture(autouse=True)
def nothing_said(monkeypatch):
    monkeypatch.setattr(renamed, "_SAID", set())


def once(call, words):
    with pytest.warns(FutureWarning, match=words) as said:
        first = call()
    assert said[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        call()
    return first


def test_an_attribute_has_its_old_name():
    model = KPrototypes(2, random_state=0).fit(MIXED)
    found = once(lambda: model.cost_, "KPrototypes: cost_ is called objective_ now")
    assert found == model.objective_
    assert not hasattr(KPrototypes(2), "cost_")


def test_a_parameter_has_its_old_name():
    words = "MultinomialGaussianMixture: n_components is called n_clusters now"
    model = once(lambda: MultinomialGaussianMixture(n_components=3), words)
    assert model.get_params()["n_clusters"] == 3
    assert model.set_params(n_components=4).n_clusters == model.n_components == 4
    assert "n_components" not in model.get_params()


@pytest.mark.parametrize("name", sorted(couplings._MOVED))
def test_a_name_that_moved_is_found(name):
    room = couplings._MOVED[name]
    found = once(lambda: getattr(couplings, name), f"{name} is called {room}.{name} now")
    assert found is getattr(getattr(couplings, room.split(".")[1]), name)
    assert name not in couplings.__all__


def test_choose_k_takes_the_numbers_third_and_its_old_order():
    new = choose_k(FRAME, KModes(random_state=0), [2, 3], n_bootstrap=2)
    words = "choose_k: a measure as third argument is called measure="
    old = once(
        lambda: choose_k(FRAME, KModes(random_state=0), "simple_matching", [2, 3], n_bootstrap=2),
        words,
    )
    pd.testing.assert_frame_equal(old, new)
    named = once(
        lambda: choose_k(FRAME, algorithm=KModes(random_state=0), k_range=[2, 3], n_bootstrap=2),
        "choose_k: algorithm is called estimator",
    )
    pd.testing.assert_frame_equal(named, new)
    with pytest.raises(CouplingsError, match="estimator='kmodes' is no clustering"):
        choose_k(FRAME, "kmodes")


def test_start_words_have_any_case_and_k_modes_a_score():
    model = KModes(2, init="CAO", random_state=0).fit(FRAME)
    assert np.array_equal(model.labels_, KModes(2, init="cao").fit(FRAME).labels_)
    assert model.score(FRAME) == pytest.approx(-model.objective_ / 24)
    weights = np.arange(24)
    nearest = model.transform(FRAME).min(axis=1)
    assert model.score(FRAME, None, weights) == pytest.approx(-(nearest @ weights) / weights.sum())
    with pytest.raises(CouplingsError, match="init='best' is not known"):
        KModes(2, init="best").fit(FRAME)


@pytest.mark.parametrize(
    "name", ["KModes", "CategoricalSpectral", "Ward", "DensityPeaks", "Limbo", "EntropyClusters"]
)
def test_rules_for_missing_and_unseen_values_are_parameters_of_every_clustering(name):
    holes = FRAME.copy()
    holes.iloc[0, 0] = None
    model = getattr(couplings, name)(2, missing="value", unknown="mismatch").fit(holes)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert model.predict(holes.replace("x", "new")).shape == (24,)
    assert model.predict(holes).shape == (24,)


@pytest.mark.parametrize("name", ["KPrototypes", "MultinomialGaussianMixture", "AhmadDeyKMeans"])
def test_missing_categories_next_to_numbers_can_be_a_value(name):
    holes = MIXED.copy()
    holes.iloc[0, 0] = None
    room = couplings.cluster if name == "AhmadDeyKMeans" else couplings
    model = getattr(room, name)(2, missing="value", random_state=0, n_jobs=1).fit(holes)
    assert np.array_equal(model.predict(holes), model.labels_)
    spelt = getattr(room, name)(2, random_state=0).fit(holes.fillna({"a": "?"}))
    assert np.array_equal(model.labels_, spelt.labels_)
