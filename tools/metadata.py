"""Write codemeta.json, whose sources are CITATION.cff and pyproject.toml."""

import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

LICENCE = "https://spdx.org/licenses/{}"


def texts(root: Path) -> dict[str, str]:
    """Content of each file by its name."""
    citation = yaml.safe_load((root / "CITATION.cff").read_text(encoding="utf-8"))
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return {
        "codemeta.json": _json(codemeta(citation, project)),
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
        "buildInstructions": "docs/reproduce.md",
        "citation": [{"type": "ScholarlyArticle", **article} for article in articles(citation)],
    }


def authors(citation: dict[str, Any]) -> list[str]:
    """Names of the authors."""
    return [one["name"] for one in citation["authors"]]


def articles(citation: dict[str, Any]) -> Iterator[dict[str, str]]:
    """Title and, where there is one, DOI of the papers that are reproduced."""
    for one in citation["references"]:
        doi = {"identifier": one["doi"]} if "doi" in one else {}
        yield {"name": one["title"], **doi}


def _json(content: dict[str, Any]) -> str:
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    ROOT = Path(__file__).resolve().parents[1]
    for NAME, TEXT in texts(ROOT).items():
        (ROOT / NAME).write_text(TEXT, encoding="utf-8")
