"""What the steps that judge and show need: inputs and specification of each of their jobs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from replication.errors import UserError
from replication.plan.computing import (
    choices,
    direct,
    experiment_entry,
    outputs_of,
    trials_entry,
)
from replication.plan.layout import PUBLISHED

if TYPE_CHECKING:
    from replication.plan.catalog import Catalog


def claims_entries(catalog: Catalog, paper: str) -> list[dict[str, Any]]:
    """Evidence of the claims, as `Records` takes it: tables, experiments and tests of the paper."""
    content = catalog.papers[paper]
    entries = [
        {
            "role": "table",
            "artefact": artefact,
            "file": catalog.file("table", paper=paper, artefact=artefact),
        }
        for artefact in catalog.artefacts(paper)
    ]
    entries += [experiment_entry(catalog, paper, name) for name in content["experiments"]]
    if content.get("comparisons"):
        entries.append({"role": "tests", "file": catalog.file("tests", paper=paper)})
    return entries


def claims_inputs(catalog: Catalog, paper: str) -> dict[str, list[str]]:
    """Inputs of `claims`: the evidence and the printed numbers and claims."""
    return {
        "files": outputs_of(claims_entries(catalog, paper)),
        "published": [*published(catalog, paper), f"{PUBLISHED}/claims.csv"],
    }


def claims_spec(catalog: Catalog, paper: str) -> dict[str, Any]:
    """Specification of `claims`: see `replication.judge.claims.Evidence`."""
    return {
        "paper": paper,
        "effort": catalog.config["effort"],
        "inputs": claims_entries(catalog, paper),
    }


def method_entry(catalog: Catalog, paper: str, method: str) -> dict[str, Any]:
    """What a table must know of a method."""
    entry = catalog.papers[paper]["methods"][method]
    found = {key: entry.get(key) for key in ("label", "grid", "select", "fixed")}
    return found | ({"beside": sorted(entry["beside"])} if "beside" in entry else {})


def artefact_entries(catalog: Catalog, paper: str, artefact: str) -> list[dict[str, Any]]:
    """What an artefact is made of, as `replication.run.records.Records` takes it.

    The roles are ``trials`` (of a ``method``), ``facts``, ``tables``, ``similarity``,
    ``experiment`` and ``tests``.
    """
    content = catalog.papers[paper]
    entry = content["artefacts"][artefact]
    computed = catalog.computed(paper)
    datasets = [name for name in entry.get("datasets", []) if name in computed]
    entries = [
        trials_entry(catalog, paper, method, datasets) for method in entry.get("methods", [])
    ]
    roles = ["facts"] if "preparations" in entry else []
    roles += ["tables"] if "preparations" in entry or "preparation" in entry else []
    roles += ["similarity"] if direct(entry) else []
    for role in roles:
        file = catalog.file(role, paper=paper, dataset="{dataset}")
        entries.append({"role": role, "datasets": datasets, "file": file})
    entries += [experiment_entry(catalog, paper, name) for name in entry.get("experiments", [])]
    if entry.get("tests"):
        entries.append({"role": "tests", "file": catalog.file("tests", paper=paper)})
    return entries


def table_inputs(catalog: Catalog, paper: str, artefact: str) -> dict[str, list[str]]:
    """Inputs of `table`: its records and the printed numbers."""
    return {
        "files": outputs_of(artefact_entries(catalog, paper, artefact)),
        "published": published(catalog, paper),
    }


def published(catalog: Catalog, paper: str) -> list[str]:
    """Files of the printed numbers of a paper."""
    found = (catalog.root / PUBLISHED).glob(f"{paper}_*.csv")
    return [f"{PUBLISHED}/{path.name}" for path in sorted(found)]


def table_spec(catalog: Catalog, paper: str, artefact: str) -> dict[str, Any]:
    """Specification of `table`.

    Keys: paper, artefact, effort; the keys of the artefact's entry (kind, label, score, ...);
    ``datasets`` (id, printed), ``methods`` (id, label, grid, select, fixed, and ``beside`` if
    it has pipelines beside the readings), ``readings``,
    ``choices`` (reading to answers of the questions that tables ask), ``notes``, ``inputs``
    (see `artefact_entries`) and ``left_out`` (dataset, reason).
    """
    content = catalog.papers[paper]
    spec = artefact_spec(catalog, paper, artefact)
    if not content.get("prints", True):
        spec["prints"] = False
    spec["notes"] = [
        note
        for note in content.get("notes", [])
        if note.get("artefact", artefact) == artefact
        and (
            "dataset" not in note
            or note["dataset"] in content["artefacts"][artefact].get("datasets", [])
        )
        and (
            "method" not in note
            or not content["methods"]
            or note["method"] in content["artefacts"][artefact].get("methods", [])
        )
    ]
    spec["choices"] = {reading: choices(catalog, paper, reading) for reading in content["readings"]}
    return spec


def artefact_spec(catalog: Catalog, paper: str, artefact: str) -> dict[str, Any]:
    """What `table` and `figure` of an artefact both depend on."""
    content = catalog.papers[paper]
    entry = content["artefacts"][artefact]
    computed = catalog.computed(paper)
    reason = f"left out by limits.datasets (effort {catalog.config['effort']})"
    return {
        **{key: value for key, value in entry.items() if key != "outputs"},
        "paper": paper,
        "artefact": artefact,
        "effort": catalog.config["effort"],
        "seed": catalog.config["seed"],
        "readings": content["readings"],
        "datasets": [
            {
                "id": name,
                "printed": content["datasets"][name]["printed"],
                **(
                    {"reachable": content["datasets"][name].get("reachable", {})}
                    if entry["kind"] == "dataset_characteristics"
                    else {}
                ),
            }
            for name in entry.get("datasets", [])
        ],
        "methods": [
            {"id": method, **method_entry(catalog, paper, method)}
            for method in entry.get("methods", [])
        ],
        "inputs": artefact_entries(catalog, paper, artefact),
        "similarities": direct(entry),
        "left_out": [
            {"dataset": name, "reason": reason}
            for name in entry.get("datasets", [])
            if name not in computed
        ],
    }


def figure_inputs(catalog: Catalog, paper: str, artefact: str) -> dict[str, list[str]]:
    """Inputs of `figure`: the table of its artefact.

    Raises
    ------
    UserError
        If the artefact is a table alone.
    """
    if "figure" not in catalog.papers[paper]["artefacts"][artefact]["outputs"]:
        table = catalog.file("table", paper=paper, artefact=artefact)
        raise UserError(
            f"config/papers/{paper}.yaml: artefacts.{artefact} is a table and has no figure; "
            f"ask for {table}"
        )
    return {"table": [catalog.file("table", paper=paper, artefact=artefact)]}


def figure_spec(catalog: Catalog, paper: str, artefact: str) -> dict[str, Any]:
    """Specification of `figure`: that of `table` without notes, choices and inputs."""
    spec = artefact_spec(catalog, paper, artefact)
    return {key: value for key, value in spec.items() if key not in ("inputs", "similarities")}


def printed(catalog: Catalog) -> list[str]:
    """Papers of this run that print something: all but this project's own studies."""
    return [
        paper for paper in catalog.config["papers"] if catalog.papers[paper].get("prints", True)
    ]


