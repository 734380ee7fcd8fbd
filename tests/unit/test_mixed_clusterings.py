"""k-prototypes, k-means of Ahmad and Dey, mixtures and SpectralCAT against their definitions."""

import numpy as np
import pandas as pd
import pytest
from kit import mixed_table, refused
from scipy.special import logsumexp
from scipy.stats import multivariate_normal
from sklearn.exceptions import ConvergenceWarning

from couplings import CategoricalTable, CouplingsError, KModes, LatentClasses, MissingValuesError
from couplings.cluster.kprototypes import KPrototypes
from couplings.cluster.mixed_kmeans import AhmadDeyKMeans
from couplings.cluster.mixture import MultinomialGaussianMixture
from couplings.cluster.spectralcat import SpectralCAT
from couplings.discretize import apply_cuts, automatic_categories, equal_width_cuts
from couplings.mixed import MixedTable, scaled


def test_many_clusters_and_constant_numbers():
    table = mixed_table(20)
    numeric = np.column_stack([table.numeric[:, 0], np.ones(20)])
    flat = MixedTable(table.categorical, numeric, ("x", "y"))
    model = AhmadDeyKMeans(20, random_state=0, n_init=1).fit(flat)
    assert model.weights_[1] == 0
    assert model.labels_.max() < 20
    mixture = MultinomialGaussianMixture(2, random_state=0).fit(flat, sample_weight=[2.0] * 20)
    assert mixture._scale[1][1] == 1


def k_prototypes_in_loops(table, k, seed, scale, gamma):
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
def test_k_prototypes_in_loops_give_the_same(seed, scale, gamma, k):
    table = mixed_table(seed=seed)
    settings = {"random_state": seed, "n_init": 1, "init": "random", "update": "online"}
    model = KPrototypes(k, scale, gamma, **settings).fit(table)
    labels, cost, modes = k_prototypes_in_loops(table, k, seed, scale, gamma)
    assert np.array_equal(model.labels_, labels)
    assert np.isclose(model.objective_, cost, rtol=1e-12)
    assert np.array_equal(model.modes_, modes)


def test_empty_clusters_take_random_objects():
    table = mixed_table(12).take(np.repeat(np.arange(3), 4))
    with pytest.warns(ConvergenceWarning, match="3 of n_clusters=5"):
        model = KPrototypes(5, random_state=0).fit(table)
    assert np.isclose(model.objective_, 0)
    assert len(np.unique(KPrototypes(12, random_state=0).fit(mixed_table(12)).labels_)) == 12


@pytest.mark.parametrize(("uniform", "found"), [(0.19, [1, 0, 0, 0, 0]), (0.21, [0, 1, 1, 1, 1])])
def test_a_cluster_emptied_by_a_pass_takes_a_random_object(uniform, found):
    """Of five, the first takes the cluster of its own; the others draw the rest but the first."""
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
        *(numeric, values, np.zeros(1), offsets, offsets, 1.0, *objects, *state),
        np.array([uniform]),
        False,
    )
    assert moves >= 1
    assert members.tolist() == found
    assert np.array_equal(state[5], np.bincount(members))
    assert np.allclose(state[0][:, 0], [numeric[members == c].mean() for c in range(2)])


def best_cost(table, labels, gamma):
    """Cost of clusters with their best prototypes; missing numbers as the class says."""
    numeric, codes = table.numeric, table.categorical.codes
    seen = ~np.isnan(numeric)
    scales = numeric.shape[1] / np.maximum(seen.sum(axis=1), 1)
    cost = 0.0
    for c in set(labels):
        for t in range(numeric.shape[1]):
            rows = (labels == c) & seen[:, t]
            if rows.any():
                mean = np.average(numeric[rows, t], weights=scales[rows])
                cost += (scales[rows] * (numeric[rows, t] - mean) ** 2).sum()
        for column in codes.T:
            inside = column[labels == c]
            cost += gamma * (len(inside) - np.bincount(inside).max())
    return cost


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("gaps", [False, True])
def test_no_move_of_an_object_lowers_the_cost_after_the_moves_of_hartigan(seed, gaps):
    table = mixed_table(40, seed=seed)
    if gaps:
        numeric = np.where(np.random.default_rng(seed).random((40, 2)) < 0.2, np.nan, table.numeric)
        table = MixedTable(table.categorical, numeric, table.names)
    chosen = np.nan_to_num(table.numeric[:3])
    start = MixedTable(table.categorical.take([0, 1, 2]), chosen, table.names)
    online = KPrototypes(3, "raw", 0.7, init=start, update="online").fit(table)
    model = KPrototypes(3, "raw", 0.7, init=start).fit(table)
    assert model.cost_ <= online.cost_ * (1 + 1e-12)
    assert model.cost_ == pytest.approx(best_cost(table, model.labels_, 0.7))
    assert (np.diff(model.epoch_costs_[online.n_iter_ :]) <= 1e-9).all()
    for u in range(40):
        if (model.labels_ == model.labels_[u]).sum() > 1:
            for c in range(3):
                moved = np.where(np.arange(40) == u, c, model.labels_)
                assert best_cost(table, moved, 0.7) >= model.cost_ * (1 - 1e-9)


