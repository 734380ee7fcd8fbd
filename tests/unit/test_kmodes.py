"""k-modes: hand-made cases, monotony, errors."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from couplings import CategoricalTable, CouplingsError
from couplings.cluster.kmodes import UPDATES, KModes, kmodes, random_starts, spread_starts
from couplings.measures.coupled import Cado
from couplings.spaces import ObjectSpace
from couplings.values import ValueMatrices


def overlap(table):
    return ValueMatrices.from_blocks([1.0 - np.eye(v) for v in table.n_values])


@pytest.fixture
def blocks():
    """Two groups that share no value."""
    return CategoricalTable.from_codes(np.array([[0, 0], [0, 1], [0, 0], [1, 2], [1, 2], [1, 3]]))


def test_two_groups(blocks):
    runs = kmodes(blocks, overlap(blocks), [1, 4])
    assert runs.labels.tolist() == [[0, 0, 0, 1, 1, 1]]
    assert runs.modes.tolist() == [[[0, 0], [1, 2]]]
    assert runs.objective.tolist() == [2.0]
    assert runs.n_iter.tolist() == [2]


def test_starts_are_independent(blocks):
    starts = random_starts(6, 3, 8, 1)
    together = kmodes(blocks, overlap(blocks), starts)
    for s, start in enumerate(starts):
        alone = kmodes(blocks, overlap(blocks), start)
        assert alone.labels[0].tolist() == together.labels[s].tolist()
        assert alone.objective[0] == together.objective[s]


def test_ties_go_to_the_first_mode_and_value():
    table = CategoricalTable.from_codes(np.array([[0, 0], [1, 1], [0, 1]]))
    runs = kmodes(table, overlap(table), [0, 1], max_iter=1)
    assert runs.labels[0].tolist() == [0, 1, 0]
    assert runs.modes[0].tolist() == [[0, 0], [1, 1]]


@pytest.mark.parametrize("update", UPDATES)
def test_equal_objects_stay_together_where_clusters_are_too_many(update):
    model = KModes(4, update=update, random_state=0)
    with pytest.warns(ConvergenceWarning, match="2 of n_clusters=4"):
        model.fit([["a", "b"]] * 3 + [["c", "d"]] * 3)
    assert model.labels_.tolist() == model.predict([["a", "b"]] * 3 + [["c", "d"]] * 3).tolist()
    assert len(set(model.labels_[:3])) == len(set(model.labels_[3:])) == 1
    assert model.objective_ == 0


def test_an_empty_cluster_takes_the_farthest_object():
    codes = np.array([[0, 0, 0], [0, 0, 0], [0, 0, 1], [0, 1, 1]])
    table = CategoricalTable.from_codes(codes)
    runs = kmodes(table, overlap(table), [0, 1], max_iter=1)
    assert runs.labels[0].tolist() == [0, 0, 0, 1]


def test_minimiser_prefers_the_central_value():
    line = ValueMatrices.from_blocks([np.abs(np.subtract.outer(np.arange(4.0), np.arange(4.0)))])
    table = CategoricalTable.from_codes(np.array([[0], [0], [0], [2], [3], [3], [3]]), [4])
    assert kmodes(table, line, [0]).modes.item() == 0
    middle = kmodes(table, line, [0], "minimiser")
    assert middle.modes.item() == 2
    assert middle.objective[0] == 9


def test_minimiser_never_picks_a_value_that_does_not_occur():
    flat = ValueMatrices.from_blocks([np.array([[0.0, 0, 0], [0, 0, 1], [0, 1, 0]])])
    table = CategoricalTable.from_codes(np.array([[1], [2], [2]]), [3])
    assert kmodes(table, flat, [0], "minimiser").modes.item() == 2


@pytest.mark.parametrize("seed", range(15))
def test_minimiser_never_raises_the_objective(seed):
    rng = np.random.default_rng(seed)
    table = CategoricalTable.from_codes(rng.integers(0, 5, (200, 5)))
    matrices = Cado().fit(table).value_matrices_
    starts = random_starts(200, 6, 5, seed)
    before = np.full(5, np.inf)
    for max_iter in range(1, 12):
        after = kmodes(table, matrices, starts, "minimiser", max_iter).objective
        assert (after <= before + 1e-12).all()
        before = after


def test_estimator(blocks):
    model = KModes(2, init="random", n_init=1, random_state=0)
    labels = model.fit_predict(blocks, matrices=overlap(blocks))
    runs = kmodes(blocks, overlap(blocks), random_starts(6, 2, 1, 0))
    assert labels.tolist() == runs.labels[0].tolist()
    assert model.modes_.tolist() == runs.modes[0].tolist()
    assert (model.objective_, model.n_iter_) == (runs.objective[0], runs.n_iter[0])
    assert repr(model) == "KModes(init='random', n_init=1, random_state=0)"


def test_random_starts():
    starts = random_starts(10, 10, 3, 5)
    assert (np.sort(starts, axis=1) == np.arange(10)).all()
    assert (starts == random_starts(10, 10, 3, np.random.default_rng(5))).all()
    assert random_starts(4, 2, 0).shape == (0, 2)
    for k in (0, 11):
        with pytest.raises(CouplingsError, match="not an integer from 1 to 10 objects"):
            random_starts(10, k, 1)


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


@pytest.mark.parametrize(
    "starts", [[0, 6], [-1, 0], [0.0, 1.0], np.zeros((1, 1, 3), int), np.zeros((2, 0), int)]
)
def test_bad_starts(blocks, starts):
    with pytest.raises(CouplingsError, match=r"rows of object indices|codes of modes"):
        kmodes(blocks, overlap(blocks), starts)


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
    for init, message in (([["vw", "gas"]], r"shape \(1, 2\)"), ([["kia", "gas"]] * 2, "'kia'")):
        with pytest.raises(CouplingsError, match=message):
            KModes(2, init=init).fit(cars)


def test_ngs_dissimilarity_by_hand():
    rows = [["a", "x"], ["a", "y"], ["a", "x"], ["b", "z"]]
    model = KModes(2, init=[["a", "x"], ["b", "z"]], update="ng").fit(rows)
    assert model.labels_.tolist() == [0, 0, 0, 1]
    np.testing.assert_allclose(model.transform(rows), [[1 / 3, 2], [1, 2], [1 / 3, 2], [2, 0]])
    assert model.objective_ == pytest.approx(5 / 3)
    with pytest.raises(CouplingsError, match="simple matching only"):
        KModes(2, update="ng", measure="cado").fit(rows)


def test_an_early_end_is_told():
    rows = np.random.default_rng(0).integers(0, 3, (60, 4)).astype(str)
    with pytest.warns(ConvergenceWarning, match="max_iter=1"):
        KModes(3, max_iter=1, n_init=1, random_state=0).fit(rows)
