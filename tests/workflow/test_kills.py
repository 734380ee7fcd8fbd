"""A run that is killed again and again comes to the same tables by `make reproduce` alone."""

import os
import sys
from pathlib import Path

import pytest
from kit import called

pytestmark = pytest.mark.workflow

SCRIPT = Path(__file__).parents[1] / "kills" / "run.py"


@pytest.mark.skipif("KILLS_TEST" not in os.environ, reason="ten minutes and more: set KILLS_TEST=1")
def test_twenty_kills_lose_nothing(tmp_path, mirrors):
    known = os.environ | {"PYTHON": sys.executable} | ({"MIRROR": mirrors[0]} if mirrors else {})
    run = called(sys.executable, SCRIPT, tmp_path / "clones", "20", env=known)
    assert run.returncode == 0, run.stdout + run.stderr
    assert "went on after 20 of 20 kills, all tables and labels are the same" in run.stdout
