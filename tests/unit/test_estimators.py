"""The clusterings and measures in scikit-learn's hands."""

import inspect
import re

import numpy as np
import pandas as pd
import pytest
from kit import ROOT, module
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import adjusted_rand_score
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.utils import estimator_checks, get_tags

import couplings
import couplings.cluster
import couplings.measures
from couplings import CouplingsError, MeasureError, MissingValuesError, large, measure_from
from couplings.cluster._base import Clustering
from couplings.measures.registry import REGISTRY

RNG = np.random.default_rng(3)
GROUP = RNG.integers(0, 3, 90)
CODES = np.where(RNG.random((90, 5)) < 0.75, GROUP[:, None], RNG.integers(0, 3, (90, 5)))
FRAME = pd.DataFrame(
    np.array(["red", "green", "blue"])[CODES], columns=["wing", "tail", "head", "foot", "back"]
)
MIXED = FRAME.assign(size=GROUP + RNG.normal(scale=0.3, size=90))

SEEDED = {"random_state": 0}
CATEGORICAL = {
    "KModes": SEEDED,
    "KModes by a learned measure": {"measure": "ahmad_dey", "random_state": 0},
    "CategoricalSpectral": SEEDED,
    "Ward": {"measure": "simple_matching"},
    "Ward by squares": {"measure": "ahmad_dey", "recurrence": "D2"},
    "Rock": {"theta": 0.4},
    "Limbo": {},
    "Climbo": {"distance": "mass"},
    "DensityPeaks": {"percent": 20.0},
    "LatentClasses": SEEDED,
    "EntropyClusters": SEEDED,
}
FEW = ("Climbo", "AhmadDeyKMeans", "SpectralCAT")
MIXTURES = ("KPrototypes", "AhmadDeyKMeans", "MultinomialGaussianMixture")


def make(name, n_clusters=3, **settings):
    known = CATEGORICAL | dict.fromkeys(MIXTURES, SEEDED)
    return getattr(couplings.cluster if name in FEW else couplings, name.split()[0])(
        n_clusters, **(known.get(name, {}) | settings)
    )


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
    page = (ROOT / "docs/api.md").read_text(encoding="utf-8")
    section = page.split("### New objects")[1].split("\n### ")[0]
    rows = [line.split(" | ") for line in section.splitlines()[7:]]
    rules = {name: row for row in rows if len(row) == 4 for name in row[0].strip("| ").split(", ")}
    rooms = (couplings, couplings.cluster)
    public = {name: getattr(room, name) for room in rooms for name in room.__all__}
    kinds = {name: one for name, one in public.items() if isinstance(one, type)}
    assert set(rules) == {name for name, one in kinds.items() if issubclass(one, Clustering)}
    for name, (_, rule, repeats, weights) in rules.items():
        signature = inspect.signature(public[name].fit).parameters
        assert ("sample_weight" in signature) == (not weights.strip("| ").startswith("no"))
        assert hasattr(public[name](), "predict") == (not rule.startswith("none"))
        known = name in (*CATEGORICAL, *MIXTURES, "KMeans") and name not in ("Ward", "Rock")
        assert known or repeats != "yes"
    for one in (couplings.cluster.SpectralCAT(), couplings.CoupledMixed()):
        with pytest.raises(AttributeError, match="has no predict: it"):
            one.predict  # noqa: B018


@pytest.mark.parametrize("name", ["KModes", "CategoricalSpectral", "Ward", "DensityPeaks"])
def test_the_measure_says_what_unseen_and_missing_values_do(name):
    rows = FRAME.iloc[[2, 1, 2]]
    new = rows.copy()
    new.iloc[0, 0], new.iloc[1, 1] = "violet", None
    strict = make(name, measure=couplings.SimpleMatching(unknown="raise")).fit(FRAME)
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
        make(name, unknown="raise").fit(FRAME).predict(new)
    with pytest.warns(couplings.UnknownValueWarning, match="violet' .and 4 more"):
        warned = make(name).fit(FRAME).predict(new)
    model = make(name, unknown="mismatch").fit(FRAME)
    assert np.array_equal(model.predict(new), warned)
    assert model.predict(new)[1] == make(name).fit(FRAME).predict(FRAME.iloc[1:2])[0]
    holes = FRAME.copy()
    holes.iloc[0, 0] = None
    with pytest.raises(MissingValuesError):
        make(name).fit(holes)
    assert len(make(name, missing="value").fit(holes).predict(holes)) == 90


