"""Six rows, three attributes: the table of every worked example, and random tables."""

import numpy as np
from hypothesis import strategies as st

from couplings import CategoricalTable

ROWS = [(0, 0, 0), (0, 0, 1), (0, 1, 0), (1, 1, 1), (1, 1, 2), (2, 0, 2)]
TOY = CategoricalTable.from_codes(np.array(ROWS))


@st.composite
def tables(draw, least_attributes=1, most_values=4, least_rows=2, most_rows=20, declared=False):
    """Random tables; with `declared`, domains may hold values that no row has."""
    m = draw(st.integers(least_attributes, 4))
    n_values = draw(st.lists(st.integers(1, most_values), min_size=m, max_size=m))
    row = st.tuples(*(st.integers(0, v - 1) for v in n_values))
    rows = draw(st.lists(row, min_size=least_rows, max_size=most_rows))
    return CategoricalTable.from_codes(np.array(rows), n_values if declared else None)
