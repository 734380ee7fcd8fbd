"""Files of the reader's own: every mistake is one line with the file, the place and the remedy."""

import json
import shutil
from pathlib import Path

import pytest
import yaml

from replication.data.discretize import discretize
from replication.data.own_table import check_prepared, dropped_rows, read_own
from replication.data.prepare import add_arguments as prepare_arguments
from replication.data.prepare import prepare
from replication.errors import UserError
from replication.files import CLASS
from replication.plan.catalog import Catalog
from replication.plan.configuration import ConfigError, read_yaml

ROOT = Path(__file__).parents[2]
GOOD = "a,b,size,y\nu,p,1.5,m\nv,q,2,n\n u ,?,3,m\nv,,4,n\n"
ENTRY = {"class": "y", "numeric": ["size"], "missing": "impute", "printed": "Toy"}


def spec(**changes):
    entry = {key: value for key, value in {**ENTRY, **changes}.items() if value is not None}
    return {"paper": "own", "dataset": "toy", "entry": entry}


@pytest.fixture
def file(tmp_path):
    def write(content):
        path = tmp_path / "toy.csv"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def test_a_file_is_read_and_prepared(file):
    raw = read_own(file(GOOD), spec())
    assert raw["a"].tolist() == ["u", "v", "u", "v"]
    assert raw["b"].tolist() == ["p", "q", "?", "?"]
    frame, facts = prepare(raw, spec())
    assert list(frame.columns) == ["a", "b", "size", CLASS]
    assert facts["numeric"] == ["size"]
    assert facts["imputed"] == {"b": "p"}
    check_prepared(Path("toy.csv"), frame, spec())
    assert dropped_rows(raw, frame, spec()) == []


def test_dropped_rows_are_counted_below_the_header(file):
    raw = read_own(file(GOOD), spec(missing="drop"))
    frame, _ = prepare(raw, spec(missing="drop"))
    assert len(frame) == 2
    assert dropped_rows(raw, frame, spec(missing="drop")) == [3, 4]


def test_missing_cells_are_ruled_by_column(file):
    entry = spec(missing="value", missing_in={"b": "impute", "a": "drop"})
    raw = read_own(file("a,b,size,y\nu,p,1,m\n,q,2,n\nv,?,,m\nu,p,4,n\n"), entry)
    frame, facts = prepare(raw, entry)
    assert frame["b"].tolist() == ["p", "p", "p"]
    assert frame["size"].tolist() == ["1", "?", "4"]
    assert facts["imputed"] == {"b": "p"}
    assert dropped_rows(raw, frame, entry) == [2]
    rule = {"preparation": {"numeric": "equal_width", "bins": 2, "labels": "raw"}, "sample": None}
    cells = {name: frame[name].to_numpy(dtype=str) for name in frame}
    found = discretize(cells, facts, {**entry, **rule, "seed": None})
    assert found.tables[0].categories[2] == ("(-inf, 2.5]", "(2.5, inf)", "?")
    assert found.tables[0].codes[:, 2].tolist() == [0, 2, 1]


def test_blank_lines_bytes_marks_and_quotes_are_understood(file):
    raw = read_own(file(b'\xef\xbb\xbfa,b,size,y\r\n"u, or v",p,1,m\r\n\r\nv,q,2,n\r\n'), spec())
    assert raw["a"].tolist() == ["u, or v", "v"]


MISTAKES = [
    # content, changes of the entry, what the message must say
    ("", {}, ["is empty", "must name the columns"]),
    ("a;b;size;y\nu;p;1;m\n", {}, ["line 1", "separate the cells by commas"]),
    ("a,,size,y\nu,p,1,m\n", {}, ["line 1: column 2 has no name"]),
    ("a,a,size,y\nu,p,1,m\n", {}, ["line 1: column 'a' occurs twice", "rename"]),
    ("a,part,size,y\nu,p,1,m\n", {}, ["line 1", "'part'", "rename it"]),
    ("a,class_label,size,y\nu,p,1,m\n", {}, ["line 1", "'class_label'", "rename it"]),
    ("a,b,size,y\nu,p,1,m\nv,q,2\n", {}, ["line 3: 3 cells", "names 4 columns", "double quotes"]),
    ("a,b,size,y\nu,p,1,m\nv,q,2,n,o\n", {}, ["line 3: 5 cells", "names 4 columns"]),
    ('a,b,size,y\nu,"p,1,m\nv,q,2,n\n', {}, ["line 3", "double quote that is not closed"]),
    ("a,b,size,y\nu,p,1,m\n", {}, ["holds 1 rows", "clustering needs two"]),
    (b"a,b,size,y\nu,\xe9,1,m\nv,q,2,n\n", {}, ["byte 13 is not UTF-8", "save the file as UTF-8"]),
    (GOOD, {"class": "z"}, ["datasets.toy.class", "no column 'z'", "known: a, b, size, y"]),
    (GOOD, {"numeric": ["sise"]}, ["datasets.toy.numeric", "'sise'", "did you mean 'size'?"]),
    (GOOD, {"without": ["c"]}, ["datasets.toy.without", "no column 'c'"]),
    (GOOD, {"attributes": ["a", "c"]}, ["datasets.toy.attributes", "no column 'c'"]),
    (GOOD, {"declared": {"c": ["p"]}}, ["datasets.toy.declared", "no column 'c'"]),
    ("a,b,size,y\nu,,1,m\nv,?,2,n\n", {}, ["every cell of column 'b'", "`without: [b]`"]),
    ("a,b,size,y\nu,p,1,m\nv,q,2,\n", {}, ["line 3: the class 'y' is missing", "fill it in"]),
    ("a,b,size,y\nu,p,1,m\nv,q,big,n\n", {}, ["line 3: 'big'", "numeric column 'size'", "1234.5"]),
    ("a,b,size,y\nu,p,1,m\nv,q,inf,n\n", {}, ["line 3: 'inf'", "is no number"]),
]


