"""Cross-references of the configuration: every id that is used exists, nothing contradicts."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

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

_REGISTRIES = ("datasets", "measures", "algorithms", "readings")
_PRINTED_IN = "printed_in"
"""Parameter of every kind of artefact: others whose printed numbers it looks at."""


class _Checker:
    """Looks names up and complains with the place where they stand."""

    def __init__(self, file: str) -> None:
        self.file = file

    def known(self, place: str, name: str, among: Iterable[str], what: str) -> None:
        names = list(among)
        if name not in names:
            self.fail(place, f"unknown {what} {name!r}; {remedy(name, names)}")

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
    _check_readings(catalog)
    _check_experiments(catalog)
    for name in ("measures", "algorithms"):
        _check_classes(catalog, name)
    for paper in catalog.papers:
        _check_paper(catalog, paper)
    run = _Checker(origin)
    for i, paper in enumerate(catalog.config["papers"]):
        run.known(f"papers[{i}]", paper, catalog.papers, "paper")
    limit = catalog.config["limits"]["datasets"]
    if limit != "all":
        # one list serves all papers, whichever of them are run
        known = dict.fromkeys(
            name for paper in catalog.papers.values() for name in paper["datasets"]
        )
        for i, dataset in enumerate(limit):
            run.known(f"limits.datasets[{i}]", dataset, known, "data set")


def _check_readings(catalog: Catalog) -> None:
    check = _Checker("config/readings.yaml")
    for name, entry in catalog.readings.items():
        for reading in ("reconciled", "literal"):
            check.known(f"{name}.{reading}", entry[reading], entry["choices"], "choice")


def _check_experiments(catalog: Catalog) -> None:
    """An experiment that runs alone clusters nothing."""
    for paper, content in catalog.papers.items():
        for name, entry in content["experiments"].items():
            if entry.get("alone") and "batch" in entry:
                _Checker(f"config/papers/{paper}.yaml").fail(
                    f"experiments.{name}.batch",
                    "an experiment that runs alone keeps no labels; split it",
                )


def _check_choices(catalog: Catalog, check: _Checker, place: str, entry: Mapping) -> None:
    for name, choice in entry.get("readings", {}).items():
        check.known(f"{place}.readings", name, catalog.readings, "choice of config/readings.yaml")
        choices = catalog.readings[name]["choices"]
        check.known(f"{place}.readings.{name}", choice, choices, "answer")


def _check_classes(catalog: Catalog, registry: str) -> None:
    check = _Checker(f"config/{registry}.yaml")
    for name, entry in getattr(catalog, registry).items():
        _check_code(catalog, check, f"{name}.class", entry["class"], ast.ClassDef)
        _check_choices(catalog, check, name, entry)


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


def _check_paper(catalog: Catalog, paper: str) -> None:
    content = catalog.papers[paper]
    check = _Checker(f"config/papers/{paper}.yaml")
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
        if not ({"run", "experiments"} <= {*entry} or {"methods", "reading", "scores"} <= {*entry}):
            check.fail(place, "give run and experiments, or methods, reading and scores")
        if "run" in entry:
            _check_code(catalog, check, f"{place}.run", entry["run"], ast.FunctionDef)
            _check_parameters(catalog, check, place, entry["run"], entry)
            for j, experiment in enumerate(entry["experiments"]):
                check.known(
                    f"{place}.experiments[{j}]", experiment, content["experiments"], "experiment"
                )
            continue
        check.known(f"{place}.reading", entry["reading"], content["readings"], "reading")
        for j, method in enumerate(entry["methods"]):
            check.known(f"{place}.methods[{j}]", method, content["methods"], "method")
    for name, entry in content["artefacts"].items():
        place = f"artefacts.{name}"
        for key, known, what in (
            ("datasets", content["datasets"], "data set"),
            ("methods", content["methods"], "method"),
            ("preparations", content["preparations"], "preparation"),
        ):
            for i, value in enumerate(entry.get(key, [])):
                check.known(f"{place}.{key}[{i}]", value, known, what)
        for key, known, what in (
            ("preparation", content["preparations"], "preparation"),
            ("literal_preparation", content["preparations"], "preparation"),
            ("measure", catalog.measures, "measure"),
            ("literal_measure", catalog.measures, "measure"),
        ):
            if key in entry:
                check.known(f"{place}.{key}", entry[key], known, what)
        for i, value in enumerate(entry.get("experiments", [])):
            check.known(f"{place}.experiments[{i}]", value, content["experiments"], "experiment")
        _check_functions(catalog, check, paper, place, entry)
    for name, artefacts in content.get("findings", {}).items():
        for i, artefact in enumerate(artefacts):
            check.known(f"findings.{name}[{i}]", artefact, content["artefacts"], "artefact")
        point = f"replication.papers.{paper}.findings:{name}"
        _check_code(catalog, check, f"findings.{name}", point, ast.FunctionDef)
    for name, entry in content["experiments"].items():
        _check_experiment(catalog, check, f"experiments.{name}", entry, content)
    for i, note in enumerate(content.get("notes", [])):
        for key, section in (
            ("artefact", "artefacts"),
            ("dataset", "datasets"),
            ("method", "methods"),
        ):
            # a paper without a section of methods names them in print only
            if key in note and content[section]:
                check.known(f"notes[{i}].{key}", note[key], content[section], key)
        if "reading" in note:
            beside = {name for one in content["methods"].values() for name in one.get("beside", {})}
            known = [*content["readings"], *content.get("beside", []), *sorted(beside)]
            check.known(f"notes[{i}].reading", note["reading"], known, "reading")


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


def _check_experiment(
    catalog: Catalog, check: _Checker, place: str, entry: Mapping, content: Mapping
) -> None:
    _check_code(catalog, check, f"{place}.run", entry["run"], ast.FunctionDef)
    for key, known, what in (
        ("datasets", content["datasets"], "data set"),
        ("preparations", content["preparations"], "preparation"),
        ("measures", catalog.measures, "measure"),
        ("similarities", catalog.measures, "measure"),
        ("algorithms", catalog.algorithms, "algorithm"),
    ):
        for i, value in enumerate(entry.get(key, [])):
            check.known(f"{place}.{key}[{i}]", value, known, what)
    if "similarities" in entry and not (entry.get("datasets") and entry.get("preparations")):
        check.fail(
            f"{place}.similarities",
            "measures are learnt on a data set under a preparation; name both",
        )
    for dataset in entry.get("by_dataset", {}):
        check.known(f"{place}.by_dataset", dataset, entry.get("datasets", []), "data set")
    for effort in entry.get("by_effort", {}):
        check.known(f"{place}.by_effort", effort, efforts(catalog), "effort")
    _check_parameters(catalog, check, place, entry["run"], entry)


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
        for name in values:
            check.known(f"{place}.{key}", name, taken, "parameter")
    needed = {name for name, needed in taken.items() if needed}
    for dataset in entry.get("datasets", [""]):
        known = {*common, *by_dataset.get(dataset, {})}
        known.update(by_effort.get(catalog.config["effort"], {}))
        for name in sorted(needed - known):
            check.fail(f"{place}.parameters.{name}", f"this key is missing; {point} needs it")


def efforts(catalog: Catalog) -> list[str]:
    """Names of the efforts: of `config/config.yaml`, of the overlays beside it, of this run."""
    found = {catalog.config["effort"]: None}
    for path in sorted((catalog.root / "config").glob("*.yaml")):
        if path.stem in _REGISTRIES:
            continue
        effort = read_yaml(path, f"config/{path.name}").get("effort")
        if isinstance(effort, str):
            found[effort] = None
    return list(found)


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
    if "source" not in entry:
        return
    check.known(f"{place}.source", entry["source"], catalog.datasets, "data set")
    source = catalog.datasets[entry["source"]]
    columns = source["columns"]
    for key in ("numeric", "attributes", "without"):
        for i, column in enumerate(entry.get(key, [])):
            check.known(f"{place}.{key}[{i}]", column, columns, "column")
    for key in ("declared", "mode_ties", "missing_in"):
        for column in entry.get(key, {}):
            check.known(f"{place}.{key}", column, columns, "column")
    if "class" in entry:
        check.known(f"{place}.class", entry["class"], columns, "column")
    names = [file["name"] for file in source.get("files", [])]
    for i, part in enumerate(entry.get("parts", [])):
        check.known(f"{place}.parts[{i}]", part, names, "file")


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
        parts = {}
        for key, known in (
            ("preparation", content["preparations"]),
            ("measure", catalog.measures),
            ("algorithm", catalog.algorithms),
        ):
            if key not in pipeline:
                continue
            check.known(f"{place}.{reading}.{key}", pipeline[key], known, key)
            parts[key] = known[pipeline[key]]
        for key, part in parts.items():
            for name, choice in part.get("readings", {}).items():
                # what stands beside the readings is there to contradict them
                wanted = catalog.readings[name].get(reading, choice)
                if choice != wanted:
                    check.fail(
                        f"{place}.{reading}.{key}",
                        f"{pipeline[key]!r} answers {name} with {choice!r}, but the {reading} "
                        f"reading of config/readings.yaml is {wanted!r}; change one of them",
                    )
    for name, value in entry.get("fixed", {}).items():
        check.known(f"{place}.fixed", name, entry.get("grid", {}), "parameter of the grid")
        if value not in entry["grid"][name]:
            check.fail(
                f"{place}.fixed.{name}",
                f"{value!r} is not in the grid {shown(entry['grid'][name])}",
            )
