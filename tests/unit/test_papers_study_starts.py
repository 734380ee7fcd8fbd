"""Replicates of the study: as many starts for every method, its own choice, one rule to repeat."""

import itertools
import statistics
from types import SimpleNamespace

import numpy as np
import pytest
from kit import data_inputs
from test_papers_study import cells_of, experiment

from couplings import CategoricalTable, Ward
from replication.papers.study import cells, grid
from replication.papers.study.data import prepared
from replication.papers.study.learned import learned
from replication.run.runner import Clusterings, Objects, objective

REPLICATES = {"least": 3, "most": 6, "error": 0.005, "objects": 100_000}
RULES = {"restarts": 4, "replicates": REPLICATES, "algorithms": ["kmodes", "kmeans", "ward"]}
"""What differs from the protocol of the other tests of the study."""
LEARNED = {
    "latent_classes": "couplings.learned.latent_class:LatentClasses",
    "entropy_srs": "couplings.learned.entropy:EntropyClusters",
    "hd_ndw": "replication.papers.study.rivals.ndw:HDNDW",
    "disc": "replication.papers.disc.method:DISC",
    "coforest": "replication.papers.study.rivals.coforest:COForest",
    "harr_v": "replication.papers.study.rivals.harr:HARR",
}
RIGHT, WRONG, ONE = [0, 0, 1, 1], [0, 1, 0, 1], [0, 0, 0, 0]


class Four(Objects):
    """Four objects without a table."""

    n_objects = 4


OBJECTS = Four(None, np.array([0, 0, 1, 1]))


def of_starts(labels, objectives=(), **facts):
    return Clusterings(OBJECTS, np.array(labels), facts, objectives=objectives)


def replicated(make, trials=20, **rule):
    """Replicates of a cell by a rule, and how many of them were made."""
    made = []

    def counted(replicate):
        made.append(replicate)
        return make(replicate)

    rule = {"least": 5, "most": 20, "error": 0.005, "objects": 100_000} | rule
    experiment = SimpleNamespace(parameters={"replicates": rule}, trials=trials)
    return cells.replicated(experiment, OBJECTS, counted), made


def test_the_start_of_least_objective_counts_whatever_its_labels():
    one = of_starts([RIGHT, WRONG, ONE], [(2.0,), (1.0,), (3.0,)])
    found, _ = replicated(lambda replicate: one)
    assert found.labels.tolist() == [WRONG] * 5


def test_of_starts_that_rounding_tells_apart_the_first_counts():
    assert cells.least([(2.0,), (1.0 + 1e-12,), (1.0,)]) == 1
    assert cells.least([(2.0,), (1.0 + 1e-6,), (1.0,)]) == 2
    assert cells.least([(-5.0 + 1e-12,), (-5.0,)]) == 0
    assert cells.least([(1, 1.0), (0, 1.0)]) == 1


def varying(replicate):
    """One cluster or the classes, in turn."""
    return of_starts([RIGHT if replicate % 2 else ONE])


@pytest.mark.parametrize(
    ("make", "rule", "expected"),
    [
        (lambda replicate: of_starts([RIGHT]), {}, 5),  # no spread
        (varying, {}, 20),
        (varying, {"most": 12}, 10),  # whole rounds
        (varying, {"error": 0.2}, 10),  # the error is .24 after five, .17 after ten
        (varying, {"objects": 40}, 10),
        (varying, {"objects": 1}, 5),
        (varying, {"trials": 3}, 3),  # of a quick effort
        (varying, {"trials": 1}, 1),
    ],
)
def test_a_cell_is_repeated_until_its_mean_is_known(make, rule, expected):
    found, made = replicated(make, **rule)
    assert made == list(range(expected))
    assert len(found.labels) == expected


def test_what_is_settled_is_clustered_once():
    found, made = replicated(lambda replicate: of_starts([WRONG], **{cells.SETTLED: True}))
    assert (found.labels.tolist(), made) == ([WRONG] * 5, [0])


def test_records_have_the_spread_over_replicates():
    found, _ = replicated(varying, most=5)
    record = cells.summary(found)
    ari = [0.0, 1.0, 0.0, 1.0, 0.0]
    assert (record["replicates"], record["clusters"]) == (5, pytest.approx(1.4))
    assert (record["ari"], record["purity"]) == (pytest.approx(0.4), pytest.approx(0.7))
    assert record["ari_sd"] == pytest.approx(statistics.stdev(ari))
    assert record["ari_error"] == pytest.approx(statistics.stdev(ari) / 5**0.5)
    single = cells.summary(replicated(varying, trials=1)[0])
    assert single["ari_sd"] is single["ari_error"] is None


