"""k-modes and k-means."""

import numpy as np
import pytest
from kit import refused
from sklearn.exceptions import ConvergenceWarning

from couplings import Cado, CategoricalTable, CouplingsError
from couplings._checks import threads
from couplings._kernels import lloyd
from couplings.cluster.kmeans import KMeans, _start, kmeans_runs, nearest_centers
from couplings.cluster.kmodes import UPDATES, KModes, kmodes, random_starts, spread_starts
from couplings.spaces import ObjectSpace
from couplings.values import ValueMatrices


def overlap(table):
    return ValueMatrices.from_blocks([1.0 - np.eye(v) for v in table.n_values])


def test_minimiser_prefers_the_central_value():
    line = ValueMatrices.from_blocks([np.abs(np.subtract.outer(np.arange(4.0), np.arange(4.0)))])
    table = CategoricalTable.from_codes(np.array([[0], [0], [0], [2], [3], [3], [3]]), [4])
    assert kmodes(table, line, [0]).modes.item() == 0
    middle = kmodes(table, line, [0], "minimiser")
    assert middle.modes.item() == 2
    assert middle.objective[0] == 9


@pytest.mark.parametrize("update", UPDATES)
def test_equal_objects_stay_together_where_clusters_are_too_many(update):
    model, rows = KModes(4, update=update, random_state=0), [["a", "b"]] * 3 + [["c", "d"]] * 3
    with pytest.warns(ConvergenceWarning, match="2 of n_clusters=4"):
        model.fit(rows)
    assert model.labels_.tolist() == model.predict(rows).tolist()
    assert len(set(model.labels_[:3])) == len(set(model.labels_[3:])) == 1
    assert model.objective_ == 0


def test_the_start_of_least_objective_is_kept():
    table = CategoricalTable.from_codes(np.random.default_rng(2).integers(0, 4, (40, 5)))
    runs = kmodes(table, overlap(table), random_starts(40, 4, 6, 0))
    assert runs.objective.min() < runs.objective.max()
    best = runs.objective.argmin()
    model = KModes(4, init="random", n_init=6, random_state=0).fit(table, matrices=overlap(table))
    assert model.labels_.tolist() == runs.labels[best].tolist()
    assert model.modes_.tolist() == runs.modes[best].tolist()
    assert (model.objective_, model.n_iter_) == (runs.objective[best], runs.n_iter[best])


def test_random_starts():
    starts = random_starts(10, 10, 3, 5)
    assert (np.sort(starts, axis=1) == np.arange(10)).all()
    assert (starts == random_starts(10, 10, 3, np.random.default_rng(5))).all()
    assert random_starts(4, 2, 0).shape == (0, 2)


def test_spread_starts_by_their_definition():
    table = CategoricalTable.from_codes(np.random.default_rng(0).integers(0, 4, (30, 3)))
    apart = ObjectSpace(overlap(table), "sum").pairwise(table)
    uniforms = np.random.default_rng(7).random((8, 2 + int(np.log(8))))
    chosen = [int(30 * uniforms[0, 0])]
    for row in uniforms[1:]:
        nearest = apart[chosen].min(axis=0)
        drawn = np.searchsorted(nearest.cumsum(), row * nearest.sum(), side="right")
        left = [np.minimum(nearest, apart[u]).sum() for u in drawn]
        chosen.append(drawn[np.argmin(left)])
    assert spread_starts(table, overlap(table), 8, 1, 7).tolist() == [chosen]
    alike = CategoricalTable.from_codes(np.zeros((3, 1), int))
    assert np.sort(spread_starts(alike, overlap(alike), 3, 2, 0)).tolist() == [[0, 1, 2]] * 2


def cost_of(table, matrices, labels, k):
    """The objective of clusters with the best modes there are."""
    blocks = [matrices.block(j) for j in range(table.n_attributes)]
    total = 0.0
    for c in range(k):
        for block, column in zip(blocks, table.codes.T, strict=True):
            counts = np.bincount(column[labels == c], minlength=len(block))
            total += min((counts @ block)[np.unique(column)])
    return total


