"""What the clusterings refuse: one table of calls, each with the words of its error."""

import numpy as np
import pytest
from kit import mixed_table, refused, refused_calls
from scipy.spatial.distance import squareform
from test_large import clustered, split

from couplings import (
    AhmadDey,
    CategoricalTable,
    Climbo,
    CooccurrenceCounts,
    CouplingsError,
    DensityPeaks,
    DilcaM,
    KModes,
    KPrototypes,
    Limbo,
    MissingValuesError,
    MixedTable,
    MultinomialGaussianMixture,
    NotFittedError,
    Rock,
    SimpleMatching,
    SpectralCAT,
    TableError,
    Ward,
    cooccurrence,
)
from couplings.cluster.climbo import assign_coupled, coupled_agglomeration, value_items
from couplings.cluster.joint_counts import JointCounts
from couplings.cluster.kmodes import kmodes, random_starts
from couplings.cluster.limbo import agglomerative_information_bottleneck, assign
from couplings.cluster.mixed_kmeans import AhmadDeyKMeans
from couplings.cluster.neighbours import NeighbourGraph
from couplings.cluster.stirr import stirr
from couplings.large import (
    BatchKModes,
    BatchLatentClasses,
    BatchSpectral,
    LargeTable,
    SampleAndAssign,
)
from couplings.values import ValueMatrices

table_of = CategoricalTable.from_codes
TABLE = table_of(np.random.default_rng(8).integers(0, 3, (20, 3)))
HOLES = table_of([[0, 1], [-1, 0]])
COUNTS = cooccurrence(table_of([[0, 0], [2, 1]]))
ALONE = cooccurrence(table_of([[0], [1]]))
ITEMS, TWO, THREE = value_items(COUNTS, 1), *map(JointCounts.from_array, ([[1, 2]], [[1, 2, 3]]))
MIXED = mixed_table()
LABELS = MIXED.categorical
SPACE = AhmadDey().fit(LABELS).space_
EMPTY = LABELS.codes.copy(order="F")
EMPTY[0, 0] = -1
EMPTY = CategoricalTable(EMPTY, LABELS.categories, LABELS.attributes)
FLAT = MixedTable(LABELS, np.ones((80, 1)), ("x",))
# Two thirds of the objects have distance 0, though they differ.
SAME = CategoricalTable.from_any([["x", "u"]] * 5 + [["y", "u"]] * 5 + [["z", "v"]] * 5)
LOPSIDED = np.zeros((70, 70), dtype=bool)
LOPSIDED[3, 68] = True
BLOCKS = table_of([[0, 0], [0, 1], [0, 0], [1, 2], [1, 2], [1, 3]])
OVERLAP = ValueMatrices.from_blocks([1.0 - np.eye(v) for v in BLOCKS.n_values])
RAW = clustered(9, n=50)
LARGE, TURNED = (
    LargeTable.from_batches(split(RAW, 20)),
    LargeTable.from_batches([RAW.iloc[:, ::-1]]),
)
SMD, LEARNED = SimpleMatching().fit(LARGE.counts()), AhmadDey().fit(LARGE.counts())
MODEL = BatchKModes(random_state=0).fit(LARGE, SMD)
EQUAL = LargeTable.from_batches([[["a", "b"]] * 5])
PLAIN = CooccurrenceCounts(np.diag([2, 1]), np.array([0, 2]), 3)


class Outliers:
    """Sets every object aside."""

    def fit_predict(self, X):
        return np.full(len(squareform(X)), -1)


