"""What a run left, read from its files: ledger, artefacts, sources, benchmarks, versions."""

from __future__ import annotations

import csv
import os
import platform
import re
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from itertools import groupby
from pathlib import Path
from typing import Any

from replication.errors import UserError
from replication.files import read_json, read_rows
from replication.judge.cells import VERDICT_COLUMNS
from replication.judge.claims import COLUMNS as CLAIM_COLUMNS
from replication.judge.ledger import DEVIATION_COLUMNS, UNAVAILABLE_COLUMNS
from replication.report.grid import Grid, read
from replication.show import findings

Row = dict[str, str]

_LONGEST = 20
_NAME = re.compile(r"[A-Za-z0-9._-]+")


@dataclass(frozen=True)
class Artefact:
    """One table or figure, as the steps `table` and `figure` left it.

    Attributes
    ----------
    paper, name, label : str
        Ids of the paper and the artefact, and its name in the paper.
    printed : bool
        Whether the paper has it, or it is ours.
    grid : Grid
        The table.
    svg : bytes or None
        The figure, if there is one.
    files : sequence of (str, str)
        Files that hold the artefact: path from the top of the repository, and from the report.
    command : str
        Command that makes it again.
    """

    paper: str
    name: str
    label: str
    printed: bool
    grid: Grid
    svg: bytes | None
    files: Sequence[tuple[str, str]]
    command: str

    @property
    def anchor(self) -> str:
        """Id of its section in the page."""
        return anchor(self.paper, self.name)


def anchor(*names: str) -> str:
    """Id of a section of the page."""
    return "-".join(names).replace("_", "-").replace(".", "-").replace(" ", "-")


@dataclass(frozen=True)
class Timing:
    """Measured time of one job.

    Attributes
    ----------
    step, paper, job : str
        What ran: ``trials``, ``dilca``, ``vote.dilca_m.reconciled``.
    seconds, cpu : float
        Wall clock and processor seconds.
    memory : float
        Largest resident memory in MB; 0 if it ended too soon to be measured.
    """

    step: str
    paper: str
    job: str
    seconds: float
    cpu: float
    memory: float

    @property
    def group(self) -> str:
        """What the time was spent on: a method, a measure or an experiment."""
        parts = self.job.split(".")
        place = {"trials": 1, "similarity": 2}.get(self.step, 0)
        return parts[place] if place < len(parts) else self.job


@dataclass(frozen=True)
class Contents:
    """Everything the report shows.

    Attributes
    ----------
    spec : dict
        Specification of the step; see `plan.presenting.report_spec`.
    links : dict
        What every number rests on; see `plan.pieces.links`.
    findings : list of (dict, bytes)
        What was found, with the pictures; see `show.findings`.
    artefacts : list of Artefact
        In the order of the papers.
    verdicts, claims, deviations, unavailable : list of dict
        The ledger, every cell a text.
    sources : dict
        Records of the step `download`, by data set.
    timings : list of Timing
        Longest first.
    packages : list of (str, str)
        Packages of the project and their installed versions.
    machine : list of (str, str)
        Where the report was made.
    """

    spec: Mapping[str, Any]
    links: Mapping[str, Any]
    findings: list[tuple[dict[str, str], bytes]]
    artefacts: list[Artefact]
    verdicts: list[Row]
    claims: list[Row]
    deviations: list[Row]
    unavailable: list[Row]
    sources: dict[str, dict[str, Any]]
    timings: list[Timing]
    packages: list[tuple[str, str]]
    machine: list[tuple[str, str]]

    def to(self, file: str) -> str:
        """Way from the report to a file of the repository."""
        return os.path.relpath(file, self.spec["roots"]["results"]).replace(os.sep, "/")


def gather(spec: Mapping[str, Any], project: Path, links: Mapping[str, Any]) -> Contents:
    """Read a run.

    Parameters
    ----------
    spec : mapping
        Specification of the step.
    project : Path
        `pyproject.toml`, which names the packages.
    links : mapping
        What every number rests on; see `plan.pieces.links`.

    Returns
    -------
    Contents

    Raises
    ------
    UserError
        If a file is missing or is not what its name says.
    """
    results = Path(spec["roots"]["results"])
    ledger = results / "ledger"
    pictures = Path(spec["roots"]["figures"]) / "findings"
    return Contents(
        spec=spec,
        links=links,
        findings=[
            (one, (pictures / f"{one['id']}.svg").read_bytes()) for one in findings.read(pictures)
        ],
        artefacts=[
            artefact(spec, paper["id"], entry)
            for paper in spec["papers"]
            for entry in paper["artefacts"]
        ],
        verdicts=read_rows(ledger / "verdicts.csv", VERDICT_COLUMNS),
        claims=read_rows(ledger / "claims.csv", CLAIM_COLUMNS),
        deviations=read_rows(ledger / "deviations.csv", DEVIATION_COLUMNS),
        unavailable=read_rows(ledger / "unavailable.csv", UNAVAILABLE_COLUMNS),
        sources={
            one["id"]: read_json(Path(spec["roots"]["raw"]) / one["id"] / "source.json")
            for one in spec["sources"]
        },
        timings=timings(results / "benchmarks", [paper["id"] for paper in spec["papers"]]),
        packages=[(name, version(name)) for name in package_names(project)],
        machine=machine(),
    )


