"""Methods of others: what is refused and how it is said, what is run and scored, and how."""

import textwrap
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from kit import ROOT, configuration, experiment_of, prepared_inputs

from couplings import CategoricalTable
from couplings.metrics import external
from replication.data.store import Tables, write_tables
from replication.errors import UserError
from replication.files import read_rows
from replication.papers.study import handed_files, handed_out
from replication.papers.study.cells import ALGORITHMS
from replication.papers.study.data import prepared
from replication.papers.study.handed_files import load_method, read_vectors
from replication.papers.study.handed_in import NOT_HANDED_IN, handed_cost, handed_in
from replication.papers.study.handed_out import fingerprint, in_file_order
from replication.plan.catalog import Catalog
from replication.plan.configuration import ConfigError, read_yaml
from replication.plan.handed_in import FOLDER, TEMPLATE, per_file

PROTOCOL = {
    **{"missing": "value", "bins": 3, "limit": 9000, "orders": 3, "theta": 0.5, "pairs": 6},
    "algorithms": list(ALGORITHMS),
    "restarts": 4,
    "fits": 2,
}
CLASSES = np.repeat([0, 1, 2], [10, 14, 16])


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    """A coded data set of forty objects, three classes, some noise; sorted by class."""
    place = tmp_path_factory.mktemp("handed") / "toy"
    rng = np.random.default_rng(8)
    codes = np.where(rng.random((40, 5)) < 0.8, CLASSES[:, None], 3)
    frame = pd.DataFrame(codes.astype(str), columns=list("abcde"))
    frame["class_label"] = CLASSES.astype(str)
    inputs = prepared_inputs(place, frame, numeric=[])
    domains = [sorted(set(frame[name])) for name in "abcde"]
    cells = [
        [domain.index(x) for x in frame[n]] for n, domain in zip("abcde", domains, strict=True)
    ]
    table = CategoricalTable.from_codes(
        np.column_stack(cells), categories=domains, attributes=list("abcde")
    )
    file = place.with_name("toy.npz")
    write_tables(file, Tables({"status": "ok", "reason": ""}, [table], [CLASSES]))
    return [*inputs, {"role": "tables", "preparation": "values", "file": str(file)}]


def experiment(house, file, place, trials=4):
    return experiment_of(
        place / f"{file.name}.partial",
        "study",
        f"handed_in_{file.stem}",
        dataset="toy",
        parameters={**PROTOCOL, "file": str(file)},
        trials=trials,
        seed=3,
        inputs=house,
    )


@pytest.fixture(scope="module")
def made(house, tmp_path_factory):
    """The data set as the study prepares it."""
    return prepared(experiment(house, Path("none.py"), tmp_path_factory.mktemp("made")))


def mark(made):
    return fingerprint(in_file_order(made))


# --- label vectors -------------------------------------------------------------------------------

GOOD = {"dataset": ["toy"], "fingerprint": ["MARK"], "labels": [CLASSES.tolist()]}


def with_labels(change):
    labels = CLASSES.tolist()
    return {**GOOD, "labels": [change(labels)]}


def replaced(at, value):
    return with_labels(lambda labels: [*labels[:at], value, *labels[at + 1 :]])


BROKEN = [
    # name, columns, what the message must say
    ("unknown", {**GOOD, "dataset": ["toyy"]}, ["row 1", "'toyy'", "did you mean 'toy'"]),
    ("short", with_labels(lambda labels: labels[:-1]), ["row 1 (toy)", "39 labels", "40 rows"]),
    ("long", with_labels(lambda labels: [*labels, 0]), ["row 1 (toy)", "41 labels", "40 rows"]),
    ("gap", replaced(7, None), ["row 1 (toy)", "label 8 is missing", "one of their own"]),
    ("noise", replaced(2, -1), ["row 1 (toy)", "label 3 is -1", "noise"]),
    (
        "floats",
        with_labels(lambda labels: [one + 0.5 for one in labels]),
        ["double", "astype(int)"],
    ),
    ("words", with_labels(lambda labels: [f"c{one}" for one in labels]), ["string", "number"]),
    ("flags", with_labels(lambda labels: [one > 0 for one in labels]), ["bool", "whole numbers"]),
    ("flat", {**GOOD, "labels": [3]}, ["'labels' holds int64", "one row per clustering"]),
    ("other", {**GOOD, "fingerprint": ["0" * 16]}, ["row 1 (toy)", "other rows", "tables.csv"]),
    ("typo", {**GOOD, "label": [[0]]}, ["unknown column 'label'", "did you mean 'labels'"]),
    ("index", {**GOOD, "__index_level_0__": [4]}, ["unknown column", "index=False"]),
    ("marks", {k: v for k, v in GOOD.items() if k != "fingerprint"}, ["'fingerprint' is missing"]),
    ("codes", {**GOOD, "dataset": [7]}, ["'dataset' holds int64", "must hold texts"]),
    ("empty", {key: values[:0] for key, values in GOOD.items()}, ["no rows"]),
    (
        "hole",
        {**GOOD, "dataset": ["toy", None]}
        | {key: GOOD[key] * 2 for key in ("fingerprint", "labels")},
        ["row 2", "'dataset' is empty"],
    ),
    (
        "none",
        {**GOOD, "labels": [None, CLASSES.tolist()]}
        | {key: GOOD[key] * 2 for key in ("dataset", "fingerprint")},
        ["row 1", "'labels' is empty"],
    ),
]
TYPES = {"dataset": pa.string(), "fingerprint": pa.string(), "labels": pa.list_(pa.int64())}


