"""DISC, COForest, HD-NDW and HARR: all starts of a small table, and loops over definitions."""

import learned_definitions as twin
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from kit import examples, refused
from rivals_toy import TOY, tables

from couplings import HD, CategoricalTable, CouplingsError, adjusted_rand
from replication.papers.disc.method import DISC, OwnDistances
from replication.papers.study.rivals.clustering import CountedRows, MismatchKModes, OldMatlabRandom
from replication.papers.study.rivals.coforest import COForest
from replication.papers.study.rivals.harr import HARR, WeightedCoordinates
from replication.papers.study.rivals.ndw import HDNDW

ROWS = CountedRows.of(TOY)


class Start(OldMatlabRandom):
    """Draws given ones of n objects to start from."""

    def __init__(self, objects, n):
        self.numbers = iter([(u + 0.5) / n for u in objects])

    def random(self):
        return next(self.numbers)


table = CategoricalTable.from_codes


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
    whole = DISC(random_state=Start([1, 2], 6)).fit(TOY)
    once = DISC(random_state=Start([1, 2], 6), max_iter=1).fit(TOY)
    assert (once.n_iter_, whole.n_iter_) == (1, 2)
    start = MismatchKModes(random_state=Start([1, 2], 6)).fit(TOY).labels_
    first = np.bincount(TOY.codes[start == 0, 0], minlength=3) / (start == 0).sum()
    assert once.distance_.profiles[:3, 0] == pytest.approx(first)


def test_equal_rows_are_no_start_of_kmodes():
    t = table([[0, 0]] * 8 + [[1, 1]])
    for seed in range(5):
        found = MismatchKModes(2, random_state=seed).fit(t)
        assert adjusted_rand([0] * 8 + [1], found.labels_) == 1


@pytest.mark.parametrize(
    "method", [DISC(), DISC(reading="released"), COForest(), HDNDW(), HARR()], ids=repr
)
def test_emptied_clusters_are_named(method):
    for seed in range(300):
        t = table(np.random.default_rng(seed).integers(3, size=(20, 6)))
        found = method.set_params(n_clusters=10, random_state=seed).fit(t)
        if len(found.empty_clusters_):
            break
    assert len(found.empty_clusters_), "no cluster was emptied"
    sizes = np.bincount(found.labels_, minlength=10)
    assert found.empty_clusters_.tolist() == np.flatnonzero(sizes == 0).tolist()
    barred = np.isinf(found.distance_.table()).all(axis=0)
    # Only HD-NDW bars an emptied cluster; the others keep its centre or means.
    assert np.flatnonzero(barred).tolist() == (
        found.empty_clusters_.tolist() if isinstance(method, HDNDW) else []
    )


@pytest.mark.parametrize("variant", ["V", "M"])
def test_a_single_cluster_of_harr_keeps_its_weights(variant):
    found = HARR(1, variant=variant, random_state=0).fit(TOY)
    assert np.isfinite(found.distance_.table()).all()


def test_an_emptied_cluster_of_the_released_disc_is_at_distance_0_of_every_row():
    counts = ROWS.counts(np.zeros(6, dtype=np.int64), 2)
    modes = ROWS.values[[0, 3]].astype(np.int64)
    for reading, at_zero in [("released", True), ("repaired", False), ("literal", False)]:
        state = OwnDistances(ROWS, modes, reading)
        state.learn(counts)
        state.update(counts)
        assert state.centres[1].tolist() == modes[1].tolist()
        assert (not state.table()[:, 1].any()) == at_zero


@pytest.mark.parametrize("reading", ["released", "repaired", "literal"])
def test_a_cluster_of_one_row_has_the_shares_of_that_row(reading):
    labels = np.array([0] * (ROWS.values.shape[0] - 1) + [1])
    state = OwnDistances(ROWS, ROWS.values[[0, -1]].astype(np.int64), reading)
    state.learn(ROWS.counts(1 - labels, 2))  # what it had before counts no more
    state.learn(ROWS.counts(labels, 2))
    own = ROWS.values[-1].astype(np.int64)
    assert state.profiles[own, 1] == pytest.approx(1)
    assert state.profiles[:, 1].sum() == pytest.approx(len(own))


