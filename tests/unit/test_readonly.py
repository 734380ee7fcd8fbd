"""Arrays of public objects cannot be written, so no kernel is led outside its memory."""

import copy
import pickle
import sys

import numpy as np
import pytest
from kit import ROOT, called, refused

from couplings import CategoricalTable, CooccurrenceCounts, MixedTable, TableError, cooccurrence
from couplings.cluster.joint_counts import JointCounts
from couplings.errors import CouplingsError, MeasureError
from couplings.spaces import ObjectSpace
from couplings.values import ValueMatrices

CODES = np.array([[0, 1], [1, 0], [1, 1]])


def test_every_public_array_is_written_and_then_used_and_no_process_dies():
    done = called(sys.executable, ROOT / "tests/written_arrays.py")
    assert done.returncode == 0, done.stdout + done.stderr
    for name in ("table", "mixed table", "counts", "matrices", "sum", "ratio", "quotient"):
        assert done.stdout.count(f"\n{name}: wrote nothing") == 3 - (name == "table")
    assert done.stdout.count("KModes: wrote") == 1


def same(one):
    return one


@pytest.mark.parametrize(
    "copied", [same, copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))]
)
def test_codes_cannot_be_written_after_a_table_is_made(copied):
    made = copied(CategoricalTable.from_codes(CODES))
    for table in (made, made.take([0, 1]), made.take(slice(0, 2)), made.select([0])):
        with pytest.raises(ValueError, match="read-only"):
            table.codes[0, 0] = 120
    with pytest.raises(ValueError, match="read-only"):
        copied(cooccurrence(made)).matrix[0, 0] = 5


@pytest.mark.parametrize("dtype", [np.int8, np.int32])
def test_the_array_that_a_table_was_made_from_can_be_written_and_changes_nothing(dtype):
    own = np.asfortranarray(CODES, dtype=dtype)
    domains = (("a", "b"), ("c", "d"))
    tables = [
        CategoricalTable.from_codes(own, categories=domains),
        CategoricalTable(own, domains, ("x", "y")),
    ]
    view = own[:]
    view.flags.writeable = False
    tables.append(CategoricalTable(view, domains, ("x", "y")))
    own[:] = 100
    for table in tables:
        np.testing.assert_array_equal(table.codes, CODES)


def test_numbers_of_a_mixed_table_are_its_own():
    own = np.zeros((3, 1))
    table = MixedTable(CategoricalTable.from_codes(CODES), own, ("z",))
    own[:] = np.inf
    assert not table.numeric.any()


def test_lists_of_names_and_domains_are_copied():
    domains = [["a", "b"], ["c", "d"]]
    table = CategoricalTable(CategoricalTable.from_codes(CODES).codes, domains, ["x", "y"])
    domains[0].clear()
    assert table.categories == (("a", "b"), ("c", "d"))


test_parts_that_would_lead_a_kernel_outside_are_refused = refused(
    CouplingsError,
    lambda make, *given: make(*given),
    [
        (CooccurrenceCounts, np.zeros((2, 2)), np.array([0, 5000]), 3, "rises from 0 to its size"),
        (CooccurrenceCounts, np.zeros((2, 2)), np.array([0, 3, 2]), 3, "rises from 0"),
        (ValueMatrices, np.zeros(9), np.array([3, 0]), "must rise from 0"),
        (ValueMatrices, np.zeros(1), np.array([0, 1], np.int32), "vector of int64"),
        (
            lambda terms: ObjectSpace(ValueMatrices.from_blocks([np.eye(2)]), "ratio", terms),
            np.zeros(1),
            "vector of 2 numbers",
        ),
        (JointCounts, np.array([0, 1]), np.array([7]), np.array([1]), 2, 1, "contradict"),
    ],
)


def test_counts_of_names_that_do_not_fit_are_refused():
    counts = cooccurrence(CategoricalTable.from_codes(CODES))
    with pytest.raises(TableError, match="one name and one domain"):
        CooccurrenceCounts(counts.matrix, counts.offsets, 3, counts.categories, ("x",))


def test_a_pickle_with_a_code_outside_its_domain_is_refused():
    table = CategoricalTable.from_codes(CODES)
    state = dict(vars(table), codes=np.asfortranarray([[120, 0]], dtype=np.int8))
    with pytest.raises(TableError, match="code 120 is outside"):
        CategoricalTable.__new__(CategoricalTable).__setstate__(state)


def test_value_matrices_are_sealed_with_what_is_derived_from_them():
    matrices = ValueMatrices.from_blocks([np.eye(2)])
    for array in (matrices.data, matrices.offsets, matrices.starts, matrices.n_values):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 9
    with pytest.raises(MeasureError, match="one vector"):
        ValueMatrices(np.zeros(3), matrices.offsets)
