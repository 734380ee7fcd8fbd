"""From a printed number back to everything that ours rests on: a walk through the configuration.

A *piece* is one thing that takes part (a preparation, a measure, an algorithm, an experiment, the
builder of a table, a data set): what it is, the line of the configuration that names it and the
line of the code that does it. `links` collects the pieces of all numbers, each once, for the
report, which shows them beside every number; `replication.plan.chain` goes through the files.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from replication.plan.computing import direct, pipelines
from replication.plan.configuration import as_json
from replication.plan.digest import PACKAGES
from replication.plan.places import defined, entry_line

if TYPE_CHECKING:
    from replication.plan.catalog import Catalog

PREPARATION, MEASURE, ALGORITHM = "preparation", "measure", "algorithm"
EXPERIMENT, TABLE, DATASET = "experiment", "table", "data set"

RECONCILED = "reconciled"
"""Reading whose pipeline stands behind a reading without one of its own, such as ``fixed``."""

_SELF_EVIDENT = ("class", "label", "paper", "equation", "readings", "parameters", "run")


def links(catalog: Catalog, papers: Iterable[str]) -> dict[str, Any]:
    """Pieces of all numbers of some papers, each once, and who rests on what.

    A piece has ``role`` and ``id``, ``config`` and mostly ``source`` as ``file:line``; ``class``
    (what runs), ``parameters`` and ``readings`` (choices that it answers) where it has any.

    Returns
    -------
    dict
        ``pieces`` by key; ``methods``: keys by paper and method, then by reading; ``artefacts``:
        keys by paper and artefact. `rests_on` puts them together.
    """
    pieces: dict[str, dict[str, Any]] = {}

    def keys(paper: str, found: Iterable[tuple[str, str]]) -> list[str]:
        kept = []
        for role, name in found:
            own = "" if role in (MEASURE, ALGORITHM) else f"{paper} "
            key = f"{own}{role} {name}"
            if key not in pieces:
                made = piece(catalog, paper, role, name)
                if made is None:
                    continue
                pieces[key] = made
            kept.append(key)
        return kept

    methods, artefacts = {}, {}
    for paper in papers:
        content = catalog.papers[paper]
        keys(paper, ((DATASET, name) for name in content["datasets"]))
        for method in content["methods"]:
            methods[f"{paper} {method}"] = {
                reading: keys(paper, of_method(catalog, paper, method, reading))
                for reading in pipelines(catalog, paper, method)
            }
        for artefact in content["artefacts"]:
            found = keys(paper, of_artefact(catalog, paper, artefact))
            artefacts[f"{paper} {artefact}"] = found
    return {"pieces": pieces, "methods": methods, "artefacts": artefacts}


def rests_on(found: Mapping[str, Any], number: Mapping[str, str]) -> list[str]:
    """Keys of the pieces of one number.

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
        made_of = [key for key in made_of if found["pieces"][key]["role"] == TABLE]
    dataset = f"{paper} {DATASET} {number['dataset']}"
    own = [dataset] if dataset in found["pieces"] else []
    return list(dict.fromkeys([*own, *pipeline, *made_of]))


def of_method(catalog: Catalog, paper: str, method: str, reading: str) -> list[tuple[str, str]]:
    """Roles and ids of the pipeline of a method in one reading."""
    steps = pipelines(catalog, paper, method)[reading]
    return [(role, steps[role]) for role in (PREPARATION, MEASURE, ALGORITHM) if role in steps]


def of_artefact(catalog: Catalog, paper: str, artefact: str) -> list[tuple[str, str]]:
    """Roles and ids of what an artefact is made of, its builder last."""
    entry = catalog.papers[paper]["artefacts"][artefact]
    found = [(EXPERIMENT, name) for name in entry.get("experiments", [])]
    for preparation, measure, _ in direct(entry):
        found += [(PREPARATION, preparation), (MEASURE, measure)]
    return [*dict.fromkeys(found), (TABLE, artefact)]


def piece(catalog: Catalog, paper: str, role: str, name: str) -> dict[str, Any] | None:
    """One piece, see `links`; None if the configuration has no such thing."""
    own = f"config/papers/{paper}.yaml"
    section, file = {
        PREPARATION: ("preparations", own),
        EXPERIMENT: ("experiments", own),
        TABLE: ("artefacts", own),
        DATASET: ("datasets", own),
        MEASURE: ("", "config/measures.yaml"),
        ALGORITHM: ("", "config/algorithms.yaml"),
    }[role]
    entries = catalog.papers[paper][section] if section else getattr(catalog, f"{role}s")
    if name not in entries:
        return None
    entry = entries[name]
    keys = (section, name) if section else (name,)
    runs = {
        EXPERIMENT: entry.get("run", ""),
        TABLE: f"replication.papers.{paper}.tables:{entry.get('kind', '')}",
        MEASURE: entry.get("class", ""),
        ALGORITHM: entry.get("class", ""),
    }.get(role, "")
    found: dict[str, Any] = {"role": role, "id": name}
    place = entry_line(catalog.root, file, keys)
    found["config"] = f"{place.file}:{place.line}"
    if runs:
        found["class"] = runs
        if runs.partition(".")[0] in PACKAGES:
            place = defined(catalog.root, runs)
            found["source"] = f"{place.file}:{place.line}"
    shown = entry.get("parameters", {})
    if role in (PREPARATION, DATASET):
        shown = {
            key: value
            for key, value in entry.items()
            if key not in (*_SELF_EVIDENT, "printed", "reachable", "source")
        }
    if shown:
        found["parameters"] = as_json(shown)
    if role == TABLE:
        found["label"] = entry["label"]
    if role == DATASET and "source" in entry:
        found["of"] = entry["source"]
    if entry.get("readings") and role != TABLE:
        found["readings"] = dict(entry["readings"])
    return found
