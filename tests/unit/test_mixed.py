"""Mixed tables, and Gower's distance with learned distances of values."""

import numpy as np
import pandas as pd
import pytest
from kit import refused, refused_calls

import couplings
from couplings import (
    AhmadDey,
    Caso,
    CategoricalTable,
    CouplingsError,
    DilcaM,
    Lin,
    MeasureError,
    MissingValuesError,
    MixedDistance,
    MixedTable,
    TableError,
    UnknownValueWarning,
)
from couplings.mixed import MixedSpace, as_mixed, scaled

RNG = np.random.default_rng(0)
WHOLE = MixedTable(
    CategoricalTable.from_codes(RNG.integers(0, 3, (30, 2))),
    RNG.normal(size=(30, 3)) * [1, 10, 100],
    ("x", "y", "z"),
)
test_parts_have_to_fit = refused(
    TableError,
    lambda numeric, names: MixedTable(WHOLE.categorical, numeric, names),
    [
        (WHOLE.numeric[1:], WHOLE.names, r"30 rows of codes .* shape \(29, 3\)"),
        (WHOLE.numeric, ("x", "y"), "2 names, but numbers"),
        (WHOLE.numeric, ("x", "y", "a1"), "'a1' occurs twice"),
        (WHOLE.numeric.astype(int), WHOLE.names, "float64"),
        (WHOLE.numeric[:, :0], (), "needs numeric attributes"),
        (np.where(WHOLE.numeric < 0, np.inf, WHOLE.numeric), WHOLE.names, "'x' has infinite"),
    ],
)


def test_missing_numbers_are_counted():
    numeric = WHOLE.numeric.copy()
    numeric[3:5, 1] = np.nan
    with pytest.raises(MissingValuesError, match=r"'y' \(2\)"):
        as_mixed(MixedTable(WHOLE.categorical, numeric, WHOLE.names))


def test_from_pandas_splits_by_kind():
    df = pd.DataFrame(
        {"n": [1, 2, 3], "c": ["u", "v", "u"], "b": [True, False, True], "f": [0.5, 1.5, 2.5]}
    )
    whole = MixedTable.from_pandas(df)
    assert whole.attributes == ("c", "b", "n", "f")
    assert whole.numeric.tolist() == [[1, 0.5], [2, 1.5], [3, 2.5]]
    assert whole.take(np.array([2, 0])).numeric[:, 0].tolist() == [3, 1]
    assert repr(whole) == "MixedTable(3 objects, 2 categorical and 2 numeric attributes)"
    with pytest.raises(MissingValuesError, match="'f'"):
        as_mixed(df.assign(f=[None, 1.0, 2.0]))


def test_scales():
    numeric = np.column_stack([[1.0, 2, 4], [7.0, 7, 7]])
    assert np.allclose(scaled(numeric, "minmax"), [[0, 0], [1 / 3, 0], [1, 0]])
    z = scaled(numeric, "z")
    assert np.isclose(z[:, 0].std(ddof=1), 1)
    assert (z[:, 1] == 0).all()
    assert np.allclose(scaled(numeric, "symmetric"), [[-1, 0], [-1 / 3, 0], [1, 0]])
    assert np.array_equal(scaled(numeric, "raw"), numeric)
    with pytest.raises(CouplingsError, match="scale='log'"):
        scaled(numeric, "log")


@pytest.mark.parametrize("gamma", ["raw", "scaled"])
def test_weighted_metric_is_its_formula(gamma):
    y = scaled(WHOLE.numeric, "minmax")
    weight = 0.5 * (WHOLE.numeric if gamma == "raw" else y).std(axis=0, ddof=1).mean()
    distances = MixedSpace.weighted(WHOLE, gamma).pairwise(WHOLE)
    for u in range(30):
        for v in range(30):
            mismatches = (WHOLE.categorical.codes[u] != WHOLE.categorical.codes[v]).sum()
            expected = np.sqrt(((y[u] - y[v]) ** 2).sum()) + weight * mismatches
            assert np.isclose(distances[u, v], expected, rtol=1e-12, atol=1e-12)


