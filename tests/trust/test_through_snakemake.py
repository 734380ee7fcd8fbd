"""A few cases through Snakemake itself: what it says, and that it ends with an error."""

import os
import shutil
import subprocess
import sys

import pytest
from kit import bring_known
from trust_cases import GOOD, ROOT

pytestmark = pytest.mark.workflow
LEFT = (".git", ".venv", ".snakemake", "results", "raw", "figures", "docs", "tests", "notebooks")


class Clone:
    """A copy of the repository with a file of the reader's own."""

    def __init__(self, root):
        shutil.copytree(ROOT, root, ignore=shutil.ignore_patterns(*LEFT, ".*_cache"))
        bring_known(root)
        self.root = root
        self.own = root / "config/papers/own.yaml"
        self.file = root / "data/user/example.csv"
        self.file.write_text(GOOD)
        text = self.own.read_text().replace("    numeric: [gears] ", "    # ")
        self.own.write_text(text.replace("    without: [article] ", "    # "))

    def snakemake(self, *words):
        """Exit status, and all that was said."""
        ambient = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
        done = subprocess.run(
            [sys.executable, "-m", "snakemake", "--cores", "1", *words],
            cwd=self.root,
            env=ambient,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout


@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    return Clone(tmp_path_factory.mktemp("clone") / "here")


@pytest.fixture
def own(clone):
    """The entry of the reader's own data, put back afterwards."""
    kept = clone.own.read_text()
    yield clone.own
    clone.own.write_text(kept)


PREPARED = "results/full/prepared/own/example.csv"


def test_an_older_file_with_another_content_is_prepared_again(clone):
    assert clone.snakemake(PREPARED)[0] == 0
    assert "x,p" in (clone.root / PREPARED).read_text()
    clone.file.write_text(GOOD.replace("x", "NEW"))
    os.utime(clone.file, (10**9, 10**9))
    status, said = clone.snakemake(PREPARED)
    assert status == 0, said
    assert "NEW,p" in (clone.root / PREPARED).read_text()
    assert "Nothing to be done" in clone.snakemake(PREPARED)[1]


def test_a_long_specification_reaches_its_step(clone, own):
    names = ", ".join(f"column_{i:05d}" for i in range(12_000))
    text = own.read_text().replace("missing: value", f"missing: value\n    without: [{names}]")
    own.write_text(text)
    status, said = clone.snakemake(PREPARED)
    assert status == 1
    assert "Argument list too long" not in said
    log = clone.root / "results/full/logs/prepare/own/example.txt"
    assert "no column 'column_00000'" in log.read_text() + said


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["-n", "own", "--config", "effort=quick"], "belongs to the effort 'full'"),
        (["-n", "own", "--configfile", "double.yaml"], "double.yaml, line 3: not valid YAML"),
        (["-n", "own", "--configfile", "bomb.yaml"], "references (& and *)"),
    ],
)
def test_a_configuration_that_cannot_be_meant(clone, words, said):
    (clone.root / "double.yaml").write_text("seed: 1\neffort: full\nseed: 2\n")
    lines = ["a0: &a0 [x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 8)]
    (clone.root / "bomb.yaml").write_text("\n".join(lines) + "\n")
    status, output = clone.snakemake(*words)
    assert status != 0
    assert said in output
    assert "Traceback" not in output


def test_a_paper_that_was_deleted_is_named_only_if_asked_for(clone):
    kept = clone.own.read_text()
    clone.own.unlink()
    try:
        status, output = clone.snakemake("-n", "own")
        assert status != 0
        assert "No rule to produce own" in output
        assert "KeyError" not in output
        assert clone.snakemake("-n", "paper_cde")[0] == 0
    finally:
        clone.own.write_text(kept)


def test_a_name_with_braces_is_refused(clone, own):
    own.write_text(own.read_text().replace("user: example.csv", 'user: "my{x}.csv"'))
    status, output = clone.snakemake("-n", "own")
    assert status != 0
    assert "datasets.example.user: 'my{x}.csv' holds '{'" in output
    assert "Wildcard" not in output
