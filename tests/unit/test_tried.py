"""Searches that reasons name: programs of workflow/tried."""

import re
import subprocess
import sys

from kit import ROOT

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


def test_a_search_prints_the_nearest_settings() -> None:
    program = FOLDER / "coupledmc_rfs.py"
    environment = {"PYTHONPATH": str(ROOT / "src"), "PATH": ""}
    done = subprocess.run(
        [sys.executable, program], capture_output=True, text=True, check=True, env=environment
    )
    assert "the nearest of 6480 settings" in done.stdout
    assert "0.0469   no" in done.stdout
    assert done.stdout.endswith("Settings that fit: none; places searched: 1.\n")