def written(path, columns, made):
    columns = {
        key: [mark(made) if one == "MARK" else one for one in values]
        for key, values in columns.items()
    }
    arrays = {
        key: pa.array(values, TYPES.get(key) if not values else None)
        for key, values in columns.items()
    }
    pq.write_table(pa.table(arrays), path)
    return path


def scored(vectors, made):
    """What the workflow does with a file: the page checks the names, a job takes its own rows."""
    vectors.check(["toy"])
    return vectors.of("toy", made.table.n_objects, mark(made))


@pytest.mark.parametrize(("name", "columns", "words"), BROKEN, ids=[one[0] for one in BROKEN])
def test_a_broken_file_of_labels_is_refused_in_one_line(tmp_path, made, name, columns, words):
    path = written(tmp_path / f"{name}.parquet", columns, made)
    with pytest.raises(UserError) as caught:
        scored(read_vectors(path), made)
    message = str(caught.value)
    assert str(path) in message
    assert "\n" not in message
    assert [word for word in words if word not in message] == []


def test_what_is_no_parquet_is_refused(tmp_path):
    path = tmp_path / "mine.parquet"
    path.write_bytes(b"dataset,labels\ntoy,0\n")
    with pytest.raises(UserError, match=r"mine.parquet: cannot be read .*to_parquet"):
        read_vectors(path)


def test_a_file_with_too_many_labels_is_refused_before_it_is_read(tmp_path, made, monkeypatch):
    monkeypatch.setattr(handed_files, "MOST", 41)
    with pytest.raises(UserError, match="has 42 cells, at most 41"):
        read_vectors(written(tmp_path / "many.parquet", GOOD, made))


@pytest.mark.parametrize("kind", [pa.large_list(pa.uint8()), pa.list_(pa.int16(), 40)])
def test_lists_of_any_whole_numbers_will_do(tmp_path, made, kind):
    path = tmp_path / "lists.parquet"
    arrays = {"dataset": ["toy"], "fingerprint": [mark(made)]}
    pq.write_table(pa.table({**arrays, "labels": pa.array([CLASSES.tolist()], kind)}), path)
    np.testing.assert_array_equal(scored(read_vectors(path), made), [CLASSES])


def test_labels_are_scored_in_the_order_of_the_file(house, made, tmp_path):
    assert made.rows.tolist() != sorted(made.rows.tolist())
    rotated = np.roll(CLASSES, 3)
    columns = {"dataset": ["toy"] * 2, "fingerprint": ["MARK"] * 2}
    columns["labels"] = [CLASSES.tolist(), (rotated + 5).tolist()]
    path = written(tmp_path / "mine.parquet", columns, made)
    (record,) = handed_in(experiment(house, path, tmp_path))
    known = external.adjusted_rand(external.contingency(CLASSES, rotated))
    assert record["ari"] == pytest.approx((1 + known) / 2)
    assert (record["measure"], record["algorithm"]) == ("mine", "mine")
    assert (record["trials"], record["handed"]) == (2, "labels")


def test_a_data_set_that_a_file_lacks_is_left_out(house, made, tmp_path):
    path = written(tmp_path / "mine.parquet", {**GOOD, "dataset": ["zoo"]}, made)
    (record,) = handed_in(experiment(house, path, tmp_path))
    assert (record["outcome"], record["rule"]) == ("left out", NOT_HANDED_IN)


# --- methods -------------------------------------------------------------------------------------

