"""Counts, clusterings, latent classes and Gower's distance against other packages."""

import csv
from pathlib import Path

import fastcluster
import numpy as np
import pandas as pd
import pytest
from kit import mixed_table
from scipy import sparse
from scipy.cluster.hierarchy import cophenet, linkage
from scipy.spatial.distance import pdist
from sklearn import metrics
from sklearn.decomposition import PCA
from sklearn.metrics.cluster import contingency_matrix
from sklearn.mixture import GaussianMixture

from couplings import Cado, CategoricalTable, LatentClasses, MixedDistance, cooccurrence
from couplings.cluster.kmodes import kmodes, random_starts
from couplings.cluster.kprototypes import KPrototypes
from couplings.cluster.mixture import MultinomialGaussianMixture
from couplings.cluster.rock import Rock
from couplings.cluster.spectral import CategoricalSpectral
from couplings.cluster.ward import ward, ward_linkage
from couplings.discretize import apply_cuts, equal_width_cuts
from couplings.measures.contexts import AhmadDey
from couplings.measures.coupled_mixed import CoupledMixed
from couplings.metrics import external
from couplings.metrics.external import adjusted_rand
from couplings.mixed import MixedTable, scaled
from couplings.values import ValueMatrices

# --- The engine against pandas, scipy, scikit-learn and fastcluster ------------------------------


def random_table(seed, n, n_values):
    rng = np.random.default_rng(seed)
    codes = np.column_stack([rng.integers(0, v, n) for v in n_values])
    return CategoricalTable.from_codes(codes, n_values)


def one_hot(table):
    n, m = table.codes.shape
    columns = (table.codes.astype(np.int64) + table.offsets[:-1]).ravel()
    shape = (n, int(table.n_values.sum()))
    return sparse.csr_array((np.ones(n * m, np.int64), columns, np.arange(0, n * m + 1, m)), shape)


# Few rows, many rows (bit columns, with an incomplete last word), wide and constant attributes,
# 16-bit codes.
TABLES = [
    (50, (3, 4, 2)),
    (640, (3, 4, 2, 1)),
    (30_001, (2, 1, 22, 5, 10, 7, 22)),
    (3000, (3, 40, 2, 30, 10)),
    (1000, (300, 3, 4)),
]


@pytest.mark.parametrize(("n", "n_values"), TABLES)
def test_counts_are_the_one_hot_product(n, n_values):
    table = random_table(n, n, n_values)
    z = one_hot(table)
    counts = cooccurrence(table)
    np.testing.assert_array_equal(counts.matrix, (z.T @ z).toarray())
    assert counts.matrix.dtype == np.int64
    assert counts.n_objects == n
    weights = np.random.default_rng(1).integers(0, 5, n)
    weighted = cooccurrence(table, weights)
    np.testing.assert_array_equal(
        weighted.matrix, (z.T @ sparse.diags_array(weights, dtype=np.int64) @ z).toarray()
    )
    assert weighted.n_objects == weights.sum()


@pytest.mark.parametrize("ties", ["R", "chain"])
def test_ward_without_ties(ties):
    rng = np.random.default_rng(4)
    condensed = pdist(rng.random((150, 3)))
    squared = linkage(condensed, "ward")
    np.testing.assert_allclose(
        ward_linkage(condensed, recurrence="D2", ties=ties), squared, rtol=1e-9
    )
    np.testing.assert_allclose(
        ward_linkage(condensed, recurrence="D2", ties=ties)[:, 2],
        fastcluster.linkage(condensed, "ward")[:, 2],
    )
    unsquared = fastcluster.linkage(np.sqrt(condensed), "ward")
    unsquared[:, 2] **= 2
    ours = ward_linkage(condensed, recurrence="D", ties=ties)
    np.testing.assert_allclose(cophenet(ours), cophenet(unsquared))
    for k in (1, 2, 5, 150):
        expected = ward(condensed, k, recurrence="D", ties="chain")
        np.testing.assert_array_equal(ward(condensed, k, ties=ties), expected)


@pytest.mark.parametrize("seed", range(4))
def test_scores_like_scikit_learn(seed):
    rng = np.random.default_rng(seed)
    true = rng.integers(0, 4, 200)
    pred = np.where(rng.random(200) < 0.6, true, rng.integers(0, 6, 200))
    table = external.contingency(true, pred)
    np.testing.assert_array_equal(table, contingency_matrix(true, pred).T)
    assert external.mutual_information(table) == pytest.approx(
        metrics.mutual_info_score(true, pred), abs=1e-14
    )
    for ours, theirs in (
        ("sqrt", "geometric"),
        ("arithmetic", "arithmetic"),
        ("max", "max"),
        ("min", "min"),
    ):
        assert external.nmi(true, pred, average=ours) == pytest.approx(
            metrics.normalized_mutual_info_score(true, pred, average_method=theirs), abs=1e-14
        )
    assert external.adjusted_rand(true, pred) == pytest.approx(
        metrics.adjusted_rand_score(true, pred), abs=1e-14
    )
    (_, fp), (fn, tp) = metrics.cluster.pair_confusion_matrix(true, pred)
    assert external.pairwise_f(true, pred) == pytest.approx(2 * tp / (2 * tp + fp + fn))


