"""Read the files of a run for the report: ledger, artefacts, sources, versions."""

import os
import platform
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib import metadata
from pathlib import Path
from typing import Any

import pandas as pd
from markupsafe import Markup

from replication.files import read_json, read_rows
from replication.judge.cells import VERDICT_COLUMNS
from replication.judge.claims import CASE_COLUMNS, CLAIM_COLUMNS
from replication.judge.ledger import UNAVAILABLE_COLUMNS, read_ledger
from replication.plan.layout import PUBLISHED
from replication.report.widgets import anchor, words
from replication.show import findings
from replication.show.claim_counts import described, settled

Row = dict[str, str]

_NAME = re.compile(r"[A-Za-z0-9._-]+")


@dataclass(frozen=True)
class Contents:
    """The content of the report."""

    spec: Mapping[str, Any]
    # evidence of each reading, its figures from this run
    evidence: Mapping[str, str]
    # dependencies of every number, see `plan.components.links`
    links: Mapping[str, Any]
    # the findings with their pictures, see `show.findings`
    findings: list[tuple[dict[str, str], bytes]]
    artefacts: list[dict[str, Any]]
    # the ledger, and the cases of each claim by its id, with texts as cells
    verdicts: pd.DataFrame
    claims: pd.DataFrame
    # the claims as they are counted, see `show.claim_counts.described`
    counted: pd.DataFrame
    unavailable: pd.DataFrame
    cases: dict[str, list[Row]]
    # records of the step `download`, by data set
    sources: dict[str, dict[str, Any]]
    # packages of the project and their installed versions
    packages: list[tuple[str, str]]

    @cached_property
    def names(self) -> dict[str, str]:
        """Name of each paper, by its id."""
        return {paper["id"]: paper["name"] for paper in self.spec["papers"]}

    @cached_property
    def labels(self) -> dict[tuple[str, str], str]:
        """Label of each artefact that has a section, by the ids of its paper and its own."""
        return {(one["paper"], one["id"]): one["label"] for one in self.artefacts}

    @cached_property
    def words(self) -> Callable[[str], Markup]:
        """Converter of texts to HTML with links to the readings."""
        return words(self.spec["readings"])

    def to(self, file: str) -> str:
        """Return the relative path from the report to a file of the repository."""
        return os.path.relpath(file, self.spec["roots"]["results"]).replace(os.sep, "/")


def gather(
    spec: Mapping[str, Any], project: Path, links: Mapping[str, Any], evidence: Mapping[str, str]
) -> Contents:
    """Read a run; `project` is `pyproject.toml`, which names the packages.

    `links` are the dependencies of the numbers, `evidence` that of the readings.

    Raises `UserError` if a file is missing or damaged.
    """
    ledger = Path(spec["roots"]["results"], "ledger")
    pictures = Path(spec["roots"]["figures"]) / "findings"
    claims = read_ledger(CLAIM_COLUMNS, ledger / "claims.csv")
    return Contents(
        spec=spec,
        evidence=evidence,
        links=links,
        findings=[
            (one, (pictures / f"{one['id']}.svg").read_bytes()) for one in findings.read(pictures)
        ],
        artefacts=[
            artefact(spec, paper["id"], entry)
            for paper in spec["papers"]
            for entry in paper["artefacts"]
        ],
        sources={
            one["id"]: read_json(Path(spec["roots"]["raw"]) / one["id"] / "source.json")
            for one in spec["sources"]
        },
        cases={
            path.stem: read_rows(path, CASE_COLUMNS)
            for paper in spec["papers"]
            for path in sorted(Path(spec["roots"]["figures"], paper["id"], "claims").glob("*.csv"))
        },
        verdicts=read_ledger(VERDICT_COLUMNS, ledger / "verdicts.csv"),
        claims=claims,
        counted=described(settled(claims, spec["timed"]), project.resolve().parent / PUBLISHED),
        unavailable=read_ledger(UNAVAILABLE_COLUMNS, ledger / "unavailable.csv"),
        packages=[(name, version(name)) for name in package_names(project)],
    )


def artefact(spec: Mapping[str, Any], paper: str, entry: Mapping[str, Any]) -> dict[str, Any]:
    """Read one table or figure, as the steps `table` and `figure` wrote it.

    Returns
    -------
    dict
        The entry (``id``, ``label``, ``outputs``, ``printed``) and its table, with the keys of
        `replication.show.sheet.Sheet.record`; and ``paper``, ``anchor`` (id of its section),
        ``svg`` (bytes or None), ``files`` (paths from the top of the repository) and ``command``
        (recomputes it).

    Raises
    ------
    UserError
        If the file of the table is missing or damaged.
    """
    base = f"{spec['roots']['figures']}/{paper}/{entry['id']}"
    drawn = "figure" in entry["outputs"]
    kinds = ["csv", "md", "tex", *(["svg", "pdf"] if drawn else [])]
    return {
        **entry,
        **read_json(Path(f"{base}.json"), "title", "caption", "columns", "rows", "legend"),
        "paper": paper,
        "anchor": anchor(paper, entry["id"]),
        "svg": Path(f"{base}.svg").read_bytes() if drawn else None,
        "files": [name for name in (f"{base}.{kind}" for kind in kinds) if Path(name).is_file()],
        "command": f"snakemake --cores all -f {base}.{'svg' if drawn else 'md'}{spec['overlay']}",
    }


def package_names(project: Path) -> list[str]:
    """Return the packages that `pyproject.toml` lists for library and workflow, sorted."""
    content = tomllib.loads(Path(project).read_text(encoding="utf-8"))
    wanted = [*content["project"]["dependencies"], *content["dependency-groups"]["workflow"]]
    return sorted({_NAME.findall(text)[0] for text in wanted})


def version(name: str) -> str:
    """Return the installed version of a package, or ``not installed``."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "not installed"


def machine() -> list[tuple[str, str]]:
    """Return interpreter, system, processor and number of cores."""
    return [
        ("Python", f"{platform.python_implementation()} {platform.python_version()}"),
        ("System", f"{platform.system()} {platform.release()}"),
        ("Processor", platform.machine()),
        ("Cores", str(os.cpu_count())),
    ]
