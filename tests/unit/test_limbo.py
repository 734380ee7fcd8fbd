"""LIMBO, CLIMBO and STIRR against their definitions."""

import math
from fractions import Fraction
from functools import partial
from itertools import combinations
from operator import add

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from kit import examples

from couplings import CategoricalTable, cooccurrence
from couplings._kernels import information_loss
from couplings.cluster.climbo import Climbo, assign_coupled, coupled_agglomeration, value_items
from couplings.cluster.limbo import (
    JointCounts,
    Limbo,
    agglomerative_information_bottleneck,
    assign,
    dcf_tree,
)
from couplings.cluster.neighbours import pack
from couplings.cluster.stirr import stirr


def divergence(first, second):
    return sum(a * math.log(a / b) for a, b in zip(first, second, strict=True) if a > 0)


def loss_by_definition(a, b, total):
    """Return (p1 + p2) JS of two rows of counts."""
    p1, p2 = sum(a) / total, sum(b) / total
    q1, q2 = [x / sum(a) for x in a], [x / sum(b) for x in b]
    mean = [(p1 * x + p2 * y) / (p1 + p2) for x, y in zip(q1, q2, strict=True)]
    return p1 * divergence(q1, mean) + p2 * divergence(q2, mean)


def tied(loss, total):
    """Round as the library does before it compares."""
    return round(loss * total * 2**20)


def added(a, b):
    return [x + y for x, y in zip(a, b, strict=True)]


def merged_by_definition(items, k, distance, join, rank=lambda distance: distance):
    """Return labels, and the distance at which the nearest two became one, until k were left."""
    clusters = {i: ([i], item) for i, item in enumerate(items)}
    distances = []
    while len(clusters) > k:
        pairs = {
            (a, b): distance(clusters[a][1], clusters[b][1])
            for a, b in combinations(sorted(clusters), 2)
        }
        a, b = min(pairs, key=lambda pair: (rank(pairs[pair]), pair))
        distances.append(pairs[a, b])
        members, item = clusters.pop(b)
        clusters[a] = (clusters[a][0] + members, join(clusters[a][1], item))
    labels = [0] * len(items)
    for number, first in enumerate(sorted(clusters)):
        for i in clusters[first][0]:
            labels[i] = number
    return labels, distances


class Node:
    def __init__(self, leaf):
        self.leaf, self.entries = leaf, []  # entries: [row, child or None]


def tree_by_definition(rows, threshold, branching, space=None):
    total = sum(map(sum, rows))
    allowed = tied(threshold, total)
    root, leaves = Node(True), []
    for row in rows:
        root = insert(root, list(row), allowed, branching, leaves, total)
        while space is not None and len(leaves) > space:
            allowed = max(1, 2 * allowed)
            old, leaves, root = leaves, [], Node(True)
            for entry in old:
                root = insert(root, entry[0], allowed, branching, leaves, total)
    return [entry[0] for entry in leaves]


def insert(root, row, allowed, branching, leaves, total):
    sibling = descend(root, row, allowed, branching, leaves, total)
    if sibling is None:
        return root
    top = Node(False)
    top.entries = [above(root), above(sibling)]
    return top


def above(node):
    return [[sum(column) for column in zip(*(e[0] for e in node.entries), strict=True)], node]


def descend(node, row, allowed, branching, leaves, total):
    """Insert below a node; return its new sibling if it was split."""
    losses = [tied(loss_by_definition(entry[0], row, total), total) for entry in node.entries]
    best = losses.index(min(losses)) if losses else None
    if node.leaf:
        if losses and losses[best] <= allowed:
            node.entries[best][0] = added(node.entries[best][0], row)
            return None
        entry = [list(row), None]
        node.entries.append(entry)
        leaves.append(entry)
    else:
        entry = node.entries[best]
        sibling = descend(entry[1], row, allowed, branching, leaves, total)
        entry[0] = above(entry[1])[0]
        if sibling is None:
            return None
        node.entries.append(above(sibling))
    if len(node.entries) <= branching:
        return None
    pairs = list(combinations(range(len(node.entries)), 2))
    loss = {
        (s, t): tied(loss_by_definition(node.entries[s][0], node.entries[t][0], total), total)
        for s, t in pairs
    }
    left, right = max(pairs, key=lambda pair: (loss[pair], -pair[0], -pair[1]))
    first, second = [], []
    for s, entry in enumerate(node.entries):
        to_left = s == left or (
            s != right and loss[min(s, left), max(s, left)] <= loss[min(s, right), max(s, right)]
        )
        (first if to_left else second).append(entry)
    other = Node(node.leaf)
    node.entries, other.entries = first, second
    return other


def counts_of(seed, g, n_values, largest=6):
    counts = np.random.default_rng(seed).integers(0, largest, (g, n_values))
    counts[np.arange(g), np.arange(g) % n_values] += 1
    return counts


def tuples_of(seed, n, m, n_values=3):
    return np.random.default_rng(seed).integers(0, n_values, (n, m))


def one_hot(codes):
    return JointCounts.from_table(CategoricalTable.from_codes(codes)).dense()


