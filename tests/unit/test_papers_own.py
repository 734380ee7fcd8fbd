"""The reader's own data: all pipelines, with and without classes, and what cannot be run."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from kit import experiment_of

from replication.data.discretize import discretize
from replication.data.own_table import dropped_rows, read_own
from replication.data.prepare import prepare
from replication.data.store import write_tables
from replication.errors import UserError
from replication.files import rows_text, write_json, write_rows, write_text
from replication.papers.own import clusterings, figures, insight, tables
from replication.papers.own.explanations import kept_rows
from replication.plan.catalog import Catalog
from replication.plan.configuration import read_yaml
from replication.plan.readings import resolved
from replication.run.journal import Finished
from replication.show.job import Job
from replication.show.tables import latex, markdown

ROOT = Path(__file__).parents[2]
ROWS = ["kind,shape,colour,size"]
ROWS += [f"{'ab'[i % 2]},{'rst'[i % 2]},{'xy'[i % 2]},{'pq'[(i // 2) % 2]}" for i in range(12)]
ROWS += [",r,x,p"]


def prepared(tmp_path, label="kind", missing="drop"):
    """Table and facts as the steps before leave them."""
    rows = [*ROWS[:-1], "a,,x,p"] if label else ROWS
    path = tmp_path / "toy.csv"
    write_text(path, "\n".join(rows) + "\n")
    entry = {"class": label, "missing": missing} if label else {"missing": missing}
    spec = {"paper": "own", "dataset": "toy", "entry": entry}
    raw = read_own(path, spec)
    frame, facts = prepare(raw, spec)
    cells = {name: frame[name].to_numpy(dtype=str) for name in frame}
    rule = {"numeric": "equal_width", "bins": 5, "labels": "stripped"}
    found = discretize(cells, facts, {**spec, "preparation": rule, "sample": None, "seed": None})
    write_tables(tmp_path / "toy.npz", found)
    facts["dropped"] = dropped_rows(raw, frame, spec)
    write_json(tmp_path / "facts.json", {"status": "ok", "reason": "", **facts})


def registered(kind, names):
    file = f"config/{kind}.yaml"
    readings = read_yaml(ROOT / "config/readings.yaml", "readings")
    entries = resolved(read_yaml(ROOT / file, file), readings, file)
    return {name: entries[name] for name in names}


def experiment(tmp_path, measures=("smd", "cado"), algorithms=("ward_r",), **parameters):
    return experiment_of(
        tmp_path / "out.partial",
        "own",
        "by_measure",
        dataset="toy",
        parameters={"preparation": "codes", **parameters},
        trials=3,
        measures=registered("measures", measures),
        algorithms=registered("algorithms", algorithms),
        inputs=[
            {"role": "facts", "file": str(tmp_path / "facts.json")},
            {"role": "tables", "preparation": "codes", "file": str(tmp_path / "toy.npz")},
        ],
    )


def job(tmp_path, records, kind="scores", **changes):
    """Job of an artefact over the records of one experiment."""
    rows = [
        {"paper": "own", "experiment": "by_measure", "dataset": "toy", "status": "ok", **record}
        for record in records
    ]
    columns = list(dict.fromkeys(name for row in rows for name in row))
    write_rows(tmp_path / "records.csv", columns, rows)
    files = {"tables": "toy.npz", "facts": "facts.json", "experiment": "records.csv"}
    spec = {
        "paper": "own",
        "artefact": kind,
        "kind": kind,
        "label": "Toy",
        "readings": ["reconciled"],
        "datasets": [{"id": "toy", "printed": "Toy"}],
        "methods": [],
        "left_out": [],
        "experiments": ["by_measure"],
        "preparations": ["codes"],
        "inputs": [
            {
                "role": role,
                "dataset": "toy",
                "preparation": "codes",
                "experiment": "by_measure",
                "file": str(tmp_path / name),
            }
            for role, name in files.items()
        ],
        "own": True,
        **changes,
    }
    return Job(spec)


def test_every_measure_meets_every_algorithm(tmp_path):
    prepared(tmp_path)
    wanted = ("ward_r", "kmodes_frequency", "sc_one_minus")
    found = list(clusterings.by_measure(experiment(tmp_path, algorithms=wanted)))
    assert [(row["measure"], row["algorithm"]) for row in found] == [
        (measure, algorithm) for measure in ("smd", "cado") for algorithm in wanted
    ]
    for row in found:
        assert row["runs"] == (1 if row["algorithm"] == "ward_r" else 3)
        assert ("sd_ari" in row) == (row["runs"] > 1)
        assert row["clusters_asked"] == 2
        assert len(row["labels"].split()) == 12
        assert row["labels"].startswith("1 ")
    ward = found[0]
    assert ward["ari"] == ward["accuracy"] == 1.0  # shape and colour separate the kinds
    assert ward["labels"] == "1 2 " * 5 + "1 2"
    assert ward["rd"] > 1


def test_the_same_seed_gives_the_same_records(tmp_path):
    prepared(tmp_path)
    runs = []
    for name in ("one", "two"):
        one = experiment(tmp_path, algorithms=("kmodes_frequency",))
        one._finished = Finished(tmp_path / f"{name}.partial", "key")
        runs.append(list(clusterings.by_measure(one)))
    assert runs[0] == runs[1]


def test_algorithms_without_a_measure(tmp_path):
    prepared(tmp_path)
    one = experiment(tmp_path, measures=(), algorithms=("limbo", "rock_merge"))
    found = list(clusterings.by_table(one))
    assert [row["measure"] for row in found] == ["table", "table"]
    assert found[0]["ari"] == 1.0
    assert "rd" not in found[0]


def test_what_cannot_be_run_says_why(tmp_path):
    prepared(tmp_path)
    one = experiment(
        tmp_path, measures=("lin",), algorithms=("kmodes_frequency", "sc_one_minus"), clusters=9
    )
    first, second = clusterings.by_measure(one)
    assert first["runs"] == second["runs"] == 0
    assert first["note"] == "KModes compares values, Lin whole objects"
    assert "distinct" in second["note"]
    sheet = tables.scores(job(tmp_path, [first, second]), None)
    assert sheet.rows[0]["kmodes_frequency"] == "–"
    assert any(first["note"] in line for line in sheet.legend)
    assert "no pipeline could be run" in sheet.caption


@pytest.mark.parametrize("clusters", [0, 13, 2.5])
def test_too_many_clusters(tmp_path, clusters):
    prepared(tmp_path)
    with pytest.raises(UserError, match=r"by_dataset\.toy\.clusters: is .*has 12 rows; ask for 1"):
        next(clusterings.by_measure(experiment(tmp_path, clusters=clusters)))


def test_without_classes_the_number_of_clusters_is_wanted(tmp_path):
    prepared(tmp_path, label=None, missing="value")
    with pytest.raises(UserError, match=r"by_dataset\.toy\.clusters: is missing; without a class"):
        next(clusterings.by_measure(experiment(tmp_path)))
    found = list(clusterings.by_measure(experiment(tmp_path, clusters=2)))
    assert "ari" not in found[0]
    sheet = tables.scores(job(tmp_path, found), None)
    assert "dissimilarity between clusters over dissimilarity within" in sheet.caption
    sheet = tables.labels(job(tmp_path, found, "labels"), None)
    assert [row["row"] for row in sheet.data] == list(range(1, 14))
    assert {row["class"] for row in sheet.data} == {""}


def test_tables_and_figure(tmp_path):
    prepared(tmp_path)
    found = list(
        clusterings.by_measure(experiment(tmp_path, algorithms=("ward_r", "sc_one_minus")))
    )
    sheet = tables.scores(job(tmp_path, found), None)
    assert [column.key for column in sheet.columns] == [
        "dataset",
        "measure",
        "ward_r",
        "sc_one_minus",
    ]
    assert sheet.rows[0]["ward_r"] == "1.000"
    assert " ± " in sheet.rows[0]["sc_one_minus"]
    assert (
        "Toy, 2 clusters, adjusted Rand index: highest for SMD with Ward on distances"
        in sheet.caption
    )
    for text in (markdown(sheet), latex(sheet)):
        assert "SMD" in text
    rows = list(csv.DictReader(rows_text(sheet.data_columns, sheet.data).splitlines()))
    assert np.isclose(float(rows[0]["nmi_sqrt"]), 1)
    figure, title = figures.scores({}, rows)
    assert [axis.get_title() for axis in figure.axes] == [""]  # titles are set flush left
    assert figure.axes[0].get_title(loc="left") == "Toy"
    assert figure.axes[0].get_xlabel() == "adjusted Rand index"
    assert "own data" in title


def test_another_score(tmp_path):
    prepared(tmp_path)
    found = list(clusterings.by_measure(experiment(tmp_path)))
    sheet = tables.scores(job(tmp_path, found, parameters={"score": "purity"}), None)
    assert "clusters, purity: highest" in sheet.caption
    with pytest.raises(UserError, match=r"parameters\.score: unknown score 'puritty'; known: ari"):
        tables.scores(job(tmp_path, found, parameters={"score": "puritty"}), None)


def test_every_row_has_its_clusters(tmp_path):
    prepared(tmp_path)
    found = list(clusterings.by_measure(experiment(tmp_path)))
    sheet = tables.labels(job(tmp_path, found, "labels"), None)
    assert sheet.data_columns == ["dataset", "row", "class", "smd.ward_r", "cado.ward_r"]
    assert len(sheet.data) == 12  # row 13 was dropped for its missing cell
    assert sheet.data[1] == {
        "dataset": "toy",
        "row": 2,
        "class": "b",
        "smd.ward_r": "2",
        "cado.ward_r": "2",
    }
    assert sheet.rows[0] == {
        "dataset": "Toy",
        "pipeline": "SMD, Ward on distances",
        "sizes": "6, 6",
    }


def test_rows_keep_their_numbers_around_dropped_ones():
    assert kept_rows(4, [2, 3]) == [1, 4, 5, 6]


def test_the_shipped_configuration_and_example_fit():
    config = read_yaml(ROOT / "config/config.yaml", "config.yaml")
    catalog = Catalog.load(config, ROOT)
    spec = json.loads(catalog.spec("prepare", paper="own", dataset="example"))
    frame, facts = prepare(read_own(ROOT / "data/user/example.csv", spec), spec)
    assert facts["objects"] == 60
    assert facts["classes"] == 3
    assert "article" not in frame


def test_clusters_are_explained(tmp_path):
    prepared(tmp_path)
    one = experiment(tmp_path, measures=("dilca_rr",), largest_k=3, samples=2, most=100)
    found = list(insight.explained(one))
    made = {
        kind: getattr(tables, kind)(job(tmp_path, found, kind), None)
        for kind in ("clusters", "values", "number", "objects")
    }
    first = made["clusters"].rows[0]
    assert (first["cluster"], first["size"], first["share"]) == ("1", "6", "50")
    assert first["marks"] == "shape = r (100 / 0), colour = x (100 / 0)"
    assert made["values"].rows[0]["near"] == "s – r (0.71)"
    assert made["number"].caption.startswith("Toy: silhouette is highest for 2 (1.00)")
    # in twelve rows of two kinds all are as odd, so the oddest are the typical ones too
    assert {row["rank"] for row in made["objects"].rows} == {"odd"}
    for kind, sheet in made.items():
        rows = list(csv.DictReader(rows_text(sheet.data_columns, sheet.data).splitlines()))
        figure, title = getattr(figures, kind)({}, rows)
        assert figure.axes
        assert "your own data" in title


def test_what_cannot_be_explained_is_said(tmp_path):
    prepared(tmp_path)
    one = experiment(tmp_path, measures=("caso",), largest_k=3, samples=2, most=100)
    with pytest.raises(UserError, match="'caso' is a similarity; take a dissimilarity"):
        next(insight.explained(one))
