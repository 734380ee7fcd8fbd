"""Laws of the coupled similarity on random tables."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from couplings import CategoricalTable, CooccurrenceCounts
from couplings.measures.coupled import Cado, Caso, iaasv, ieasv

# Compilation, and threads on a busy machine, make single examples slow.
unhurried = settings(deadline=None)


def counts_of(table, times=1):
    """The counts without the library's kernel, whose threads cost more than such tables."""
    Z = np.hstack(
        [np.eye(v, dtype=np.int64)[c] for v, c in zip(table.n_values, table.codes.T, strict=True)]
    )
    return CooccurrenceCounts(times * Z.T @ Z, table.offsets, times * len(Z))


@st.composite
def tables(draw, most_objects=12):
    m = draw(st.integers(2, 4))
    n_values = draw(st.lists(st.integers(1, 4), min_size=m, max_size=m))
    row = st.tuples(*(st.integers(0, v - 1) for v in n_values))
    rows = draw(st.lists(row, min_size=2, max_size=most_objects))
    return CategoricalTable.from_codes(np.array(rows), n_values)


@st.composite
def balanced_tables(draw):
    """Tables in which every value of every attribute occurs equally often."""
    repeats = draw(st.integers(1, 3))
    v = draw(st.integers(2, 4))
    m = draw(st.integers(2, 4))
    columns = [draw(st.permutations(list(range(v)) * repeats)) for _ in range(m)]
    return CategoricalTable.from_codes(np.array(columns).T), repeats


@unhurried
@given(tables())
def test_symmetry_and_diagonal(table):
    counts = counts_of(table)
    for matrices in (iaasv(counts), ieasv(counts), Cado().fit(counts).value_matrices_):
        for j in range(counts.n_attributes):
            np.testing.assert_array_equal(matrices.block(j), matrices.block(j).T)
    dissimilarity = Cado().fit(counts).pairwise(table)
    assert (dissimilarity >= 0).all()
    assert (dissimilarity.diagonal() == 0).all()
    assert (dissimilarity <= 2 * counts.n_attributes).all()
    similarity = Caso().fit(counts).similarities(table)
    m, n = counts.n_attributes, counts.n_objects
    assert (similarity.diagonal() >= m / 3 - 1e-12).all()
    assert (similarity <= m * n / (n + 2) + 1e-12).all()


@unhurried
@given(balanced_tables())
def test_equal_frequencies_leave_a_multiple_of_add(case):
    table, frequency = case
    add = Cado(h1="one").fit(counts_of(table)).value_matrices_.data
    cado = Cado().fit(counts_of(table)).value_matrices_.data
    np.testing.assert_allclose(add, frequency / 2 * cado, atol=1e-14)


@unhurried
@given(tables(), st.integers(2, 4))
def test_a_repeated_table_keeps_the_inter_coupled_part(table, times):
    np.testing.assert_array_equal(ieasv(counts_of(table)).data, ieasv(counts_of(table, times)).data)
