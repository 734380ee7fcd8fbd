import operator
import pickle
from fractions import Fraction
from functools import partial
from itertools import combinations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from kit import examples

from couplings._kernels.links import merge_by_goodness
from couplings.cluster.neighbours import NeighbourGraph
from couplings.cluster.rock import Rock
from couplings.table import CategoricalTable


def jaccard(a, b):
    shared = len(set(enumerate(a)) & set(enumerate(b)))
    return Fraction(shared, len(set(enumerate(a)) | set(enumerate(b))))


def neighbour_sets(codes, theta, strict=False):
    n = len(codes)
    similar = [[jaccard(a, b) for b in codes] for a in codes]
    return [
        {v for v in range(n) if v != u and (near[v] > theta if strict else near[v] >= theta)}
        for u, near in enumerate(similar)
    ]


def rock_by_definition(neighbours, theta, k, naming="first", on=False):
    """Merge sequentially, searching all pairs in every step; `on`: without links too."""
    e = 1 + 2 * float((1 - theta) / (1 + theta))
    clusters = {u: [u] for u in range(len(neighbours))}
    merges = []
    while len(clusters) > k:
        best, pair = 0, None
        for a, b in combinations(sorted(clusters), 2):
            links = sum(
                len(neighbours[u] & neighbours[v]) for u in clusters[a] for v in clusters[b]
            )
            na, nb = len(clusters[a]), len(clusters[b])
            goodness = links
            if theta < 1:
                goodness = links / (float(na + nb) ** e - (float(na) ** e + float(nb) ** e))
            if goodness > best:
                best, pair = goodness, (a, b)
        if pair is None and not on:
            break
        if pair is None:
            pair = tuple(sorted(clusters)[:2])
        else:
            merges.append(pair)
        kept, gone = pair if naming == "first" else pair[::-1]
        clusters[kept] += clusters.pop(gone)
    labels = np.empty(len(neighbours), dtype=int)
    for number, members in enumerate(sorted(clusters.values(), key=min)):
        labels[members] = number
    return labels, merges


table_of = CategoricalTable.from_codes


def grouped_codes(n, m, seed):
    rng = np.random.default_rng(seed)
    centres = rng.integers(0, 3, (3, m))
    noise = rng.random((n, m)) < 0.35
    return np.where(noise, rng.integers(0, 3, (n, m)), centres[rng.integers(0, 3, n)])


@pytest.mark.twin_of("Rock")
@examples(60)
@given(
    st.integers(2, 24),
    st.integers(1, 7),
    st.integers(0, 10**6),
    st.integers(0, 20),
    st.integers(1, 4),
    st.booleans(),
    st.sampled_from(["first", "last"]),
    st.sampled_from(["keep", "merge"]),
)
@example(12, 3, 20, 8, 1, False, "first", "keep")  # the joined cluster is as good as a later one
def test_equals_the_sequential_algorithm(n, m, seed, twentieths, k, strict, naming, label):
    codes = grouped_codes(n, m, seed)
    theta = Fraction(twentieths, 20)
    neighbours = neighbour_sets(codes.tolist(), theta, strict)
    labels, merges = rock_by_definition(neighbours, theta, min(k, n), naming, label == "merge")
    rock = Rock(min(k, n), float(theta), label, strict=strict, naming=naming).fit(table_of(codes))
    assert rock.merges_.tolist() == [list(pair) for pair in merges]
    np.testing.assert_array_equal(rock.labels_, labels)
    np.testing.assert_array_equal(rock.n_neighbours_, [len(others) for others in neighbours])


@pytest.mark.parametrize("strict", [False, True])
def test_a_graph_and_its_links_serve_all_thetas_that_join_the_same_pairs(strict):
    table = table_of(grouped_codes(90, 5, 7))
    thetas = [twentieth / 20 for twentieth in range(21)]
    least = [NeighbourGraph.least_agreeing(5, theta, strict) for theta in thetas]
    assert len(set(least)) < len(thetas)
    for theta in thetas:
        first = thetas[least.index(NeighbourGraph.least_agreeing(5, theta, strict))]
        graph = NeighbourGraph.from_table(table, first, strict)
        graph.keep_links()
        alone = Rock(3, theta, strict=strict).fit(table)
        for _ in range(2):
            again = Rock(3, theta).fit(graph)
            np.testing.assert_array_equal(again.merges_, alone.merges_)
            np.testing.assert_array_equal(again.goodness_, alone.goodness_)
            np.testing.assert_array_equal(again.labels_, alone.labels_)


