"""Measures, encodings and clusterings keep scikit-learn's protocol, by its own checks."""

import inspect
import re
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import check_estimator

import couplings
from couplings import DilcaM, MixedDistance, OneHot, large, measure_from
from couplings.measures.registry import REGISTRY
from couplings.value_encoder import ValueEncoder

BY_NAME = "check_dataframe_column_names_consistency"
"""Columns are matched by name, so the same names in another order are no error."""
NUMBERS = "check_sample_weights_pandas_series"
"""A data frame of numbers is refused, whatever the weights are."""
WEIGHTLESS = "check_sample_weight_equivalence_on_dense_data"
"""The values of rows without weight are unseen, as if the rows were not there."""
LABELS = ("check_dtype_object", "check_transformer_data_not_an_array")
"""Objects that are floats are no labels."""
MULTIPLICITY = (
    "check_all_zero_sample_weights_error",
    "check_sample_weights_shape",
    "check_sample_weights_not_an_array",
    "check_sample_weights_not_overwritten",
    WEIGHTLESS,
)
"""Weights of k-means say how often a row occurs: positive integers."""

# One of each class; another entry of the registry is another parameter.
NAMES = list({entry.class_name: name for name, entry in REGISTRY.items()}.values())
# It takes categories together with numbers, which no check of scikit-learn has.
NAMES.remove("coupled_mixed")
CLUSTERINGS = [
    couplings.KModes(2, random_state=0),
    couplings.KModes(2, measure="ahmad_dey", random_state=0),
    couplings.CategoricalSpectral(2, random_state=0),
    couplings.Ward(2, measure="simple_matching"),
    couplings.Ward(2, "D2", measure="ahmad_dey"),
    couplings.Rock(2, theta=0.4),
    couplings.Limbo(2),
    couplings.Climbo(2, "mass"),
    couplings.EntropyClusters(2, random_state=0),
    couplings.LatentClasses(random_state=0),
]
MIXED = "all columns are numeric; a mixed table needs both kinds"
EQUAL = "so the cutoff is 0"
CHECKED = [
    *((measure_from(name), (BY_NAME, NUMBERS, WEIGHTLESS), "") for name in NAMES),
    *((one, (NUMBERS, WEIGHTLESS), "") for one in CLUSTERINGS),
    (couplings.KMeans(2, random_state=0), MULTIPLICITY, ""),
    (MixedDistance(), (BY_NAME,), ""),
    (MixedDistance(missing="raise"), (BY_NAME,), ""),
    (ValueEncoder(), LABELS, r"numeric \(floating objects\)"),
    # an array has one type for all columns
    *((kind(2), None, MIXED) for kind in (couplings.AhmadDeyKMeans, couplings.SpectralCAT)),
    (couplings.KPrototypes(2, random_state=0), None, MIXED),
    (couplings.MultinomialGaussianMixture(2, random_state=0), None, MIXED),
    # few objects, many of them equal
    (couplings.DensityPeaks(2, percent=60.0), None, EQUAL),
    (couplings.DensityPeaks(2, percent=60.0, measure="ahmad_dey"), None, EQUAL),
    # a kernel, or any array
    (couplings.Ward(), None, "diagonal of the matrix|not symmetric|must be square|numeric|Ward"),
]
"""Estimators, the checks of scikit-learn that they may fail, and the words of all their errors."""


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("estimator", "allowed", "words"), CHECKED)
def test_scikit_learns_checks_fail_where_it_is_meant_alone(estimator, allowed, words):
    results = check_estimator(estimator, on_fail=None, on_skip=None)
    assert len(results) > 35
    failed = [one for one in results if one["status"] == "failed"]
    if allowed is not None:
        assert {one["check_name"] for one in failed} <= {*allowed}
    for one in failed:
        error = one["exception"]
        assert re.search(words, f"{error} {error.__cause__} {error.__context__}"), one


@pytest.fixture(scope="module")
def animals():
    rng = np.random.default_rng(0)
    kind = rng.integers(0, 3, 120)
    columns = {
        name: np.array(list("abcdef"))[np.where(rng.random(120) < 0.8, kind + shift, shift)]
        for shift, name in enumerate(["skin", "legs", "food"])
    }
    return pd.DataFrame(columns), kind


def test_a_grid_search_tunes_a_measure_and_unseen_values_do_not_stop_it(animals):
    frame, kind = animals
    frame = frame.assign(skin=["rare", *frame["skin"][1:]])
    pipeline = make_pipeline(DilcaM(unknown="typical"), KNeighborsClassifier(3))
    search = GridSearchCV(pipeline, {"dilcam__sigma": [0.0, 0.5, 1.0]}, cv=3)
    search.fit(frame, kind)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert search.best_score_ > 0.6
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the fold whose fit has not seen the value
        strict = cross_val_score(
            make_pipeline(DilcaM(), KNeighborsClassifier(3)), frame, kind, cv=3
        )
    assert np.isnan(strict).any()


@pytest.mark.parametrize("name", ["dilca_rr", "one_hot", "cde", "inverse_document_frequency"])
def test_columns_have_names_in_a_column_transformer(name, animals):
    frame, kind = animals
    frame = frame.assign(weight=np.arange(120.0))
    made = ColumnTransformer(
        [("labels", measure_from(name), ["skin", "legs", "food"])], remainder="passthrough"
    )
    made.set_output(transform="pandas")
    out = made.fit_transform(frame, kind)
    assert out.columns[0].startswith("labels__")
    assert list(out.columns) == list(made.get_feature_names_out())
    assert list(out.index) == list(frame.index)
    assert (
        make_pipeline(made, LogisticRegression(max_iter=2000)).fit(frame, kind).score(frame, kind)
        > 0.6
    )


def test_polars_frames_come_out_where_they_are_asked_for(animals):
    pl = pytest.importorskip("polars")
    found = OneHot().set_output(transform="polars").fit_transform(animals[0])
    assert isinstance(found, pl.DataFrame)
    assert found.columns[0] == "skin_a"


def test_every_public_estimator_has_tags():
    classes = [
        kind
        for room in (couplings, large)
        for kind in (getattr(room, name) for name in dir(room))
        if inspect.isclass(kind) and hasattr(kind, "fit")
    ]
    assert len(classes) > 40
    for kind in classes:
        needed = {"algorithm": "kmodes", "measure": "simple_matching"}
        given = needed if kind is large.SampleAndAssign else {}
        assert get_tags(kind(**given)).target_tags.required is False
