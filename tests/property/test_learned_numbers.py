"""Learnt distances: numbers of the worked table, readings, emptied clusters, restarts, errors."""

import numpy as np
import pytest
from rivals_toy import TOY

from couplings import CategoricalTable, CouplingsError, adjusted_rand, cooccurrence
from replication.papers.disc.method import DISC, OwnDistances
from replication.papers.study.rivals.clustering import CountedRows, OldMatlabRandom
from replication.papers.study.rivals.coforest import COForest
from replication.papers.study.rivals.harr import (
    HARR,
    WeightedCoordinates,
    conditional_differences,
    pair_coordinates,
)
from replication.papers.study.rivals.mismatches import MismatchKModes
from replication.papers.study.rivals.ndw import HDNDW, WeightedPairs

ROWS = CountedRows.of(TOY)
Y = np.array([0, 0, 0, 1, 1, 1])
CLOSE = {"rtol": 0, "atol": 1e-8}
FROM_ROWS = [
    MismatchKModes(),
    MismatchKModes(update="online"),
    DISC(),
    DISC(reading="released"),
    DISC(reading="literal"),
    COForest(),
    COForest(reading="released"),
    HDNDW(),
    HDNDW(reading="released"),
    HARR(),
    HARR(variant="M"),
]


def table(codes):
    return CategoricalTable.from_codes(np.array(codes))


def upper(block):
    return block[np.triu_indices(len(block), 1)]


def distances(contributions, root):
    total = contributions[ROWS.values].sum(axis=1)
    return np.sqrt(total) if root else total


def test_first_distances_of_hd_ndw():
    np.testing.assert_allclose(
        distances(WeightedPairs(ROWS, ROWS.values[[0, 3]]).table(), True),
        [
            [0, 0.14120641],
            [0.07142857, 0.12180809],
            [0.06878307, 0.12332129],
            [0.14120641, 0],
            [0.14538235, 0.06349206],
            [0.12397222, 0.15144203],
        ],
        **CLOSE,
    )


def test_final_weights_and_distances_of_hd_ndw():
    found = HDNDW(init=[0, 3]).fit(TOY)
    expected = [[0.26982249, 0, 0.31952663], [0.12307692], [0.09585799, 0.10650888, 0.08520710]]
    for block, want in zip(found.pair_weights_, expected, strict=True):
        np.testing.assert_allclose(upper(block), want, **CLOSE)
    np.testing.assert_allclose(
        distances(found.value_contributions_, True)[0], [0.03060045, 0.20598990], **CLOSE
    )


@pytest.mark.parametrize(
    ("reading", "expected"),
    [
        (
            "released",
            [
                [0, 1.5],
                [0.25, 2**0.5],
                [0.5, 1.11803399],
                *[[0.93541435, 0]] * 2,
                [0.55901699, 2**0.5],
            ],
        ),
        ("literal", [[0, 2.5], [0.25, 2], [0.5, 1.5], [1.5, 0], [1.5, 0], [0.75, 2]]),
    ],
)
def test_distances_of_disc(reading, expected):
    found = DISC(init=[0, 3], reading=reading).fit(TOY)
    np.testing.assert_allclose(
        distances(found.value_contributions_, reading == "released"), expected, **CLOSE
    )
    assert found.centres_.tolist() == [[0, 0, 0], [1, 1, 1]]
    own = [[[0.75, 0.5, 0.25], [0.5], [0.25, 0.25, 0]], [[1, 0, 1], [1], [0.5, 0.5, 0]]]
    for c, blocks in enumerate(own):
        for j, want in enumerate(blocks):
            p = found.value_shares_[ROWS.offsets[j] : ROWS.offsets[j + 1], c]
            np.testing.assert_allclose(upper(np.abs(p[:, None] - p)), want, **CLOSE)


def test_trees_and_distances_of_coforest():
    found = COForest(init=[0, 3]).fit(TOY)
    expected = [[0.70710678, 1e-8, 0.70710678], [0.47140452], [0.35355339, 0.35355339, 1e-8]]
    for block, want in zip(found.tree_distances_, expected, strict=True):
        np.testing.assert_allclose(upper(block), want, rtol=0, atol=2e-8)
    np.testing.assert_allclose(
        distances(found.value_contributions_, False),
        [
            [0.06874649, 0.33391154],
            [0.06874649, 0.27498597],
            [0.14731391, 0.17677670],
            [0.26516504, 0],
            [0.26516504, 0],
            [0.06874650, 0.27498597],
        ],
        **CLOSE,
    )


def test_coordinates_and_weights_of_harr():
    kappas = conditional_differences(cooccurrence(TOY))
    differences = [[2.5, 2.66666667, 1.5], [2.33333333], [0.83333333, 2.16666667, 1.33333333]]
    for kappa, want in zip(kappas, differences, strict=True):
        np.testing.assert_allclose(upper(kappa), want, **CLOSE)
    coordinates = [
        [[0, 1, 0.88888889], [0, 0.78125, 1], [0.30864198, 0, 1]],
        [[0, 1]],
        [[0, 0.38461538, 1]] * 3,
    ]
    for kappa, want in zip(kappas, coordinates, strict=True):
        np.testing.assert_allclose(pair_coordinates(kappa).T, want, **CLOSE)
    state = WeightedCoordinates(ROWS, ROWS.values[[0, 3]], "V")
    counts = ROWS.counts(Y, 2)
    state.update(counts)
    state.learn(counts)
    np.testing.assert_allclose(
        state.weights[0],
        [0.57471921, 0.25894458, 0.01528273, 0.01842119, *[0.04421076] * 3],
        **CLOSE,
    )


