"""Cross-references of the configuration: every id that is used exists, nothing contradicts."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from replication.errors import remedy
from replication.plan.code import (
    PACKAGES,
    defines,
    definition,
    keywords,
    members,
    module_file,
    public,
)
from replication.plan.configuration import ConfigError, read_yaml, shown

if TYPE_CHECKING:
    from replication.plan.catalog import Catalog

_PRINTED_IN = "printed_in"
"""Parameter of every kind of artefact: others whose printed numbers it looks at."""
_REFERENCES = {
    "algorithm": "algorithm",
    "algorithms": "algorithm",
    "artefact": "artefact",
    "by_effort": "effort",
    "dataset": "data set",
    "datasets": "data set",
    "experiments": "experiment",
    "literal_measure": "measure",
    "literal_preparation": "preparation",
    "measure": "measure",
    "measures": "measure",
    "method": "method",
    "methods": "method",
    "preparation": "preparation",
    "preparations": "preparation",
    "similarities": "measure",
    "source": "source",
}
"""Keys of a paper's file that name entries, each with what it names."""
_FREE = ("parameters", "by_dataset", "grid", "fixed")
"""Keys of a paper's file below which functions and classes say what there is."""


class _Checker:
    """Looks names up and complains with the place where they stand."""

    def __init__(self, file: str) -> None:
        self.file = file

    def known(
        self, place: str, given: str | Iterable[str], among: Iterable[str], what: str
    ) -> None:
        """Check a name, those of a list, or the keys of a map."""
        names = list(among)
        listed = [given] if isinstance(given, str) else list(given)
        for i, name in enumerate(listed):
            if name not in names:
                at = f"{place}[{i}]" if isinstance(given, list) else place
                self.fail(at, f"unknown {what} {name!r}; {remedy(name, names)}")

    def fail(self, place: str, message: str) -> None:
        raise ConfigError(f"{self.file}: {place}: {message}")


def check_references(catalog: Catalog, origin: str) -> None:
    """Check that every id that is used exists, and that nothing contradicts itself.

    Parameters
    ----------
    catalog : Catalog
        What was read.
    origin : str
        What to call `catalog.config` in messages.

    Raises
    ------
    ConfigError
        At the first mistake.
    """
    for registry in ("measures", "algorithms"):
        check = _Checker(f"config/{registry}.yaml")
        for name, entry in getattr(catalog, registry).items():
            _check_code(catalog, check, f"{name}.class", entry["class"], ast.ClassDef)
            _check_choices(catalog, check, name, entry)
    shared = {
        "algorithm": catalog.algorithms,
        "effort": efforts(catalog),
        "measure": catalog.measures,
        "source": catalog.datasets,
    }
    for paper in catalog.papers:
        _check_paper(catalog, paper, shared)
    run = _Checker(origin)
    run.known("papers", catalog.config["papers"], catalog.papers, "paper")
    limit = catalog.config["limits"]["datasets"]
    if limit != "all":
        # one list serves all papers, whichever of them are run
        known = dict.fromkeys(name for one in catalog.papers.values() for name in one["datasets"])
        run.known("limits.datasets", limit, known, "data set")


def efforts(catalog: Catalog) -> list[str]:
    """Names of the efforts: of this run, and of the files of the folder `config`."""
    files = sorted((catalog.root / "config").glob("*.yaml"))
    said = [read_yaml(path, f"config/{path.name}").get("effort") for path in files]
    return [catalog.config["effort"], *(one for one in said if isinstance(one, str))]


def _check_choices(catalog: Catalog, check: _Checker, place: str, entry: Mapping) -> None:
    given = entry.get("readings", {})
    check.known(f"{place}.readings", given, catalog.readings, "choice of config/readings.yaml")
    for name, choice in given.items():
        choices = catalog.readings[name]["choices"]
        check.known(f"{place}.readings.{name}", choice, choices, "answer")


def _check_code(
    catalog: Catalog, check: _Checker, place: str, point: str, kind: type[ast.stmt], what: str = ""
) -> None:
    """A module of this repository that is named exists, and has the function or class."""
    module, _, name = point.partition(":")
    source = catalog.root / "src"
    path = module_file(module, source)
    if path is None:
        if module.partition(".")[0] in PACKAGES:
            check.fail(place, f"there is no module {module!r} in src")
        return
    if defines(path, name):
        return
    found, node = definition(point, source)
    if found is not None and not isinstance(node, kind):
        what = what or ("class" if kind is ast.ClassDef else "function")
        parts = (module_file(part, source) for part in members(module, source))
        names = [one for part in parts if part for one in public(part, kind)]
        check.known(place, name, names, what)