@pytest.mark.parametrize("seed", range(6))
def test_no_transfer_improves_hartigan_and_wongs_clusters(seed):
    """Brute force: each group of equal objects is put into each other cluster."""
    rng = np.random.default_rng(seed)
    table, k = CategoricalTable.from_codes(rng.integers(0, 3, (30, 4))), 3
    matrices = overlap(table) if seed % 2 else Cado().fit(table).value_matrices_
    starts = random_starts(30, k, 4, seed)
    runs = {name: kmodes(table, matrices, starts, name) for name in UPDATES if name != "ng"}
    found = runs["hartigan"]
    for name in ("frequency", "online"):
        assert (found.objective <= runs[name].objective + 1e-9).all()
    for labels, objective in zip(found.labels, found.objective, strict=True):
        assert objective == pytest.approx(cost_of(table, matrices, labels, k))
        for row in np.unique(table.codes, axis=0):
            for c in range(k):
                moved = np.where((table.codes == row).all(axis=1), c, labels)
                assert cost_of(table, matrices, moved, k) >= objective - 1e-9


def test_given_modes_and_caos_start():
    cars = [["vw", "gas"], ["vw", "gas"], ["vw", "oil"], ["bmw", "oil"], ["bmw", "oil"]]
    model = KModes(2, init=[["bmw", "oil"], ["vw", "gas"]]).fit(cars)
    assert model.labels_.tolist() == [1, 1, 0, 0, 0]
    assert model.epoch_costs_.tolist() == [1.0, 1.0, 1.0]
    assert model.transform(cars[:1]).tolist() == [[2.0, 0.0]]
    # Densities .5, .5, .6, .5, .5; times distance to vw oil: .5, .5, 0, .5, .5.
    assert KModes(2, init="cao").fit(cars).cluster_centroids_.tolist() == [
        ["bmw", "oil"],
        ["vw", "gas"],
    ]


def test_ngs_dissimilarity_by_hand():
    rows = [["a", "x"], ["a", "y"], ["a", "x"], ["b", "z"]]
    model = KModes(2, init=[["a", "x"], ["b", "z"]], update="ng").fit(rows)
    assert model.labels_.tolist() == [0, 0, 0, 1]
    np.testing.assert_allclose(model.transform(rows), [[1 / 3, 2], [1, 2], [1 / 3, 2], [2, 0]])
    assert model.objective_ == pytest.approx(5 / 3)


def blobs(n=60, k=3, d=4, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)) + 6 * rng.normal(size=(k, d))[np.arange(n) % k]


def brute_lloyd(rows, centers):
    """Twin without weights or empty clusters: assign, average, until nothing changes."""
    labels, new = None, ((rows[:, None] - centers) ** 2).sum(axis=2).argmin(axis=1)
    while labels is None or (new != labels).any():
        labels = new
        centers = np.array([rows[labels == c].mean(axis=0) for c in range(len(centers))])
        new = ((rows[:, None] - centers) ** 2).sum(axis=2).argmin(axis=1)
    return labels, centers


@pytest.mark.twin_of("KMeans")
@pytest.mark.parametrize(("k", "d"), [(2, 1), (3, 4), (5, 3), (9, 10)])
def test_lloyd_is_the_brute_force(k, d):
    rows = np.random.default_rng(k).random((300, d))
    labels, centers = brute_lloyd(rows, rows[:k])
    means = KMeans(k, init=rows[:k]).fit(rows)
    np.testing.assert_array_equal(means.labels_, labels)
    np.testing.assert_array_equal(means.predict(rows), labels)
    np.testing.assert_allclose(means.cluster_centers_, centers, rtol=0, atol=1e-12)
    assert means.objective_ == pytest.approx(((rows - centers[labels]) ** 2).sum(), rel=1e-12)