@pytest.mark.parametrize("keep", [False, True])
@pytest.mark.parametrize("theta", [0.2, 0.5, 0.8])
def test_a_graph_in_another_order_is_that_of_the_table(theta, keep):
    codes = grouped_codes(150, 6, 4)
    order = np.random.default_rng(3).permutation(len(codes))
    graph = NeighbourGraph.from_table(table_of(codes), theta)
    if keep:
        graph.keep_links()
    for label in ("merge", "assign"):
        taken = graph.take(order)
        found = Rock(3, theta, label=label).fit(taken)
        alone = Rock(3, theta, label=label).fit(table_of(codes[order]))
        expected = NeighbourGraph.from_table(table_of(codes[order]), theta)
        np.testing.assert_array_equal(taken.words, expected.words)
        np.testing.assert_array_equal(found.merges_, alone.merges_)
        np.testing.assert_array_equal(found.goodness_, alone.goodness_)
        np.testing.assert_array_equal(found.labels_, alone.labels_)
    np.testing.assert_array_equal(taken.links(), expected.links())


def test_sets_that_links_connect_are_the_clusters_if_there_are_enough(monkeypatch):
    table = table_of(grouped_codes(90, 5, 7))
    graph = NeighbourGraph.from_table(table, 0.8)
    n_sets = len(np.unique(graph.component))
    assert 3 < n_sets < 90
    expected = Rock(2, 0.8).fit(graph).merges_
    monkeypatch.setattr(NeighbourGraph, "linked_sets", lambda _: pytest.fail("links are counted"))
    for data in (graph, table):
        rock = Rock(3, 0.8).fit(data)
        np.testing.assert_array_equal(rock.labels_, graph.component)
        assert rock.n_remaining_ == rock.n_clusters_ == n_sets
        monkeypatch.undo()
        for copy in (pickle.loads(pickle.dumps(rock)), rock):
            np.testing.assert_array_equal(copy.merges_, expected)
            assert len(copy.goodness_) == 90 - n_sets
        monkeypatch.setattr(NeighbourGraph, "linked_sets", lambda _: pytest.fail("counted"))


def merges_by_definition(links, power, last):
    """Merges and goodness in Python's integers, searching all pairs in every step."""
    links = {(u, v): int(links[u, v]) for u, v in combinations(range(len(links)), 2)}
    size = dict.fromkeys(range(1 + max(v for _, v in links)), 1)
    merges, values = [], []
    while any(links.values()):
        goodness = {
            (u, v): float(count)
            if not len(power)
            else count / (power[size[u] + size[v]] - (power[size[u]] + power[size[v]]))
            for (u, v), count in links.items()
        }
        u, v = max(links, key=lambda pair: (goodness[pair], -pair[0], -pair[1]))
        merges.append((u, v))
        values.append(goodness[u, v])
        if last:
            u, v = v, u
        size[u] += size.pop(v)
        links = {tuple(sorted(pair)): count for pair, count in links.items() if v not in pair} | {
            tuple(sorted((u, q))): links[min(u, q), max(u, q)] + links[min(v, q), max(v, q)]
            for q in size
            if q != u
        }
    return merges, values


IN_WIDE_CELLS = partial(pytest.param, marks=pytest.mark.slow)
"""Cases whose kernels no set-up compiles: it takes longer than they do."""


