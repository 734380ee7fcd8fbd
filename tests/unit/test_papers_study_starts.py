"""Restarts of the study: every method as many, chosen by its own objective and never by labels."""

import numpy as np
import pytest
from kit import experiment_of

from couplings import CategoricalTable
from replication.data.store import Tables, write_archive
from replication.files import write_json
from replication.papers.study import cells, grid
from replication.papers.study.learned import learned
from replication.run.runner import Clusterings, Objects, objective

PROTOCOL = {
    "missing": "value",
    "bins": 3,
    "restarts": 4,
    "fits": 2,
    "limit": 9000,
    "orders": 2,
    "theta": 0.5,
    "pairs": 6,
    "algorithms": ["kmodes", "kmeans", "ward"],
}
LEARNED = {
    "latent_classes": "couplings.learned.latent_class:LatentClasses",
    "entropy_srs": "couplings.learned.entropy:EntropyClusters",
    "hd_ndw": "replication.papers.study.rivals.ndw:HDNDW",
    "disc": "replication.papers.disc.method:DISC",
    "coforest": "replication.papers.study.rivals.coforest:COForest",
    "harr_v": "replication.papers.study.rivals.harr:HARR",
}
MEASURES = {
    "smd": {"class": "couplings.measures.frequency:SimpleMatching", "label": "SMD"},
    "cde": {"class": "couplings.measures.cde:CDE", "label": "CDE"},
    "cdcdr": {
        "class": "couplings.measures.cdcdr:CDCDR",
        "label": "CDC-DR",
        "parameters": {"ties": "include"},
    },
}
CLASSES = np.array([0, 0, 1, 1])


def of_starts(labels, objectives, **facts):
    objects = Objects(None, CLASSES)
    return Clusterings(objects, np.array(labels), facts, objectives=objectives)


RIGHT, WRONG, ONE = [0, 0, 1, 1], [0, 1, 0, 1], [0, 0, 0, 0]


# --- which start counts --------------------------------------------------------------------------


def test_the_start_of_least_objective_counts_whatever_its_labels():
    found = cells.chosen(of_starts([RIGHT, WRONG, ONE], [(2.0,), (1.0,), (3.0,)]))
    assert found.labels.tolist() == [WRONG]
    assert found.objectives == [(1.0,)]
    assert found.facts["single"] == pytest.approx([1.0, -0.5, 0.0])


def test_of_starts_that_rounding_tells_apart_the_first_counts():
    assert cells.least([(2.0,), (1.0 + 1e-12,), (1.0,)], np.arange(3)) == 1
    assert cells.least([(2.0,), (1.0 + 1e-6,), (1.0,)], np.arange(3)) == 2
    assert cells.least([(-5.0 + 1e-12,), (-5.0,)], np.arange(2)) == 0
    assert cells.least([(1, 1.0), (0, 1.0)], np.arange(2)) == 1


def test_every_fit_has_a_choice_of_its_own():
    found = of_starts(
        [RIGHT, WRONG, ONE, RIGHT], [(9.0,), (8.0,), (1.0,), (2.0,)], fit=[0, 0, 1, 1]
    )
    found = cells.chosen(found)
    assert found.labels.tolist() == [WRONG, ONE]
    assert set(found.facts) == {"single"}


def test_what_has_no_objective_counts_whole():
    found = cells.chosen(of_starts([RIGHT, WRONG], []))
    assert found.labels.tolist() == [RIGHT, WRONG]
    assert "single" not in found.facts
    record = cells.summary(found)
    assert (record["trials"], record["starts"]) == (2, 1)
    assert record["ari"] == record["ari_single"] == pytest.approx(0.25)


# --- objectives ----------------------------------------------------------------------------------


def test_objectives_are_those_of_the_algorithms():
    class Fitted:
        pass

    one = Fitted()
    assert objective(one) is None
    one.log_likelihoods_ = np.array([-9.0, -4.0])
    assert objective(one) == (4.0,)
    one.inertia_ = 3.0
    assert objective(one) == (3.0,)
    one.rank_ = (1, 2.0)
    assert objective(one) == (1.0, 2.0)


# --- cells ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Three groups of objects in five attributes, with noise."""
    path = tmp_path_factory.mktemp("starts")
    rng = np.random.default_rng(8)
    labels = np.repeat([0, 1, 2], 20)
    noise = rng.integers(3, size=(60, 5))
    codes = np.where(rng.random((60, 5)) < 0.7, labels[:, None], noise)
    write_json(path / "toy.json", {"status": "ok", "reason": "", "numeric": []})
    table = CategoricalTable.from_codes(codes)
    made = Tables({"status": "ok", "reason": ""}, [table], [labels])
    write_archive(path / "toy.npz", {"values": made})
    return path


