"""The registry of data sets, the bundled copies, and the mirror of config.yaml if there is one."""

import hashlib
import lzma

import pytest
from kit import ROOT, parsed

from replication.data.fetch import fetch_dataset, read_origins
from replication.data.parse import table_bytes, table_columns, table_fingerprint
from replication.files import read_raw
from replication.plan.configuration import validate

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
