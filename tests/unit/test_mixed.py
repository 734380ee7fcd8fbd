import numpy as np
import pandas as pd
import pytest

from couplings.errors import CouplingsError, MissingValuesError, TableError
from couplings.mixed import MixedSpace, MixedTable, as_mixed, scaled
from couplings.table import CategoricalTable


def table(n=30, seed=0):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 3, (n, 2))
    codes[:3] = np.arange(3)[:, np.newaxis]
    return MixedTable(
        CategoricalTable.from_codes(codes), rng.normal(size=(n, 3)) * [1, 10, 100], ("x", "y", "z")
    )


def test_parts_have_to_fit():
    whole = table()
    with pytest.raises(TableError, match=r"30 rows of codes .* shape \(29, 3\)"):
        MixedTable(whole.categorical, whole.numeric[1:], whole.names)
    with pytest.raises(TableError, match="2 names, but numbers"):
        MixedTable(whole.categorical, whole.numeric, ("x", "y"))
    with pytest.raises(TableError, match="'a1' occurs twice"):
        MixedTable(whole.categorical, whole.numeric, ("x", "y", "a1"))
    with pytest.raises(TableError, match="float64"):
        MixedTable(whole.categorical, whole.numeric.astype(int), whole.names)
    with pytest.raises(TableError, match="needs numeric attributes"):
        MixedTable(whole.categorical, whole.numeric[:, :0], ())


def test_numbers_have_to_be_finite():
    whole = table()
    numeric = whole.numeric.copy()
    numeric[3:5, 1] = np.nan
    with pytest.raises(MissingValuesError, match=r"'y' \(2\)"):
        as_mixed(MixedTable(whole.categorical, numeric, whole.names))
    numeric[3:5, 1] = np.inf
    with pytest.raises(TableError, match="'y' has infinite"):
        MixedTable(whole.categorical, numeric, whole.names)


def test_from_pandas_splits_by_kind():
    df = pd.DataFrame(
        {"n": [1, 2, 3], "c": ["u", "v", "u"], "b": [True, False, True], "f": [0.5, 1.5, 2.5]}
    )
    whole = MixedTable.from_pandas(df)
    assert whole.attributes == ("c", "b", "n", "f")
    assert whole.numeric.tolist() == [[1, 0.5], [2, 1.5], [3, 2.5]]
    assert whole.take(np.array([2, 0])).numeric[:, 0].tolist() == [3, 1]
    assert repr(whole) == "MixedTable(3 objects, 2 categorical and 2 numeric attributes)"
    with pytest.raises(TableError, match="all columns are numeric"):
        MixedTable.from_pandas(df[["n", "f"]])
    with pytest.raises(TableError, match="all columns are categorical"):
        MixedTable.from_pandas(df[["c", "b"]])
    with pytest.raises(MissingValuesError, match="'f'"):
        as_mixed(df.assign(f=[None, 1.0, 2.0]))


def test_scales():
    numeric = np.column_stack([[1.0, 2, 4], [7.0, 7, 7]])
    assert np.allclose(scaled(numeric, "minmax"), [[0, 0], [1 / 3, 0], [1, 0]])
    z = scaled(numeric, "z")
    assert np.isclose(z[:, 0].std(ddof=1), 1)
    assert (z[:, 1] == 0).all()
    assert np.allclose(scaled(numeric, "symmetric"), [[-1, 0], [-1 / 3, 0], [1, 0]])
    assert np.array_equal(scaled(numeric, "raw"), numeric)
    with pytest.raises(CouplingsError, match="scale='log'"):
        scaled(numeric, "log")


@pytest.mark.parametrize("gamma", ["raw", "scaled"])
def test_weighted_metric_is_its_formula(gamma):
    whole = table()
    y = scaled(whole.numeric, "minmax")
    weight = 0.5 * (whole.numeric if gamma == "raw" else y).std(axis=0, ddof=1).mean()
    distances = MixedSpace.weighted(whole, gamma).pairwise(whole)
    for u in range(30):
        for v in range(30):
            mismatches = (whole.categorical.codes[u] != whole.categorical.codes[v]).sum()
            expected = np.sqrt(((y[u] - y[v]) ** 2).sum()) + weight * mismatches
            assert np.isclose(distances[u, v], expected, rtol=1e-12, atol=1e-12)