@pytest.mark.twin_of("Limbo")
@examples(40)
@given(st.integers(0, 10**6), st.integers(1, 12), st.integers(1, 6), st.sampled_from([0, 3, 12]))
@example(3, 25, 8, 12).via("more values than a word has bits")
def test_bottleneck_equals_its_definition(seed, g, m, v):
    """Counts, or rows of zeros and ones of tuples of m attributes with v values each."""
    counts = one_hot(tuples_of(seed, g, m, v)) if v else counts_of(seed, g, m)
    total = counts.sum()
    for k in {1, min(3, g)}:
        labels, losses = agglomerative_information_bottleneck(JointCounts.from_array(counts), k)
        expected, expected_losses = merged_by_definition(
            counts.tolist(),
            k,
            lambda a, b: loss_by_definition(a, b, total),
            added,
            lambda loss: tied(loss, total),
        )
        assert labels.tolist() == expected
        np.testing.assert_allclose(losses, expected_losses, atol=1e-6 / total)


@examples(60)
@given(st.integers(0, 2**32 - 1), st.integers(2, 90), st.integers(1, 70), st.integers(1, 40))
def test_rows_taken_apart_into_patterns_merge_as_whole_ones(seed, g, n_values, most):
    rng = np.random.default_rng(seed)
    rows = (rng.integers(0, 3, (g, n_values)) * (rng.random((g, n_values)) < 0.4)).astype(np.int32)
    rows[:, 0] += 1
    k = int(rng.integers(1, g + 1))
    table = information_loss.entropy_table(int(rows.sum()))
    cuts, single = information_loss.column_groups(rows, most), rows.max(axis=1) <= 1
    assert cuts[0] == 0
    assert cuts[-1] == n_values
    assert (np.diff(cuts) > 0).all()
    whole, parts = (
        information_loss.merge_by_loss(
            rows.copy(), rows.sum(axis=1), pack(rows != 0), single.copy(), 1, table, k, groups
        )
        for groups in (np.array([0, n_values]), cuts)
    )
    np.testing.assert_array_equal(parts[0], whole[0])
    np.testing.assert_array_equal(parts[1], whole[1])


def test_many_rows_full_of_ties_merge_as_they_would_whole():
    codes = np.random.default_rng(4).integers(0, 5, (2500, 7)) % 3
    distinct, weights, _ = CategoricalTable.from_codes(codes).distinct()
    items = JointCounts.from_table(distinct, weights)
    assert items.n_items >= 1000
    labels, losses = agglomerative_information_bottleneck(items, 5)
    merges, whole = information_loss.merge_by_loss(
        items.dense(),
        items.masses // items.unit,
        pack(items.dense() != 0),
        items.dense().max(axis=1) <= 1,
        items.unit,
        information_loss.entropy_table(items.total),
        5,
        np.array([0, items.n_values]),
    )
    np.testing.assert_array_equal(losses, whole / (information_loss.COARSE * items.total))
    root = np.arange(items.n_items)
    for u, v in merges:
        root[root == v] = u
    np.testing.assert_array_equal(labels, np.unique(root, return_inverse=True)[1])


@examples(40)
@given(
    st.integers(0, 10**6),
    st.integers(1, 40),
    st.integers(2, 5),
    st.sampled_from([0.0, 0.25, 1.0, 4.0]),
    st.sampled_from([None, 1, 3, 8]),
    st.booleans(),
)
def test_tree_equals_its_definition(seed, n, branching, phi, space, tuples):
    counts = one_hot(tuples_of(seed, n, 4)) if tuples else counts_of(seed, n, 5)
    items = JointCounts.from_array(counts)
    threshold = phi * items.mutual_information() / n
    leaves = dcf_tree(items, threshold, branching, space)
    expected = tree_by_definition(counts.tolist(), threshold, branching, space)
    np.testing.assert_array_equal(leaves.dense(), expected)
    assert leaves.unit == items.unit


@examples(30)
@given(st.integers(0, 10**6), st.integers(1, 30), st.integers(1, 5))
def test_assignment_equals_its_definition(seed, g, k):
    items = counts_of(seed, g, 5)
    representatives = counts_of(seed + 1, k, 5, 40)
    total = items.sum()
    expected = []
    for row in items.tolist():
        losses = [tied(loss_by_definition(rep, row, total), total) for rep in representatives]
        expected.append(losses.index(min(losses)))
    labels = assign(JointCounts.from_array(items), JointCounts.from_array(representatives))
    assert labels.tolist() == expected


def test_fewer_leaves_than_clusters():
    table = CategoricalTable.from_codes(tuples_of(6, 20, 3))
    limbo = Limbo(5, phi=100.0).fit(table)
    assert limbo.n_leaves_ == limbo.n_clusters_ == 1
    assert not limbo.labels_.any()


def test_constant_table():
    limbo = Limbo(2, phi=0.5).fit(CategoricalTable.from_codes(np.zeros((5, 3), dtype=int)))
    assert limbo.mutual_information_ == 0
    assert limbo.n_clusters_ == 1


DISTANCES = ("literal", "mass", "mass-full")