def lloyd_without_bounds(rows, weights, centers, max_iter=300):
    """Every distance in every pass, by the kernels that `lloyd` is made of."""
    labels, distances = nearest_centers(rows, centers), np.empty(len(rows))
    updates, changed = 0, True
    while changed and updates < max_iter:
        updates += 1
        sums, sizes = np.zeros_like(centers), np.zeros(len(centers), dtype=np.int64)
        for i, own in enumerate(labels):
            sums[own] += weights[i] * rows[i]
            sizes[own] += weights[i]
        lloyd._to_own(rows, centers, labels, distances)
        lloyd._fill_empty(rows, weights, labels, distances, np.zeros(len(rows)), sums, sizes)
        for c in np.flatnonzero(sizes):
            centers[c] = sums[c] / sizes[c]
        before, labels = labels, nearest_centers(rows, centers)
        changed = (labels != before).any()
    lloyd._to_own(rows, centers, labels, distances)
    inertia = 0.0
    for weight, distance in zip(weights, distances, strict=True):
        inertia += weight * distance
    return labels, inertia, updates


@pytest.mark.parametrize("kind", ["grid", "scaled", "far"])
@pytest.mark.parametrize("seed", range(20))
def test_bounds_change_nothing(kind, seed):
    rng = np.random.default_rng(seed)
    n, d, k = int(rng.integers(20, 200)), int(rng.integers(1, 9)), int(rng.integers(1, 20))
    rows = {
        "grid": lambda: rng.integers(0, 3, (n, d)).astype(float),
        "scaled": lambda: rng.normal(size=(n, d)) * 10.0 ** rng.integers(-8, 8),
        "far": lambda: rng.normal(size=(n, d)).round(1) + 1e6,
    }[kind]()
    weights = rng.integers(1, 4, n)
    centers = rows[rng.choice(n, k, replace=False)]
    expected = centers.copy()
    labels, inertia, updates = lloyd_without_bounds(rows, weights, expected)
    found = np.empty(n, dtype=np.int64)
    assert lloyd.lloyd(rows, weights, centers, 300, found)[:2] == (inertia, updates)
    np.testing.assert_array_equal(found, labels)
    np.testing.assert_array_equal(centers, expected)


def test_an_empty_cluster_of_k_means_takes_the_farthest_object():
    # The second centre attracts nobody; 7 lies farthest from the mean of all.
    means = KMeans(2, init=[[1.0], [100.0]]).fit([[0.0], [1.0], [2.0], [7.0]])
    assert means.labels_.tolist() == [0, 0, 0, 1]
    assert means.cluster_centers_.ravel().tolist() == [1.0, 7.0]


def test_fewer_different_rows_than_clusters_leave_a_cluster_empty():
    means = KMeans(3, random_state=0).fit([[0.0], [0.0], [5.0], [5.0]])
    assert len(set(means.labels_)) == 2
    assert means.objective_ == 0.0


@pytest.mark.parametrize("seed", range(10))
def test_weights_stand_for_repeated_rows_where_a_cluster_is_empty(seed):
    rng = np.random.default_rng(seed)
    rows = np.unique(rng.integers(0, 3, (12, 2)).astype(float), axis=0)
    weights = rng.integers(1, 4, len(rows))
    index = np.repeat(np.arange(len(rows)), weights)
    start = np.vstack([rows[:2], [[50.0, 50.0]]])
    weighted = KMeans(3, init=start).fit(rows, sample_weight=weights)
    repeated = KMeans(3, init=start).fit(rows[index])
    np.testing.assert_array_equal(weighted.labels_[index], repeated.labels_)
    np.testing.assert_allclose(weighted.cluster_centers_, repeated.cluster_centers_, atol=1e-12)
    assert weighted.objective_ == pytest.approx(repeated.objective_, abs=1e-12)


