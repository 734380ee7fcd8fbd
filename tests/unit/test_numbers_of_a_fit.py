"""Columns of numbers after a fit: the same type, or an error that names the column."""

import datetime
import decimal

import numpy as np
import pandas as pd
import pytest

from couplings import (
    AhmadDeyKMeans,
    CouplingsError,
    DensityPeaks,
    KPrototypes,
    MixedDistance,
    MultinomialGaussianMixture,
    SimpleMatching,
    Ward,
)

FRAME = pd.DataFrame({"a": list("xxyyzzxx"), "n": [1.0, 2, 8, 9, 20, 21, 1, 2]})
KINDS = {
    "KPrototypes": lambda new: KPrototypes(2, random_state=0).fit(FRAME).predict(new),
    "KPrototypes.transform": lambda new: KPrototypes(2, random_state=0).fit(FRAME).transform(new),
    "AhmadDeyKMeans": lambda new: AhmadDeyKMeans(2, random_state=0).fit(FRAME).predict(new),
    "MultinomialGaussianMixture": lambda new: (
        MultinomialGaussianMixture(2, random_state=0).fit(FRAME).predict(new)
    ),
    "DensityPeaks": lambda new: DensityPeaks(2, percent=30.0).fit(FRAME).predict(new),
    "MixedDistance": lambda new: MixedDistance().fit(FRAME).pairwise(new),
    "init": lambda new: KPrototypes(2, init=new[:2]).fit(FRAME).labels_,
}
OTHER = {
    "dates": pd.date_range("2020", periods=8),
    "durations": pd.to_timedelta(range(8), "D"),
    "periods": pd.period_range("2020", periods=8),
    "text": ["abc"] * 8,
    "digits": list("12345678"),
    "truth values": [True, False] * 4,
    "complex": np.arange(8) * 1j,
    "categories": pd.Categorical([1, 2] * 4),
    "objects of dates": np.array([datetime.date(2020, 1, 1)] * 8, dtype=object),
    "mixed objects": [1.0, "x"] * 4,
}
NUMBERS = {
    "integers": [1, 2, 8, 9, 20, 21, 1, 2],
    "nullable": pd.array([1, 2, 8, 9, 20, 21, 1, 2], dtype="Int64"),
    "narrow": np.array([1, 2, 8, 9, 20, 21, 1, 2], dtype=np.float32),
    "objects": np.array([1, 2.0, 8, 9, 20, 21, 1, 2], dtype=object),
    "decimals": [decimal.Decimal(i) for i in (1, 2, 8, 9, 20, 21, 1, 2)],
}


@pytest.mark.parametrize("kind", KINDS)
def test_other_types_are_refused_by_name_and_numbers_of_any_type_are_taken(kind):
    for name, column in OTHER.items():
        with pytest.raises(CouplingsError, match="column 'n' held numbers in fit, and now"):
            pytest.fail(f"{name}: {KINDS[kind](FRAME.assign(n=column))}")
    expected = KINDS[kind](FRAME)
    for name, column in NUMBERS.items():
        np.testing.assert_array_equal(KINDS[kind](FRAME.assign(n=column)), expected, err_msg=name)


def test_text_that_became_numbers_is_refused_by_name():
    with pytest.raises(CouplingsError, match="column 'a' is numeric"):
        KINDS["KPrototypes"](FRAME.assign(a=np.arange(8.0)))


def test_an_order_is_given_by_the_numbers_of_the_column():
    frame = pd.DataFrame({"stage": [1.0, 2.0, None, 3.0, 2.0], "sex": list("mfmfm")})
    order = sorted(frame["stage"].dropna().unique())
    named = MixedDistance("simple_matching", ordered={"stage": order}).fit(frame)
    texts = MixedDistance("simple_matching", ordered={"stage": ["1", "2", "3"]}).fit(frame)
    assert named.ordered_features_ == ("stage",)
    np.testing.assert_array_equal(named.pairwise(frame), texts.pairwise(frame))
    with pytest.raises(CouplingsError, match="ordered: a list does not say of which column"):
        MixedDistance(ordered=["1", "2"]).fit(frame)
    with pytest.raises(CouplingsError, match="the order of column 'sex' lacks 'f'; add it"):
        MixedDistance(ordered={"sex": "m"}).fit(frame)


def test_distances_in_a_data_frame_are_distances():
    rows = pd.DataFrame({"a": list("xxyyzzxx"), "b": list("uuvvwwuv")})
    distances = SimpleMatching().fit(rows).pairwise(rows)
    names = [f"r{i}" for i in range(8)]
    expected = Ward(3).fit(distances).labels_
    for given in (pd.DataFrame(distances, names, names), pd.DataFrame(distances)):
        np.testing.assert_array_equal(Ward(3).fit(given).labels_, expected)
        found = Ward(3, measure="precomputed").fit(given).labels_
        np.testing.assert_array_equal(found, expected)