def inter(first, second):
    """Return 1 - IeASV of two clusters of objects: their contexts, column by column."""
    columns = range(len(first[0]))
    total = Fraction(0)
    for k in columns:
        for b in {row[k] for row in first + second}:
            shares = [Fraction(sum(r[k] == b for r in rows), len(rows)) for rows in (first, second)]
            total += abs(shares[0] - shares[1]) / 2
    return total / len(columns)


def distance_by_definition(first, second, n, distance):
    """Return the distance of two clusters, given as lists of the tuples of their contexts."""
    mass = Fraction(len(first) + len(second), n)
    intra = Fraction(1, len(first)) + Fraction(1, len(second))
    factor = {"literal": intra, "mass": mass, "mass-full": mass * intra}[distance]
    return factor * inter(first, second)


def pooled(items, labels):
    return [
        [row for rows, own in zip(items, labels, strict=True) if own == c for row in rows]
        for c in range(max(labels) + 1)
    ]


def nearest(items, clusters, between):
    near = [[between(rows, cluster) for cluster in clusters] for rows in items]
    return [row.index(min(row)) for row in near]


def random_codes(seed, n, m, v=4):
    """Return codes in which every value up to the largest of its attribute occurs."""
    codes = np.random.default_rng(seed).integers(0, v, (n, m))
    return np.column_stack([np.unique(column, return_inverse=True)[1] for column in codes.T])


def value_rows(codes, j):
    """Return for each value of attribute j the other cells of its objects."""
    others = np.delete(codes, j, axis=1)
    return [
        [tuple(row) for row in others[codes[:, j] == x].tolist()]
        for x in range(codes[:, j].max() + 1)
    ]


@examples(40)
@given(st.integers(0, 10**6), st.integers(2, 14), st.integers(2, 4), st.sampled_from(DISTANCES))
def test_values_equal_their_definition(seed, n, m, distance):
    codes = random_codes(seed, n, m)
    counts = cooccurrence(CategoricalTable.from_codes(codes))
    items, rows = value_items(counts, 0), value_rows(codes, 0)
    between = partial(distance_by_definition, n=n, distance=distance)
    for k in {1, min(2, len(rows))}:
        labels, distances = coupled_agglomeration(items, k, m - 1, distance)
        expected, merges = merged_by_definition(rows, k, between, add)
        assert labels.tolist() == expected
        np.testing.assert_allclose(distances, list(map(float, merges)), rtol=1e-13)
        assigned = nearest(rows, pooled(rows, expected), between)
        assert assign_coupled(items, items.pooled(labels), distance).tolist() == assigned


@examples(30)
@given(st.integers(0, 10**6), st.integers(1, 12), st.integers(1, 4), st.sampled_from(DISTANCES))
def test_objects_equal_their_definition(seed, n, m, distance):
    codes = random_codes(seed, n, m, 3)
    table = CategoricalTable.from_codes(codes)
    distinct, weights, _ = table.distinct()
    leaves = [[tuple(row)] * w for row, w in zip(distinct.codes.tolist(), weights, strict=True)]
    between = partial(distance_by_definition, n=n, distance=distance)
    climbo = Climbo(min(2, len(leaves)), distance).fit(table)
    labels, distances = merged_by_definition(leaves, climbo.n_clusters, between, add)
    np.testing.assert_allclose(climbo.distances_, list(map(float, distances)), rtol=1e-13)
    clusters = pooled(leaves, labels)
    objects = [[tuple(row)] for row in codes.tolist()]
    assert climbo.labels_.tolist() == nearest(objects, clusters, between)
    np.testing.assert_allclose(climbo.representatives_.sum(axis=1), 1)
    np.testing.assert_allclose(climbo.priors_, [len(cluster) / n for cluster in clusters])


def stirr_in_loops(codes, n_values, M, n_iter, seed):
    offsets = np.concatenate([[0], np.cumsum(n_values)])
    L = offsets[-1]
    w = np.random.default_rng(seed).standard_normal((L, M))
    w[:, 0] = 1
    for _ in range(n_iter):
        new = np.zeros_like(w)
        for row in codes + offsets[:-1]:
            for x in row:
                new[x] += sum(w[y] for y in row if y != x)
        # Gram-Schmidt.
        for c in range(M):
            for b in range(c):
                new[:, c] -= new[:, b] @ new[:, c] * new[:, b]
            new[:, c] /= np.linalg.norm(new[:, c])
        w = new
    return w


def test_stirr_in_loops_gives_the_same_and_the_seed_decides():
    n_values = [4, 3, 5]
    codes = np.random.default_rng(3).integers(0, n_values, (40, 3))
    counts = cooccurrence(CategoricalTable.from_codes(codes, n_values))
    found = stirr(counts, 4, 3, random_state=9)
    np.testing.assert_allclose(found, stirr_in_loops(codes, n_values, 4, 3, 9), atol=1e-9)
    generator = np.random.default_rng(9)
    np.testing.assert_array_equal(stirr(counts, 4, 3, random_state=generator), found)
    assert not np.array_equal(stirr(counts, 4, 3, random_state=2), found)
