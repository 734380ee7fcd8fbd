"""What the papers state of every table, one test per statement; or what is true instead.

``data/published/claims.csv`` names the test of each claim that asserts a theorem.
"""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from kit import examples

from couplings import (
    CDE,
    CategoricalTable,
    CoupledMixed,
    DilcaM,
    DilcaRR,
    MixedTable,
    OccurrenceFrequency,
    OneHot,
    adjusted_rand,
    cooccurrence,
    external_scores,
)
from couplings.counts import symmetric_uncertainty
from couplings.measures.cde import occurrence_influence, value_embedding
from couplings.measures.coupled import Caso, casv, iaasv, ieasv
from replication.papers.caso.examples import RELATIONS, RELATIVE
from replication.papers.cde.theory import value_pairs
from replication.papers.coupledmc.structure import one_hot
from replication.papers.dilca import properties

CLOSE = 1e-9
seeds = st.integers(0, 2**32 - 1)


@st.composite
def tables(draw):
    """Tables of two to four attributes in which every value occurs."""
    m, n = draw(st.integers(2, 4)), draw(st.integers(2, 12))
    column = st.lists(st.integers(0, 3), min_size=n, max_size=n)
    columns = [np.unique(draw(column), return_inverse=True)[1] for _ in range(m)]
    return CategoricalTable.from_codes(np.column_stack(columns))


def apart_and_own(matrices, counts):
    """Entries between different values of an attribute, and of values with themselves."""
    blocks = [matrices.block(j) for j in range(counts.n_attributes)]
    return (
        np.concatenate([block[~np.eye(len(block), dtype=bool)] for block in blocks]),
        np.concatenate([block.diagonal() for block in blocks]),
    )


@examples(40)
@given(tables())
def test_the_printed_bounds_hold_for_different_values_alone(table):
    counts = cooccurrence(table)
    m, n = table.n_objects, table.n_attributes
    apart, own = apart_and_own(iaasv(counts), counts)
    assert (apart >= 1 / 3 - CLOSE).all() and (apart <= m / (m + 4) + CLOSE).all()
    assert (own >= 1 / 3 - CLOSE).all() and (own <= m / (m + 2) + CLOSE).all()
    apart, own = apart_and_own(casv(counts), counts)
    assert (apart >= 0).all() and (apart <= m / (m + 4) + CLOSE).all()
    assert (own <= m / (m + 2) + CLOSE).all()
    similarity = Caso().fit(counts).similarities(table)
    assert (similarity <= n * m / (m + 2) + CLOSE).all()
    assert (similarity.diagonal() >= n / 3 - CLOSE).all()


@examples(40)
@given(tables())
def test_ieasv_is_a_share_and_one_of_a_value_with_itself(table):
    counts = cooccurrence(table)
    apart, own = apart_and_own(ieasv(counts), counts)
    assert (apart >= 0).all() and (apart <= 1 + CLOSE).all()
    np.testing.assert_allclose(own, 1, atol=CLOSE)


@examples(40)
@given(tables())
def test_caso_is_symmetric(table):
    similarity = Caso().fit(cooccurrence(table)).similarities(table)
    np.testing.assert_allclose(similarity, similarity.T, atol=CLOSE)


@examples(40)
@given(tables())
def test_only_values_in_the_same_objects_are_not_told_apart(table):
    found = value_pairs(cooccurrence(table))
    assert found["undistinguished"] <= found["same_extents"]
    assert found["occurrence_mismatches"] == 0
    assert found["sibling_influence"] == 0
    assert -CLOSE <= found["psi_low"] <= found["psi_high"] <= 1 + CLOSE
    assert found["psi_asymmetry"] <= CLOSE


@examples(10)
@given(tables(), seeds)
def test_columns_of_the_embedding_are_uncorrelated(table, seed):
    values = CDE(random_state=np.random.default_rng(seed)).fit(table).value_embedding_
    assume(values.shape[1] > 1)
    covariance = np.cov(values, rowvar=False, ddof=0)
    variances = covariance.diagonal().copy()
    np.fill_diagonal(covariance, 0)
    assert np.abs(covariance).max() <= 1e-6 * variances.max()


