import math
from itertools import product

import numpy as np
import pytest
from kit import refused_calls
from scipy.stats import pearsonr

from couplings.counts import cooccurrence, symmetric_uncertainty
from couplings.discretize import automatic_categories
from couplings.errors import CouplingsError, MeasureError
from couplings.measures.coupled_mixed import CoupledMixed, partially_coupled_distances
from couplings.mixed import MixedSpace, MixedTable, scaled
from couplings.table import CategoricalTable

# AAAI 2015, Tables 1 to 4.
EXAMPLE = MixedTable(
    CategoricalTable.from_codes(
        np.array([[0, 1], [2, 1], [1, 0], [2, 0], [1, 0], [2, 0]]),
        categories=[["X", "Y", "Z"], ["alpha", "beta"]],
        attributes=["a1d", "a2d"],
    ),
    np.column_stack(
        [
            [-1.133, -3.418, -2.153, -1.952, 1.822, 0.779],
            [-4.743, -3.575, -0.690, 0.274, 2.102, 1.112],
        ]
    ),
    ("a1r", "a2r"),
)
TABLE4 = np.array(
    [
        [5.685, -1.383, -0.231, -0.216, 0.010],
        [1.878, 2.773, 0.311, 0.485, -0.021],
        [-1.689, -0.111, 1.309, -0.813, -0.105],
        [-1.921, 0.637, -0.884, -0.618, 0.173],
        [-1.867, -1.378, 0.882, 0.850, 0.097],
        [-2.086, -0.537, -1.386, 0.312, -0.154],
    ]
)
PAIRS = ((3, 5), (3, 2), (5, 4), (2, 4))


def example():
    return CoupledMixed(2, base="raw", components="all")


def random_table(n=60, seed=0):
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 3, n)
    codes = np.column_stack(
        [np.where(rng.random(n) < 0.6, group, rng.integers(0, 3, n)) for _ in range(4)]
    )
    numeric = group[:, np.newaxis] * [1.0, 5.0] + rng.normal(size=(n, 2))
    return MixedTable(CategoricalTable.from_codes(codes), numeric, ("x", "y"))


def test_context_and_weights_of_the_example():
    coupled = example().fit(EXAMPLE)
    assert coupled.context_.tolist() == [[False, True, False, False], [True, False, False, True]]
    # The text prints the two weights of a2d exchanged.
    assert np.round(coupled.weights_[1], 4).tolist() == [0.3449, 0, 0, 0.6551]
    assert coupled.weights_[0].tolist() == [0, 1, 0, 0]
    assert round(coupled.symmetric_uncertainty_[1, 0], 4) == 0.3863
    assert round(coupled.symmetric_uncertainty_[1, 3], 4) == 0.7337


def test_table_4_up_to_sign():
    coupled = example()
    scores = coupled.fit_transform(EXAMPLE)
    assert scores.shape == (6, 5)
    signs = np.sign((scores * TABLE4).sum(axis=0))
    # The largest gap is .00070394.
    assert round(np.abs(scores * signs - TABLE4).max(), 4) == 0.0007
    assert np.round(100 * coupled.explained_variance_ratio_, 2).tolist() == [
        71.76, 17.44, 7.64, 3.06, 0.11,
    ]  # fmt: skip


def test_distances_of_the_introduction():
    wmm = MixedSpace.weighted(EXAMPLE).pairwise(EXAMPLE)
    assert [round(wmm[pair], 3) for pair in PAIRS] == [0.535, 1.311, 1.411, 0.861]
    pcd = partially_coupled_distances(EXAMPLE)
    assert [round(pcd[pair], 3) for pair in ((2, 4), (2, 3), (4, 5))] == [0.772, 0.454, 0.644]
    # Printed .596: Table 1 is rounded.
    assert round(pcd[3, 5], 4) == 0.5966
    assert np.array_equal(pcd, pcd.T)


