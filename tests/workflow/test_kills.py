"""A run that is killed again and again comes to the same tables by `make reproduce` alone."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.workflow

SCRIPT = Path(__file__).parents[1] / "kills" / "run.py"


@pytest.mark.skipif("KILLS_TEST" not in os.environ, reason="ten minutes and more: make kills")
def test_twenty_kills_lose_nothing(tmp_path, mirrors):
    run = subprocess.run(
        [sys.executable, SCRIPT, tmp_path / "clones", "20"],
        env=os.environ | {"PYTHON": sys.executable} | ({"MIRROR": mirrors[0]} if mirrors else {}),
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert "went on after 20 of 20 kills, all tables and labels are the same" in run.stdout
