"""Inputs whose part would be lost without a word are refused or told."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from couplings import CategoricalTable, CouplingsError, KModes, Rock, choose_k

TABLE = CategoricalTable.from_any([["a", "b"]] * 6 + [["c", "d"]] * 6)
UNEVEN = [1e13] + [0.3] * 11


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: KModes(2).fit(TABLE, sample_weight=UNEVEN), "a weight of 1.8 counts nothing"),
        (lambda: TABLE.select([False, True]), "neither a name nor a position"),
        (lambda: TABLE.select([0.5]), "neither a name nor a position"),
        (lambda: CategoricalTable.from_codes([[0], [1]], n_values="2"), "not integers"),
        (lambda: CategoricalTable.from_codes([[0], [1]], n_values=[-2]), "not integers"),
    ],
)
def test_what_would_be_lost_is_refused(call, words):
    with pytest.raises(CouplingsError, match=words):
        call()


def test_uneven_weights_that_all_count_are_kept():
    found = KModes(2, random_state=0).fit(TABLE, sample_weight=np.array([1e6] + [0.3] * 11))
    assert found.objective_ == 0


def test_more_clusters_than_distinct_objects_are_told_by_rock():
    with pytest.warns(ConvergenceWarning, match="Rock: only 2 objects are distinct"):
        Rock(4).fit(TABLE)


def test_numbers_of_clusters_are_compared_once():
    found = choose_k(TABLE, KModes(random_state=0), [2, 2, 3], n_bootstrap=1)
    assert found.index.tolist() == [2, 3]
