import numpy as np
import pytest

import couplings.cluster._eigen as module
from couplings import (
    CategoricalSpectral,
    CategoricalTable,
    CouplingsError,
    MeasureError,
    MissingValuesError,
)
from couplings._checks import threads
from couplings.cluster.spectral import spectral_embedding
from couplings.errors import NotFittedError
from couplings.measures.cde import CDE
from couplings.measures.contexts import AhmadDey
from couplings.measures.dilca import DilcaRR
from couplings.measures.frequency import SimpleMatching
from couplings.spaces import ObjectSpace
from couplings.values import ValueMatrices


def grouped_table(seed, n=60, m=5, v=4, k=3):
    """Objects of k groups that prefer one value each, with repeated rows."""
    rng = np.random.default_rng(seed)
    group = np.arange(n) % k
    noise = rng.random((n, m)) < 0.3
    codes = np.where(noise, rng.integers(0, v, (n, m)), group[:, None])
    return CategoricalTable.from_codes(np.vstack([codes, codes[:15], codes[:5]]), [v] * m)


def dense_affinity(distances, affinity, bandwidth=None):
    """Twin: the definitions over the full matrix of objects."""
    positive = distances[distances > 0].mean()
    return {
        "one-minus": lambda: 1 - distances / distances.max(),
        "exp-mean": lambda: np.exp(-distances / positive),
        "gauss-mean": lambda: np.exp(-(distances**2) / (2 * positive**2)),
        "gauss": lambda: np.exp(-(distances**2) / (2 * bandwidth**2)),
        "inverse": lambda: 1 / (1 + distances),
        "identity": lambda: distances,
    }[affinity]()


def dense_embedding(similarity, k, variant):
    degree = similarity.sum(axis=1)
    values, vectors = np.linalg.eigh(similarity / np.sqrt(np.outer(degree, degree)))
    values, vectors = values[::-1][:k], vectors[:, ::-1][:, :k]
    if variant == "njw":
        vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    elif variant == "rw":
        vectors = vectors / np.sqrt(degree)[:, None]
    return values, vectors


def assert_same(embedding, values, vectors, atol=1e-10):
    np.testing.assert_allclose(embedding.eigenvalues, values, rtol=0, atol=atol)
    ours = embedding.rows[embedding.inverse]
    # Inner products of rows do not depend on the basis of the eigenspaces.
    np.testing.assert_allclose(ours @ ours.T, vectors @ vectors.T, rtol=0, atol=atol)


@pytest.mark.parametrize("variant", ["njw", "sym", "rw"])
@pytest.mark.parametrize(
    ("measure", "affinity"),
    [
        (AhmadDey(), "one-minus"),
        (SimpleMatching(), "one-minus"),
        (AhmadDey(), "exp-mean"),
        (AhmadDey(), "gauss-mean"),
        (AhmadDey(), "inverse"),
        (DilcaRR(), "one-minus"),
        (DilcaRR(), "gauss-mean"),
        (CDE(random_state=0), "gauss"),
        (CDE(random_state=0), "gauss-mean"),
    ],
)
def test_embeddings_are_the_dense_ones(measure, affinity, variant):
    table = grouped_table(0)
    measure.fit(table)
    bandwidth = 2.5 if affinity == "gauss" else None
    embedding = spectral_embedding(table, measure, affinity, 3, variant, bandwidth)
    additive = measure.space_.link == "sum" and affinity == "one-minus"
    assert embedding.reduced == additive
    assert len(embedding.rows) < table.n_objects
    similarity = dense_affinity(measure.pairwise(table), affinity, bandwidth)
    assert_same(embedding, *dense_embedding(similarity, 3, variant))


def test_identity_takes_a_similarity():
    table = grouped_table(1)
    rng = np.random.default_rng(1)
    blocks = [np.eye(4) + (part := 0.2 * rng.random((4, 4))) + part.T for _ in range(5)]
    matrices = ValueMatrices.from_blocks(blocks)
    similarity = ObjectSpace(matrices, "sum").pairwise(table)
    embedding = spectral_embedding(table, matrices, "identity", 2, "sym")
    assert_same(embedding, *dense_embedding(similarity, 2, "sym"))


def test_too_few_positive_eigenvalues_fall_back_to_the_distinct_objects():
    # Four values on a circle: the affinity has rank 3, and four eigenvectors are asked for.
    circle = np.array([[0, 1, 2, 1], [1, 0, 1, 2], [2, 1, 0, 1], [1, 2, 1, 0]])
    table = CategoricalTable.from_codes([[0], [1], [2], [3], [0]])
    matrices = ValueMatrices.from_blocks([circle])
    assert spectral_embedding(table, matrices, "one-minus", 3, "sym").reduced
    embedding = spectral_embedding(table, matrices, "one-minus", 4, "sym")
    assert not embedding.reduced
    similarity = 1 - ObjectSpace(matrices, "sum").pairwise(table) / 2
    degree = similarity.sum(axis=1)
    values = np.linalg.eigvalsh(similarity / np.sqrt(np.outer(degree, degree)))[::-1]
    # The eigenvalue 0 of the repeated object is left out.
    np.testing.assert_allclose(embedding.eigenvalues, values[:4], rtol=0, atol=1e-12)
    rows = embedding.rows[embedding.inverse]
    np.testing.assert_allclose(rows.T @ rows, np.eye(4), atol=1e-12)


