"""Weights of rows: 0 is absent, equal ones are none, whole ones are repeats."""

import warnings
from contextlib import contextmanager

import numpy as np
import pandas as pd
import pytest

import couplings
import couplings.cluster
from couplings import CouplingsError, MeasureError, UnknownValueWarning, measure_from
from couplings.measures.registry import REGISTRY

RNG = np.random.default_rng(58)
FRAME = pd.DataFrame(RNG.choice(list("abc"), (40, 4)), columns=list("pqrs"))
FRAME.iloc[0, 0] = "alone"
MIXED = FRAME.assign(n=RNG.normal(size=40), m=RNG.normal(size=40))
NUMBERS = MIXED[["n", "m"]]
WEIGHTS = RNG.integers(0, 3, 40)
WEIGHTS[0] = 0
KEPT = WEIGHTS > 0

CLUSTERINGS = {
    "KModes": (FRAME, {}),
    "KModes by chance": (FRAME, {"init": "random"}),
    "KModes by Cao": (FRAME, {"init": "cao"}),
    "KModes one by one": (FRAME, {"update": "online"}),
    "LatentClasses": (FRAME, {}),
    "KPrototypes": (MIXED, {}),
    "AhmadDeyKMeans": (MIXED, {}),
    "MultinomialGaussianMixture": (MIXED, {}),
    "KMeans": (NUMBERS, {}),
}
NAMES = [name for name in REGISTRY if name != "coupled_mixed"]


@contextmanager
def no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error", UnknownValueWarning)
        yield


def clustering(name, **more):
    data, given = CLUSTERINGS[name]
    room = couplings.cluster if name == "AhmadDeyKMeans" else couplings
    return data, getattr(room, name.split()[0])(3, random_state=0, **given, **more)


def results(model):
    """Numbers that a fit has found, by name."""
    found = {name: one for name, one in vars(model).items() if name.endswith("_")}
    return {
        name: np.asarray(one)
        for name, one in found.items()
        if isinstance(one, float | int | np.ndarray) and np.asarray(one).dtype.kind in "fiub"
    }


@pytest.mark.parametrize("name", CLUSTERINGS)
@pytest.mark.parametrize("unit", [1, 0.25])
def test_rows_of_weight_0_change_nothing_in_a_clustering_and_get_labels(name, unit):
    data, model = clustering(name)
    _, other = clustering(name)
    with no_warnings():
        model.fit(data, sample_weight=unit * WEIGHTS)
        rows = ~KEPT if name == "KModes one by one" else slice(None)
        assert np.array_equal(model.predict(data[rows]), model.labels_[rows])
    other.fit(data[KEPT], sample_weight=unit * WEIGHTS[KEPT])
    ours, theirs = results(model), results(other)
    assert ours.keys() == theirs.keys()
    for key, one in theirs.items():
        per_row = one.shape[:1] == (KEPT.sum(),)
        mine = ours[key][KEPT] if per_row else ours[key]
        np.testing.assert_allclose(mine, one, rtol=1e-12, atol=1e-12, err_msg=key)
    assert model.labels_.shape == (40,)


@pytest.mark.parametrize("name", NAMES)
def test_rows_of_weight_0_change_nothing_in_a_measure(name):
    seed = {"random_state": 0} if name == "cde" else {}
    measure = measure_from(name, **seed).fit(FRAME, sample_weight=WEIGHTS)
    other = measure_from(name, **seed).fit(FRAME[KEPT], sample_weight=WEIGHTS[KEPT])
    assert measure.categories_ == other.categories_
    np.testing.assert_array_equal(measure.value_matrices_.data, other.value_matrices_.data)
    if measure.kind == "dissimilarity":
        with no_warnings():
            found = measure.pairwise(FRAME)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UnknownValueWarning)
            np.testing.assert_array_equal(found, other.pairwise(FRAME))
        distances, nearest = measure.kneighbors(FRAME, 2)
        assert KEPT[nearest].all()
        rows = np.arange(40)[:, None]
        np.testing.assert_allclose(found[rows, nearest], distances, atol=1e-12)
        assert np.array_equal(measure.kneighbors(FRAME, 2, return_distance=False), nearest)


def test_values_of_rows_of_weight_0_are_known_and_others_are_not():
    strict = couplings.SimpleMatching(unknown="raise").fit(FRAME, sample_weight=WEIGHTS)
    assert strict.pairwise(FRAME[:1], FRAME[1:2])[0, 0] >= 1
    assert strict.transform(FRAME[:1]).shape == (1, 8)
    with pytest.raises(MeasureError, match="'p', row 0: fit has not seen the value 'new'"):
        strict.pairwise(FRAME[:1].assign(p="new"))


