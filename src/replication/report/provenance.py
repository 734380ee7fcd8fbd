"""Step `provenance`: the record of a run for programs, as an RO-Crate.

What went in, what came out (with SHA-256), which workflow and packages did it, and with which
parameters, by the Workflow Run Crate profile. The record lies in the results, with a copy of the
main workflow and a page that says what it is; files elsewhere are named by their path relative to
it.
"""

from __future__ import annotations

import argparse
import hashlib
import mimetypes
import os
import tomllib
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from replication.errors import UserError
from replication.files import read_json, write_bytes, write_json, write_text
from replication.report.gather import machine, package_names, version
from replication.steps import specification

if TYPE_CHECKING:
    from rocrate.rocrate import ROCrate

PROFILES = {
    "https://w3id.org/ro/wfrun/process/0.5": ("Process Run Crate", "0.5"),
    "https://w3id.org/ro/wfrun/workflow/0.5": ("Workflow Run Crate", "0.5"),
    "https://w3id.org/workflowhub/workflow-ro-crate/1.0": ("Workflow RO-Crate", "1.0"),
}
"""What the record conforms to: address, name and version. These build on RO-Crate 1.1."""
WORKFLOW_CRATE = "https://w3id.org/workflowhub/workflow-ro-crate/1.0"
BIOSCHEMAS = "https://bioschemas.org/profiles/ComputationalWorkflow/1.0-RELEASE"
SHA256 = "https://w3id.org/ro/terms/workflow-run#sha256"
"""The term for hashes, which RO-Crate 1.1 does not have."""
LICENCE = "https://spdx.org/licenses/MIT"
RUN = "#run"
MAIN = "Snakefile"
README = "README.md"
_ABOUT = """# Results of a run

Tables, figures, verdicts and what they were computed from. `ro-crate-metadata.json` lists every
file that went in and came out with its SHA-256, the packages and the parameters (Workflow Run
Crate 0.5); `Snakefile` is a copy of the workflow that made them.
"""

