"""What a measure does with the data of a user: names, unseen and missing values, neighbours."""

from dataclasses import replace

import numpy as np
import pytest
from kit import label_frame, measure_of

from couplings import (
    AhmadDey,
    Cado,
    Caso,
    CasoDistance,
    CategoricalTable,
    DilcaM,
    Goodall,
    Goodall3,
    Lin,
    MeasureError,
    MissingValuesError,
    OccurrenceFrequency,
    SimpleMatching,
    Smirnov,
    cooccurrence,
    measure_from,
    measure_names,
)
from couplings.measures.base import require_dissimilarity

DISTANCES = [name for name in measure_names() if name not in ("caso", "coupled_mixed")]
FRAME = label_frame()


@pytest.mark.parametrize("name", DISTANCES)
def test_columns_are_brought_into_the_order_of_the_fit(name):
    measure = measure_of(name).fit(FRAME)
    assert list(measure.feature_names_in_) == ["a", "b", "c"]
    assert measure.n_features_in_ == 3
    turned = FRAME[["c", "b", "a"]]
    np.testing.assert_array_equal(measure.pairwise(turned), measure.pairwise(FRAME))
    np.testing.assert_array_equal(
        measure.pairwise(CategoricalTable.from_pandas(turned)), measure.pairwise(FRAME)
    )
    with pytest.raises(MeasureError, match=r"not seen in fit: d; missing now: c"):
        measure.pairwise(FRAME.rename(columns={"c": "d"}))
    assert measure.pairwise(FRAME.to_numpy()).shape == (80, 80)


@pytest.mark.parametrize(
    "measure",
    [Lin(), Goodall3(), OccurrenceFrequency(), Goodall(2), Smirnov(), measure_from("anderberg")],
    ids=repr,
)
def test_the_form_of_the_paper_is_an_option(measure):
    table = CategoricalTable.from_pandas(FRAME)
    published = measure.set_params(self_distance="paper").fit(FRAME).pairwise(FRAME)
    np.testing.assert_array_equal(published, measure.space_.pairwise(table))
    own = published.diagonal()
    assert own.min() > 0 or isinstance(measure, Goodall)
    ours = measure.set_params(self_distance="zero").fit(FRAME).pairwise(FRAME)
    np.testing.assert_allclose(ours, published - (own[:, None] + own) / 2, atol=1e-12)
    condensed = measure._metric.condensed(table)
    np.testing.assert_allclose(condensed, ours[np.triu_indices(80, 1)], atol=1e-15)
    with pytest.raises(ValueError, match="self_distance='none'"):
        measure.set_params(self_distance="none").fit(FRAME)


def test_a_similarity_never_passes_as_a_distance():
    caso = Caso().fit(FRAME)
    assert caso.kind == "similarity"
    for use in (caso.pairwise, caso.kneighbors):
        with pytest.raises(MeasureError, match=r"Caso is a similarity.*Caso\(\.\.\.\).as_distance"):
            use(FRAME)
    with pytest.raises(AttributeError, match="as_distance"):
        caso.transform(FRAME)
    assert not hasattr(caso, "transform")
    with pytest.raises(MeasureError, match="Ward needs distances"):
        require_dissimilarity(caso, "Ward")
    require_dissimilarity(Cado(), "Ward")


def test_the_distance_of_a_similarity_is_its_formula():
    s = Caso().fit(FRAME).similarities(FRAME)
    distance = Caso().as_distance()
    assert isinstance(distance, CasoDistance)
    own = s.diagonal()
    np.testing.assert_allclose(
        distance.fit(FRAME).pairwise(FRAME), (own[:, None] + own) / 2 - s, atol=1e-12
    )
    turned = CasoDistance(self_distance="paper").fit(FRAME).pairwise(FRAME)
    np.testing.assert_allclose(turned + s, (turned + s)[0, 0])


@pytest.mark.parametrize("name", DISTANCES)
def test_unseen_values_are_refused_unless_there_is_a_rule(name):
    new = FRAME[:3].assign(b=["NEW", "NEW", "OTHER"])
    with pytest.raises(MeasureError, match=r"'b', row 0: fit has not seen the value 'NEW'"):
        measure_of(name, unknown="raise").fit(FRAME).pairwise(new)
    for rule in ("mismatch", "typical"):
        measure = measure_of(name, unknown=rule).fit(FRAME)
        distances = measure.pairwise(new, FRAME)
        assert np.isfinite(distances).all()
        assert (distances > 0).all() or name == "burnaby"
        among = measure.pairwise(new)
        assert (among.diagonal() == 0).all()
        np.testing.assert_array_equal(among, among.T)


@pytest.mark.parametrize("measure", [AhmadDey(), DilcaM(), Cado(), Goodall(1)], ids=repr)
def test_unseen_values_are_as_far_as_the_rule_says(measure):
    squares = measure.fit(FRAME)._metric.link == "rss"
    block = measure._metric.matrices.block(1)
    share = np.array([(FRAME["b"] == label).mean() for label in measure.categories_[1]])
    new = FRAME[:1].assign(b="NEW")
    base = FRAME[:1]
    for rule, want in (("mismatch", np.full(len(block), block.max())), ("typical", share @ block)):
        fitted = measure.set_params(unknown=rule).fit(FRAME)
        for code, label in enumerate(measure.categories_[1]):
            found = fitted.pairwise(new, base.assign(b=label))[0, 0]
            assert found ** (2 if squares else 1) == pytest.approx(want[code])


