"""Times of DILCA: the experiments that measure, and their tables and figures."""

import numpy as np
import pandas as pd
import pytest
from kit import coded_inputs, computed, costs_here, experiment_of

from couplings.counts import cooccurrence
from couplings.measures.dilca import DilcaM
from couplings.table import CategoricalTable
from replication.data.gaussian import gaussian_classes
from replication.data.store import Tables
from replication.papers.dilca import timings
from replication.papers.dilca.times import AXES
from replication.run import cost

REGISTRIES = {
    "measures": {
        "dilca_m": {"class": "couplings.measures.dilca:DilcaM"},
        "dilca_rr": {"class": "couplings.measures.dilca:DilcaRR"},
        "delta": {
            "class": "couplings.measures.contexts:AhmadDey",
            "parameters": {"aggregation": "rss"},
        },
    },
    "algorithms": {
        "rock_keep": {"class": "couplings.cluster.rock:Rock"},
        "limbo": {"class": "couplings.cluster.limbo:Limbo"},
    },
}
PARAMETERS = {
    "values": 4,
    "instances": {"sizes": [20, 40], "attributes": 3},
    "attributes": {"sizes": [2, 4], "instances": 20, "beyond": [{"attributes": 5, "values": 3}]},
    "long": {"sizes": [60, 120], "attributes": 3},
    "plain_sizes": 20,
    "euclidean_sizes": 40,
}


def experiment(tmp_path, run="scalability", inputs=(), parameters=PARAMETERS, dataset=""):
    spec = {"dataset": dataset, "parameters": parameters, "inputs": list(inputs), **REGISTRIES}
    spec["preparations"] = ["bins10"]
    return experiment_of(tmp_path / "partial", "dilca", run, **spec)


def times(axis, size, method, phase, seconds):
    objects, attributes = (size, 50) if AXES[axis] == "objects" else (1000, size)
    row = {"axis": axis, "objects": objects, "attributes": attributes, "values": 10}
    row |= {"method": method, "phase": phase, "dataset": None, "status": "ok"}
    taken = {"seconds": seconds, "slowest": 1.01 * seconds, "repeats": 3, "step": 1e-6, "calls": 1}
    return row | taken


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    """Records of the small experiment, and those of a second job that finds them finished."""
    folder = tmp_path_factory.mktemp("scalability")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(timings, "costs", costs_here)
        patch.setattr(cost, "costs", costs_here)
        return [list(computed(timings.scalability, experiment(folder))) for _ in range(2)]


def test_scalability_times_every_method_at_every_size(measured):
    frame = pd.DataFrame(measured[0])
    assert (frame["seconds"] > 0).all()
    assert (frame["seconds"] <= frame["slowest"]).all()
    found = dict(list(frame.groupby("axis")))
    assert set(found["instances"]["objects"]) == {20, 40}
    assert set(found["attributes"]["attributes"]) == {2, 4}
    assert set(found["beyond"]["values"]) == {3}
    assert set(found["long"]["phase"]) == {"counts", "values"}
    methods = {axis: set(part["method"]) for axis, part in found.items()}
    learnt = {"all", "dilca_m", "dilca_rr", "delta"}
    assert methods["instances"] == learnt | {"limbo", "rock", "one_hot_ward", "plain"}
    # the paper times no ROCK against attributes
    assert methods["attributes"] == learnt | {"limbo"}
    assert methods["beyond"] == methods["long"] == learnt
    plain = found["instances"][found["instances"]["method"] == "plain"]
    assert plain["objects"].tolist() == [20]
    # memory only where a table has a process of its own
    assert (found["beyond"]["before_mib"] <= found["beyond"]["peak_mib"]).all()
    assert found["instances"]["peak_mib"].isna().all()


def test_a_killed_timing_goes_on(measured):
    first, again = measured
    assert again == first


@pytest.mark.parametrize("sigma", [0.0, 0.6, 1.0])
def test_the_plain_version_is_dilca_m(sigma):
    rng = np.random.default_rng(5)
    codes, _ = gaussian_classes(80, 5, 4, 3, 6.0, rng)
    table = CategoricalTable.from_codes(codes, [4] * 5)
    ours = DilcaM(sigma).fit(cooccurrence(table)).value_matrices_
    for j, matrix in enumerate(timings.plain_dilca_m(table.to_pandas(), sigma)):
        # a value that never occurs is at distance 0 in the library, by convention
        occurs = np.bincount(codes[:, j], minlength=4) > 0
        inside = np.ix_(occurs, occurs)
        np.testing.assert_allclose(matrix[inside], ours.block(j)[inside], atol=1e-12)


@pytest.mark.slow
def test_cost_measures_in_a_process_of_its_own(tmp_path):
    codes = np.random.default_rng(2).integers(0, 3, (30, 4))
    content = Tables(
        {"status": "ok", "reason": "", "tables": 1, "classes": ["a", "b"]},
        [CategoricalTable.from_codes(codes)],
        [np.arange(30) % 2],
    )
    run = {"method": "rock", "algorithm": "rock_keep", "parameters": {"theta": 0.2}}
    parameters = {"preparation": "bins10", "runs": [run]}
    inputs = coded_inputs(tmp_path / "tables.npz", bins10=content)
    (row,) = computed(timings.cost, experiment(tmp_path, "cost", inputs, parameters))
    assert (row["method"], row["setting"], row["objects"]) == ("rock", "theta=0.2", 30)
    assert row["seconds"] <= row["slowest"]
    assert 10 < row["before_mib"] <= row["peak_mib"] < 10_000


def test_operations_are_those_of_the_loops(tmp_path):
    given = {name: PARAMETERS[name] for name in ("values", "instances", "attributes")}
    found = list(computed(timings.operations, experiment(tmp_path, "operations", parameters=given)))
    assert [(one["axis"], one["objects"], one["attributes"]) for one in found[::2]] == [
        *(("instances", n, 3) for n in (20, 40)),
        *(("attributes", 20, m) for m in (2, 4)),
    ]
    for one in found:
        m, v = one["attributes"], 4
        assert one["scan"] == one["objects"] * m * (m - 1) // 2
        cells, terms = v * v * m * (m - 1) // 2, 6 * v * m * (m - 1)
        # of n attributes at least one and at most all others are a context
        assert cells + terms + 6 * m <= one["learning"] <= cells + terms + 7 * m * (m - 1)
    assert [one["method"] for one in found[:2]] == ["dilca_m", "dilca_rr"]
