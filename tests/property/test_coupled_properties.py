"""Laws of the coupled similarity on random tables."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from kit import examples

from couplings import CategoricalTable, CooccurrenceCounts
from couplings.measures.coupled import Cado


def counts_of(table):
    """The counts without the library's kernel, whose threads cost more than such tables."""
    Z = np.hstack(
        [np.eye(v, dtype=np.int64)[c] for v, c in zip(table.n_values, table.codes.T, strict=True)]
    )
    return CooccurrenceCounts(Z.T @ Z, table.offsets, len(Z))


@st.composite
def balanced_tables(draw):
    """Tables in which every value of every attribute occurs equally often."""
    repeats = draw(st.integers(1, 3))
    v = draw(st.integers(2, 4))
    m = draw(st.integers(2, 4))
    columns = [draw(st.permutations(list(range(v)) * repeats)) for _ in range(m)]
    return CategoricalTable.from_codes(np.array(columns).T), repeats


@examples(40)
@given(balanced_tables())
def test_equal_frequencies_leave_a_multiple_of_add(case):
    table, frequency = case
    add = Cado(h1="one").fit(counts_of(table)).value_matrices_.data
    cado = Cado().fit(counts_of(table)).value_matrices_.data
    np.testing.assert_allclose(add, frequency / 2 * cado, atol=1e-14)
