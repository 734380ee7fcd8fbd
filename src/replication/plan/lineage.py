"""Step `explain`: what one number rests on, from the print to the downloaded file.

The plan is read backwards: a file leads to the job that makes it, a job to its inputs and to the
*components* that take part (a data set, preparation, measure, algorithm, experiment, table): what
each is, the line of the configuration that names it and the line of the code that does it. The
command prints them job by job; the report shows the components of every number.
"""

from __future__ import annotations

import argparse
import ast
import csv
import hashlib
import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from replication.errors import UserError, remedy
from replication.files import read_rows
from replication.plan.computing import (
    direct,
    learnt_measures,
    outputs_of,
    pipelines,
    preparations,
)
from replication.plan.configuration import as_json
from replication.plan.judging import artefact_entries, claims_entries, published
from replication.plan.layout import FILES, PUBLISHED, RULES

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
_MADE_BY = {
    **dict.fromkeys(("raw_table", "raw_source"), "download"),
    **dict.fromkeys(("prepared", "facts", "tables"), "discretize"),
    **dict.fromkeys(("trials", "labels"), "trials"),
    **{"experiments": "experiment", "timings": "timing"},
    **{name: name for name in ("similarity", "tests", "claims")},
    **dict.fromkeys(("verdicts", "table"), "table"),
}
_BESIDE = ("published",)
"""Inputs that a result does not rest on: printed numbers."""
_SELF_EVIDENT = ("class", "label", "paper", "equation", "readings", "parameters", "run")
_SELF_EVIDENT += ("printed", "reachable", "source")
_SHOWN, _LONG = 4, 360


class Job(NamedTuple):
    """The job that makes a file: its rule and its wildcards."""

    rule: str
    ids: dict[str, str]


def job_of(catalog: Catalog, file: str) -> Job | None:
    """Return the job that makes a file, or None for a file that the workflow is given."""
    for name, rule in _MADE_BY.items():
        pattern = re.escape(FILES[name])
        for root, folder in catalog.config["roots"].items():
            pattern = pattern.replace(rf"\{{{root}\}}", re.escape(folder))
        found = re.fullmatch(re.sub(r"\\{(\w+)\\}", r"(?P<\1>\\w+)", pattern), file)
        if found:
            return Job(rule, found.groupdict())
    return None


def inputs_of(catalog: Catalog, job: Job) -> list[str]:
    """Files that the result of a job rests on, in the order of the plan."""
    if job.rule == "download":
        return []
    inputs = catalog.inputs(job.rule, **job.ids)
    return [file for name, files in inputs.items() if name not in _BESIDE for file in files]


# --- components -----------------------------------------------------------------------------------


def components_of(catalog: Catalog, job: Job, named: Collection[str] = ()) -> list[tuple[str, str]]:
    """Roles and ids of the components that take part in a job.

    Of the methods and experiments of one job only those in `named`, if there are any of them.
    """
    ids = job.ids
    if job.rule == "download":
        return [(SOURCE, ids["dataset"])]
    if job.rule == "table":
        return [(TABLE, ids["artefact"])]
    if job.rule == "discretize":
        found = preparations(catalog, **ids)
        return [(DATASET, ids["dataset"]), *((PREPARATION, name) for name in found)]
    if job.rule == "similarity":
        return [(MEASURE, name) for name in learnt_measures(catalog, **ids)]
    if job.rule not in ("trials", "experiment", "timing"):
        return []
    spec = json.loads(catalog.spec(job.rule, **ids))
    listed = [(METHOD, one["method"]) for one in spec.get("methods", [])]
    listed += [(EXPERIMENT, one["experiment"]) for one in spec["experiments"]]
    listed = [one for one in listed if one[1] in named] or listed
    content = catalog.papers[ids["paper"]]
    used: list[tuple[str, str]] = []
    for role, name in listed:
        used.append((role, name))
        if role == METHOD:
            for steps in pipelines(catalog, ids["paper"], name).values():
                used += of_pipeline(steps)
        else:
            entry = content["experiments"][name]
            used += [(kind, x) for kind in (MEASURE, ALGORITHM) for x in entry.get(f"{kind}s", [])]
    return list(dict.fromkeys(used))


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


