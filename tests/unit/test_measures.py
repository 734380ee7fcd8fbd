"""Measures on worked examples, their names, and encodings."""

import math

import numpy as np
import pandas as pd
import pytest
from kit import refused
from scipy.sparse import eye_array
from scipy.spatial.distance import pdist

import couplings
from couplings import (
    AhmadDey,
    CategoricalTable,
    CouplingsError,
    DilcaM,
    DilcaRR,
    Goodall3,
    Lin,
    MeasureError,
    MissingValuesError,
    NotFittedError,
    OccurrenceFrequency,
    SimpleMatching,
    TableError,
    measure_from,
    measure_names,
)
from couplings.counts import cooccurrence, symmetric_uncertainty
from couplings.measures.encodings import InverseDocumentFrequency, OneHot, OneHotPCA
from couplings.measures.registry import REGISTRY, measure_entry


@pytest.mark.parametrize("measure", [DilcaM(0.0), DilcaM(1.0), DilcaRR(), DilcaRR("algorithm3")])
def test_dilca_on_person(measure):
    """TKDD 2012, figure 1."""
    cities = ["Turin", "Milan", "Turin", "Milan", "Florence"]
    sexes = ["Male", "Female", "Male", "Male", "Female"]
    person = pd.DataFrame({"Sex": sexes, "City": cities})
    measure.fit(person)
    florence, milan, turin = range(3)
    city = measure.value_matrices_.block(1)
    assert round(city[turin, milan], 4) == 0.4249
    assert round(city[milan, florence], 4) == 0.2357
    assert round(city[turin, florence], 4) == 0.5893
    assert measure.context_.tolist() == [[False, True], [True, False]]
    sex = measure.value_matrices_.block(0)[0, 1]
    assert sex == pytest.approx(math.sqrt((1 + 0 + 1) / 3))
    distances = measure.pairwise(person)
    assert distances[1, 2] == pytest.approx(math.hypot(sex, city[milan, turin]))


def test_ahmad_dey_on_the_information_table():
    """CASO, TNNLS 2015, table II: one minus the inter-coupled similarity .25 of B1 and B2."""
    rows = ["A1 B1 C1", "A2 B1 C1", "A2 B2 C2", "A3 B3 C2", "A4 B3 C3", "A4 B2 C3"]
    df = pd.DataFrame([row.split() for row in rows])
    b = AhmadDey().fit(df).value_matrices_.block(1)
    assert b[0, 1] == 0.75


def test_contexts_by_hand():
    """b copies a, c is noise that follows a a little, d is constant."""
    a = np.repeat([0, 1], 8)
    c = a ^ np.tile([0, 0, 0, 1], 4)
    table = CategoricalTable.from_codes(np.column_stack([a, a, c, 0 * a]))
    su = symmetric_uncertainty(cooccurrence(table))
    assert su[0, 1] == 1
    assert 0 < su[0, 2] == su[1, 2] < 1
    assert su[3].tolist() == [0, 0, 0, 1]
    # mean of (1, s, 0) is above s, so only the copy stays at sigma = 1.
    assert DilcaM(1.0).fit(table).context_[0].tolist() == [False, True, False, False]
    # The copy predicts c as well as the target does, and the constant attribute as badly.
    assert DilcaRR("strict").fit(table).context_[0].tolist() == [False, True, True, True]
    assert DilcaRR("algorithm3").fit(table).context_[0].tolist() == [False, True, False, False]


test_wrong_parameters = refused(
    CouplingsError,
    lambda measure: measure.fit(CategoricalTable.from_codes([[0, 0], [1, 1]])),
    [
        (DilcaM(1.5), "sigma=1.5 is not a number from 0 to 1"),
        (DilcaM(rounding="none"), "rounding='none'.*'clipped', 'weka'"),
        (DilcaRR("loose"), "DilcaRR: context='loose'.*'strict', 'algorithm3'"),
        (AhmadDey("max"), "AhmadDey: aggregation='max'"),
        (OccurrenceFrequency(link="rss"), "OccurrenceFrequency: link='rss'"),
        (OccurrenceFrequency(base=1), "base=1 is not a number above 1"),
    ],
)


@pytest.mark.parametrize("name", measure_names())
def test_every_name_makes_the_measure_that_its_constructor_says(name):
    made = measure_from(name)
    said = eval(REGISTRY[name].constructor, vars(couplings) | {made.__class__.__name__: type(made)})
    assert type(made) is type(said)
    assert made.get_params() == said.get_params()
    for alias in REGISTRY[name].aliases:
        assert repr(measure_from(alias)) == repr(made)


def test_no_two_measures_share_a_name():
    names = [name for key, entry in REGISTRY.items() for name in (key, *entry.aliases)]
    assert len(names) == len(set(names))


def test_parameters_go_to_the_class_and_an_instance_is_itself():
    measure = measure_from("dilca_m", sigma=0.2)
    assert measure.sigma == 0.2
    assert measure_from(measure) is measure
    assert measure_from("delta", aggregation="sum").aggregation == "sum"
    assert measure_entry("smd").class_name == "SimpleMatching"