@pytest.mark.parametrize("init", ["plus", "random", "cao"])
def test_every_start_gives_as_many_clusters_as_asked(init):
    table = mixed_table(60)
    model = KPrototypes(4, init=init, random_state=0).fit(table)
    assert len(np.unique(model.labels_)) == 4
    again = KPrototypes(4, init=init, random_state=0).fit(table)
    np.testing.assert_array_equal(again.labels_, model.labels_)
    np.testing.assert_array_equal(model.predict(table), model.labels_)


def test_the_start_of_cao_is_one_start_without_chance():
    table = mixed_table(60)
    found = [KPrototypes(4, init="cao", random_state=seed).fit(table).cost_ for seed in range(3)]
    assert len(set(found)) == 1


test_k_prototypes_refuses_unknown_starts_and_moves = refused(
    CouplingsError,
    lambda parameters: KPrototypes(2, **parameters).fit(mixed_table(10)),
    [
        ({"init": "huang"}, "init='huang'"),
        ({"update": "frequency"}, "update='frequency'"),
        ({"update": "ng", "measure": "dilca_rr"}, "defined for simple matching only"),
    ],
)


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
    np.testing.assert_allclose(model.objective_, (4 / 3) ** 2 + 2 * (2 / 3) ** 2)
    np.testing.assert_array_equal(model.transform(table).argmin(axis=1), model.predict(table))
    np.testing.assert_allclose(model.between(table)[0], [0.0, 8.0, 201.0, 1.0])


def test_lambdaest_is_the_ratio_of_variance_and_concentration():
    table = mixed_table()
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


def total_variation(whole, j, x, y):
    """Mean total variation of the other attributes given two values."""
    in_x, in_y = whole[whole[:, j] == x], whole[whole[:, j] == y]
    parts = [
        0.5 * sum(abs((in_x[:, k] == b).mean() - (in_y[:, k] == b).mean()) for b in set(column))
        for k, column in enumerate(whole.T)
        if k != j
    ]
    return np.mean(parts)


def mixed_k_means_in_loops(table, k, seed, bins, scale):
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
def test_mixed_k_means_in_loops_give_the_same(seed, bins, scale, k):
    table = mixed_table(60, seed)
    model = AhmadDeyKMeans(k, bins, scale, random_state=seed, n_init=1).fit(table)
    weights, delta, labels, cost = mixed_k_means_in_loops(table, k, seed, bins, scale)
    assert np.allclose(model.weights_, weights, rtol=0, atol=1e-12)
    for j, block in enumerate(delta):
        assert np.allclose(model.value_matrices_.block(j), block, rtol=0, atol=1e-12)
    assert np.array_equal(model.labels_, labels)
    assert np.isclose(model.objective_, cost, rtol=1e-12)


