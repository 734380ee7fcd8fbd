"""Planted tables have the clusters, shares, dependence and distances that were asked for."""

import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit import ROOT, configuration, examples, job_of, recorded, texts
from matplotlib.text import Text

from couplings import Ward
from couplings.values import ValueMatrices
from replication.files import read_rows, write_rows
from replication.judge.published import nothing_printed
from replication.papers.planted import experiments, figures, tables
from replication.papers.planted.experiments import (
    chained,
    cluster_labels,
    dependent_attributes,
    latent_classes,
    ordered_values,
)
from replication.plan.plan import Plan
from replication.run import trials
from replication.run.records import record_rows

BASE = configuration("planted")["experiments"]["noise"]["parameters"]["settings"]


def random(seed=1):
    return np.random.default_rng(seed)


def shares(codes, labels, values):
    """Share of every value in every cluster, shape (attributes, clusters, values)."""
    one_hot = codes[:, :, None] == np.arange(values)
    return np.stack([one_hot[labels == c].mean(axis=0) for c in np.unique(labels)], axis=1)


@given(st.integers(1, 6), st.floats(1, 30), st.integers(60, 500))
@examples(40)
def test_cluster_sizes_have_the_ratio_that_was_asked_for(clusters, ratio, objects):
    sizes = np.bincount(cluster_labels(objects, clusters, ratio, random()), minlength=clusters)
    expected = ratio ** np.linspace(0, 1, clusters)
    assert sizes.sum() == objects
    assert np.abs(sizes - objects * expected / expected.sum()).max() <= 1


GENERATORS = {
    latent_classes: BASE,
    dependent_attributes: {**BASE, "irrelevant": 0.5, "relevant": 0.5, "among": 0.5},
    ordered_values: configuration("planted")["experiments"]["order"]["parameters"]["settings"],
}


@pytest.mark.parametrize("generator", GENERATORS)
@given(st.integers(0, 2**31), st.sampled_from([2, 5, 20]))
@examples(10)
def test_the_same_seed_gives_the_same_table(generator, seed, values):
    first, again, other = (
        generator(random(one), **{**GENERATORS[generator], "values": values})
        for one in (seed, seed, seed + 1)
    )
    assert np.array_equal(first.codes, again.codes)
    assert np.array_equal(first.labels, again.labels)
    assert not np.array_equal(first.codes, other.codes)
    assert first.codes.shape == (BASE["objects"], BASE["attributes"])
    assert 0 <= first.codes.min() <= first.codes.max() < values
    assert (np.diff(first.labels) < 0).any(), "rows stand in the order of the clusters"


def test_irrelevant_attributes_have_one_distribution_in_all_clusters():
    made = latent_classes(random(), **{**BASE, "objects": 30_000, "irrelevant": 0.75})
    spread = np.ptp(shares(made.codes, made.labels, 5), axis=1).max(axis=1)
    assert spread[:4].min() > 0.05
    assert spread[4:].max() < 0.03


def test_with_noise_alone_every_value_is_as_frequent():
    made = latent_classes(random(), **{**BASE, "objects": 30_000, "noise": 1.0})
    assert shares(made.codes, made.labels, 5) == pytest.approx(0.2, abs=0.03)


def test_each_cluster_has_its_drawn_distribution_of_values():
    settings = BASE | {"objects": 30_000, "noise": 0.0, "irrelevant": 0.0, "attributes": 1}
    rng = random()
    labels = cluster_labels(30_000, settings["clusters"], settings["ratio"], rng)
    wanted = rng.dirichlet(np.ones(settings["values"]), size=settings["clusters"])
    codes = latent_classes(random(), **settings).codes
    assert shares(codes, labels, settings["values"])[0] == pytest.approx(wanted, abs=0.03)


def test_attributes_of_latent_classes_are_independent_within_a_cluster():
    made = latent_classes(random(), **{**BASE, "objects": 30_000, "values": 2})
    for cluster in range(3):
        related = np.corrcoef(made.codes[made.labels == cluster].T)
        assert np.abs(related - np.eye(16)).max() < 0.05


