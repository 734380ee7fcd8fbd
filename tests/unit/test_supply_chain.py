"""What the project takes from others is pinned by its content."""

import re

import pytest
from kit import ROOT, parsed

WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_actions_are_pinned_by_commit(path):
    jobs = parsed(path)["jobs"].values()
    steps = [step for job in jobs for step in job["steps"]]
    used = [step["uses"] for step in steps if "uses" in step]
    assert used
    assert all(re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", name) for name in used)


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_install_by_hash_and_may_only_read(path):
    content = parsed(path)
    assert content["permissions"] == {"contents": "read"}
    text = path.read_text("utf-8")
    installs = re.findall(r"pip install.*", text)
    assert all("--require-hashes" in line for line in installs), installs


def test_the_tools_of_a_release_have_versions_and_hashes():
    text = (ROOT / ".github/release.txt").read_text("utf-8")
    pins = re.findall(r"(?m)^[\w.-]+(?:\[\w+\])?==\S+", text)
    entries = re.split(r"(?m)^(?=[a-z])", text)[1:]
    assert len(pins) == len(entries)
    assert all("--hash=sha256:" in entry for entry in entries)
    wanted = (ROOT / ".github/release.in").read_text("utf-8").split()
    assert {*wanted} <= {pin.partition("==")[0] for pin in pins}


def test_the_container_has_a_digest_and_a_user():
    lines = (ROOT / "containers/Dockerfile").read_text("utf-8").splitlines()
    bases = [line for line in lines if line.startswith("FROM")]
    assert all(re.search(r"@sha256:[0-9a-f]{64}$", line) for line in bases)
    users = [line.split()[1] for line in lines if line.startswith("USER")]
    assert users
    assert users[-1] != "root"
    assert re.search(
        r"(?m)^From: \S+@sha256:[0-9a-f]{64}$", (ROOT / "containers/apptainer.def").read_text()
    )
