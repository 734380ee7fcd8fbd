"""Check the configuration: every id exists, and no two entries contradict each other.

Nothing that a configuration names is imported; parameters are checked against the source.
"""

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from replication import plugins
from replication.errors import UserError, remedy
from replication.files import digest
from replication.plan.catalog import Catalog
from replication.plan.compute_jobs import parameters
from replication.plan.configuration import ConfigError, as_json, read_yaml, shown
from replication.plan.layout import NO_DATASET
from replication.steps import check_parameters


class _Checker:
    """Look names up. An error gives the place of the name in the file."""

    def __init__(self, catalog: Catalog, file: str) -> None:
        asked = catalog.config.get("what_if", "")
        over = asked and file.startswith("config/")
        self.catalog, self.file = catalog, f"{asked} over {file}" if over else file

    def fail(self, place: str, message: str) -> None:
        raise ConfigError(f"{self.file}: {place}: {message}")

    def known(
        self, place: str, given: str | Iterable[str], among: Iterable[str], what: str
    ) -> None:
        """Check a name, those of a list, or the keys of a map."""
        names = list(among)
        for i, name in enumerate([given] if isinstance(given, str) else given):
            if name not in names:
                at = f"{place}[{i}]" if isinstance(given, list) else place
                self.fail(at, f"unknown {what} {name!r}; {remedy(name, names)}")

    def code(self, place: str, point: str, packages: tuple[str, ...], what: str) -> None:
        """Check that a class or function may be named and is defined.

        `packages` are those of this repository that have such ones.
        """
        try:
            plugins.check_point(point, packages)
        except UserError as error:
            self.fail(place, str(error))
        (module, _, name), sources = point.partition(":"), self.catalog.code_sources
        if sources.file(module) is None:
            self.fail(place, f"there is no module {module!r} in src")
        if sources.definition(point) is None:
            self.known(place, name, sources.public(module), what)
            self.fail(place, f"{point!r} is not defined with `def` or `class`")

    def call(self, place: str, point: str, given: Mapping[str, Any]) -> None:
        """Check that a function accepts the keyword arguments of its entry."""
        taken = self.catalog.code_sources.signature(point)
        if taken is None:
            self.fail(f"{place}.run", f"{point!r} is not a function; name one with `def`")
            return
        try:
            check_parameters(point, taken, None, **given)
        except UserError as error:
            self.fail(place, str(error))

    def choices(self, place: str, entry: Mapping[str, Any]) -> None:
        """Check the answers to readings that an entry declares."""
        readings, given = self.catalog.readings, entry.get("readings", {})
        self.known(f"{place}.readings", given, readings, "choice of config/readings.yaml")
        for name, choice in given.items():
            self.known(f"{place}.readings.{name}", choice, readings[name]["choices"], "answer")


def marker(root: Path, config: Mapping[str, Any]) -> Path:
    """Return the file that holds a checked configuration; its name depends on files and code.

    The file exists after the first check, which takes longer than the rest of a plan.
    """
    code = [*root.glob("config/**/*.yaml"), *root.glob("src/**/*.py")]
    code += (path for folder in {*plugins.allowed().values()} for path in folder.glob("**/*.py"))
    files = {*code, root / str(config.get("what_if", ""))}
    content = {str(path): digest(path) for path in files if path.is_file()}
    bundled = sorted(map(str, root.glob("data/bundled/**/*")))
    found = hashlib.sha256(as_json([config, content, bundled]).encode()).hexdigest()
    return root / ".snakemake" / "checked" / f"{found}.json"


def check_references(catalog: Catalog, origin: str) -> None:
    """Check that every id exists and that no two entries contradict each other.

    Messages call `catalog.config` by the name `origin`.

    Raises `ConfigError` at the first mistake.
    """
    check = _Checker(catalog, "config/readings.yaml")
    for name, entry in catalog.readings.items():
        for key in ("reconciled", "literal", "values"):
            check.known(f"{name}.{key}", entry.get(key, []), entry["choices"], "answer")
    for registry in ("measures", "algorithms"):
        check = _Checker(catalog, f"config/{registry}.yaml")
        for name, entry in getattr(catalog, registry).items():
            check.code(f"{name}.class", entry["class"], plugins.CLASSES, "class")
            check.choices(name, entry)
    for name, source in catalog.datasets.items():
        _check_source(_Checker(catalog, "config/datasets.yaml"), name, source)
    files = sorted((catalog.root / "config").glob("*.yaml"))
    efforts = [read_yaml(path, f"config/{path.name}").get("effort") for path in files]
    shared = {
        "algorithm": catalog.algorithms,
        "effort": [catalog.config["effort"], *filter(None, efforts)],
        "measure": catalog.measures,
        "source": catalog.datasets,
    }
    run = _Checker(catalog, origin)
    run.known("papers", catalog.config["papers"], catalog.papers, "paper")
    # the list may name data sets of papers that are not run
    known = dict.fromkeys(name for one in catalog.papers.values() for name in one["datasets"])
    limit = catalog.config["limits"]["datasets"]
    run.known("limits.datasets", [] if limit == "all" else limit, known, "data set")
    own = _Checker(catalog, "config/independent.yaml")
    own.known("tables_of", catalog.independent["tables_of"], catalog.papers, "paper")
    for paper in catalog.papers:
        _check_paper(catalog, paper, shared)


