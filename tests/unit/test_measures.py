"""Worked examples, parameters and errors of the measures."""

import math

import numpy as np
import pandas as pd
import pytest

from couplings import (
    AhmadDey,
    CategoricalTable,
    CouplingsError,
    DilcaM,
    DilcaRR,
    Goodall3,
    Lin,
    MeasureError,
    OccurrenceFrequency,
    cooccurrence,
)
from couplings.information import symmetric_uncertainty


@pytest.fixture
def person():
    """DILCA, TKDD 2012, figure 1."""
    return pd.DataFrame(
        {
            "Sex": ["Male", "Female", "Male", "Male", "Female"],
            "City": ["Turin", "Milan", "Turin", "Milan", "Florence"],
        }
    )


@pytest.mark.parametrize("measure", [DilcaM(0.0), DilcaM(1.0), DilcaRR(), DilcaRR("algorithm3")])
def test_dilca_on_person(person, measure):
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


@pytest.mark.parametrize(
    ("measure", "message"),
    [
        (DilcaM(1.5), "sigma=1.5 is not a number from 0 to 1"),
        (DilcaM(rounding="none"), "rounding='none'.*'clipped', 'weka'"),
        (DilcaRR("loose"), "DilcaRR: context='loose'.*'strict', 'algorithm3'"),
        (AhmadDey("max"), "AhmadDey: aggregation='max'"),
        (OccurrenceFrequency(link="rss"), "OccurrenceFrequency: link='rss'"),
        (OccurrenceFrequency(base=1), "base=1 is not a number above 1"),
    ],
)
def test_wrong_parameters(person, measure, message):
    with pytest.raises(CouplingsError, match=message):
        measure.fit(person)


def test_goodall_of_one_object():
    with pytest.raises(MeasureError, match="at least two objects"):
        Goodall3().fit(CategoricalTable.from_codes([[0, 0]]))


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
