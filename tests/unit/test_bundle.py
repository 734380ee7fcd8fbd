"""The registry of data sets, the bundled copies, and the mirror of config.yaml if there is one."""

import hashlib
import lzma
from pathlib import Path

import pytest
from kit import parsed

from replication.data.fetch import fetch_dataset, read_origins
from replication.data.fingerprint import table_fingerprint
from replication.data.parse import table_bytes, table_columns
from replication.files import read_raw
from replication.plan.configuration import validate

ROOT = Path(__file__).parents[2]
BUNDLED = ROOT / "data" / "bundled"
SPECS = parsed(ROOT / "config" / "datasets.yaml")
ORIGINS = read_origins(BUNDLED)


def test_registry_has_its_type():
    validate(SPECS, "datasets", "config/datasets.yaml")
    assert len(SPECS) == 47


@pytest.mark.parametrize("dataset", sorted(SPECS))
def test_entry_is_consistent(dataset):
    spec = SPECS[dataset]
    columns = set(spec["columns"])
    assert set(spec["numeric"]) | {spec["class"]} <= columns - set(spec.get("ignored", ()))
    assert set(spec.get("identifiers", ())) <= columns - {spec["class"]}
    assert set(spec["parse"].get("keep_blanks", ())) <= columns
    for file in spec["files"]:
        assert set(file.get("strip_suffix", ())) <= columns
        assert set(file.get("lacks", ())) <= set(spec.get("ignored", ()))
    assert spec["shape"]["columns"] == len(table_columns(spec))
    assert spec["shape"]["rows"] == sum(file["rows"] for file in spec["files"])


def test_what_is_bundled():
    assert len(SPECS.keys() - ORIGINS.keys()) == 23
    assert {path.name for path in BUNDLED.glob("*.xz")} == {f"{name}.csv.xz" for name in ORIGINS}
    assert sum(path.stat().st_size for path in BUNDLED.rglob("*") if path.is_file()) < 1_500_000
    recipes = parsed(BUNDLED / "recipes.yaml")
    assert set(recipes["tables"]) == set(ORIGINS)


@pytest.mark.parametrize("dataset", sorted(ORIGINS))
def test_bundled_copy(dataset, tmp_path):
    spec, origin = SPECS[dataset], ORIGINS[dataset]
    packed = (BUNDLED / f"{dataset}.csv.xz").read_bytes()
    assert hashlib.sha256(packed).hexdigest() == origin["sha256"]
    content = lzma.decompress(packed)
    table = read_raw(BUNDLED / f"{dataset}.csv.xz")
    assert table_bytes(table) == content
    assert list(table.columns) == table_columns(spec)
    assert table.shape == (spec["shape"]["rows"], spec["shape"]["columns"])
    assert table_fingerprint(table, spec["numeric"]) == spec["fingerprint"] == origin["fingerprint"]
    same = hashlib.sha256(content).hexdigest() == spec["table_sha256"]
    assert origin["relation"] == ("identical" if same else "recoded")
    fetched, facts = fetch_dataset(dataset, spec, raw=tmp_path, bundled=BUNDLED, official=False)
    assert (facts["status"], facts["route"]) == ("available", "bundled")
    assert fetched.equals(table)


def test_only_numbers_are_written_otherwise():
    recoded = {name for name, origin in ORIGINS.items() if origin["relation"] == "recoded"}
    assert recoded == {"auto_mpg", "crx", "echocardiogram"}


def test_traps_survive_in_the_bundled_copies():
    def column(dataset, name):
        return read_raw(BUNDLED / f"{dataset}.csv.xz")[name]

    assert column("post_operative", "decision").value_counts().to_dict() == {
        "A": 63,
        "S": 24,
        "I": 2,
        "A ": 1,
    }
    assert set(column("adult", "class")) == {"<=50K", ">50K"}
    assert (column("mushroom", "stalk_root") == "?").sum() == 2480
    assert column("spect", "part").value_counts().to_dict() == {
        "SPECT.test": 187,
        "SPECT.train": 80,
    }
    assert column("hayes_roth", "part").value_counts().to_dict() == {
        "hayes-roth.data": 132,
        "hayes-roth.test": 28,
    }
    assert len(column("echocardiogram", "still_alive")) == 131


@pytest.mark.parametrize(
    ("name", "shape"),
    [("person", (5, 2)), ("movie", (6, 5)), ("information_table", (6, 4)), ("mixed_table", (6, 6))],
)
def test_printed_tables(name, shape):
    assert read_raw(BUNDLED / "printed" / f"{name}.csv").shape == shape


def local_mirror():
    config = parsed(ROOT / "config" / "config.yaml")
    folders = [ROOT / m for m in config["data"]["mirrors"] if "://" not in m]
    return next((folder for folder in folders if folder.is_dir()), None)


@pytest.mark.parametrize("dataset", sorted(SPECS))
def test_mirror_gives_the_recorded_table(dataset, tmp_path):
    folder = local_mirror()
    if folder is None:
        pytest.skip("no folder of data.mirrors in config/config.yaml exists on this machine")
    spec = SPECS[dataset]
    table, facts = fetch_dataset(
        dataset,
        spec,
        raw=tmp_path,
        bundled=tmp_path / "none",
        mirrors=[str(folder)],
        official=False,
    )
    if table is None:
        pytest.skip(f"{folder} does not have {dataset}")
    assert hashlib.sha256(table_bytes(table)).hexdigest() == spec["table_sha256"]
    assert facts["fingerprint"] == spec["fingerprint"]
