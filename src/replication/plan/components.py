"""Components that take part in numbers: data sets, preparations, measures, algorithms, tables.

Each is described by what it is, the line of the configuration that names it, and the line of the
code that does it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from replication.plan.code import definition
from replication.plan.computing import (
    direct,
    pipelines,
)
from replication.plan.configuration import as_json

if TYPE_CHECKING:
    from replication.plan.catalog import Catalog

PREPARATION, MEASURE, ALGORITHM = "preparation", "measure", "algorithm"
EXPERIMENT, TABLE, DATASET, SOURCE = "experiment", "table", "data set", "source"
METHOD = "method"
RECONCILED = "reconciled"
"""Reading whose pipeline stands behind a reading without one of its own, such as ``fixed``."""
_SECTIONS = {
    DATASET: "datasets",
    PREPARATION: "preparations",
    METHOD: "methods",
    EXPERIMENT: "experiments",
    TABLE: "artefacts",
}
"""Sections of a paper's file; the other components have a file of their own."""
_REGISTRIES = {MEASURE: "measures", ALGORITHM: "algorithms", SOURCE: "datasets"}
_SELF_EVIDENT = ("class", "label", "paper", "equation", "readings", "parameters", "run")
_SELF_EVIDENT += ("printed", "reachable", "source")


def component(catalog: Catalog, paper: str, role: str, name: str) -> dict[str, Any] | None:
    """Describe one component, see `links`; None if the configuration has no such thing."""
    section = _SECTIONS.get(role, "")
    registry = _REGISTRIES.get(role, "")
    entries = catalog.papers[paper][section] if section else getattr(catalog, registry)
    if name not in entries:
        return None
    entry = entries[name]
    file = f"config/papers/{paper}.yaml" if section else f"config/{registry}.yaml"
    line = entry_line(catalog.root / file, [section, name] if section else [name])
    found: dict[str, Any] = {"role": role, "id": name, "config": f"{file}:{line}"}
    runs = entry.get("run") or entry.get("class", "")
    if role == TABLE:
        runs = f"replication.papers.{paper}.tables:{entry.get('kind', '')}"
        found["label"] = entry["label"]
    if runs:
        found["class"] = runs
        if source := defined(catalog.root, runs):
            found["source"] = source
    shown = entry.get("parameters", {})
    if role in (PREPARATION, DATASET):
        shown = {key: value for key, value in entry.items() if key not in _SELF_EVIDENT}
    if shown:
        found["parameters"] = as_json(shown)
    if role == DATASET and "source" in entry:
        found["of"] = entry["source"]
    if entry.get("readings") and role != TABLE:
        found["readings"] = dict(entry["readings"])
    return found


def links(catalog: Catalog, papers: Iterable[str]) -> dict[str, Any]:
    """Components of all numbers of some papers, each once, and which numbers rest on them.

    A component has ``role`` and ``id``, ``config`` and mostly ``source`` as ``file:line``;
    ``class`` (what runs), ``parameters`` and ``readings`` (choices that it answers) where it has
    any.

    Returns
    -------
    dict
        ``components`` by key; ``methods``: keys by paper and method, then by reading;
        ``artefacts``: keys by paper and artefact. `dependencies_of` puts them together.
    """
    described: dict[str, dict[str, Any]] = {}

    def keys(paper: str, found: Iterable[tuple[str, str]]) -> list[str]:
        kept = []
        for role, name in found:
            key = f"{role} {name}" if role in _REGISTRIES else f"{paper} {role} {name}"
            if key not in described and (one := component(catalog, paper, role, name)):
                described[key] = one
            kept += [key] if key in described else []
        return kept

    methods, artefacts = {}, {}
    for paper in papers:
        content = catalog.papers[paper]
        keys(paper, ((DATASET, name) for name in content["datasets"]))
        for method in content["methods"]:
            methods[f"{paper} {method}"] = {
                reading: keys(paper, of_pipeline(steps))
                for reading, steps in pipelines(catalog, paper, method).items()
            }
        for artefact, entry in content["artefacts"].items():
            found = [(EXPERIMENT, name) for name in entry.get("experiments", [])]
            for preparation, measure in direct(entry).values():
                found += [(PREPARATION, preparation), (MEASURE, measure)]
            made_of = [*dict.fromkeys(found), (TABLE, artefact)]
            artefacts[f"{paper} {artefact}"] = keys(paper, made_of)
    return {"components": described, "methods": methods, "artefacts": artefacts}


def of_pipeline(steps: Mapping[str, str]) -> list[tuple[str, str]]:
    """Roles and ids of the components of a pipeline."""
    return [(role, steps[role]) for role in (PREPARATION, MEASURE, ALGORITHM) if role in steps]


def dependencies_of(found: Mapping[str, Any], number: Mapping[str, str]) -> list[str]:
    """Keys of the components of one number.

    Parameters
    ----------
    found : mapping
        What `links` returned.
    number : mapping
        Row of the ledger: ``paper``, ``artefact``, ``dataset``, ``method``, ``reading``.
    """
    paper = number["paper"]
    by_reading = found["methods"].get(f"{paper} {number['method']}", {})
    pipeline = by_reading.get(number["reading"], by_reading.get(RECONCILED, []))
    made_of = found["artefacts"].get(f"{paper} {number['artefact']}", [])
    if pipeline:  # a pipeline made the number, not an experiment
        made_of = [key for key in made_of if found["components"][key]["role"] == TABLE]
    dataset = f"{paper} {DATASET} {number['dataset']}"
    own = [dataset] if dataset in found["components"] else []
    return list(dict.fromkeys([*own, *pipeline, *made_of]))


def defined(root: Path, point: str) -> str:
    """Return file and line of a function or class, ``module:name``; imports are followed.

    Empty for what is not in this repository; the first line for a name made in another way.
    """
    path, node = definition(point, root / "src")
    if path is None:
        return ""
    return f"{path.relative_to(root).as_posix()}:{node.lineno if node else 1}"


def entry_line(path: Path, keys: Iterable[str]) -> int:
    """Return the line of a key of a YAML file; of its section, if it was made of another key."""
    node, line = _composed(path), 1
    for key in keys:
        found = {one.value: (one, value) for one, value in node.value}
        # an experiment over many measures is one entry of the file
        entry = found.get(key) or next(
            (one for short, one in found.items() if key.startswith(f"{short}_")), None
        )
        if entry is None:
            break
        head, node = entry
        line = head.start_mark.line + 1
    return line


@lru_cache
def _composed(path: Path) -> Any:
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return yaml.compose(path.read_text(encoding="utf-8"), Loader=loader)
