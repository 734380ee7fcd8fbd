"""From a printed number back to everything that ours rests on: a walk through the configuration.

A *piece* is one thing that takes part (a preparation, a measure, an algorithm, an experiment, the
builder of a table, a data set): what it is, the line of the configuration that names it and the
line of the code that does it. `chain` collects the pieces of one row of the ledger; the report
shows them beside the number.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from replication.plan.computing import direct, pipelines
from replication.plan.configuration import as_json

if TYPE_CHECKING:
    from replication.plan.catalog import Catalog

PREPARATION, MEASURE, ALGORITHM = "preparation", "measure", "algorithm"
EXPERIMENT, TABLE, DATASET = "experiment", "table", "data set"

RECONCILED = "reconciled"
"""Reading whose pipeline stands behind a reading without one of its own, such as ``fixed``."""

_SELF_EVIDENT = ("class", "label", "paper", "equation", "readings", "parameters", "run")


def chain(catalog: Catalog, number: Mapping[str, str]) -> list[dict[str, Any]]:
    """All that one number of ours rests on.

    Parameters
    ----------
    catalog : Catalog
        The checked configuration.
    number : mapping
        Row of the ledger: ``paper``, ``artefact``, ``dataset``, ``method``, ``reading``.

    Returns
    -------
    list of dict
        Pieces, from the data set to the table. A piece has ``role`` and ``id``; ``config`` and
        ``source`` as ``file:line`` where there are such lines; ``class`` (what runs),
        ``parameters`` and ``readings`` (choices that it answers) where it has any.
    """
    found = links(catalog, [number["paper"]])
    return [found["pieces"][key] for key in rests_on(found, number)]


def links(catalog: Catalog, papers: Iterable[str]) -> dict[str, Any]:
    """Pieces of all numbers of some papers, each once, and who rests on what.

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
        Row of the ledger, as for `chain`.
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
    """One piece, see `chain`; None if the configuration has no such thing."""
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
    if line := config_line(catalog.root / file, *keys):
        found["config"] = f"{file}:{line}"
    if runs:
        found["class"] = runs
        if place := source_line(catalog.root, runs):
            found["source"] = place
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


def config_line(path: Path, *keys: str) -> int:
    """Line on which a key of a YAML file stands, from 1.

    Parameters
    ----------
    path : Path
        The file.
    *keys : str
        Keys from the top of the file down. An experiment that was made of ``each: measures``
        stands where the one stands that it was made of.

    Returns
    -------
    int
        0 if there is no such key.
    """
    stat = path.stat()
    lines = _key_lines(path, stat.st_mtime_ns)
    for length in range(len(keys[-1]), 0, -1):
        name = keys[-1][:length]
        whole = length == len(keys[-1]) or keys[-1][length] == "_"
        if whole and (line := lines.get((*keys[:-1], name))):
            return line
    return 0


@lru_cache(maxsize=64)
def _key_lines(path: Path, stamp: int) -> dict[tuple[str, ...], int]:
    """Lines of all keys on the first two levels of a YAML file; the stamp marks its version."""
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    found = {}
    for key, value in yaml.compose(path.read_text(encoding="utf-8"), Loader=loader).value:
        found[key.value,] = key.start_mark.line + 1
        if isinstance(value, yaml.MappingNode):
            for inner, _ in value.value:
                found[key.value, inner.value] = inner.start_mark.line + 1
    return found


def source_line(root: Path, name: str) -> str:
    """Where a class or function is defined.

    Parameters
    ----------
    root : Path
        Top of the repository.
    name : str
        ``package.module:name``, as the registries write it.

    Returns
    -------
    str
        ``src/…/module.py:line``; empty for what is not of this repository. A name that a module
        only imports is looked up where it comes from.
    """
    module, _, attribute = name.partition(":")
    file = Path("src", *module.split(".")).with_suffix(".py")
    if not (root / file).is_file():
        return ""
    stamp = (root / file).stat().st_mtime_ns
    lines, imported = _definitions(root / file, stamp)
    if attribute in lines:
        return f"{file.as_posix()}:{lines[attribute]}"
    return source_line(root, imported[attribute]) if attribute in imported else ""


@lru_cache(maxsize=512)
def _definitions(path: Path, stamp: int) -> tuple[dict[str, int], dict[str, str]]:
    """Lines of what a module defines, and the origins of what it imports."""
    lines, imported = {}, {}
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            lines[node.name] = node.lineno
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                imported[alias.asname or alias.name] = f"{node.module}:{alias.name}"
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    lines[target.id] = node.lineno
    return lines, imported
