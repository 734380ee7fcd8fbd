"""Choices at the level of rounding are found, and no verdict hangs on them."""

from itertools import product

import numpy as np
import pytest

from couplings.cluster.kmeans import KMeans
from couplings.cluster.kmodes import KModes, kmodes_margin
from couplings.cluster.spectral import CategoricalSpectral, spectral_embedding
from couplings.cluster.ward import Ward
from couplings.counts import cooccurrence
from couplings.measures.frequency import SimpleMatching
from couplings.table import CategoricalTable
from couplings.values import ValueMatrices
from replication.judge.cells import mean_moved
from replication.judge.verdicts import DIFFERS, EXACT, WITHIN_NOISE, Reproduced, verdict
from replication.run.rounding import ROUNDED, moved
from replication.run.runner import Objects, Vectors, cluster

ULP = 2.0**-52


def of_line(*places):
    """Condensed distances of places on a line."""
    return np.array([abs(a - b) for i, a in enumerate(places) for b in places[i + 1 :]])


def test_k_means_knows_its_closest_choice():
    rows = np.array([[0.0], [1.0], [5.0]])
    clear = KMeans(2, init=[[0.0], [5.0]]).fit(rows)
    # the row at 1 is at 1 from the first centre and at 16 from the other, then at .25 and 16
    assert clear.margin_ == pytest.approx(15 / 16)
    between = np.array([[-1.0], [ULP], [1.0]])
    assert 0 < KMeans(2, init=[[-1.0], [1.0]], max_iter=1).fit(between).margin_ < ROUNDED


def test_an_equal_distance_is_decided_by_rule_and_not_by_rounding():
    rows = np.array([[-1.0], [0.0], [1.0]])
    assert KMeans(2, init=[[-1.0], [1.0]], max_iter=1).fit(rows).margin_ > ROUNDED
    assert Ward(2).fit(of_line(0.0, 1.0, 2.0)).margin_ > ROUNDED


@pytest.mark.parametrize("middle", [1.0 - 4 * ULP, 1.0 + 4 * ULP])
def test_ward_knows_a_merge_that_another_one_nearly_was(middle):
    assert 0 < Ward(2).fit(of_line(0.0, middle, 2.0)).margin_ < ROUNDED


def test_k_modes_knows_a_mode_that_is_nearly_as_near():
    table = CategoricalTable.from_any([["a", "p"], ["b", "q"], ["a", "q"]])
    one = np.array([[0.0, 1.0], [1.0, 0.0]])
    modes = np.array([[0, 0], [1, 1]])
    nearly = ValueMatrices.from_blocks([one, one * (1 + 4 * ULP)])
    assert 0 < kmodes_margin(table, nearly, modes) < ROUNDED
    assert kmodes_margin(table, ValueMatrices.from_blocks([one, one]), modes) == 1.0
    labels = np.array([0, 1, 0])
    found = cluster(Objects(table, labels), nearly, KModes(2, init="random", n_init=1), [0])
    assert found.scores(["ari"])[0]["margin"] > ROUNDED


def all_combinations():
    """A table of all combinations: no direction of its embedding is before another one."""
    return CategoricalTable.from_any(list(product("abc", "pqr", "xyz")))


@pytest.mark.parametrize("affinity", ["one-minus", "exp-mean"])
def test_an_embedding_cut_inside_an_eigenspace_is_found(affinity):
    table = all_combinations()
    measure = SimpleMatching().fit(cooccurrence(table))
    assert abs(spectral_embedding(table, measure, affinity, 3).gap) < ROUNDED
    # the constant direction and the six of the attributes
    assert spectral_embedding(table, measure, affinity, 7).gap > 0.01