def test_macro_f1_of_a_relabelled_prediction():
    rng = np.random.default_rng(5)
    true = rng.integers(0, 3, 100)
    pred = np.where(rng.random(100) < 0.8, true, rng.integers(0, 3, 100))
    relabelled = np.array([2, 0, 1])[pred]
    assert external.macro_f1(true, relabelled) == pytest.approx(
        metrics.f1_score(true, pred, average="macro")
    )
    assert external.accuracy(true, relabelled) == pytest.approx(np.mean(true == pred))


def test_equal_width_is_linspace():
    x = np.random.default_rng(6).normal(size=500)
    cuts = equal_width_cuts(x)
    np.testing.assert_array_equal(cuts, np.linspace(x.min(), x.max(), 11)[1:-1])
    np.testing.assert_array_equal(apply_cuts(x, cuts), np.digitize(x, cuts, right=True))


# --- k-modes against a plain twin of its definition ----------------------------------------------


def overlap(table):
    return ValueMatrices.from_blocks([1.0 - np.eye(v) for v in table.n_values])


def twin(table, matrices, start, update, max_iter=100):
    codes = table.codes.astype(int)
    n, m = codes.shape
    k = len(start)
    blocks = [matrices.block(j) for j in range(m)]
    modes = codes[start].copy()
    labels = np.full(n, -1)

    def distance(u, c):
        total = 0.0
        for j in range(m):
            total += blocks[j][codes[u, j], modes[c, j]]
        return total

    for passes in range(1, max_iter + 1):  # noqa: B007
        previous = labels
        table_of = [[distance(u, c) for c in range(k)] for u in range(n)]
        labels = np.array([row.index(min(row)) for row in table_of])
        nearest = [min(row) for row in table_of]
        for c in range(k):
            if (labels == c).any():
                continue
            crowded = [u for u in range(n) if nearest[u] > 0 and (labels == labels[u]).sum() > 1]
            if not crowded:
                continue
            labels[max(crowded, key=lambda u: (nearest[u], -u))] = c
        if (labels == previous).all():
            break
        for c in np.unique(labels):
            for j in range(m):
                counts = np.bincount(codes[labels == c, j], minlength=len(blocks[j]))
                if update == "frequency":
                    modes[c, j] = np.argmax(counts)
                else:
                    occurring = np.unique(codes[:, j])
                    costs = [
                        sum(a * d for a, d in zip(counts, blocks[j][:, y], strict=True))
                        for y in occurring
                    ]
                    modes[c, j] = occurring[costs.index(min(costs))]
    objective = sum(distance(u, labels[u]) for u in range(n))
    return labels, modes, objective, passes


@pytest.mark.twin_of("KModes")
@pytest.mark.parametrize("update", ["frequency", "minimiser"])
@pytest.mark.parametrize("measure", ["smd", "cado"])
@pytest.mark.parametrize("seed", range(12))
def test_twin(seed, measure, update):
    rng = np.random.default_rng(seed)
    m = int(rng.integers(2, 8))
    n_values = rng.integers(1, 5, m)
    n = int(rng.integers(6, 60))
    table = CategoricalTable.from_codes(rng.integers(0, n_values, (n, m)), (n_values + 1).tolist())
    matrices = (
        overlap(table) if measure == "smd" else Cado().fit(cooccurrence(table)).value_matrices_
    )
    starts = random_starts(n, int(rng.integers(1, 7)), 4, seed)
    runs = kmodes(table, matrices, starts, update)
    for s, start in enumerate(starts):
        labels, modes, objective, passes = twin(table, matrices, start, update)
        np.testing.assert_array_equal(runs.labels[s], labels)
        np.testing.assert_array_equal(runs.modes[s], modes)
        assert runs.objective[s] == pytest.approx(objective, abs=1e-12, rel=1e-12)
        assert runs.n_iter[s] == passes


@pytest.mark.parametrize("k", [1, 4, 7])
def test_many_chunks(k):
    """More rows than one chunk of the parallel loop holds."""
    rng = np.random.default_rng(k)
    table = CategoricalTable.from_codes(rng.integers(0, 3, (20_000, 4)))
    start = random_starts(20_000, k, 1, 0)[0]
    labels, modes, objective, passes = twin(table, overlap(table), start, "frequency", 2)
    runs = kmodes(table, overlap(table), start, max_iter=2)
    np.testing.assert_array_equal(runs.labels[0], labels)
    np.testing.assert_array_equal(runs.modes[0], modes)
    assert (runs.objective[0], runs.n_iter[0]) == (objective, passes)