test_options_and_tables_that_do_not_fit_are_refused = refused(
    CouplingsError,
    lambda method, codes=TOY.codes: method.fit(table(codes)),
    [
        (DISC(reading="printed"), "DISC: reading='printed' is not known"),
        (COForest(reading="literal"), "COForest: reading='literal' is not known"),
        (HDNDW(reading="literal"), "HDNDW: reading='literal' is not known"),
        (HARR(variant="v"), "HARR: variant='v' is not known"),
        (MismatchKModes(update="none"), "MismatchKModes: update='none' is not known"),
        (DISC(max_iter=0), "max_iter=0 is not a positive integer"),
        (MismatchKModes(3), [[0, 0], [0, 0], [1, 1]], "n_clusters=3 needs as many different rows"),
        (HARR(), [[0], [1], [1]], "HARR compares the values of an attribute by the"),
    ],
)


def test_fits_from_several_seeds_are_those_one_by_one():
    table = CategoricalTable.from_codes(np.random.default_rng(0).integers(0, 3, (60, 4)))
    together = DISC(3, random_state=99).fit_each(table, range(4))
    for seed, one in enumerate(together):
        alone = DISC(3, random_state=seed).fit(table)
        assert one.random_state == seed
        assert (one.objective_, one.n_iter_) == (alone.objective_, alone.n_iter_)
        np.testing.assert_array_equal(one.labels_, alone.labels_)


@st.composite
def starts(draw, least_attributes=1):
    """A table without constant or unobserved values, k, and different rows to start from."""
    t = draw(tables(least_attributes, least_rows=3, most_rows=14)).observed()
    t = t.select([j for j, v in enumerate(t.n_values.tolist()) if v > 1] or [0])
    rows = [tuple(row) for row in t.codes.tolist()]
    first = [u for u, row in enumerate(rows) if row not in rows[:u]]
    assume(len(first) > 1)
    k = draw(st.integers(2, min(4, len(first))))
    return t, rows, t.n_values.tolist(), draw(st.permutations(first))[:k]


def check(method, t, start, expected):
    labels, rounds, total = expected
    drawn = Start(start, t.n_objects)
    found = method.set_params(n_clusters=len(start), random_state=drawn).fit(t)
    assert found.labels_.tolist() == labels
    assert found.n_iter_ == rounds
    assert found.objective_ == pytest.approx(total, rel=1e-9, abs=1e-12)
    assert found.empty_clusters_.tolist() == [c for c in range(len(start)) if c not in labels]


@pytest.mark.twin_of("MismatchKModes")
@examples(60)
@given(starts())
@pytest.mark.parametrize("update", ["batch", "online"])
def test_kmodes_in_loops_gives_the_same(update, case):
    t, rows, _, start = case
    definition = twin.kmodes_batch if update == "batch" else twin.kmodes_online
    labels, modes = definition(rows, start)
    drawn = Start(start, t.n_objects)
    found = MismatchKModes(len(start), update=update, random_state=drawn).fit(t)
    assert found.labels_.tolist() == labels
    assert [tuple(one) for one in found.modes_.tolist()] == modes
    assert found.objective_ == (np.array(rows) != np.array(modes)[labels]).sum()


def hdndw(rows, n_values, start, reading):
    table = CategoricalTable.from_codes(np.array(rows), n_values)
    matrices = HD().fit(table).value_matrices_
    return twin.hdndw(rows, n_values, start, lambda j, x, y: matrices.block(j)[x, y], reading)


@pytest.mark.twin_of("DISC")
@pytest.mark.twin_of("COForest")
@pytest.mark.twin_of("HDNDW")
@examples(60)
@given(starts())
@pytest.mark.parametrize(
    ("method", "definition", "reading"),
    [
        (method, definition, reading)
        for method, definition in ((DISC, twin.disc), (COForest, twin.coforest), (HDNDW, hdndw))
        for reading in ("literal", "released", "repaired")[method is not DISC :]
    ],
)
def test_a_method_in_loops_gives_the_same(method, definition, reading, case):
    t, rows, n_values, start = case
    check(method(reading=reading), t, start, definition(rows, n_values, start, reading))


