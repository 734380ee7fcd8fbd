"""Write environment.yml: the direct dependencies, at the versions of the lock, for conda."""

import re
import sys
import tomllib
from pathlib import Path

from packaging.markers import Marker

PYTHON = "3.11"
BIOCONDA = ("snakefmt", "snakemake")
PIP = ("roc-validator", "typst")
"""From the Python Package Index: not on a channel (typst is there, but is its command line)."""
PIN = r"(?m)^([\w.-]+)(?:\[.*?\])?==(\S+)(?: ; (.+?))? *\\$"
"""A line of the lock: name, extras, version, marker."""


def environment(project: str, lock: str) -> str:
    """Text of environment.yml for a pyproject.toml and a requirements.lock."""
    read = tomllib.loads(project)
    declared, more = read["project"], read["dependency-groups"]
    extras = declared["optional-dependencies"]
    groups = [declared["dependencies"], *extras.values(), *more.values()]
    direct = [line for group in groups for line in group]
    names = sorted({re.match(r"[A-Za-z0-9._-]+", line)[0].lower() for line in direct})
    here = {"python_version": PYTHON, "python_full_version": f"{PYTHON}.0"}
    pinned = {
        name: version
        for name, version, marker in re.findall(PIN, lock)
        if not marker or Marker(marker).evaluate(here)
    }
    # extras that the lock leaves out are left out here
    pins = [
        f"{'bioconda::' * (name in BIOCONDA)}{name}={pinned[name]}"
        for name in names
        if name in pinned and name not in PIP
    ]
    lines = ["# Written by `make lock`; the same versions as requirements.lock.", "name: couplings"]
    lines += ["channels:", "  - conda-forge", "  - bioconda", "  - nodefaults", "dependencies:"]
    lines += [f"  - {pin}" for pin in [f"python={PYTHON}", *pins, "pip"]]
    lines += ["  - pip:", *(f"      - {name}=={pinned[name]}" for name in PIP if name in pinned)]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    files = (Path(name).read_text(encoding="utf-8") for name in sys.argv[1:3])
    sys.stdout.write(environment(*files))
