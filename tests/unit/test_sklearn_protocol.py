"""Measures and encodings keep scikit-learn's protocol, by its own checks."""

import inspect
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
from sklearn.utils.estimator_checks import estimator_checks_generator

import couplings
from couplings import DilcaM, OneHot, large, measure_from
from couplings.measures.registry import REGISTRY

BY_NAME = "columns are matched by name, so the same names in another order are no error"
NUMBERS = "a data frame of numbers is refused, whatever the weights are"
WEIGHTLESS = "the values of rows without weight are unseen, as if the rows were not there"
FAILS = {
    "check_dataframe_column_names_consistency": BY_NAME,
    "check_sample_weights_pandas_series": NUMBERS,
    "check_sample_weight_equivalence_on_dense_data": WEIGHTLESS,
}
"""Checks of scikit-learn that fail, and why this is meant."""

# One of each class; another entry of the registry is another parameter.
NAMES = list({entry.class_name: name for name, entry in REGISTRY.items()}.values())
# It takes categories together with numbers, which no check of scikit-learn has.
NAMES.remove("coupled_mixed")

with warnings.catch_warnings():
    # That the estimators do not inherit from scikit-learn is meant.
    warnings.filterwarnings("ignore", "Estimator .* does not inherit")
    CHECKS = [
        pytest.param(*pair, id=f"{name}-{number}-{pair[1].func.__name__}")
        for name in NAMES
        for number, pair in enumerate(estimator_checks_generator(measure_from(name)))
    ]


@pytest.mark.parametrize(("estimator", "check"), CHECKS)
def test_scikit_learns_estimator_checks(estimator, check):
    name = check.func.__name__
    # Only what is transformed, or predicted, meets the rows without weight.
    if name in FAILS and (FAILS[name] != WEIGHTLESS or hasattr(estimator, "transform")):
        with pytest.raises((AssertionError, ValueError, pytest.fail.Exception)):
            check(estimator)
        return
    check(estimator)


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
