import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import ConvergenceWarning

from couplings.cluster.kprototypes import KPrototypes
from couplings.errors import CouplingsError, MissingValuesError
from couplings.mixed import MixedTable, scaled
from couplings.table import CategoricalTable


def random_table(n=80, seed=0):
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 3, n)
    codes = np.column_stack(
        [np.where(rng.random(n) < 0.7, group, rng.integers(0, 4, n)) for _ in range(3)]
    )
    numeric = group[:, np.newaxis] * [1.0, 30.0] + rng.normal(size=(n, 2)) * [1, 20]
    return MixedTable(CategoricalTable.from_codes(codes), numeric, ("x", "y"))


def brute(table, k, seed, scale, gamma):
    """Huang's algorithm with recomputed prototypes; returns labels and cost."""
    rng = np.random.default_rng(seed)
    x, codes = scaled(table.numeric, scale), table.categorical.codes.astype(int)
    n = len(x)
    gamma = 0.5 * x.std(axis=0).mean() if gamma is None else gamma
    start = rng.choice(n, k, replace=False)
    centers, modes = x[start].copy(), codes[start].copy()

    def costs(u):
        return ((centers - x[u]) ** 2).sum(axis=1) + gamma * (modes != codes[u]).sum(axis=1)

    def count(c, j):
        return np.bincount(codes[members == c, j], minlength=table.categorical.n_values[j])

    members = np.array([np.argmin(costs(u)) for u in range(n)])
    assert len(np.unique(members)) == k
    for c in range(k):
        centers[c] = x[members == c].mean(axis=0)
        modes[c] = [np.argmax(count(c, j)) for j in range(codes.shape[1])]
    cost = sum(costs(u).min() for u in range(n))
    while True:
        moves = 0
        for u in range(n):
            old, new = members[u], int(np.argmin(costs(u)))
            if old == new:
                continue
            moves += 1
            members[u] = new
            for c in (old, new):
                centers[c] = x[members == c].mean(axis=0)
            for j, value in enumerate(codes[u]):
                if count(new, j)[value] > count(new, j)[modes[new, j]]:
                    modes[new, j] = value
                if modes[old, j] == value:
                    modes[old, j] = np.argmax(count(old, j))
        before, cost = cost, sum(costs(u).min() for u in range(n))
        if moves == 0 or cost >= before:
            return np.array([np.argmin(costs(u)) for u in range(n)]), cost, modes


@pytest.mark.twin_of("KPrototypes")
@pytest.mark.parametrize(
    ("seed", "scale", "gamma"), [(0, "minmax", None), (1, "z", None), (2, "minmax", 0.5)]
)
@pytest.mark.parametrize("k", [3, 8])
def test_brute_force_twin(seed, scale, gamma, k):
    table = random_table(seed=seed)
    model = KPrototypes(k, scale, gamma, random_state=seed, n_init=1).fit(table)
    labels, cost, modes = brute(table, k, seed, scale, gamma)
    assert np.array_equal(model.labels_, labels)
    assert np.isclose(model.cost_, cost, rtol=1e-12)
    assert np.array_equal(model.modes_, modes)


def test_empty_clusters_take_random_objects():
    table = random_table(12).take(np.repeat(np.arange(3), 4))
    with pytest.warns(ConvergenceWarning, match="3 of n_clusters=5"):
        model = KPrototypes(5, random_state=0).fit(table)
    assert np.isclose(model.cost_, 0)
    assert len(np.unique(KPrototypes(12, random_state=0).fit(random_table(12)).labels_)) == 12


def test_a_cluster_emptied_by_a_pass_is_filled():
    from couplings._kernels import mixed as kernels

    numeric = np.array([[0.0], [1.0], [1.1], [0.9], [1.05]])
    values = np.zeros((5, 1), dtype=np.int64)
    offsets = np.array([0, 1])
    members = np.array([1, 0, 0, 0, 0])
    state = (
        np.array([[0.1], [9.0]]),
        np.zeros((2, 1), dtype=np.int64),
        np.array([[4.05], [0.0]]),
        np.array([[4.0], [1.0]]),
        np.array([[4], [1]]),
        np.array([4, 1]),
    )
    objects = (np.ones(5, dtype=np.int64), np.ones(5), members)
    moves = kernels.pass_over_objects(
        numeric, values, np.zeros(1), offsets, offsets, 1.0, *objects, *state, np.array([0.99])
    )
    assert moves >= 1
    sizes = np.bincount(members, minlength=2)
    assert (sizes > 0).all()
    assert np.array_equal(state[5], sizes)
    assert np.allclose(state[0][:, 0], [numeric[members == c].mean() for c in range(2)])


def test_missing_numbers_are_left_out():
    """By hand: one of two numbers missing doubles the square of the other."""
    codes = CategoricalTable.from_codes(np.array([[0], [0], [1], [1]]))
    numeric = np.array([[0.0, 0.0], [2.0, np.nan], [10.0, 10.0], [np.nan, np.nan]])
    table = MixedTable(codes, numeric, ("x", "y"))
    start = MixedTable(codes.take(np.array([0, 2])), numeric[[0, 2]], ("x", "y"))
    model = KPrototypes(2, "raw", 1.0, init=start).fit(table)
    assert model.labels_.tolist() == [0, 0, 1, 1]
    # The object that lacks y weighs twice in the mean of x.
    np.testing.assert_allclose(model.centers_, [[4 / 3, 0.0], [10.0, 10.0]])
    np.testing.assert_allclose(model.cost_, (4 / 3) ** 2 + 2 * (2 / 3) ** 2)
    np.testing.assert_array_equal(model.transform(table).argmin(axis=1), model.predict(table))
    np.testing.assert_allclose(model.between(table)[0], [0.0, 8.0, 201.0, 1.0])
    with pytest.raises(MissingValuesError, match="'y' has missing values only"):
        KPrototypes(2).fit(MixedTable(codes, numeric * [1.0, np.nan], ("x", "y")))


def test_lambdaest_is_the_ratio_of_variance_and_concentration():
    table = random_table()
    model = KPrototypes(2, "raw", "lambdaest", random_state=0).fit(table)
    shares = [np.bincount(column) / 80 for column in table.categorical.codes.T]
    concentration = np.mean([1 - (share**2).sum() for share in shares])
    assert model.gamma_ == pytest.approx(table.numeric.var(axis=0, ddof=1).mean() / concentration)


def test_features_are_named_in_the_order_of_the_columns():
    frame = pd.DataFrame({"z": [1.0, 2, 9, 8], "a": list("xxyy")})
    model = KPrototypes(2, init=frame.iloc[[0, 2]]).fit(frame)
    assert model.feature_names_in_.tolist() == ["z", "a"]
    assert model.cluster_centroids_.tolist() == [[1.5, "x"], [8.5, "y"]]
    with pytest.raises(CouplingsError, match="init must have 2 rows"):
        KPrototypes(2, init=frame).fit(frame)


def test_of_starts_with_equal_costs_the_first_counts():
    frame = pd.DataFrame({"z": [0.0, 0, 8, 8], "a": list("xxyy")})
    found = [
        KPrototypes(2, "raw", 1.0, n_init=n_init, random_state=0).fit(frame).labels_.tolist()
        for n_init in range(1, 12)
    ]
    assert found == found[:1] * len(found)
