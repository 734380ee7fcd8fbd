"""Labelled tables and pictures of what a measure has learned."""

import numpy as np
import pandas as pd
import pytest

from couplings import (
    AhmadDey,
    Caso,
    DilcaM,
    Goodall,
    Lin,
    MeasureError,
    NotFittedError,
    SimpleMatching,
    plot_value_distances,
)


def frame_of(seed=0, n=80):
    rng = np.random.default_rng(seed)
    kind = rng.integers(0, 3, n)
    return pd.DataFrame(
        {
            "odor": np.array(list("anf"))[kind],
            "ring": np.array(list("pqrs"))[np.where(rng.random(n) < 0.8, kind, 3)],
            "gill": np.array(list("uv"))[rng.integers(0, 2, n)],
        },
        index=[f"m{i}" for i in range(n)],
    )


def test_value_distances_are_the_block_with_its_labels():
    frame = frame_of()
    measure = DilcaM().fit(frame)
    found = measure.value_distances("odor")
    assert list(found.index) == list(found.columns) == ["a", "f", "n"]
    np.testing.assert_allclose(found, measure.value_matrices_.block(0), atol=1e-12)
    pd.testing.assert_frame_equal(measure.value_distances(0), found)
    pd.testing.assert_frame_equal(measure.value_distances(-3), found)
    holes = frame.assign(odor=[None, *frame["odor"][1:]])
    apart = DilcaM(missing="mismatch").fit(holes)
    assert list(apart.value_distances("odor").index) == ["a", "f", "n"]
    assert "?" in DilcaM(missing="value").fit(holes).value_distances("odor").index


def test_what_does_not_exist_is_named():
    measure = DilcaM().fit(frame_of())
    for use in (measure.value_distances, measure.value_frequencies):
        with pytest.raises(MeasureError, match=r"'odour' \(did you mean 'odor'\?\).*odor, ring"):
            use("odour")
        with pytest.raises(MeasureError, match="attribute 3 is out of range; there are 3"):
            use(3)
    with pytest.raises(NotFittedError):
        DilcaM().value_distances("odor")
    with pytest.raises(MeasureError, match="compares whole objects"):
        Lin().fit(frame_of()).value_distances("odor")
    with pytest.raises(MeasureError, match="as_distance"):
        Caso().fit(frame_of()).value_distances("odor")


@pytest.mark.parametrize("measure", [AhmadDey(), SimpleMatching(), Goodall(3)], ids=repr)
def test_oddness_is_the_mean_dissimilarity(measure):
    frame = frame_of()
    parts = measure.fit(frame).oddness(frame)
    assert list(parts.columns) == list(frame.columns)
    assert list(parts.index) == list(frame.index)
    np.testing.assert_allclose(parts.sum(axis=1), measure.pairwise(frame).mean(axis=1))


def test_odd_objects_come_with_the_values_that_make_them_so():
    frame = frame_of()
    frame.iloc[7] = ["a", "r", "u"]
    frame.iloc[11] = ["a", "z", "u"]
    measure = AhmadDey().fit(frame)
    odd = measure.odd(frame, 3)
    mean = measure.pairwise(frame).mean(axis=1)
    np.testing.assert_allclose(odd["oddness"], np.sort(mean)[::-1][:3])
    assert "m11" in odd.index
    assert odd.loc["m11", "because"].startswith("ring=z (")
    typical = measure.typical(frame, 2)
    np.testing.assert_allclose(typical["oddness"], np.sort(mean)[:2])
    assert "=" in typical["because"].iloc[0]
    lenient = AhmadDey(unknown="mismatch", missing="mismatch").fit(frame)
    new = frame[:1].assign(ring="NEW", odor=None)
    assert "ring=NEW" in lenient.odd(pd.concat([frame, new]), 1)["because"].iloc[0]
    assert "odor=missing" in lenient.odd(pd.concat([frame, new]), 1)["because"].iloc[0]
    with pytest.raises(ValueError, match="n=0 is not a positive integer"):
        measure.odd(frame, 0)


def test_a_heat_map_shows_every_distance_of_the_values():
    plt = pytest.importorskip("matplotlib.pyplot")
    measure = DilcaM().fit(frame_of())
    ax = plot_value_distances(measure, "ring")
    frame = measure.value_distances("ring")
    labels = [text.get_text() for text in ax.get_yticklabels()]
    assert sorted(labels) == sorted(frame.index)
    drawn = np.asarray(ax.images[0].get_array())
    np.testing.assert_allclose(drawn, frame.loc[labels, labels])
    assert len(ax.texts) == 16
    assert "ring" in ax.get_title()
    own = plt.figure().add_subplot()
    assert plot_value_distances(measure, "odor", own) is own
    plt.close("all")
