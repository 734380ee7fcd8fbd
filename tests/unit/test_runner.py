"""Clusterings of a job, and those that rounding decides."""

from itertools import product

import numpy as np
import pytest
from kit import read_labels

from couplings import Caso, CategoricalTable, MeasureError, MixedTable
from couplings.cluster.density_peaks import DensityPeaks
from couplings.cluster.kmeans import KMeans
from couplings.cluster.kmodes import KModes
from couplings.cluster.kprototypes import KPrototypes
from couplings.cluster.limbo import Limbo
from couplings.cluster.neighbours import NeighbourGraph
from couplings.cluster.rock import Rock
from couplings.cluster.spectral import CategoricalSpectral, SpectralEmbedding, spectral_embedding
from couplings.cluster.ward import Ward
from couplings.counts import cooccurrence
from couplings.measures.frequency import Goodall3, SimpleMatching
from couplings.values import ValueMatrices
from replication.errors import UserError
from replication.judge.cells import mean_moved
from replication.run import runner
from replication.run.journal import Journal
from replication.run.labels import ABSENT, COLUMNS, pack, unpack, write_labels
from replication.run.rounding import ROUNDED, kmodes_margin, share_moved
from replication.run.runner import Clusterings, Objects, Runner, Vectors, cluster
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
    best = min(tried, key=lambda one: one.objective_)
    assert made.labels.tolist() == [best.labels_.tolist()]


def test_k_modes_refuses_a_measure_of_whole_objects(objects):
    measure = Goodall3().fit(objects.table)
    assert measure.space_.link in ("inverse", "ratio")
    with pytest.raises(MeasureError, match="KModes compares values, Goodall3 whole objects"):
        cluster(objects, measure, KModes(3), seeds())


def test_an_algorithm_says_what_it_takes(objects, fitted):
    class Silent(KModes):
        takes = None

    with pytest.raises(UserError, match=r"Silent: takes is None; set .* one of table, values, "):
        cluster(objects, fitted, Silent(3), seeds())
    with pytest.raises(MeasureError, match="Limbo takes no measure; give it None"):
        cluster(objects, fitted, Limbo(3))


def test_labels_go_home_to_the_rows_of_the_table(objects):
    order = np.random.default_rng(2).permutation(36)[:30]
    part = objects.ordered(order)
    home = part.in_table_order(part.classes[None])
    assert home.shape == (1, 36)
    assert np.array_equal(home[0][order], objects.classes[order])
    assert (home[0][np.setdiff1d(np.arange(36), order)] == ABSENT).all()
    twice = part.ordered(np.arange(30)[::-1])
    assert np.array_equal(twice.in_table_order(twice.classes[None]), home)


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
    kept = [[name, 1, trial] for name in ("smd", "twin") for trial in (0, 1)]
    assert frame[["measure", "order", "trial"]].to_numpy().tolist() == kept
    for trial, labels in enumerate(frame["labels"][:2]):
        assert np.array_equal(labels[order], made.labels[trial])
        assert (labels == ABSENT).sum() == 6
        found = score(objects.classes[order], labels[order], ["ari"])
        assert found.items() <= made.scores(["ari"])[trial].items()
    assert not (tmp_path / "a.partial").exists()


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


@pytest.fixture
def symmetric():
    """All combinations, with a measure: no direction of the embedding is before another one."""
    table = CategoricalTable.from_any(list(product("abc", "pqr", "xyz")))
    measure = SimpleMatching().fit(cooccurrence(table))
    return Objects(table, table.codes[:, 0].astype(np.int64)), measure


@pytest.mark.parametrize("affinity", ["one-minus", "exp-mean"])
def test_an_embedding_cut_inside_an_eigenspace_is_found(symmetric, affinity):
    objects, measure = symmetric
    assert abs(spectral_embedding(objects.table, measure, affinity, 3).gap) < ROUNDED
    # the constant direction and the six of the attributes
    assert spectral_embedding(objects.table, measure, affinity, 7).gap > 0.01