def artefact(spec: Mapping[str, Any], paper: str, entry: Mapping[str, Any]) -> Artefact:
    """Read one artefact.

    Parameters
    ----------
    spec : mapping
        Specification of the step.
    paper : str
        Id of the paper.
    entry : mapping
        ``id``, ``label``, ``outputs``, ``printed``.

    Raises
    ------
    UserError
        If a file is missing, or that of the table holds none.
    """
    base = f"{spec['roots']['figures']}/{paper}/{entry['id']}"
    kinds = ["csv", "md", "tex", *(["svg", "pdf"] if "figure" in entry["outputs"] else [])]
    there = [kind for kind in kinds if Path(f"{base}.{kind}").is_file()]
    try:
        grid = read(
            read_json(Path(f"{base}.json"), "title", "caption", "columns", "rows", "legend")
        )
        svg = Path(f"{base}.svg").read_bytes() if "svg" in kinds else None
    except OSError as error:
        raise UserError(f"{error.filename}: cannot be read ({error.strerror})") from error
    except TypeError as error:
        raise UserError(f"{base}.json: no table ({error}); delete it, run again") from error
    target = f"{base}.{'svg' if svg is not None else 'md'}"
    return Artefact(
        paper=paper,
        name=entry["id"],
        label=entry["label"],
        printed=entry["printed"],
        grid=grid,
        svg=svg,
        files=[
            (name, os.path.relpath(name, spec["roots"]["results"]).replace(os.sep, "/"))
            for name in (f"{base}.{kind}" for kind in there)
        ],
        command=f"snakemake --cores all {target}{spec['overlay']}",
    )


def timings(folder: Path, papers: Sequence[str]) -> list[Timing]:
    """Times of the jobs of some papers, longest first.

    A job that was resumed is measured from where it went on; jobs without a measurement are absent.

    Parameters
    ----------
    folder : Path
        Benchmarks, as ``<step>/<paper>/<job>.tsv``; need not exist.
    papers : sequence of str
        Ids of the papers.
    """
    found = []
    for path in sorted(Path(folder).glob("*/*/*.tsv")):
        step, paper = path.parts[-3:-1]
        if paper not in papers:
            continue
        with path.open(encoding="utf-8", newline="") as stream:
            rows = list(csv.DictReader(stream, delimiter="\t"))
        found += [
            Timing(
                step,
                paper,
                path.stem,
                *(_measured(row[name]) for name in ("s", "cpu_time", "max_rss")),
            )
            for row in rows[-1:]
        ]
    return sorted(found, key=lambda one: (-one.seconds, one.step, one.paper, one.job))


def longest_groups(timings: Sequence[Timing]) -> list[tuple[str, float]]:
    """Labels and seconds of what took longest; the rest in one row."""
    sums: Counter[tuple[str, str, str]] = Counter()
    for one in timings:
        sums[one.paper, one.step, one.group] += one.seconds
    ordered = sorted(sums.items(), key=lambda item: (-item[1], item[0]))
    rows = [(" · ".join(key), seconds) for key, seconds in ordered[:_LONGEST]]
    rest = ordered[_LONGEST:]
    if rest:
        rows.append((f"{len(rest)} others", sum(seconds for _, seconds in rest)))
    return rows


def _measured(text: str) -> float:
    """Number in a benchmark file; ``NA`` or ``-`` if the job was too short to be looked at."""
    return 0.0 if text in ("NA", "-", "") else float(text)


def package_names(project: Path) -> list[str]:
    """Packages that the code and the workflow name, sorted.

    Parameters
    ----------
    project : Path
        `pyproject.toml`.
    """
    with Path(project).open("rb") as stream:
        content = tomllib.load(stream)["project"]
    wanted = [*content["dependencies"], *content["optional-dependencies"]["workflow"]]
    return sorted({_NAME.match(text)[0] for text in wanted})


def version(name: str) -> str:
    """Installed version of a package; says so if there is none."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "not installed"


def machine() -> list[tuple[str, str]]:
    """What this process runs on."""
    return [
        ("Python", f"{platform.python_implementation()} {platform.python_version()}"),
        ("System", f"{platform.system()} {platform.release()}"),
        ("Processor", platform.machine()),
        ("Cores", str(os.cpu_count())),
    ]


def duration(seconds: float) -> str:
    """Time in the unit that suits it."""
    for unit, name in ((3600.0, "h"), (60.0, "min")):
        if seconds >= 2 * unit:
            return f"{seconds / unit:.1f} {name}"
    return f"{seconds:.1f} s"


def time_rows(timings: Sequence[Timing], names: Mapping[str, str]) -> list[list[str]]:
    """Time per paper and step: paper, step, jobs, time, processor time, longest job."""
    rows = []
    ordered = sorted(timings, key=lambda one: (one.paper, one.step))
    for (paper, step), group in groupby(ordered, key=lambda one: (one.paper, one.step)):
        jobs = list(group)
        longest = max(jobs, key=lambda one: one.seconds)
        rows.append(
            [
                names.get(paper, paper),
                step,
                str(len(jobs)),
                duration(sum(one.seconds for one in jobs)),
                duration(sum(one.cpu for one in jobs)),
                f"{longest.job} ({duration(longest.seconds)})",
            ]
        )
    return rows
