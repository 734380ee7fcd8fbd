"""Outputs that were changed after a run: noticed, set aside, made again."""

import os
from pathlib import Path

import own
import pytest

from replication.errors import UserError
from replication.plan.outputs import (
    changed,
    check_folder,
    check_folders,
    forgotten,
    record,
    remember,
    remembered,
    set_aside,
)

ROOTS = {"results": "results/quick", "figures": "results/quick/figures"}
TABLE = "results/quick/figures/dilca/fig05.csv"
VERDICTS = "results/quick/verdicts/dilca/fig05.csv"
TRIALS = "results/quick/trials/dilca/zoo.ward"
OTHERS = ("results/quick/logs/x.txt", "results/quick/figures/notes.png", "README.md")


@pytest.fixture
def run(tmp_path):
    """Outputs of a run that has ended."""
    for name in (TABLE, VERDICTS, f"{TRIALS}/ward.parquet", *OTHERS):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("content\n")
    remember(tmp_path, ROOTS, {})
    return tmp_path


def found(run):
    return changed(run, ROOTS, remembered(record(run, ROOTS)))


def later(path):
    os.utime(path, (4e9, 4e9))


def test_only_outputs_are_remembered(run):
    assert sorted(remembered(record(run, ROOTS))) == [TABLE, f"{TRIALS}/ward.parquet", VERDICTS]
    assert found(run) == []


def test_a_picture_in_the_folder_of_a_rule_is_no_figure_of_a_paper(run):
    pictures = "results/quick/figures/findings"
    for name in ("purity.svg", "rare.svg"):
        path = run / pictures / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("content\n")
    remember(run, ROOTS, {})
    (run / pictures / "purity.svg").write_text("another\n")
    later(run / pictures / "purity.svg")
    assert found(run) == [pictures]


@pytest.mark.parametrize("content", ["", "conTent\n", "more content\n"])
def test_a_changed_output_is_set_aside(run, content):
    (run / VERDICTS).write_text(content)
    later(run / VERDICTS)
    assert found(run) == [VERDICTS]
    folder = set_aside(run, ROOTS, found(run))
    assert not (run / VERDICTS).exists()
    assert (folder / VERDICTS).read_text() == content
    assert found(run) == []


def test_a_file_of_a_folder_takes_the_folder_with_it(run):
    for _ in range(2):
        (run / TRIALS).mkdir(exist_ok=True)
        (run / TRIALS / "ward.parquet").write_text("x")
        assert found(run) == [TRIALS]
        set_aside(run, ROOTS, found(run))
        assert not (run / TRIALS).exists()


def test_the_same_content_at_another_time_is_no_change(run):
    later(run / TABLE)
    (run / OTHERS[1]).write_text("edited")
    assert found(run) == []


def test_files_that_are_as_before_are_not_read_again(run, monkeypatch):
    before = remembered(record(run, ROOTS))
    monkeypatch.setattr("replication.plan.outputs.digest", lambda path: "read")
    (run / TABLE).write_text("another content\n")
    remember(run, ROOTS, before)
    again = remembered(record(run, ROOTS))
    assert [name for name, (*_, sha256) in again.items() if sha256 == "read"] == [TABLE]


def test_a_record_that_is_damaged_or_gone_says_nothing(run):
    record(run, ROOTS).write_text("{")
    assert found(run) == []
    record(run, ROOTS).unlink()
    assert found(run) == []


def test_folders_that_can_be_written_are_fine(run):
    check_folders(run, [*ROOTS.values(), "data/raw"])
    assert not (run / "data").exists()


@pytest.mark.parametrize("place", ["results/quick/verdicts/dilca/fig05.csv", "loop", "loop/more"])
def test_a_place_that_is_no_folder_is_named(run, place):
    (run / "loop").symlink_to("nowhere")
    with pytest.raises(UserError, match="nothing can be written there"):
        check_folder(run / place)


def test_a_folder_that_cannot_be_written_is_named(run, monkeypatch):
    """The user root may write everywhere, so the answer of the system is made up."""
    closed = run / "results/quick/verdicts"
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path) != closed)
    with pytest.raises(UserError, match=rf"{closed}: nothing can be written there \(read-only"):
        check_folders(run, ROOTS.values())


def test_records_that_were_removed_are_made_again_and_those_never_made_are_not(tmp_path):
    for name in ("had", "forgotten"):
        (tmp_path / name).mkdir()
    (tmp_path / "had/source.json").touch()
    records = [f"{name}/source.json" for name in ("had", "forgotten", "never")]
    assert forgotten(tmp_path, records) == ["forgotten/source.json"]


@pytest.mark.parametrize(
    ("name", "folder"),
    [("a.csv", "a"), ("a.b.csv.gz", "a.b"), ("..csv", "..csv"), ("...csv", "...csv")],
)
def test_the_folder_of_a_table_lies_in_that_of_all(tmp_path, name, folder):
    found = own.folder_of(tmp_path / name, tmp_path / "own")
    assert found == tmp_path / "own" / folder
    assert own.folder_of(tmp_path / name, tmp_path / "own") == found
    assert own.folder_of(tmp_path / "other" / name, tmp_path / "own") != found