@given(st.sampled_from([0.0, 0.25, 0.5, 1.0]), st.integers(0, 1000))
@examples(20)
def test_an_attribute_follows_the_one_before_in_the_share_asked_for(strength, seed):
    codes = random(seed).integers(5, size=(5000, 4))
    made = chained(codes, 5, strength, random(seed))
    assert np.array_equal(made[:, 0], codes[:, 0])
    for before, after in zip(made.T[:-1], made.T[1:], strict=True):
        together = np.zeros((5, 5))
        np.add.at(together, (before, after), 1)
        # what does not follow meets the function in one of five cases
        share = together.max(axis=1).sum() / len(codes)
        assert share == pytest.approx(strength + (1 - strength) / 5, abs=0.04)


def test_dependence_is_within_relevant_and_irrelevant_attributes_only():
    settings = {**BASE, "irrelevant": 0.5, "relevant": 0.0, "among": 1.0}
    codes = dependent_attributes(random(), **settings).codes
    distinct = [len(np.unique(codes[:, [j, j + 1]], axis=0)) for j in range(15)]
    assert max(distinct[8:]) <= 5
    assert min(distinct[:8]) > 5


def test_distances_of_values_that_are_the_true_ones_agree():
    made = ordered_values(random(), **GENERATORS[ordered_values])
    assert made.ordered
    true = np.abs(np.arange(5.0)[:, None] - np.arange(5))
    blocks = [true[np.ix_(levels, levels)] for levels in map(np.unique, made.codes.T)]
    assert experiments.agreement(ValueMatrices.from_blocks(blocks), made.codes) == 1
    flat = ValueMatrices.from_blocks([(block > 0) * 1.0 for block in blocks])
    assert experiments.agreement(flat, made.codes) == 0
    two = np.minimum(made.codes, 1)
    pairs = ValueMatrices.from_blocks([1 - np.eye(2)] * 16)
    assert experiments.agreement(pairs, two) is None


def test_without_noise_objects_of_a_cluster_are_alike():
    made = ordered_values(random(), **{**GENERATORS[ordered_values], "noise": 1e-9})
    assert len(np.unique(made.codes, axis=0)) == 3


NAMES = configuration("planted")["artefacts"]["order"]["parameters"]["factors"]


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """Records of ordered values as quick effort makes them, on few and small tables."""
    place = tmp_path_factory.mktemp("planted")
    plan = Plan.of_effort(ROOT, "quick", check=False)
    spec = json.loads(plan.spec("trials", paper="planted", dataset="none", batch="order"))
    (experiment,) = spec["experiments"]
    assert experiment["trials"] == 3
    experiment["journal"] = str(place / "journal")
    experiment["parameters"]["settings"] |= {"objects": 60, "attributes": 4}
    experiment["parameters"]["factors"] = {"noise": [0.2], "values": [2, 5]}
    trials.run(spec, place / "first", place / "labels")
    trials.run(spec, place / "again", place / "labels")
    assert Path(place, "first/order.parquet").read_bytes() == (
        Path(place, "again/order.parquet").read_bytes()
    )
    return record_rows(place / "first/order.parquet")


def test_every_measure_meets_every_algorithm_on_the_same_tables(small):
    assert len(small) == 2 * 3 * (6 + 6 + 2)
    assert {row["agreement"] is None for row in small if row["values"] == 2} == {True}
    assert {
        row["agreement"] for row in small if row["values"] == 5 and row["measure"] == "smd"
    } == {0.0}
    assert all(-1 <= row["ari"] <= 1 for row in small)


def invented(gain):
    """Records where CADO gains or loses so much on five values and nothing on two."""
    found = []
    for values, trial in ((values, trial) for values in (2, 5) for trial in range(6)):
        row = {"noise": 0.2, "values": values, "trial": trial, "algorithm": "ward_r"}
        base = {"measure": "smd", "label": "SMD", "ari": 0.5 + 0.01 * trial}
        own = {"measure": "cado", "label": "CADO"}
        own |= {"ari": base["ari"] + (0.001 * (-1) ** trial if values == 2 else gain + trial / 1e4)}
        more = {"blind": False, "agreement": None if values == 2 else 0.75}
        found += [row | base | more, row | own | more]
    return found


