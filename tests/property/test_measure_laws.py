"""Laws that hold for every table: symmetry, ranges, invariance, equivalent inputs."""

import numpy as np
import pytest
from test_contract import table_of

from couplings import (
    AhmadDey,
    Cado,
    Caso,
    CategoricalTable,
    DilcaM,
    DilcaRR,
    Goodall3,
    Jaccard,
    Lin,
    MeasureError,
    OccurrenceFrequency,
    Pearson,
    SimpleMatching,
)

MEASURES = [
    SimpleMatching(),
    Jaccard(),
    OccurrenceFrequency(),
    OccurrenceFrequency(link="sum"),
    Lin(),
    Goodall3(),
    AhmadDey(),
    AhmadDey("rss"),
    Pearson(),
    DilcaM(0.5),
    DilcaRR(),
]
NEEDS_CONTEXT = [AhmadDey(), Pearson(), DilcaM(), DilcaRR(), Caso(), Cado()]


@pytest.mark.parametrize("measure", MEASURES, ids=repr)
def test_declared_domain(measure):
    """Only DILCA divides by the declared size, and only Pearson counts declared zeros."""
    table = table_of()
    declared = CategoricalTable.from_codes(table.codes, table.n_values + 2)
    change = np.abs(
        measure.fit(table).pairwise(table) - measure.fit(declared).pairwise(declared)
    ).max()
    assert (change > 1e-6) == isinstance(measure, DilcaM | DilcaRR | Pearson)


@pytest.mark.parametrize("measure", [DilcaM(0.0), DilcaM(1.0), DilcaRR(), AhmadDey()], ids=repr)
def test_triangle_inequality(measure):
    table = table_of(seed=3, n=40)
    d = measure.fit(table).pairwise(table)
    assert (d[:, :, None] + d[None, :, :] >= d[:, None, :] - 1e-12).all()


@pytest.mark.parametrize("measure", NEEDS_CONTEXT, ids=repr)
def test_one_attribute_is_no_context(measure):
    table = CategoricalTable.from_codes([[0], [1], [1]])
    with pytest.raises(MeasureError, match=f"{type(measure).__name__}.*only one"):
        measure.fit(table)


def test_dilca_scales_with_declared_sizes():
    """Doubling every declared domain divides each value distance by the root of two."""
    table = table_of()
    declared = CategoricalTable.from_codes(table.codes, 2 * table.n_values)
    narrow, wide = DilcaM(0.0).fit(table), DilcaM(0.0).fit(declared)
    for j, v in enumerate(table.n_values):
        np.testing.assert_allclose(
            wide.value_matrices_.block(j)[:v, :v] * np.sqrt(2), narrow.value_matrices_.block(j)
        )
