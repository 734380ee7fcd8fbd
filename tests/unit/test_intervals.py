"""Intervals of learned distances: the bootstrap by hand, rare values, pictures, coverage."""

import numpy as np
import pandas as pd
import pytest

from couplings import AhmadDey, CouplingsError, DilcaM, Lin, SimpleMatching, plotting
from couplings.intervals import value_intervals


def frame_of(seed=0, n=120):
    """Red and rose are alike, blue is not; violet occurs once."""
    rng = np.random.default_rng(seed)
    colour = rng.choice(["red", "rose", "blue"], n)
    warm = colour != "blue"
    frame = pd.DataFrame(
        {
            "colour": colour,
            "taste": np.where(rng.random(n) < np.where(warm, 0.9, 0.1), "sweet", "sour"),
            "size": np.where(rng.random(n) < np.where(warm, 0.8, 0.2), "S", "L"),
        }
    )
    frame.loc[0, "colour"] = "violet"
    return frame


@pytest.mark.parametrize("measure", [AhmadDey(), DilcaM(sigma=0.5)], ids=repr)
def test_replicates_are_the_measure_learned_on_samples_of_the_rows(measure):
    frame = frame_of()
    found = value_intervals(measure, frame, n_replicates=8, random_state=3)
    rng = np.random.default_rng(3)
    for drawn in found.replicates["colour"]:
        sample = frame.iloc[rng.integers(0, len(frame), len(frame))]
        again = type(measure)(**measure.get_params(deep=False)).fit(sample)
        expected = again.value_distances("colour").reindex(
            index=found.distances["colour"].index, columns=found.distances["colour"].columns
        )
        np.testing.assert_allclose(drawn, expected, atol=1e-12)


def test_pairs_have_intervals_and_rare_values_are_not_stable():
    found = value_intervals(AhmadDey(), frame_of(), n_replicates=300, random_state=0)
    pairs = found.pairs("colour").set_index(["value", "other"])
    assert (pairs["low"] <= pairs["high"]).all()
    assert pairs.loc[("blue", "red"), "stable"]
    assert not pairs.loc[("red", "violet"), "stable"]
    # a value of one row is drawn with the probability 1 - 1/e
    assert pairs.loc[("red", "violet"), "seen"] == pytest.approx(0.632, abs=0.08)
    narrow = found.pairs("colour", level=0.5).set_index(["value", "other"])
    assert (narrow["high"] - narrow["low"] <= pairs["high"] - pairs["low"]).all()
    assert found.unstable("colour").sum() == 2 * (~pairs["stable"]).sum()


def test_the_share_of_replicates_in_which_one_is_nearer():
    found = value_intervals(AhmadDey(), frame_of(), n_replicates=200, random_state=0)
    assert found.nearer("colour", "red", near="rose", far="blue") == 1
    assert found.nearer("colour", "red", near="blue", far="rose") == 0
    equal = value_intervals(SimpleMatching(), frame_of(), n_replicates=20, random_state=0)
    assert equal.nearer("colour", "red", near="blue", far="rose") == 0.5


def test_missing_cells_follow_the_rule_of_the_measure():
    frame = frame_of()
    frame.loc[3:20, "colour"] = None
    for rule, size in (("value", 5), ("mismatch", 4)):
        found = value_intervals(AhmadDey(missing=rule), frame, n_replicates=5, random_state=0)
        assert found.replicates["colour"].shape == (5, size, size)
        assert len(found.distances["colour"]) == size


def test_pairs_that_are_not_stable_are_grey():
    frame = frame_of()
    measure = AhmadDey().fit(frame)
    found = value_intervals(AhmadDey(), frame, n_replicates=100, random_state=0)
    ax = plotting.plot_value_distances(measure, "colour", intervals=found)
    assert ax.images[0].get_array().mask.sum() == found.unstable("colour").sum() > 0
    assert len(ax.texts) == 16 - found.unstable("colour").sum()
    axes = plotting.plot_values(measure, most=1, intervals=found)
    assert axes[0].images[0].get_array().mask.sum() == found.unstable("colour").sum()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: value_intervals(AhmadDey(), frame_of(), 0), "n_replicates=0"),
        (lambda: value_intervals(Lin(), frame_of(), 2), "not a sum over the attributes"),
        (lambda: value_intervals(AhmadDey(), frame_of(), 10**12), "ask for fewer"),
        (lambda: value_intervals(AhmadDey(), frame_of(), 2).pairs("color"), "did you mean"),
        (lambda: value_intervals(AhmadDey(), frame_of(), 2).pairs(0, 1.0), "level=1.0"),
        (
            lambda: value_intervals(AhmadDey(), frame_of(), 2).nearer("colour", "rad", "x", "y"),
            "'rad'",
        ),
    ],
)
def test_what_cannot_be_is_refused(call, message):
    with pytest.raises(CouplingsError, match=message):
        call()
