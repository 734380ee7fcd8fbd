"""Ward, density peaks and k-medoids of Gower's distance; covariates and components."""

import numpy as np
import pandas as pd
import pytest
from kit import refused
from sklearn.base import clone
from sklearn.decomposition import PCA

from couplings import (
    CouplingsError,
    DensityPeaks,
    KMedoids,
    LatentClasses,
    MeasureError,
    MixedDistance,
    OneHot,
    OneHotPCA,
    Ward,
    ward_linkage,
)
from couplings.cluster.ward import condensed_of


def people(n=50, seed=0):
    """Three groups in categories and numbers, with a missing number."""
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 3, n)
    noisy = np.where(rng.random(n) < 0.8, group, rng.integers(0, 3, n))
    frame = pd.DataFrame(
        {
            "job": pd.Series(noisy.astype(str)),
            "city": pd.Series(rng.choice(list("xyz"), n)),
            "age": group + 0.3 * rng.normal(size=n),
            "pay": rng.normal(size=n),
        }
    )
    frame.loc[3, "age"] = np.nan
    return frame


PEOPLE = people()
DISTANCES = MixedDistance().fit(PEOPLE).pairwise(PEOPLE)


@pytest.mark.parametrize("recurrence", ["D", "D2"])
def test_ward_of_the_mixed_distance_is_that_of_its_matrix(recurrence):
    model = Ward(3, recurrence, measure=MixedDistance()).fit(PEOPLE)
    square = Ward(3, recurrence, measure="precomputed", diagonal="ignore").fit(DISTANCES)
    np.testing.assert_array_equal(model.labels_, square.labels_)
    condensed = condensed_of(DISTANCES, "ignore")
    expected = ward_linkage(condensed, recurrence=recurrence)
    np.testing.assert_allclose(model.linkage_, expected)
    assert model.feature_names_in_.tolist() == list(PEOPLE.columns)
    powered = DISTANCES if recurrence == "D" else DISTANCES**2
    groups = [np.flatnonzero(model.labels_ == c) for c in range(3)]
    centroid = [
        powered[:, one].mean(axis=1) - powered[np.ix_(one, one)].mean() / 2 for one in groups
    ]
    np.testing.assert_array_equal(model.predict(PEOPLE), np.argmin(centroid, axis=0))


@pytest.mark.parametrize("kernel", ["cut", "gauss"])
def test_density_peaks_of_a_matrix_are_those_of_the_passes_over_pairs(kernel):
    # With simple matching of categories alone, both ways have the same distances.
    rows = PEOPLE[["job", "city"]].assign(third=np.arange(50).astype(str))
    settings = {"percent": 20, "kernel": kernel, "halo": True}
    mean = DensityPeaks(3, measure=MixedDistance("simple_matching"), **settings).fit(rows)
    total = DensityPeaks(3, measure="simple_matching", **settings).fit(rows)
    np.testing.assert_allclose(3 * mean.cutoff_, total.cutoff_)
    np.testing.assert_allclose(mean.rho_, total.rho_)
    if kernel == "gauss":
        return  # rounding settles which of equally dense objects comes first
    np.testing.assert_allclose(3 * mean.delta_, total.delta_)
    np.testing.assert_array_equal(mean.labels_, total.labels_)
    np.testing.assert_array_equal(mean.nearest_denser_, total.nearest_denser_)
    np.testing.assert_array_equal(mean.halo_, total.halo_)
    np.testing.assert_array_equal(mean.predict(rows), total.predict(rows))


def test_density_peaks_of_mixed_data_label_new_objects():
    model = DensityPeaks(3, percent=10, measure=MixedDistance()).fit(PEOPLE)
    np.testing.assert_array_equal(model.predict(PEOPLE), model.labels_)
    assert len(set(model.labels_)) == 3