@pytest.mark.parametrize("n", [6, 60])
def test_the_gap_is_that_of_all_eigenvalues(n):
    rng = np.random.default_rng(n)
    table = CategoricalTable.from_any(rng.permutation(list(product("abcd", "pqrs", "xyzw")))[:n])
    measure = SimpleMatching().fit(cooccurrence(table))
    more = spectral_embedding(table, measure, "exp-mean", 4).eigenvalues
    found = spectral_embedding(table, measure, "exp-mean", 3)
    largest = np.abs(more[:3]).max()
    assert found.gap == pytest.approx((more[2] - more[3]) / largest, abs=1e-6)


def test_rows_of_length_0_have_no_direction_to_lose():
    rows = [None] * 6
    found = SpectralEmbedding(*rows, lengths=np.array([0.5, 0.0, 1.0]), scale=1.0, gap=0.9)
    assert found.margin == 0.5


def test_objects_that_rounding_moves_are_counted(symmetric):
    whole = cluster(*symmetric, CategoricalSpectral(3), [1, 2])
    for row in whole.scores(["ari"]):
        assert row["margin"] < ROUNDED
        assert row["moved"] > 0.1
    # what is not clustered again has its margin alone
    alone = cluster(*symmetric, CategoricalSpectral(3), [1, 2], again=False)
    np.testing.assert_array_equal(alone.labels, whole.labels)
    margins = [one["margin"] for one in whole.rounding]
    assert alone.rounding == [{"margin": margin, "moved": None} for margin in margins]


@pytest.fixture
def nearly_between():
    # one row is almost as far from its right as from its left; some starts meet it
    rows = np.array([[0.0], [0.1], [1.0], [1.1], [0.55 + 1e-13], [5.0], [5.1]])
    table = CategoricalTable.from_codes(np.arange(len(rows))[:, None], [len(rows)])
    return Objects(table, np.zeros(len(rows), dtype=np.int64)), Vectors(rows)


def test_a_clustering_is_made_again_from_its_own_seed(nearly_between):
    objects, vectors = nearly_between
    together = cluster(objects, vectors, KMeans(3), [np.random.default_rng(t) for t in range(20)])
    assert {row["margin"] < ROUNDED for row in together.rounding} == {True, False}
    assert {row["moved"] for row in together.rounding} > {0.0}
    for t, rounding in enumerate(together.rounding):
        alone = cluster(objects, vectors, KMeans(3), [np.random.default_rng(t)])
        assert alone.rounding == [rounding]
        assert cluster(objects, vectors, KMeans(3), [t]).rounding == [rounding]


def test_a_generator_goes_on_where_the_first_clusterings_left_it(nearly_between, monkeypatch):
    objects, vectors = nearly_between
    original = runner._cluster

    def drawing(objects, similarity, algorithm, seeds, *rest):
        if similarity is not vectors:
            seeds[0].random()
        return original(objects, similarity, algorithm, seeds, *rest)

    monkeypatch.setattr(runner, "_cluster", drawing)
    shared = [np.random.default_rng(7) for _ in range(2)]
    for again, rng in zip((True, False), shared, strict=True):
        found = cluster(objects, vectors, KMeans(3), [rng] * 20, again=again)
        assert min(row["margin"] for row in found.rounding) < ROUNDED
    assert shared[0].random() == shared[1].random()


def test_moved_does_not_depend_on_the_names_of_clusters():
    labels = np.array([0, 0, 1, 1])
    assert share_moved(labels, np.array([[1, 1, 0, 0]])) == 0.0
    assert share_moved(labels, np.array([[1, 1, 0, 0], [0, 0, 0, 1]])) == 0.25
    assert share_moved(labels, np.empty((0, 4), dtype=np.int64)) == 0.0
    assert mean_moved([None, "", "0.5", float("nan")]) == 0.125
