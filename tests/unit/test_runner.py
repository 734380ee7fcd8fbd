"""The one runner: labels by every kind of algorithm, their scores, their files, resumption."""

import numpy as np
import pytest
from kit import read_labels

from couplings.cluster.density_peaks import DensityPeaks
from couplings.cluster.kmodes import KModes
from couplings.cluster.kprototypes import KPrototypes
from couplings.cluster.neighbours import NeighbourGraph
from couplings.cluster.rock import Rock
from couplings.errors import MeasureError
from couplings.measures.coupled import Caso
from couplings.measures.frequency import Goodall3, SimpleMatching
from couplings.mixed import MixedTable
from couplings.table import CategoricalTable
from replication.run.journal import Journal
from replication.run.labels import ABSENT, COLUMNS, pack, unpack, write_labels
from replication.run.runner import Clusterings, Objects, Runner, cluster
from replication.run.scores import matched_scores, score


@pytest.fixture(scope="module")
def objects():
    rng = np.random.default_rng(3)
    classes = np.repeat([0, 1, 2], 12).astype(np.int64)
    noise = rng.integers(0, 3, (36, 5))
    codes = np.where(rng.random((36, 5)) < 0.7, classes[:, None], noise)
    return Objects(CategoricalTable.from_codes(codes, n_values=[3] * 5), classes)


@pytest.fixture(scope="module")
def fitted(objects):
    return SimpleMatching().fit(objects.table)


def seeds(count=4):
    return [np.random.default_rng([9, trial]) for trial in range(count)]


# --- labels ---------------------------------------------------------------------------------------


def test_k_modes_is_the_estimator_once_per_seed(objects, fitted):
    algorithm = KModes(3, init="random", n_init=1)
    made = cluster(objects, fitted, algorithm, seeds())
    matrices = fitted.space_.matrices
    again = [
        KModes(3, init="random", n_init=1, random_state=seed).fit(objects.table, matrices=matrices)
        for seed in seeds()
    ]
    assert made.labels.tolist() == [one.labels_.tolist() for one in again]
    assert not hasattr(algorithm, "labels_")
    values = cluster(objects, matrices, algorithm, seeds())
    assert np.array_equal(values.labels, made.labels)


def test_rock_joins_by_the_measure_over_the_attributes(objects):
    caso = Caso().fit(objects.table)
    made = cluster(
        objects,
        caso,
        Rock(3, theta=0.2, label="assign"),
        observe=lambda rock: {"left": rock.n_remaining_},
    )
    alike = caso.space_.pairwise(objects.table) / objects.table.n_attributes
    graph = NeighbourGraph.from_similarity(alike, 0.2)
    again = Rock(3, theta=0.2, label="assign").fit(graph)
    assert made.labels.tolist() == [again.labels_.tolist()]
    assert made.facts == {"left": again.n_remaining_}


def test_density_peaks_take_a_space_or_vectors(objects, fitted):
    by_space = cluster(objects, fitted, DensityPeaks(3, percent=40.0))
    direct = DensityPeaks(3, percent=40.0).fit(objects.table, space=fitted.space_)
    assert by_space.labels.tolist() == [direct.labels_.tolist()]
    rows = np.random.default_rng(0).random((36, 2))
    assert cluster(objects, rows, DensityPeaks(3)).labels[0].tolist() == (
        DensityPeaks(3).fit(rows).labels_.tolist()
    )


def test_of_several_starts_the_cheapest_counts(objects):
    numbers = np.random.default_rng(1).random((36, 2))
    table = MixedTable(objects.table, numbers, ("x", "y"))
    mixed = Objects(table, objects.classes)
    made = cluster(mixed, None, KPrototypes(3, n_init=1), [5], starts=6)
    tried = [
        KPrototypes(3, n_init=1, random_state=state).fit(table)
        for state in np.random.SeedSequence(5).spawn(6)
    ]
    best = min(tried, key=lambda one: one.cost_)
    assert made.labels.tolist() == [best.labels_.tolist()]


def test_k_modes_refuses_a_measure_of_whole_objects(objects):

    measure = Goodall3().fit(objects.table)
    assert measure.space_.link in ("inverse", "ratio")
    with pytest.raises(MeasureError, match="KModes compares values, Goodall3 whole objects"):
        cluster(objects, measure, KModes(3), seeds())


# --- objects --------------------------------------------------------------------------------------


def test_labels_go_home_to_the_rows_of_the_table(objects):
    order = np.random.default_rng(2).permutation(36)[:30]
    part = objects.ordered(order)
    home = part.in_table_order(part.classes[None])
    assert home.shape == (1, 36)
    assert np.array_equal(home[0][order], objects.classes[order])
    assert (home[0][np.setdiff1d(np.arange(36), order)] == ABSENT).all()
    twice = part.ordered(np.arange(30)[::-1])
    assert np.array_equal(twice.in_table_order(twice.classes[None]), home)