test_what_is_no_measure_or_too_small_is_refused = refused(
    MeasureError,
    lambda wrong, given=(), call=measure_from: call(wrong, **dict(given)),
    [
        ("dilca_r", r"no measure is called 'dilca_r' \(did you mean 'dilca_rr'"),
        ("DilcaRR", "did you mean 'dilca_rr'"),
        ("zzz", "choose one of simple_matching"),
        (SimpleMatching, r"SimpleMatching is a class; pass an instance: SimpleMatching\(\)"),
        (3, "a measure is a name .* not int"),
        (DilcaM(), {"sigma": 0.1}, "already has its parameters"),
        (CategoricalTable.from_codes([[0, 0]]), {}, Goodall3().fit, "at least two objects"),
    ],
)


def test_value_links_convert_each_similarity_and_take_the_root_of_summed_squares():
    codes = np.array([[0, 0], [0, 1], [1, 1], [1, 1]])
    table = CategoricalTable.from_codes(codes)
    of = OccurrenceFrequency(link="value").fit(table)
    mismatch = 1 / (1 + 1 / (1 + np.log(2) ** 2))
    np.testing.assert_allclose(of.value_matrices_.block(0), [[0.5, mismatch], [mismatch, 0.5]])
    assert of.space_.pairwise(table)[0, 1] == pytest.approx(
        np.hypot(0.5, 1 / (1 + 1 / (1 + np.log(4) * np.log(4 / 3))))
    )
    goodall = Goodall3(link="value").fit(table).value_matrices_.block(0)
    np.testing.assert_allclose(goodall, [[1 / (2 - 2 / 12), 1], [1, 1 / (2 - 2 / 12)]])
    lin = Lin(link="value").fit(table).value_matrices_.block(1)
    np.testing.assert_allclose(lin, [[0.5, 1], [1, 0.5]])
    constant = CategoricalTable.from_codes([[0, 0], [1, 0]])
    assert Lin(link="value").fit(constant).value_matrices_.block(1).tolist() == [[0.5]]


ALL = [OneHot, OneHotPCA, InverseDocumentFrequency]

FRAME = pd.DataFrame({"make": ["vw", "vw", "bmw", "kia"], "fuel": ["gas", "oil", "oil", "oil"]})


def random_table(seed, n=40, sizes=(2, 3, 5, 1)):
    rng = np.random.default_rng(seed)
    codes = np.column_stack([rng.integers(0, v, n) for v in sizes])
    return CategoricalTable.from_codes(codes, sizes)


def test_one_hot_worked_example():
    # Columns bmw, kia, vw, gas, oil.
    expected = [[0, 0, 1, 1, 0], [0, 0, 1, 0, 1], [1, 0, 0, 0, 1], [0, 1, 0, 0, 1]]
    assert OneHot().fit_transform(FRAME).tolist() == expected


def test_idf_worked_example():
    expected = [
        [math.log(2), math.log(4)],
        [math.log(2), math.log(4 / 3)],
        [math.log(4), math.log(4 / 3)],
        [math.log(4), math.log(4 / 3)],
    ]
    np.testing.assert_allclose(
        InverseDocumentFrequency().fit_transform(FRAME), expected, rtol=0, atol=1e-15
    )


@pytest.mark.twin_of("OneHotPCA")
@pytest.mark.parametrize("seed", range(4))
def test_principal_components_are_those_of_the_rows(seed):
    table = random_table(seed)
    one_hot = OneHot().fit_transform(table)
    ours = OneHotPCA().fit_transform(table)
    centred = one_hot - one_hot.mean(axis=0)
    _, sizes, axes = np.linalg.svd(centred)
    rank = (sizes > 1e-10).sum()
    assert ours.shape[1] == rank
    scores = centred @ axes[:rank].T
    # Up to the signs.
    np.testing.assert_allclose(np.abs(ours), np.abs(scores), rtol=0, atol=1e-10)
    np.testing.assert_allclose(ours.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(pdist(ours), pdist(one_hot), rtol=0, atol=1e-12)


@pytest.mark.parametrize("encoding", ALL)
def test_values_that_never_occur(encoding):
    table = CategoricalTable.from_codes([[0, 0], [0, 1], [2, 1]], [3, 2])
    fitted = encoding(unknown="raise").fit(table)
    assert fitted.space_.link == "rss"
    assert np.isnan(fitted.value_coordinates_[1]).all()
    assert np.isfinite(fitted.transform(table)).all()
    assert (fitted.value_matrices_.block(0)[1] == 0).all()
    observed = encoding().fit_transform(table.observed())
    np.testing.assert_allclose(pdist(fitted.transform(table)), pdist(observed), atol=1e-12)
    with pytest.raises(MeasureError, match="'a0', row 0: fit has not seen the value '1'"):
        fitted.transform(CategoricalTable.from_codes([[1, 0], [0, 0]], [3, 2]))


ENCODED = OneHot().fit(FRAME)
test_bad_objects = refused(
    (NotFittedError, MeasureError, MissingValuesError, TableError),
    lambda encoding, objects: encoding.transform(objects),
    [
        (OneHot(), FRAME, "call fit"),
        (ENCODED, FRAME[["make"]], "X has 1 features, but OneHot is expecting 2 features"),
        (ENCODED, pd.DataFrame({"make": ["vw"], "fuel": [None]}), "'fuel'"),
        (ENCODED, FRAME[:0], "no rows"),
        (ENCODED, eye_array(2, format="csr"), r"[Ss]parse"),
    ],
)