FITS = [
    (Rock(2, 1.5), TABLE, "theta=1.5"),
    (Rock(2, "0.5"), TABLE, "theta='0.5' must be a number"),
    (Rock(2, True), TABLE, "theta=True must be a number"),
    (Rock(2, float("nan")), TABLE, "theta=nan"),
    (Rock(2, label="drop"), TABLE, "label='drop'"),
    (Rock(2, naming="middle"), TABLE, "naming='middle'"),
    (Rock(1), HOLES, "missing"),
    (Rock(1), np.zeros(3), "1D array"),
    (Limbo(2, phi=-0.1), TABLE, "phi=-0.1"),
    (Limbo(2, phi=0.5, branching=1), TABLE, "branching=1"),
    (Limbo(2, space=0), TABLE, "space=0"),
    (Limbo(1), HOLES, "missing"),
    (Climbo(2, "information"), TABLE, "distance='information'"),
    (Climbo(1), HOLES, "missing"),
    (DensityPeaks(percent=0), MIXED, "percent"),
    (DensityPeaks(percent=101), MIXED, "percent"),
    (DensityPeaks(kernel="box"), MIXED, "kernel"),
    (DensityPeaks(measure="jaccard"), LABELS, "whose ObjectSpace has the link"),
    (DensityPeaks(), np.full((3, 2), np.nan), "finite"),
    (DensityPeaks(), np.zeros((5, 2)), "all objects are equal"),
    (DensityPeaks(measure="dilca_rr"), SAME, "choose a larger percent"),
    (KPrototypes(max_iter=0), MIXED, "max_iter"),
    (KPrototypes(gamma=-1.0), MIXED, "gamma"),
    (KPrototypes(scale="rank"), MIXED, "scale"),
    (KPrototypes(), MixedTable(EMPTY, MIXED.numeric, MIXED.names), "missing"),
    (MultinomialGaussianMixture(pseudo_count=-1.0), MIXED, "pseudo_count"),
    (MultinomialGaussianMixture(ridge=np.inf), MIXED, "ridge"),
    (MultinomialGaussianMixture(tol=-1e-9), MIXED, "tol"),
    (MultinomialGaussianMixture(max_iter=0), MIXED, "max_iter"),
    (
        MultinomialGaussianMixture(2, ridge=0.0, random_state=0, n_init=1),
        FLAT,
        "component 0 is singular; use a larger ridge",
    ),
    (AhmadDeyKMeans(bins=0), MIXED, "bins"),
    (AhmadDeyKMeans(scale="log"), MIXED, "scale"),
    (AhmadDeyKMeans(max_iter=-1), MIXED, "max_iter"),
    (SpectralCAT(2, "median"), MIXED, "bandwidth"),
    (KModes(2, init=[["0", "0", "0"]]), TABLE, r"shape \(1, 3\)"),
    (KModes(2, init=[["kia", "0", "0"]] * 2), TABLE, "'kia'"),
    (KModes(2, update="ng", measure="cado"), TABLE, "simple matching only"),
    (SpectralCAT(3), MIXED.take(np.repeat([0, 1], 5)), "2 distinct rows"),
    (SampleAndAssign(Ward(2), LEARNED, sample=1), LARGE, "sample=1 must be an integer above 1"),
    (SampleAndAssign(Ward(2), LEARNED, assign="far"), LARGE, "assign"),
    (SampleAndAssign(Outliers(), LEARNED), LARGE, "whole sample consists of outliers"),
]

test_a_fit_is_refused = refused(CouplingsError, lambda model, data: model.fit(data), FITS)

