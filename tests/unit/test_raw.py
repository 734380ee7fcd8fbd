"""Raw tables: what is read from a file, how its columns are described, and what is clustered."""

import gzip
import lzma

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

from couplings import (
    CategoricalTable,
    CouplingsError,
    SimpleMatching,
    TableError,
    describe_table,
    plot_objects,
    plot_values,
    prepare_table,
    read_table,
)

mpl.use("Agg")
TEXT = "id,frame,gears\n1,step,3\n2,sport,?\n"


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_the_header_tells_the_separator(tmp_path, separator):
    path = tmp_path / "a.csv"
    path.write_text("\ufeff" + TEXT.replace(",", separator), encoding="utf-8")
    table = read_table(path, without=["id"])
    assert table.attributes == ("frame", "gears")
    assert table.missing.tolist() == [[False, False], [False, True]]


@pytest.mark.parametrize(("suffix", "pack"), [(".gz", gzip.compress), (".xz", lzma.compress)])
def test_packed_files_are_read(tmp_path, suffix, pack):
    path = tmp_path / f"a.csv{suffix}"
    path.write_bytes(pack(TEXT.encode()))
    assert read_table(path).n_objects == 2
    path.write_bytes(b"none")
    with pytest.raises(TableError, match="cannot be read"):
        read_table(path)


def test_numbers_of_parquet_are_labels(tmp_path):
    path = tmp_path / "a.parquet"
    frame = pd.DataFrame({"a": [1, 2], "b": [0.5, None], "c": ["x", "y"], "d": [True, False]})
    frame.to_parquet(path)
    table = read_table(path, without=["d"])
    assert table.categories == (("1", "2"), ("0.5",), ("x", "y"))
    assert table.missing[1].tolist() == [False, True, False]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("p,x,p\na,b,c\n", "line 1: a column is called 'p', .* write a line above it"),
        ("a,,b\n1,2,3\n", "line 1: a column is called ''"),
        ("a,b\n1,2\n3\n", "line 3: 1 cells where the header names 2"),
        ("a,b\n1,2\n", "no column 'use'"),
        ("é,b\n1,2\n".encode("latin-1"), "not UTF-8"),
    ],
)
def test_files_that_are_no_tables(tmp_path, text, words):
    path = tmp_path / "a.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(TableError, match=rf"a\.csv.*{words}"):
        read_table(path, without=["use"] if "use" in words else [])
    with pytest.raises(TableError, match="no such file"):
        read_table(tmp_path / "none.csv")


ROWS = [[f"n{i}", str(i), "step" if i % 2 else "sport", str(1.5 * i**2), "x"] for i in range(20)]
RAW = CategoricalTable.from_any([*ROWS, ["n20", "20", "?", "?", "x"]], missing=["?"])


def test_columns_are_described():
    found = describe_table(RAW)
    assert found["kind"].tolist() == ["names", "names", "labels", "numbers", "one value"]
    assert found["missing"].tolist() == [0, 0, 1, 1, 0]
    assert found.loc["a2", ["values", "most_frequent"]].tolist() == [2, "sport"]
    assert found.loc["a4", "share"] == 1.0


def test_numbers_are_cut_and_missing_cells_are_values():
    table = prepare_table(RAW, bins=2)
    assert table.attributes == ("a2", "a3")
    assert table.categories[1] == ("0 to 253.5", "294 to 541.5", "(missing)")
    assert np.bincount(table.codes[:, 1]).tolist() == [14, 6, 1]
    with pytest.raises(TableError, match="nothing can be clustered"):
        prepare_table(RAW.select(["a0", "a4"]))


def test_pictures_of_values_and_objects():
    table = prepare_table(RAW)
    measure = SimpleMatching().fit(table)
    axes = plot_values(measure)
    assert [ax.get_title() for ax in axes] == ["a2", "a3"]
    (short,) = plot_values(measure, most=1, labels=2)
    assert short.get_title().endswith("rare values)")
    ax = plot_objects(measure, table, table.codes[:, 0], mark=[20], most=5)
    assert [text.get_text() for text in ax.texts] == ["20"]
    assert ax.get_title().startswith("map of 6 of 21 objects")
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [
        "0 (10)",
        "1 (10)",
        "2 (1)",
    ]
    with pytest.raises(CouplingsError, match="a vector of 21 labels"):
        plot_objects(measure, table, [0])