FIRST = """
class First:
    def __init__(self, n_clusters=2):
        self.n_clusters = n_clusters

    def fit(self, table):
        self.labels_ = table.codes[:, 0] % self.n_clusters
        return self
"""
REFUSED = [
    # name, source, what the message must say
    ("syntax", "x = 1\ndef f(:\n", [", line 2", "SyntaxError", "mend the file"]),
    ("absent", "\nimport no_such_module_anywhere\n", [", line 2", "install what it needs"]),
    ("leaves", "import sys\nsys.exit(3)\n", [", line 2", "SystemExit"]),
    ("nothing", "x = 1\n", ["one public class with a method `fit`, has: none"]),
    ("two", f"{FIRST}\nclass Second(First):\n    pass\n", ["First, Second", "with _"]),
    ("wants", FIRST.replace("n_clusters=2", "n_clusters, sigma"), ["'sigma'", "default"]),
    ("number", "class A:\n    def fit(self, table): ...\n", ["class A", "no `n_clusters`"]),
    ("pairs", FIRST.replace("table)", "table, matrices)"), ["'matrices'", "`fit(table)`"]),
]


@pytest.mark.parametrize(("name", "source", "words"), REFUSED, ids=[one[0] for one in REFUSED])
def test_a_method_that_cannot_be_run_is_refused_in_words(tmp_path, name, source, words):
    path = tmp_path / f"{name}.py"
    path.write_text(source, encoding="utf-8")
    with pytest.raises(UserError) as caught:
        load_method(path)
    assert str(path) in str(caught.value)
    assert [word for word in words if word not in str(caught.value)] == []


def run_method(house, tmp_path, source, name="mine"):
    path = tmp_path / f"{name}.py"
    path.write_text(textwrap.dedent(source), encoding="utf-8")
    made = experiment(house, path, tmp_path)
    return list(handed_in(made)), made


def test_a_clustering_runs_over_the_row_orders(house, made, tmp_path):
    (record,), done = run_method(house, tmp_path, FIRST)
    assert (record["label"], record["handed"], record["outcome"]) == ("First", "clustering", "ok")
    assert record["trials"] == PROTOCOL["orders"]
    labels = [one for _, one in done.runner.kept]
    expected = in_file_order(made).codes[:, 0] % 3
    for one in labels:  # the same partition, whatever the order it was made in
        assert external.adjusted_rand(external.contingency(expected, one)) == 1.0


def test_a_random_clustering_begins_as_often_as_the_study_does(house, tmp_path):
    source = """
        import numpy as np

        class Chance:
            def __init__(self, n_clusters=2, random_state=None):
                self.n_clusters, self.random_state = n_clusters, random_state

            def fit(self, table):
                rng = np.random.default_rng(self.random_state)
                self.labels_ = rng.integers(self.n_clusters, size=table.n_objects)
    """
    (record,), done = run_method(house, tmp_path, source)
    assert record["trials"] == 4
    labels = [tuple(one) for _, one in done.runner.kept]
    assert len(set(labels)) == 4
    (again,), other = run_method(house, tmp_path / "..", source)
    assert [tuple(one) for _, one in other.runner.kept] == labels
    assert again == record


def test_a_measure_goes_through_all_algorithms(house, tmp_path):
    page = (ROOT / "docs/extending.md").read_text(encoding="utf-8")
    source = page.split("# src/couplings/measures/hellinger.py\n")[1].split("```")[0]
    records, _ = run_method(house, tmp_path, source, "hellinger")
    found = {one["algorithm"]: one for one in records}
    assert list(found) == list(ALGORITHMS)
    assert {one["label"] for one in records} == {"Hellinger"}
    assert all(found[name]["outcome"] == "ok" for name in ("kmodes", "spectral", "ward", "average"))
    assert (found["rock"]["rule"], found["kmeans"]["rule"]) == ("no links", "no vectors")
    assert found["ward"]["ari"] > 0.3


@pytest.mark.parametrize(
    ("line", "detail"),
    [
        ("raise RuntimeError('no luck')", "RuntimeError: no luck"),
        ("self.labels_ = table.codes[:, 0] / 2", "TypeError: labels_ are float64"),
        ("self.labels_ = table.codes[:3, 0]", "ValueError: labels_ have shape (3,), must be (40,)"),
        ("pass", "AttributeError"),
    ],
)
def test_what_fails_leaves_its_cell_out(house, tmp_path, capsys, line, detail):
    source = FIRST.replace("self.labels_ = table.codes[:, 0] % self.n_clusters", line)
    (record,), _ = run_method(house, tmp_path, source)
    assert (record["outcome"], record["rule"]) == ("left out", "failed")
    assert record["detail"].startswith(detail)
    assert "Traceback" in capsys.readouterr().err


