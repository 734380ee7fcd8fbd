"""A stranger adds methods to the leaderboard: one Python file, one Parquet file, one command."""

import csv
import sys

import pandas as pd
import pytest

from couplings.metrics import external
from replication.files import write_rows
from replication.papers.study.tables_leaderboard import COLUMNS

pytestmark = pytest.mark.workflow

DATA = ["titanic", "surgery_patients"]
METHOD = """
class Widest:
    def __init__(self, n_clusters=2):
        self.n_clusters = n_clusters

    def fit(self, table):
        if table.n_objects < 100:
            raise ValueError("too few objects, says $(touch owned)")
        self.labels_ = table.codes[:, 0] % self.n_clusters
"""


@pytest.fixture(scope="module")
def stranger(tmp_path_factory, copy):
    """A copy with a table of the study as small as can be."""
    house = copy(tmp_path_factory.mktemp("stranger") / "house")
    cells = [
        {"dataset": name, "measure": "smd", "label": "SMD", "algorithm": "kmodes", "ari": 0.25}
        for name in DATA
    ]
    write_rows(house.root / "results/few/figures/study/leaderboard.csv", COLUMNS, cells)
    return house


def run(house, *targets):
    return house.snakemake(
        *targets,
        *("--cores", "2"),
        limits={"datasets": DATA, "row_orders": 1, "samples": 1, "trials": 2},
        data={"official": False, "mirrors": []},
        roots={"results": "results/few", "figures": "results/few/figures"},
        effort="quick",
    )


def hand_in(house, file):
    return house.run(sys.executable, "-m", "replication", "hand_in", file, PYTHONPATH="src")


def board(house):
    with (house.root / "results/few/leaderboard.csv").open(encoding="utf-8") as stream:
        return {(row["dataset"], row["measure"]): row for row in csv.DictReader(stream)}


def test_a_method_and_labels_stand_beside_the_study(stranger):
    made = run(stranger, "leaderboard_tables")
    assert made.returncode == 0, made.stdout[-3000:]
    folder = stranger.root / "results/few/tables-of-the-study"
    known = {row["dataset"]: row for row in pd.read_csv(folder / "tables.csv").to_dict("records")}
    table = pd.read_parquet(folder / known["titanic"]["file"])
    labels = pd.factorize(table["sex"])[0]
    assert set(labels) == {0, 1}
    row = {"dataset": "titanic", "fingerprint": known["titanic"]["fingerprint"], "labels": labels}
    pd.DataFrame([row]).to_parquet(stranger.root / "by_sex.parquet", index=False)
    (stranger.root / "widest.py").write_text(METHOD, encoding="utf-8")
    for file in ("by_sex.parquet", "widest.py"):
        handed = hand_in(stranger, file)
        assert handed.returncode == 0, handed.stdout
    made = run(stranger, "leaderboard")
    assert made.returncode == 0, made.stdout[-3000:]
    found = board(stranger)
    assert {key: row["origin"] for key, row in found.items()} == {
        **{(name, "smd"): "computed here" for name in DATA},
        **{(name, one): "handed in" for name in DATA for one in ("by_sex", "widest")},
    }
    prepared = pd.read_csv(stranger.root / "results/few/prepared/study/titanic.csv", dtype=str)
    counts = pd.crosstab(prepared["sex"], prepared["class_label"]).to_numpy()
    ari = external.adjusted_rand(counts)
    assert ari > 0.2
    assert float(found["titanic", "by_sex"]["ari"]) == pytest.approx(ari)
    assert found["surgery_patients", "by_sex"]["rule"] == "not handed in"
    assert found["titanic", "widest"]["ari"]
    assert found["surgery_patients", "widest"]["rule"] == "failed"
    assert not (stranger.root / "owned").exists()
    page = (stranger.root / "results/few/leaderboard.html").read_text(encoding="utf-8")
    assert '"handed":"label vectors: scored here"' in page
    kept = stranger.root / "results/few/labels/study/experiments"
    assert (kept / "handed_in_by_sex.titanic.parquet").is_file()


def test_a_second_call_has_nothing_to_do_and_a_changed_method_runs_alone(stranger):
    assert "Nothing to be done" in run(stranger, "leaderboard").stdout
    stranger.edit("data/user/methods/widest.py", "codes[:, 0]", "codes[:, 1]")
    again = run(stranger, "leaderboard").stdout
    assert "handed_in_widest" in again
    assert "handed_in_by_sex" not in again


def test_labels_of_other_rows_stop_the_run_with_one_line(stranger):
    path = stranger.root / "data/user/methods/by_sex.parquet"
    good = path.read_bytes()
    frame = pd.read_parquet(path)
    frame.assign(labels=[frame["labels"][0][:-1]]).to_parquet(path, index=False)
    stopped = run(stranger, "leaderboard")
    path.write_bytes(good)
    assert stopped.returncode != 0
    (line,) = [one for one in stopped.stdout.splitlines() if one.startswith("failed:")]
    assert "by_sex.parquet: row 1 (titanic): has 2200 labels, the table 2201 rows" in line
