"""Packages of the lock: each is used, its licence is known, and silence is no clean bill."""

import ast
import json
import re
import subprocess
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, distribution

import pytest
from kit import ROOT

SCRIPT = ROOT / "workflow" / "scripts" / "audit.py"
LOCK = "alpha==1.0 \\\n    --hash=sha256:00\nbeta==2.0 \\\n    --hash=sha256:00\n"

PROGRAMS = {
    "snakemake": "Snakefile",
    "ruff": "Makefile",
    "snakefmt": "Makefile",
    "mypy": "Makefile",
    "pytest": "Makefile",
    "jupyter": "workflow/rules",
    "nbstripout": ".gitattributes .pre-commit-config.yaml tests",
    "sphinx": "Makefile",
    "furo": "docs/conf.py",
    "myst-parser": "docs/conf.py",
    "pytest-xdist": "Makefile",
    "pytest-cov": "Makefile",
    "flit-core": "pyproject.toml",
    "snakemake-logger-plugin-rich": "Makefile",
}
"""Packages that are named and not imported: where."""
NAMED = {
    "jupyter": "nbconvert",
    "myst-parser": "myst_parser",
    "pytest-xdist": "-n auto",
    "pytest-cov": "--cov",
    "flit-core": "flit_core",
    "snakemake-logger-plugin-rich": "--logger rich",
}
"""The word that stands for the package there, if it is not its name."""
BEHIND = {"jinja2": "to_latex|jinja2", "tabulate": "to_markdown"}
"""Packages that pandas imports: what calls it."""
PEERS = {"pyspark", "fasterkmodes"}  # read in the reader's own environment only


def named():
    """Packages that pyproject.toml names."""
    read = tomllib.loads((ROOT / "pyproject.toml").read_text())
    more = read["project"]["optional-dependencies"] | read["dependency-groups"]
    texts = [*read["project"]["dependencies"], *(text for one in more.values() for text in one)]
    return sorted({re.match(r"[\w.-]+", text)[0].lower() for text in texts})


def imported():
    """Modules at the top level that any Python file of the repository imports."""
    found = set()
    for folder in ("src", "tests", "benchmarks", "workflow", "docs", "data"):
        for path in (ROOT / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_bytes())):
                if isinstance(node, ast.Import):
                    found |= {alias.name.partition(".")[0] for alias in node.names}
                elif isinstance(node, ast.ImportFrom) and not node.level:
                    found.add(node.module.partition(".")[0])
                elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") in (
                    "importorskip",
                    "import_module",
                ):
                    found |= {
                        one.value.partition(".")[0]
                        for one in node.args
                        if isinstance(one, ast.Constant) and isinstance(one.value, str)
                    }
    return found


def modules(package):
    """Modules that a package brings."""
    try:
        files = distribution(package).files or []
    except PackageNotFoundError:
        return {package.replace("-", "_")}
    return {path.parts[0].removesuffix(".py") for path in files} | {package.replace("-", "_")}


def texts(places):
    """Texts of files, and of all files of folders."""
    for place in places.split():
        path = ROOT / place
        for one in [path] if path.is_file() else path.rglob("*"):
            if one.is_file() and one.suffix in ("", ".py", ".smk", ".toml", ".yaml", ".yml"):
                yield one.read_text(encoding="utf-8", errors="replace")


def test_every_package_that_is_asked_for_is_used():
    known = imported()
    code = "\n".join(texts("src workflow"))
    unused = []
    for package in named():
        if package in PROGRAMS:
            word = NAMED.get(package, package)
            used = any(word in text for text in texts(PROGRAMS[package]))
        elif package in BEHIND:
            used = re.search(BEHIND[package], code)
        else:
            used = package in PEERS or modules(package) & known
        if not used:
            unused.append(package)
    assert unused == []


def audit(folder, answer, status=0):
    """Run the audit of a small lock with a pip-audit that gives an answer."""
    lock = folder / "lock"
    lock.write_text(LOCK)
    program = folder / "pip-audit"
    program.write_text(f"#!/bin/sh\ncat <<'EOF'\n{answer}\nEOF\nexit {status}\n")
    program.chmod(0o755)
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); import audit; from pathlib import Path;"
        "audit.facts = lambda name, marker: "
        "({'alpha': 'MIT', 'beta': sys.argv[3]}[name], ''); sys.exit(audit.main(Path(sys.argv[2])))"
    )
    return lambda licence="MIT": subprocess.run(
        [sys.executable, "-c", code, SCRIPT.parent, lock, licence],
        env={"PATH": f"{folder}:/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )


SAFE = [{"name": name, "version": "1.0", "vulns": []} for name in ("alpha", "beta")]


@pytest.mark.parametrize(
    ("packages", "status", "said"),
    [
        (SAFE, 0, "2 packages asked about, 0 found"),
        (
            [SAFE[0], {"name": "beta", "skip_reason": "?"}],
            3,
            "1 packages not checked, such as beta",
        ),
        (
            [SAFE[0] | {"vulns": [{"id": "CVE-1", "fix_versions": ["1.1"]}]}, SAFE[1]],
            1,
            "alpha 1.0: CVE-1; mended in 1.1",
        ),
    ],
)
def test_vulnerabilities(tmp_path, packages, status, said):
    run = audit(tmp_path, json.dumps({"dependencies": packages}))()
    assert said in run.stdout
    assert run.returncode == status


def test_no_answer_is_no_clean_bill(tmp_path):
    run = audit(tmp_path, "", 1)()
    assert "not checked, pip-audit could not ask (no answer)" in run.stdout
    assert run.returncode == 3


@pytest.mark.parametrize(
    ("licence", "status"),
    [
        ("BSD License; GNU General Public License (GPL)", 0),
        ("MIT OR GPL-3.0-only", 0),
        ("LGPL-3.0-only", 0),
        ("GNU General Public License v3", 1),
        ("AGPL-3.0-or-later", 1),
        ("not stated", 1),
    ],
)
def test_licences(tmp_path, licence, status):
    run = audit(tmp_path, json.dumps({"dependencies": SAFE}))(licence)
    assert run.returncode == status, run.stdout + run.stderr
