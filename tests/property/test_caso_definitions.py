"""The compiled coupled measures against CASO's definitions in exact arithmetic."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit import examples

from couplings import Cado, Caso, CategoricalTable, CooccurrenceCounts
from couplings.measures.coupled import casv, iaasv, ieasv
from replication.papers.caso.examples import ExactTable
from replication.run.scores import matched_scores


def coded(rows):
    """Table and counts; the counts without threads, which cost more than such tables."""
    codes = np.array(rows)
    sizes = codes.max(axis=0) + 1
    table = CategoricalTable.from_codes(codes, sizes)
    Z = np.hstack([np.eye(v, dtype=np.int64)[c] for v, c in zip(sizes, codes.T, strict=True)])
    return table, CooccurrenceCounts(Z.T @ Z, table.offsets, len(Z))


@st.composite
def rows(draw, least_attributes=2):
    m = draw(st.integers(least_attributes, 4))
    return draw(st.lists(st.tuples(*[st.integers(0, 3)] * m), min_size=2, max_size=10))


@examples(50)
@given(rows())
def test_value_measures_follow_the_definitions(found):
    _, counts = coded(found)
    exact = ExactTable(found)
    compiled = {
        "intra": iaasv(counts),
        "inter": ieasv(counts),
        "casv": casv(counts),
        "cado": Cado().fit(counts).value_matrices_,
        "add": Cado(h1="one").fit(counts).value_matrices_,
    }
    for j in range(exact.n_attributes):
        for x, y in itertools.product(exact.values(j), repeat=2):
            for name, matrices in compiled.items():
                expected = float(getattr(exact, name)(j, x, y))
                assert abs(matrices.block(j)[x, y] - expected) <= 1e-12


@examples(50)
@given(rows(), st.integers(0, 2**32 - 1))
def test_weights_and_other_combinations_follow_the_definitions(found, seed):
    _, counts = coded(found)
    exact, m = ExactTable(found), counts.n_attributes
    rng = np.random.default_rng(seed)
    weights = rng.random((m, m)) * (rng.random((m, m)) < 0.7)
    np.fill_diagonal(weights, 0)

    def inter(j, x, y):
        others = (k for k in range(m) if k != j)
        return sum(Fraction(weights[j, k]) * exact.shared(j, k, x, y) for k in others)

    for matrices, definition in (
        (ieasv(counts, weights), inter),
        (Caso(weights).fit(counts).value_matrices_, lambda *at: exact.intra(*at) * inter(*at)),
        (
            Cado(h1="complement").fit(counts).value_matrices_,
            lambda *at: (1 - exact.intra(*at)) * (1 - exact.inter(*at)),
        ),
        (
            Cado(h1="inverse").fit(counts).value_matrices_,
            lambda *at: (1 - exact.inter(*at)) / exact.intra(*at),
        ),
    ):
        for j in range(m):
            for x, y in itertools.product(exact.values(j), repeat=2):
                assert abs(matrices.block(j)[x, y] - float(definition(j, x, y))) <= 1e-12


def test_reciprocal_of_the_inter_coupled_part():
    found = [(0, 0), (0, 1), (1, 1), (1, 0), (1, 0)]
    exact = ExactTable(found)
    matrices = Cado(h1="one", h2="inverse-1").fit(coded(found)[0]).value_matrices_
    for j, x, y in itertools.product(range(2), repeat=3):
        assert matrices.block(j)[x, y] == pytest.approx(float(1 / exact.inter(j, x, y) - 1))


@pytest.mark.twin_of("Caso")
@examples(50)
@given(rows())
def test_objects_follow_the_definition(found):
    table, counts = coded(found)
    exact = ExactTable(found)
    ours = Caso().fit(counts).similarities(table)
    for u, v in itertools.product(range(len(found)), repeat=2):
        assert abs(ours[u, v] - float(exact.caso(u, v))) <= 1e-12


@examples(50)
@given(st.lists(st.integers(0, 4), min_size=2, max_size=12))
def test_a_column_as_its_own_context_leaves_frequencies(column):
    """Section IX: without coupling between attributes CADO is simple matching by frequency."""
    _, counts = coded([(one, one) for one in column])
    block = Cado().fit(counts).value_matrices_.block(0)
    for x, y in itertools.product(set(column), repeat=2):
        f, g = column.count(x), column.count(y)
        expected = Fraction(0) if x == y else Fraction(1, f) + Fraction(1, g)
        assert abs(block[x, y] - float(expected)) <= 1e-12


@examples(50)
@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=30),
    st.randoms(use_true_random=False),
)
def test_matched_scores_do_not_depend_on_the_order_of_clusters(pairs, random):
    table = np.zeros((4, 4), dtype=int)
    for cluster, label in pairs:
        table[cluster, label] += 1
    table = table[table.any(axis=1)][:, table.any(axis=0)]
    found = matched_scores(table)
    assert all(0 <= value <= 1 for value in found.values())
    if np.count_nonzero(table) == len(table) == table.shape[1]:
        assert all(abs(value - 1) < 1e-12 for value in found.values())
    order = list(range(len(table)))
    random.shuffle(order)
    again = matched_scores(table[order])
    # several matchings may reach the same number of hits, and recall sees only that
    assert abs(again["recall"] - found["recall"]) < 1e-12
