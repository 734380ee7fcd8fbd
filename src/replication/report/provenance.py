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

_GROUPS = ("workflow", "published", "data", "sources", "ledger", "artefacts")
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
    for name in _GROUPS:
        parser.add_argument(f"--{name}", type=Path, nargs="*", default=[], help=f"files ({name})")
    parser.add_argument("--output", type=Path, required=True, help="output (JSON-LD)")


def run(args: argparse.Namespace) -> int:
    """Run the step."""
    groups = {name: getattr(args, name) for name in _GROUPS}
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
    entities: dict[Path, Any] = {}
    facts = {one["dataset"]: one for one in map(read_json, groups["sources"])}
    for name in _GROUPS:
        for path in groups[name]:
            properties = described(path) | _origin(path, name, spec, facts)
            place = Path(os.path.relpath(path, output.parent)).as_posix()
            if path.name == MAIN:
                entities[path] = crate.add_workflow(
                    path, MAIN, properties=properties, main=True, lang="snakemake"
                )
            else:
                entities[path] = crate.add_file(path, place, properties=properties)

    def contextual(identifier: str, **properties: Any) -> Any:
        return crate.add(ContextEntity(crate, identifier, properties=properties))

    crate.name = f"Similarity of categorical data: run with effort {spec['effort']}"
    crate.description = "Tables, figures and verdicts of " + "; ".join(
        f"{paper['title']} ({paper['id']})" for paper in spec["papers"]
    )
    crate.license = contextual(LICENCE, **{"@type": "CreativeWork", "name": "MIT License"})
    ended = _newest(groups[name] for name in _OUTPUTS)
    crate.datePublished = ended.date().isoformat()
    crate.root_dataset["conformsTo"] = [
        contextual(address, **{"@type": "CreativeWork", "name": name, "version": number})
        for address, (name, number) in PROFILES.items()
    ]
    crate.metadata["conformsTo"] = [
        {"@id": "https://w3id.org/ro/crate/1.1"},
        {"@id": WORKFLOW_CRATE},
    ]
    # they have no other address than what they wrote
    makers = contextual(
        "#developers",
        **{"@type": "Organization", "name": about["authors"][0]["name"], "url": README},
    )
    crate.root_dataset["author"] = crate.root_dataset["publisher"] = makers
    crate.add_file(
        None,
        README,
        properties={
            "name": README,
            "encodingFormat": "text/markdown",
            "about": crate.root_dataset,
            "contentSize": str(len(_ABOUT.encode())),
            "sha256": hashlib.sha256(_ABOUT.encode()).hexdigest(),
        },
    )
    crate.root_dataset["citation"] = [
        contextual(
            f"https://doi.org/{paper['doi']}" if paper["doi"] else f"#paper-{paper['id']}",
            **{
                "@type": "ScholarlyArticle",
                "name": paper["title"],
                "description": paper["citation"],
            },
        )
        for paper in spec["papers"]
        if paper["citation"]
    ]
    python, system = machine()[:2]
    addresses = {"Python": "https://www.python.org/"} | {
        name: f"pkg:pypi/{name}" for name in package_names(project)
    }
    software = [
        contextual(
            address,
            **{
                "@type": "SoftwareApplication",
                "name": name,
                "url": address,
                "softwareVersion": python[1] if name == python[0] else version(name),
            },
        )
        for name, address in addresses.items()
    ]
    main = next(entity for path, entity in entities.items() if path.name == MAIN)
    main["softwareRequirements"] = software
    main["version"] = about["version"]
    main["url"] = "https://snakemake.readthedocs.io/"
    main["conformsTo"] = contextual(
        BIOSCHEMAS, **{"@type": "CreativeWork", "name": "ComputationalWorkflow", "version": "1.0"}
    )
    parameters = [
        contextual(f"#parameter-{name}", **{"@type": "PropertyValue", "name": name, "value": value})
        for name, value in _parameters(spec)
    ]
    inputs = [
        entities[path]
        for name in _GROUPS
        if name not in _OUTPUTS
        for path in groups[name]
        if entities[path] is not main
    ]
    action = crate.add_action(
        main,
        identifier=RUN,
        object=[*inputs, *parameters],
        result=[entities[path] for name in _OUTPUTS for path in groups[name]],
        properties={
            "@type": "CreateAction",
            "name": f"Run with effort {spec['effort']}",
            "description": f"The workflow on {system[1]}, with {python[1]}",
            "endTime": ended.isoformat(timespec="seconds"),
            "agent": makers,
        },
    )
    # one value, not a list of one
    crate.root_dataset["mentions"] = action
    return crate


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
    kind = _KINDS.get(path.suffix) or mimetypes.guess_type(path.name)[0] or "text/plain"
    return {
        "name": path.as_posix(),
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