def mixture_in_loops(table, k, seed, pseudo_count, ridge, steps):
    x, codes = scaled(table.numeric, "z"), table.categorical.codes.astype(int)
    n, r = x.shape
    start = np.random.default_rng(seed).choice(n, k, replace=False)
    far = ((x[:, np.newaxis] - x[start]) ** 2).sum(axis=2) + (
        codes[:, np.newaxis] != codes[start]
    ).sum(axis=2)
    posterior = np.eye(k)[far.argmin(axis=1)]
    likelihoods = []
    for _ in range(steps):
        joint = np.empty((n, k))
        for c in range(k):
            p = posterior[:, c]
            mean = p @ x / p.sum()
            covariance = (p * (x - mean).T) @ (x - mean) / p.sum() + ridge * np.eye(r)
            joint[:, c] = np.log(p.mean()) + multivariate_normal(mean, covariance).logpdf(x)
            for j, v in enumerate(table.categorical.n_values):
                share = np.bincount(codes[:, j], p, v) + pseudo_count
                joint[:, c] += np.log(share / share.sum())[codes[:, j]]
        evidence = logsumexp(joint, axis=1)
        likelihoods.append(evidence.sum())
        posterior = np.exp(joint - evidence[:, np.newaxis])
    return np.array(likelihoods), posterior


@pytest.mark.twin_of("MultinomialGaussianMixture")
@pytest.mark.parametrize(("seed", "k"), [(0, 2), (1, 3), (2, 4), (3, 8)])
def test_mixtures_in_loops_give_the_same(seed, k):
    table = mixed_table(120, seed)
    model = MultinomialGaussianMixture(k, random_state=seed, n_init=1).fit(table)
    likelihoods, posterior = mixture_in_loops(table, k, seed, 0.1, 1e-3, model.n_iter_)
    assert np.allclose(model.log_likelihoods_, likelihoods, rtol=1e-12)
    assert np.allclose(model.posterior_, posterior, rtol=0, atol=1e-10)
    gains = np.diff(likelihoods)
    assert gains[-1] < 1e-5 * abs(likelihoods[-1])
    assert (gains[:-1] >= 1e-5 * np.abs(likelihoods[1:-1])).all()
    assert np.isclose(model.weights_.sum(), 1)


def test_equal_objects_leave_a_component_without_mass():
    table = mixed_table(10).take(np.repeat([0, 1], 5))
    model = MultinomialGaussianMixture(4, random_state=0, n_init=1).fit(table)
    assert np.isfinite(model.log_likelihoods_).all()
    assert np.isclose(model.posterior_.sum(axis=1), 1).all()
    assert (model.weights_ == 0).any()


def holed(n, seed):
    table = mixed_table(n, seed)
    numeric = table.numeric.copy()
    numeric[np.random.default_rng(seed).random(numeric.shape) < 0.2] = np.nan
    return MixedTable(table.categorical, numeric, table.names)


def likelihoods_by_marginals(model, table):
    """Log-likelihood of each object in the numbers' own units: only what it has counts."""
    log_weights, means, factors, log_values = model._parameters
    centre, spread = model._scale
    codes = table.categorical.codes + table.categorical.offsets[:-1]
    out = []
    for row, values in zip(table.numeric, codes, strict=True):
        there = ~np.isnan(row)
        logs = log_weights + log_values[:, values].sum(axis=1)
        for c, factor in enumerate(factors):
            covariance = (factor @ factor.T) * np.outer(spread, spread)
            mean = centre + spread * means[c]
            if there.any():
                normal = multivariate_normal(mean[there], covariance[np.ix_(there, there)])
                logs[c] += normal.logpdf(row[there])
        out.append(logsumexp(logs))
    return np.array(out)


@pytest.mark.filterwarnings("ignore:MultinomialGaussianMixture. the best start did not converge")
@pytest.mark.parametrize("make", [mixed_table, holed])
def test_likelihoods_are_in_the_units_of_the_numbers_and_of_what_there_is(make):
    table = make(150, 4)
    model = MultinomialGaussianMixture(
        3, pseudo_count=0.0, ridge=0.0, tol=0.0, random_state=1, max_iter=60, n_init=1
    ).fit(table)
    assert len(model.log_likelihoods_) > 5
    assert (np.diff(model.log_likelihoods_) >= -1e-9).all()
    expected = likelihoods_by_marginals(model, table)
    np.testing.assert_allclose(model.score_samples(table), expected, rtol=1e-9)
    assert model.log_likelihood_ == pytest.approx(expected.sum())
    assert model.score(table) == pytest.approx(expected.mean())
    p = 2 + 3 * (2 + 3 + int((table.categorical.n_values - 1).sum()))
    assert model.n_parameters_ == p
    assert model.bic_ == pytest.approx(-2 * expected.sum() + p * np.log(150))
    assert np.array_equal(model.predict(table), model.labels_)
    # scale and shift of the numbers move the likelihood by the logarithm of the scale alone
    moved = MixedTable(table.categorical, table.numeric * 10 + 3, table.names)
    again = MultinomialGaussianMixture(**model.get_params()).fit(moved)
    there = (~np.isnan(table.numeric)).sum()
    shifted = model.log_likelihood_ - there * np.log(10)
    assert again.log_likelihood_ == pytest.approx(shifted, abs=1e-6)