@examples(40)
@given(tables())
def test_values_of_a_0_1_encoding_are_equally_distant(table):
    counts = cooccurrence(table)
    apart, own = apart_and_own(OneHot().fit(counts).value_matrices_, counts)
    assert np.ptp(apart) <= CLOSE if len(apart) else True
    assert (own == 0).all()


@examples(40)
@given(tables(), st.sampled_from([0.0, 0.3, 0.7, 1.0]))
def test_dilca_is_a_pseudometric_in_the_unit_interval_with_a_context(table, sigma):
    assume((table.n_values > 1).all())
    found = properties.axioms(DilcaM(sigma).fit(table), cooccurrence(table))
    assert found["lowest"] >= 0 and found["highest"] <= 1 + CLOSE
    assert found["diagonal"] <= CLOSE and found["asymmetry"] <= CLOSE
    assert found["triangle"] <= CLOSE
    assert found["smallest_context"] >= (1 if sigma else table.n_attributes - 1)


def test_different_values_of_car_like_tables_coincide():
    """In a full factorial the other attributes say nothing: all distances are 0."""
    factorial = np.array([[a, b] for a in range(3) for b in range(2)])
    found = properties.axioms(
        DilcaM(0.0).fit(CategoricalTable.from_codes(factorial)),
        cooccurrence(CategoricalTable.from_codes(factorial)),
    )
    assert found["coinciding"] == found["pairs"] == 4


@examples(40)
@given(seeds)
def test_gain_uncertainty_and_indices_have_their_ends(seed):
    one = properties._one_trial(np.random.default_rng(seed), 30, 4)
    assert one["gain"] == pytest.approx(one["gain_reversed"], abs=CLOSE)
    assert -CLOSE <= one["su"] <= 1 + CLOSE
    assert one["su_determined"] == pytest.approx(1, abs=CLOSE)
    assert one["su_independent"] == pytest.approx(0, abs=CLOSE)
    assert [one["ari_identical"], one["nmi_identical"]] == pytest.approx([1, 1])


@examples(20)
@given(st.integers(2, 40))
def test_one_object_per_cluster_has_nmi_but_no_ari(half):
    """NMI grows with the number of clusters, so it is not independent of it."""
    classes, alone = np.arange(2 * half) % 2, np.arange(2 * half)
    expected = (np.log(2) / np.log(2 * half)) ** 0.5
    assert external_scores(classes, alone)["nmi_sqrt"] == pytest.approx(expected)
    assert adjusted_rand(classes, alone) == pytest.approx(0, abs=CLOSE)


@examples(10)
@given(tables(), st.sampled_from([3, 4]))
def test_shapes_and_ranges_of_the_coupled_representation(table, power):
    assume(table.n_objects > 2)
    numbers = np.linspace(-1.0, 1.0, table.n_objects)[:, None]
    fitted = CoupledMixed(max_power=power).fit(MixedTable(table, numbers, ("x",)))
    values = int(table.n_values.sum())
    assert fitted.fshat_.shape == (table.n_objects, power * (values + 1))
    assert fitted.fsd_.min() >= -CLOSE and fitted.fsd_.max() <= 1 + CLOSE


@examples(40)
@given(tables())
def test_rows_of_the_0_1_matrix_have_a_one_per_attribute(table):
    mixed = MixedTable(table, np.zeros((table.n_objects, 1)), ("x",))
    assert (one_hot(mixed).sum(axis=1) == table.n_attributes).all()


@examples(40)
@given(tables())
def test_uncertainty_is_zero_for_independence_and_one_for_prediction(table):
    su = symmetric_uncertainty(cooccurrence(table))
    assert su.min() >= -CLOSE and su.max() <= 1 + CLOSE
    column = table.codes[:, 0]
    assume(table.n_values[0] > 1)
    twice = CategoricalTable.from_codes(np.column_stack([column, column]))
    crossed = [[a, b] for a in column for b in range(2)]
    for codes, expected in ((twice, 1), (CategoricalTable.from_codes(np.array(crossed)), 0)):
        found = symmetric_uncertainty(cooccurrence(codes))[0, 1]
        assert found == pytest.approx(expected, abs=CLOSE)


