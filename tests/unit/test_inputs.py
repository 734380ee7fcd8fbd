"""Lists of input files, written short and read back."""

import pytest

from replication.plan.catalog import Catalog
from replication.plan.configuration import read_yaml
from replication.plan.judging import artefact_inputs
from replication.steps import compact, expand


def record(dataset, file, **other):
    return {"role": "experiment", "id": "grid", "dataset": dataset, "file": file} | other


def test_records_that_differ_in_the_data_set_become_one():
    records = [record(name, f"r/x/grid.{name}.csv") for name in ("car", "vote")]
    assert compact(records) == [
        {"role": "experiment", "id": "grid", "datasets": ["car", "vote"]}
        | {"file": "r/x/grid.{dataset}.csv"}
    ]
    assert expand(compact(records)) == records


@pytest.mark.parametrize(
    "records",
    [
        [{"role": "tests", "id": "toy", "file": "r/tests/toy.csv"}],
        [record("car", "r/x/grid.car.csv")],
        [record("car", "r/x/odd.csv"), record("vote", "r/x/even.csv")],
        [record("car", "r/x/car.bins.csv"), record("vote", "r/x/vote.mdl.csv")],
        [record("car", "r/car.csv", reading="a"), record("vote", "r/vote.csv", reading="b")],
    ],
)
def test_what_does_not_fit_stays_as_it_is(records):
    assert compact(records) == records
    assert expand(records) == records


def test_data_sets_may_lead_the_name_or_end_it():
    records = [record(name, f"r/{name}.mdl.npz") for name in ("car", "vote")]
    records += [record(name, f"r/grid.{name}.csv", id="other") for name in ("car", "vote")]
    assert [one["file"] for one in compact(records)] == [
        "r/{dataset}.mdl.npz",
        "r/grid.{dataset}.csv",
    ]
    assert expand(compact(records)) == records


def test_every_list_of_the_configuration_is_read_back(pytestconfig):
    root = pytestconfig.rootpath
    catalog = Catalog.load(read_yaml(root / "config/config.yaml", "config"), root)
    for paper in catalog.papers:
        for artefact in catalog.artefacts(paper):
            records = artefact_inputs(catalog, paper, artefact)
            key = sorted(str(sorted(one.items())) for one in records)
            assert sorted(str(sorted(one.items())) for one in expand(compact(records))) == key