LIKELIHOODS = {"log_likelihoods_": np.array([-9.0, -4.0])}


@pytest.mark.parametrize(
    ("fitted", "expected"),
    [
        ({}, None),
        (LIKELIHOODS, (4.0,)),
        (LIKELIHOODS | {"inertia_": 3.0}, (3.0,)),
        (LIKELIHOODS | {"inertia_": 3.0, "rank_": (1, 2.0)}, (1.0, 2.0)),
    ],
)
def test_objectives_are_those_of_the_algorithms(fitted, expected):
    assert objective(SimpleNamespace(**fitted)) == expected


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Three groups of objects in five attributes, with noise."""
    path = tmp_path_factory.mktemp("starts")
    rng = np.random.default_rng(8)
    labels = np.repeat([0, 1, 2], 20)
    noise = rng.integers(3, size=(60, 5))
    codes = np.where(rng.random((60, 5)) < 0.7, labels[:, None], noise)
    data_inputs(path, CategoricalTable.from_codes(codes), labels, "values", numeric=[])
    return path


def asked(folder, name="learned", measure=None, methods=(), trials=10, **parameters):
    registered = {one: {"class": LEARNED[one], "label": one.upper()} for one in methods}
    return experiment(folder, measure, name, trials, registered, **RULES | parameters)


def gridded(made):
    return cells_of(grid.grid(made))


def test_every_method_has_the_same_number_of_starts(folder):
    every = list(learned(asked(folder, methods=LEARNED)))
    found = [one for one in every if one["kind"] == "cell"]
    assert [(one["measure"], one["algorithm"]) for one in found] == [(n, n) for n in LEARNED]
    found += [gridded(asked(folder, "grid", "smd"))["kmodes"]]
    assert {(one["outcome"], one["replicates"] in (3, 6)) for one in found} == {("ok", True)}
    assert all(one["ari"] > 0.3 for one in found)
    made = asked(folder)
    drawn = [[rng.random() for rng in cells.seeds(made, "x", replicate)] for replicate in (0, 1)]
    assert len({*itertools.chain(*drawn)}) == 2 * RULES["restarts"]


def test_the_labels_that_were_chosen_are_kept(folder):
    made = asked(folder, methods=["latent_classes"])
    one = next(learned(made))
    kept = list(made.runner.kept)
    assert [key["trial"] for key, _ in kept] == list(range(one["replicates"]))
    assert {len(labels) for _, labels in kept} == {60}
    assert one["clusters"] == np.mean([len(np.unique(labels)) for _, labels in kept])


def test_an_interrupted_job_keeps_its_choice(folder, monkeypatch):
    first = list(learned(asked(folder, "resumed", methods=["coforest"])))
    monkeypatch.setattr(cells, "least", lambda *_: pytest.fail("chosen again"))
    assert list(learned(asked(folder, "resumed", methods=["coforest"]))) == first


@pytest.mark.parametrize(("measure", "anew"), [("cde", True), ("smd", False)])
def test_a_random_measure_is_learnt_anew_in_each_replicate(folder, measure, anew):
    made = asked(folder, "grid", measure)
    fitted = cells.fits(made, prepared(made))
    assert (fitted(0) is not fitted(1)) == anew
    assert fitted(1) is fitted(1)
    assert gridded(made)["ward"]["outcome"] == "ok"


def test_a_hierarchy_without_ties_is_settled():
    rng = np.random.default_rng(4)
    distances = rng.random(45)
    assert cells.unordered(Ward(3).fit(distances)) == {cells.SETTLED: True}
    assert cells.unordered(Ward(3).fit(distances.round(1))) == {}


def test_bic_is_a_note_beside_the_cells(folder):
    cell, note = learned(asked(folder, methods=["latent_classes"]))
    assert (cell["kind"], note["kind"]) == ("cell", "classes")
    assert note["classes"] == 3
    # noise of three attributes in ten leaves three groups: BIC finds no more of them
    assert 1 <= note["preferred"] <= 3
    large = asked(folder, methods=["latent_classes"], limit=59)
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
    data_inputs(tmp_path, table, labels, "values", numeric=[])
    (one,) = learned(asked(tmp_path, methods=["disc"]))
    assert (one["outcome"], one["rule"]) == ("left out", "failed")
    assert "as many different rows" in one["detail"]