@pytest.mark.parametrize(
    ("name", "settings", "words"),
    [
        *(
            (name, {"measure": couplings.Caso()}, r"as_distance\(\)")
            for name in ("KModes", "Ward", "DensityPeaks", "CategoricalSpectral")
        ),
        ("CategoricalSpectral", {"affinity": "identity"}, "needs a similarity"),
        ("KModes", {"measure": "lin"}, "compares whole objects"),
    ],
)
def test_a_measure_of_another_kind_is_refused(name, settings, words):
    with pytest.raises(MeasureError, match=words):
        make(name, **settings).fit(FRAME)


def test_a_similarity_is_an_affinity():
    model = make("CategoricalSpectral", measure="caso", affinity="identity").fit(FRAME)
    assert np.array_equal(model.predict(FRAME), model.labels_)


@pytest.mark.parametrize("variant", ["njw", "sym", "rw"])
@pytest.mark.parametrize("affinity", ["one-minus", "exp-mean", "gauss-mean", "inverse"])
def test_the_embedding_extends_to_its_own_objects(affinity, variant):
    model = make("CategoricalSpectral", affinity=affinity, variant=variant).fit(FRAME)
    assert np.array_equal(model.predict(FRAME), model.labels_)


def test_parameters_of_a_nested_measure():
    model = make("KModes").set_params(measure=couplings.DilcaM(), measure__sigma=0.2)
    assert model.measure.sigma == 0.2
    with pytest.raises(CouplingsError, match="'dilca' has no parameters to set"):
        make("KModes", measure="dilca").set_params(measure__sigma=0.2)


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


def test_distances_that_may_be_overwritten_give_the_same_clusters():
    distances = np.random.default_rng(5).random(45)
    before = distances.copy()
    kept, used = (couplings.Ward(3, measure="precomputed", copy=copy) for copy in (True, False))
    kept.fit(distances)
    np.testing.assert_array_equal(distances, before)
    np.testing.assert_array_equal(used.fit_predict(distances), kept.labels_)
    assert used.margin_ == kept.margin_
    assert (distances != before).any()


WEIGHTLESS = "check_sample_weight_equivalence_on_dense_data"
"""The draws of a start depend on the order of the rows, which this check changes."""
LABELS = ("check_dtype_object", "check_transformer_data_not_an_array")
"""Objects that are floats are no labels."""

# One of each class; another entry of the registry is another parameter.
NAMES = list({entry.class_name: name for name, entry in REGISTRY.items()}.values())
# It takes categories together with numbers, which no check of scikit-learn has.
NAMES.remove("coupled_mixed")
CLUSTERINGS = [make(name, 2) for name in CATEGORICAL if name != "DensityPeaks"]
MIXED_DATA = "all columns are numeric; a mixed table needs both kinds"
CHECKED = [
    *((measure_from(name), (), "") for name in NAMES),
    *((one, (WEIGHTLESS,) * isinstance(one, couplings.LatentClasses), "") for one in CLUSTERINGS),
    # one of the checks compiles all kernels of k-means for arrays that cannot be written
    pytest.param(couplings.KMeans(2, random_state=0), (WEIGHTLESS,), "", marks=pytest.mark.slow),
    (couplings.MixedDistance(), ("check_estimators_pickle",), "no attribute present in both"),
    (couplings.MixedDistance(missing="raise"), (), ""),
    (couplings.Ward(), (), ""),
    (couplings.DensityPeaks(), (), ""),
    (couplings.DensityPeaks(2, percent=60.0, measure="ahmad_dey"), (), ""),
    # an array has one type for all columns
    *((make(name, 2), None, MIXED_DATA) for name in (*MIXTURES, "SpectralCAT")),
]
"""Estimators, the checks of scikit-learn that they may fail, and the words of all their errors."""


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("estimator", "allowed", "words"), CHECKED)
def test_scikit_learns_checks_fail_where_it_is_meant_alone(estimator, allowed, words):
    results = estimator_checks.check_estimator(estimator, on_fail=None, on_skip=None)
    assert len(results) > 35
    failed = [one for one in results if one["status"] == "failed"]
    if allowed is not None:
        assert {one["check_name"] for one in failed} <= {*allowed}
    for one in failed:
        error = one["exception"]
        assert re.search(words, f"{error} {error.__cause__} {error.__context__}"), one


