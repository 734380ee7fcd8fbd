"""One more paper, begun as docs/extend.md says: one table, one figure, one claim, seven places."""

import sys
from pathlib import Path

import pytest
from kit import RUN

from replication.files import read_rows

pytestmark = pytest.mark.workflow

PLACES = {
    "config/config.yaml",
    "config/papers/toy.yaml",
    "data/published/artefacts.csv",
    "data/published/claims.csv",
    "data/published/files.csv",
    "data/published/toy_table01.csv",
    "src/replication/papers/toy",
}
"""What a new paper touches."""


def sources(house):
    files = [path for path in house.root.iterdir() if path.is_file()]
    for folder in ("config", "data/published", "docs", "notebooks", "src", "tests", "workflow"):
        files += (house.root / folder).rglob("*")
    return {
        str(path.relative_to(house.root)): path.read_bytes()
        for path in files
        if path.is_file() and "__pycache__" not in path.parts
    }


def begin(house, name):
    binaries = Path(sys.executable).parent
    return house.run("make", "paper", f"NAME={name}", "READY=", f"BIN={binaries}")


@pytest.fixture(scope="module")
def toy(copy, tmp_path_factory):
    """A copy of the repository with one more paper, run; and its sources before and after."""
    house = copy(tmp_path_factory.mktemp("toy") / "house")
    before = sources(house)
    run = begin(house, "toy")
    assert run.returncode == 0, run.stdout
    house.edit("config/config.yaml", f"{RUN[-1]}]", f"{RUN[-1]}, toy]")
    after = sources(house)
    done = house.snakemake("paper_toy", "--cores", "1", data={"official": False, "mirrors": []})
    assert done.returncode == 0, done.stdout
    return house, before, after


@pytest.fixture
def house(toy):
    return toy[0]


def test_its_table_judges_the_printed_number_and_its_figure_is_drawn(house):
    (row,) = read_rows(house.root / "results/full/verdicts/toy/table01.csv")
    assert row["id"] == "toy-table01-zoo-smd"
    assert row["verdict"] in ("exact", "within noise", "differs")
    assert 0.5 < float(row["reproduced"]) < 1
    assert "Zoo" in (house.root / "figures/toy/table01.md").read_text("utf-8")
    assert "</svg>" in (house.root / "figures/toy/table01.svg").read_text("utf-8")


def test_its_claim_gets_a_verdict(house):
    (claim,) = read_rows(house.root / "results/full/claims/toy.csv")
    assert (claim["id"], claim["verdict"], claim["ours"]) == ("toy-01", "confirmed", "1/1")


def test_it_touches_seven_places(toy):
    _, before, after = toy
    changed = {name for name, content in after.items() if before.get(name) != content}
    assert before.keys() <= after.keys()
    module = "src/replication/papers/toy/"
    assert {module[:-1] if name.startswith(module) else name for name in changed} == PLACES


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("dilca", "config/papers/dilca.yaml exists; choose another id than 'dilca'"),
        ("A paper", "NAME='A paper': an id has lower-case letters, digits and _"),
        ("", "NAME='': an id has"),
    ],
)
def test_an_id_that_is_taken_or_none_is_refused_and_nothing_is_written(house, name, message):
    before = sources(house)
    run = begin(house, name)
    assert run.returncode != 0
    assert message in run.stdout
    assert sources(house) == before
