"""The exact embedding, and the encoder of values."""

import numpy as np
import pandas as pd
import pytest
from kit import ROOT, measure_of
from scipy.spatial.distance import cdist

from couplings import (
    CategoricalTable,
    Lin,
    MeasureError,
    measure_from,
    measure_names,
)
from couplings.embedding import principal_coordinates, with_further_points
from couplings.measures.frequency import FrequencySimilarity

DATA = ["zoo", "house_votes", "tic_tac_toe", "mushroom", "car", "hayes_roth", "lymphography"]
NAMES = [
    name
    for name in measure_names()
    if name != "coupled_mixed" and hasattr(measure_from(name), "transform")
]
RNG = np.random.default_rng(0)
TABLES = {
    f"random {sizes}": CategoricalTable.from_codes(
        np.column_stack([RNG.integers(0, v, 70) for v in sizes])
    )
    for sizes in ((2, 3), (5, 1, 4), (2, 2, 2, 2), (9, 3, 7))
}
for data in DATA:
    frame = pd.read_csv(
        ROOT / f"data/bundled/{data}.csv.xz", dtype=str, keep_default_na=False, header=None
    )
    frame = frame.iloc[:: -(-len(frame) // 400)]
    frame.columns = [f"c{j}" for j in range(frame.shape[1])]
    TABLES[data] = CategoricalTable.from_pandas(frame.loc[:, frame.nunique().between(1, 40)])


def fitted(name, table, **parameters):
    return measure_of(name, **parameters).fit(table)


def summed(measure, table):
    """What `space_` adds up, with zero self-distance."""
    matrices = measure.space_.matrices
    total = 0.0
    for j, column in enumerate(table.codes.T):
        block = matrices.block(j) * (-1 if measure.space_.link == "inverse" else 1)
        own = block.diagonal()
        total = total + (block - (own[:, None] + own) / 2)[np.ix_(column, column)]
    return total


def power(measure):
    """The power of the distances that are sums over the attributes, or None."""
    return {"sum": 1, "rss": 2}.get(measure.space_.link)


def assert_apart(measure, new, frame):
    """Further points are as far from the others as the measure says, in its power."""
    found = cdist(measure.transform(new), measure.transform(frame), "sqeuclidean")
    want = measure.pairwise(new, frame) ** power(measure)
    np.testing.assert_allclose(found, want, rtol=0, atol=1e-9 * max(1, want.max()))


@pytest.mark.parametrize("name", NAMES)
def test_the_embedding_is_exact_where_nothing_is_cut_off(name):
    for table in TABLES.values():
        measure = fitted(name, table)
        rows = measure.transform(table)
        squares, want = cdist(rows, rows, "sqeuclidean"), summed(measure, table)
        close = 1e-10 * max(1.0, want.max())
        if measure.embedding_defect_ == 0:
            np.testing.assert_allclose(squares, want, rtol=0, atol=close)
            if power(measure):
                distances = measure.pairwise(table) ** power(measure)
                np.testing.assert_allclose(squares, distances, rtol=0, atol=close)
        else:
            assert 0 < measure.embedding_defect_ < 1
            # what is cut off has negative squares, so that distances only grow
            assert (squares >= want - close).all()
            assert squares.max() > want.max() * 0.5


@pytest.mark.parametrize("name", [n for n in NAMES if n not in ("cde", "one_hot_pca")])
def test_typical_points_are_as_far_as_the_values_are_on_average(name):
    frame = TABLES["lymphography"].to_pandas().astype(str)
    measure = fitted(name, frame, unknown="typical")
    if measure.embedding_defect_ == 0 and power(measure):
        assert_apart(measure, frame[:1].assign(c3="NEW"), frame)


@pytest.mark.parametrize("name", ["simple_matching", "one_hot", "ahmad_dey"])
def test_points_for_mismatches_are_as_far_as_the_farthest_values(name):
    frame = TABLES["car"].to_pandas().astype(str)
    measure = fitted(name, frame, unknown="mismatch", missing="mismatch")
    unseen, missing = (frame[:1].assign(c0=value) for value in ("NEW", None))
    for new, others in ((unseen, frame), (missing, frame), (unseen, missing)):
        assert_apart(measure, new, others)


def test_quotients_have_no_embedding():
    for name in ("lin", "lin1", "anderberg", "caso"):
        assert not hasattr(measure_from(name), "transform")
    measure = Lin().fit(TABLES["car"])
    with pytest.raises(AttributeError, match="no embedding"):
        measure.embedding_defect_  # noqa: B018

    class Uneven(FrequencySimilarity):
        def _similarity(self, frequency, n):
            return np.diag(np.arange(1.0, len(frequency) + 1))

        def _space(self, values, counts):
            return type(super()._space(values, counts))(values, "rss")

    with pytest.raises(MeasureError, match="not a sum over the attributes"):
        Uneven().fit(TABLES["car"]).transform(TABLES["car"])


def test_principal_coordinates_by_hand():
    points, kept, cut = principal_coordinates(np.array([[0.0, 4.0], [4.0, 0.0]]))
    assert points.ravel().tolist() == pytest.approx([1, -1]) or points[0] == -points[1]
    assert (kept, cut) == pytest.approx((2.0, 0.0))
    # squares of a triangle that breaks its inequality: 1 + 1 < 3
    lengths = np.array([[0, 1, 3], [1, 0, 1], [3, 1, 0.0]])
    _, kept, cut = principal_coordinates(lengths**2)
    assert cut > 0
    assert kept > cut


def test_further_points_by_hand():
    points = np.array([[0.0], [2.0]])
    squares = np.array([[0.0, 4.0], [4.0, 0.0]])
    share = np.array([0.75, 0.25])
    found = with_further_points(points, squares, share, ("typical",))
    assert found[2].tolist() == pytest.approx([0.5, np.sqrt(0.75)])
    found = with_further_points(points, squares, share, ("mismatch", "mismatch"))
    assert ((found[1:] - found[:-1]) ** 2).sum(axis=1) == pytest.approx([4] * 3)
    same = with_further_points(np.zeros((1, 0)), np.zeros((1, 1)), np.ones(1), ("mismatch",))
    assert same.tolist() == [[0.0], [0.0]]
