import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.spatial.distance import squareform

from couplings import CouplingsError, Ward
from couplings.cluster.ward import ward, ward_linkage

# Four points on a line: 0, 1, 4, 6.
LINE = np.array([1.0, 4, 6, 3, 5, 2])


def test_by_hand():
    rows = ward_linkage(LINE)
    np.testing.assert_allclose(rows, [[0, 1, 1, 2], [2, 3, 2, 2], [4, 5, 7.5, 4]])
    # d(2, {0, 1}) = (2 * 4 + 2 * 3 - 1) / 3, d(3, {0, 1}) = (2 * 6 + 2 * 5 - 1) / 3, and the two
    # join {2, 3} at (3 * 13/3 + 3 * 7 - 2 * 2) / 4.
    assert rows[2, 2] == (13 + 21 - 4) / 4
    assert ward(LINE, 2).tolist() == [0, 0, 1, 1]
    assert ward(LINE, 4).tolist() == [0, 1, 2, 3]
    assert ward(LINE, 1).tolist() == [0, 0, 0, 0]
    assert ward(LINE, 2).dtype == np.int64


@pytest.mark.parametrize(
    ("distances", "k", "tied"),
    [
        (LINE, 2, False),
        # 1 is as near to 0 as to 2
        ([1.0, 2, 5, 1, 4, 3], 2, True),
        # two pairs apart from each other: both merge, whichever goes first, ...
        ([1.0, 5, 6, 6, 7, 1], 2, False),
        # ... but one of them is left out here
        ([1.0, 5, 6, 6, 7, 1], 3, True),
        # equal objects, and another one
        ([0.0, 0, 5, 0, 5, 5], 2, False),
        ([0.0, 0, 5, 0, 5, 5], 3, True),
        # 0 is equal to 1 and to 2, which differ
        ([0.0, 0, 5, 1, 5, 5], 2, True),
    ],
)
def test_ties_that_decide_are_told_from_those_that_do_not(distances, k, tied):
    assert Ward(k).fit(np.asarray(distances)).tied_ is tied
    assert Ward(k, ties="chain").fit(np.asarray(distances)).tied_ is None


@given(
    st.integers(3, 24),
    st.integers(1, 4),
    st.integers(1, 3),
    st.sampled_from(["D", "D2"]),
    st.data(),
)
def test_without_ties_that_decide_no_order_of_objects_matters(n, m, values, recurrence, data):
    seed = data.draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    # Repeated objects, and few different distances; or many.
    codes = rng.integers(0, values, (n, m))
    between = rng.random((m, values, values)).round(data.draw(st.sampled_from([1, 2, 15])))
    between = between + between.transpose(0, 2, 1)
    between[:, range(values), range(values)] = 0.0
    square = sum(between[j][codes[:, [j]], codes[:, j]] for j in range(m))
    fitted = Ward(data.draw(st.integers(1, n)), recurrence).fit(squareform(square))
    assume(not fitted.tied_ and fitted.margin_ > 1e-9)
    for _ in range(5):
        order = rng.permutation(n)
        other = Ward(fitted.n_clusters, recurrence).fit(squareform(square[np.ix_(order, order)]))
        pairs = set(zip(fitted.labels_[order].tolist(), other.labels_.tolist(), strict=True))
        assert len(pairs) == fitted.n_clusters


def test_overwrite():
    distances = LINE.copy()
    ward(distances, 2)
    np.testing.assert_array_equal(distances, LINE)
    expected = ward_linkage(LINE, recurrence="D2")
    np.testing.assert_array_equal(
        ward_linkage(distances, recurrence="D2", overwrite=True), expected
    )
    assert not np.array_equal(distances, LINE)
    np.testing.assert_array_equal(ward(LINE.astype(np.float32), 2, overwrite=True), ward(LINE, 2))


@pytest.mark.parametrize(
    ("distances", "k", "options", "message"),
    [
        (LINE, 5, {}, "n_clusters=5 is not an integer from 1 to 4"),
        (LINE, 0, {}, "n_clusters=0 is not an integer"),
        (LINE[:4], 2, {}, "4 condensed distances do not match any number"),
        ([], 1, {}, "0 condensed distances"),
        (np.ones((3, 2)), 2, {}, r"not shape \(3, 2\)"),
        (np.where(LINE == 3, np.nan, LINE), 2, {}, "found NaN"),
        (np.where(LINE == 3, np.inf, LINE), 2, {}, "finite.*inf"),
        (-LINE, 2, {}, "not negative, found values from -6"),
        (LINE, 2, {"recurrence": "D3"}, "recurrence='D3'.*'D', 'D2'"),
        (LINE, 2, {"ties": "last"}, "ties='last'.*'R', 'chain'"),
    ],
)
def test_errors(distances, k, options, message):
    with pytest.raises(CouplingsError, match=message):
        ward(distances, k, **options)


def test_distances_that_may_be_overwritten_give_the_same_clusters():
    distances = np.random.default_rng(5).random(45)
    before = distances.copy()
    kept = Ward(3, measure="precomputed").fit(distances)
    np.testing.assert_array_equal(distances, before)
    used = Ward(3, measure="precomputed", copy=False).fit(distances)
    np.testing.assert_array_equal(used.labels_, kept.labels_)
    assert used.margin_ == kept.margin_
    assert (distances != before).any()