def ledger_inputs(catalog: Catalog) -> dict[str, list[str]]:
    """Inputs of `ledger`: verdicts, claims, records of sources, printed numbers."""
    return {
        "verdicts": [record["file"] for record in ledger_spec(catalog)["artefacts"]],
        "claims": [catalog.file("claims", paper=paper) for paper in printed(catalog)],
        "sources": [catalog.file("raw_source", dataset=name) for name in catalog.sources()],
        "published": [path for paper in printed(catalog) for path in published(catalog, paper)],
    }


def ledger_spec(catalog: Catalog) -> dict[str, Any]:
    """Specification of `ledger`.

    Keys: effort; ``papers`` (id, title); ``artefacts`` (paper, artefact, label, file), in the
    order of the verdict files; ``sources`` (dataset, file, used_by), in the order of the
    source files.
    """
    papers = printed(catalog)
    return {
        "effort": catalog.config["effort"],
        "papers": [{"id": paper, "title": catalog.papers[paper]["title"]} for paper in papers],
        "artefacts": [
            {
                "paper": paper,
                "artefact": artefact,
                "label": catalog.papers[paper]["artefacts"][artefact]["label"],
                "file": catalog.file("verdicts", paper=paper, artefact=artefact),
            }
            for paper in papers
            for artefact in catalog.artefacts(paper)
        ],
        "sources": [
            {
                "dataset": name,
                "file": catalog.file("raw_source", dataset=name),
                "used_by": used_by(catalog, name),
            }
            for name in catalog.sources()
        ],
    }


def granularity_inputs(catalog: Catalog) -> dict[str, list[str]]:
    """The printed numbers."""
    return {"published": [file for paper in printed(catalog) for file in published(catalog, paper)]}


def granularity_spec(catalog: Catalog) -> dict[str, Any]:
    """Specification of `granularity`: papers (id, name)."""
    return rollup_spec(catalog)


def name_of(entry: Mapping[str, Any], paper: str) -> str:
    """What a paper is called in what is read: as its method, else by its id."""
    return str(entry.get("name", paper))


def rollup_spec(catalog: Catalog) -> dict[str, Any]:
    """Specification of `rollup`: papers (id, name), and the claims that measured times decide."""
    papers = {paper: catalog.papers[paper] for paper in printed(catalog)}
    return {
        "papers": [{"id": paper, "name": name_of(entry, paper)} for paper, entry in papers.items()],
        "timed": timed_claims(catalog),
    }


def timed_claims(catalog: Catalog) -> list[str]:
    """Claims of this run that measured times decide."""
    entries = [catalog.papers[paper].get("measured", {}) for paper in printed(catalog)]
    return [claim for entry in entries for claim in entry.get("claims", [])]


def used_by(catalog: Catalog, source: str) -> list[dict[str, Any]]:
    """Papers, their names for a data set, and their artefacts that need it."""
    return [
        {
            "paper": paper,
            "dataset": dataset,
            "artefacts": [
                name
                for name, entry in catalog.papers[paper]["artefacts"].items()
                if dataset in entry.get("datasets", [])
            ],
        }
        for paper in catalog.config["papers"]
        for dataset in catalog.computed(paper)
        if catalog.papers[paper]["datasets"][dataset].get("source") == source
    ]