@examples(20)
@given(st.lists(st.integers(1, 100), min_size=2, max_size=6))
def test_min_max_weights_always_hold_a_zero_and_a_one(uncertainties):
    """Eq. (3) as printed, so that it cannot give the printed weights 0.655 and 0.345."""
    su = np.array(uncertainties) / 100
    assume(np.ptp(su) > 0)
    weights = (su - su.min()) / np.ptp(su)
    assert weights.min() == 0 and weights.max() == 1


@examples(20)
@given(st.integers(2, 30), st.integers(1, 30))
def test_of_is_least_at_equal_frequencies_that_cover_the_table(half, less):
    assume(less < half)
    found = []
    for first in (half, less):
        codes = np.repeat([0, 1], [first, 2 * half - first])[:, None]
        measure = OccurrenceFrequency().fit(CategoricalTable.from_codes(codes, [2]))
        found.append(measure.value_matrices_.block(0)[0, 1])
    assert found[0] < found[1]


@examples(10)
@given(tables())
def test_steps_and_flops_of_table_x(table):
    counts = cooccurrence(table)
    most = int(counts.n_values.max())
    steps = sum(int(v) * (int(v) - 1) // 2 for v in counts.n_values)
    assert steps <= table.n_attributes * most * (most - 1) / 2
    if counts.n_values[0] > 1:
        spent = [RELATIVE[name](counts, 0, 0, 1, 1).evaluations for name in RELATIONS]
        assert spent[:2] == [2 * 2 ** int(counts.n_values[1]), 2 * int(counts.n_values[1])]
        assert spent == sorted(spent, reverse=True)


@examples(20)
@given(st.integers(2, 6), st.integers(1, 9))
def test_min_max_scaling_of_equal_frequencies_is_undefined(values, times):
    codes = np.tile(np.arange(values), times)[:, None]
    block = iaasv(cooccurrence(CategoricalTable.from_codes(codes, [values]))).block(0)
    assert block.max() - block.min() <= CLOSE


@pytest.mark.parametrize("m", [3, 10, 40])
@pytest.mark.parametrize("rule", ["strict", "algorithm3"])
def test_a_context_without_redundancy_compares_all_pairs(m, rule):
    codes = np.column_stack([np.arange(m + 1), np.eye(m + 1, m, dtype=np.int64)])
    table = CategoricalTable.from_codes(codes, [m + 1, *[2] * m])
    assert DilcaRR(context=rule).fit(table).context_[0, 1:].all()


@pytest.mark.parametrize("m", [4, 9])
def test_equal_attributes_are_all_kept_by_the_strict_rule_alone(m):
    table = CategoricalTable.from_codes(np.tile([[0], [1]], (4, m)), [2] * m)
    kept = [DilcaRR(context=rule).fit(table).context_.sum() for rule in ("strict", "algorithm3")]
    assert kept == [m * (m - 1), m]


@pytest.mark.parametrize("clusters", [3, 5, 8])
def test_one_pass_of_k_means_reads_the_whole_value_matrix(clusters):
    counts = cooccurrence(CategoricalTable.from_codes(np.arange(clusters)[:, None].repeat(2, 1)))
    assert value_pairs(counts)["pairs"] == clusters * (2 * clusters - 1)
    assert occurrence_influence(counts).shape == (2 * clusters, 2 * clusters)
    # columns of values that are uncorrelated and depend on each other
    columns = value_embedding(np.eye(clusters)).round(9)
    assert abs(np.cov(columns[:, :2], rowvar=False)[0, 1]) <= CLOSE
    pairs = len(np.unique(columns[:, :2], axis=0))
    assert pairs < len(np.unique(columns[:, 0])) * len(np.unique(columns[:, 1]))
