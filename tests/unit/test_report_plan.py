"""What the plan says to the report: its inputs, its order, and what every number rests on."""

import json
from pathlib import Path

from kit import ROOT

from replication.plan.components import dependencies_of, links
from replication.plan.configuration import read_yaml
from replication.plan.plan import Plan


def test_the_rule_names_all_files_that_the_page_shows(catalog):
    spec, inputs = json.loads(catalog.spec("report")), catalog.inputs("report")
    named = set(inputs["artefacts"])
    for paper in spec["papers"]:
        if paper["id"] in spec["beside"]:
            continue  # made by a run of its own
        for entry in paper["artefacts"]:
            base = f"{spec['roots']['figures']}/{paper['id']}/{entry['id']}"
            assert {f"{base}.{kind}" for kind in ("csv", "md", "tex")} <= named
            assert (f"{base}.svg" in named) == ("figure" in entry["outputs"])
    assert {Path(name).name for name in inputs["ledger"]} == {
        "verdicts.csv",
        "claims.csv",
        "deviations.csv",
        "unavailable.csv",
    }
    assert inputs["findings"] == ["figures/findings.md"]
    assert {Path(name).suffix for name in inputs["assets"]} == {".css", ".js", ".jinja"}
    assert all((ROOT / name).is_file() for name in inputs["assets"])


def test_the_overlay_of_an_effort_is_part_of_the_commands():
    config = read_yaml(ROOT / "config/config.yaml", "config")
    for effort, overlay in (("quick", " --configfile config/quick.yaml"), ("other", "")):
        loaded = Plan.load({**config, "effort": effort}, ROOT)
        assert json.loads(loaded.spec("report"))["overlay"] == overlay


def test_every_number_has_its_configuration_and_its_code(catalog):
    found = links(catalog, catalog.config["papers"])
    for key, piece in found["components"].items():
        file, line = piece["config"].split(":")
        text = (ROOT / file).read_text("utf-8").splitlines()[int(line) - 1]
        head = text.split(":")[0].strip()
        assert piece["id"] == head or piece["id"].startswith(f"{head}_"), key
        if "class" in piece and piece["class"].partition(".")[0] in ("couplings", "replication"):
            file, line = piece["source"].split(":")
            text = (ROOT / file).read_text("utf-8").splitlines()[int(line) - 1]
            assert piece["class"].partition(":")[2] in text, key


def test_the_chain_of_a_number_goes_from_the_data_to_the_table(catalog):
    all_links = links(catalog, catalog.config["papers"])
    number = {"paper": "dilca", "artefact": "fig05", "dataset": "vote", "method": "delta"}
    for reading, algorithm in (
        ("reconciled", "ward_r"),
        ("literal", "ward_d2"),
        ("fixed", "ward_r"),
    ):
        found = [
            all_links["components"][key]
            for key in dependencies_of(all_links, {**number, "reading": reading})
        ]
        assert [one["role"] for one in found] == [
            "data set",
            "preparation",
            "measure",
            "algorithm",
            "table",
        ]
        assert found[3]["id"] == algorithm
    assert found[0]["of"] == "house_votes"
    assert found[3]["readings"] == {"dilca.ward": "D", "dilca.ties": "R"}
    number = {"paper": "coupledmc", "artefact": "table06", "dataset": "zoo", "method": "coupledmc"}
    number["reading"] = "reconciled"
    found = [all_links["components"][key] for key in dependencies_of(all_links, number)]
    assert [one["role"] for one in found] == ["data set", *["experiment"] * 3, "table"]