@pytest.mark.twin_of("HARR")
@examples(60)
@given(starts(least_attributes=2), st.sampled_from("VM"), st.data())
def test_a_step_of_harr_in_loops_gives_the_same(case, variant, data):
    t, rows, n_values, start = case
    assume(t.n_attributes > 1)
    n, k = len(rows), len(start)
    labels = data.draw(st.lists(st.integers(0, k - 1), min_size=n, max_size=n))
    assume(len(set(labels)) == k)
    whole = CountedRows.of(t, collapse=False)
    state = WeightedCoordinates(whole, whole.values[start], variant)
    counts = whole.counts(np.array(labels), k)
    state.update(counts)
    state.learn(counts)
    coordinates = [harr_coordinates(rows, n_values, j) for j in range(t.n_attributes)]
    x = [[value for j, a in enumerate(row) for value in coordinates[j][a]] for row in rows]
    own, other, mean = [], [], []
    for r in range(len(x[0])):
        mean.append(
            [sum(x[u][r] for u in range(n) if labels[u] == c) / labels.count(c) for c in range(k)]
        )
        gap = [[abs(x[u][r] - mean[r][c]) for c in range(k)] for u in range(n)]
        inside = [[gap[u][c] for u in range(n) if labels[u] == c] for c in range(k)]
        outside = [[gap[u][c] for u in range(n) if labels[u] != c] for c in range(k)]
        if variant == "V":
            own.append([sum(map(sum, inside)) / n] * k)
            other.append([sum(map(sum, outside)) / (n * (k - 1))] * k)
        else:
            own.append([sum(one) / len(one) for one in inside])
            other.append([sum(one) / len(one) for one in outside])
    table = state.table()[whole.values].sum(axis=1)
    for c in range(k):
        ratio = [other[r][c] / (own[r][c] + 1e-6) for r in range(len(mean))]
        weights = [one / sum(ratio) if sum(ratio) else 1 / len(ratio) for one in ratio]
        np.testing.assert_allclose(state.weights[c], weights, rtol=1e-9, atol=1e-12)
        for u in range(n):
            want = sum(w * abs(x[u][r] - mean[r][c]) for r, w in enumerate(weights))
            assert table[u, c] == pytest.approx(want, rel=1e-9, abs=1e-12)


def harr_coordinates(rows, n_values, j):
    """Rows of scaled coordinates of the values of an attribute."""
    columns = list(zip(*rows, strict=True))

    def given(x, k, b):
        having = [a for a, value in zip(columns[j], columns[k], strict=True) if value == b]
        return having.count(x) / len(having)

    def kappa(x, y):
        return sum(
            abs(given(x, k, b) - given(y, k, b))
            for k in range(len(n_values))
            if k != j
            for b in range(n_values[k])
        )

    result = [[] for _ in range(n_values[j])]
    pairs = [(g, h) for h in range(n_values[j]) for g in range(h)]
    for g, h in pairs:
        between = kappa(g, h)
        raw = [
            (kappa(x, g) ** 2 - kappa(x, h) ** 2 + between**2) / (2 * between) if between else 0.0
            for x in range(n_values[j])
        ]
        spread = max(raw) - min(raw)
        for x, value in enumerate(raw):
            result[x].append((value - min(raw)) / spread if spread else 0.0)
    return result


# start: k-modes, DISC released, DISC literal, COForest, HD-NDW, each with its outer rounds
_SAME = "111221 111221/1 111221/1 111221/1"
STARTS = {
    (1, 2): "121211 121211/1 121211/1 121211/1 111222/2",
    (1, 3): f"{_SAME} 112221/2",
    **dict.fromkeys([(1, 4), (1, 5), (2, 4), (2, 5), (3, 4)], f"{_SAME} 111221/2"),
    **dict.fromkeys([(1, 6), (4, 5)], f"{_SAME} 111122/2"),
    (2, 3): "112121 112221/2 112221/2 112221/2 212121/2",
    (2, 6): f"{_SAME} 111112/2",
    (3, 5): f"{_SAME} 111222/2",
    (3, 6): "111112 111112/1 111112/1 111112/1 111112/2",
    (4, 6): "211112 221112/2 211112/1 221112/2 221112/2",
    (5, 6): "221112 221112/1 221112/1 221112/1 221112/2",
}
METHODS = {
    "k-modes": (0, MismatchKModes()),
    "DISC released": (1, DISC(reading="released")),
    "DISC repaired": (1, DISC()),
    "DISC literal": (2, DISC(reading="literal")),
    "COForest repaired": (3, COForest()),
    "COForest released": (3, COForest(reading="released")),
    "HD-NDW repaired": (4, HDNDW()),
    "HD-NDW released": (4, HDNDW(reading="released")),
}


@pytest.mark.parametrize("name", METHODS)
def test_final_labels_and_rounds_of_all_starts(name):
    column, method = METHODS[name]
    assert len(STARTS) == 15
    for start, expected in STARTS.items():
        found = method.set_params(random_state=Start(np.array(start) - 1, 6)).fit(TOY)
        labels = "".join(str(c + 1) for c in found.labels_)
        said = labels if column == 0 else f"{labels}/{found.n_iter_}"
        assert said == expected.split()[column], start
