"""A few cases through Snakemake itself: what it says, and that it ends with an error."""

import os
import shutil
import subprocess
import sys

import pytest
from kit import bring_kernels
from trust_cases import ROOT

pytestmark = pytest.mark.workflow
LEFT = (".git", ".venv", ".snakemake", "results", "raw", "figures", "docs", "tests", "notebooks")


class Clone:
    """A copy of the repository."""

    def __init__(self, root):
        shutil.copytree(ROOT, root, ignore=shutil.ignore_patterns(*LEFT, ".*_cache"))
        bring_kernels(root)
        self.root = root
        self.study = root / "config/papers/study.yaml"

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


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["-n", "study", "--config", "effort=quick"], "belongs to the effort 'full'"),
        (["-n", "study", "--configfile", "double.yaml"], "double.yaml, line 3: not valid YAML"),
    ],
)
def test_a_configuration_that_cannot_be_meant(clone, words, said):
    (clone.root / "double.yaml").write_text("seed: 1\neffort: full\nseed: 2\n")
    status, output = clone.snakemake(*words)
    assert status != 0
    assert said in output
    assert "Traceback" not in output


def test_a_paper_that_was_deleted_is_named_only_if_asked_for(clone):
    kept = clone.study.read_text()
    clone.study.unlink()
    try:
        status, output = clone.snakemake("-n", "study")
        assert status != 0
        assert "No rule to produce study" in output
        assert "KeyError" not in output
        assert clone.snakemake("-n", "paper_cde")[0] == 0
    finally:
        clone.study.write_text(kept)