@pytest.mark.parametrize(("content", "changes", "words"), MISTAKES)
def test_a_mistake_in_a_file_is_one_line(file, content, changes, words):
    path = file(content)
    with pytest.raises(UserError) as caught:
        read_own(path, spec(**changes))
    message = str(caught.value)
    assert "\n" not in message
    for word in [str(path), *words]:
        assert word in message


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(UserError, match=r"toy\.csv: there is no such file; put it there"):
        read_own(tmp_path / "toy.csv", spec())


def test_a_constant_column_is_named_with_its_remedy(file):
    raw = read_own(file("a,b,size,y\nu,p,1,m\nu,q,2,n\n"), spec())
    with pytest.raises(UserError, match=r"column 'a' holds 'u' in every row.*`without: \[a\]`"):
        check_prepared(Path("toy.csv"), prepare(raw, spec())[0], spec())


def test_rows_that_are_all_dropped(file):
    raw = read_own(file("a,b,size,y\nu,,1,m\n,q,2,n\n"), spec(missing="drop"))
    with pytest.raises(UserError, match="0 rows have no missing cell; take `missing: value`"):
        check_prepared(Path("toy.csv"), prepare(raw, spec(missing="drop"))[0], spec())


def test_the_step_prepares_a_file_and_says_what_it_dropped(file, tmp_path):
    import argparse

    from replication.data.prepare import run

    parser = argparse.ArgumentParser()
    prepare_arguments(parser)
    job = {**spec(missing="drop", user="toy.csv"), "source": {}, "seed": None}
    job["file"] = str(file(GOOD))
    words = ["--spec", json.dumps(job)]
    words += ["--output", str(tmp_path / "out.csv"), "--facts", str(tmp_path / "facts.json")]
    assert run(parser.parse_args(words)) == 0
    assert (tmp_path / "out.csv").read_text() == f"a,b,size,{CLASS}\nu,p,1.5,m\nv,q,2,n\n"
    assert json.loads((tmp_path / "facts.json").read_text())["dropped"] == [3, 4]


# --- in the configuration -----------------------------------------------------------------------


@pytest.fixture
def root(tmp_path):
    """Repository that holds the reader's own data and no paper."""
    (tmp_path / "config/papers").mkdir(parents=True)
    for name in ("config", "datasets", "measures", "algorithms", "readings"):
        shutil.copy(ROOT / f"config/{name}.yaml", tmp_path / "config")
    shutil.copy(ROOT / "config/papers/own.yaml", tmp_path / "config/papers")
    (tmp_path / "data/user").mkdir(parents=True)
    (tmp_path / "workflow").mkdir()
    for name in ("src", "workflow/schemas"):
        (tmp_path / name).symlink_to(ROOT / name)
    return tmp_path


def load(root, **changes):
    config = {**read_yaml(root / "config/config.yaml", "config.yaml"), "papers": ["own"]}
    return Catalog.load({**config, **changes}, root)


def test_a_missing_file_stops_only_what_needs_it(root):
    catalog = load(root)
    assert catalog.targets("own")
    with pytest.raises(
        ConfigError, match=r"example\.user: there is no file data/user/example\.csv"
    ):
        catalog.inputs("prepare", paper="own", dataset="example")
    (root / "data/user/example.csv").touch()
    found = catalog.inputs("prepare", paper="own", dataset="example")
    assert found == {"table": [], "source": [], "user": ["data/user/example.csv"]}


def test_own_data_are_never_left_out_and_judge_nothing(root):
    path = root / "config/papers/own.yaml"
    content = yaml.safe_load(path.read_text())
    content["datasets"]["second"] = {**content["datasets"]["example"], "user": "second.csv"}
    path.write_text(yaml.safe_dump(content))
    limits = read_yaml(ROOT / "config/config.yaml", "config.yaml")["limits"]
    catalog = load(root, limits={**limits, "datasets": ["second"]})
    assert set(catalog.computed("own")) == {"example", "second"}
    assert not any("claims" in name for name in catalog.targets("own"))
    assert json.loads(catalog.spec("ledger"))["papers"] == []


def test_a_data_set_has_one_origin(root):
    path = root / "config/papers/own.yaml"
    content = yaml.safe_load(path.read_text())
    content["datasets"]["example"]["inline"] = "printed/movie.csv"
    path.write_text(yaml.safe_dump(content))
    with pytest.raises(ConfigError, match="exactly one of source, synthetic, inline, user"):
        load(root)
