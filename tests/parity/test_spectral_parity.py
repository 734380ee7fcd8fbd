"""Spectral clustering against scipy and scikit-learn on matrices over all objects."""

import numpy as np
import pytest
from scipy.sparse.csgraph import laplacian

from couplings import CategoricalTable
from couplings.cluster.spectral import CategoricalSpectral, spectral_embedding
from couplings.measures.contexts import AhmadDey
from couplings.metrics.external import adjusted_rand


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    group = np.arange(90) % 3
    noise = rng.random((90, 6)) < 0.25
    codes = np.where(noise, rng.integers(0, 5, (90, 6)), group[:, None])
    return CategoricalTable.from_codes(np.vstack([codes, codes[:30]]), [5] * 6)


@pytest.mark.parametrize("affinity", ["one-minus", "inverse"])
def test_unnormalised_is_scipys_laplacian(table, affinity):
    measure = AhmadDey().fit(table)
    distances = measure.pairwise(table)
    similarity = 1 - distances / distances.max() if affinity == "one-minus" else 1 / (1 + distances)
    values, vectors = np.linalg.eigh(laplacian(similarity))
    embedding = spectral_embedding(table, measure, affinity, 3, "unnorm")
    np.testing.assert_allclose(embedding.eigenvalues, values[:3], rtol=0, atol=1e-10)
    rows = embedding.objects
    np.testing.assert_allclose(rows @ rows.T, vectors[:, :3] @ vectors[:, :3].T, atol=1e-10)


def test_clusters_are_scikit_learns(table):
    cluster = pytest.importorskip("sklearn.cluster")
    measure = AhmadDey().fit(table)
    distances = measure.pairwise(table)
    theirs = cluster.SpectralClustering(3, affinity="precomputed", random_state=0).fit_predict(
        1 - distances / distances.max()
    )
    ours = CategoricalSpectral(3, kmeans_init="greedy", random_state=0).fit_predict(
        table, matrices=measure
    )
    assert adjusted_rand(theirs, ours) > 0.95