@pytest.mark.parametrize("n", [6, 60])
@pytest.mark.parametrize("variant", ["njw", "unnorm"])
def test_the_gap_is_that_of_all_eigenvalues(n, variant):
    rng = np.random.default_rng(n)
    table = CategoricalTable.from_any(rng.permutation(list(product("abcd", "pqrs", "xyzw")))[:n])
    measure = SimpleMatching().fit(cooccurrence(table))
    more = spectral_embedding(table, measure, "exp-mean", 4, variant).eigenvalues
    found = spectral_embedding(table, measure, "exp-mean", 3, variant)
    sign = -1 if variant == "unnorm" else 1
    largest = np.abs(more[:3]).max()
    assert found.gap == pytest.approx(sign * (more[2] - more[3]) / largest, abs=1e-6)


def test_objects_that_rounding_moves_are_counted():
    table = all_combinations()
    measure = SimpleMatching().fit(cooccurrence(table))
    objects = Objects(table, table.codes[:, 0].astype(np.int64))
    for row in cluster(objects, measure, CategoricalSpectral(3), [1, 2]).scores(["ari"]):
        assert row["margin"] < ROUNDED
        assert row["moved"] > 0.1


def nearly_between():
    """Rows of which one is almost as far from its right as from its left; some starts meet it."""
    rows = np.array([[0.0], [0.1], [1.0], [1.1], [0.55 + 1e-13], [5.0], [5.1]])
    table = CategoricalTable.from_codes(np.arange(len(rows))[:, None], [len(rows)])
    return Objects(table, np.zeros(len(rows), dtype=np.int64)), Vectors(rows)


def test_a_clustering_is_made_again_from_its_own_seed():
    objects, vectors = nearly_between()
    together = cluster(objects, vectors, KMeans(3), [np.random.default_rng(t) for t in range(20)])
    assert {row["margin"] < ROUNDED for row in together.rounding} == {True, False}
    assert {row["moved"] for row in together.rounding} > {0.0}
    for t, rounding in enumerate(together.rounding):
        alone = cluster(objects, vectors, KMeans(3), [np.random.default_rng(t)])
        assert alone.rounding == [rounding]
        assert cluster(objects, vectors, KMeans(3), [t]).rounding == [rounding]


def test_moved_does_not_depend_on_the_names_of_clusters():
    labels = np.array([0, 0, 1, 1])
    assert moved(labels, np.array([[1, 1, 0, 0]])) == 0.0
    assert moved(labels, np.array([[1, 1, 0, 0], [0, 0, 0, 1]])) == 0.25
    assert moved(labels, np.empty((0, 4), dtype=np.int64)) == 0.0
    assert mean_moved([None, "", "0.5", float("nan")]) == 0.125


def test_no_verdict_hangs_on_an_ill_posed_number():
    assert verdict("0.70", Reproduced(0.70)).verdict == EXACT
    open_ = verdict("0.70", Reproduced(0.70, rounding=0.02))
    assert open_.verdict == WITHIN_NOISE
    mark = "ill-posed: rounding alone moves 2.00% of the objects"
    assert open_.reason == f"{mark} (our order of operations gives the printed digits)"
    assert verdict("0.71", Reproduced(0.70, rounding=0.02)).reason == mark
    assert verdict("0.70", Reproduced(0.7001, rounding=0.001)).verdict == EXACT
    assert verdict("0.70", Reproduced(0.75)).verdict == DIFFERS
    assert verdict("0.70", Reproduced(0.75, rounding=0.06)).verdict == WITHIN_NOISE
    assert verdict("0.70", Reproduced(0.75, rounding=0.01)).verdict == DIFFERS


def test_what_is_not_clustered_again_has_its_margin_alone():
    table = all_combinations()
    measure = SimpleMatching().fit(cooccurrence(table))
    objects = Objects(table, table.codes[:, 0].astype(np.int64))
    algorithm = CategoricalSpectral(3)
    whole = cluster(objects, measure, algorithm, [1, 2])
    alone = cluster(objects, measure, algorithm, [1, 2], again=False)
    np.testing.assert_array_equal(alone.labels, whole.labels)
    margins = [one["margin"] for one in whole.rounding]
    assert alone.rounding == [{"margin": margin, "moved": None} for margin in margins]
