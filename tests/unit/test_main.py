import json
import re
import subprocess
import sys

import pytest
from kit import ROOT

from replication.__main__ import main
from replication.plan.layout import STEPS


def python(*words, **environment):
    return subprocess.run(
        [sys.executable, *words],
        cwd=ROOT,
        env={"PYTHONPATH": "src", "PATH": "/usr/bin:/bin", **environment},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("words", [[], ["--help"]])
def test_without_a_step_the_steps_are_listed(words, capsys):
    assert main(words) == (0 if words else 2)
    printed = capsys.readouterr().out
    assert all(step in printed for step in STEPS)


def test_an_unknown_step_gets_a_suggestion(capsys):
    assert main(["trails"]) == 2
    assert "did you mean 'trials'?" in capsys.readouterr().err


def test_an_error_of_the_user_is_one_line_without_traceback():
    run = python("-m", "replication", "check", "nowhere.yaml")
    assert run.returncode == 2
    assert run.stderr == "error: nowhere.yaml: cannot be read (No such file or directory)\n"


def test_threads_are_set_before_the_step_is_imported():
    code = """
import json, os, sys
from replication.__main__ import main
main(["check", "--threads", "3", "config/quick.yaml"])
names = ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"]
print(json.dumps([os.environ.get(name) for name in names]))
print(json.dumps(sorted({"numpy", "pandas", "numba", "couplings"} & set(sys.modules))))
"""
    run = python("-c", code, OMP_NUM_THREADS="8")
    assert run.returncode == 0, run.stderr
    variables, modules = run.stdout.splitlines()
    assert json.loads(variables) == ["1", "1", "1", "3"]
    assert json.loads(modules) == []


def test_the_library_and_the_protocols_know_nothing_of_snakemake():
    for path in (ROOT / "src").rglob("*.py"):
        assert not re.search(r"(import|from) snakemake", path.read_text(encoding="utf-8")), path