def test_lanczos_and_full_decompositions_agree(monkeypatch):
    table = grouped_table(3, n=400)
    measure = DilcaRR().fit(table)
    full = spectral_embedding(table, measure, "gauss-mean", 3, "sym")
    monkeypatch.setattr(module, "_DENSE", 50)
    lanczos = spectral_embedding(table, measure, "gauss-mean", 3, "sym")
    assert (lanczos.rows != full.rows).any()
    assert_same(lanczos, full.eigenvalues, full.rows[full.inverse])
    again = spectral_embedding(table, measure, "gauss-mean", 3, "sym")
    assert (again.rows == lanczos.rows).all()


def test_lanczos_without_convergence_falls_back(monkeypatch):
    from scipy.sparse import linalg

    def stuck(*args, **kwargs):
        raise linalg.ArpackNoConvergence("stuck", np.zeros(0), np.zeros((0, 0)))

    table = grouped_table(3, n=200)
    measure = DilcaRR().fit(table)
    full = spectral_embedding(table, measure, "inverse", 2)
    monkeypatch.setattr(module, "_DENSE", 20)
    monkeypatch.setattr(linalg, "eigsh", stuck)
    assert (spectral_embedding(table, measure, "inverse", 2).rows == full.rows).all()


def test_the_number_of_threads_does_not_matter():
    table = grouped_table(5, n=300)
    measure, cde = AhmadDey().fit(table), CDE(random_state=0).fit(table)

    def results():
        reduced = spectral_embedding(table, measure, "one-minus", 3).rows
        return [reduced, cde.bandwidth(table), cde.bandwidth(table, "median"), cde.pairwise(table)]

    many = results()
    with threads("CDE", 1):
        one = results()
    for ours, theirs in zip(one, many, strict=True):
        assert np.array_equal(ours, theirs)


def test_declared_values_that_never_occur_do_not_matter():
    table = grouped_table(6)
    wide = CategoricalTable.from_codes(table.codes, [6] * 5)
    blocks = [np.ones((6, 6)) - np.eye(6)] * 5
    ours = spectral_embedding(wide, ValueMatrices.from_blocks(blocks), "one-minus", 2, "sym")
    narrow = spectral_embedding(table, SimpleMatching().fit(table), "one-minus", 2, "sym")
    assert_same(ours, narrow.eigenvalues, narrow.rows[narrow.inverse])


TABLE = grouped_table(7)
SPACE = AhmadDey().fit(TABLE).space_


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"affinity": "cosine"}, CouplingsError, "'one-minus'"),
        ({"variant": "ncut"}, CouplingsError, "'njw'"),
        ({"k": 1000}, CouplingsError, "from 1 to 42 distinct objects"),
        ({"affinity": "gauss"}, MeasureError, "positive bandwidth"),
        ({"affinity": "gauss", "bandwidth": -1.0}, MeasureError, "positive bandwidth"),
        ({"bandwidth": 1.0}, MeasureError, "take none"),
        (
            {"affinity": "identity", "matrices": ObjectSpace(SPACE.matrices, "rss")},
            MeasureError,
            "sum",
        ),
        ({"matrices": ValueMatrices.from_blocks([np.eye(2)])}, MeasureError, "same domains"),
        ({"matrices": AhmadDey()}, NotFittedError, "call fit"),
        ({"table": CategoricalTable.from_codes([[0], [-1]])}, MissingValuesError, "missing"),
    ],
)
def test_bad_arguments(arguments, error, message):
    settings = {"table": TABLE, "matrices": SPACE, "affinity": "one-minus", "k": 2} | arguments
    with pytest.raises(error, match=message):
        spectral_embedding(**settings)


@pytest.mark.parametrize("affinity", ["one-minus", "exp-mean", "gauss-mean"])
@pytest.mark.parametrize("link", ["sum", "rss"])
def test_nothing_tells_the_objects_apart(affinity, link):
    space = ObjectSpace(ValueMatrices(np.zeros(80), SPACE.matrices.offsets), link)
    with pytest.raises(MeasureError, match="dissimilarity 0"):
        spectral_embedding(TABLE, space, affinity, 2)


def test_an_object_without_affinity():
    similarity = ValueMatrices.from_blocks([np.diag([1.0, 0.0])])
    table = CategoricalTable.from_codes([[0], [1]])
    with pytest.raises(MeasureError, match="1 distinct object"):
        spectral_embedding(table, similarity, "identity", 1)


@pytest.mark.parametrize("variant", ["njw", "sym", "rw"])
def test_a_new_object_without_affinity_is_at_the_origin(variant):
    model = CategoricalSpectral(2, variant=variant, random_state=0).fit(TABLE)
    assert not model._extended(np.zeros((1, len(model.embedding_.rows)))).any()
