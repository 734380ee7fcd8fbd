"""Step `explain`: what one number rests on, from the print to the downloaded file.

The plan is read backwards: a file leads to the job that makes it, a job to its inputs and to the
*components* that take part (a data set, preparation, measure, algorithm, experiment, table): what
each is, the line of the configuration that names it and the line of the code that does it. The
command prints them job by job; the report shows the components of every number.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from replication.errors import UserError, remedy
from replication.files import read_rows
from replication.plan.components import (
    ALGORITHM,
    DATASET,
    EXPERIMENT,
    MEASURE,
    METHOD,
    PREPARATION,
    SOURCE,
    TABLE,
    component,
    defined,
    of_pipeline,
)
from replication.plan.computing import (
    learnt_measures,
    outputs_of,
    pipelines,
    preparations,
)
from replication.plan.configuration import as_json
from replication.plan.judging import artefact_entries, claims_entries, published
from replication.plan.layout import FILES, PUBLISHED, RULES
from replication.plan.plan import Plan

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
_SHOWN, _LONG = 4, 360


class Job(NamedTuple):
    """The job that makes a file: its rule and its wildcards."""

    rule: str
    ids: dict[str, str]


def job_of(catalog: Plan, file: str) -> Job | None:
    """Return the job that makes a file, or None for a file that the workflow is given."""
    for name, rule in _MADE_BY.items():
        pattern = re.escape(FILES[name])
        for root, folder in catalog.config["roots"].items():
            pattern = pattern.replace(rf"\{{{root}\}}", re.escape(folder))
        found = re.fullmatch(re.sub(r"\\{(\w+)\\}", r"(?P<\1>\\w+)", pattern), file)
        if found:
            return Job(rule, found.groupdict())
    return None


def inputs_of(catalog: Plan, job: Job) -> list[str]:
    """Files that the result of a job rests on, in the order of the plan."""
    if job.rule == "download":
        return []
    inputs = catalog.inputs(job.rule, **job.ids)
    return [file for name, files in inputs.items() if name not in _BESIDE for file in files]


# --- components -----------------------------------------------------------------------------------


def components_of(catalog: Plan, job: Job, named: Collection[str] = ()) -> list[tuple[str, str]]:
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


# --- the command ----------------------------------------------------------------------------------


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the step."""
    parser.add_argument("paper", help="id of the paper")
    parser.add_argument("number", help="id of a printed number or of a claim")
    parser.add_argument("--effort", default="full", help="effort of the run (default: full)")


def run(args: argparse.Namespace) -> int:
    """Run the step."""
    catalog = Plan.of_effort(Path(), args.effort)
    print("\n".join(explain(catalog, args.paper, args.number)))
    return 0


def explain(catalog: Plan, paper: str, number: str) -> Iterator[str]:
    """Lines about one printed number or claim, its verdicts, and the jobs behind them.

    Parameters
    ----------
    catalog : Plan
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


def _below(catalog: Plan, wanted: Iterable[str], named: Collection[str]) -> Iterator[str]:
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
    catalog: Plan, job: Job | None, file: str, named: Collection[str] = ()
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


def _printed(catalog: Plan, paper: str, number: str) -> tuple[str, dict[str, str]]:
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


def _records(catalog: Plan, paper: str, cell: Mapping[str, str]) -> list[str]:
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
