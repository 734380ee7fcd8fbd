import numpy as np
import pytest
from kit import refused, refused_calls
from sklearn.metrics import calinski_harabasz_score

from couplings import CouplingsError
from couplings.discretize import (
    _calinski_harabasz,
    apply_cuts,
    automatic_categories,
    equal_width_cuts,
    mdl_cuts,
)

NAN = float("nan")


def test_cuts_are_closed_on_the_right():
    codes = apply_cuts([0, 1, 1.5, 2, 3, NAN], [1, 2])
    assert codes.tolist() == [0, 0, 1, 1, 2, -1]
    assert codes.dtype == np.int64
    assert apply_cuts([5, NAN], []).tolist() == [0, -1]


class TestMdl:
    @pytest.mark.parametrize(
        ("x", "labels", "cuts"),
        [
            # one clear cut
            (np.arange(20.0), np.arange(20) > 12, [12.5]),
            # one class, or one value
            ([1, 2, 3], [0, 0, 0], []),
            ([1, 1, 1], [0, 1, 0], []),
            # Gain 1 against (log2(N - 1) + log2(7) - 2) / N: that is .60 of 4 rows,
            ([1, 2, 3, 4], [0, 0, 1, 1], [2.5]),
            # and .40 of 2 rows, so even one row a side is cut.
            ([1, 2], [0, 1], [1.5]),
            # Gain .311 with the lone row on the left; the bound is .571.
            ([1, 2, 3, 4], [0, 1, 0, 1], []),
            # missing rows are left out
            ([NAN, 1, 2, 3, 4, NAN], [1, 0, 0, 1, 1, 2], [2.5]),
        ],
    )
    def test_criterion_by_hand(self, x, labels, cuts):
        assert mdl_cuts(x, labels).tolist() == cuts

    def test_two_cuts_in_any_row_order(self):
        x = np.arange(60.0)
        labels = np.array(["b", "a", "c"])[(x >= 20).astype(int) + (x >= 40)]
        order = np.random.default_rng(0).permutation(60)
        assert mdl_cuts(x[order], labels[order]).tolist() == [19.5, 39.5]

    def test_many_classes(self):
        x = np.arange(1500.0)
        assert np.isfinite(mdl_cuts(x, x // 2)).all()


class TestAutomatic:
    def test_worked_example(self):
        """The two numeric attributes of the synthetic table of coupledMC, AAAI 2015, table 1."""
        first = [-1.133, -3.418, -2.153, -1.952, 1.822, 0.779]
        second = [-4.743, -3.575, -0.690, 0.274, 2.102, 1.112]
        assert automatic_categories(first).tolist() == [1, 0, 1, 1, 2, 2]
        assert automatic_categories(second).tolist() == [0, 0, 1, 1, 2, 2]

    def test_few_values_stay(self):
        assert automatic_categories([3, 1, 3, NAN]).tolist() == [1, 0, 1, -1]
        assert automatic_categories([2, 2]).tolist() == [0, 0]

    def test_clear_groups(self):
        rng = np.random.default_rng(0)
        group = rng.integers(0, 2, 300)
        x = 100 * group + rng.uniform(-1, 1, 300)
        codes = automatic_categories(x)
        np.testing.assert_array_equal(codes, group)

    def test_heavy_repeats_leave_no_category_empty(self):
        x = np.concatenate([np.zeros(500), np.arange(1, 30.0) ** 3])
        codes = automatic_categories(x)
        assert set(codes) == set(range(codes.max() + 1))
        assert (np.diff(codes) >= 0).all()


def test_the_variance_ratio_is_that_of_scikit_learn():
    x, sizes = np.sort(np.random.default_rng(0).normal(size=20)), [5, 7, 8]
    expected = calinski_harabasz_score(x[:, None], np.repeat(range(3), sizes))
    assert _calinski_harabasz(x, np.cumsum(sizes)) == pytest.approx(expected)


BAD = [([NAN, NAN], "missing ones only"), ([1, np.inf], "infinite"), ([[1, 2]], r"\(1, 2\)")]
test_bad_values = refused(
    CouplingsError,
    lambda function, x: function(x),
    [(one, *case) for one in (equal_width_cuts, automatic_categories) for case in BAD],
)
test_bad_arguments = refused_calls(
    CouplingsError,
    [
        (apply_cuts, [1], [2, 1], "increasing"),
        (mdl_cuts, [1, 2], [0, 0, 1], r"differ in shape: \(2,\), \(3,\)"),
    ],
)


@pytest.mark.parametrize("size", [1e-310, 1e-200, 1e200, 2.0**1020])
def test_the_size_of_numbers_changes_no_category(size):
    x = np.array([0.0, 1.0, 2.0, 3.0, 5.0])
    np.testing.assert_array_equal(automatic_categories(x * size), automatic_categories(x))
    np.testing.assert_array_equal(apply_cuts(x * size, equal_width_cuts(x * size, 2)), x > 2.5)
    cuts = mdl_cuts(np.repeat(x * size, 9), np.repeat(x > 2, 9))
    assert len(cuts) == 1
    assert 2 * size <= cuts[0] < 3 * size


def test_the_largest_numbers_are_cut():
    assert mdl_cuts([1e308, 1.7e308] * 9, [0, 1] * 9) == pytest.approx(1.35e308)
    assert automatic_categories([1e308, 1.7e308, 1e300]).tolist() == [1, 2, 0]
    above = np.nextafter(1.0, 2)
    steps = np.array([above, np.nextafter(above, 2)])
    assert apply_cuts(steps, mdl_cuts(np.tile(steps, 9), [0, 1] * 9)).tolist() == [0, 1]


def test_intervals_that_no_number_tells_apart_are_refused():
    with pytest.raises(CouplingsError, match="float64 has no 4 intervals"):
        equal_width_cuts([0, 5e-324], 4)


def test_masked_numbers_are_missing():
    x = np.ma.array([1.0, 2, 3, 1000], mask=[0, 0, 0, 1])
    plain = np.array([1.0, 2, 3, NAN])
    for cut in (equal_width_cuts, automatic_categories, lambda x: apply_cuts(x, [2])):
        np.testing.assert_array_equal(cut(x), cut(plain))
    np.testing.assert_array_equal(mdl_cuts(x, [0, 0, 1, 0]), mdl_cuts(plain, [0, 0, 1, 0]))
    labels = np.ma.array([0, 1, 1, 1], mask=[1, 0, 0, 0])
    with pytest.raises(CouplingsError, match="1 of the labels are missing"):
        mdl_cuts([1.0, 2, 3, 4], labels)