def test_a_declared_value_that_never_occurred_is_unseen():
    wide = CategoricalTable.from_pandas(FRAME, {"a": [*sorted(set(FRAME["a"])), "never"]})
    measure = DilcaM(unknown="raise").fit(wide)
    new = CategoricalTable.from_pandas(
        FRAME[:2].assign(a="never"), dict(zip(wide.attributes, wide.categories, strict=True))
    )
    with pytest.raises(MeasureError, match="'never'"):
        measure.pairwise(new)
    counts = cooccurrence(wide)
    for given in (counts, replace(counts, categories=None, attributes=None)):
        with pytest.raises(MeasureError, match="has not seen"):
            DilcaM(unknown="raise").fit(given).pairwise(new)
    with pytest.raises(MeasureError, match="fitted on counts without labels"):
        DilcaM().fit(given).pairwise(FRAME)
    np.testing.assert_array_equal(
        DilcaM().fit(counts).pairwise(FRAME), DilcaM().fit(wide).pairwise(FRAME)
    )


@pytest.mark.parametrize("name", DISTANCES)
def test_missing_cells_follow_their_rule(name):
    frame = label_frame()
    frame.loc[[0, 5, 9], "b"] = None
    with pytest.raises(MissingValuesError, match=r"missing cells in 'b' \(3\).*missing='value'"):
        measure_of(name).fit(frame)
    value = measure_of(name, missing="value").fit(frame)
    assert value.categories_[1][-1] == "?"
    marked = CategoricalTable.from_pandas(frame.fillna("?"), {"b": value.categories_[1]})
    np.testing.assert_array_equal(
        value.pairwise(frame), measure_of(name).fit(marked).pairwise(frame.fillna("?"))
    )
    apart = measure_of(name, missing="mismatch").fit(frame)
    distances = apart.pairwise(frame)
    assert np.isfinite(distances).all()
    assert (distances.diagonal() == 0).all()
    assert np.isfinite(apart.pairwise(frame.iloc[[0]], frame)).all()


def test_cells_missing_only_later_are_unseen_values():
    row = FRAME[:1].assign(a=None)
    with pytest.raises(MeasureError, match=r"'a', row 0: fit has not seen a missing cell"):
        AhmadDey(missing="value", unknown="raise").fit(FRAME).pairwise(row)
    AhmadDey(missing="value", unknown="typical").fit(FRAME).pairwise(row)
    with pytest.raises(MissingValuesError, match="'a'"):
        AhmadDey().fit(FRAME).pairwise(row)


@pytest.mark.parametrize("wrong", [{"missing": "drop"}, {"unknown": "ignore"}])
def test_unknown_rules_are_refused(wrong):
    with pytest.raises(ValueError, match="is not known; choose one of '"):
        SimpleMatching(**wrong).fit(FRAME)


def test_neighbours_with_missing_cells_are_found_in_the_fit_as_among_the_same_rows():
    frame = label_frame().mask(np.random.default_rng(1).random((80, 3)) < 0.1)
    for rule in ("value", "mismatch"):
        measure = SimpleMatching(missing=rule).fit(frame)
        for one, other in zip(
            measure.kneighbors(frame, 4), measure.kneighbors(frame, 4, among=frame), strict=True
        ):
            np.testing.assert_array_equal(one, other)
    counted = SimpleMatching().fit(cooccurrence(CategoricalTable.from_any(FRAME)))
    with pytest.raises(MeasureError, match="fitted on counts"):
        counted.kneighbors(FRAME, 1)


@pytest.mark.parametrize("name", DISTANCES)
def test_neighbours_are_the_smallest_distances(name, monkeypatch):
    monkeypatch.setattr("couplings.spaces._BLOCK", 500)
    frame = label_frame()
    measure = measure_of(name).fit(frame)
    distances, found = measure.kneighbors(frame[:30], 4, among=frame)
    whole = measure.pairwise(frame[:30], frame)
    order = np.argsort(whole, axis=1, kind="stable")[:, :4]
    np.testing.assert_array_equal(found, order)
    np.testing.assert_array_equal(distances, np.take_along_axis(whole, order, axis=1))
    with pytest.raises(MeasureError, match="n_neighbors=80 is more than the 79 other objects"):
        measure.kneighbors(n_neighbors=80)
    with pytest.raises(ValueError, match="n_neighbors=0 is not a positive integer"):
        measure.kneighbors(frame, 0)
    np.testing.assert_array_equal(measure.kneighbors(frame[:30], 4)[1], found)
    own = measure.pairwise(frame)
    np.fill_diagonal(own, np.inf)
    np.testing.assert_array_equal(
        measure.kneighbors(n_neighbors=3, return_distance=False),
        np.argsort(own, axis=1, kind="stable")[:, :3],
    )
