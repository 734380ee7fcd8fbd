"""Against the packages that people use; each is skipped where it is not installed."""

import numpy as np
import pytest

from couplings.cluster.kprototypes import KPrototypes
from couplings.cluster.mixture import MultinomialGaussianMixture
from couplings.measures.coupled_mixed import CoupledMixed
from couplings.mixed import MixedTable, scaled
from couplings.table import CategoricalTable


def random_table(n, seed):
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 3, n)
    codes = np.column_stack(
        [np.where(rng.random(n) < 0.7, group, rng.integers(0, 4, n)) for _ in range(3)]
    )
    codes[:4] = np.arange(4)[:, np.newaxis]
    numeric = group[:, np.newaxis] * [1.0, 30.0] + rng.normal(size=(n, 2)) * [1, 20]
    return MixedTable(CategoricalTable.from_codes(codes), numeric, ("x", "y"))


@pytest.mark.parametrize("seed", range(8))
def test_k_prototypes_of_kmodes(seed):
    kprototypes = pytest.importorskip("kmodes.kprototypes")
    table = random_table(150, seed)
    x, codes = scaled(table.numeric, "minmax"), table.categorical.codes.astype(int)
    start = np.random.default_rng(seed).choice(150, 3, replace=False)
    theirs = kprototypes.KPrototypes(3, init=[x[start], codes[start]], n_init=1).fit(
        np.column_stack([x, codes]), categorical=[2, 3, 4]
    )
    ours = KPrototypes(3, random_state=seed, n_init=1).fit(table)
    assert np.isclose(ours.gamma_, theirs.gamma, rtol=1e-12)
    assert np.isclose(ours.cost_, theirs.cost_, rtol=1e-12)
    assert np.array_equal(ours.labels_, theirs.labels_)
    assert ours.n_iter_ == theirs.n_iter_


def test_gaussian_part_of_scikit_learn():
    mixture = pytest.importorskip("sklearn.mixture")
    table = random_table(300, 1)
    constant = MixedTable(
        CategoricalTable.from_codes(np.zeros((300, 1), dtype=int)), table.numeric, table.names
    )
    ours = MultinomialGaussianMixture(3, tol=0.0, random_state=0, max_iter=12).fit(constant)
    x = scaled(table.numeric, "z")
    start = np.random.default_rng(0).choice(300, 3, replace=False)
    first = np.eye(3)[((x[:, np.newaxis] - x[start]) ** 2).sum(axis=2).argmin(axis=1)]
    theirs = mixture.GaussianMixture(3, tol=0.0, reg_covar=1e-3, max_iter=11)
    theirs._initialize_parameters = lambda X, *_, **__: theirs._initialize(X, first)
    with pytest.warns(UserWarning, match="did not converge"):
        theirs.fit(x)
    assert np.isclose(theirs.score(x) * 300, ours.log_likelihoods_[11], rtol=1e-10)


def test_principal_components_of_scikit_learn():
    decomposition = pytest.importorskip("sklearn.decomposition")
    table = random_table(200, 2)
    coupled = CoupledMixed(3, components=0.95)
    scores = coupled.fit_transform(table)
    theirs = decomposition.PCA(0.95, svd_solver="full").fit(coupled.fshat_)
    assert theirs.n_components_ == scores.shape[1]
    assert np.allclose(theirs.explained_variance_ratio_, coupled.explained_variance_ratio_)
    assert np.allclose(np.abs(theirs.transform(coupled.fshat_)), np.abs(scores), atol=1e-9)
