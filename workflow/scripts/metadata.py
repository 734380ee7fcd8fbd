"""Write codemeta.json, .zenodo.json, codecheck.yml and .adduce/manifest.yaml.

Their sources are CITATION.cff, pyproject.toml, ARTIFACT.md, config/datasets.yaml and
data/published/artefacts.csv.

Usage: python workflow/scripts/metadata.py FOLDER (the top of the repository).
"""

import csv
import json
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml
from artifact import ROW

LICENCE = "https://spdx.org/licenses/{}"
SPECIFICATION = "https://codecheck.org.uk/spec/config/2.0/"
CODECHECK = """---
# What a CODECHECK of this project compares. Written by `make metadata`.
# Before a check, the authors add the ORCID of each author, and the article's DOI as its reference.
# A codechecker adds: codechecker, report, certificate and summary.
"""
ARTICLE = "article.pdf of release {}, written by `make article`"
ADDUCE = "# Claims, data sets and commands for auditors of artefacts. Written by `make metadata`.\n"
FORMS = (".csv", ".svg")
"""Endings of the listed files: a table and a drawing; the other forms hold the same content."""


def texts(root: Path) -> dict[str, str]:
    """Content of each file by its name."""
    citation = yaml.safe_load((root / "CITATION.cff").read_text(encoding="utf-8"))
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return {
        "codemeta.json": _json(codemeta(citation, project)),
        ".zenodo.json": _json(zenodo(citation)),
        "codecheck.yml": CODECHECK + _yaml(codecheck(root, citation)),
        ".adduce/manifest.yaml": ADDUCE + _yaml(adduce(root)),
    }


def codemeta(citation: dict[str, Any], project: dict[str, Any]) -> dict[str, Any]:
    """CodeMeta 3.0 (https://w3id.org/codemeta/3.0)."""
    return {
        "@context": "https://w3id.org/codemeta/3.0",
        "type": "SoftwareSourceCode",
        "name": citation["title"],
        "description": citation["abstract"].strip(),
        "version": citation["version"],
        "license": LICENCE.format(citation["license"]),
        "author": [{"type": "Organization", "name": name} for name in authors(citation)],
        "keywords": citation["keywords"],
        "programmingLanguage": "Python",
        "runtimePlatform": f"Python {project['requires-python']}",
        "operatingSystem": ["Linux", "macOS"],
        "softwareRequirements": project["dependencies"],
        "readme": "README.md",
        "buildInstructions": "docs/for-reviewers.md",
        "citation": [{"type": "ScholarlyArticle", **article} for article in articles(citation)],
    }


def zenodo(citation: dict[str, Any]) -> dict[str, Any]:
    """Deposit metadata of Zenodo (https://developers.zenodo.org)."""
    return {
        "title": citation["title"],
        "description": citation["abstract"].strip(),
        "upload_type": "software",
        "version": citation["version"],
        "license": citation["license"],
        "creators": [{"name": name} for name in authors(citation)],
        "keywords": citation["keywords"],
        "related_identifiers": [
            {"identifier": article["identifier"], "relation": "references", "scheme": "doi"}
            for article in articles(citation)
            if "identifier" in article
        ],
    }


def codecheck(root: Path, citation: dict[str, Any]) -> dict[str, Any]:
    """The author's part of a CODECHECK configuration."""
    return {
        "version": SPECIFICATION,
        "paper": {
            "title": citation["title"],
            "authors": [{"name": name} for name in authors(citation)],
            "reference": ARTICLE.format(citation["version"]),
        },
        "manifest": list(_manifest(root)),
    }


def adduce(root: Path) -> dict[str, Any]:
    """Data sets, and the claims in scope of ARTIFACT.md with their command, for `adduce`."""
    sources = yaml.safe_load((root / "config/datasets.yaml").read_text(encoding="utf-8"))
    rows = ROW.findall((root / "ARTIFACT.md").read_text(encoding="utf-8"))
    return {
        "schema": "adduce/1",
        "paper": {},
        "environment": {
            "python": "3.11",
            "lockfile": "requirements.lock",
            "container": "containers/Dockerfile",
        },
        "datasets": [
            {
                "id": name,
                "source": f"https://doi.org/{one['doi']}" if "doi" in one else one.get("homepage"),
                "checksum": ", ".join(f"{file['sha256']} {file['name']}" for file in one["files"]),
                "license": one["licence"],
            }
            for name, one in sources.items()
        ],
        "claims": [
            {
                "id": claim,
                "text": f"{text} ({verdict})",
                "kind": "statement",
                "where": "ARTIFACT.md",
                "produced_by": {"command": "make artifact", "config": "config/config.yaml"},
                "status": "confirmed",
            }
            for claim, text, verdict in rows
        ],
        "smoke": {"command": "make reproduce EFFORT=quick"},
    }


def authors(citation: dict[str, Any]) -> list[str]:
    """Names of the authors."""
    return [one["name"] for one in citation["authors"]]


def articles(citation: dict[str, Any]) -> Iterator[dict[str, str]]:
    """Title and, where there is one, DOI of the papers that are reproduced."""
    for one in citation["references"]:
        doi = {"identifier": one["doi"]} if "doi" in one else {}
        yield {"name": one["title"], **doi}


def _manifest(root: Path) -> Iterator[dict[str, str]]:
    """Tables and figures of the papers that are kept in git: those that hold no measured times."""
    listing = ["git", "-C", str(root), "ls-files", "figures"]
    kept = set(subprocess.run(listing, check=True, capture_output=True, text=True).stdout.split())  # noqa: S603
    with (root / "data/published/artefacts.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            for ending in FORMS:
                name = f"figures/{row['paper']}/{row['artefact']}{ending}"
                if name in kept:
                    comment = f"{row['paper']}, {row['label']}: {row['caption']}"
                    yield {"file": name, "comment": comment}


def _yaml(content: dict[str, Any]) -> str:
    return yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=100)


def _json(content: dict[str, Any]) -> str:
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    ROOT = Path(sys.argv[1])
    for NAME, TEXT in texts(ROOT).items():
        (ROOT / NAME).write_text(TEXT, encoding="utf-8")