_INPUTS = ("workflow", "published", "data", "sources")
_OUTPUTS = ("ledger", "artefacts")
_KINDS = {
    ".md": "text/markdown",
    ".tex": "application/x-tex",
    ".yaml": "application/yaml",
    ".smk": "text/plain",
    ".lock": "text/plain",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the step."""
    parser.add_argument("--spec", required=True, help="papers, sources, seed, limits (JSON)")
    parser.add_argument("--project", type=Path, required=True, help="pyproject.toml")
    for name in (*_INPUTS, *_OUTPUTS):
        parser.add_argument(f"--{name}", type=Path, nargs="*", default=[], help=f"files ({name})")
    parser.add_argument("--output", type=Path, required=True, help="output (JSON-LD)")


def run(args: argparse.Namespace) -> int:
    """Run the step."""
    groups = {name: getattr(args, name) for name in (*_INPUTS, *_OUTPUTS)}
    crate = describe(specification(args.spec), groups, args.project, args.output)
    write_json(args.output, crate.metadata.generate())
    write_text(args.output.with_name(README), _ABOUT)
    main = next(path for path in args.workflow if path.name == MAIN)
    write_bytes(args.output.with_name(MAIN), main.read_bytes())
    return 0


def describe(
    spec: Mapping[str, Any],
    groups: Mapping[str, Iterable[Path]],
    project: Path,
    output: Path,
) -> ROCrate:
    """Record of a run.

    Parameters
    ----------
    spec : mapping
        Specification of the step: effort, seed, limits, sources, papers.
    groups : mapping of str to iterable of Path
        Files: ``workflow``, ``published``, ``data`` and ``sources`` (records of the step
        `download`) went in, ``ledger`` and ``artefacts`` came out.
    project : Path
        `pyproject.toml`, which names the packages.
    output : Path
        Where the record will lie.

    Returns
    -------
    rocrate.rocrate.ROCrate
        Nothing is written or copied.

    Raises
    ------
    UserError
        If a file is missing.
    """
    from rocrate.model.contextentity import ContextEntity
    from rocrate.rocrate import ROCrate

    crate = ROCrate(version="1.1")
    crate.metadata.extra_terms["sha256"] = SHA256
    about = tomllib.loads(project.read_text(encoding="utf-8"))["project"]
    (_, python), (_, system) = machine()[:2]
    files = _add_files(crate, spec, groups, output)
    main = next(one for path, one in files.items() if path.name == MAIN)

    def add(identifier: str, kind: str, name: str, **properties: Any) -> Any:
        found = {"@type": kind, "name": name, **properties}
        return crate.add(ContextEntity(crate, identifier, properties=found))

    root = crate.root_dataset
    crate.name = f"Similarity of categorical data: run with effort {spec['effort']}"
    crate.description = "Tables, figures and verdicts of " + "; ".join(
        f"{paper['title']} ({paper['id']})" for paper in spec["papers"]
    )
    crate.license = add(LICENCE, "CreativeWork", "MIT License")
    ended = _newest(groups[name] for name in _OUTPUTS)
    crate.datePublished = ended.date().isoformat()
    root["conformsTo"] = [
        add(address, "CreativeWork", name, version=number)
        for address, (name, number) in PROFILES.items()
    ]
    crate.metadata["conformsTo"] = [
        {"@id": "https://w3id.org/ro/crate/1.1"},
        {"@id": WORKFLOW_CRATE},
    ]
    # they have no other address than what they wrote
    makers = add("#developers", "Organization", about["authors"][0]["name"], url=README)
    root["author"] = root["publisher"] = makers
    page = _content(README, _ABOUT.encode()) | {"about": root}
    crate.add_file(None, README, properties=page)
    root["citation"] = [
        add(
            f"https://doi.org/{paper['doi']}" if paper["doi"] else f"#paper-{paper['id']}",
            "ScholarlyArticle",
            paper["title"],
            description=paper["citation"],
        )
        for paper in spec["papers"]
        if paper["citation"]
    ]
    packages = {name: (f"pkg:pypi/{name}", version(name)) for name in package_names(project)}
    main["softwareRequirements"] = [
        add(address, "SoftwareApplication", name, url=address, softwareVersion=number)
        for name, (address, number) in {
            "Python": ("https://www.python.org/", python),
            **packages,
        }.items()
    ]
    main["version"] = about["version"]
    main["url"] = "https://snakemake.readthedocs.io/"
    main["conformsTo"] = add(BIOSCHEMAS, "CreativeWork", "ComputationalWorkflow", version="1.0")
    inputs = [files[path] for name in _INPUTS for path in groups[name] if files[path] is not main]
    # one value, not a list of one
    root["mentions"] = crate.add_action(
        main,
        identifier=RUN,
        object=[
            *inputs,
            *(
                add(f"#parameter-{name}", "PropertyValue", name, value=value)
                for name, value in _parameters(spec)
            ),
        ],
        result=[files[path] for name in _OUTPUTS for path in groups[name]],
        properties={
            "@type": "CreateAction",
            "name": f"Run with effort {spec['effort']}",
            "description": f"The workflow on {system}, with {python}",
            "endTime": ended.isoformat(timespec="seconds"),
            "agent": makers,
        },
    )
    return crate


def _add_files(
    crate: ROCrate, spec: Mapping[str, Any], groups: Mapping[str, Iterable[Path]], output: Path
) -> dict[Path, Any]:
    """Add the files of a run to its record; the entities by path."""
    found = {}
    facts = {one["dataset"]: one for one in map(read_json, groups["sources"])}
    for name in (*_INPUTS, *_OUTPUTS):
        for path in groups[name]:
            properties = described(path) | _origin(path, name, spec, facts)
            if path.name == MAIN:
                found[path] = crate.add_workflow(
                    path, MAIN, properties=properties, main=True, lang="snakemake"
                )
            else:
                place = Path(os.path.relpath(path, output.parent)).as_posix()
                found[path] = crate.add_file(path, place, properties=properties)
    return found


def described(path: Path) -> dict[str, Any]:
    """Size, hash and kind of a file.

    Raises
    ------
    UserError
        If it cannot be read.
    """
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror})") from error
    return _content(path.as_posix(), content)


def _content(name: str, content: bytes) -> dict[str, Any]:
    """Name, size, hash and kind of what a file holds."""
    kind = _KINDS.get(Path(name).suffix) or mimetypes.guess_type(name)[0] or "text/plain"
    return {
        "name": name,
        "contentSize": str(len(content)),
        "sha256": hashlib.sha256(content).hexdigest(),
        "encodingFormat": kind,
    }


def _origin(
    path: Path, group: str, spec: Mapping[str, Any], facts: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any]:
    """Where the table of a data set is from: route, homepage, licence, hashes of its files."""
    dataset = path.parent.name
    if group != "data" or dataset not in facts or path.name != "table.csv":
        return {}
    entry = next(one for one in spec["sources"] if one["id"] == dataset)
    record = facts[dataset]
    files = [f"{one['name']} sha256 {one['sha256']}" for one in record.get("files", [])]
    return {
        "alternateName": entry["title"],
        "isBasedOn": entry["homepage"],
        "license": entry["licence"],
        "description": "; ".join(
            [f"{record['status']}, route: {record.get('route') or 'none'}", *files]
        ),
    }


def _parameters(spec: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Names and values of what the run was told, lists as one text."""
    named = {"effort": spec["effort"], "seed": spec["seed"]}
    named |= {f"limits.{name}": value for name, value in spec["limits"].items()}
    return [
        (name, " ".join(value) if isinstance(value, list) else str(value))
        for name, value in named.items()
    ]


def _newest(groups: Iterable[Iterable[Path]]) -> datetime:
    """When, in UTC, the last of some files was written."""
    times = [path.stat().st_mtime for group in groups for path in group]
    return datetime.fromtimestamp(max(times), tz=UTC)
