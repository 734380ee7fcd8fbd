"""Small calls: few objects get what many get, without threads and what only files need."""

import sys

import numba
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kit import called

import couplings
from couplings import (
    CategoricalTable,
    DilcaRR,
    KModes,
    MixedDistance,
    cooccurrence,
    counts,
    reading,
    spaces,
)
from couplings._kernels import threads
from couplings.errors import MeasureError, MissingValuesError
from couplings.spaces import ObjectSpace

RNG = np.random.default_rng(3)
CODES = RNG.integers(0, 4, (90, 7))
TABLE = CategoricalTable.from_codes(CODES, [4] * 7)
FRAME = pd.DataFrame(CODES, columns=list("abcdefg")).map("v{}".format)
BLOCKS = RNG.random((7, 4, 4))
MATRICES = couplings.values.ValueMatrices.from_blocks(list(BLOCKS))
LINKS = ("sum", "rss", "inverse", "jaccard", "ratio")


def space(link):
    return ObjectSpace(MATRICES, link, RNG.random(28) + 1 if link == "ratio" else None)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("link", LINKS)
def test_few_objects_are_compared_as_many_are_to_the_last_bit(monkeypatch, link, dtype):
    one, own = TABLE.take(np.arange(3)), space(link)
    by_numpy = own.between(one, TABLE, dtype)
    monkeypatch.setattr(spaces, "_FEW_PAIRS", 0)
    looked_up = own.between(one, TABLE, dtype)
    monkeypatch.setattr(spaces, "_FEW_OBJECTS", 0)
    assert np.array_equal(by_numpy, own.between(one, TABLE, dtype))
    assert np.array_equal(looked_up, by_numpy)


@pytest.mark.skipif(numba.config.NUMBA_NUM_THREADS < 2, reason="one thread only")
def test_threads_change_no_bit(monkeypatch):
    weights = RNG.random(90)
    measure = DilcaRR().fit(TABLE)

    def everything():
        own = ObjectSpace(MATRICES, "rss")
        yield own.pairwise(TABLE)
        yield own.condensed(TABLE)
        yield cooccurrence(TABLE, weights).matrix
        yield from measure.kneighbors(n_neighbors=3)

    monkeypatch.setattr(counts, "_FEW_CELLS", 0)
    monkeypatch.setattr(counts, "_FEW_PRODUCTS", 0)
    alone = list(everything())
    monkeypatch.setattr(threads, "LEAST_WORK", 0)
    for ours, threaded in zip(alone, everything(), strict=True):
        assert np.array_equal(ours, threaded)


@pytest.mark.parametrize("weights", [None, np.arange(90), RNG.random(90)])
def test_few_objects_are_counted_as_many_are(monkeypatch, weights):
    few = cooccurrence(TABLE, weights).matrix
    monkeypatch.setattr(counts, "_FEW_CELLS", 0)
    monkeypatch.setattr(counts, "_FEW_PRODUCTS", 0)
    many = cooccurrence(TABLE, weights).matrix
    assert few.dtype == many.dtype
    assert np.array_equal(few, many)


@given(st.data())
@settings(deadline=None)
def test_few_objects_are_counted_by_a_product_as_by_kernels(data):
    n, m = data.draw(st.integers(1, 40)), data.draw(st.integers(1, 5))
    sizes = data.draw(st.lists(st.integers(1, 6), min_size=m, max_size=m))
    rows = st.tuples(*(st.integers(0, size - 1) for size in sizes))
    codes = data.draw(st.lists(rows, min_size=n, max_size=n))
    table = CategoricalTable.from_codes(codes, sizes)
    few = cooccurrence(table)
    for cells, packed in ((0, 1), (0, 1 << 30), (1 << 30, 1 << 30)):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(counts, "_FEW_PRODUCTS", -1)
            patch.setattr(counts, "_FEW_CELLS", cells)
            patch.setattr(counts, "_FEWEST_PACKED_ROWS", packed)
            many = cooccurrence(table)
        assert few.matrix.dtype == many.matrix.dtype
        assert few.matrix.tobytes() == many.matrix.tobytes()
        assert few.n_objects == many.n_objects


def test_the_largest_sums_of_weights_are_exact():
    heavy = np.array([(1 << 53) - 3, 1, 1])
    found = cooccurrence(CategoricalTable.from_codes([[0], [0], [0]]), heavy)
    assert found.matrix.tolist() == [[(1 << 53) - 1]]


@pytest.mark.parametrize("kind", ["str", "object", "category"])
def test_few_rows_are_read_as_many_are(monkeypatch, kind):
    frame = FRAME.astype(kind)
    ours = CategoricalTable.from_any(frame)
    monkeypatch.setattr(reading, "_quick_column", lambda *_: None)
    theirs = CategoricalTable.from_any(frame)
    assert ours.categories == theirs.categories
    assert ours.attributes == theirs.attributes
    assert np.array_equal(ours.codes, theirs.codes)