@pytest.mark.parametrize("init", ["build", "random"])
def test_no_swap_of_a_medoid_lowers_the_objective(init):
    pytest.importorskip("kmedoids")
    model = KMedoids(3, init=init, random_state=0).fit(PEOPLE)
    np.testing.assert_allclose(
        model.objective_, DISTANCES[:, model.medoid_indices_].min(axis=1).sum()
    )
    np.testing.assert_array_equal(model.predict(PEOPLE), model.labels_)
    for t in range(3):
        for u in range(50):
            medoids = model.medoid_indices_.copy()
            medoids[t] = u
            assert DISTANCES[:, medoids].min(axis=1).sum() >= model.objective_ - 1e-9


def test_k_medoids_takes_categories_matrices_and_one_cluster():
    pytest.importorskip("kmedoids")
    square = KMedoids(3, measure="precomputed").fit(DISTANCES)
    mixed = KMedoids(3, measure=MixedDistance()).fit(PEOPLE)
    np.testing.assert_array_equal(square.labels_, mixed.labels_)
    np.testing.assert_array_equal(square.predict(DISTANCES), square.labels_)
    assert KMedoids(1).fit(PEOPLE).objective_ == pytest.approx(DISTANCES.sum(axis=0).min())
    labels = KMedoids(2, measure="dilca_rr").fit(PEOPLE[["job", "city"]]).labels_
    assert set(labels) == {0, 1}
    assert clone(mixed).get_params()["n_clusters"] == 3


test_k_medoids_refuses = refused(
    CouplingsError,
    lambda parameters, data: KMedoids(**parameters).fit(data),
    [
        ({"n_clusters": 51}, PEOPLE, "n_clusters=51"),
        ({"init": "plus"}, PEOPLE, "init='plus'"),
        ({"measure": "caso"}, PEOPLE[["job", "city"]], "similarit"),
        ({"measure": "precomputed"}, DISTANCES[:3], "square"),
        ({"measure": "precomputed"}, -DISTANCES, "not negative"),
    ],
)


def test_the_mixed_distance_transforms_to_distances_from_the_fitted_objects():
    distance = MixedDistance().fit(PEOPLE)
    np.testing.assert_array_equal(distance.transform(PEOPLE[:4]), DISTANCES[:4])
    np.testing.assert_array_equal(MixedDistance().fit_transform(PEOPLE), DISTANCES)
    frame = distance.set_output(transform="pandas").transform(PEOPLE[:4])
    assert frame.columns.tolist() == distance.get_feature_names_out().tolist()
    assert frame.index.tolist() == [0, 1, 2, 3]


ROWS = PEOPLE[["job", "city"]].assign(third=(PEOPLE["pay"] > 0).astype(str))


@pytest.mark.parametrize(
    ("covariates", "names"),
    [
        (PEOPLE["pay"], ["pay"]),
        (PEOPLE["pay"].to_numpy(), ["0"]),
        (PEOPLE["pay"].tolist(), ["0"]),
        (PEOPLE[["pay"]].to_numpy(), ["0"]),
        (PEOPLE["pay"] > 0, ["pay"]),
        (PEOPLE[["pay", "city"]], ["pay", "city=y", "city=z"]),
        (pd.Series(pd.Categorical(PEOPLE["city"], ["z", "y", "x"]), name="c"), ["c=y", "c=x"]),
    ],
)
def test_covariates_are_numbers_or_indicators(covariates, names):
    model = LatentClasses(2, random_state=0, n_init=2).fit(ROWS, covariates=covariates)
    assert model.covariate_names_ == ("(constant)", *names)
    assert model.coefficients_.shape == (1 + len(names), 2)
    found = model.predict_proba(ROWS, covariates=covariates)
    np.testing.assert_allclose(found, model.posterior_, atol=1e-6)


def test_indicators_by_hand_give_the_same_classes():
    texts = LatentClasses(2, random_state=0, n_init=2).fit(ROWS, covariates=PEOPLE["city"])
    indicators = np.column_stack([PEOPLE["city"] == "y", PEOPLE["city"] == "z"]).astype(float)
    numbers = LatentClasses(2, random_state=0, n_init=2).fit(ROWS, covariates=indicators)
    np.testing.assert_allclose(texts.coefficients_, numbers.coefficients_)
    shuffled = PEOPLE[["city", "pay"]]
    both = LatentClasses(2, random_state=0, n_init=2).fit(ROWS, covariates=PEOPLE[["pay", "city"]])
    np.testing.assert_allclose(
        both.predict_proba(ROWS, covariates=shuffled), both.posterior_, atol=1e-6
    )