CALLS = [
    (lambda: NeighbourGraph.from_similarity(np.zeros((3, 2)), 0.5), "n x n"),
    (lambda: NeighbourGraph.from_similarity(LOPSIDED.astype(float), 0.5), "symmetric"),
    (lambda: JointCounts.from_array(np.array([[1, 2], [0, 0]])), "without empty rows"),
    (lambda: JointCounts.from_array(np.array([[0.5, 0.5]])), "integers"),
    (lambda: JointCounts.from_array(np.array([[2, -1]])), "negative"),
    (lambda: JointCounts.from_array(np.array([[10**9, 1]])), "too many"),
    (lambda: JointCounts.from_table(TABLE, np.append(0, np.ones(19, dtype=int))), "weights"),
    (lambda: agglomerative_information_bottleneck(TWO, 2), "n_clusters=2"),
    (lambda: assign(TWO, THREE), "2 values"),
    (lambda: value_items(COUNTS, 0), "value 1 of attribute 0 never occurs"),
    (lambda: value_items(COUNTS, -1), "attribute -1 is out of range"),
    (lambda: value_items(COUNTS, 2), "attribute 2 is out of range"),
    (lambda: value_items(ALONE, 0), "only one"),
    (lambda: coupled_agglomeration(ITEMS, 3, 1), "n_clusters=3"),
    (lambda: coupled_agglomeration(ITEMS, 1, 0), "contexts=0"),
    (lambda: assign_coupled(TWO, ITEMS), "2 values"),
    (lambda: assign_coupled(ITEMS, ITEMS, "other"), "distance='other'"),
    (lambda: DensityPeaks().fit(MIXED, space=SPACE), "must be a MixedSpace"),
    (lambda: DensityPeaks().fit(LABELS.select([0, 1]), space=SPACE), "different domains"),
    (lambda: DensityPeaks().fit(MIXED.numeric, space=SPACE), "Euclidean"),
    (lambda: DensityPeaks().fit(EMPTY, space=SPACE), "missing"),
    (lambda: stirr(COUNTS, 1), "must be an integer from 2 to 5"),
    (lambda: stirr(COUNTS, 6), "must be an integer from 2 to 5"),
    (lambda: stirr(COUNTS, 2, n_iter=0), "n_iter=0"),
    (lambda: stirr(ALONE, 2), "only one"),
    (lambda: kmodes(BLOCKS, OVERLAP, [[0, 1], [2, 2]]), "same object twice"),
    (lambda: kmodes(BLOCKS, OVERLAP, [0, 6]), r"rows of object indices|codes of modes"),
    (lambda: kmodes(BLOCKS, OVERLAP, [-1, 0]), r"rows of object indices|codes of modes"),
    (lambda: kmodes(BLOCKS, OVERLAP, [0.0, 1.0]), r"rows of object indices|codes of modes"),
    (lambda: kmodes(BLOCKS, OVERLAP, np.zeros((1, 1, 3), int)), r"object indices|codes of modes"),
    (lambda: kmodes(BLOCKS, OVERLAP, np.zeros((2, 0), int)), r"object indices|codes of modes"),
    (lambda: kmodes(BLOCKS, OVERLAP, [0], "median"), "update='median'"),
    (lambda: kmodes(BLOCKS, OVERLAP, [0], max_iter=2.5), r"max_iter=2\.5"),
    (lambda: random_starts(10, 2, "3"), "n_starts='3'"),
    (lambda: random_starts(10, 11, 1), "not an integer from 1 to 10 objects"),
    (lambda: kmodes(BLOCKS, ValueMatrices.from_blocks([np.zeros((2, 2))]), [0]), "same domains"),
    (lambda: kmodes(HOLES, ValueMatrices.from_blocks([np.eye(1), np.eye(2)]), [0]), "missing"),
    (lambda: BatchSpectral().fit(LARGE, DilcaM().fit(LARGE.counts())), "do not add up .*'rss'"),
    (lambda: BatchSpectral().fit(LARGE, SimpleMatching().fit(TABLE)), "same domains"),
    (lambda: BatchSpectral(affinity="gauss").fit(LARGE, LEARNED), "affinity"),
    (lambda: BatchSpectral(variant="unnorm").fit(LARGE, LEARNED), "variant"),
    (lambda: BatchSpectral(40).fit(LARGE, LEARNED), "fewer than 40 eigenvalues"),
    (
        lambda: BatchSpectral().fit(EQUAL, SimpleMatching().fit(EQUAL.counts())),
        "cannot be separated",
    ),
    (lambda: SampleAndAssign(Ward(2), DilcaM().fit(COUNTS)).fit(LARGE), "assign='nearest'"),
    (lambda: MODEL.predict(LargeTable.from_batches([RAW.replace("v0", "w")])), "other domains"),
    (lambda: BatchKModes(3, init=[["v0"] * 6] * 2).fit(LARGE, SMD), r"has the shape \(2, 6\)"),
    (lambda: BatchLatentClasses(0).fit(LARGE), "n_clusters=0 is not an integer from 1 to 50"),
    (lambda: BatchLatentClasses(sample=0).fit(LARGE), "sample=0 is not a positive integer"),
    (lambda: BatchLatentClasses(tol=-1).fit(LARGE), "tol=-1 is not a number"),
    (lambda: BatchLatentClasses(random_state=None).fit(LARGE), "random_state=None must be an"),
    (lambda: BatchLatentClasses().fit(RAW), "or LatentClasses for data that fit into memory"),
    (lambda: BatchLatentClasses().fit(LARGE).score(TURNED), "other domains"),
    (lambda: BatchKModes(51).fit(LARGE, SMD), "n_clusters=51 is not an integer from 1 to 50"),
    (lambda: BatchKModes(max_iter=0).fit(LARGE, SMD), "max_iter=0"),
    (lambda: BatchKModes(n_init=1.5).fit(LARGE, SMD), "n_init=1.5"),
    (lambda: BatchKModes(update="mean").fit(LARGE, SMD), "update"),
    (lambda: BatchKModes(state="x").fit(LARGE, SMD), "a state needs reproducible starts"),
    (lambda: BatchKModes().fit(LARGE, "smd"), "ValueMatrices or a fitted measure"),
    (lambda: BatchKModes().fit(LARGE, SimpleMatching().fit(TABLE)), "on the counts of this table"),
    (lambda: BatchKModes().fit(RAW, SMD), r"needs a LargeTable .*from_batches"),
    (lambda: LargeTable.from_batches(iter([RAW])), "an iterator can be read only once"),
    (lambda: LargeTable.from_batches([], counts=PLAIN), "have no labels"),
]

test_a_call_is_refused = refused_calls(CouplingsError, CALLS)
test_rows_are_refused = refused_calls(
    TableError,
    [
        (lambda: MODEL.predict(RAW.assign(a0="new")), "'new' is outside the declared domain"),
        (lambda: MODEL.predict(RAW.rename(columns={"a0": "b"})), "no column 'a0'"),
        (lambda: BatchKModes(1, init=[["no"] * 6]).fit(LARGE, SMD), "'no' is outside"),
    ],
)
test_missing_cells_are_refused = refused(
    MissingValuesError, MODEL.predict, [(RAW.assign(a0=None), "missing cells in 'a0'")]
)
test_nothing_is_told_before_the_fit = refused_calls(
    NotFittedError,
    [
        (lambda: BatchKModes().predict([["a"]]), "this BatchKModes is not fitted"),
        (lambda: BatchKModes().fit(LARGE, SimpleMatching()), "this SimpleMatching is not fitted"),
        (lambda: BatchSpectral().fit(LARGE, AhmadDey()), "this AhmadDey is not fitted"),
        (lambda: BatchSpectral().predict(LARGE), "this BatchSpectral is not fitted"),
        (lambda: SampleAndAssign(Ward(2), LEARNED).predict(LARGE), "SampleAndAssign is not fitted"),
    ],
)


def test_infinite_distances_are_refused():
    for matrices, use in (
        (OVERLAP, lambda one: kmodes(BLOCKS, one, [0])),
        (SMD.value_matrices_, lambda one: BatchKModes().fit(LARGE, one)),
    ):
        data = matrices.data.copy()
        data[1] = np.inf
        with pytest.raises(CouplingsError, match="finite"):
            use(ValueMatrices(data, matrices.offsets))
