import numpy as np
import pytest
from test_kprototypes import random_table

from couplings.cluster.spectralcat import SpectralCAT
from couplings.discretize import automatic_categories


def dense(table, k, part):
    """Return eigenvalues and embedding from the n x n kernel of all objects."""
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
    [("mean", 1, 60), ("mean/4", 4, 60), ("mean/10", 10, 60), ("mean/4", 4, 1500)],
)
def test_brute_force_twin(bandwidth, part, n):
    table = random_table(n, 1)
    if n == 60:  # with repeated rows
        table = table.take(np.concatenate([np.arange(60), np.arange(30)]))
    model = SpectralCAT(3, bandwidth, random_state=0).fit(table)
    values, embedding = dense(table, 3, part)
    assert np.allclose(model.eigenvalues_, values, rtol=0, atol=1e-12)
    assert np.isclose(model.eigenvalues_[0], 1)
    assert np.allclose(
        model.embedding_ @ model.embedding_.T, embedding @ embedding.T, rtol=0, atol=1e-11
    )


def test_lanczos_and_dense_agree(monkeypatch):
    import couplings.cluster.spectralcat as module

    table = random_table(400, 2)
    dense_one = SpectralCAT(2, random_state=0).fit(table)
    monkeypatch.setattr(module, "_FEWEST_ROWS", 10)
    lanczos = SpectralCAT(2, random_state=0).fit(table)
    assert np.allclose(lanczos.eigenvalues_, dense_one.eigenvalues_, rtol=0, atol=1e-12)
    assert np.array_equal(lanczos.labels_, dense_one.labels_)
    again = SpectralCAT(2, random_state=0).fit(table)
    assert np.array_equal(lanczos.embedding_, again.embedding_)
