"""Write docs/third-party-licences.md: the locked packages and the licences they state."""

import re
import sys
from importlib.metadata import Distribution, PackageMetadata, PackageNotFoundError, distribution
from pathlib import Path

from environment import PIN
from packaging.markers import Marker

HEAD = """# Licences of third parties

Written by `tools/licences.py`. These packages are installed by `make reproduce`, in the versions
of `requirements.lock`; none of them is part of this repository. The licence is what the metadata of
the package says. Data sets keep their own licences, see `config/datasets.yaml`.

| package | version | licence | home page |
|---|---|---|---|
"""
NOT_HERE = "not installed on this platform"
SILENT = "not stated"


def licences(lock: str) -> str:
    """Text of docs/third-party-licences.md for a requirements.lock and this environment."""
    return HEAD + "".join(
        f"| {name} | {version} | {' | '.join(_facts(name, marker))} |\n"
        for name, version, marker in pinned(lock)
    )


def pinned(lock: str) -> list[tuple[str, str, str]]:
    """Name, version and marker of every package of a lock, sorted by name."""
    return sorted(re.findall(PIN, lock))


def _facts(name: str, marker: str) -> tuple[str, str]:
    """Licence and home page of a package."""
    try:
        found = distribution(name)
    except PackageNotFoundError:
        if marker and not Marker(marker).evaluate():
            return NOT_HERE, ""
        sys.exit(f"error: {name} is in the lock but not installed; run `make test` once")
    return _licence(found), _home(found.metadata)


def _licence(found: Distribution) -> str:
    """SPDX expression, else classifiers, else the licence field, else the file's first line."""
    about = found.metadata
    if about.get("License-Expression"):
        return about["License-Expression"]
    trove = [line for line in about.get_all("Classifier", []) if line.startswith("License ::")]
    names = [line.rpartition(" :: ")[2] for line in trove]
    names = [name for name in names if name != "OSI Approved"]
    if names:
        return "; ".join(names)
    files = [path for path in found.files or [] if re.search(r"(?i)licen[cs]e", path.name)]
    for text in (about.get("License") or "", *(path.read_text() for path in files)):
        if lines := text.strip().splitlines():
            return lines[0].strip().replace("|", "/")
    return SILENT


def _home(about: PackageMetadata) -> str:
    """Home page, else the first address that the package names."""
    listed = [line.split(", ", 1) for line in about.get_all("Project-URL", []) if ", " in line]
    listed.append(["", about.get("Home-page") or ""])
    # the page of a registry (.../project/<name>) is no home page
    urls = {
        name: url
        for name, url in listed
        if url and not url.rstrip("/").endswith(f"/project/{about['Name']}")
    }
    known = {name.lower(): url for name, url in urls.items()}
    for name in ("homepage", "home", "source", "repository", "source code", "github"):
        if name in known:
            return known[name]
    return urls.get("") or next(iter(urls.values()), "")


if __name__ == "__main__":
    TEXT = licences(Path("requirements.lock").read_text(encoding="utf-8"))
    Path("docs/third-party-licences.md").write_text(TEXT, encoding="utf-8")
