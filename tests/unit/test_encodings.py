import math

import numpy as np
import pandas as pd
import pytest

from couplings.errors import MeasureError, MissingValuesError, NotFittedError, TableError
from couplings.measures.encodings import InverseDocumentFrequency, OneHot, OneHotPCA
from couplings.table import CategoricalTable

ALL = [OneHot, OneHotPCA, InverseDocumentFrequency]

FRAME = pd.DataFrame({"make": ["vw", "vw", "bmw", "kia"], "fuel": ["gas", "oil", "oil", "oil"]})


def random_table(seed, n=40, sizes=(2, 3, 5, 1)):
    rng = np.random.default_rng(seed)
    codes = np.column_stack([rng.integers(0, v, n) for v in sizes])
    return CategoricalTable.from_codes(codes, sizes)


def squared_distances(rows):
    return ((rows[:, None, :] - rows[None]) ** 2).sum(axis=2)


def test_one_hot_worked_example():
    # Columns bmw, kia, vw, gas, oil.
    expected = [[0, 0, 1, 1, 0], [0, 0, 1, 0, 1], [1, 0, 0, 0, 1], [0, 1, 0, 0, 1]]
    assert OneHot().fit_transform(FRAME).tolist() == expected


def test_idf_worked_example():
    expected = [
        [math.log(2), math.log(4)],
        [math.log(2), math.log(4 / 3)],
        [math.log(4), math.log(4 / 3)],
        [math.log(4), math.log(4 / 3)],
    ]
    np.testing.assert_allclose(
        InverseDocumentFrequency().fit_transform(FRAME), expected, rtol=0, atol=1e-15
    )


@pytest.mark.twin_of("OneHotPCA")
@pytest.mark.parametrize("seed", range(4))
def test_principal_components_are_those_of_the_rows(seed):
    table = random_table(seed)
    one_hot = OneHot().fit_transform(table)
    ours = OneHotPCA().fit_transform(table)
    centred = one_hot - one_hot.mean(axis=0)
    _, sizes, axes = np.linalg.svd(centred)
    rank = (sizes > 1e-10).sum()
    assert ours.shape[1] == rank
    scores = centred @ axes[:rank].T
    # Up to the signs.
    np.testing.assert_allclose(np.abs(ours), np.abs(scores), rtol=0, atol=1e-10)
    np.testing.assert_allclose(ours.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(
        squared_distances(ours), squared_distances(one_hot), rtol=0, atol=1e-12
    )


@pytest.mark.parametrize("encoding", ALL)
def test_an_encoding_is_a_measure(encoding):
    table = random_table(3)
    fitted = encoding().fit(table)
    rows = fitted.transform(table)
    np.testing.assert_allclose(
        fitted.pairwise(table), np.sqrt(squared_distances(rows)), rtol=0, atol=1e-7
    )
    assert fitted.space_.link == "rss"


@pytest.mark.parametrize("encoding", ALL)
def test_values_that_never_occur(encoding):
    table = CategoricalTable.from_codes([[0, 0], [0, 1], [2, 1]], [3, 2])
    fitted = encoding().fit(table)
    assert np.isnan(fitted.value_coordinates_[1]).all()
    assert np.isfinite(fitted.transform(table)).all()
    assert (fitted.value_matrices_.block(0)[1] == 0).all()
    observed = encoding().fit_transform(table.observed())
    np.testing.assert_allclose(
        squared_distances(fitted.transform(table)), squared_distances(observed), atol=1e-12
    )
    with pytest.raises(MeasureError, match="'a0', row 0: fit has not seen the value '1'"):
        fitted.transform(CategoricalTable.from_codes([[1, 0], [0, 0]], [3, 2]))


def test_bad_objects():
    with pytest.raises(NotFittedError, match="call fit"):
        OneHot().transform(FRAME)
    fitted = OneHot().fit(FRAME)
    with pytest.raises(MeasureError, match="X has 1 features, but OneHot is expecting 2 features"):
        fitted.transform(FRAME[["make"]])
    with pytest.raises(MissingValuesError, match="'fuel'"):
        fitted.transform(pd.DataFrame({"make": ["vw"], "fuel": [None]}))
    with pytest.raises(TableError, match="no rows"):
        fitted.transform(FRAME[:0])
    sparse = pytest.importorskip("scipy.sparse")
    with pytest.raises(TableError, match=r"[Ss]parse"):
        fitted.transform(sparse.eye(2).tocsr())
