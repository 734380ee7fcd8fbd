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