def brute(table, max_power, base, taylor, rule):
    """Return FS^d and z-scored FShat by loops over the definitions."""
    own = table.categorical.codes.astype(int)
    n, m = own.shape
    whole = np.column_stack([own, *(automatic_categories(c) for c in table.numeric.T)])
    su = symmetric_uncertainty(cooccurrence(CategoricalTable.from_codes(whole)))
    columns = []
    for j in range(m):
        order = sorted((k for k in range(whole.shape[1]) if k != j), key=lambda k: -su[j, k])
        kept = [k for k in order if su[j, k] > 0]
        for k in list(kept):
            if k in kept:
                passed = order[: order.index(k) + 1]
                kept = [a for a in kept if a in passed or su[k, a] < su[j, a]]
        relevance = np.array([su[j, k] for k in kept])
        if rule == "share":
            gamma = relevance / relevance.sum()
        elif np.ptp(relevance) > 0:
            gamma = (relevance - relevance.min()) / np.ptp(relevance)
        else:
            gamma = np.ones(len(kept))

        def sim(x, y, j=j, kept=kept, gamma=gamma):
            in_x, in_y = whole[:, j] == x, whole[:, j] == y
            f_x, f_y = in_x.sum(), in_y.sum()
            inter = 0.0
            for k, weight in zip(kept, gamma, strict=True):
                for b in np.unique(whole[:, k]):
                    has = whole[:, k] == b
                    inter += weight * min((in_x & has).sum() / f_x, (in_y & has).sum() / f_y)
            return f_x * f_y / (f_x + f_y + f_x * f_y) * inter

        columns += [[sim(x, y) for x in own[:, j]] for y in range(table.categorical.n_values[j])]
    fsd = np.array(columns).T
    fs = scaled(np.column_stack([fsd, table.numeric]), base)
    power = [(t, p) for t in range(fs.shape[1]) for p in range(1, max_power + 1)]
    weight = {"factorial": lambda p: 1 / math.factorial(p), "reciprocal": lambda p: 1 / p}.get(
        taylor, lambda p: 1.0
    )
    result = np.zeros((n, len(power)))
    for place, (t, p) in enumerate(power):
        for s, q in power:
            if (s, q) == (t, p):
                c = 1.0
            else:
                r = pearsonr(fs[:, s] ** q, fs[:, t] ** p)
                c = r.statistic if r.pvalue < 0.05 else 0.0
            result[:, place] += weight(q) * fs[:, s] ** q * c
    return fsd, scaled(result, "z")


