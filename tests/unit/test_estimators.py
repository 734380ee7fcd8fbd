"""The clusterings in scikit-learn's hands: protocol, pipelines, searches, new objects."""

import inspect
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import adjusted_rand_score
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import couplings
from couplings.cluster._base import Clustering
from couplings.errors import CouplingsError, MeasureError, MissingValuesError

RNG = np.random.default_rng(3)
GROUP = RNG.integers(0, 3, 90)
CODES = np.where(RNG.random((90, 5)) < 0.75, GROUP[:, None], RNG.integers(0, 3, (90, 5)))
FRAME = pd.DataFrame(
    np.array(["red", "green", "blue"])[CODES], columns=["wing", "tail", "head", "foot", "back"]
)
MIXED = FRAME.assign(size=GROUP + RNG.normal(scale=0.3, size=90))

CATEGORICAL = {
    "KModes": {"random_state": 0},
    "KModes by a learned measure": {"measure": "ahmad_dey", "random_state": 0},
    "CategoricalSpectral": {"random_state": 0},
    "Ward": {"measure": "simple_matching"},
    "Ward by squares": {"measure": "ahmad_dey", "recurrence": "D2"},
    "Rock": {"theta": 0.4},
    "Limbo": {},
    "Climbo": {"distance": "mass"},
    "DensityPeaks": {"percent": 20.0},
    "LatentClasses": {"random_state": 0},
    "EntropyClusters": {"random_state": 0},
}
MIXTURES = {
    "KPrototypes": {"random_state": 0},
    "AhmadDeyKMeans": {"random_state": 0},
    "MultinomialGaussianMixture": {"random_state": 0},
}


def make(name, n_clusters=3, **settings):
    known = CATEGORICAL | MIXTURES
    return getattr(couplings, name.split()[0])(n_clusters, **(known.get(name, {}) | settings))


# --- new objects --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*CATEGORICAL, *MIXTURES])
def test_fitted_objects_keep_their_clusters(name):
    data = MIXED if name in MIXTURES else FRAME
    model = make(name).fit(data)
    found = model.predict(data)
    if name.startswith(("Ward", "Rock")):  # the merges are not the nearest clusters
        assert adjusted_rand_score(found, model.labels_) > 0.7
    else:
        assert np.array_equal(found, model.labels_)
    assert adjusted_rand_score(GROUP, found) > 0.5


def test_every_clustering_predicts_by_a_named_rule_or_says_why_not():
    page = (Path(__file__).parents[2] / "docs/scikit-learn.md").read_text(encoding="utf-8")
    rows = [line.split(" | ") for line in page.split("## New objects")[1].splitlines()[7:]]
    rules = {name: row for row in rows if len(row) == 4 for name in row[0].strip("| ").split(", ")}
    public = {name: getattr(couplings, name) for name in couplings.__all__}
    clusterings = {
        name
        for name, one in public.items()
        if isinstance(one, type) and issubclass(one, Clustering)
    }
    assert set(rules) == clusterings
    for name, (_, rule, repeats, weights) in rules.items():
        signature = inspect.signature(public[name].fit).parameters
        assert ("sample_weight" in signature) == (weights.strip("| ") != "no")
        assert hasattr(public[name](), "predict") == (not rule.startswith("none"))
        if repeats == "yes" and name != "KMeans":
            model = make(name).fit(MIXED if name in MIXTURES else FRAME)
            assert np.array_equal(
                model.predict(MIXED if name in MIXTURES else FRAME), model.labels_
            )
    for one in (couplings.SpectralCAT(), couplings.CoupledMixed()):
        with pytest.raises(AttributeError, match="has no predict: it"):
            one.predict  # noqa: B018


@pytest.mark.parametrize("name", ["KModes", "CategoricalSpectral", "Ward", "DensityPeaks"])
def test_the_measure_says_what_unseen_and_missing_values_do(name):
    rows = FRAME.iloc[[2, 1, 2]]
    new = rows.copy()
    new.iloc[0, 0], new.iloc[1, 1] = "violet", None
    strict = make(name).fit(FRAME)
    with pytest.raises(MeasureError, match="fit has not seen the value 'violet'"):
        strict.predict(new.iloc[:1])
    with pytest.raises(MissingValuesError, match="missing='value'"):
        strict.predict(new.iloc[1:2])
    measure = couplings.SimpleMatching(missing="mismatch", unknown="mismatch")
    easy = make(name, measure=measure).fit(FRAME)
    # the other values, red but for one, keep both in the cluster of the reds
    assert np.array_equal(easy.predict(new), strict.predict(rows))