def _check_paper(catalog: Catalog, paper: str, shared: Mapping[str, Iterable[str]]) -> None:
    content = catalog.papers[paper]
    check = _Checker(f"config/papers/{paper}.yaml")
    known = {
        "artefact": content["artefacts"],
        "data set": content["datasets"],
        "experiment": content["experiments"],
        "method": content["methods"],
        "preparation": content["preparations"],
        **shared,
    }
    for section, entries in content.items():
        for place, what, given in _named(entries, section, section):
            # a paper without a section of methods names them in print only
            if known[what] or section != "notes":
                check.known(place, given, known[what], what)
    for name, entry in content["datasets"].items():
        _check_dataset(catalog, check, f"datasets.{name}", entry)
    for name, entry in content["preparations"].items():
        _check_choices(catalog, check, f"preparations.{name}", entry)
        if "equal_width" in entry["numeric"] and "bins" not in entry:
            check.fail(f"preparations.{name}.bins", "this key is missing; give the number of bins")
    for name, entry in content["methods"].items():
        _check_method(catalog, check, f"methods.{name}", entry, content)
    for i, entry in enumerate(content.get("comparisons", [])):
        place = f"comparisons[{i}]"
        if {"run", "experiments"} <= {*entry}:
            _check_run(catalog, check, place, entry)
        elif {"methods", "reading", "scores"} <= {*entry}:
            check.known(f"{place}.reading", entry["reading"], content["readings"], "reading")
        else:
            check.fail(place, "give run and experiments, or methods, reading and scores")
    for name, entry in content["artefacts"].items():
        _check_functions(catalog, check, paper, f"artefacts.{name}", entry)
    for name, artefacts in content.get("findings", {}).items():
        check.known(f"findings.{name}", artefacts, content["artefacts"], "artefact")
        point = f"replication.papers.{paper}.findings:{name}"
        _check_code(catalog, check, f"findings.{name}", point, ast.FunctionDef)
    for name, entry in content["experiments"].items():
        _check_experiment(catalog, check, f"experiments.{name}", entry)
    beside = {name for one in content["methods"].values() for name in one.get("beside", {})}
    readings = [*content["readings"], *content.get("beside", []), *sorted(beside)]
    for i, note in enumerate(content.get("notes", [])):
        check.known(f"notes[{i}].reading", note.get("reading", []), readings, "reading")


def _named(content: Any, place: str, key: str) -> Iterator[tuple[str, str, Any]]:
    """Places below which entries are named, what is named there, and the names."""
    if not isinstance(content, dict | list) or key in _FREE:
        return
    mapped = isinstance(content, dict)
    for part, value in content.items() if mapped else enumerate(content):
        at = f"{place}.{part}" if mapped else f"{place}[{part}]"
        # the ids of a section may be words such as these
        if place != key and part in _REFERENCES:
            yield at, _REFERENCES[part], value
        else:
            yield from _named(value, at, str(part))


def _check_functions(
    catalog: Catalog, check: _Checker, paper: str, place: str, entry: Mapping
) -> None:
    """The kind of an artefact is a function of the paper's modules of tables and figures."""
    if "table" not in entry["outputs"]:
        check.fail(f"{place}.outputs", "a figure is drawn from the table; add table")
    for output in entry["outputs"]:
        point = f"replication.papers.{paper}.{output}s:{entry['kind']}"
        _check_code(catalog, check, f"{place}.kind", point, ast.FunctionDef, f"kind of {output}")
    builder = f"replication.papers.{paper}.tables:{entry['kind']}"
    _check_parameters(catalog, check, place, builder, entry, {_PRINTED_IN: False})


def _check_run(catalog: Catalog, check: _Checker, place: str, entry: Mapping) -> None:
    _check_code(catalog, check, f"{place}.run", entry["run"], ast.FunctionDef)
    _check_parameters(catalog, check, place, entry["run"], entry)


def _check_experiment(catalog: Catalog, check: _Checker, place: str, entry: Mapping) -> None:
    if entry.get("alone") and "batch" in entry:
        check.fail(f"{place}.batch", "an experiment that runs alone keeps no labels; split it")
    if "similarities" in entry and not (entry.get("datasets") and entry.get("preparations")):
        check.fail(
            f"{place}.similarities",
            "measures are learnt on a data set under a preparation; name both",
        )
    datasets = entry.get("datasets", [])
    check.known(f"{place}.by_dataset", entry.get("by_dataset", {}), datasets, "data set")
    _check_run(catalog, check, place, entry)