@pytest.mark.twin_of("CoupledMixed")
@pytest.mark.parametrize("max_power", [2, pytest.param(3, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    ("seed", "options"),
    [*enumerate(product(("z", "raw", "minmax", "symmetric"), ("factorial", "ones")), 1)],
)
def test_brute_force_twin(seed, options, max_power):
    base, taylor = options
    rule, taylor = ("minmax", "reciprocal") if seed % 3 == 0 else ("share", taylor)
    table = random_table(40, seed)
    coupled = CoupledMixed(max_power, rule, base, taylor).fit(table)
    fsd, fshat = brute(table, max_power, base, taylor, rule)
    np.testing.assert_allclose(coupled.fsd_, fsd, rtol=0, atol=1e-12)
    # the square of a column that is nearly -1 or 1 loses digits before it is z-scored
    np.testing.assert_allclose(coupled.fshat_, fshat, rtol=0, atol=1e-11)


def test_the_square_of_a_balanced_pair_of_numbers_is_constant():
    """Scaled to -1 and 1 up to rounding; without a bound, its last digits would be a column."""
    categories = CategoricalTable.from_codes([[0], [1], [0], [1], [2], [2], [0], [1]])
    numbers = np.column_stack([[0.1, 0.3] * 4, np.random.default_rng(0).normal(size=8)])
    model = CoupledMixed(2).fit(MixedTable(categories, numbers, ("x", "y")))
    square = 2 * categories.n_values[0] + 1
    assert np.ptp(model.fshat_, axis=0).argmin() == square
    assert np.ptp(model.fshat_[:, square]) < 1e-9


def relabelled(table, codes, labels):
    categorical = CategoricalTable.from_codes(codes, categories=[labels] * 4)
    return MixedTable(categorical, table.numeric[: len(codes)], table.names)


def test_transform_matches_labels_and_names_what_it_does_not_know():
    table = random_table()
    coupled = CoupledMixed().fit(table)
    codes = table.categorical.codes[:4].astype(int)
    swapped = coupled.transform(relabelled(table, 2 - codes, ["2", "1", "0"]))
    assert np.allclose(swapped, coupled.transform(table.take(np.arange(4))))
    codes[2, 1] = 3
    with pytest.raises(CouplingsError, match="column 'a1', row 2: value 'new' is outside"):
        coupled.transform(relabelled(table, codes, ["0", "1", "2", "new"]))


def test_declared_value_that_fit_has_not_met():
    table = random_table()
    wide = CategoricalTable.from_codes(table.categorical.codes, n_values=[4, 3, 3, 3])
    coupled = CoupledMixed().fit(MixedTable(wide, table.numeric, table.names))
    assert np.isfinite(coupled.fshat_).all()
    assert (coupled.fsd_[:, 3] == 0).all()
    narrow = CoupledMixed().fit(table)
    assert np.allclose(np.delete(coupled.fsd_, 3, axis=1), narrow.fsd_)
    codes = table.categorical.codes.copy(order="F")
    codes[0, 0] = 3
    odd = CategoricalTable(codes, wide.categories, wide.attributes)
    with pytest.raises(MeasureError, match="value '3' did not occur"):
        coupled.transform(MixedTable(odd, table.numeric, table.names))


@pytest.mark.parametrize("scores", ["minmax", "symmetric", "z"])
def test_scores_on_a_common_scale(scores):
    table = random_table()
    raw = CoupledMixed(3, components=0.95).fit_transform(table)
    coupled = CoupledMixed(3, components=0.95, scores=scores)
    found = coupled.fit_transform(table)
    assert np.allclose(found, scaled(raw, scores), rtol=0, atol=1e-12)
    assert np.allclose(coupled.transform(table), found, rtol=0, atol=1e-12)
    # new objects are not stretched to the range of their own
    few = np.array([5, 3, 11])
    assert np.allclose(coupled.transform(table.take(few)), found[few], rtol=0, atol=1e-10)


def test_components():
    table = random_table()
    every = CoupledMixed(components="all").fit(table)
    for share in (0.5, 0.85, 0.95):
        kept = CoupledMixed(components=share).fit(table).explained_variance_ratio_
        assert kept.sum() >= share
        assert kept[:-1].sum() < share
        assert np.allclose(kept, every.explained_variance_ratio_[: len(kept)])
    scores = every.fit_transform(table)
    assert np.allclose(scores @ every.components_, every.fshat_)
    assert np.isclose(every.explained_variance_ratio_.sum(), 1)


def test_settings_that_share_what_they_learn_give_what_each_gives_alone():
    table, known = random_table(), {}
    grid = {"components": [0.85, "all"], "scores": ["raw", "z"], "max_power": [2, 3]}
    grid |= {"base": ["z", "raw"], "taylor": ["factorial", "ones"], "weights": ["share", "minmax"]}
    for point in product(*grid.values()):
        setting = dict(zip(grid, point, strict=True))
        one, alone = CoupledMixed(**setting), CoupledMixed(**setting)
        assert np.array_equal(one.represented(table, known), alone.fit_transform(table))
        assert np.array_equal(one.transform(table), alone.transform(table))
        assert np.array_equal(one.context_, alone.context_)


def test_constant_attributes_leave_zeros():
    table = random_table()
    codes = np.column_stack([table.categorical.codes, np.zeros(60, dtype=np.int8)])
    numeric = np.column_stack([table.numeric, np.full(60, 3.7)])
    constant = MixedTable(CategoricalTable.from_codes(codes), numeric, ("x", "y", "z"))
    for base in ("z", "raw", "minmax", "symmetric"):
        coupled = CoupledMixed(base=base).fit(constant)
        assert not coupled.context_[:, [4, 7]].any()
        assert not coupled.fshat_[:, [24, 25, 30, 31]].any()
        assert np.isfinite(coupled.transform(constant)).all()


TABLE = random_table()
CODES = TABLE.categorical.codes.copy(order="F")
CODES[0, 0] = -1
HOLES = CategoricalTable(CODES, TABLE.categorical.categories, TABLE.categorical.attributes)
OTHER = MixedTable(TABLE.categorical, TABLE.numeric, ("u", "v"))
FEW, FITTED = TABLE.take(np.arange(2)), CoupledMixed().fit(TABLE)
test_errors = refused_calls(
    CouplingsError,
    [
        (lambda: CoupledMixed(max_power=0).fit(TABLE), "max_power"),
        (lambda: CoupledMixed(weights="su").fit(TABLE), "weights"),
        (lambda: CoupledMixed(base="rank").fit(TABLE), "base"),
        (lambda: CoupledMixed(taylor="sine").fit(TABLE), "taylor"),
        (lambda: CoupledMixed(components=0).fit(TABLE), "components"),
        (lambda: CoupledMixed(components=1.5).fit(TABLE), "components"),
        (lambda: CoupledMixed(components="most").fit(TABLE), "components"),
        (lambda: CoupledMixed(scores="rank").fit(TABLE), "scores"),
        (lambda: CoupledMixed().transform(TABLE), "call fit"),
        (lambda: CoupledMixed().fit(FEW), "at least three objects"),
        (lambda: partially_coupled_distances(FEW), "at least three objects"),
        (lambda: CoupledMixed().fit(TABLE.take(np.zeros(5, dtype=int))), "constant"),
        (lambda: CoupledMixed().fit(MixedTable(HOLES, TABLE.numeric, TABLE.names)), "missing"),
        (lambda: FITTED.transform(OTHER), "not seen in fit: u, v; missing now: x, y"),
    ],
)
