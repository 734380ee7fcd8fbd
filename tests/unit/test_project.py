"""Rooms of the code, packages, metadata, peers and searches of the project."""

import ast
import json
import re
import sys
import tomllib
from graphlib import TopologicalSorter
from importlib.metadata import PackageNotFoundError, distribution

import artifact
import grimp
import metadata
import pytest
from kit import ROOT, called, parsed

import couplings

FLOORS = [
    {"errors", "kernels", "processor", "specs"},
    {"plugins"},
    {"files", "steps"},
    {"plan", "data"},
    {"run"},
    {"judge"},
    {"show"},
    {"text"},
    {"papers", "report"},
    {"__main__"},
]
GRAPH = grimp.build_graph("couplings", "replication", cache_dir=None)
"""Imports inside functions, and those for type checkers, count as well."""


def test_every_module_has_a_room():
    rooms = {name.split(".")[1] for name in GRAPH.find_descendants("replication")}
    assert rooms == set.union(*FLOORS)


def test_rooms_import_from_below_only():
    floors = [grimp.Layer(*floor) for floor in reversed(FLOORS)]
    found = GRAPH.find_illegal_dependencies_for_layers(floors, containers={"replication"})
    assert not [(one.importer, one.imported) for one in found]


def test_no_module_imports_itself_through_others():
    imports = {name: GRAPH.find_modules_directly_imported_by(name) for name in GRAPH.modules}
    TopologicalSorter(imports).prepare()  # an error names the circle


def test_nothing_in_the_library_stands_on_large():
    large = GRAPH.find_descendants("couplings.large") | {"couplings.large"}
    others = {name for name in GRAPH.modules if name.startswith("couplings.")} - large
    assert not [name for name in others if GRAPH.find_modules_directly_imported_by(name) & large]


ROOMS = ("measures", "cluster", "learned")
"""Rooms of the library, each on the ones before it."""
BACK = {
    # CDE clusters values by k-means, and its width is a distance at a rank
    ("couplings.measures.cde", "couplings.cluster.kmeans"),
    ("couplings.measures.cde", "couplings.cluster.density_peaks"),
}
"""Imports that go the other way: none may be added."""


def test_the_library_goes_from_measures_to_clusters_to_what_is_learned():
    found = set()
    for i, room in enumerate(ROOMS):
        above = {
            one for later in ROOMS[i + 1 :] for one in GRAPH.find_descendants(f"couplings.{later}")
        }
        for name in GRAPH.find_descendants(f"couplings.{room}"):
            found |= {(name, one) for one in GRAPH.find_modules_directly_imported_by(name) & above}
    assert found == BACK


def test_the_library_imports_nothing_of_the_workflow():
    assert not GRAPH.direct_import_exists(
        importer="couplings", imported="replication", as_packages=True
    )


@pytest.mark.parametrize("room", sorted(set.union(*FLOORS) - {"papers", "__main__"}))
def test_no_room_but_papers_names_a_paper(room):
    """Texts count that a program uses: docstrings may have examples."""
    papers = "|".join(path.stem for path in (ROOT / "config/papers").glob("*.yaml"))
    named = re.compile(rf"\b({papers})\b", re.IGNORECASE)
    top = ROOT / "src/replication" / room
    for path in sorted(top.rglob("*.py")) or [top.with_suffix(".py")]:
        nodes = list(ast.walk(ast.parse(path.read_text())))
        docstrings = {node.value for node in nodes if isinstance(node, ast.Expr)}
        texts = [
            node for node in nodes if isinstance(node, ast.Constant) and node not in docstrings
        ]
        assert not [one.value for one in texts if named.search(str(one.value))], path


LOCK = "alpha==1.0 \\\n    --hash=sha256:00\nbeta==2.0 \\\n    --hash=sha256:00\n"

PROGRAMS = {
    "snakemake": ("Snakefile", "snakemake"),
    "ruff": ("Makefile", "ruff"),
    "snakefmt": ("Makefile", "snakefmt"),
    "mypy": ("Makefile", "mypy"),
    "pytest": ("Makefile", "pytest"),
    "jupyter": ("workflow/rules", "nbconvert"),
    "nbconvert": ("workflow/rules", "nbconvert"),
    "nbstripout": (".gitattributes .pre-commit-config.yaml tests", "nbstripout"),
    "sphinx": (".github/CONTRIBUTING.md", "sphinx"),
    "furo": ("docs/conf.py", "furo"),
    "myst-parser": ("docs/conf.py", "myst_parser"),
    "pytest-xdist": ("Makefile", "-n auto"),
    "pytest-cov": (".github/CONTRIBUTING.md", "--cov"),
    "flit-core": ("pyproject.toml", "flit_core"),
    "snakemake-logger-plugin-rich": ("Makefile", "--logger rich"),
}
"""Packages that are named and not imported: the places, and the word for the package there."""
BEHIND = {"jinja2": "to_latex|jinja2", "tabulate": "to_markdown"}
"""Packages that pandas imports: what calls it."""
PEERS = {"fasterkmodes"}  # read in the reader's own environment only


def named():
    read = tomllib.loads((ROOT / "pyproject.toml").read_text())
    more = read["project"]["optional-dependencies"] | read["dependency-groups"]
    texts = [*read["project"]["dependencies"], *(text for one in more.values() for text in one)]
    return sorted({re.match(r"[\w.-]+", text)[0].lower() for text in texts})


