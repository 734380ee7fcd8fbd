"""Learnt distances against their definitions in loops, on random tables."""

import learned_definitions as twin
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from kit import examples
from rivals_toy import tables

from couplings import HD
from replication.papers.disc.method import DISC
from replication.papers.study.rivals.clustering import CountedRows
from replication.papers.study.rivals.coforest import COForest, Trees
from replication.papers.study.rivals.harr import WeightedCoordinates
from replication.papers.study.rivals.mismatches import MismatchKModes
from replication.papers.study.rivals.ndw import HDNDW


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
    found = method.set_params(n_clusters=len(start), init=start).fit(t)
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
    found = MismatchKModes(len(start), update=update, init=start).fit(t)
    assert found.labels_.tolist() == labels
    assert [tuple(one) for one in found.modes_.tolist()] == modes
    mismatches = sum(
        a != b
        for row, c in zip(rows, labels, strict=True)
        for a, b in zip(row, modes[c], strict=True)
    )
    assert found.objective_ == mismatches


@pytest.mark.twin_of("DISC")
@examples(60)
@given(starts())
@pytest.mark.parametrize("reading", ["literal", "released", "repaired"])
def test_disc_in_loops_gives_the_same(reading, case):
    t, rows, n_values, start = case
    check(DISC(reading=reading), t, start, twin.disc(rows, n_values, start, reading))


@pytest.mark.twin_of("COForest")
@examples(60)
@given(starts())
@pytest.mark.parametrize("reading", ["released", "repaired"])
def test_coforest_in_loops_gives_the_same(reading, case):
    t, rows, n_values, start = case
    check(COForest(reading=reading), t, start, twin.coforest(rows, n_values, start, reading))


@pytest.mark.twin_of("HDNDW")
@examples(60)
@given(starts())
@pytest.mark.parametrize("reading", ["released", "repaired"])
def test_hd_ndw_in_loops_gives_the_same(reading, case):
    t, rows, n_values, start = case
    matrices = HD().fit(t).value_matrices_
    expected = twin.hdndw(rows, n_values, start, lambda j, x, y: matrices.block(j)[x, y], reading)
    check(HDNDW(reading=reading), t, start, expected)


@examples(60)
@given(starts(), st.data())
def test_trees_are_minimum_spanning_trees(case, data):
    t, rows, n_values, start = case
    k = len(start)
    labels = data.draw(st.lists(st.integers(0, k - 1), min_size=len(rows), max_size=len(rows)))
    collapsed = CountedRows.of(t, collapse=False)
    trees = Trees(collapsed, collapsed.values[start].astype(np.int64))
    trees.learn(collapsed.counts(np.array(labels), k))
    found = trees.details()["tree_distances_"]
    for j, v in enumerate(n_values):
        edge = twin.coforest_edges(rows, labels, k, j, v)
        path, weight = twin.tree(edge)
        assert weight == pytest.approx(twin.lightest(edge), rel=1e-12)
        np.testing.assert_allclose(found[j], path, rtol=1e-12)
        # A path is never shorter than the edge; two clusters put the values on a line.
        off = ~np.eye(v, dtype=bool)
        assert (found[j] >= np.array(edge) - 1e-12)[off].all()
        if k == 2:
            np.testing.assert_allclose(found[j][off], np.array(edge)[off], atol=1e-7)


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
