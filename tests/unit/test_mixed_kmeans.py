import numpy as np
import pytest
from test_kprototypes import random_table

from couplings.cluster.mixed_kmeans import AhmadDeyKMeans
from couplings.discretize import apply_cuts, equal_width_cuts
from couplings.mixed import MixedTable, scaled


def total_variation(whole, j, x, y):
    """Mean total variation of the other attributes given two values."""
    in_x, in_y = whole[whole[:, j] == x], whole[whole[:, j] == y]
    parts = [
        0.5 * sum(abs((in_x[:, k] == b).mean() - (in_y[:, k] == b).mean()) for b in set(column))
        for k, column in enumerate(whole.T)
        if k != j
    ]
    return np.mean(parts)


def brute(table, k, seed, bins, scale):
    codes = table.categorical.codes.astype(int)
    m, r = codes.shape[1], table.n_numeric
    binned = [apply_cuts(c, equal_width_cuts(c, bins)) for c in table.numeric.T]
    whole = np.column_stack([codes, *binned])
    weights = np.zeros(r)
    for t in range(r):
        seen = np.unique(whole[:, m + t])
        pairs = [total_variation(whole, m + t, a, b) for a in seen for b in seen if a < b]
        weights[t] = np.mean(pairs)
    delta = [
        np.array([[total_variation(whole, j, a, b) for b in range(v)] for a in range(v)])
        for j, v in enumerate(table.categorical.n_values)
    ]
    x = scaled(table.numeric, scale)
    labels = np.random.default_rng(seed).integers(0, k, len(x))
    for _ in range(100):
        cost = np.zeros((len(x), k))
        for c in range(k):
            inside = labels == c
            assert inside.any()
            cost[:, c] = ((weights * (x - x[inside].mean(axis=0))) ** 2).sum(axis=1)
            for j in range(m):
                cost[:, c] += delta[j][:, codes[inside, j]].mean(axis=1)[codes[:, j]] ** 2
        if np.array_equal(cost.argmin(axis=1), labels):
            break
        labels = cost.argmin(axis=1)
    return weights, delta, labels, cost.min(axis=1).sum()


@pytest.mark.twin_of("AhmadDeyKMeans")
@pytest.mark.parametrize(
    ("seed", "bins", "scale"), [(0, 5, "minmax"), (1, 5, "z"), (2, 10, "minmax"), (3, 5, "raw")]
)
@pytest.mark.parametrize("k", [3, 8])
def test_brute_force_twin(seed, bins, scale, k):
    table = random_table(60, seed)
    model = AhmadDeyKMeans(k, bins, scale, random_state=seed, n_init=1).fit(table)
    weights, delta, labels, cost = brute(table, k, seed, bins, scale)
    assert np.allclose(model.weights_, weights, rtol=0, atol=1e-12)
    for j, block in enumerate(delta):
        assert np.allclose(model.value_matrices_.block(j), block, rtol=0, atol=1e-12)
    assert np.array_equal(model.labels_, labels)
    assert np.isclose(model.cost_, cost, rtol=1e-12)


def test_many_clusters_and_constant_numbers():
    table = random_table(20)
    flat = MixedTable(
        table.categorical, np.column_stack([table.numeric[:, 0], np.ones(20)]), ("x", "y")
    )
    model = AhmadDeyKMeans(20, random_state=0, n_init=1).fit(flat)
    assert model.weights_[1] == 0
    assert model.labels_.max() < 20