# --- Against the packages that people use; each is skipped where it is not installed -------------


@pytest.mark.parametrize("seed", range(8))
def test_k_prototypes_of_kmodes(seed):
    kprototypes = pytest.importorskip("kmodes.kprototypes")
    table = mixed_table(150, seed)
    x, codes = scaled(table.numeric, "minmax"), table.categorical.codes.astype(int)
    start = np.random.default_rng(seed).choice(150, 3, replace=False)
    theirs = kprototypes.KPrototypes(3, init=[x[start], codes[start]], n_init=1).fit(
        np.column_stack([x, codes]), categorical=[2, 3, 4]
    )
    settings = {"random_state": seed, "n_init": 1, "init": "random"}
    ours = KPrototypes(3, **settings, update="online").fit(table)
    assert np.isclose(ours.gamma_, theirs.gamma, rtol=1e-12)
    assert np.isclose(ours.objective_, theirs.cost_, rtol=1e-12)
    assert np.array_equal(ours.labels_, theirs.labels_)
    assert ours.n_iter_ == theirs.n_iter_
    moved = KPrototypes(3, **settings, update="hartigan").fit(table)
    assert moved.cost_ <= ours.cost_ * (1 + 1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_k_prototypes_of_kmodes_with_the_dissimilarity_of_ng(seed):
    kprototypes = pytest.importorskip("kmodes.kprototypes")
    from kmodes.util.dissim import ng_dissim

    table = mixed_table(80, seed)
    x, codes = table.numeric, table.categorical.codes.astype(int)
    start = np.random.default_rng(seed).choice(80, 3, replace=False)
    theirs = kprototypes.KPrototypes(
        3, init=[x[start], codes[start]], n_init=1, gamma=0.5, cat_dissim=ng_dissim
    ).fit(np.column_stack([x, codes]), categorical=[2, 3, 4])
    ours = KPrototypes(3, "raw", 0.5, init=table.take(start), update="ng").fit(table)
    np.testing.assert_allclose(ours.epoch_costs_, theirs.epoch_costs_, rtol=1e-12)
    np.testing.assert_array_equal(ours.labels_, theirs.labels_)
    np.testing.assert_array_equal(ours.predict(table), ours.labels_)


def test_k_prototypes_reaches_no_higher_costs_than_kmodes():
    """At equal numbers of starts on 30 tables; a sign test finds no lead of kmodes."""
    kprototypes = pytest.importorskip("kmodes.kprototypes")
    lower = higher = 0
    for seed in range(30):
        table, k = mixed_table(70, seed), 3 + seed % 3
        rows = np.column_stack([table.numeric, table.categorical.codes.astype(int)])
        theirs = kprototypes.KPrototypes(k, n_init=3, gamma=0.5, random_state=seed).fit(
            rows, categorical=[2, 3, 4]
        )
        ours = KPrototypes(k, "raw", 0.5, n_init=3, random_state=seed).fit(table)
        lower += ours.cost_ < theirs.cost_ * (1 - 1e-9)
        higher += ours.cost_ > theirs.cost_ * (1 + 1e-9)
    assert higher <= lower


def test_gaussian_part_of_scikit_learn():
    table = mixed_table(300, 1)
    constant = MixedTable(
        CategoricalTable.from_codes(np.zeros((300, 1), dtype=int)), table.numeric, table.names
    )
    ours = MultinomialGaussianMixture(3, tol=0.0, random_state=0, max_iter=12).fit(constant)
    x = scaled(table.numeric, "z")
    start = np.random.default_rng(0).choice(300, 3, replace=False)
    first = np.eye(3)[((x[:, np.newaxis] - x[start]) ** 2).sum(axis=2).argmin(axis=1)]
    theirs = GaussianMixture(3, tol=0.0, reg_covar=1e-3, max_iter=11)
    theirs._initialize_parameters = lambda X, *_, **__: theirs._initialize(X, first)
    with pytest.warns(UserWarning, match="did not converge"):
        theirs.fit(x)
    assert np.isclose(theirs.score(x) * 300, ours.log_likelihoods_[11], rtol=1e-10)


def test_principal_components_of_scikit_learn():
    table = mixed_table(200, 2)
    coupled = CoupledMixed(3, components=0.95)
    scores = coupled.fit_transform(table)
    theirs = PCA(0.95, svd_solver="full").fit(coupled.fshat_)
    assert theirs.n_components_ == scores.shape[1]
    assert np.allclose(theirs.explained_variance_ratio_, coupled.explained_variance_ratio_)
    assert np.allclose(np.abs(theirs.transform(coupled.fshat_)), np.abs(scores), atol=1e-9)


# --- Spectral clustering against scipy and scikit-learn on matrices over all objects -------------


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    group = np.arange(90) % 3
    noise = rng.random((90, 6)) < 0.25
    codes = np.where(noise, rng.integers(0, 5, (90, 6)), group[:, None])
    return CategoricalTable.from_codes(np.vstack([codes, codes[:30]]), [5] * 6)


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


# --- The partitions of R's package cba; see tests/data/rock/README.md ----------------------------

DATA = Path(__file__).parents[1] / "data" / "rock"
CASES = sorted(path.name.removesuffix("_codes.csv") for path in DATA.glob("*_codes.csv"))


def read(case):
    codes = np.loadtxt(DATA / f"{case}_codes.csv", delimiter=",", dtype=np.int64)
    with (DATA / f"{case}_labels.csv").open(newline="") as file:
        header, *rows = csv.reader(file)
    return CategoricalTable.from_codes(codes), header, np.array(rows, dtype=np.int64)


def test_references_are_there():
    assert len(CASES) == 7


@pytest.mark.parametrize("case", CASES)
def test_same_partition_as_cba(case):
    table, header, labels = read(case)
    for run, expected in zip(header, labels.T, strict=True):
        theta, k = run.split("_")
        rock = Rock(int(k), float(theta)).fit(table)
        np.testing.assert_array_equal(rock.labels_, expected, err_msg=run)


# --- Latent classes with a covariate against the manual of poLCA 1.4 -----------------------------

CHEATING = """
11111 51, 11112 63, 11113 35, 11114 30, 11115 24, 11121 19, 11122 18, 11123 6, 11124 2, 11125 1,
11212 5, 11213 1, 11215 1, 11221 4, 11225 1, 12111 4, 12112 4, 12113 4, 12115 1, 12121 3, 12124 1,
12211 1, 12222 1, 12224 1, 21111 5, 21112 4, 21115 1, 21121 2, 21122 1, 21211 1, 21222 1, 21223 1,
22111 4, 22112 6, 22113 1, 22121 4, 22211 1, 22221 1, 22222 1
"""
"""Dayton (1998), Tables 3.4 and 7.1: four answers (1 no, 2 yes), grade group, students."""
WITHOUT_GRADE = 4
"""Students without a grade, who answered four times no."""


def answers():
    rows = [row.split() for row in CHEATING.replace("\n", " ").split(",")]
    cells = pd.DataFrame([list(one) for one, _ in rows], columns=[*"ABCD", "grade"])
    return cells[list("ABCD")], cells[["grade"]].astype(float), np.array([int(n) for _, n in rows])


@pytest.mark.parametrize(("with_grade", "printed"), [(False, -440.0271), (True, -429.6384)])
def test_cheating(with_grade, printed):
    items, grade, counts = answers()
    assert counts.sum() == 315
    if not with_grade:
        counts[0] += WITHOUT_GRADE
    model = LatentClasses(2, pseudo_count=0, random_state=0, tol=1e-10, max_iter=5000)
    model.fit(items, sample_weight=counts, covariates=grade if with_grade else None)
    assert model.log_likelihood_ == pytest.approx(printed, abs=5e-5)


# --- Gower's distance against the matrix printed in the README of the package gower --------------

PRINTED_BY_GOWER = """
.3590238
.6707398 .6964303
.31787416 .3138769 .6552807
.16872811 .523629 .6728013 .4824794
.52622986 .16720603 .6969697 .48108295 .35750175
.59697855 .45600235 .740428 .74818605 .43237334 .2898751
.47778758 .6539635 .8151941 .34332284 .3121036 .4878362 .57476616
"""
"""Below the diagonal; the distances of the ninth row, where each cell is missing, are NaN."""


def test_gowers_printed_matrix():
    single, married = "SINGLE", "MARRIED"
    frame = pd.DataFrame(
        {
            "age": [21, 21, 19, 30, 21, 21, 19, 30, None],
            "gender": [*"MMNMFFFF", None],
            "civil_status": [
                *[married, single, single, single, married, single],
                *["WIDOW", "DIVORCED", None],
            ],
            "salary": [3000.0, 1200, 32000, 1800, 2900, 1100, 10000, 1500, None],
            "has_children": [1, 0, 1, 1, 1, 0, 0, 1, None],
            "available_credit": [2200, 100, 22000, 1100, 2000, 100, 6000, 2200, None],
        }
    )
    found = MixedDistance("simple_matching", missing="nan").fit(frame).pairwise(frame)
    assert np.isnan(found[8]).all()
    assert np.isnan(found[:, 8]).all()
    printed = [float(one) for one in PRINTED_BY_GOWER.split()]
    # the package computes in single precision
    np.testing.assert_allclose(found[:8, :8][np.tril_indices(8, -1)], printed, atol=1e-6)
