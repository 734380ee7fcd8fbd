"""The printed entry of a public data set is what the registry wants of it."""

import lzma
from pathlib import Path

import pytest
import yaml

from replication.__main__ import main
from replication.data.describe import TODO, describe
from replication.data.fetch import fetch_dataset
from replication.errors import UserError
from replication.plan.configuration import validate

ROOT = Path(__file__).parents[2]
FILE = b"red,1,yes\nblue,2,no\n?,3,yes\n"


def entry_of(*arguments, capsys):
    assert main(["describe", *map(str, arguments)]) == 0
    return yaml.safe_load(capsys.readouterr().out)


def test_the_printed_entry_is_accepted_and_its_file_fetched(tmp_path, capsys):
    mirror = tmp_path / "mirror" / "toy_set"
    mirror.mkdir(parents=True)
    (mirror / "Toy-set.data").write_bytes(FILE)
    columns = ["colour", "gears", "use"]
    entry = entry_of(
        mirror / "Toy-set.data", "--columns", *columns, "--numeric", "gears", capsys=capsys
    )
    assert list(entry) == ["toy_set"]
    found = entry["toy_set"]
    assert found["shape"] == {"rows": 3, "columns": 3}
    assert found["files"][0]["bytes"] == len(FILE)
    assert found["class"] == "use"
    filled = {**found, "homepage": "https://example.org"}
    filled["files"][0]["url"] = "https://example.org/Toy-set.data"
    validate(entry | {"toy_set": filled}, "datasets", "printed")
    _, facts = fetch_dataset(
        "toy_set",
        filled,
        raw=tmp_path / "raw",
        bundled=tmp_path,
        mirrors=[str(tmp_path / "mirror")],
        official=False,
    )
    assert facts["fingerprint"] == found["fingerprint"]


@pytest.mark.parametrize("name", ["zoo", "car"])
def test_the_registry_says_what_is_computed(name):
    registered = yaml.safe_load((ROOT / "config/datasets.yaml").read_text("utf-8"))[name]
    payload = lzma.decompress((ROOT / f"data/bundled/{name}.csv.xz").read_bytes())
    found = describe(
        name,
        {f"{name}.csv": payload},
        {"separator": "comma", "missing": ["?"], "header": True},
        numeric=registered["numeric"],
        label=registered["class"],
    )
    same = ("columns", "numeric", "class", "shape", "fingerprint", "table_sha256")
    assert {key: found[key] for key in same} == {key: registered[key] for key in same}
    assert found["title"] == TODO


def test_columns_without_names_are_counted():
    found = describe("toy", {"toy.data": FILE}, {"separator": "comma", "missing": ["?"]})
    assert found["columns"] == ["a1", "a2", "a3"]


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"numeric": ["a9"]}, "no column is called 'a9'; the columns: \\['a1', 'a2', 'a3'\\]"),
        ({"columns": ["x", "y"]}, "expected 2 fields, found 3"),
        ({"numeric": ["a1"]}, "'red' is not a number"),
    ],
)
def test_what_does_not_fit_is_refused(more, message):
    with pytest.raises(UserError, match=message):
        describe("toy", {"toy.data": FILE}, {"separator": "comma", "missing": ["?"]}, **more)


def test_no_content_and_no_file_are_refused(tmp_path, capsys):
    with pytest.raises(UserError, match="no line has content"):
        describe("toy", {"toy.data": b"\n"}, {"separator": "comma"})
    assert main(["describe", str(tmp_path / "nothing.csv")]) == 2
    assert "nothing.csv: No such file or directory" in capsys.readouterr().err