def frame_of(seed=0, n=60, missing=0.0):
    rng = np.random.default_rng(seed)
    kind = rng.integers(0, 3, n)
    frame = pd.DataFrame(
        {
            "age": rng.normal(40, 10, n).round(1),
            "work": np.array(list("pqr"))[np.where(rng.random(n) < 0.8, kind, 0)],
            "pay": rng.integers(1, 99, n),
            "home": np.array(list("uvwx"))[np.where(rng.random(n) < 0.7, kind, 3)],
            "sex": np.array(["f", "m"])[rng.integers(0, 2, n)],
        }
    )
    return frame.mask(rng.random(frame.shape) < missing) if missing else frame


FRAME, HOLES = frame_of(), frame_of(missing=0.2)


def other_libraries(frame):
    polars = pytest.importorskip("polars").from_pandas(frame)
    arrow = polars.to_arrow()
    return polars, polars.lazy(), arrow, frame.to_numpy(dtype=object)


@pytest.mark.parametrize(
    "name",
    ["KPrototypes", "AhmadDeyKMeans", "MultinomialGaussianMixture", "SpectralCAT", "CoupledMixed"],
)
def test_all_of_mixed_data_read_the_tables_of_other_libraries(name):
    frame = frame_of(n=40)
    kind = getattr(couplings, name)

    def fitted(data):
        if name == "CoupledMixed":
            return kind().fit_transform(data)
        return kind(2, random_state=0).fit(data).labels_

    want = fitted(frame)
    for data in other_libraries(frame):
        np.testing.assert_array_equal(fitted(data), want)


def gower(frame, weights, ignore=True):
    """Gower's definition, cell by cell."""
    n = len(frame)
    cells = {name: frame[name].tolist() for name in frame}
    spans = {name: frame[name].max() - frame[name].min() for name in ("age", "pay")}
    result = np.zeros((n, n))
    for u in range(n):
        for v in range(n):
            total = whole = 0.0
            for name, w in zip(frame, weights, strict=True):
                x, y = cells[name][u], cells[name][v]
                if pd.isna(x) or pd.isna(y):
                    if ignore:
                        continue
                    gap = 0.0 if pd.isna(x) and pd.isna(y) else 1.0
                elif name in spans:
                    gap = abs(x - y) / spans[name]
                else:
                    gap = float(x != y)
                total, whole = total + w * gap, whole + w
            result[u, v] = total / whole if whole else np.nan
    return result


@pytest.mark.parametrize(
    "frame",
    [frame_of(), frame_of(missing=0.05), frame_of().assign(home="u")],
    ids=["whole", "missing cells", "constant column"],
)
def test_with_simple_matching_it_is_gowers_distance(frame):
    ours = MixedDistance("simple_matching").fit(frame).pairwise(frame)
    np.testing.assert_allclose(ours, gower(frame, np.ones(5)), atol=1e-12)
    weights = {"age": 2.0, "sex": 0.0, "home": 0.5}
    ours = MixedDistance("simple_matching", weights).fit(frame).pairwise(frame)
    np.testing.assert_allclose(ours, gower(frame, [2, 1, 1, 0.5, 0]), atol=1e-12)
    ours = MixedDistance("simple_matching", [2, 1, 1, 0.5, 0]).fit(frame).pairwise(frame)
    np.testing.assert_allclose(ours, gower(frame, [2, 1, 1, 0.5, 0]), atol=1e-12)


def test_the_gower_package_gives_the_same():
    peer = pytest.importorskip("gower")
    frame = frame_of(3)
    # its own test of column types fails with the text type of pandas 3
    theirs = peer.gower_matrix(
        frame, cat_features=[dtype.kind not in "if" for dtype in frame.dtypes]
    )
    ours = MixedDistance("simple_matching").fit(frame).pairwise(frame)
    np.testing.assert_allclose(ours, theirs, atol=1e-6)