@pytest.mark.parametrize("name", ["Limbo", "Climbo", "Rock", "LatentClasses"])
def test_without_a_measure_the_rules_are_parameters(name):
    new = FRAME.iloc[:2].copy()
    new.iloc[0] = "violet"
    with pytest.raises(MeasureError, match="violet"):
        make(name).fit(FRAME).predict(new)
    model = make(name, unknown="mismatch").fit(FRAME)
    assert model.predict(new)[1] == make(name).fit(FRAME).predict(FRAME.iloc[1:2])[0]
    holes = FRAME.copy()
    holes.iloc[0, 0] = None
    with pytest.raises(MissingValuesError):
        make(name).fit(holes)
    assert len(make(name, missing="value").fit(holes).predict(holes)) == 90


def test_a_similarity_is_no_distance():
    for name in ("KModes", "Ward", "DensityPeaks", "CategoricalSpectral"):
        with pytest.raises(MeasureError, match=r"as_distance\(\)"):
            make(name, measure=couplings.Caso()).fit(FRAME)
    identity = make("CategoricalSpectral", measure="caso", affinity="identity").fit(FRAME)
    assert np.array_equal(identity.predict(FRAME), identity.labels_)
    with pytest.raises(MeasureError, match="needs a similarity"):
        make("CategoricalSpectral", affinity="identity").fit(FRAME)
    with pytest.raises(MeasureError, match="compares whole objects"):
        make("KModes", measure="lin").fit(FRAME)


@pytest.mark.parametrize("variant", ["njw", "sym", "rw", "unnorm"])
@pytest.mark.parametrize("affinity", ["one-minus", "exp-mean", "gauss-mean", "inverse"])
def test_the_embedding_extends_to_its_own_objects(affinity, variant):
    model = make("CategoricalSpectral", affinity=affinity, variant=variant).fit(FRAME)
    assert np.array_equal(model.predict(FRAME), model.labels_)


def test_matrices_are_a_keyword():
    table = couplings.CategoricalTable.from_pandas(FRAME)
    matrices = couplings.AhmadDey().fit(table).value_matrices_
    given = make("KModes").fit(table, matrices=matrices)
    named = make("KModes", measure="ahmad_dey").fit(FRAME)
    assert np.array_equal(given.labels_, named.labels_)
    assert np.array_equal(given.predict(table), given.labels_)
    with pytest.raises(CouplingsError, match="second argument is y"):
        make("KModes").fit(table, matrices)
    with pytest.raises(CouplingsError, match="codes of a CategoricalTable"):
        make("KModes").fit(FRAME, matrices=matrices)
    with pytest.raises(CouplingsError, match="only tables over the same"):
        given.predict(FRAME)


def test_ward_of_distances_has_no_predict_and_no_linkage():
    measure = couplings.SimpleMatching().fit(FRAME)
    model = couplings.Ward(3).fit(measure.pairwise(FRAME))
    assert np.array_equal(model.labels_, make("Ward").fit_predict(FRAME))
    assert not hasattr(model, "predict")
    with pytest.raises(CouplingsError, match="ward_linkage"):
        model.linkage_  # noqa: B018
    with pytest.raises(CouplingsError, match="needs dissimilarities, not DataFrame"):
        couplings.Ward(3, measure="precomputed").fit(FRAME)


# --- searches -----------------------------------------------------------------------------------


def test_a_search_over_measures_and_their_parameters():
    model = couplings.KModes(3, measure=couplings.DilcaM(unknown="mismatch"), random_state=0)
    grid = [
        {"measure__sigma": [0.2, 0.8]},
        {"measure": [couplings.SimpleMatching(unknown="mismatch")]},
    ]
    search = GridSearchCV(model, grid, scoring="adjusted_rand_score", cv=3, error_score="raise")
    search.fit(FRAME, GROUP)
    assert search.best_score_ > 0.5
    assert len(search.cv_results_["params"]) == 3


def test_a_pipeline_and_folds_with_unseen_values():
    rare = FRAME.copy()
    rare.iloc[0, 0] = "violet"
    steps = make_pipeline(
        FunctionTransformer(), make("KModes", measure=couplings.AhmadDey(unknown="typical"))
    )
    scores = cross_val_score(
        steps, rare, GROUP, scoring="adjusted_rand_score", cv=KFold(3), error_score="raise"
    )
    assert np.isfinite(scores).all()
    assert scores.mean() > 0.5
