"""Run the tests of other packages on our functions, and write tests/peers/RESULTS.md."""

import json
import os
import shutil
import subprocess
import sys
import tarfile
import tomllib
from importlib.metadata import version
from pathlib import Path
from xml.etree import ElementTree

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
WORK = ROOT / ".peers"
SITE = WORK / "site"

PEERS = {
    "scikit-learn": ("scikit_learn", ["sklearn.metrics.cluster.tests.test_supervised"]),
    "fastcluster": (
        "fast_cluster",
        [SITE / f"fastcluster-1.3.0/tests/test_{name}.py" for name in ("linkage", "nan")],
    ),
    "kmodes": (
        "kmodes_models",
        [SITE / f"kmodes/tests/test_{name}.py" for name in ("kmodes", "kprototypes")],
    ),
    "skrub": ("skrub_associations", ["skrub.tests.test_column_associations"]),
}
"""Adapter and tests of each peer."""

SOURCES = {
    "kmodes": ("https://github.com/nicodv/kmodes", "61265b159e8a33af779fba005912a5185fd82078"),
}
"""Repository and commit of peers without tests in archives; PEERS_GIT_KMODES: a local copy."""

HEAD = """\
# Tests of other packages

`python tests/peers/run.py` runs the tests that other packages wrote for themselves, with our
functions in the place of theirs, and writes this page. It takes the tests from the installed
scikit-learn, from the archives that `tests/peers/requirements.lock` names by hash, and those of
kmodes from a commit of its repository; no copy of them is kept here.
`tests/peers/adapters` has the adapters.
A test that fails needs a reason in `tests/peers/expected.toml`.

| peer | version | passed | failed | skipped |
|---|---|---|---|---|
"""

TAIL = """
## What stood in

{stood}

- **scikit-learn**: the public adjusted Rand index, normalised mutual information and mutual
  information are replaced by ours. The other scores in its file of tests stay its own, so not each
  test that passed says something about ours. Its check of the input stays too. The skipped tests
  check array libraries that are not installed.
- **fastcluster**: Ward's method is replaced; the other methods in the same tests stay its own. Its
  checker follows each merge and asks for the global minimum to 14 digits. The adapter turns our
  error for NaN into its `FloatingPointError`.
- **kmodes**: both classes are replaced. The adapter turns our errors into its types and words,
  gives labels and modes the types that it gives them, and asks for no more clusters than different
  rows.
  Its k-prototypes starts from random objects here, whatever start a test names.
- **skrub**: Cramér's V of a contingency table is replaced. Binning and Pearson's correlation stay
  its own.

## Peers without tests here

| peer | why |
|---|---|
| gower | its archive has no tests; `tests/unit/test_mixed.py` compares with the package |
| category_encoders | its archive has no tests |
| prince | its tests are of correspondence analysis and other factor methods, which we do not have |
| StepMix | not run: its tests are of its own emission classes and random numbers |
| poLCA | its archive has no tests; `tests/parity` has likelihoods of its manual |
| pypolca | not run: its 99 tests take formulas and the arrays of its C++ core, or call R |
"""


def fetch():
    """Download the archives of the lock, checked by hash, and unpack them."""
    archives = WORK / "archives"
    subprocess.run(
        [
            *(sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"),
            *("--require-hashes", "--no-binary", "fastcluster"),
            *("-r", HERE / "requirements.lock", "-d", archives),
        ],
        check=True,
    )
    shutil.rmtree(SITE, ignore_errors=True)
    for path in archives.iterdir():
        if path.suffix == ".whl":
            shutil.unpack_archive(path, SITE, "zip")
        else:
            # Python before 3.11.4 has no filters
            safe = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
            shutil.unpack_archive(path, SITE, **safe)
    for peer, (address, commit) in SOURCES.items():
        copy, held = WORK / f"{peer}.git", WORK / f"{peer}.tar"
        subprocess.run(["git", "init", "--quiet", "--bare", copy], check=True)
        source = os.environ.get(f"PEERS_GIT_{peer.upper()}", address)
        subprocess.run(["git", "-C", copy, "fetch", "--quiet", source, commit], check=True)
        subprocess.run(["git", "-C", copy, "archive", "-o", held, commit], check=True)
        safe = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
        shutil.unpack_archive(held, SITE, **safe)
    (WORK / "pytest.ini").touch()


def outcomes(peer):
    """Return passed, failed and skipped tests of a peer, and the calls of our functions."""
    adapter, tests = PEERS[peer]
    calls, report = WORK / f"{adapter}.json", WORK / f"{adapter}.xml"
    paths = [ROOT / "src", HERE, SITE]
    for old in (calls, report):
        old.unlink(missing_ok=True)
    subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-q", "-c", WORK / "pytest.ini"),
            *("-p", "no:cacheprovider", "-p", "adapters", "-p", f"adapters.{adapter}"),
            *(f"--junitxml={report}", "--pyargs", *tests),
        ],
        env=os.environ
        | {"PYTHONPATH": os.pathsep.join(map(str, paths)), "PEERS_CALLS": str(calls)},
        check=False,  # tests may fail: the report has them
    )
    found = {"passed": [], "failed": [], "skipped": []}
    for case in ElementTree.parse(report).iter("testcase"):
        kinds = {child.tag for child in case}
        kind = "failed" if kinds & {"failure", "error"} else "skipped"
        found[kind if kinds & {"failure", "error", "skipped"} else "passed"].append(
            case.get("name")
        )
    return found, json.loads(calls.read_text())


def versions():
    """Versions of the peers: of the lock, otherwise the installed one."""
    lines = (HERE / "requirements.lock").read_text().splitlines()
    locked = dict(line.split()[0].split("==") for line in lines if "==" in line)
    commits = {peer: commit[:7] for peer, (_, commit) in SOURCES.items()}
    return {peer: commits.get(peer) or locked.get(peer) or version(peer) for peer in PEERS}


def main():
    """Run all peers and write the page; stop if a failure has no reason, or a reason no failure."""
    fetch()
    expected = tomllib.loads((HERE / "expected.toml").read_text())
    known, rows, stood, reasons = versions(), "", [], []
    for peer in PEERS:
        found, calls = outcomes(peer)
        listed = expected.get(peer, {})
        if not found["passed"] or not all(calls.values()) or set(found["failed"]) != set(listed):
            sys.exit(
                f"error: {peer}: {len(found['passed'])} tests passed, calls {calls}, failed "
                f"{sorted(found['failed'])}, expected to fail {sorted(listed)}; each failure "
                "needs a reason in tests/peers/expected.toml, each function a call"
            )
        counts = " | ".join(str(len(names)) for names in found.values())
        rows += f"| {peer} | {known[peer]} | {counts} |\n"
        stood += [f"| {peer} | `couplings.{name}` | {n} |" for name, n in calls.items()]
        reasons += [f"- {peer}, `{test}`: {listed[test]}" for test in found["failed"]]
    table = "\n".join(["| peer | our function | calls |", "|---|---|---|", *stood])
    failed = "\n".join(["", "Failures:", "", *reasons, ""]) if reasons else ""
    page = HEAD + rows + failed + TAIL.format(stood=table)
    (ROOT / "tests" / "peers" / "RESULTS.md").write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