def test_a_measure_that_fails_leaves_all_its_cells_out(house, tmp_path):
    source = """
        from couplings.measures.base import ValueMeasure

        class Broken(ValueMeasure):
            def _values(self, counts):
                raise ZeroDivisionError("by design")
    """
    records, _ = run_method(house, tmp_path, source)
    assert [one["detail"] for one in records] == ["ZeroDivisionError: by design"] * len(ALGORITHMS)


def cost_of(house, tmp_path, source, name="mine"):
    path = tmp_path / f"{name}.py"
    path.write_text(textwrap.dedent(source), encoding="utf-8")
    (record,) = handed_cost(experiment(house, path, tmp_path))
    return record


def test_code_is_timed_as_the_studys_own_is(house, tmp_path):
    record = cost_of(house, tmp_path, FIRST)
    assert (record["measure"], record["kind"], record["outcome"]) == ("mine", "cost", "ok")
    assert 0 < record["fit_seconds"] <= record["fit_slowest"]
    assert 0 < record["before_mib"] <= record["peak_mib"]
    page = (ROOT / "docs/extending.md").read_text(encoding="utf-8")
    source = page.split("# src/couplings/measures/hellinger.py\n")[1].split("```")[0]
    assert cost_of(house, tmp_path, source, "hellinger")["outcome"] == "ok"


def test_code_that_fails_and_labels_have_no_cost(house, made, tmp_path):
    broken = FIRST.replace("self.labels_ = table", "self.label_ = table")
    record = cost_of(house, tmp_path, broken)
    assert (record["outcome"], record["rule"]) == ("left out", "failed")
    assert "AttributeError" in record["detail"]
    file = written(tmp_path / "given.parquet", GOOD, made)
    (record,) = handed_cost(experiment(house, file, tmp_path))
    assert (record["outcome"], record["rule"]) == ("left out", "not known")


def test_a_method_cannot_change_the_table(house, tmp_path):
    source = FIRST.replace("return self", "table.codes[:] = 0").replace(
        "n_clusters=2", "n_clusters=2, random_state=None"
    )
    (record,), done = run_method(house, tmp_path, source)
    labels = [tuple(one) for _, one in done.runner.kept]
    assert (record["trials"], len(set(labels)), record["clusters"]) == (4, 1, 3)


# --- tables that are handed out ------------------------------------------------------------------


def test_a_fingerprint_is_of_rows_values_and_names(made):
    table = in_file_order(made)
    known = fingerprint(table)
    order = np.r_[1, 0, 2 : table.n_objects]
    assert not (table.codes[0] == table.codes[1]).all()
    assert fingerprint(table.take(order)) != known
    wider = [(*domain, "never") for domain in table.categories]
    same = CategoricalTable.from_codes(table.codes, categories=wider, attributes=table.attributes)
    assert fingerprint(same) == known
    named = CategoricalTable.from_codes(
        table.codes, categories=table.categories, attributes=list("ABCDE")
    )
    assert fingerprint(named) != known


def test_labels_of_a_table_that_was_handed_out_come_back(house, made, tmp_path):
    files = {one["role"]: one["file"] for one in house}
    record = {"dataset": "toy", "facts": files["facts"], "tables": files["tables"]}
    spec = {"inputs": [record], "names": {"toy": "Toy"}, "missing": "value", "bins": 3}
    row = handed_out._handed_out(spec, record, tmp_path)
    assert (row["objects"], row["clusters"], row["fingerprint"]) == (40, 3, mark(made))
    table = pd.read_parquet(tmp_path / row["file"])
    assert list(table) == list("abcde")
    labels = table["a"].astype(int).tolist()
    columns = {"dataset": ["toy"], "fingerprint": [row["fingerprint"]], "labels": [labels]}
    (found,) = handed_in(
        experiment(house, written(tmp_path / "a.parquet", columns, made), tmp_path)
    )
    known = external.adjusted_rand(external.contingency(CLASSES, np.array(labels)))
    assert found["ari"] == pytest.approx(known)


# --- the plan ------------------------------------------------------------------------------------


@pytest.fixture
def root(tmp_path):
    """The repository with a folder of its own for what is handed in."""
    for name in ("config", "workflow", "src"):
        (tmp_path / name).symlink_to(ROOT / name)
    (tmp_path / "data").mkdir()
    for path in (ROOT / "data").iterdir():
        if path.name != "user":
            (tmp_path / "data" / path.name).symlink_to(path)
    (tmp_path / FOLDER).mkdir(parents=True)
    return tmp_path


