"""The workflow through a real SLURM on this machine."""

import os
import sys
from pathlib import Path

import pytest
from kit import called

pytestmark = pytest.mark.workflow

SCRIPT = Path(__file__).parents[1] / "slurm" / "run.sh"


@pytest.mark.skipif(
    "SLURM_TEST" not in os.environ, reason="starts daemons as root: set SLURM_TEST=1"
)
def test_every_table_is_that_of_a_local_run(tmp_path, mirrors):
    words = [tmp_path / "clones", "--configfile", "config/quick.yaml"]
    if mirrors:
        words += ["--config", f'data={{"official": false, "mirrors": ["{mirrors[0]}"]}}']
    run = called(SCRIPT, *words, env=os.environ | {"PYTHON": sys.executable})
    if run.returncode == 77:
        pytest.skip(run.stderr.strip())
    assert run.returncode == 0, run.stdout + run.stderr
    assert "files are the same, byte for byte" in run.stdout