@pytest.mark.parametrize(("make", "k"), [(mixed_table, 2), (holed, 1)])
def test_weights_count_as_repeated_objects(make, k):
    table, weights = make(80, 2), np.random.default_rng(5).integers(1, 4, 80)
    exact = {"pseudo_count": 0.0, "ridge": 0.0, "tol": 1e-12, "max_iter": 2000}
    model = MultinomialGaussianMixture(k, random_state=0, **exact)
    one = model.fit(table, sample_weight=weights)
    two = MultinomialGaussianMixture(**model.get_params())
    two.fit(table.take(np.repeat(np.arange(80), weights)))
    assert one.log_likelihood_ == pytest.approx(two.log_likelihood_, abs=1e-5)
    assert one.criteria_ == pytest.approx(two.criteria_, abs=1e-4)


WHOLE = mixed_table(30)
test_a_number_that_no_object_has_is_named = refused(
    MissingValuesError,
    lambda model: model.fit(
        MixedTable(WHOLE.categorical, WHOLE.numeric * [1.0, np.nan], WHOLE.names)
    ),
    [
        (KPrototypes(2), "'y' has missing values only"),
        (MultinomialGaussianMixture(2), "column 'y' has missing values only"),
    ],
)


@pytest.mark.parametrize("kind", [MultinomialGaussianMixture, KPrototypes, KModes, LatentClasses])
def test_too_few_steps_are_named(kind):
    data = WHOLE.categorical if kind in (KModes, LatentClasses) else WHOLE
    with pytest.warns(ConvergenceWarning, match="max_iter=1"):
        kind(2, max_iter=1, n_init=1, random_state=0).fit(data)


def dense(table, k, part):
    codes = np.column_stack(
        [table.categorical.codes, *(automatic_categories(c) for c in table.numeric.T)]
    )
    n = len(codes)
    sizes = [len(np.unique(column)) for column in codes.T]
    h = ((codes[:, np.newaxis] != codes) / sizes).sum(axis=2)
    kernel = np.exp(-h / (h.sum() / (n * (n - 1)) / part))
    d = kernel.sum(axis=1)
    values, vectors = np.linalg.eigh(kernel / np.sqrt(np.outer(d, d)))
    values, vectors = values[::-1][: k + 1], vectors[:, ::-1][:, : k + 1]
    vectors = vectors / np.sqrt(d)[:, np.newaxis]
    vectors /= np.linalg.norm(vectors, axis=0)
    return values, vectors[:, 1:] * values[1:]


@pytest.mark.twin_of("SpectralCAT")
@pytest.mark.parametrize(
    ("bandwidth", "part", "n"),
    # 1,500 rows are so many that Lanczos iterations take over
    [("mean", 1, 60), ("mean/4", 4, 60), ("mean/10", 10, 60), ("mean/4", 4, 1500)],
)
def test_dense_spectralcat_gives_the_same(bandwidth, part, n):
    table = mixed_table(n, 1)
    if n == 60:  # with repeated rows
        table = table.take(np.concatenate([np.arange(60), np.arange(30)]))
    model = SpectralCAT(3, bandwidth, random_state=0).fit(table)
    values, embedding = dense(table, 3, part)
    assert np.allclose(model.eigenvalues_, values, rtol=0, atol=1e-12)
    assert np.isclose(model.eigenvalues_[0], 1)
    assert np.allclose(
        model.embedding_ @ model.embedding_.T, embedding @ embedding.T, rtol=0, atol=1e-11
    )
    again = SpectralCAT(3, bandwidth, random_state=0).fit(table)
    assert np.array_equal(model.embedding_, again.embedding_)
