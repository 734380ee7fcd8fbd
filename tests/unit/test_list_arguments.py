"""Arguments that list labels or columns: one rule at every door."""

import pickle

import numpy as np
import pandas as pd
import pytest
from kit import refused_calls

from couplings import CategoricalTable, CooccurrenceCounts, MixedTable, TableError, read_table
from couplings._labels import MissingLabels
from couplings.counts import CountAccumulator, cooccurrence
from couplings.large import LargeTable, count_parquet

FRAME = pd.DataFrame({"smoker": ["N", "Y", "N", "A", "NA"], "site": list("uvuvu")})
MIXED = FRAME.assign(age=[1.0, 2, 3, 4, 5])
TABLE = CategoricalTable.from_any(FRAME)


def counted(missing):
    return CooccurrenceCounts.from_batches([FRAME], missing=missing, incomplete="drop").categories


def by_accumulator(missing):
    columns = TABLE.as_columns()
    columns = [type(one)(one.name, one.chunks) for one in columns]
    return (
        CountAccumulator(missing=missing, incomplete="drop").add_columns(columns).counts_.categories
    )


def by_csv(folder):
    FRAME.to_csv(folder / "t.csv", index=False)
    return lambda missing: CategoricalTable.from_csv(folder / "t.csv", missing=missing).categories


def by_reader(folder):
    FRAME.to_csv(folder / "t.csv", index=False)
    return lambda missing: read_table(folder / "t.csv", missing=missing).categories


def by_parquet(folder):
    FRAME.to_parquet(folder / "t.parquet")
    return lambda missing: (
        CategoricalTable.from_parquet(folder / "t.parquet", missing=missing).categories
    )


def by_count(folder):
    FRAME.to_parquet(folder / "t.parquet")
    return lambda missing: (
        count_parquet(folder / "t.parquet", missing=missing, incomplete="drop").categories
    )


DOORS = {
    "from_any": lambda folder: lambda m: CategoricalTable.from_any(FRAME, missing=m).categories,
    "from_pandas": lambda folder: (
        lambda m: CategoricalTable.from_pandas(FRAME, missing=m).categories
    ),
    "MixedTable": lambda folder: (
        lambda m: MixedTable.from_pandas(MIXED, missing=m).categorical.categories
    ),
    "from_csv": by_csv,
    "read_table": by_reader,
    "from_parquet": by_parquet,
    "from_batches": lambda folder: counted,
    "CountAccumulator": lambda folder: by_accumulator,
    "count_parquet": by_count,
}


@pytest.mark.parametrize("door", DOORS)
def test_a_text_is_one_label_and_a_mapping_is_per_column_at_every_door(door, tmp_path):
    read = DOORS[door](tmp_path)
    without = (("A", "N", "Y"), ("u", "v"))
    for missing in ("NA", ["NA"], ("NA",), {"NA"}, np.array("NA"), pd.Series(["NA"])):
        assert read(missing) == without, missing
    assert read({"smoker": "NA"}) == without
    assert read({"smoker": ["NA", "A"], "site": []}) == (("N", "Y"), ("u", "v"))
    for missing, words in (
        ({"smokr": "NA"}, "no column 'smokr' .did you mean 'smoker'"),
        ([["NA"]], r"missing: the element \['NA'\] is a list"),
        (b"NA", "missing: a bytes is no list"),
        (FRAME, "missing: a DataFrame is no list"),
        ({"smoker": {"NA": 1}}, r"missing\['smoker'\]: a dict is no list"),
    ):
        with pytest.raises(TableError, match=words):
            read(missing)


def test_numbers_are_labels_by_their_text_and_absent_markers_need_no_mention():
    frame = pd.DataFrame({"a": ["-9", "1", "2"], "b": list("xyz")})
    for missing in (-9, [-9], -9.0, np.int64(-9), [np.nan, None, pd.NA, -9]):
        assert CategoricalTable.from_any(frame, missing=missing).categories[0] == ("1", "2")
    for missing in (None, np.nan, []):
        assert CategoricalTable.from_any(frame, missing=missing).n_values.tolist() == [3, 3]


def test_labels_of_missing_cells_survive_pickling_and_identify_themselves():
    labels = MissingLabels.of({"a": {"x", "y"}}, ("?",))
    again = pickle.loads(pickle.dumps(labels))
    assert again == labels
    assert again.record() == ["?", {"a": ["x", "y"]}]
    assert again.labels("a") == {"?", "x", "y"}


def test_columns_are_named_by_one_text_or_several(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("i,d,id,v\na,p,1,u\nb,q,2,v\na,p,3,u\n")
    assert read_table(path, without="id").attributes == ("i", "d", "v")
    assert CategoricalTable.from_csv(path, usecols="id").attributes == ("id",)
    table = CategoricalTable.from_csv(path)
    assert table.select("id").attributes == ("id",)
    assert table.select(2).attributes == ("id",)
    assert table.select(pd.Index(["v", "i"])).attributes == ("v", "i")
    table.to_pandas().to_parquet(tmp_path / "t.parquet")
    assert read_table(tmp_path / "t.parquet", without="id").attributes == ("i", "d", "v")
    read = CategoricalTable.from_parquet(tmp_path / "t.parquet", usecols="id")
    assert read.attributes == ("id",)


def test_domains_are_lists_types_or_one_label():
    for domain in (["v", "u"], pd.CategoricalDtype(["v", "u"]), np.array(["v", "u"])):
        found = CategoricalTable.from_any(FRAME, domains={"site": domain})
        assert found.categories[1] == ("v", "u")
    # The order of a set depends on the process.
    assert CategoricalTable.from_any(FRAME, domains={"site": {"v", "u"}}).categories[1] == (
        "u",
        "v",
    )
    one = CategoricalTable.from_any(pd.DataFrame({"a": ["xy", "xy"]}), domains={"a": "xy"})
    assert one.categories == (("xy",),)
    named = CategoricalTable.from_codes(
        [[0, 1]], categories={"b": ["x", "y"], "a": "p"}, attributes=["a", "b"]
    )
    assert named.categories == (("p",), ("x", "y"))
    assert cooccurrence(TABLE).reorder({"site": ["v", "u"]}).categories[1] == ("v", "u")


CODES = np.zeros((2, 2), dtype=int)
test_other_lists_are_refused = refused_calls(
    TableError,
    [
        (CategoricalTable.from_any, FRAME, [["u"]], "domains: a list does not say of which column"),
        (CategoricalTable.from_any, FRAME, {"site": {"u": 1}}, "a dict is no list of elements"),
        (CategoricalTable.from_codes, CODES, None, "xy", "categories: a str is no list of domains"),
        (CategoricalTable.from_codes, CODES, None, None, "ab", "2 domains and 1 attribute names"),
        (CooccurrenceCounts.from_batches, FRAME, "batches: a DataFrame is no list of tables"),
        (CooccurrenceCounts.from_batches, "t.parquet", "batches: a str is no list of tables"),
        (LargeTable.from_batches, FRAME, r"batches: a DataFrame .* pass \[data\]"),
        (cooccurrence(TABLE).reorder, {"site": "vu"}, "'u' was counted 3 times"),
        (TABLE.select, {"site": 1}, "attributes: a dict is no list"),
    ],
)
