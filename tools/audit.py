"""Check licences and known vulnerabilities of the locked packages.

Licences are those that the installed packages declare. A licence that also covers combined work
(GPL, AGPL) is an error, unless the package offers another licence as well. pip-audit asks the
Python advisory database for vulnerabilities. It is not part of the lock and needs a network;
without either, the output says what was not checked. Exit status: 0 nothing found, 1 something
found, 3 not everything could be checked.
"""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

from licences import NOT_HERE, SILENT, pinned
from licences import _facts as facts

_PASSED_ON = re.compile(r"\b(?:A?GPL|GNU (?:Affero )?General Public)", re.IGNORECASE)
_CHOICES = re.compile(r";| OR ")
_FOUND, _UNCHECKED = 1, 3


def licences(lock: str) -> list[str]:
    """Return the problems with the licences of a lock, one line each."""
    found = []
    for name, version, marker in pinned(lock):
        said, _ = facts(name, marker)
        choices = [one for one in _CHOICES.split(said) if not _PASSED_ON.search(one)]
        if said == SILENT:
            found.append(f"{name} {version}: states no licence; look it up")
        elif said != NOT_HERE and not choices:
            found.append(f"{name} {version}: {said}; find another package, or ask")
    return found


def vulnerabilities(lock: Path) -> int:
    """Print known vulnerabilities and return the exit status."""
    program = shutil.which("pip-audit")
    if program is None:
        print("vulnerabilities: not checked, there is no pip-audit (pipx install pip-audit)")
        return _UNCHECKED
    words = [program, "--disable-pip", "--require-hashes", "--progress-spinner", "off"]
    words += ["--format", "json", "-r", str(lock)]
    run = subprocess.run(words, capture_output=True, text=True, check=False)  # noqa: S603
    try:
        packages = json.loads(run.stdout)["dependencies"]
    except (ValueError, KeyError):
        reason = (run.stderr.strip().splitlines() or ["no answer"])[-1]
        print(f"vulnerabilities: not checked, pip-audit could not ask ({reason})")
        return _UNCHECKED
    found = [(one, each) for one in packages for each in one.get("vulns", [])]
    for one, each in found:
        better = ", ".join(each.get("fix_versions", [])) or "no version yet"
        print(f"{one['name']} {one['version']}: {each['id']}; mended in {better}")
    # pip-audit calls it a success when it could ask about no package at all
    skipped = [one["name"] for one in packages if "skip_reason" in one]
    print(
        f"vulnerabilities: {len(packages) - len(skipped)} packages asked about, {len(found)} found"
    )
    if skipped:
        print(
            f"vulnerabilities: {len(skipped)} packages not checked, such as {skipped[0]}: the "
            "database knows them not, or cannot be reached; try again with a network"
        )
    return _FOUND if found else _UNCHECKED if skipped else 0


def main(lock: Path) -> int:
    """Check a lock."""
    text = lock.read_text(encoding="utf-8")
    wrong = licences(text)
    for line in wrong:
        print(line)
    print(f"licences: {len(pinned(text))} packages, {len(wrong)} to look at")
    status = vulnerabilities(lock)
    return _FOUND if wrong else status


if __name__ == "__main__":
    sys.exit(main(Path(*sys.argv[1:] or ["requirements.lock"])))
