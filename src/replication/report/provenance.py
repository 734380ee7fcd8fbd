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

from replication.files import write_bytes, write_json, write_text
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
    spec: dict[str, Any], project: Path, output: Path, inputs: list[Path], outputs: list[Path]
) -> None:
    """Run the step."""
    write_text(output.with_name(README), _ABOUT)
    write_json(output, describe(spec, inputs, outputs, project, output).metadata.generate())
    (script,) = (path for path in inputs if path.name == MAIN)
    write_bytes(output.with_name(MAIN), script.read_bytes())


def describe(
    spec: Mapping[str, Any], inputs: list[Path], outputs: list[Path], project: Path, output: Path
) -> ROCrate:
    """Return the record of a run; nothing is written or copied.

    Parameters
    ----------
    spec : mapping
        Specification of the step: effort, seed, limits, papers.
    inputs, outputs : list of Path
        Files that the run read, `MAIN` among them, and files that it wrote.
    project : Path
        `pyproject.toml`, which names the packages.
    output : Path
        Place of the record, next to the page that describes it.
    """
    crate = ROCrate(version="1.1")
    crate.metadata.extra_terms["sha256"] = SHA256
    about = tomllib.loads(project.read_text(encoding="utf-8"))["project"]
    (_, python), (_, system) = machine()[:2]
    (script,) = (path for path in inputs if path.name == MAIN)
    main = crate.add_workflow(
        script,
        MAIN,
        main=True,
        lang="snakemake",
        properties={
            **described(script),
            "version": about["version"],
            "url": "https://snakemake.readthedocs.io/",
        },
    )
    read, written = (
        [
            crate.add_file(path, os.path.relpath(path, output.parent), properties=described(path))
            for path in group
            if path != script
        ]
        for group in (inputs, outputs)
    )

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
    page = described(output.with_name(README))
    crate.add_file(None, README, properties={**page, "name": README, "about": root})
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
    packages = {
        "Python": ("https://www.python.org/", python),
        **{name: (f"pkg:pypi/{name}", version(name)) for name in package_names(project)},
    }
    main["softwareRequirements"] = [
        add(address, "SoftwareApplication", name, url=address, softwareVersion=number)
        for name, (address, number) in packages.items()
    ]
    main["conformsTo"] = add(BIOSCHEMAS, "CreativeWork", "ComputationalWorkflow", version="1.0")
    parameters = {
        **{"effort": spec["effort"], "seed": spec["seed"]},
        **{f"limits.{name}": value for name, value in spec["limits"].items()},
    }
    # one value, not a list with one value
    root["mentions"] = crate.add_action(
        main,
        identifier="#run",
        object=[
            *read,
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
        result=written,
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
