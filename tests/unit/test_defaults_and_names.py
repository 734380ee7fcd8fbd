"""Fewer clusters than asked, names that collide, and defaults that fit the table."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import ConvergenceWarning

import couplings
import couplings.cluster
from couplings import KModes, KPrototypes, OneHot, SimpleMatching, choose_k
from couplings.mixed import MixedSpace

TWO = pd.DataFrame({"a": list("xxxyyy"), "b": list("uuuvvv")})
TWO_MIXED = TWO.assign(n=[1.0, 1, 1, 2, 2, 2])
SMALL = pd.DataFrame({"a": list("xxyyzzxx"), "b": list("uuvvwwuv")})
ASKED = {
    **dict.fromkeys(("KModes", "Limbo", "Climbo", "LatentClasses", "EntropyClusters"), TWO),
    **dict.fromkeys(("KPrototypes", "AhmadDeyKMeans"), TWO_MIXED),
    "Ward": TWO,
    "KMedoids": TWO,
    "KMeans": np.repeat([[0.0], [1.0]], 3, axis=0),
}
"""Estimators that cluster six objects of two kinds into three clusters."""
REFUSE = {"DensityPeaks": TWO, "SpectralCAT": TWO_MIXED}
"""Those that refuse more clusters than distinct objects."""
OTHERS = {
    "Rock": "stops when no two clusters are linked, and more remain",
    "CategoricalSpectral": "needs more values than clusters",
    "MultinomialGaussianMixture": "its components overlap, see the test below",
}


def estimator(name, n_clusters):
    if name == "KMedoids":
        pytest.importorskip("kmedoids")
    kind = getattr(couplings if name in couplings.__all__ else couplings.cluster, name)
    seed = {"random_state": 0} if "random_state" in kind().get_params() else {}
    if name == "Ward":
        seed = {"measure": "simple_matching"}
    return kind(n_clusters, **seed)


def warned(call):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        call()
    return [str(one.message) for one in seen if issubclass(one.category, ConvergenceWarning)]


@pytest.mark.parametrize("name", ASKED)
def test_fewer_clusters_than_asked_are_told_by_every_algorithm(name):
    said = warned(lambda: estimator(name, 3).fit(ASKED[name]))
    assert any(name in one and "use fewer clusters" in one for one in said), said
    assert not warned(lambda: estimator(name, 2).fit(ASKED[name]))


@pytest.mark.parametrize("name", REFUSE)
def test_others_refuse_more_clusters_than_distinct_objects(name):
    with pytest.raises(couplings.CouplingsError, match=r"different objects|distinct rows"):
        estimator(name, 3).fit(REFUSE[name])


def test_every_clustering_is_in_one_of_these_lists():
    kinds = {
        name
        for room in (couplings, couplings.cluster)
        for name in room.__all__
        if getattr(getattr(room, name), "_role", None) == "clusterer"
    }
    assert kinds == {*ASKED, *REFUSE, *OTHERS}


def test_a_mixture_warns_of_components_that_are_the_likeliest_of_no_object():
    mixture = couplings.MultinomialGaussianMixture(4, random_state=0)
    said = warned(lambda: mixture.fit(TWO_MIXED))
    assert len(set(mixture.labels_)) < 4
    assert any("have objects; use fewer clusters" in one for one in said)


def test_ward_counts_distinct_objects_of_given_distances():
    x = np.array([0.0, 0, 1, 1, 1, 5])
    distances = np.abs(x[:, None] - x)[np.triu_indices(6, 1)]
    assert not warned(lambda: couplings.Ward(3).fit(distances))
    assert "only 3 objects" in warned(lambda: couplings.Ward(4).fit(distances))[0]


COLLIDING = pd.DataFrame({"a": ["b_c", "d", "d"], "a_b": ["c", "d", "c"], "a_b_c": list("222")})


@pytest.mark.parametrize("kind", [OneHot, lambda: OneHot(missing="mismatch", unknown="typical")])
def test_names_of_columns_differ_in_every_container(kind):
    names = kind().fit(COLLIDING).get_feature_names_out().tolist()
    assert len(set(names)) == len(names)
    assert names[0] == "a_b_c"
    rows = kind().set_output(transform="pandas").fit_transform(COLLIDING)
    assert rows.columns.tolist() == names
    pytest.importorskip("polars")
    assert kind().set_output(transform="polars").fit_transform(COLLIDING).columns == names


def test_names_of_numbered_columns_differ():
    frame = pd.DataFrame({"a": list("xyzx"), "a_0": list("uvwu"), "a_0_0": list("uvvu")})
    names = SimpleMatching().fit(frame).get_feature_names_out().tolist()
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("gamma", [None, "lambdaest"])
def test_constant_numbers_leave_the_clusters_of_the_categories(gamma):
    frame = pd.DataFrame({"a": list("xxyyxxyy"), "b": list("uuvvuuvv"), "n": [1.0] * 8})
    said = warned(lambda: KPrototypes(2, gamma=gamma, random_state=0).fit(frame))
    model = KPrototypes(2, gamma=gamma, random_state=0).fit(frame)
    assert not said
    assert model.gamma_ == 1.0
    expected = KPrototypes(2, gamma=0.3, random_state=0).fit_predict(frame)
    assert couplings.adjusted_rand(model.labels_, expected) == 1.0
    assert MixedSpace.weighted(frame).pairwise(frame)[0, 2] == 2.0


def test_the_default_numbers_of_clusters_fit_the_table():
    found = choose_k(SMALL, KModes(random_state=0), n_bootstrap=2)
    assert found.index.tolist() == [2, 3, 4, 5, 6, 7]
    assert choose_k(SMALL[:3], KModes(random_state=0), n_bootstrap=2).index.tolist() == [2]
    with pytest.raises(couplings.CouplingsError, match="k=9 is not an integer from 1 to 8"):
        choose_k(SMALL, KModes(random_state=0), k_range=[9])