def _check_parameters(
    catalog: Catalog,
    check: _Checker,
    place: str,
    point: str,
    entry: Mapping,
    others: Mapping[str, bool] | None = None,
) -> None:
    """The parameters of an entry are the keyword arguments of its function."""
    taken = keywords(point, catalog.root / "src") | (others or {})
    common, by_dataset = entry.get("parameters", {}), entry.get("by_dataset", {})
    by_effort = entry.get("by_effort", {})
    given = {"parameters": common} | {
        f"{key}.{name}": values
        for key, several in (("by_dataset", by_dataset), ("by_effort", by_effort))
        for name, values in several.items()
    }
    for key, values in given.items():
        check.known(f"{place}.{key}", values, taken, "parameter")
    needed = {name for name, needed in taken.items() if needed}
    for dataset in entry.get("datasets", [""]):
        known = {*common, *by_dataset.get(dataset, {})}
        known.update(by_effort.get(catalog.config["effort"], {}))
        for name in sorted(needed - known):
            check.fail(f"{place}.parameters.{name}", f"this key is missing; {point} needs it")


def _check_dataset(catalog: Catalog, check: _Checker, place: str, entry: Mapping) -> None:
    origins = [key for key in ("source", "synthetic", "inline") if key in entry]
    if len(origins) != 1:
        given = " and ".join(origins) or "none"
        check.fail(place, f"give exactly one of source, synthetic, inline; given: {given}")
    if not entry["printed"].isprintable():
        check.fail(f"{place}.printed", "holds a line break or a control character; write one line")
    if "inline" in entry:
        _check_path(check, f"{place}.inline", entry["inline"])
        if not (catalog.root / "data/bundled" / entry["inline"]).is_file():
            check.fail(f"{place}.inline", f"there is no file data/bundled/{entry['inline']}")
    source = catalog.datasets.get(entry.get("source", ""), {})
    label = entry.get("class", source.get("class"))
    for key in ("attributes", "numeric"):
        if label in entry.get(key, []):
            check.fail(
                f"{place}.{key}",
                f"{label!r} is the class, and a clustering that sees it has found it; take it out",
            )
    if not source:
        return
    for key in ("numeric", "attributes", "without", "declared", "mode_ties", "missing_in", "class"):
        check.known(f"{place}.{key}", entry.get(key, []), source["columns"], "column")
    names = [file["name"] for file in source.get("files", [])]
    check.known(f"{place}.parts", entry.get("parts", []), names, "file")


def _check_path(check: _Checker, place: str, name: str) -> None:
    """A file of the data folder, by a name that the rules can take."""
    parts = PurePosixPath(name).parts
    if not parts or name.startswith("/") or ".." in parts:
        check.fail(place, f"{name!r} leads out of its folder; put a copy into it, and name that")
    if odd := next((mark for mark in name if mark in "{}\\" or not mark.isprintable()), None):
        check.fail(place, f"{name!r} holds {odd!r}, which no file may have here; rename it")


def _check_method(
    catalog: Catalog, check: _Checker, place: str, entry: Mapping, content: Mapping
) -> None:
    for reading in content["readings"]:
        if reading not in entry:
            check.fail(
                f"{place}.{reading}", "this key is missing; add the pipeline of this reading"
            )
    beside = entry.get("beside", {})
    for reading in beside:
        if reading in entry or reading in ("reconciled", "literal", "fixed"):
            check.fail(f"{place}.beside.{reading}", "this id is taken; choose another")
    for reading, pipeline in [
        *((name, entry[name]) for name in ("reconciled", "literal") if name in entry),
        *((f"beside.{name}", pipeline) for name, pipeline in beside.items()),
    ]:
        for key, entries in (
            ("preparation", content["preparations"]),
            ("measure", catalog.measures),
            ("algorithm", catalog.algorithms),
        ):
            part = entries[pipeline[key]] if key in pipeline else {}
            for name, choice in part.get("readings", {}).items():
                # what stands beside the readings is there to contradict them
                wanted = catalog.readings[name].get(reading, choice)
                if choice != wanted:
                    check.fail(
                        f"{place}.{reading}.{key}",
                        f"{pipeline[key]!r} answers {name} with {choice!r}, but the {reading} "
                        f"reading of config/readings.yaml is {wanted!r}; change one of them",
                    )
    fixed = entry.get("fixed", {})
    check.known(f"{place}.fixed", fixed, entry.get("grid", {}), "parameter of the grid")
    for name, value in fixed.items():
        if value not in entry["grid"][name]:
            check.fail(
                f"{place}.fixed.{name}",
                f"{value!r} is not in the grid {shown(entry['grid'][name])}",
            )