test_covariates_that_cannot_be_coded_are_refused = refused(
    CouplingsError,
    lambda covariates: LatentClasses(2, random_state=0).fit(ROWS, covariates=covariates),
    [
        (pd.Series(pd.date_range("2020", periods=50), name="day"), "'day' is of the type datetime"),
        (np.arange(50) * 1j, "complex128"),
        (PEOPLE["age"], "'age' has missing cells"),
        (PEOPLE["pay"].where(PEOPLE["pay"] > 0, np.inf), "'pay' has infinite numbers"),
        (PEOPLE["pay"][:5], "do not fit"),
        (np.zeros((50, 2, 2)), "do not fit"),
    ],
)

test_new_covariates_that_do_not_fit_are_refused = refused(
    CouplingsError,
    lambda covariates: (
        LatentClasses(2, random_state=0, n_init=1)
        .fit(ROWS, covariates=PEOPLE[["pay", "city"]])
        .predict(ROWS, covariates=covariates)
    ),
    [
        (PEOPLE[["pay", "city"]].replace("x", "new"), "not seen the value 'new'"),
        (PEOPLE[["pay"]], "do not fit"),
        (PEOPLE[["pay", "job"]], "'city' of fit is missing"),
        (PEOPLE[["city", "job"]].set_axis(["pay", "city"], axis=1), "'pay' held numbers in fit"),
    ],
)


def test_components_explain_what_those_of_scikit_learn_explain():
    full = OneHotPCA().fit(ROWS)
    peer = PCA().fit(OneHot().fit_transform(ROWS))
    q = len(full.explained_variance_)
    np.testing.assert_allclose(full.explained_variance_, peer.explained_variance_[:q] * 49 / 50)
    np.testing.assert_allclose(full.explained_variance_ratio_, peer.explained_variance_ratio_[:q])
    np.testing.assert_allclose(full.transform(ROWS).var(axis=0), full.explained_variance_)


@pytest.mark.parametrize(("chosen", "kept"), [(2, 2), (1, 1), (1.0, 5), (None, 5)])
def test_as_many_components_as_asked(chosen, kept):
    full, some = OneHotPCA().fit(ROWS), OneHotPCA(chosen).fit(ROWS)
    np.testing.assert_allclose(some.transform(ROWS), full.transform(ROWS)[:, :kept])
    assert len(some.get_feature_names_out()) == len(some.explained_variance_ratio_) == kept
    np.testing.assert_allclose(some.pairwise(ROWS), full.pairwise(ROWS))


def test_a_share_of_the_variance_takes_the_fewest_components_that_reach_it():
    ratio = OneHotPCA().fit(ROWS).explained_variance_ratio_
    for share in (0.3, 0.6, 0.9):
        kept = len(OneHotPCA(share).fit(ROWS).explained_variance_)
        assert ratio[:kept].sum() >= share > ratio[: kept - 1].sum()


test_numbers_of_components_out_of_range_are_refused = refused(
    CouplingsError,
    lambda parameters: OneHotPCA(**parameters).fit(ROWS),
    [
        ({"n_components": 99}, "more than the 5 components"),
        ({"n_components": 0}, "not a positive integer"),
        ({"n_components": 1.5}, "above 0 and at most 1"),
        ({"n_components": "all"}, "above 0 and at most 1"),
        ({"n_components": 2, "unknown": "typical"}, "no place among the components"),
    ],
)


def test_density_peaks_refuse_a_space_next_to_the_mixed_distance():
    with pytest.raises(MeasureError, match="omit space"):
        DensityPeaks(2, measure=MixedDistance()).fit(PEOPLE, space=object())