def test_rows_of_a_list_and_small_numbers_of_an_array_are_labels():
    texts = CategoricalTable.from_any(FRAME.to_numpy().tolist())
    numbers = CategoricalTable.from_any(CODES)
    assert np.array_equal(texts.codes, numbers.codes)
    assert numbers.categories == tuple((("0", "1", "2", "3"),) * 7)
    assert CategoricalTable.from_any(np.array([[3], [7]])).categories == (("3", "7"),)


@pytest.mark.parametrize("shape", [FRAME, FRAME.to_numpy().tolist(), CODES, TABLE], ids=type)
def test_one_row_is_answered_as_among_all(shape):
    def row(i):
        if hasattr(shape, "iloc"):
            return shape.iloc[i : i + 1]
        return shape.take([i]) if isinstance(shape, CategoricalTable) else shape[i : i + 1]

    modes = KModes(3, random_state=0).fit(shape)
    assert [modes.predict(row(i))[0] for i in range(90)] == modes.predict(shape).tolist()
    assert np.array_equal(modes.transform(row(5))[0], modes.transform(shape)[5])
    assert modes.transform(shape).argmin(axis=1).tolist() == modes.predict(shape).tolist()
    measure = DilcaRR().fit(shape)
    near, places = measure.kneighbors(shape, 4)
    one = measure.kneighbors(row(7), 4)
    assert np.array_equal(one[0][0], near[7])
    assert np.array_equal(one[1][0], places[7])
    assert np.array_equal(measure.transform(row(7))[0], measure.transform(shape)[7])


def test_one_row_with_a_gap_or_a_new_value_follows_the_rules():
    modes = KModes(2, measure=DilcaRR(unknown="raise"), random_state=0).fit(FRAME)
    gap, new = FRAME.iloc[:1].copy(), FRAME.iloc[:1].copy()
    gap.iloc[0, 2], new.iloc[0, 2] = None, "nowhere"
    with pytest.raises(MissingValuesError, match="'c'"):
        modes.predict(gap)
    with pytest.raises(MeasureError, match="'c', row 0: fit has not seen the value 'nowhere'"):
        modes.predict(new)
    turned = FRAME.iloc[:5, ::-1]
    assert np.array_equal(modes.predict(turned), modes.predict(FRAME.iloc[:5]))


def test_one_row_of_a_mixed_table_is_answered_as_among_all():
    frame = FRAME.iloc[:, :3].assign(x=RNG.random(90), n=np.arange(90))
    distance = MixedDistance().fit(frame)
    near, places = distance.kneighbors(frame, 3)
    one = distance.kneighbors(frame.iloc[4:5], 3)
    assert np.array_equal(one[0][0], near[4])
    assert np.array_equal(one[1][0], places[4])


ASSOCIATED = """
import sys
import numpy as np
from couplings import associations
associations(np.random.default_rng(0).integers(0, 5, (500, 60)))
print("numba" in sys.modules)
"""
NAMES = """
import sys
from couplings import DilcaRR, KModes, LatentClasses, Ward
heavy = "pandas", "pyarrow", "scipy.special", "scipy.stats", "sklearn", "narwhals", "tqdm"
print([name for name in heavy if name in sys.modules])
"""
WITHOUT = """
import sys
sys.modules |= dict.fromkeys(("pyarrow", "tqdm"))
import pandas as pd
import couplings
rows = [["a", "x"], ["a", "y"], ["b", "y"], ["b", "x"]] * 5
for data in (rows, pd.DataFrame(rows), pd.DataFrame(rows).astype("category")):
    couplings.KModes(2, random_state=0).fit(data).predict(data)
    couplings.Ward(2, measure="dilca_rr").fit(data)
    couplings.describe_table(data)
for call in (
    lambda: couplings.CategoricalTable.from_csv(sys.argv[1]),
    lambda: couplings.CategoricalTable.from_parquet(sys.argv[2]),
    lambda: __import__("couplings.large.kmodes"),
):
    try:
        call()
    except couplings.CouplingsError as error:
        print(error)
"""


def test_associations_of_a_survey_load_no_compiler():
    done = called(sys.executable, "-c", ASSOCIATED)
    assert done.stdout == "False\n", done.stderr


def test_the_names_of_four_estimators_load_no_data_frames():
    done = called(sys.executable, "-c", NAMES)
    assert done.stdout == "[]\n", done.stderr


def test_what_only_files_need_is_an_extra_that_the_error_names(tmp_path):
    text, parquet = tmp_path / "table.csv", tmp_path / "table.parquet"
    text.write_text("a,b\nu,v\n", "utf-8")
    FRAME.to_parquet(parquet)
    done = called(sys.executable, "-W", "ignore", "-c", WITHOUT, text, parquet)
    assert done.stdout.splitlines() == [
        "Text files need pyarrow; install it with pip install couplings[arrow]",
        "Parquet files need pyarrow; install it with pip install couplings[arrow]",
        "Tables in parts need pyarrow and tqdm; install it with pip install couplings[large]",
    ], done.stderr
