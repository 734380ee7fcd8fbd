import pytest
from kit import PAPERS, PUBLISHED, configuration

from replication.errors import UserError
from replication.files import read_rows, write_rows
from replication.judge.published import COLUMNS, LIST, LIST_COLUMNS, load, numbers


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
                ({"id": "toy-fig01-a-x "}, "id begins or ends with a blank"),
                ({"std": "small"}, "std small is not a finite number"),
                ({"std": "inf"}, "std inf is not a finite number"),
                ({"value": "inf", "printed": ""}, "value inf is not finite"),
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


def listed(folder, *rows):
    write_rows(
        folder / LIST, LIST_COLUMNS, [dict(zip(LIST_COLUMNS, row, strict=True)) for row in rows]
    )
    return folder


def test_every_file_of_printed_numbers_is_listed_with_its_rows():
    rows = {row["file"]: int(row["rows"]) for row in read_rows(PUBLISHED / LIST, LIST_COLUMNS)}
    files = [path for paper in PAPERS for path in PUBLISHED.glob(f"{paper}_*.csv")]
    assert rows == {path.name: len(read_rows(path)) for path in files}


@pytest.mark.parametrize(
    ("list_of_files", "message"),
    [
        ([("toy_fig01.csv", "2")], r"toy_fig01\.csv: has 1 rows, .*files\.csv says 2; restore"),
        ([("toy_fig01.csv", "many")], "says many"),
        ([("toy_fig01.csv", "1"), ("toy_text.csv", "3")], r"toy_text\.csv: is not there"),
        ([("toy_fig01.csv", "1")] * 2, r"files\.csv: lists toy_fig01\.csv twice"),
        ([("other_fig01.csv", "1")], r"files\.csv: does not list toy_fig01\.csv; add the line"),
    ],
)
def test_a_file_without_its_rows_or_its_line_is_named(tmp_path, list_of_files, message):
    with pytest.raises(UserError, match=message):
        load("toy", listed(write(tmp_path, cell()), *list_of_files))


def test_a_file_with_a_header_alone_is_named(tmp_path):
    with pytest.raises(UserError, match=r"toy_fig01\.csv: has no rows"):
        load("toy", write(tmp_path))
