"""Input files of a step, and the rows and records in them."""

import pytest
from kit import recorded

from replication.errors import UserError
from replication.files import read_rows, rows_text, write_rows
from replication.plan.layout import NO_DATASET
from replication.plan.report_jobs import artefact_entries
from replication.run.records import Records, available, record_rows, write_records


def test_an_entry_with_data_sets_stands_for_one_file_of_each(tmp_path):
    for name, status in (("car", "unavailable"), ("vote", "ok")):
        recorded(tmp_path / f"grid.{name}.parquet", [{"dataset": name, "status": status}])
    file = str(tmp_path / "grid.{dataset}.parquet")
    entry = {"role": "experiment", "experiment": "grid", "datasets": ["car", "vote"], "file": file}
    found = Records([entry, entry, {"role": "tests", "file": "t"}], "here")
    assert [path.name for path in found.files("experiment", experiment="grid")] == [
        "grid.car.parquet",
        "grid.vote.parquet",
    ]
    frame = found.frame("experiment", experiment="grid")
    assert frame["dataset"].tolist() == ["car", "vote"]
    assert available(frame)["dataset"].tolist() == ["vote"]
    assert found.file("experiment", dataset="vote").name == "grid.vote.parquet"
    assert found.frame("experiment", experiment="other").empty
    with pytest.raises(UserError, match="here: 2 input files for experiment, experiment grid"):
        found.file("experiment", experiment="grid")
    with pytest.raises(UserError, match="here: 0 input files for table; one is needed"):
        found.file("table")


def test_records_keep_their_types(tmp_path):
    path = tmp_path / "x.parquet"
    rows = [{"a": True, "b": 1, "c": 1, "d": "NA"}, {"a": False, "b": 2, "c": 0.5, "d": ""}]
    write_records(path, ["a", "b", "c", "d", "e"], rows)
    first = {"a": True, "b": 1, "c": 1.0, "d": "NA", "e": None}
    assert record_rows(path) == [first, {"a": False, "b": 2, "c": 0.5, "d": None, "e": None}]
    assert list(map(type, record_rows(path)[0].values())) == list(map(type, first.values()))
    with pytest.raises(UserError, match=r"column 'a': .*; yield one type per column"):
        write_records(path, ["a"], [{"a": True}, {"a": "yes"}])
    with pytest.raises(ValueError, match=r"x.parquet: no column is called B or C$"):
        write_records(path, ["a", "b"], [{"a": 1, "b": 2}, {"a": 1, "C": 2, "B": 3}])


def test_every_entry_of_an_artefact_names_its_data_sets_in_its_files(catalog):
    for paper in catalog.papers:
        for artefact in catalog.artefacts(paper):
            entries = artefact_entries(catalog, paper, artefact)
            found = Records(entries, "here")
            for one in entries:
                names = one.get("datasets", [""])
                ids = {key: one[key] for key in ("method", "experiment") if key in one}
                files = found.files(one["role"], **ids)
                assert len(files) == len(names), one
                for name, file in zip(names, files, strict=True):
                    assert not {"{", "}"} & set(str(file))
                    assert name in (*catalog.papers[paper]["datasets"], NO_DATASET, "")
                    assert name in str(file)


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