@pytest.mark.parametrize("name", CLUSTERINGS)
@pytest.mark.parametrize("weight", [3, 0.1])
def test_equal_weights_change_no_start(name, weight):
    # with the pseudo-counts of the mixtures, and where n - 1 counts, a weight is a repeat
    if name in ("LatentClasses", "MultinomialGaussianMixture"):
        pytest.skip("the pseudo-count is a share of the weights")
    data, model = clustering(name)
    plain = model.fit(data).labels_
    weighted = model.fit(data, sample_weight=np.full(40, weight)).labels_
    assert np.array_equal(plain, weighted)


@pytest.mark.parametrize("name", CLUSTERINGS)
def test_fewer_rows_with_a_weight_than_clusters_are_refused_in_one_way(name):
    data, model = clustering(name)
    weights = np.zeros(40)
    weights[:2] = 1
    with pytest.raises(CouplingsError, match="=3 is not an integer from 1 to 2 objects"):
        model.fit(data, sample_weight=weights)


def test_the_default_start_of_k_modes_depends_on_no_order_of_the_rows():
    mixed = np.random.default_rng(0).permutation(40)
    one = couplings.KModes(3, random_state=0).fit(FRAME)
    other = couplings.KModes(3, random_state=0).fit(FRAME.iloc[mixed])
    assert np.array_equal(one.labels_[mixed], other.labels_)
    repeated = couplings.KModes(3, random_state=0).fit(FRAME.loc[FRAME.index.repeat(WEIGHTS)])
    weighted = couplings.KModes(3, random_state=0).fit(FRAME, sample_weight=WEIGHTS)
    assert repeated.objective_ == weighted.objective_
    assert np.array_equal(repeated.labels_, weighted.labels_.repeat(WEIGHTS))


@pytest.mark.parametrize("kind", ["list", "array", "polars", "lazy", "arrow", "table", "mixed"])
def test_data_of_any_kind_lose_their_rows_of_weight_0(kind):
    data = FRAME
    if kind == "list":
        data = FRAME.to_numpy().tolist()
    elif kind == "array":
        data = FRAME.to_numpy()
    elif kind in ("polars", "lazy"):
        data = pytest.importorskip("polars").from_pandas(FRAME)
        data = data.lazy() if kind == "lazy" else data
    elif kind == "arrow":
        data = pytest.importorskip("pyarrow").Table.from_pandas(FRAME)
    elif kind == "table":
        data = couplings.CategoricalTable.from_pandas(FRAME)
    if kind == "mixed":
        table = couplings.MixedTable.from_pandas(MIXED)
        model = couplings.KPrototypes(3, random_state=0).fit(table, sample_weight=WEIGHTS)
        other = couplings.KPrototypes(3, random_state=0).fit(MIXED, sample_weight=WEIGHTS)
    else:
        model = couplings.KModes(3, random_state=0).fit(data, sample_weight=WEIGHTS)
        other = couplings.KModes(3, random_state=0).fit(FRAME, sample_weight=WEIGHTS)
    assert np.array_equal(model.labels_, other.labels_)


@pytest.mark.parametrize("name", ["MultinomialGaussianMixture", "AhmadDeyKMeans"])
def test_unseen_categories_next_to_numbers_have_a_rule(name):
    new = MIXED[1:3].assign(p=["violet", "a"])
    data, model = clustering(name, unknown="raise")
    with pytest.raises(MeasureError, match="'p', row 0: fit has not seen the value 'violet'"):
        model.fit(data).predict(new)
    data, model = clustering(name)
    with pytest.warns(UnknownValueWarning, match="'violet'; it counts as different"):
        found = model.fit(data).predict(new)
    data, easy = clustering(name, unknown="mismatch")
    assert np.array_equal(easy.fit(data).predict(new), found)
    with pytest.raises(CouplingsError, match="unknown='typical' is not known"):
        clustering(name, unknown="typical")[1].fit(data)


@pytest.mark.parametrize("weight", [1 / 12, 0.3, 3, 1e-3])
def test_k_modes_breaks_ties_alike_under_equal_weights(weight):
    rows = np.random.default_rng(7).choice(list("abc"), (12, 3))
    for seed in range(5):
        plain = couplings.KModes(2, random_state=seed).fit(rows)
        weighted = couplings.KModes(2, random_state=seed).fit(rows, sample_weight=[weight] * 12)
        assert np.array_equal(plain.labels_, weighted.labels_)
        assert weighted.objective_ == pytest.approx(weight * plain.objective_)
        np.testing.assert_allclose(weighted.epoch_costs_, weight * plain.epoch_costs_)
