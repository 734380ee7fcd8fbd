"""Label vectors of others next to the study's methods, and the recommended method."""

import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from kit import ROOT, refused_calls

from couplings import CategoricalTable, CouplingsError, LatentClasses, cooccurrence, recommend
from couplings.recommendation import Recommendation
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
    assert "c.facts: there is no such file; `python tools/score.py` makes it" in said


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        ({"dataset": ["a"]}, "column 'labels' is missing; write dataset and labels"),
        ({"dataset": ["a"], "labels": [1]}, "'labels' holds no lists"),
        ({"dataset": ["d"], "labels": [[0]]}, "row 1: unknown data set 'd'; known: a, b, c"),
        ({"dataset": ["a"], "labels": [[0, 1, 1]]}, "row 1 (a): must have one label for each of"),
        ({"dataset": ["a"], "labels": [[0, 1, None, 1]]}, "has 4 or leaves some empty"),
        ({"dataset": ["a"], "labels": [[0, 1, float("nan"), 1]]}, "has 4 or leaves some empty"),
        ({"dataset": ["a"], "labels": [[[0], [0], [1], [1]]]}, "'labels' holds no lists"),
        ({"dataset": ["a"], "labels": [[{"x": 0}] * 4]}, "'labels' holds no lists"),
        ({"dataset": ["b"], "labels": [[0]]}, "b: no connection"),
    ],
)
def test_what_is_wrong_with_a_file_is_said_once(file, catalog, frame, message):
    with pytest.raises(UserError) as error:
        score_labels.scores_of(file(frame), catalog)
    assert message in str(error.value)


def damaged(start):
    return lambda whole: whole[:start] + b"\xff" * 12 + whole[start:][12:]


@pytest.mark.parametrize("change", [damaged(4), damaged(-24), lambda whole: b"a,b"])
def test_a_damaged_file_is_named(file, catalog, change):
    path = file({"dataset": ["a"], "labels": [CLASSES]})
    path.write_bytes(change(path.read_bytes()))
    with pytest.raises(UserError, match=r"mine\.parquet: is no Parquet file"):
        score_labels.scores_of(path, catalog)


test_no_file_is_refused = refused_calls(
    UserError,
    [
        (score_labels.scores_of, Path("none.parquet"), None, "there is no such file"),
        (score_labels.run, [], "no file of label vectors; name one"),
    ],
)


NOT_TEXT = pa.Array.from_buffers(
    pa.string(), 1, [None, pa.py_buffer(np.array([0, 3], "int32")), pa.py_buffer(b"z\xffo")]
)


@pytest.mark.parametrize(
    ("dataset", "labels", "message"),
    [
        (["a"], pa.array([None], pa.list_(pa.int64())), r"row 1 \(a\): must have one label"),
        (["a"], pa.array([[]], pa.list_(pa.int64())), r"row 1 \(a\): must have one label"),
        (NOT_TEXT, pa.array([[0, 0, 1, 1]]), "is no Parquet file .*UTF8"),
        ([], pa.array([], pa.list_(pa.int64())), "has no rows"),
        (["a"], pa.array([["x", "", "y", "y"]]), r"row 1 \(a\): .* leaves some empty"),
    ],
    ids=["null", "empty", "utf-8", "rows", "text"],
)
def test_vectors_that_are_none_are_named(tmp_path, catalog, dataset, labels, message):
    path = tmp_path / "mine.parquet"
    pq.write_table(pa.table({"dataset": pa.array(dataset, pa.string()), "labels": labels}), path)
    with pytest.raises(UserError, match=message):
        score_labels.scores_of(path, catalog)


def test_columns_that_are_not_read_are_said(file, catalog, capsys):
    """Two methods in one file would be averaged."""
    path = file({"dataset": ["a", "a"], "labels": [CLASSES] * 2, "method": ["x", "y"]})
    assert score_labels.scores_of(path, catalog).loc["a", "clusterings"] == 2
    assert "method: not read; all rows of a data set are taken for one" in capsys.readouterr().err


@pytest.mark.parametrize("kind", [pa.large_list(pa.int8()), pa.list_(pa.int8(), 4)])
def test_lists_of_other_writers_are_read(tmp_path, catalog, kind):
    path = tmp_path / "mine.parquet"
    columns = {"dataset": ["a"], "labels": pa.array([CLASSES], kind)}
    pq.write_table(pa.table(columns), path)
    assert score_labels.scores_of(path, catalog).loc["a", "ari"] == 1.0


SMALL = pd.DataFrame({"a": ["x", "y", "x", "z"] * 9, "b": ["p", "q", "p", "p"] * 9})
LARGE = pd.DataFrame({"a": ["x", "y"] * 5000, "b": ["p", "q"] * 5000})
ANSWER = json.loads((ROOT / "src/couplings/data/answer.json").read_text("utf-8"))


@pytest.mark.parametrize(("table", "size"), [(SMALL, "small"), (LARGE, "large")])
def test_it_is_the_packaged_answer_for_the_size(table, size):
    found = recommend(table)
    assert {key: getattr(found, key) for key in ANSWER[size]} == ANSWER[size]


def test_tables_frames_rows_and_counts_get_the_same():
    table = CategoricalTable.from_any(LARGE)
    rows = LARGE.to_numpy().tolist()
    assert recommend(LARGE) == recommend(table) == recommend(cooccurrence(table)) == recommend(rows)


@pytest.mark.parametrize("wrong", [None, "text", {"a": ["x"]}, np.zeros((2, 2, 2)), SMALL[:0]])
def test_what_is_no_table_is_refused(wrong):
    with pytest.raises(CouplingsError):
        recommend(wrong)


def test_it_says_the_gain_and_how_sure_that_is():
    said = str(recommend(SMALL))
    gain, base = ANSWER["small"]["gain"], ANSWER["small"]["base_rate"]
    assert said.startswith("Try LatentClasses(n_init=10, pseudo_count=0.1) first. It is better")
    assert f"on {gain['better']} and worse on {gain['worse']} of 42 data sets, by" in said
    assert f"interval {gain['low']:.2f} to {gain['high']:.2f}; p " in said
    assert f"drawn at random is better than k-modes on {base:.0%} of them" in said
    assert "One start took" in said
    assert said.endswith(f"As of {ANSWER['date']}.")
    assert repr(recommend(SMALL)) == "<Recommendation: LatentClasses(n_init=10, pseudo_count=0.1)>"


def test_the_default_has_no_gain():
    best = ANSWER["small"]["first"] | {"recommended": True}
    parameters = {"measure": "simple_matching"}
    changed = {"estimator": "KModes", "parameters": parameters, "gain": None, "first": best}
    more = {"limits": "", "date": "", "seconds": None}
    found = Recommendation(**ANSWER["small"] | changed | more)
    assert str(found).startswith("Try KModes(measure='simple_matching') first. Of 127 other")
    assert len(np.unique(found.start(2, random_state=0).fit_predict(SMALL))) == 2


def test_the_recommended_method_starts():
    made = recommend(SMALL).start(2, random_state=0)
    assert type(made) is LatentClasses
    assert (made.n_clusters, made.n_init) == (2, 10)
    assert len(np.unique(made.fit_predict(SMALL))) == 2
