"""Density peaks and Ward."""

import numba
import numpy as np
import pytest
from kit import mixed_table, refused
from scipy.spatial.distance import pdist, squareform

import couplings.cluster.density_peaks as module
from couplings import CategoricalTable, CouplingsError, Ward
from couplings._checks import threads
from couplings._kernels import pairs
from couplings.cluster.density_peaks import DensityPeaks, order_statistic
from couplings.cluster.ward import ward, ward_linkage
from couplings.measures.contexts import AhmadDey
from couplings.measures.frequency import SimpleMatching
from couplings.mixed import MixedSpace


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
    near = (labels[:, None] != labels) & (d <= cutoff)
    means = np.where(near, (rho[:, None] + rho) / 2, 0.0)
    border = np.array([means[labels == c].max(initial=0.0) for c in range(k)])
    return cutoff, rho, delta, nearest, centers, labels, rho < border[labels]


def check(model, expected):
    cutoff, rho, delta, nearest, centers, labels, halo = expected
    assert model.cutoff_ == pytest.approx(cutoff, rel=1e-12)
    close = 1e-8 if model.kernel == "gauss" else 0
    np.testing.assert_allclose(model.rho_, rho, rtol=1e-12, atol=close)
    np.testing.assert_allclose(model.delta_, delta, rtol=0, atol=1e-12)
    found = (model.nearest_denser_, model.centers_, model.labels_, model.halo_)
    for ours, want in zip(found, (nearest, centers, labels, halo), strict=True):
        np.testing.assert_array_equal(ours, want)


@pytest.mark.parametrize("kernel", ["cut", "gauss"])
@pytest.mark.parametrize("n", [60, 700])
def test_brute_force_twin_of_mixed_data(kernel, n):
    table = mixed_table(n, 3)
    table = table.take(np.concatenate([np.arange(n), np.arange(n // 3)]))
    raw, scaled = MixedSpace.weighted(table), MixedSpace.weighted(table, "scaled")
    for given, space in ((None, raw), (scaled, scaled)):
        model = DensityPeaks(3, 4, kernel, halo=True).fit(table, space=given)
        check(model, dense(space.pairwise(table), 3, 4, kernel))


@pytest.mark.parametrize(
    ("n", "measure", "k", "percent"),
    [
        (600, AhmadDey("sum"), 4, 3),
        (600, AhmadDey("rss"), 4, 3),
        # many distances are equal
        (300, SimpleMatching(), 3, 20),
    ],
)
def test_brute_force_twin_of_categorical_data(n, measure, k, percent):
    table = CategoricalTable.from_codes(np.random.default_rng(5).integers(0, 3, (n, 5)))
    measure = measure.fit(table)
    model = DensityPeaks(k, percent, halo=True).fit(table, space=measure.space_)
    check(model, dense(measure.pairwise(table), k, percent, "cut"))


def test_brute_force_twin_of_numbers():
    x = np.random.default_rng(7).normal(size=(150, 3))
    check(DensityPeaks(2, 5, halo=True).fit(x), dense(squareform(pdist(x)), 2, 5, "cut"))


@pytest.mark.parametrize("kept", [60, 3000, 10**6])
def test_cutoff_of_many_pairs_is_exact(monkeypatch, kept):
    table = mixed_table(900, 8).take(np.random.default_rng(1).integers(0, 900, 800))
    rows, n_pairs = DensityPeaks()._rows_of(table, None), 800 * 799 // 2
    assert len(rows.weights) > pairs.HEIGHT  # more than one strip
    positions = (1, n_pairs // 50, n_pairs // 2, n_pairs - 30, n_pairs)
    exact = [order_statistic(rows, position) for position in positions]
    monkeypatch.setattr(module, "_MOST_PAIRS", 500)
    monkeypatch.setattr(module, "_MOST_KEPT", kept)
    assert [order_statistic(rows, position) for position in positions] == exact


def test_pairs_of_equal_objects_are_the_first_of_all():
    rows = DensityPeaks()._rows_of(mixed_table(40, 8).take(np.repeat(range(40), 3)), None)
    equal = 40 * 3
    assert order_statistic(rows, equal) == 0 < order_statistic(rows, equal + 1)


@pytest.mark.skipif(numba.config.NUMBA_NUM_THREADS < 2, reason="one thread only")
@pytest.mark.parametrize("kernel", ["cut", "gauss"])
def test_threads_do_not_matter(kernel):
    table, models = mixed_table(2 * pairs.HEIGHT + 100, 4), []
    for n_jobs in (1, 2):
        with threads("DensityPeaks", n_jobs):
            models.append(DensityPeaks(3, kernel=kernel, halo=True).fit(table))
    for name in ("rho_", "delta_", "nearest_denser_", "labels_", "halo_"):
        assert np.array_equal(getattr(models[0], name), getattr(models[1], name))


# Four points on a line: 0, 1, 4, 6.
LINE = np.array([1.0, 4, 6, 3, 5, 2])


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


def test_overwrite():
    distances = LINE.copy()
    ward(distances, 2)
    np.testing.assert_array_equal(distances, LINE)
    assert ward(LINE, 2).dtype == np.int64
    expected = ward_linkage(LINE, recurrence="D2")
    np.testing.assert_array_equal(
        ward_linkage(distances, recurrence="D2", overwrite=True), expected
    )
    assert not np.array_equal(distances, LINE)
    np.testing.assert_array_equal(ward(LINE.astype(np.float32), 2, overwrite=True), ward(LINE, 2))


test_errors = refused(
    CouplingsError,
    lambda distances, k, options: ward(distances, k, **options),
    [
        (LINE, 5, {}, "n_clusters=5 is not an integer from 1 to 4"),
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
