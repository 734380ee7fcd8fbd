"""Every documented option of a run, with another value than the default: no table fails."""

import json

import pytest
from kit import parsed

from replication.plan.configuration import overlaid
from replication.plan.model import Config, Data, Limits
from replication.plan.plan import Plan
from replication.show import tables

pytestmark = [pytest.mark.workflow, pytest.mark.slow]

OPTIONS = {
    "limits.datasets": [["movie"], ["information_table"], ["zoo"], ["person", "zoo"], ["table1"]],
    "limits.row_orders": [1],
    "limits.samples": [1],
    "limits.trials": ["printed", 1],
    "data.official": [True],
    "data.timeout": [0.5],
    "data.mirrors": [["elsewhere"]],
    "papers": [["caso"]],
    "seed": [3],
}
"""Values of each option that changes no file that is read; `effort`, `what_if` and
`limits.independent` do."""
CASES = [(key, value) for key, values in OPTIONS.items() for value in values]


def test_every_option_has_a_value_here():
    inner = {"limits": Limits, "data": Data}
    found = {key for key in Config.model_fields if key not in inner}
    found |= {f"{key}.{name}" for key, kind in inner.items() for name in kind.model_fields}
    assert found == {*OPTIONS, "effort", "what_if", "limits.independent"}


@pytest.mark.parametrize(("key", "value"), CASES, ids=lambda one: str(one))
def test_every_table_is_made_or_not_run(quick, tmp_path, monkeypatch, key, value):
    monkeypatch.chdir(quick.root)
    config = parsed(quick.root / "config/config.yaml")
    config = overlaid(config, parsed(quick.root / "config/quick.yaml"))
    *outer, last = key.split(".")
    given = {last: value}
    for name in reversed(outer):
        given = {name: given}
    plan = Plan.load(overlaid(config, given), quick.root, "config")
    made = 0
    for paper in plan.config["papers"]:
        for artefact in plan.artefacts(paper):
            spec = json.loads(plan.spec("table", paper=paper, artefact=artefact))
            files = {"csv": tmp_path / "a.csv", "verdicts": tmp_path / "v.csv"}
            tables.run(spec=spec, published=quick.root / "data/published", **files)
            made += 1
    assert made == sum(len(plan.artefacts(paper)) for paper in plan.config["papers"])
