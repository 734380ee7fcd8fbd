"""Cramér's V of contingency tables under skrub's name."""

import numpy as np
from skrub import _column_associations

from adapters import stand_in
from couplings.associations import associations


def cramer(tables, n_samples):
    """Return V of each table (m, m, values, values), computed on the rows it counts."""
    found = np.empty(tables.shape[:2])
    for pair in np.ndindex(found.shape):
        cells = np.argwhere(tables[pair])
        rows = cells.repeat(tables[pair][tables[pair] > 0], axis=0)
        found[pair] = associations(rows.astype(str), "cramers_v_uncorrected").iloc[0, 1]
    return found


stand_in(_column_associations, "_compute_cramer", cramer, "associations.associations")