@pytest.mark.parametrize("last", [False, True])
@pytest.mark.parametrize(
    ("c", "theta", "most", "density"),
    [
        # so many that searches take whole blocks, and that those left close up repeatedly
        *((70, theta, most, 0.4) for theta, most in ((0.2, 3), (0.7, 40), (1.0, (1 << 32) // 90))),
        # an object and the 23 others stay below 2^32, two clusters of 12 may reach 2^34
        *(IN_WIDE_CELLS(24, 0.4, (1 << 32) // 24, density) for density in (0.9, 0.99, 1.0)),
    ],
)
@pytest.mark.parametrize("dtype", [np.uint32, IN_WIDE_CELLS(np.uint64)])
def test_many_clusters_merge_as_the_definition_says(c, theta, most, density, last, dtype):
    rng = np.random.default_rng(most)
    links = rng.integers(0, most, (c, c)) * (rng.random((c, c)) < density)
    links = np.triu(links, 1) + np.triu(links, 1).T
    power = np.empty(0)
    if theta < 1:
        power = np.arange(c + 1, dtype=float) ** (1 + 2 * (1 - theta) / (1 + theta))
    merges, values = merges_by_definition(links, power, last)
    # Powers of -1 make each divisor 1.
    given = power if len(power) else np.full(c + 1, -1.0)
    found, goodness = merge_by_goodness(links.astype(dtype), given, last)
    assert found.tolist() == [list(pair) for pair in merges]
    np.testing.assert_array_equal(goodness, values)


@pytest.mark.parametrize(("strict", "reached"), [(False, operator.ge), (True, operator.gt)])
@pytest.mark.parametrize("m", [3, 7, 10, 19, 22])
def test_threshold_is_compared_exactly(m, strict, reached):
    # Row q agrees with row 0 in q attributes.
    codes = np.array([np.zeros(m), *[[0] * q + [q + 1] * (m - q) for q in range(m + 1)]], dtype=int)
    theta = 0.0
    for step in range(21):
        graph = NeighbourGraph.from_table(table_of(codes), min(theta, 1.0), strict=strict)
        near = [Fraction(q, 2 * m - q) for q in range(m + 1)]
        assert graph.n_neighbours[0] == sum(reached(one, Fraction(step, 20)) for one in near)
        theta += 0.05  # the sum drifts away from the decimal


def test_similarities_give_the_graph_of_the_table():
    codes = grouped_codes(90, 8, 5)
    matrix = np.array([[float(jaccard(a, b)) for b in codes.tolist()] for a in codes.tolist()])
    for step in range(21):
        from_table = NeighbourGraph.from_table(table_of(codes), step / 20)
        np.testing.assert_array_equal(
            NeighbourGraph.from_similarity(matrix, 0.05 * step).words, from_table.words
        )
        blocks = NeighbourGraph.from_similarity(lambda rows: matrix[rows], step / 20)
        np.testing.assert_array_equal(blocks.words, from_table.words)
        np.testing.assert_array_equal(
            NeighbourGraph.from_similarity(matrix, step / 20, strict=True).words,
            NeighbourGraph.from_table(table_of(codes), step / 20, strict=True).words,
        )
    np.testing.assert_allclose(from_table.similarity(np.array([4, 7])), matrix[[4, 7]])


@pytest.mark.parametrize(
    ("label", "labels", "n_clusters"),
    [
        # 6 and 7 are linked to the triangles by their one neighbour, 8 has none.
        ("keep", [0, 0, 0, 1, 1, 1, 1, 0, 2], 3),
        ("outlier", [0, 0, 0, 1, 1, 1, 1, 0, -1], 2),
        ("merge", [0] * 8 + [1], 2),
        ("assign", [0, 0, 0, 1, 1, 1, 1, 0, 0], 2),
    ],
)
def test_labels_of_what_remains(label, labels, n_clusters):
    near = np.zeros((9, 9), dtype=bool)
    for u, v in [(0, 1), (0, 2), (1, 2), (3, 4), (3, 5), (4, 5), (4, 6), (7, 0)]:
        near[u, v] = near[v, u] = True
    rock = Rock(2, 0.5, label=label).fit(NeighbourGraph.from_similarity(near, 0.5))
    assert rock.labels_.tolist() == labels
    assert (rock.n_clusters_, rock.n_remaining_) == (n_clusters, 3)


def test_assignment_by_neighbours_then_by_mean_similarity():
    # Two groups of four copies; 8 and 9 have no neighbour, 9 being more similar to the second.
    codes = np.array([[0] * 6] * 4 + [[1] * 6] * 4 + [[0, 0, 2, 2, 2, 2], [1, 1, 1, 3, 3, 3]])
    labels = Rock(2, 0.6, label="assign").fit(table_of(codes)).labels_
    assert labels.tolist() == [0] * 4 + [1] * 4 + [0, 1]
    # Object 7 is a neighbour of one object, but of none of its neighbours.
    near = np.zeros((8, 8), dtype=bool)
    for group in ([0, 1, 2], [3, 4, 5, 6]):
        near[np.ix_(group, group)] = True
    near[7, 0] = near[0, 7] = True
    rock = Rock(2, 0.5, label="assign").fit(NeighbourGraph.from_similarity(near, 0.5))
    assert rock.labels_.tolist() == [0, 0, 0, 1, 1, 1, 1, 0]