CHECKS_PAGE = (ROOT / "docs/api.md").read_text(encoding="utf-8")


def public_estimators():
    rooms = (couplings, couplings.cluster, couplings.measures, large)
    found = [getattr(room, name) for room in rooms for name in dir(room)]
    kinds = {one for one in found if inspect.isclass(one) and hasattr(one, "fit")}
    needed = {"algorithm": "kmodes", "measure": "simple_matching"}
    return [kind(**needed if kind is large.SampleAndAssign else {}) for kind in kinds]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_the_page_lists_all_estimators_that_fail_a_check_and_counts_the_others():
    pytest.importorskip("kmedoids")
    failing, few = set(), set()
    estimators = public_estimators()
    for estimator in estimators:
        results = estimator_checks.check_estimator(estimator, on_fail=None, on_skip=None)
        if any(one["status"] == "failed" for one in results):
            failing.add(type(estimator).__name__)
        elif len(results) < 35:
            few.add(type(estimator).__name__)
    first = CHECKS_PAGE.split("## scikit-learn's checks")[1].split("### Weights")[0]
    listed = re.findall(r"^\| (\w+(?:, \w+)*) \|", first, re.M)[1:]
    assert {name for names in listed for name in names.split(", ")} == failing
    assert set(re.findall(r"\w+", first[first.index("Five of") :])) >= few
    assert f"in {len(estimators) - len(failing)} of {len(estimators)} public estimators" in first


def test_a_grid_search_tunes_a_measure_and_unseen_values_do_not_stop_it():
    frame = FRAME.assign(wing=["rare", *FRAME["wing"][1:]])
    pipeline = make_pipeline(couplings.DilcaM(unknown="typical"), KNeighborsClassifier(3))
    search = GridSearchCV(pipeline, {"dilcam__sigma": [0.0, 0.5, 1.0]}, cv=3).fit(frame, GROUP)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert search.best_score_ > 0.6
    strict = make_pipeline(couplings.DilcaM(unknown="raise"), KNeighborsClassifier(3))
    with pytest.warns(UserWarning):  # of the fold whose fit has not seen the value
        assert np.isnan(cross_val_score(strict, frame, GROUP, cv=3)).any()


@pytest.mark.parametrize("name", ["dilca_rr", "one_hot", "cde", "inverse_document_frequency"])
def test_columns_have_names_in_a_column_transformer(name):
    frame = FRAME.assign(weight=np.arange(90.0))
    parts = [("labels", measure_from(name), list(FRAME))]
    made = ColumnTransformer(parts, remainder="passthrough").set_output(transform="pandas")
    out = made.fit_transform(frame, GROUP)
    assert out.columns[0].startswith("labels__")
    assert list(out.columns) == list(made.get_feature_names_out())
    assert list(out.index) == list(frame.index)
    model = make_pipeline(made, LogisticRegression(max_iter=2000)).fit(frame, GROUP)
    assert model.score(frame, GROUP) > 0.6