def experiment(folder, name, trials=10, measures=(), algorithms=(), **parameters):
    key = "-".join([name, *measures, *algorithms, str(trials), *map(str, parameters.values())])
    return experiment_of(
        folder / f"{key}.partial",
        "study",
        name,
        dataset="toy",
        parameters={**PROTOCOL, **parameters},
        trials=trials,
        seed=3,
        measures={measure: MEASURES[measure] for measure in measures},
        algorithms={one: {"class": LEARNED[one], "label": one.upper()} for one in algorithms},
        inputs=[
            {"role": "facts", "file": str(folder / "toy.json")},
            {"role": "tables", "file": str(folder / "toy.npz")},
        ],
        preparations=["values"],
    )


def cells_of(made):
    return {one["algorithm"]: one for one in grid.grid(made) if one["kind"] == "cell"}


def test_every_method_has_the_same_number_of_starts(folder):
    every = list(learned(experiment(folder, "learned", algorithms=LEARNED)))
    found = [one for one in every if one["kind"] == "cell"]
    assert [(one["measure"], one["algorithm"]) for one in found] == [(n, n) for n in LEARNED]
    found += [cells_of(experiment(folder, "grid", measures=["smd"]))["kmodes"]]
    assert {(one["outcome"], one["trials"], one["starts"]) for one in found} == {("ok", 1, 4)}
    assert all(one["ari_min"] <= one["ari"] <= one["ari_max"] for one in found)
    assert all(one["ari"] > 0.3 for one in found)


def test_the_labels_that_were_chosen_are_kept(folder):
    made = experiment(folder, "learned", algorithms=["latent_classes"])
    one = next(learned(made))
    ((key, labels),) = made.runner.kept
    assert (key["algorithm"], key["trial"]) == ("latent_classes", 0)
    again = experiment(folder, "grid", measures=["smd"])
    made_labels = [(key["algorithm"], key["trial"]) for key, _ in _kept(again)]
    assert made_labels == [("kmodes", 0), ("ward", 0), ("ward", 1)]
    assert len(labels) == 60
    assert one["clusters"] == len(np.unique(labels))


def _kept(made):
    list(grid.grid(made))
    return made.runner.kept


def test_an_interrupted_job_keeps_its_choice(folder, monkeypatch):
    first = list(learned(experiment(folder, "resumed", algorithms=["coforest"])))
    monkeypatch.setattr(cells, "least", lambda *_: pytest.fail("chosen again"))
    assert list(learned(experiment(folder, "resumed", algorithms=["coforest"]))) == first


def test_a_random_measure_is_learnt_several_times(folder):
    found = cells_of(experiment(folder, "grid", measures=["cde"]))
    assert (found["kmeans"]["trials"], found["kmeans"]["starts"]) == (2, 4)
    assert (found["ward"]["trials"], found["ward"]["starts"]) == (2, 1)


def test_bic_is_a_note_beside_the_cells(folder):
    cell, note = learned(experiment(folder, "learned", algorithms=["latent_classes"]))
    assert (cell["kind"], note["kind"]) == ("cell", "classes")
    assert (note["classes"], note["most"]) == (3, 8)
    # noise of three attributes in ten leaves three groups: BIC finds no more of them
    assert 1 <= note["preferred"] <= 3
    large = experiment(folder, "learned", algorithms=["latent_classes"], limit=59)
    cell, note = learned(large)
    assert cell["outcome"] == "ok"
    assert (note["outcome"], note["rule"], note["detail"]) == (
        "left out",
        "too large",
        "60 objects",
    )


def test_what_a_method_cannot_start_from_is_left_out_by_a_rule(tmp_path):
    labels = np.array([0, 1, 2] * 2)
    table = CategoricalTable.from_codes(np.array([[0, 0], [1, 1]] * 3))
    write_json(tmp_path / "toy.json", {"status": "ok", "reason": "", "numeric": []})
    made = Tables({"status": "ok", "reason": ""}, [table], [labels])
    write_archive(tmp_path / "toy.npz", {"values": made})
    (one,) = learned(experiment(tmp_path, "learned", algorithms=["disc"]))
    assert (one["outcome"], one["rule"]) == ("left out", "failed")
    assert "as many different rows" in one["detail"]
