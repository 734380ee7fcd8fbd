import pytest
from kit import PAPERS, PUBLISHED, configuration

from replication.errors import UserError
from replication.files import read_rows, write_rows
from replication.judge.published import COLUMNS, load, numbers


def cell(**changes):
    row = dict.fromkeys(COLUMNS, "")
    row |= {"id": "toy-fig01-a-x", "paper": "toy", "artefact": "fig01"}
    row |= {"dataset_id": "a", "metric": "x", "value": "0.5", "printed": "50%"}
    return row | changes


def write(folder, *rows, columns=COLUMNS):
    write_rows(folder / "toy_fig01.csv", columns, rows)
    return folder


@pytest.mark.parametrize("paper", [*PAPERS, "disc"])
def test_every_note_is_about_a_printed_cell(paper):
    cells = numbers(load(paper, PUBLISHED)).rename(columns={"dataset": "", "method": ""})
    cells = cells.rename(columns={"dataset_id": "dataset", "method_id": "method"})
    for note in configuration(paper)["notes"]:
        keys = [key for key in ("artefact", "dataset", "method", "metric") if key in note]
        assert any((cells[keys] == [note[key] for key in keys]).all(axis=1)), note


def test_ids_are_unique_over_papers_and_other_tables():
    names = [name for paper in PAPERS for name in load(paper, PUBLISHED)["id"]]
    for file in ("claims.csv", "artefacts.csv", "derived_dilca_contingency.csv"):
        names += [row["id"] for row in read_rows(PUBLISHED / file)]
    assert len(names) == len(set(names))


def test_reconstructions_labels_and_settings_are_not_judged(tmp_path):
    rows = [
        cell(),
        cell(id="toy-fig01-b-x", printed="", value="Crime"),
        cell(id="toy-fig01-c-x", printed="NA", value=""),
        cell(id="toy-fig01-d-x", printed="Real", value="Real"),
        cell(id="toy-settings-e-x", artefact="settings"),
    ]
    assert list(numbers(load("toy", write(tmp_path, *rows)))["id"]) == ["toy-fig01-a-x"]


@pytest.mark.parametrize(
    ("rows", "columns", "message"),
    [
        *(
            ([cell(**changes)], COLUMNS, message)
            for changes, message in (
                ({"value": "0.51"}, "value 0.51, printed 50%"),
                ({"value": "many"}, "value many, printed 50%"),
                ({"printed": "Real"}, "value 0.5, printed Real"),
                ({"id": "toy-fig02-a-x"}, "does not belong"),
                ({"paper": "other"}, "does not belong"),
            )
        ),
        ([cell(), cell()], COLUMNS, "occurs twice"),
        ([cell()], COLUMNS[:-1], "columns are"),
    ],
)
def test_a_wrong_row_or_file_is_named(tmp_path, rows, columns, message):
    with pytest.raises(UserError, match=message):
        load("toy", write(tmp_path, *rows, columns=columns))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "No columns"),
        ("id,paper\n".encode("utf-16"), "utf-8"),
        (b"id,paper\n\xff,x\n", "utf-8"),
        (b'id,paper\n"a,x\n', "inside string"),
        (None, "Is a directory"),
    ],
    ids=["empty", "utf-16", "latin-1", "quote", "folder"],
)
def test_a_file_that_is_no_table_is_named(tmp_path, content, words):
    path = tmp_path / "toy_table01.csv"
    if content is None:
        path.mkdir()
    else:
        path.write_bytes(content)
    with pytest.raises(UserError, match=rf"toy_table01\.csv: no readable table .*{words}"):
        load("toy", tmp_path)


def test_a_wrong_folder_is_named(tmp_path):
    with pytest.raises(UserError, match="no file toy_"):
        load("toy", tmp_path)