def sheets(tmp_path, rows):
    """Both kinds of table of some records of ordered values."""
    inputs = [recorded(tmp_path / "order.parquet", rows, experiment="order", dataset="")]
    job = job_of("planted", "order", experiments=["order"], inputs=inputs)
    nothing = nothing_printed()
    return (
        tables.gains(job, nothing, NAMES),
        tables.summary(job, nothing, {"order": NAMES}, ["cado"]),
    )


@pytest.mark.parametrize(("gain", "decision"), [(0.3, "gain"), (-0.3, "loss")])
def test_tables_and_sentences_follow_the_numbers(tmp_path, gain, decision):
    sheet, summary = sheets(tmp_path, invented(gain))
    assert [row["decision"] for row in sheet.data] == ["undecided", decision]
    first, second = texts(sheet)
    assert first["gain cado"] == "0.000 ± 0.000"
    assert second["gain cado"] == f"{gain:.3f} ± 0.000*"
    assert (second["simple"], second["agreement cado"]) == ("0.53 ± 0.02", "0.75")
    counts = "1 and 0" if gain > 0 else "0 and 1"
    assert f"Ward: CADO {counts}. Simple matching has an ARI below 0.1 in 0 of 2" in sheet.caption
    assert f"Ward, gains and losses in 2 settings: CADO {counts}." in summary.legend
    moves = "highest at 5, lowest at 2" if gain > 0 else "highest at 2, lowest at 5"
    assert any(
        f"values per attribute: Ward {moves}: 0.000 (2), {gain:.3f} (5)." in line
        for line in summary.legend
    )
    extreme = f"CADO with Ward, {gain:.2f} (deviation in ranges 0.2, values per attribute 5)"
    assert extreme in summary.caption


def test_tables_where_a_measure_sees_nothing_are_counted(tmp_path):
    rows = [row | {"blind": row["measure"] == "cado"} for row in invented(0.3)]
    sheet, _ = sheets(tmp_path, rows)
    assert sheet.legend[3].endswith("(ARI 0): CADO: 12.")


def test_the_picture_has_a_sign_in_each_decided_cell(tmp_path):
    sheet, _ = sheets(tmp_path, invented(-0.3))
    write_rows(tmp_path / "order.csv", sheet.data_columns, sheet.data)
    spec = {"label": "Toy", "parameters": {"factors": NAMES}}
    figure, title = figures.gains(spec, read_rows(tmp_path / "order.csv"))
    size = figure.get_size_inches()[1]
    assert (title, size) == ("gain in ARI over simple matching", pytest.approx(2.0))
    simple, cado, _, agreement = (
        [one.get_text() for one in axes.findobj(Text) if one in axes.texts] for axes in figure.axes
    )
    assert (simple, cado, agreement) == (["52", "52"], ["·", "−30"], ["75"])


def test_records_of_a_run_make_tables_and_pictures(small, tmp_path):
    sheet, summary = sheets(tmp_path, small)
    assert len(sheet.data) == 2 * (5 + 5 + 1)
    assert len(summary.data) == 3 * (5 + 5 + 1)


def test_the_start_with_the_lowest_objective_is_scored(monkeypatch):
    labels = [np.array([0, 1, 0, 1]), np.array([1, 1, 0, 0])]
    found = SimpleNamespace(objectives=[(3.0,), (1.0,)], labels=labels)
    monkeypatch.setattr(experiments, "cluster", lambda *_, **__: found)
    objects = SimpleNamespace(classes=np.array([0, 0, 1, 1]), n_classes=2)
    experiment = SimpleNamespace(algorithm=lambda name, n_clusters: Ward(n_clusters))
    assert experiments._ari(experiment, objects, None, "ward_r", []) == 1