def imported():
    """Modules at the top level that any Python file of the repository imports."""
    found = set()
    for folder in ("src", "tests", "tools", "benchmarks", "workflow", "docs", "data"):
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
            if one.is_file() and one.suffix in ("", ".md", ".py", ".smk", ".toml", ".yaml", ".yml"):
                yield one.read_text(encoding="utf-8", errors="replace")


def test_every_package_that_is_asked_for_is_used():
    known = imported()
    code = "\n".join(texts("src workflow"))
    unused = []
    for package in named():
        if package in PROGRAMS:
            places, word = PROGRAMS[package]
            used = any(word in text for text in texts(places))
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
    words, known = (ROOT / "tools", lock), {"PATH": f"{folder}:/usr/bin:/bin"}
    return lambda licence="MIT": called(sys.executable, "-c", code, *words, licence, env=known)


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
        (None, 3, "not checked, pip-audit could not ask (no answer)"),
    ],
)
def test_vulnerabilities(tmp_path, packages, status, said):
    answer = json.dumps({"dependencies": packages}) if packages else ""
    run = audit(tmp_path, answer, 0 if packages else 1)()
    assert said in run.stdout
    assert run.returncode == status


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


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="the manifest lists what git keeps")
def test_the_files_are_what_the_program_writes():
    stale = [
        name
        for name, text in metadata.texts(ROOT).items()
        if (ROOT / name).read_text(encoding="utf-8") != text
    ]
    assert not stale, f"{stale}: out of date, python tools/metadata.py writes them"


def test_licence_and_version_are_said_alike():
    citation = parsed(ROOT / "CITATION.cff")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert (citation["license"], citation["version"]) == (project["license"], project["version"])
    assert couplings.__version__ == project["version"]
    changes = (ROOT / "docs/changelog.md").read_text(encoding="utf-8")
    assert f"\n## [{project['version']}] - 20" in changes


def test_the_claims_in_scope_are_those_of_the_record():
    rows = artifact.compared(ROOT / "docs/reproduce.md", ROOT / "data/record/full/claims.csv")
    assert {claim.partition("-")[0] for claim, *_ in rows} == {"dilca", "caso", "cde", "coupledmc"}


def test_a_claim_that_moved_fails_the_check(tmp_path, capsys):
    ledger = tmp_path / "claims.csv"
    record = (ROOT / "data/record/full/claims.csv").read_text(encoding="utf-8")
    ledger.write_text(record, encoding="utf-8")
    assert artifact.main(ROOT / "docs/reproduce.md", ledger) == 0
    assert "10 of 10 claims as in scope" in capsys.readouterr().out
    lines = [
        line.replace("refuted", "confirmed") if line.startswith("caso-49,") else line
        for line in record.splitlines()
    ]
    ledger.write_text("\n".join(lines), encoding="utf-8")
    assert artifact.main(ROOT / "docs/reproduce.md", ledger) == 1
    assert "9 of 10 claims as in scope" in capsys.readouterr().out
    assert artifact.main(ROOT / "docs/reproduce.md", tmp_path / "no.csv") == 2


COPIED = ROOT / "tests" / "peers"


def test_every_failure_of_a_peer_has_a_reason():
    page = (ROOT / "tests" / "peers" / "RESULTS.md").read_text(encoding="utf-8")
    expected = tomllib.loads((COPIED / "expected.toml").read_text())
    rows = re.findall(r"^\| ([\w-]+) \| ([\da-f.]+) \| (\d+) \| (\d+) \| \d+ \|$", page, re.M)
    assert len(rows) == len(list((COPIED / "adapters").glob("[!_]*.py")))
    lock = (COPIED / "requirements.lock").read_text()
    run = (COPIED / "run.py").read_text()
    for peer, version, passed, failed in rows:
        pinned = f"{peer}=={version} " in lock or re.search(f'"{peer}": .*"{version}', run)
        assert pinned or peer == "scikit-learn"
        assert int(passed) > 0
        assert int(failed) == len(expected.get(peer, {}))
    for listed in expected.values():
        for reason in listed.values():
            assert reason.startswith(("definition: ", "choice: ", "not ours: "))
            assert reason in page


FOLDER = ROOT / "workflow" / "tried"


def test_reasons_name_all_programs_and_no_others() -> None:
    files = [*(ROOT / "config" / "papers").glob("*.yaml"), ROOT / "config" / "readings.yaml"]
    text = " ".join(path.read_text(encoding="utf-8") for path in files)
    named = set(re.findall(r"`make tried NAME=(\w+)`", text))
    assert named == {path.stem for path in FOLDER.glob("[a-z]*.py")}


def test_each_search_says_where_it_can_be_seen() -> None:
    for path in (ROOT / "config" / "papers").glob("*.yaml"):
        for line in path.read_text(encoding="utf-8").splitlines():
            if "tried:" in line and "text:" in line:
                assert re.search(
                    r"`make tried NAME=|\((Settings|Best runs) of|\(bandwidths\)"
                    r"|\(Table|\(Sensitivity",
                    line,
                ), line


@pytest.mark.slow
def test_a_search_prints_the_nearest_settings() -> None:
    program = FOLDER / "coupledmc_rfs.py"
    environment = {"PYTHONPATH": str(ROOT / "src"), "PATH": ""}
    done = called(sys.executable, program, env=environment)
    assert done.returncode == 0, done.stderr
    assert "the nearest of 6480 settings" in done.stdout
    assert "0.0469   no" in done.stdout
    assert done.stdout.endswith("Settings that fit: none; places searched: 1.\n")
