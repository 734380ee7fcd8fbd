"""Statistics of pairs of objects under weights: numbers of objects, or shares of a population."""

import numpy as np
import pandas as pd
import pytest

from couplings import (
    AhmadDey,
    Cado,
    Caso,
    CasoDistance,
    CategoricalTable,
    CouplingsError,
    KModes,
    KPrototypes,
    LatentClasses,
    adjusted_rand,
    cooccurrence,
)
from couplings.associations import associations
from couplings.measures import UDM
from couplings.metrics.external import contingency, external_scores, pairwise_f

CLASSES = np.repeat([0, 1], 50)
CLUSTERS = np.where(np.isin(np.arange(100), [*range(10), *range(60, 70)]), 1 - CLASSES, CLASSES)
ROWS = pd.DataFrame({"a": list("xxyyzzxx"), "b": list("uuvvwwuv"), "c": list("ppqqqqpp")})
MANY = pd.concat([ROWS] * 20, ignore_index=True)


def weighted(total):
    """Counts of the rows with equal weights of this sum."""
    table = CategoricalTable.from_any(MANY)
    return cooccurrence(table, sample_weight=np.full(len(MANY), total / len(MANY)))


@pytest.mark.parametrize("total", [1.0, 2.5, 0.3, 17.2, 1e-9])
def test_scores_of_shares_are_the_limits_of_many_objects(total):
    table = contingency(CLASSES, CLUSTERS, np.full(100, total / 100))
    assert adjusted_rand(table) == pytest.approx(0.36, abs=1e-12)
    assert pairwise_f(table) == pytest.approx(0.68, abs=1e-12)
    many = external_scores(contingency(CLASSES, CLUSTERS, np.full(100, 10**6)))
    for name, score in external_scores(table).items():
        assert score == pytest.approx(many[name], abs=1e-5), name


def test_whole_weights_are_numbers_of_objects_whatever_their_type():
    plain = adjusted_rand(CLASSES, CLUSTERS)
    assert adjusted_rand(contingency(CLASSES, CLUSTERS, np.ones(100))) == plain
    assert adjusted_rand(contingency(CLASSES, CLUSTERS) * 1.0) == plain
    repeated = adjusted_rand(np.repeat(CLASSES, 3), np.repeat(CLUSTERS, 3))
    assert adjusted_rand(contingency(CLASSES, CLUSTERS, np.full(100, 3.0))) == repeated


@pytest.mark.parametrize("total", [1.0, 2.5, 0.01])
def test_udm_of_shares_is_its_limit_of_many_objects(total):
    found = UDM().fit(weighted(total))
    limit = UDM().fit(MANY, sample_weight=np.full(len(MANY), 10**6))
    np.testing.assert_allclose(
        found.value_matrices_.data, limit.value_matrices_.data, rtol=1e-6, atol=0
    )
    assert found.interdependence_ == pytest.approx(limit.interdependence_, abs=1e-6)


@pytest.mark.parametrize("kind", [Caso, CasoDistance, Cado])
def test_measures_of_frequencies_refuse_shares(kind):
    for total in (1.0, 2.5):
        with pytest.raises(CouplingsError, match="so that they sum to the number of objects"):
            kind().fit(weighted(total))
    found = kind().fit(weighted(160.0 + 1e-9)).value_matrices_.data
    np.testing.assert_allclose(found, kind().fit(MANY).value_matrices_.data, atol=1e-9)


@pytest.mark.parametrize("kind", ["cramers_v_uncorrected", "theils_u", "symmetric_uncertainty"])
def test_associations_of_shares_are_those_of_the_rows(kind):
    pd.testing.assert_frame_equal(associations(weighted(1.0), kind), associations(MANY, kind))


@pytest.mark.parametrize("kind", ["cramers_v", "p_chi2", "p_g"])
def test_associations_that_need_the_number_of_objects_refuse_shares(kind):
    for total in (1.0, 2.5):
        with pytest.raises(CouplingsError, match="sum to the number of objects"):
            associations(weighted(total), kind)
    # 3 x 3 pairs of values, 3 x 2 of a or b with c.
    few = associations(weighted(8.5), kind)
    assert np.isnan(few.loc["a", "b"])
    assert np.isfinite(few.loc["a", "c"])
    scaled = associations(weighted(160.0), kind)
    pd.testing.assert_frame_equal(scaled, associations(MANY, kind))


@pytest.mark.parametrize("weight", [1, 2**28, 4 * 10**9, 2**40, 2**49])
def test_products_of_large_counts_do_not_overflow(weight):
    limits = {UDM: 1.2653279, Cado: 0.0, Caso: 0.5833333333, CasoDistance: 2.4166666667}
    for kind, limit in limits.items():
        measure = kind().fit(ROWS, sample_weight=[weight] * 8)
        compared = measure.similarities if kind is Caso else measure.pairwise
        found = compared(ROWS)[0, 2]
        assert found >= 0
        if weight > 1:
            assert found == pytest.approx(limit, abs=1e-7)


@pytest.mark.parametrize("weight", [2**51, 2**61, np.uint64(2**63), 1e300, 1e308, 1e-300])
@pytest.mark.parametrize("estimator", [AhmadDey(), KModes(2), LatentClasses(2), KPrototypes(2)])
def test_weights_whose_sum_is_out_of_range_are_refused(weight, estimator):
    rows = ROWS.assign(x=np.arange(8.0)) if isinstance(estimator, KPrototypes) else ROWS
    with pytest.raises(CouplingsError, match=r"sum of sample_weight is .*\n?.*2\*\*53"):
        estimator.fit(rows, sample_weight=np.array([weight] * 8))