def test_polars_frames_come_out_where_they_are_asked_for():
    pl = pytest.importorskip("polars")
    found = couplings.OneHot().set_output(transform="polars").fit_transform(FRAME)
    assert isinstance(found, pl.DataFrame)
    assert found.columns[0] == "wing_blue"


def test_every_public_estimator_has_tags():
    estimators = public_estimators()
    assert len(estimators) > 40
    for estimator in estimators:
        assert get_tags(estimator).target_tags.required is False


TABLES = "\n".join(
    (ROOT / name).read_text(encoding="utf-8")
    for name in ("docs/distances-elsewhere.md", "benchmarks/LEARNED_DISTANCES.md")
)


@pytest.fixture(scope="module")
def program():
    return module(ROOT / "benchmarks/learned_distances.py")


def rows_of(part):
    text = re.search(rf"<!-- {part} -->\n(.*?)\n<!-- end -->", TABLES, re.S)[1]
    lines = [[cell.strip() for cell in line[1:-1].split("|")] for line in text.splitlines()]
    return [dict(zip(lines[0], line, strict=True)) for line in lines[2:]]


def test_the_table_of_exact_measures_is_complete_and_true(program):
    rows = {row["measure"].strip("`"): row for row in rows_of("embedding")}
    expected = [n for n in couplings.measure_names() if n != "coupled_mixed"]
    assert list(rows) == [n for n in expected if hasattr(measure_from(n), "transform")]
    table = couplings.CategoricalTable.from_any(program.read("zoo", 2000)[0])
    for name, row in rows.items():
        exact, of = map(int, row["exact on"].split(" of "))
        assert (exact == of) == (row["largest share cut off"] == "0")
        if exact == of:
            assert program.made(name).fit(table).embedding_defect_ == 0
    again = program.embedding(["zoo"], ["dilca_rr", "cado"])
    assert again["exact on"].tolist()[0] == "1 of 1"


def test_the_estimators_of_the_page_run(program):
    pytest.importorskip("sklearn", "1.8", reason="the page takes MDS(metric, init) of 1.8")
    table = program.foreign(names=("zoo",), measures=("dilca_rr",), most=60)
    assert len(table) >= 15
    assert np.isfinite(table["dilca_rr"]).all()
    assert set(table["estimator"]) <= {row["estimator"] for row in rows_of("foreign")}
    of = table.set_index("estimator")["dilca_rr"]
    assert of["KNeighborsClassifier"] > 0.7
    assert of["TSNE"] > 0.8


def test_intervals_cover_the_distances_of_the_exact_counts(program):
    for row in rows_of("coverage"):
        shares = [float(cell.rstrip("%")) for name, cell in row.items() if name != "measure"]
        assert len(shares) == 3
        assert all(92 <= share <= 98 for share in shares), row
    (row,) = program.coverage(2, 50, (500,), ("ahmad_dey",)).to_dict("records")
    assert float(row["500 objects"].rstrip("%")) > 85


def test_hidden_cells_are_filled_in_and_counted_honestly(program):
    rows = rows_of("imputation")
    *sets, last = rows
    for measure in program.IMPUTERS:
        beaten = sum(float(row[measure]) > float(row["mode"]) for row in sets)
        said, of = map(int, last[measure].split(" of "))
        assert of == len(sets)
        assert abs(said - beaten) <= 2  # equal to two digits
    table = program.imputation(["zoo"], ("dilca_rr",))
    assert table["dilca_rr"].iloc[0] > table["mode"].iloc[0] + 0.05


def test_tables_are_put_between_their_marks(program, tmp_path, monkeypatch):
    page = tmp_path / "page.md"
    page.write_text("a\n<!-- embedding -->\nold\n<!-- end -->\nb\n", encoding="utf-8")
    monkeypatch.setattr(program, "PAGE", page)
    monkeypatch.setattr(program, "OTHERS", page)
    program.write("embedding", "new")
    assert page.read_text("utf-8") == "a\n<!-- embedding -->\nnew\n<!-- end -->\nb\n"
