"""CLIMBO against its definition in exact fractions, and on planted communities."""

from fractions import Fraction
from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from kit import examples

from couplings import CategoricalTable, cooccurrence
from couplings.cluster.climbo import Climbo, assign_coupled, coupled_agglomeration, value_items

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


def by_definition(first, second, n, distance):
    """Return the distance of two clusters, given as lists of the tuples of their contexts."""
    mass = Fraction(len(first) + len(second), n)
    intra = Fraction(1, len(first)) + Fraction(1, len(second))
    factor = {"literal": intra, "mass": mass, "mass-full": mass * intra}[distance]
    return factor * inter(first, second)


def merged_by_definition(items, k, n, distance):
    clusters = {i: ([i], rows) for i, rows in enumerate(items)}
    distances = []
    while len(clusters) > k:
        pairs = {
            (a, b): by_definition(clusters[a][1], clusters[b][1], n, distance)
            for a, b in combinations(sorted(clusters), 2)
        }
        a, b = min(pairs, key=lambda pair: (pairs[pair], pair))
        distances.append(pairs[a, b])
        members, rows = clusters.pop(b)
        clusters[a] = (clusters[a][0] + members, clusters[a][1] + rows)
    labels = [0] * len(items)
    for number, first in enumerate(sorted(clusters)):
        for i in clusters[first][0]:
            labels[i] = number
    return labels, distances


def assigned_by_definition(items, labels, n, distance):
    """Return for each item the nearest of the clusters that the labels make."""
    clusters = [
        [row for rows, own in zip(items, labels, strict=True) if own == c for row in rows]
        for c in range(max(labels) + 1)
    ]
    near = [[by_definition(rows, c, n, distance) for c in clusters] for rows in items]
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


def test_worked_example():
    # Values a, b, c of the first attribute with f = 2, 1, 1, known by one other attribute:
    # a occurs with x and y, b with x, c with z. TV(a, b) = 1/2, the others 1.
    codes = np.array([[0, 0], [0, 1], [1, 0], [2, 2]])
    items = value_items(cooccurrence(CategoricalTable.from_codes(codes)), 0)
    assert items.dense().tolist() == [[1, 1, 0], [1, 0, 0], [0, 0, 1]]
    # literal: first (1/2 + 1) 1/2, then (1/3 + 1) 1; mass: 3/4 1/2 against (1/4 + 1/4) 1 of b, c.
    for distance, first, second in (
        ("literal", 3 / 4, 4 / 3),
        ("mass", 3 / 8, 1.0),
        ("mass-full", 9 / 16, 4 / 3),
    ):
        labels, distances = coupled_agglomeration(items, 1, 1, distance)
        np.testing.assert_allclose(distances, [first, second], rtol=1e-14)
        assert coupled_agglomeration(items, 2, 1, distance)[0].tolist() == [0, 0, 1]
        assert labels.tolist() == [0, 0, 0]


@examples(40)
@given(st.integers(0, 10**6), st.integers(2, 14), st.integers(2, 4), st.sampled_from(DISTANCES))
def test_values_equal_their_definition(seed, n, m, distance):
    codes = random_codes(seed, n, m)
    counts = cooccurrence(CategoricalTable.from_codes(codes))
    items, rows = value_items(counts, 0), value_rows(codes, 0)
    for k in {1, min(2, len(rows))}:
        labels, distances = coupled_agglomeration(items, k, m - 1, distance)
        expected, expected_distances = merged_by_definition(rows, k, n, distance)
        assert labels.tolist() == expected
        np.testing.assert_allclose(
            distances, [float(d) for d in expected_distances], rtol=1e-13, atol=0
        )
        assigned = assigned_by_definition(rows, expected, n, distance)
        assert assign_coupled(items, items.pooled(labels), distance).tolist() == assigned


@examples(30)
@given(st.integers(0, 10**6), st.integers(1, 12), st.integers(1, 4), st.sampled_from(DISTANCES))
def test_objects_equal_their_definition(seed, n, m, distance):
    codes = random_codes(seed, n, m, 3)
    table = CategoricalTable.from_codes(codes)
    distinct, weights, _ = table.distinct()
    leaves = [[tuple(row)] * w for row, w in zip(distinct.codes.tolist(), weights, strict=True)]
    k = min(2, len(leaves))
    climbo = Climbo(k, distance).fit(table)
    labels, distances = merged_by_definition(leaves, k, n, distance)
    np.testing.assert_allclose(climbo.distances_, [float(d) for d in distances], rtol=1e-13, atol=0)
    clusters = [
        [row for rows, own in zip(leaves, labels, strict=True) if own == c for row in rows]
        for c in range(k)
    ]
    near = [[by_definition([tuple(o)], c, n, distance) for c in clusters] for o in codes.tolist()]
    assert climbo.labels_.tolist() == [row.index(min(row)) for row in near]
    np.testing.assert_allclose(climbo.representatives_.sum(axis=1), 1)
    np.testing.assert_allclose(climbo.priors_, [len(c) / n for c in clusters])


def test_equal_objects_and_constant_tables_merge_for_nothing():
    table = CategoricalTable.from_codes(np.zeros((5, 3), dtype=int))
    climbo = Climbo(2).fit(table)
    assert climbo.n_clusters_ == 1
    assert not climbo.labels_.any()
    assert climbo.distances_.shape == (0,)
    # Values with equal contexts are 0 apart whatever their frequencies are.
    codes = np.array([[0, 0], [1, 0], [1, 0], [2, 1]])
    counts = cooccurrence(CategoricalTable.from_codes(codes))
    for distance in DISTANCES:
        labels, distances = coupled_agglomeration(value_items(counts, 0), 2, 1, distance)
        assert labels.tolist() == [0, 0, 1]
        assert distances.tolist() == [0.0]