def test_learned_distances_take_the_slot_of_the_mismatch():
    labels = FRAME[["work", "home", "sex"]]
    codes = CategoricalTable.from_pandas(labels).codes.T

    def summed(measure):
        blocks = [measure.fit(labels).value_matrices_.block(j) for j in range(3)]
        return sum(
            block[np.ix_(column, column)] / block.max()
            for block, column in zip(blocks, codes, strict=True)
        )

    ours = MixedDistance("ahmad_dey").fit(FRAME)
    numbers = MixedDistance().fit(FRAME[["age", "pay"]]).pairwise(FRAME[["age", "pay"]])
    want = (summed(AhmadDey()) + 2 * numbers) / 5
    np.testing.assert_allclose(ours.pairwise(FRAME), want, atol=1e-12)
    assert [block.max() for block in ours._blocks] == [1.0, 1.0, 1.0]
    assert ours.pairwise(FRAME).max() <= 1
    dilca = MixedDistance(DilcaM(0.2)).fit(labels)
    np.testing.assert_allclose(dilca.pairwise(labels), summed(DilcaM(0.2)) / 3, atol=1e-12)


def test_new_objects_are_measured_by_the_fit():
    distance = MixedDistance().fit(FRAME)
    whole = distance.pairwise(FRAME)
    np.testing.assert_array_equal(distance.pairwise(FRAME[3:4], FRAME), whole[3:4])
    turned = FRAME[list(FRAME)[::-1]]
    np.testing.assert_array_equal(distance.pairwise(turned), whole)
    for objects, among in ((FRAME, None), (None, FRAME)):
        (own,) = distance.kneighbors(objects, 1, among=among, return_distance=False).T
        np.testing.assert_array_equal(own, whole.argmin(axis=1))
    indices = distance.kneighbors(n_neighbors=3, return_distance=False)
    np.fill_diagonal(whole, np.inf)
    np.testing.assert_array_equal(indices, np.argsort(whole, axis=1, kind="stable")[:, :3])


def test_unseen_categories_follow_their_rule():
    new = FRAME[:1].assign(work="NEW")
    far = MixedDistance("simple_matching", unknown="mismatch").fit(FRAME)
    same = FRAME[:1]
    assert far.pairwise(new, same)[0, 0] == pytest.approx(1 / 5)


def test_every_kind_of_table_is_taken():
    whole = MixedDistance().fit(FRAME).pairwise(FRAME)
    table = MixedTable.from_pandas(FRAME)
    np.testing.assert_allclose(MixedDistance().fit(table).pairwise(table), whole, atol=1e-12)
    labels = CategoricalTable.from_pandas(FRAME[["work", "home"]])
    assert MixedDistance().fit(labels).numeric_features_ == ()
    rows = FRAME.to_numpy(dtype=object)
    np.testing.assert_allclose(MixedDistance().fit(rows).pairwise(rows), whole, atol=1e-12)
    for data in other_libraries(FRAME):
        np.testing.assert_allclose(MixedDistance().fit(data).pairwise(data), whole, atol=1e-12)


@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_commensurable_attributes_have_mean_difference_one(missing):
    frame = frame_of(missing=missing).assign(rank=lambda f: pd.Categorical(f["sex"], ordered=True))
    frame["flat"] = 7.0
    for name in frame:
        if name == "flat":
            continue
        weights = {other: float(other == name) for other in frame}
        distance = MixedDistance("ahmad_dey", weights, scale="commensurable", missing="nan")
        found = distance.fit(frame).pairwise(frame)
        assert np.nanmean(found[np.triu_indices(len(frame), 1)]) == pytest.approx(1)


def podani(ranks):
    """Mean ranks with ties, their differences over the range."""
    middle = ranks.rank().to_numpy()
    gaps = np.abs(middle[:, None] - middle)
    return gaps / np.nanmax(gaps)