# --- places ---------------------------------------------------------------------------------------


def defined(root: Path, point: str) -> str:
    """Return file and line of a function or class, ``module:name``; imports are followed.

    Empty for what is not in this repository; the first line for a name made in another way.
    """
    module, _, name = point.partition(":")
    path = root / "src" / module.replace(".", "/")
    path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    if not path.is_file():
        return ""
    line = 1
    for node in _tree(path).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == name:
            line = node.lineno
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if name == (alias.asname or alias.name):
                    return defined(root, f"{node.module}:{alias.name}")
    return f"{path.relative_to(root).as_posix()}:{line}"


@lru_cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_bytes())


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


# --- the command ----------------------------------------------------------------------------------


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the step."""
    parser.add_argument("paper", help="id of the paper")
    parser.add_argument("number", help="id of a printed number or of a claim")
    parser.add_argument("--effort", default="full", help="effort of the run (default: full)")


def run(args: argparse.Namespace) -> int:
    """Run the step."""
    from replication.plan.catalog import Catalog

    catalog = Catalog.of_effort(Path(), args.effort)
    print("\n".join(explain(catalog, args.paper, args.number)))
    return 0


def explain(catalog: Catalog, paper: str, number: str) -> Iterator[str]:
    """Lines about one printed number or claim, its verdicts, and the jobs behind them.

    Parameters
    ----------
    catalog : Catalog
        The configuration of the run in question.
    paper, number : str
        Paper and id of a row of ``data/published``.

    Yields
    ------
    str

    Raises
    ------
    UserError
        If there is no such number.
    """
    if paper not in catalog.papers:
        raise UserError(f"unknown paper {paper!r}; {remedy(paper, catalog.papers)}")
    place, cell = _printed(catalog, paper, number)
    yield f"number {', '.join(filter(None, cell.values()))}"
    yield f"  printed {place}"
    if "claim" in cell:
        first = Job("claims", {"paper": paper})
        target = catalog.file("claims", **first.ids)
    elif cell["artefact"] in catalog.papers[paper]["artefacts"]:
        first = Job("table", {"paper": paper, "artefact": cell["artefact"]})
        target = catalog.file("verdicts", **first.ids)
    else:
        yield "  no verdict: a setting or an input of the authors, which nothing reproduces"
        return
    path = catalog.root / target
    judged = [row for row in read_rows(path) if row["id"] == number] if path.is_file() else []
    yield from _job_lines(catalog, first, target)
    if "claim" in cell:
        yield from (f"  source {test}" for test in _tests(catalog.root, paper, number))
        named = {row["artefact"] for row in judged}
        entries = claims_entries(catalog, paper)
        named = {name for text in named for name in text.split()}
        fitting = [one for one in entries if {one.get("artefact"), one.get("experiment")} & named]
        wanted = outputs_of(fitting if judged else entries)
    else:
        wanted = _records(catalog, paper, cell)
        named = {
            cell["method_id"],
            *catalog.papers[paper]["artefacts"][cell["artefact"]].get("experiments", []),
        }
    for row in judged:
        told = [f"{key} {row[key]}" for key in row if row[key] and key not in {*cell, "reading"}]
        yield f"  {row.get('reading', 'claim')}: {', '.join(told)}"
    yield from _below(catalog, wanted, named)


def _below(catalog: Catalog, wanted: Iterable[str], named: Collection[str]) -> Iterator[str]:
    """Everything below the verdict; of many jobs of one rule, the first ones."""
    found: dict[str, dict[str, Job | None]] = {rule: {} for rule in [*reversed(RULES), ""]}
    waiting, seen = list(wanted), []
    for file in waiting:
        job = job_of(catalog, file)
        if (job or file) in seen:
            continue
        seen.append(job or file)
        of_rule = found[job.rule if job else ""]
        of_rule[file] = job
        if job and len(of_rule) <= _SHOWN:
            waiting += inputs_of(catalog, job)
    for rule, files in found.items():
        for file, job in list(files.items())[:_SHOWN]:
            yield from _job_lines(catalog, job, file, named)
        if len(files) > _SHOWN:
            yield f"{rule or 'given'}: {len(files) - _SHOWN} more, such as {list(files)[_SHOWN]}"


def _job_lines(
    catalog: Catalog, job: Job | None, file: str, named: Collection[str] = ()
) -> Iterator[str]:
    """Lines about a file, or a folder of records, and the job that made it."""
    path = catalog.root / file
    parts = sorted(path.glob("*.parquet")) if path.is_dir() else [path]
    content = b"".join(part.read_bytes() for part in parts if part.is_file())
    digest = f"sha256 {hashlib.sha256(content).hexdigest()}"
    said = digest if content else "not there: it was not part of the last run"
    yield f"{job.rule if job else 'given'} {file} {said}"
    if job is None:
        return
    yield f"  code {catalog.code(job.rule, **job.ids)}"
    described = [
        component(catalog, job.ids.get("paper", ""), *one)
        for one in components_of(catalog, job, named)
    ]
    places = [one for one in described if one]
    if not any("source" in one for one in places):
        yield f"  source {defined(catalog.root, f'{RULES[job.rule]}:run')} (run)"
    for one in places:
        if "source" in one:
            yield f"  source {one['source']} ({one['class'].partition(':')[2]})"
        yield f"  configuration {one['config']} ({one['id']})"
    spec = json.loads(catalog.spec(job.rule, **job.ids))
    parts = [f"{key}: {as_json(value)}" for key, value in spec.items() if key not in ("inputs",)]
    text = ", ".join(sorted(parts, key=len))  # short ones first: the end may be cut off
    yield f"  parameters {text if len(text) <= _LONG else f'{text[:_LONG]}...'}"
    effort = catalog.config["effort"]
    overlay = f" --configfile config/{effort}.yaml" if effort != "full" else ""
    yield f"  again: snakemake --force {file}{overlay}"


def _printed(catalog: Catalog, paper: str, number: str) -> tuple[str, dict[str, str]]:
    """File and line, and the row of a printed number or claim."""
    known: list[str] = []
    for file in [*published(catalog, paper), f"{PUBLISHED}/claims.csv"]:
        with (catalog.root / file).open(encoding="utf-8", newline="") as stream:
            reader = csv.DictReader(stream)
            line = 2
            for row in reader:
                if row["id"] == number and row["paper"] == paper:
                    return f"{file}:{line}", row
                line = reader.line_num + 1
                known += [row["id"]] if row["paper"] == paper else []
    raise UserError(f"{paper}: there is no number or claim {number!r}; {remedy(number, known)}")


def _records(catalog: Catalog, paper: str, cell: Mapping[str, str]) -> list[str]:
    """Inputs of a table that belong to the data set and the method of a printed number."""
    entries = artefact_entries(catalog, paper, cell["artefact"])
    method, dataset = cell["method_id"], cell["dataset_id"]
    # an experiment may name a method otherwise
    entries = [one for one in entries if one.get("method", method) == method] or entries
    for one in entries:
        if dataset in one.get("datasets", []):
            one["datasets"] = [dataset]
    return outputs_of(entries)


def _tests(root: Path, paper: str, claim: str) -> Iterator[str]:
    """File and line where a claim is tested."""
    for path in sorted((root / "src/replication/papers" / paper).rglob("claims*.py")):
        for i, line in enumerate(path.read_text(encoding="utf-8").splitlines()):
            if f'about("{claim}"' in line:
                yield f"{path.relative_to(root).as_posix()}:{i + 1}"
