import numba
import numpy as np
import pytest
from test_kprototypes import random_table

import couplings.cluster.density_peaks as module
from couplings._kernels import pairs
from couplings.cluster.density_peaks import DensityPeaks
from couplings.measures.contexts import AhmadDey
from couplings.measures.frequency import SimpleMatching
from couplings.mixed import MixedSpace
from couplings.table import CategoricalTable


def dense(d, k, percent, kernel):
    """Density peaks from the matrix of distances."""
    n = len(d)
    pairs = np.sort(d[np.triu_indices(n, 1)])
    cutoff = pairs[max(1, int(np.floor(percent / 100 * len(pairs) + 0.5))) - 1]
    if kernel == "cut":
        rho = (d < cutoff).sum(axis=1) - 1.0
    else:
        # The sums of equal objects must be equal.
        rho = np.round(np.exp(-((d / cutoff) ** 2)).sum(axis=1) - 1, 9)
    order = np.argsort(-rho, kind="stable")
    delta, nearest = np.empty(n), np.full(n, -1)
    delta[order[0]] = d[order[0]].max()
    for place, u in enumerate(order[1:], 1):
        earlier = order[:place]
        delta[u] = d[u, earlier].min()
        nearest[u] = earlier[np.argmin(d[u, earlier])]
    centers = np.argsort(-np.round(rho * delta, 9), kind="stable")[:k]
    labels = np.full(n, -1)
    labels[centers] = np.arange(k)
    if labels[order[0]] < 0:
        labels[order[0]] = np.argmin(d[order[0], centers])
    for u in order:
        if labels[u] < 0:
            labels[u] = labels[nearest[u]]
    border = np.zeros(k)
    for u in range(n):
        for v in range(n):
            if labels[u] != labels[v] and d[u, v] <= cutoff:
                border[labels[u]] = max(border[labels[u]], (rho[u] + rho[v]) / 2)
    return cutoff, rho, delta, nearest, centers, labels, rho < border[labels]


def check(model, expected):
    cutoff, rho, delta, nearest, centers, labels, halo = expected
    assert np.isclose(model.cutoff_, cutoff, rtol=1e-12)
    assert np.allclose(model.rho_, rho, rtol=1e-12, atol=1e-8 if model.kernel == "gauss" else 0)
    assert np.allclose(model.delta_, delta, rtol=0, atol=1e-12)
    assert np.array_equal(model.nearest_denser_, nearest)
    assert np.array_equal(model.centers_, centers)
    assert np.array_equal(model.labels_, labels)
    assert np.array_equal(model.halo_, halo)


@pytest.mark.parametrize("kernel", ["cut", "gauss"])
@pytest.mark.parametrize("n", [60, 700])
def test_brute_force_twin_of_mixed_data(kernel, n):
    table = random_table(n, 3)
    table = table.take(np.concatenate([np.arange(n), np.arange(n // 3)]))
    model = DensityPeaks(3, 4, kernel, halo=True).fit(table)
    check(model, dense(MixedSpace.weighted(table).pairwise(table), 3, 4, kernel))
    scaled = MixedSpace.weighted(table, "scaled")
    model = DensityPeaks(3, 4, kernel, halo=True).fit(table, space=scaled)
    check(model, dense(scaled.pairwise(table), 3, 4, kernel))


@pytest.mark.parametrize("aggregation", ["sum", "rss"])
def test_brute_force_twin_of_categorical_data(aggregation):
    codes = np.random.default_rng(5).integers(0, 3, (600, 5))
    table = CategoricalTable.from_codes(codes)
    measure = AhmadDey(aggregation).fit(table)
    model = DensityPeaks(4, 3, halo=True).fit(table, space=measure.space_)
    check(model, dense(measure.pairwise(table), 4, 3, "cut"))


def test_brute_force_twin_of_ties_and_numbers():
    table = CategoricalTable.from_codes(np.random.default_rng(6).integers(0, 3, (300, 4)))
    measure = SimpleMatching().fit(table)
    model = DensityPeaks(3, 20, halo=True).fit(table, space=measure.space_)
    check(model, dense(measure.pairwise(table), 3, 20, "cut"))
    x = np.random.default_rng(7).normal(size=(150, 3))
    d = np.sqrt(((x[:, np.newaxis] - x) ** 2).sum(axis=2))
    check(DensityPeaks(2, 5, halo=True).fit(x), dense(d, 2, 5, "cut"))


@pytest.mark.parametrize("percent", [0.3, 2, 50, 99.99, 100])
@pytest.mark.parametrize("kept", [60, 3000, 10**6])
def test_cutoff_of_many_pairs_is_exact(monkeypatch, percent, kept):
    table = random_table(900, 8)
    table = table.take(np.random.default_rng(1).integers(0, 900, 1500))
    exact = DensityPeaks(2, percent).fit(table).cutoff_
    monkeypatch.setattr(module, "_MOST_PAIRS", 500)
    monkeypatch.setattr(module, "_MOST_KEPT", kept)
    assert DensityPeaks(2, percent).fit(table).cutoff_ == exact


@pytest.mark.skipif(numba.config.NUMBA_NUM_THREADS < 2, reason="one thread only")
@pytest.mark.parametrize("kernel", ["cut", "gauss"])
def test_threads_do_not_matter(kernel):
    table = random_table(2 * pairs.HEIGHT + 100, 4)
    models = []
    for threads in (1, 2):
        before = numba.get_num_threads()
        numba.set_num_threads(threads)
        models.append(DensityPeaks(3, kernel=kernel, halo=True).fit(table))
        numba.set_num_threads(before)
    for name in ("rho_", "delta_", "nearest_denser_", "labels_", "halo_"):
        assert np.array_equal(getattr(models[0], name), getattr(models[1], name))
