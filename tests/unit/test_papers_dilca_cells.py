"""Tables of DILCA across its figures, and the experiments behind its claims."""

import numpy as np
import pandas as pd
import pytest
from kit import coded_inputs, computed, experiment_of

from couplings.counts import cooccurrence
from couplings.measures.dilca import DilcaM
from couplings.table import CategoricalTable
from replication.data.store import Tables
from replication.papers.dilca import columns, properties


def experiment(tmp_path, parameters, table=None, labels=None, trials=1):
    inputs = []
    if table is not None:
        facts = {"status": "ok", "reason": "", "tables": 1, "classes": ["a", "b"]}
        coded = Tables(facts, [table], [labels])
        inputs = coded_inputs(tmp_path / "tables.npz", bins10=coded)
    rock = {"class": "couplings.cluster.rock:Rock", "parameters": {"label": "merge"}}
    return experiment_of(
        tmp_path / "partial",
        "dilca",
        "x",
        dataset="vote" if inputs else "",
        parameters=parameters,
        trials=trials,
        measures={
            "dilca_m": {"class": "couplings.measures.dilca:DilcaM"},
            "dilca_m_clipped": {"class": "couplings.measures.dilca:DilcaM"},
            "dilca_rr": {"class": "couplings.measures.dilca:DilcaRR"},
        },
        algorithms={"rock_merge": rock},
        inputs=inputs,
        preparations=["bins10"],
    )


def test_axioms_see_values_that_coincide():
    codes = np.array([[0, 0], [1, 0], [2, 1], [0, 0], [1, 0], [2, 1]])
    counts = cooccurrence(CategoricalTable.from_codes(codes, [4, 2]))
    found = properties.axioms(DilcaM(0.0).fit(counts), counts)
    # the first two values of the first attribute have one profile; the fourth never occurs
    assert (found["pairs"], found["coinciding"]) == (4, 1)
    assert found["asymmetry"] == found["diagonal"] == 0.0
    assert found["triangle"] <= 1e-12
    assert found["smallest_context"] == 1


def test_value_distances_cover_both_variants(tmp_path):
    codes = np.random.default_rng(3).integers(0, 3, (40, 4))
    table = CategoricalTable.from_codes(codes)
    parameters = {"preparation": "bins10", "sigmas": [0.0, 1.0]}
    rows = list(
        computed(
            properties.value_distances, experiment(tmp_path, parameters, table, np.arange(40) % 2)
        )
    )
    assert [(row["measure"], row["setting"]) for row in rows] == [
        ("dilca_m", "sigma=0"),
        ("dilca_m_clipped", "sigma=0"),
        ("dilca_m", "sigma=1"),
        ("dilca_m_clipped", "sigma=1"),
        ("dilca_rr", ""),
    ]
    assert rows[0]["smallest_context"] == 3
    assert all(0 <= row["highest"] <= 1 for row in rows)


def test_a_partition_is_described_by_its_clusters():
    labels_true = np.array([0] * 30 + [1] * 11)
    labels = np.array([1] * 10 + [0] * 30 + [2])
    found = columns.described(labels_true, labels)
    assert found["sizes"] == "30 10 1"
    assert found["small_pure"] == 1
    assert found["largest_share"] == pytest.approx(30 / 41)
    assert found["majority_share"] == pytest.approx(30 / 41)


def test_rock_clusters_mark_the_chosen_theta(tmp_path):
    codes = np.repeat([[0, 0, 0], [1, 1, 1]], [6, 4], axis=0)
    table, labels = CategoricalTable.from_codes(codes), np.repeat([0, 1], [6, 4])
    parameters = {"preparation": "bins10", "thetas": [0.2, 0.8], "rule": "purity-nmi-first"}
    rows = list(computed(columns.rock_clusters, experiment(tmp_path, parameters, table, labels)))
    assert [row["chosen"] for row in rows] == [True, False]
    assert {row["sizes"] for row in rows} == {"6 4"}


def test_theorems_hold_on_random_tables(tmp_path):
    rows = pd.DataFrame(
        computed(properties.theorems, experiment(tmp_path, {"objects": 60, "values": 4}, trials=20))
    )
    assert len(rows) == 20
    assert rows["su"].between(0, 1).all()
    np.testing.assert_allclose(rows["gain"], rows["gain_reversed"], atol=1e-12)
    np.testing.assert_allclose(rows["su_determined"], 1)
    np.testing.assert_allclose(rows["su_independent"], 0, atol=1e-12)
    assert (rows["vdm"] - rows["vdm_reversed"]).abs().max() > 0.01


def test_value_difference_by_hand():
    # shares (1/2, 1/2) and (1, 0): weights sqrt(1/2) and 1, squared differences 1/2
    first, second = np.array([1, 1]), np.array([2, 0])
    assert properties.value_difference(first, second) == pytest.approx(np.sqrt(0.5) / 2)
    assert properties.value_difference(second, first) == pytest.approx(0.5)
