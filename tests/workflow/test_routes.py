"""Runs of two data sets: without a route to the data, with damaged files."""

import re

import pytest

from replication.files import read_rows

pytestmark = pytest.mark.workflow

BUNDLED_ONLY = {"official": False}  # as README has it for a machine without a network
TWO = {"datasets": ["ca", "zo"], "trials": 1}


def few(house, *words, data=BUNDLED_ONLY):
    return house.snakemake(*words, papers=["disc"], limits=TWO, data=data, effort="few")


def test_without_any_route_the_run_ends_and_names_what_is_missing(house):
    for path in (house.root / "data/bundled").glob("*.xz"):
        path.unlink()
    run = few(house, "results/few/ledger/verdicts.csv")
    assert run.returncode == 0, run.stdout[-5000:]
    assert "NOT AVAILABLE: car, zoo" in run.stdout
    ledger = house.root / "results/few/ledger"
    assert {row["dataset"] for row in read_rows(ledger / "unavailable.csv")} == {"car", "zoo"}
    assert {row["verdict"] for row in read_rows(ledger / "verdicts.csv")} == {"not run"}


def test_a_damaged_download_is_refused_by_name(house, tmp_path):
    (tmp_path / "mirror/car").mkdir(parents=True)
    (tmp_path / "mirror/car/car.data").write_text("vhigh,vhigh,2,2,small,low,unacc\n")
    table = "results/few/figures/disc/table01.csv"
    run = few(house, table, data={"official": False, "mirrors": [str(tmp_path / "mirror")]})
    assert run.returncode != 0
    assert re.search(r"error: .*car\.data", run.stdout), run.stdout
    assert "Traceback" not in run.stdout
    assert (house.root / "data/raw/zoo/table.csv").exists()
    assert not (house.root / table).exists()
