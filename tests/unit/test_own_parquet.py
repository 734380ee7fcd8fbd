"""Tables of the reader's own in Parquet."""

import numpy as np
import pandas as pd
import pytest

from replication.data import own_parquet
from replication.data.own_table import read_own
from replication.errors import UserError

SPEC = {
    "paper": "own",
    "dataset": "mine",
    "entry": {"user": "mine", "class": "use", "numeric": ["gears"], "missing": "value"},
}


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "a": rng.choice(["x", " y ", None, "?"], 300),
            "gears": rng.integers(1, 9, 300),
            "size": pd.Categorical(rng.choice(["S", "L"], 300)),
            "use": rng.choice(["city", "road"], 300),
        }
    )


def as_csv(frame, path):
    frame.to_csv(path, index=False)
    return read_own(path, SPEC)


@pytest.mark.parametrize("parts", [1, 3])
def test_parquet_reads_as_the_csv_does(frame, tmp_path, parts):
    folder = tmp_path / "mine"
    folder.mkdir()
    for i in range(parts):
        frame.iloc[i * 300 // parts : (i + 1) * 300 // parts].to_parquet(
            folder / f"{i}.parquet", index=False, row_group_size=40
        )
    found = read_own(folder, SPEC)
    pd.testing.assert_frame_equal(found, as_csv(frame, tmp_path / "mine.csv"))
    if parts == 1:
        pd.testing.assert_frame_equal(read_own(folder / "0.parquet", SPEC), found)


def test_a_sample_of_many_rows(frame, tmp_path):
    path = tmp_path / "mine.parquet"
    frame.to_parquet(path, index=False, row_group_size=40)
    whole = read_own(path, SPEC)
    spec = {**SPEC, "entry": {**SPEC["entry"], "rows": 50}}
    some = read_own(path, spec)
    assert len(some) == 50
    pd.testing.assert_frame_equal(read_own(path, spec), some)
    rows = set(map(tuple, whole.to_numpy()))
    assert all(tuple(row) in rows for row in some.to_numpy())
    assert len(read_own(path, {**SPEC, "entry": {**SPEC["entry"], "rows": 900}})) == 300


def test_too_many_rows_say_what_to_do(frame, tmp_path, monkeypatch):
    path = tmp_path / "mine.parquet"
    frame.to_parquet(path, index=False)
    monkeypatch.setattr(own_parquet, "MOST_CELLS", 1000)
    with pytest.raises(
        UserError, match=r"300 rows of 4 columns .* `rows: 25` in config/papers/own"
    ):
        read_own(path, SPEC)


def test_mistakes_name_their_row(frame, tmp_path):
    path = tmp_path / "mine.parquet"
    frame.loc[7, "use"] = None
    frame.to_parquet(path, index=False)
    with pytest.raises(UserError, match=r"mine\.parquet, row 8: the class 'use' is missing"):
        read_own(path, SPEC)


def test_columns_and_files_that_are_no_table(frame, tmp_path):
    path = tmp_path / "mine.parquet"
    frame.assign(day=pd.Timestamp("2000-01-01")).to_parquet(path, index=False)
    with pytest.raises(UserError, match=r"mine\.parquet: column 'day' holds dates"):
        read_own(path, SPEC)
    path.write_text("a,b\n")
    with pytest.raises(UserError, match="cannot be read as Parquet"):
        read_own(path, SPEC)
    (tmp_path / "empty").mkdir()
    with pytest.raises(UserError, match="no such file"):
        read_own(tmp_path / "empty", SPEC)