def test_each_file_is_an_experiment_and_no_part_of_the_record(root):
    config = read_yaml(ROOT / "config/config.yaml", "config/config.yaml")
    before = Catalog.load(config, root)
    (root / FOLDER / "mine.py").write_text(FIRST, encoding="utf-8")
    (root / FOLDER / "README.md").write_text("words", encoding="utf-8")
    after = Catalog.load(config, root)
    new = {*after.papers["study"]["experiments"]} - {*before.papers["study"]["experiments"]}
    assert new == {"handed_in_mine", "handed_cost_mine"}
    assert after.spec("receipt", paper="study") == before.spec("receipt", paper="study")
    assert after.targets("study") == before.targets("study")
    inputs = after.inputs("leaderboard")
    assert inputs["handed_in"] == [f"{FOLDER}/mine.py"]
    assert len(inputs["records"]) == len(after.computed("study")) + 2
    costs = [one for one in inputs["records"] if "/handed_cost_mine." in one]
    assert sorted(one.rpartition("/")[2].split(".")[1] for one in costs) == [
        "letter_recognition",
        "mushroom",
    ]
    job = {"paper": "study", "experiment": "handed_in_mine", "dataset": "zoo"}
    first = after.spec("clustering", **job)
    (root / FOLDER / "mine.py").write_text(f"{FIRST}\n# other\n", encoding="utf-8")
    assert after.spec("clustering", **job) != first


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (["my method.py"], "rename it: lower-case letters"),
        (["$(rm -r x).parquet"], "rename it"),
        (["Mine.py"], "rename it"),
        (["mine.py", "mine.parquet"], "another file has the name 'mine'"),
    ],
)
def test_a_name_that_is_no_id_is_refused(root, names, words):
    for name in names:
        (root / FOLDER / name).write_text("", encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        per_file("handed_in", {"folder": FOLDER}, root)
    assert words in str(caught.value)


def test_the_folder_is_the_one_of_the_configuration():
    assert configuration("study")["experiments"][TEMPLATE]["folder"] == FOLDER


def test_the_command_checks_a_file_and_puts_it_into_the_folder(root, made, monkeypatch, capsys):
    monkeypatch.chdir(root)
    (root / "mine.py").write_text(FIRST, encoding="utf-8")
    written(root / "bad.parquet", {**GOOD, "dataset": ["zoo1"]}, made)
    from replication.__main__ import main

    assert main(["hand_in", "mine.py"]) == 0
    assert (root / FOLDER / "mine.py").read_text(encoding="utf-8") == FIRST
    assert "First, a clustering" in capsys.readouterr().out
    assert main(["hand_in", "bad.parquet"]) == 2
    assert not (root / FOLDER / "bad.parquet").exists()
    assert "unknown data set 'zoo1'; did you mean 'zoo'" in capsys.readouterr().err
    for name, words in (("no.py", "no such file"), ("a.txt", "must end in")):
        assert main(["hand_in", name]) == 2
        assert words in capsys.readouterr().err


def test_the_examples_of_the_page_run(tmp_path, monkeypatch, house, made):
    page = (ROOT / "docs/leaderboard.md").read_text(encoding="utf-8")
    code, labels = (page.split(f"```{kind}\n")[1].split("```")[0] for kind in ("python", "py"))
    (record,), _ = run_method(house, tmp_path, code, "first_attribute")
    assert (record["label"], record["outcome"]) == ("FirstAttribute", "ok")
    monkeypatch.chdir(tmp_path)
    place = tmp_path / "results/full/tables-of-the-study"
    place.mkdir(parents=True)
    files = {one["role"]: one["file"] for one in house}
    spec = {"names": {"toy": "Toy", "gone": "Gone"}, "missing": "value", "bins": 3}
    there = {"dataset": "toy", "facts": files["facts"], "tables": files["tables"]}
    gone = tmp_path / "gone.json"
    gone.write_text('{"status": "unavailable", "reason": "no route"}', encoding="utf-8")
    absent = {"dataset": "gone", "facts": str(gone), "tables": ""}
    rows = [handed_out._handed_out(spec, one, place) for one in (there, absent)]
    handed_out.write_rows(place / "tables.csv", handed_out.COLUMNS, rows)
    assert [row["reason"] for row in read_rows(place / "tables.csv")] == ["", "no route"]
    exec(compile(labels, "docs/leaderboard.md", "exec"), {})
    assert scored(read_vectors(tmp_path / "first_column.parquet"), made).shape == (1, 40)