def _check_paper(catalog: Catalog, paper: str, shared: Mapping[str, Iterable[str]]) -> None:
    # a checked configuration is planned without pydantic, which loads slowly
    from replication.plan.model import Paper, references

    content = catalog.papers[paper]
    check = _Checker(catalog, f"config/papers/{paper}.yaml")
    known = {
        "artefact": content["artefacts"],
        "data set": content["datasets"],
        "experiment": content["experiments"],
        "method": content["methods"],
        "preparation": content["preparations"],
        **shared,
    }
    for place, what, given in references(Paper, content):
        if what == "function":
            check.code(place, given, plugins.FUNCTIONS, "function")
        # a paper without a section of methods has names of methods in its printed numbers only
        elif known[what] or not place.startswith("notes["):
            check.known(place, given, known[what], what)
    for name, entry in content["datasets"].items():
        _check_dataset(check, f"datasets.{name}", entry)
    for name, entry in content["preparations"].items():
        check.choices(f"preparations.{name}", entry)
    for name, entry in content["methods"].items():
        _check_method(check, f"methods.{name}", entry, content)
    for i, entry in enumerate(content["comparisons"]):
        check.call(f"comparisons[{i}]", entry["run"], entry.get("parameters", {}))
    module = f"replication.papers.{paper}"
    for name, entry in content["artefacts"].items():
        for output in entry["outputs"]:
            point = f"{module}.{output}s:{entry['kind']}"
            check.code(f"artefacts.{name}.kind", point, (module,), f"kind of {output}")
    for name, artefacts in content.get("findings", {}).items():
        check.known(f"findings.{name}", artefacts, content["artefacts"], "artefact")
        check.code(f"findings.{name}", f"{module}.findings:{name}", (module,), "function")
    for name, entry in content["experiments"].items():
        place, given = f"experiments.{name}.by_dataset", entry.get("by_dataset", {})
        check.known(place, given, entry.get("datasets", []), "data set")
        for dataset in entry.get("datasets", [NO_DATASET]):
            check.call(f"experiments.{name}", entry["run"], parameters(catalog, entry, dataset))
    readings = [*content["readings"], "fixed", *content.get("beside", {})]
    for i, note in enumerate(content["notes"]):
        check.known(f"notes[{i}].reading", note.get("reading", []), readings, "reading")


def _check_source(check: _Checker, place: str, source: Mapping[str, Any]) -> None:
    """Check that the columns that the entry of a data set names are its own."""
    columns, ignored = source["columns"], source.get("ignored", {})
    check.known(f"{place}.ignored", ignored, columns, "column")
    blanks = source["parse"].get("keep_blanks", [])
    check.known(f"{place}.parse.keep_blanks", blanks, columns, "column")
    for i, file in enumerate(source["files"]):
        at = f"{place}.files[{i}]"
        check.known(f"{at}.lacks", file.get("lacks", []), ignored, "ignored column")
        check.known(f"{at}.strip_suffix", file.get("strip_suffix", {}), columns, "column")
    used = _used(source)
    for key in ("numeric", "class", "identifiers"):
        check.known(f"{place}.{key}", source.get(key, []), used, "column, or an ignored one,")
    gaps = source.get("complete_rows", {}).get("gaps", [])
    check.known(f"{place}.complete_rows.gaps", gaps, used, "column, or an ignored one,")


def _used(source: Mapping[str, Any]) -> list[str]:
    """Return the columns of a source that are not ignored."""
    return [name for name in source["columns"] if name not in source.get("ignored", {})]


def _check_dataset(check: _Checker, place: str, entry: Mapping[str, Any]) -> None:
    bundled = check.catalog.root / "data/bundled"
    if "inline" in entry and not (bundled / entry["inline"]).is_file():
        check.fail(f"{place}.inline", f"there is no file data/bundled/{entry['inline']}")
    source = check.catalog.datasets.get(entry.get("source", ""), {})
    label = entry.get("class", source.get("class"))
    for key in ("attributes", "numeric"):
        if label in entry.get(key, []):
            check.fail(
                f"{place}.{key}",
                f"{label!r} is the class, which a clustering must not see; remove it",
            )
    if not source:
        return
    for key in ("numeric", "attributes", "without", "declared", "mode_ties", "missing_in", "class"):
        check.known(f"{place}.{key}", entry.get(key, []), _used(source), "column")
    names = [file["name"] for file in source["files"]]
    check.known(f"{place}.parts", entry.get("parts", []), names, "file")


def _check_method(
    check: _Checker, place: str, entry: Mapping[str, Any], content: Mapping[str, Any]
) -> None:
    for reading in content["readings"]:
        if reading not in entry:
            check.fail(
                f"{place}.{reading}", "this key is missing; add the pipeline of this reading"
            )
    catalog, beside = check.catalog, entry.get("beside", {})
    if taken := next((one for one in beside if one in entry or one == "fixed"), None):
        check.fail(f"{place}.beside.{taken}", "this id is taken; choose another")
    check.known(f"{place}.beside", beside, content.get("beside", {}), "reading of `beside`")
    registries = {
        "preparation": content["preparations"],
        "measure": catalog.measures,
        "algorithm": catalog.algorithms,
    }
    # pipelines under `beside` differ from the readings on purpose
    for reading in ("reconciled", "literal"):
        for key, id_ in entry.get(reading, {}).items():
            for name, choice in registries[key][id_].get("readings", {}).items():
                if choice != (wanted := catalog.readings[name][reading]):
                    check.fail(
                        f"{place}.{reading}.{key}",
                        f"{id_!r} answers {name} with {choice!r}, but the {reading} reading of "
                        f"config/readings.yaml is {wanted!r}; change one of them",
                    )
    fixed, grid = entry.get("fixed", {}), entry.get("grid", {})
    check.known(f"{place}.fixed", fixed, grid, "parameter of the grid")
    for name, value in fixed.items():
        if value not in grid[name]:
            check.fail(f"{place}.fixed.{name}", f"{value!r} is not in the grid {shown(grid[name])}")