@pytest.mark.parametrize("init", ["plus", "sample", "greedy"])
def test_runs_are_single_fits_and_deterministic(init):
    rows = blobs(seed=3)
    runs = kmeans_runs(rows, 4, range(6), init=init)
    for seed in range(6):
        single = KMeans(4, init, random_state=seed).fit(rows)
        assert (single.labels_ == runs.labels[seed]).all()
        assert single.objective_ == runs.inertia[seed]
    generator = np.random.default_rng(2)
    assert (KMeans(4, init, generator).fit_predict(rows) == runs.labels[2]).all()


def test_the_number_of_threads_does_not_matter():
    rows = blobs(200, 5, seed=4)
    many = kmeans_runs(rows, 5, range(8))
    with threads("KMeans", 1):
        one = kmeans_runs(rows, 5, range(8))
    assert (one.labels == many.labels).all()
    assert (one.centers == many.centers).all()


def drawn(rows, n_clusters, init, weights, n_runs):
    generators = [np.random.default_rng(seed) for seed in range(n_runs)]
    return _start(np.asarray(rows), np.asarray(weights), n_clusters, generators, init)


def test_plus_draws_by_weighted_squared_distance():
    starts = drawn([[0.0], [1.0], [3.0]], 2, "plus", [1, 2, 1], 8000)
    first = np.bincount(starts[:, 0], minlength=3) / len(starts)
    np.testing.assert_allclose(first, [0.25, 0.5, 0.25], atol=0.02)
    # From 0: two objects at squared distance 1 and one at 9; from 1: 1 and 4; from 3: 9, 2 x 4.
    expected = [[0, 2 / 11, 9 / 11], [1 / 5, 0, 4 / 5], [9 / 17, 8 / 17, 0]]
    for chosen, probabilities in enumerate(expected):
        second = starts[starts[:, 0] == chosen, 1]
        shares = np.bincount(second, minlength=3) / len(second)
        np.testing.assert_allclose(shares, probabilities, atol=0.03)


def test_greedy_keeps_the_best_of_its_candidates():
    rows = np.concatenate([np.zeros((50, 1)), np.full((2, 1), 5.0), np.full((1, 1), 9.0)])
    rows += np.arange(len(rows))[:, None] * 1e-3
    inertia = {
        init: kmeans_runs(rows, 3, range(300), init=init).inertia.mean()
        for init in ("sample", "plus", "greedy")
    }
    assert inertia["greedy"] <= inertia["plus"] < inertia["sample"]


def test_sample_draws_different_objects_by_multiplicity():
    starts = drawn([[0.0], [1.0], [10.0]], 2, "sample", [8, 1, 1], 4000)
    both = {tuple(sorted(start)) for start in starts.tolist()}
    assert both == {(0, 0), (0, 1), (0, 2), (1, 2)}
    assert np.mean((starts == 0).all(axis=1)) == pytest.approx(8 / 10 * 7 / 9, abs=0.03)


START = {"X": [[0.0], [1.0], [2.0]], "n_clusters": 2, "random_states": [0]}
test_bad_arguments = refused(
    CouplingsError,
    lambda change: kmeans_runs(**START | change),
    [
        ({"X": [1.0, 2.0]}, "at least one column"),
        ({"X": np.zeros((3, 0))}, "at least one column"),
        ({"X": [[np.nan], [1.0]]}, "NaN"),
        ({"n_clusters": 4}, "1 to 3 objects"),
        # whole weights count objects, others do not
        ({"n_clusters": 5, "weights": [2, 1, 1]}, "1 to 4 objects"),
        ({"n_clusters": 3, "weights": [0.5, 0.0, 1.0]}, "1 to 2 objects"),
        ({"max_iter": 0}, "max_iter"),
        ({"init": "random"}, "'plus', 'sample', 'greedy'"),
        ({"init": [[0.0, 1.0]]}, "shape"),
        ({"init": [[0.0], [np.inf]]}, "finite"),
        ({"weights": [1, 2]}, "numbers of at least 0"),
    ],
)