# --- scores ---------------------------------------------------------------------------------------


def test_matched_scores_by_hand():
    # cluster 0 is matched with class 0, cluster 1 with class 1
    found = matched_scores(np.array([[3, 1], [0, 4]]))
    assert found["precision"] == pytest.approx((3 / 4) * 3 / 8 + (4 / 4) * 5 / 8)
    assert found["specificity"] == pytest.approx((4 / 5) * 3 / 8 + 1 * 5 / 8)


def test_a_part_of_the_objects_can_be_scored(objects):
    made = Clusterings(objects, np.array([objects.classes, np.zeros(36, dtype=int)]))
    half = np.arange(36) < 24
    perfect, one = made.scores(["accuracy"], among=half)
    assert (perfect["accuracy"], one["accuracy"]) == (1.0, 0.5)


# --- the journal and the file -----------------------------------------------------------------


@pytest.mark.parametrize("largest", [0, 1, 254, 70_000])
def test_labels_are_packed_whole(largest):
    labels = np.array([[0, largest, ABSENT], [largest, 0, 0]])
    assert np.array_equal(unpack(pack(labels)), labels)
    assert unpack(pack(np.empty((0, 5), dtype=np.int64))).shape == (0, 5)


def test_an_interrupted_job_goes_on_with_the_same_labels(tmp_path, objects, fitted):
    algorithm = KModes(3, init="random", n_init=1)
    calls = []

    def make():
        calls.append(1)
        made = cluster(objects, fitted, algorithm, seeds())
        return Clusterings(objects, made.labels, {"seen": 0.1})

    def job():
        runner = Runner(Journal(tmp_path / "partial", "key"))
        return runner, runner.clusterings(objects, make, measure="smd", algorithm="kmodes")

    (_, first), (again, second) = job(), job()
    assert len(calls) == 1
    assert np.array_equal(first.labels, second.labels)
    assert first.facts == second.facts == {"seen": 0.1}
    assert first.scores(["ari"]) == second.scores(["ari"])
    with pytest.raises(ValueError, match="two sets of clusterings"):
        again.clusterings(objects, make, measure="smd", algorithm="kmodes")


def test_clusterings_that_follow_from_the_same_are_made_once(tmp_path, objects, fitted):
    calls = []

    def make():
        calls.append(1)
        return cluster(objects, fitted, KModes(3, init="random", n_init=1), seeds())

    def job():
        runner = Runner(Journal(tmp_path / "partial", "key"))
        made = [
            runner.clusterings(objects, make, alike=alike, setting=setting)
            for setting, alike in [("a", "x"), ("b", "x"), ("c", "y"), ("d", None), ("e", None)]
        ]
        return made, [(key["setting"], labels.tolist()) for key, labels in runner.kept]

    (first, kept), (second, kept_again) = job(), job()
    assert len(calls) == 4
    assert kept == kept_again
    assert [setting for setting, _ in kept] == [name for name in "abcde" for _ in seeds()]
    assert np.array_equal(first[0].labels, first[1].labels)
    assert first[1].scores(["ari"]) == second[1].scores(["ari"]) == first[0].scores(["ari"])


def test_files_hold_every_clustering_in_the_order_of_the_table(tmp_path, objects, fitted):
    runner = Runner(Journal(tmp_path / "partial", "key"))
    order = np.random.default_rng(2).permutation(36)[:30]
    part = objects.ordered(order)
    algorithm = KModes(3, init="random", n_init=1)
    made = runner.clusterings(
        part, lambda: cluster(part, fitted, algorithm, seeds(2)), measure="smd", order=1
    )
    runner.again(made, measure="twin", order=1)
    runner.clusterings(objects, lambda: Clusterings.none(objects, note="no"), measure="none")
    for name in ("a", "b"):
        write_labels(tmp_path / name, [({"paper": "p", **key}, row) for key, row in runner.kept])
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    frame = read_labels(tmp_path / "a")
    assert tuple(frame.columns) == COLUMNS
    assert frame[["measure", "order", "trial"]].to_numpy().tolist() == [
        ["smd", 1, 0],
        ["smd", 1, 1],
        ["twin", 1, 0],
        ["twin", 1, 1],
    ]
    for trial, labels in enumerate(frame["labels"][:2]):
        assert np.array_equal(labels[order], made.labels[trial])
        assert (labels == ABSENT).sum() == 6
        found = score(objects.classes[order], labels[order], ["ari"])
        assert found.items() <= made.scores(["ari"])[trial].items()
    assert not (tmp_path / "a.partial").exists()