def test_ordered_categories_differ_by_their_mean_ranks():
    frame = frame_of(5, missing=0.1)
    sizes = pd.Series([*"SSSMMLLLXX"] * 6).where(frame["home"].notna())
    order = pd.CategoricalDtype([*"SMLX"], ordered=True)
    given = frame.assign(home=sizes.astype(order))
    by_name = MixedDistance("ahmad_dey", ordered={"home": [*"SMLX"]}, missing="nan")
    weights = {name: float(name == "home") for name in frame}
    want = podani(given["home"].cat.codes.where(given["home"].notna()))
    for data, model in (
        (given, MixedDistance("ahmad_dey", weights, missing="nan")),
        (frame.assign(home=sizes), by_name.set_params(weights=weights)),
    ):
        assert model.fit(data).ordered_features_ == ("home",)
        np.testing.assert_allclose(model.pairwise(data), want, atol=1e-12)
    # as numbers, some of them missing: the labels are "1", "2", ... and not "1.0"
    numbers = frame.assign(home=sizes.map({"S": 1, "M": 2, "L": 3, "X": 4}))
    found = by_name.set_params(ordered={"home": [1, 2, 3, 4]}).fit(numbers)
    np.testing.assert_allclose(found.pairwise(numbers), want, atol=1e-12)
    new = numbers[:1].assign(home=9)
    with pytest.warns(UnknownValueWarning, match="'home', row 0: .* not seen the value '9'"):
        found.pairwise(new)
    with pytest.raises(TableError, match="has no column 'hom'"):
        MixedDistance(ordered={"hom": [1]}).fit(numbers)


def test_objects_without_a_common_attribute_are_at_nan_if_asked_for():
    frame = frame_of()
    frame.loc[0] = np.nan
    frame.loc[1, ["age", "pay"]] = np.nan
    found = MixedDistance("simple_matching", missing="nan").fit(frame).pairwise(frame)
    np.testing.assert_allclose(found, gower(frame, np.ones(5)), atol=1e-12)
    assert np.isnan(found[0]).all()


FITTED, SIZED = MixedDistance().fit(FRAME), FRAME.assign(home=[1, 2, 3, 4] * 15)
STRICT = MixedDistance(unknown="raise").fit(FRAME)
EMPTY = FRAME[:2].reindex([-1, 1])


def fit(data, *given, **more):
    return lambda: MixedDistance(*given, **more).fit(data)


test_what_does_not_fit_is_refused = refused_calls(
    CouplingsError,
    [
        (fit(HOLES, missing="raise"), r"missing cells \(NaN\) in 'age'"),
        (fit(FRAME, Lin()), "not a sum over the attributes"),
        (fit(FRAME, Caso()), "MixedDistance needs distances"),
        (fit(FRAME[["age", "sex"]], "dilca"), "only one"),
        (fit(FRAME, "coupled_mixed"), "needs a measure of values"),
        (fit(FRAME, weights={"agee": 1}), "'agee' .did you mean 'age'"),
        (fit(FRAME, weights=[1]), "weights must be 5 finite numbers of at least 0, one per column"),
        (fit(FRAME[:1]), "1 sample"),
        (fit(FRAME.assign(age=np.inf)), "'age' has infinite"),
        (fit(FRAME.assign(age=np.nan)), "'age' has missing values only"),
        (fit(np.zeros(3)), "Reshape"),
        (fit(np.zeros((2, 2, 2))), "dim 3"),
        (lambda: MixedDistance().pairwise(FRAME), "call fit"),
        (lambda: FITTED.pairwise(FRAME.rename(columns={"age": "years"})), "not seen in fit: years"),
        (lambda: FITTED.pairwise(FRAME.drop(columns="age")), "X has 4 features"),
        (lambda: FITTED.pairwise(FRAME.assign(age="old")), "'age' held numbers in fit"),
        (lambda: FITTED.pairwise(EMPTY), "no attribute present in both"),
    ],
)
test_what_fit_has_not_seen_or_an_order_lacks_is_refused = refused_calls(
    MeasureError,
    [
        (
            lambda: STRICT.pairwise(FRAME[:1].assign(work="NEW"), FRAME),
            "'work', row 0: fit has not seen the value 'NEW'",
        ),
        (fit(SIZED, ordered={"home": [1, 2, 3]}), "lacks '4'"),
        (fit(SIZED, ordered={"home": [1, 2, 3, 4, 1]}), "repeats a value"),
    ],
)


def test_an_object_without_cells_has_no_neighbour():
    assert FITTED.kneighbors(EMPTY[:1], 1)[0].tolist() == [[np.inf]]
