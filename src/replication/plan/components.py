"""Describe the components of numbers: data sets, preparations, measures, algorithms, tables.

A description gives the line of the configuration that names the component and the line of the code
that computes it.
"""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from replication.plan.catalog import Catalog
from replication.plan.compute_jobs import pipelines, shown_similarities
from replication.plan.configuration import as_json

DATASET, TABLE, EXPERIMENT = "data set", "table", "experiment"
_STEPS = ("preparation", "measure", "algorithm")
"""Components of a pipeline."""
RECONCILED = "reconciled"
"""Reading that lends its pipeline to readings without one, such as ``fixed``."""
_SECTIONS = {
    DATASET: "datasets",
    "preparation": "preparations",
    EXPERIMENT: "experiments",
    TABLE: "artefacts",
}
"""Section of a paper's file, by component. Other components have a file of their own."""
_REGISTRIES = {"measure": "measures", "algorithm": "algorithms"}
_SELF_EVIDENT = ("class", "readings", "printed", "reachable", "source")


def component(catalog: Catalog, paper: str, role: str, name: str) -> dict[str, Any]:
    """Return the description of one component, see `links`."""
    section, registry = _SECTIONS.get(role, ""), _REGISTRIES.get(role, "")
    entry = catalog.papers[paper][section][name] if section else getattr(catalog, registry)[name]
    file = f"config/papers/{paper}.yaml" if section else f"config/{registry}.yaml"
    runs = entry.get("run") or entry.get("class", "")
    if role == TABLE:
        runs = f"replication.papers.{paper}.tables:{entry['kind']}"
    shown = entry.get("parameters", {})
    if role in ("preparation", DATASET):
        shown = {key: value for key, value in entry.items() if key not in _SELF_EVIDENT}
    found = {
        "role": role,
        "id": name,
        "config": f"{file}:{entry_line(catalog.root / file, section, name)}",
        "label": entry["label"] if role == TABLE else "",
        "class": runs,
        "source": catalog.code_sources.defined(runs),
        "parameters": as_json(shown) if shown else "",
        "of": entry.get("source") if role == DATASET else "",
        "readings": entry.get("readings") if role != TABLE else {},
    }
    return {key: value for key, value in found.items() if value}


def links(catalog: Catalog, papers: Iterable[str]) -> dict[str, Any]:
    """Return the components of all numbers of some papers, and the components of each number.

    A component has ``role``, ``id`` and ``config`` (``file:line``). If it has them, it also has
    ``source`` (``file:line``), ``class`` (class or function), ``parameters``, and ``readings``
    (answers by reading).

    Returns
    -------
    dict
        ``components`` by key; ``methods``: keys by paper and method, then by reading;
        ``artefacts``: keys by paper and artefact. `dependencies_of` combines them for a number.
    """
    described: dict[str, dict[str, Any]] = {}

    def keys(paper: str, found: Iterable[tuple[str, str]]) -> list[str]:
        kept = []
        for role, name in found:
            kept.append(f"{role} {name}" if role in _REGISTRIES else f"{paper} {role} {name}")
            if kept[-1] not in described:
                described[kept[-1]] = component(catalog, paper, role, name)
        return kept

    methods, artefacts = {}, {}
    for paper in papers:
        content = catalog.papers[paper]
        keys(paper, ((DATASET, name) for name in content["datasets"]))
        for method in content["methods"]:
            methods[f"{paper} {method}"] = {
                reading: keys(paper, ((role, steps[role]) for role in _STEPS if role in steps))
                for reading, steps in pipelines(catalog, paper, method).items()
            }
        for artefact, entry in content["artefacts"].items():
            found = [(EXPERIMENT, name) for name in entry.get("experiments", [])]
            for steps in shown_similarities(entry).values():
                found += zip(_STEPS, steps)  # noqa: B905 - a preparation and a measure
            made_of = [*dict.fromkeys(found), (TABLE, artefact)]
            artefacts[f"{paper} {artefact}"] = keys(paper, made_of)
    return {"components": described, "methods": methods, "artefacts": artefacts}


def dependencies_of(found: Mapping[str, Any], number: Mapping[str, str]) -> list[str]:
    """Return the keys of the components of one number.

    `found` is the result of `links`. `number` is a row of the ledger: ``paper``, ``artefact``,
    ``dataset``, ``method``, ``reading``.
    """
    paper = number["paper"]
    by_reading = found["methods"].get(f"{paper} {number['method']}", {})
    pipeline = by_reading.get(number["reading"], by_reading.get(RECONCILED, []))
    made_of = found["artefacts"].get(f"{paper} {number['artefact']}", [])
    if pipeline:  # the number comes from a pipeline, not from an experiment
        made_of = [key for key in made_of if found["components"][key]["role"] == TABLE]
    dataset = f"{paper} {DATASET} {number['dataset']}"
    own = [dataset] if dataset in found["components"] else []
    return list(dict.fromkeys([*own, *pipeline, *made_of]))


def entry_line(path: Path, section: str, name: str) -> int:
    """Return the line of an entry in a YAML file; without a section, at the top level.

    An entry that was expanded from another, such as an experiment on one of several measures, has
    the line of the original.
    """
    text, parts = path.read_text(encoding="utf-8"), name.split("_")
    start = re.compile(rf"^{section}:", re.M).search(text)
    first = start.start() if section and start else 0
    for n in range(len(parts), 0, -1):
        key = re.escape("_".join(parts[:n]))
        found = re.compile(rf"^{'  ' * bool(section)}{key}:", re.M).search(text, first)
        if found:
            return text.count("\n", 0, found.start()) + 1
    return text.count("\n", 0, first) + 1
