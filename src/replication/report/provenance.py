"""Step `provenance`: write the machine-readable record of a run, an RO-Crate.

The record lists inputs and outputs with SHA-256, workflow, packages and parameters, by the Workflow
Run Crate profile. It is written to the results, with a copy of the main workflow and a page that
describes it. Other files are named by their paths relative to it.
"""

import hashlib
import mimetypes
import os
import tomllib
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rocrate.model.contextentity import ContextEntity
from rocrate.rocrate import ROCrate

from replication.files import read_json, write_bytes, write_json, write_text
from replication.report.gather import machine, package_names, version

WORKFLOW_CRATE = "https://w3id.org/workflowhub/workflow-ro-crate/1.0"
PROFILES = {
    "https://w3id.org/ro/wfrun/process/0.5": ("Process Run Crate", "0.5"),
    "https://w3id.org/ro/wfrun/workflow/0.5": ("Workflow Run Crate", "0.5"),
    WORKFLOW_CRATE: ("Workflow RO-Crate", "1.0"),
}
"""Profiles of the record, which build on RO-Crate 1.1: name and version by address."""
BIOSCHEMAS = "https://bioschemas.org/profiles/ComputationalWorkflow/1.0-RELEASE"
SHA256 = "https://w3id.org/ro/terms/workflow-run#sha256"
"""Address of the term for hashes, which RO-Crate 1.1 lacks."""
MAIN = "Snakefile"
README = "README.md"
_ABOUT = """# Results of a run

Tables, figures and verdicts. `ro-crate-metadata.json` lists all input and output files with their
SHA-256, the packages and the parameters (Workflow Run Crate 0.5). `Snakefile` is a copy of the
workflow that computed the results.
"""

_KINDS = {
    ".md": "text/markdown",
    ".tex": "application/x-tex",
    ".yaml": "application/yaml",
    ".smk": "text/plain",
    ".lock": "text/plain",
}


def run(
    spec: dict[str, Any],
    project: Path,
    output: Path,
    workflow: list[Path],
    published: list[Path],
    data: list[Path],
    sources: list[Path],
    ledger: list[Path],
    artefacts: list[Path],
) -> int:
    """Run the step."""
    inputs = {"workflow": workflow, "published": published, "data": data, "sources": sources}
    write_text(output.with_name(README), _ABOUT)
    crate = describe(spec, inputs, [*ledger, *artefacts], project, output)
    write_json(output, crate.metadata.generate())
    main = next(path for path in workflow if path.name == MAIN)
    write_bytes(output.with_name(MAIN), main.read_bytes())
    return 0


def describe(
    spec: Mapping[str, Any],
    inputs: Mapping[str, list[Path]],
    outputs: list[Path],
    project: Path,
    output: Path,
) -> ROCrate:
    """Return the record of a run; nothing is written or copied.

    Parameters
    ----------
    spec : mapping
        Specification of the step: effort, seed, limits, sources, papers.
    inputs : mapping of str to list of Path
        Input files: ``workflow``, ``published``, ``data`` and ``sources`` (records of the step
        `download`).
    outputs : list of Path
        Output files.
    project : Path
        `pyproject.toml`, which names the packages.
    output : Path
        Place of the record, next to the page that describes it.
    """
    crate = ROCrate(version="1.1")
    crate.metadata.extra_terms["sha256"] = SHA256
    about = tomllib.loads(project.read_text(encoding="utf-8"))["project"]
    (_, python), (_, system) = machine()[:2]
    facts = {one["dataset"]: one for one in map(read_json, inputs["sources"])}
    files = {}
    for path in [*(path for group in inputs.values() for path in group), *outputs]:
        origin = _origin(path, spec, facts) if path in inputs["data"] else {}
        place = MAIN if path.name == MAIN else os.path.relpath(path, output.parent)
        workflow = {"main": True, "lang": "snakemake"} if path.name == MAIN else {}
        put = crate.add_workflow if workflow else crate.add_file
        files[path] = put(
            path, Path(place).as_posix(), properties=described(path) | origin, **workflow
        )
    main = next(one for path, one in files.items() if path.name == MAIN)

    def add(identifier: str, kind: str, name: str, **properties: Any) -> Any:
        found = {"@type": kind, "name": name, **properties}
        return crate.add(ContextEntity(crate, identifier, properties=found))

    root = crate.root_dataset
    crate.name = f"Similarity of categorical data: run with effort {spec['effort']}"
    papers = "; ".join(f"{paper['title']} ({paper['id']})" for paper in spec["papers"])
    crate.description = f"Tables, figures and verdicts of {papers}"
    crate.license = add("https://spdx.org/licenses/MIT", "CreativeWork", "MIT License")
    ended = datetime.fromtimestamp(max(path.stat().st_mtime for path in outputs), tz=UTC)
    crate.datePublished = ended.date().isoformat()
    root["conformsTo"] = [
        add(address, "CreativeWork", name, version=number)
        for address, (name, number) in PROFILES.items()
    ]
    crate.metadata["conformsTo"] = [
        {"@id": "https://w3id.org/ro/crate/1.1"},
        {"@id": WORKFLOW_CRATE},
    ]
    # the developers have no address but this page
    makers = add("#developers", "Organization", about["authors"][0]["name"], url=README)
    root["author"] = root["publisher"] = makers
    page = described(output.with_name(README)) | {"name": README, "about": root}
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
    packages = {"Python": ("https://www.python.org/", python)}
    packages |= {name: (f"pkg:pypi/{name}", version(name)) for name in package_names(project)}
    main["softwareRequirements"] = [
        add(address, "SoftwareApplication", name, url=address, softwareVersion=number)
        for name, (address, number) in packages.items()
    ]
    main["version"] = about["version"]
    main["url"] = "https://snakemake.readthedocs.io/"
    main["conformsTo"] = add(BIOSCHEMAS, "CreativeWork", "ComputationalWorkflow", version="1.0")
    limits = {f"limits.{name}": value for name, value in spec["limits"].items()}
    parameters = {"effort": spec["effort"], "seed": spec["seed"]} | limits
    # one value, not a list with one value
    root["mentions"] = crate.add_action(
        main,
        identifier="#run",
        object=[
            *(one for path, one in files.items() if one is not main and path not in outputs),
            *(
                add(
                    f"#parameter-{name}",
                    "PropertyValue",
                    name,
                    value=" ".join(value) if isinstance(value, list) else str(value),
                )
                for name, value in parameters.items()
            ),
        ],
        result=[files[path] for path in outputs],
        properties={
            "@type": "CreateAction",
            "name": f"Run with effort {spec['effort']}",
            "description": f"The workflow on {system}, with {python}",
            "endTime": ended.isoformat(timespec="seconds"),
            "agent": makers,
        },
    )
    return crate


def described(path: Path) -> dict[str, Any]:
    """Return name, size, hash and type of a file."""
    content = path.read_bytes()
    kind = _KINDS.get(path.suffix) or mimetypes.guess_type(path.name)[0] or "text/plain"
    return {
        "name": path.as_posix(),
        "contentSize": str(len(content)),
        "sha256": hashlib.sha256(content).hexdigest(),
        "encodingFormat": kind,
    }


def _origin(
    path: Path, spec: Mapping[str, Any], facts: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any]:
    """Return the origin of the table of a data set: route, homepage, licence, hashes of files."""
    dataset = path.parent.name
    if dataset not in facts or path.name != "table.csv":
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