@pytest.mark.parametrize(
    ("seed", "state", "numbers"),
    [
        (1, 65536, [0.5129089357857168, 0.46048375054285107, 0.35039537369757673]),
        (267, 17498112, [0.946685854786395, 0.94916139494123, 0.555564777252993]),
    ],
)
def test_numbers_of_the_old_generator(seed, state, numbers):
    rng = OldMatlabRandom(seed)
    assert rng.state == state
    assert [rng.random() for _ in numbers] == pytest.approx(numbers, abs=1e-15)


@pytest.mark.parametrize("seed", [0, -1, 2**31 - 1, 1.5])
def test_seeds_without_a_state_are_refused(seed):
    with pytest.raises(CouplingsError, match="is not a positive integer below 2147483647"):
        OldMatlabRandom(seed)


def test_a_single_outer_round_learns_from_the_partition_of_k_modes():
    whole = DISC(init=[1, 2]).fit(TOY)
    once = DISC(init=[1, 2], max_iter=1).fit(TOY)
    assert (once.n_iter_, whole.n_iter_) == (1, 2)
    start = MismatchKModes(init=[1, 2]).fit(TOY).labels_
    first = np.bincount(TOY.codes[start == 0, 0], minlength=3) / (start == 0).sum()
    assert once.value_shares_[:3, 0] == pytest.approx(first)
    with pytest.raises(CouplingsError, match="max_iter=0 is not a positive integer"):
        DISC(max_iter=0).fit(TOY)


def test_equal_rows_are_no_start_of_kmodes():
    t = table([[0, 0]] * 8 + [[1, 1]])
    for seed in range(5):
        found = MismatchKModes(2, random_state=seed).fit(t)
        assert adjusted_rand([0] * 8 + [1], found.labels_) == 1
    with pytest.raises(CouplingsError, match="n_clusters=3 needs as many different rows"):
        MismatchKModes(3, random_state=0).fit(t)


def emptied(method):
    """The first table and seed, of many, where a cluster ends empty."""
    for seed in range(300):
        t = table(np.random.default_rng(seed).integers(3, size=(20, 6)))
        found = method.set_params(n_clusters=10, n_init=1, random_state=seed).fit(t)
        if len(found.empty_clusters_):
            return t, seed, found
    raise AssertionError("no cluster was emptied")


@pytest.mark.parametrize(
    "method", [DISC(), DISC(reading="released"), COForest(), HDNDW(), HARR()], ids=repr
)
def test_emptied_clusters_are_named(method):
    _, _, found = emptied(method)
    sizes = np.bincount(found.labels_, minlength=10)
    assert found.empty_clusters_.tolist() == np.flatnonzero(sizes == 0).tolist()
    barred = np.isinf(found.value_contributions_).all(axis=0)
    # Only HD-NDW bars an emptied cluster; the others keep its centre or means.
    assert np.flatnonzero(barred).tolist() == (
        found.empty_clusters_.tolist() if isinstance(method, HDNDW) else []
    )


def test_an_emptied_cluster_of_the_released_disc_is_at_distance_0_of_every_row():
    counts = ROWS.counts(np.zeros(6, dtype=np.int64), 2)
    modes = ROWS.values[[0, 3]].astype(np.int64)
    for reading, at_zero in [("released", True), ("repaired", False), ("literal", False)]:
        state = OwnDistances(ROWS, modes, reading)
        state.learn(counts)
        state.update(counts)
        assert state.centres[1].tolist() == modes[1].tolist()
        assert (not state.table()[:, 1].any()) == at_zero


@pytest.mark.parametrize("method", FROM_ROWS, ids=repr)
def test_starts_that_are_not_k_objects_are_refused(method):
    for init in ([0], [0, 0], [0, 6], [0.0, 1.0]):
        with pytest.raises(CouplingsError, match="init must be 2 different objects from 0 to 5"):
            method.set_params(n_clusters=2, init=init).fit(TOY)
    method.set_params(init=None)


@pytest.mark.parametrize(
    ("method", "message"),
    [
        (DISC(reading="printed"), "DISC: reading='printed' is not known"),
        (COForest(reading="literal"), "COForest: reading='literal' is not known"),
        (HDNDW(reading="literal"), "HDNDW: reading='literal' is not known"),
        (HARR(variant="v"), "HARR: variant='v' is not known"),
        (MismatchKModes(update="none"), "MismatchKModes: update='none' is not known"),
        (MismatchKModes(max_iter=0), "MismatchKModes: max_iter=0 is not a positive integer"),
        (DISC(n_init=0), "DISC: n_init=0 is not a positive integer"),
    ],
    ids=repr,
)
def test_options_that_do_not_exist_are_refused(method, message):
    with pytest.raises(CouplingsError, match=message):
        method.fit(TOY)


def test_harr_needs_other_attributes_and_few_values():
    with pytest.raises(CouplingsError, match="HARR compares the values of an attribute by the"):
        HARR().fit(table([[0], [1], [1]]))
    wide = table([[u, u % 2] for u in range(400)])
    with pytest.raises(CouplingsError, match=r"merge rare values of wide attributes \('a0' has"):
        HARR().fit(wide)


def test_fits_from_several_seeds_are_those_one_by_one():
    table = CategoricalTable.from_codes(np.random.default_rng(0).integers(0, 3, (60, 4)))
    together = DISC(3, random_state=99).fit_each(table, range(4))
    for seed, one in enumerate(together):
        alone = DISC(3, random_state=seed).fit(table)
        assert one.random_state == seed
        assert (one.objective_, one.n_iter_) == (alone.objective_, alone.n_iter_)
        np.testing.assert_array_equal(one.labels_, alone.labels_)
