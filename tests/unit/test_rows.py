"""Files of rows: what is written reads back, and what cannot be read is explained."""

import pytest

from replication.errors import UserError
from replication.files import read_rows, rows_text, write_rows


def test_rows_are_written_cell_by_cell():
    rows = [{"a": 0.1, "b": 'x "y", z'}, {"a": None, "b": "two\nlines", "c": 3}]
    assert rows_text(["a", "b"], rows) == 'a,b\n0.1,"x ""y"", z"\n,two lines\n'


def test_rows_read_back_and_other_files_are_refused(tmp_path):
    path = tmp_path / "rows.csv"
    with pytest.raises(UserError, match=r"rows\.csv: cannot be read \(No such file"):
        read_rows(path)
    write_rows(path, ("a", "b"), [{"a": 1 / 3, "b": "x, y"}])
    (row,) = read_rows(path, ("a", "b"))
    assert float(row["a"]) == 1 / 3
    assert row["b"] == "x, y"
    with pytest.raises(UserError, match=r"rows\.csv: columns must be a, c"):
        read_rows(path, ("a", "c"))
