"""Laws of the coupled similarity on random tables."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from kit import examples
from test_caso_definitions import coded

from couplings.measures.coupled import Cado


@st.composite
def balanced_rows(draw):
    """Rows in which every value of every attribute occurs equally often, and how often."""
    repeats = draw(st.integers(1, 3))
    v = draw(st.integers(2, 4))
    m = draw(st.integers(2, 4))
    columns = [draw(st.permutations(list(range(v)) * repeats)) for _ in range(m)]
    return np.array(columns).T, repeats


@examples(40)
@given(balanced_rows())
def test_equal_frequencies_leave_a_multiple_of_add(case):
    rows, frequency = case
    _, counts = coded(rows)
    add = Cado(h1="one").fit(counts).value_matrices_.data
    cado = Cado().fit(counts).value_matrices_.data
    np.testing.assert_allclose(add, frequency / 2 * cado, atol=1e-14)
