"""Label vectors that were made elsewhere, scored next to the methods of the study."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from couplings.table import CategoricalTable
from replication.data.store import Tables, write_archive
from replication.errors import UserError
from replication.files import write_json, write_rows
from replication.papers.study import score_labels
from replication.papers.study.data import PREPARATION

CLASSES = [0, 0, 1, 1]
ROWS = [("r", "1"), ("r", "2.5"), ("g", "3"), ("b", "?")]


@pytest.fixture
def catalog(tmp_path):
    """One data set of four rows, and a table of the study with two methods."""
    facts = {"status": "ok", "reason": ""}
    table = CategoricalTable.from_pandas(pd.DataFrame(ROWS, columns=["colour", "size"]))
    tables = Tables(facts, [table], [np.array(CLASSES)])
    write_archive(tmp_path / "a.tables", {PREPARATION: tables})
    write_json(tmp_path / "a.facts", {**facts, "numeric": ["size"]})
    write_json(tmp_path / "b.facts", {"status": "unavailable", "reason": "no connection"})
    (tmp_path / "b.tables").touch()
    cells = [
        {"dataset": "a", "label": label, "algorithm": algorithm, "ari": ari}
        for label, algorithm, ari in (
            ("SMD", "kmodes", 0.5),
            ("LIMBO", "limbo", None),
            ("CDE", "kmeans", -0.25),
            ("one cluster", "base rate", 0.0),
        )
    ]
    write_rows(tmp_path / "leaderboard.table", list(cells[0]), cells)
    parameters = {"missing": "value", "bins": 10}
    return SimpleNamespace(
        papers={"study": {"experiments": {"profiles": {"parameters": parameters}}}},
        computed=lambda paper: ["a", "b", "c"],
        file=lambda name, dataset="", artefact="", **_: (
            tmp_path / f"{dataset or artefact}.{name}"
        ).as_posix(),
    )


@pytest.fixture
def file(tmp_path):
    """Write a file of label vectors and return its path."""

    def write(frame):
        path = tmp_path / "mine.parquet"
        pd.DataFrame(frame).to_parquet(path)
        return path

    return write


def test_runs_of_a_data_set_count_by_their_mean(file, catalog):
    path = file({"dataset": ["a", "a"], "labels": [[5, 5, -1, -1], [0, 0, 0, 0]]})
    scores = score_labels.scores_of(path, catalog)
    assert scores.loc["a", "clusterings"] == 2
    assert scores.loc["a", "ari"] == 0.5
    assert scores.loc["a", "purity"] == 0.75


def test_ours_has_a_place_among_the_methods_that_have_its_data_sets(file, catalog):
    path = file({"dataset": ["a"], "labels": [["x", "x", "y", "y"]]})
    places = score_labels.among_methods(
        score_labels.scores_of(path, catalog)["ari"], "mine", catalog
    )
    assert list(places["label"]) == ["mine", "SMD", "CDE"]
    assert list(places["rank"]) == [1.0, 2.0, 3.0]


def test_tables_to_cluster_elsewhere_have_the_values_that_measures_see(tmp_path, catalog, capsys):
    score_labels.write_tables(tmp_path / "out", catalog)
    frame = pd.read_parquet(tmp_path / "out" / "a.parquet")
    assert frame.to_dict("list") == {"colour": ["r", "r", "g", "b"], "size": ["0", "7", "9", "?"]}
    said = capsys.readouterr().out
    assert "a.parquet: 4 rows, 2 clusters" in said
    assert "b: no connection" in said
    assert "c.facts: there is no such file; `make score` makes it" in said


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        ({"dataset": ["a"]}, "column 'labels' is missing; write dataset and labels"),
        ({"dataset": ["a"], "labels": [1]}, "'labels' holds no lists"),
        ({"dataset": ["d"], "labels": [[0]]}, "row 1: unknown data set 'd'; known: a, b, c"),
        ({"dataset": ["a"], "labels": [[0, 1, 1]]}, "row 1 (a): must have one label for each of"),
        ({"dataset": ["a"], "labels": [[0, 1, None, 1]]}, "has 4 or leaves some empty"),
        ({"dataset": ["b"], "labels": [[0]]}, "b: no connection"),
    ],
)
def test_what_is_wrong_with_a_file_is_said_once(file, catalog, frame, message):
    with pytest.raises(UserError) as error:
        score_labels.scores_of(file(frame), catalog)
    assert message in str(error.value)


def test_a_file_that_is_missing_or_no_parquet(tmp_path, catalog):
    with pytest.raises(UserError, match="there is no such file"):
        score_labels.scores_of(tmp_path / "none.parquet", catalog)
    (tmp_path / "mine.parquet").write_text("a,b")
    with pytest.raises(UserError, match="is no Parquet file"):
        score_labels.scores_of(tmp_path / "mine.parquet", catalog)
