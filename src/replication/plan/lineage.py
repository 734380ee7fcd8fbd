"""Step `explain`: trace one number from the printed value to the downloaded file.

A number has *components*: data set, preparation, measure, algorithm, experiment, table. Each
component has a line of the configuration that names it and a line of the code that computes it. The
step then follows the plan backwards, from a file to its job and from a job to its inputs. It prints
components and jobs. The report shows the components of every number.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from replication.errors import UserError, remedy
from replication.files import read_rows
from replication.plan.components import RECONCILED, dependencies_of, links
from replication.plan.compute_jobs import outputs_of
from replication.plan.configuration import as_json
from replication.plan.layout import PUBLISHED
from replication.plan.plan import Plan
from replication.plan.report_jobs import artefact_entries, claims_entries, published
from replication.plan.steps import MADE_BY, STEPS

_SHOWN, _LONG = 4, 360


class Job(NamedTuple):
    """The job that makes a file: its rule and its wildcards."""

    rule: str
    ids: dict[str, str]


def job_of(catalog: Plan, file: str) -> Job | None:
    """Return the job that makes a file, or None for a file that no job makes."""
    for name, rule in MADE_BY.items():
        groups = {one: rf"(?P<{one}>\w+)" for one in STEPS[rule].wildcards}
        pattern = catalog.file(name, **groups).replace(".", r"\.")
        if found := re.fullmatch(pattern, file):
            return Job(rule, found.groupdict())
    return None


def files_of(catalog: Plan, job: Job) -> list[str]:
    """Return the files and folders that a job makes."""
    return [catalog.file(name, **job.ids) for name in STEPS[job.rule].outputs]


def inputs_of(catalog: Plan, job: Job) -> list[str]:
    """Return the input files of a job, without the printed numbers."""
    inputs = catalog.inputs(job.rule, **job.ids)
    return [file for name, files in inputs.items() if name != "published" for file in files]


def run(paper: str, number: str, /, effort: str = "full") -> None:
    """Print the verdicts, components and jobs of a printed number or claim, given by its id."""
    print("\n".join(explain(Plan.of_effort(Path(), effort), paper, number)))


def explain(catalog: Plan, paper: str, number: str) -> Iterator[str]:
    """Describe one printed number or claim: its verdicts, components and jobs.

    `paper` and `number` are the keys of a row of ``data/published``.

    Raises `UserError` if there is no such number.
    """
    if paper not in catalog.papers:
        raise UserError(f"unknown paper {paper!r}; {remedy(paper, catalog.papers)}")
    place, cell = _printed(catalog, paper, number)
    yield f"number {', '.join(filter(None, cell.values()))}"
    yield f"  printed {place}"
    job, record = Job("claims", {"paper": paper}), "claims"
    if "claim" not in cell:
        job, record = Job("table", {"paper": paper, "artefact": cell["artefact"]}), "verdicts"
        if cell["artefact"] not in catalog.papers[paper]["artefacts"]:
            yield "  no verdict: a setting or an input of the authors, not a result"
            return
    file = catalog.file(record, **job.ids)
    path = catalog.root / file
    rows = [row for row in read_rows(path) if row["id"] == number] if path.is_file() else []
    for row in rows:
        told = [f"{key} {row[key]}" for key in row if row[key] and key not in {*cell, "reading"}]
        yield f"  {row.get('reading', 'claim')}: {', '.join(told)}"
    numbers, entries = _dependencies(catalog, paper, cell, rows)
    yield from (f"  source {test}" for test in _tests(catalog.root, paper, number))
    found = links(catalog, [paper])
    for key in dict.fromkeys(key for one in numbers for key in dependencies_of(found, one)):
        one = found["components"][key]
        yield f"  {one['role']} {one['id']}: {one.get('parameters', '')}".rstrip(": ")
        lines = {"configuration": "config", "source": "source"}
        yield from (f"    {name} {one[key]}" for name, key in lines.items() if key in one)
    yield from _job_lines(catalog, job, file)
    yield from _jobs_behind(catalog, outputs_of(entries))


def _dependencies(
    catalog: Plan, paper: str, cell: Mapping[str, str], rows: list[dict[str, str]]
) -> tuple[list[dict[str, str]], list[dict]]:
    """Return the numbers on which a printed number or claim depends, and their record entries."""
    number = {"paper": paper, "dataset": "", "method": "", "reading": RECONCILED}
    if "claim" in cell:
        named = {name for row in rows for name in row["artefact"].split()}
        entries = claims_entries(catalog, paper)
        fitting = [one for one in entries if {one.get("artefact"), one.get("experiment")} & named]
        return [number | {"artefact": name} for name in sorted(named)], fitting or entries
    artefact, method, dataset = (cell[key] for key in ("artefact", "method_id", "dataset_id"))
    number |= {"artefact": artefact, "method": method, "dataset": dataset}
    entries = artefact_entries(catalog, paper, artefact)
    entries = [one for one in entries if one.get("method", method) == method]
    for one in entries:
        if dataset in one.get("datasets", []):
            one["datasets"] = [dataset]
    return rows or [number], entries


def _jobs_behind(catalog: Plan, wanted: Iterable[str]) -> Iterator[str]:
    """Yield lines about all jobs before the verdict; for each rule, only the first few."""
    found: dict[str, dict[str, Job | None]] = {rule: {} for rule in [*reversed(STEPS), "given"]}
    waiting = list(dict.fromkeys(wanted))
    for file in waiting:
        job = job_of(catalog, file)
        of_rule = found[job.rule if job else "given"]
        if job and job in of_rule.values():
            continue
        of_rule[file] = job
        if job and len(of_rule) <= _SHOWN:
            waiting += [one for one in inputs_of(catalog, job) if one not in waiting]
    for rule, files in found.items():
        for file in [*files][:_SHOWN]:
            yield from _job_lines(catalog, files[file], file)
        if len(files) > _SHOWN:
            yield f"{rule}: {len(files) - _SHOWN} more, such as {list(files)[_SHOWN]}"


def _job_lines(catalog: Plan, job: Job | None, file: str) -> Iterator[str]:
    """Yield lines about a file, or a folder of records, and the job that made it."""
    path = catalog.root / file
    parts = sorted(path.glob("*.parquet")) if path.is_dir() else [path]
    content = b"".join(part.read_bytes() for part in parts if part.is_file())
    digest = f"sha256 {hashlib.sha256(content).hexdigest()}"
    said = digest if content else "missing: not part of the last run"
    yield f"{job.rule if job else 'given'} {file} {said}"
    if job is None:
        return
    yield f"  code {catalog.code(job.rule, **job.ids)}"
    yield f"  source {catalog.code_sources.defined(f'{STEPS[job.rule].module}:run')}"
    spec = json.loads(catalog.spec(job.rule, **job.ids))
    parameters = [f"{key}: {as_json(value)}" for key, value in spec.items() if key != "inputs"]
    text = ", ".join(sorted(parameters, key=len))  # short ones first: the end may be cut
    yield f"  parameters {text if len(text) <= _LONG else f'{text[:_LONG]}...'}"
    yield f"  again: snakemake --force {file}{catalog.overlay}"


def _printed(catalog: Plan, paper: str, number: str) -> tuple[str, dict[str, str]]:
    """Return file and line, and the row, of a printed number or claim."""
    known: list[str] = []
    for file in [*published(catalog, paper), f"{PUBLISHED}/claims.csv"]:
        rows = {row["id"]: row for row in read_rows(catalog.root / file) if row["paper"] == paper}
        if number in rows:
            text = (catalog.root / file).read_text(encoding="utf-8")
            line = text.count("\n", 0, text.index(f"\n{number},")) + 2
            return f"{file}:{line}", rows[number]
        known += rows
    raise UserError(f"{paper}: unknown number or claim {number!r}; {remedy(number, known)}")


def _tests(root: Path, paper: str, claim: str) -> Iterator[str]:
    """Yield file and line of the tests of a claim."""
    for path in sorted((root / "src/replication/papers" / paper).rglob("claims*.py")):
        for i, line in enumerate(path.read_text(encoding="utf-8").splitlines()):
            if f'about("{claim}"' in line:
                yield f"{path.relative_to(root).as_posix()}:{i + 1}"
