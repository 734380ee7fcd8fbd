"""The command line, and the names that are imported on first use."""

import json
import re
import sys

import pytest
from kit import ROOT, called

import couplings
from replication.__main__ import _message, _say_interrupted, main
from replication.plan.steps import COMMANDS


def python(*words, **environment):
    known = {"PYTHONPATH": "src", "PATH": "/usr/bin:/bin", **environment}
    return called(sys.executable, *words, cwd=ROOT, env=known)


@pytest.mark.parametrize("words", [[], ["--help"]])
def test_without_a_step_the_steps_are_listed(words, capsys):
    assert main(words) == (0 if words else 2)
    printed = capsys.readouterr().out
    assert all(step in printed for step in COMMANDS)


@pytest.mark.parametrize(
    ("step", "says"),
    [("table", "write a printed table"), ("diff", "The exit code is 0 if only measured times")],
)
def test_the_help_of_a_step_says_what_it_does(step, says, capsys):
    with pytest.raises(SystemExit, match="0"):
        main([step, "--help"])
    printed = capsys.readouterr().out
    assert says in printed
    assert "Run the step" not in printed


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
from replication.__main__ import _message, _say_interrupted, main
main(["check", "config/quick.yaml"])
names = ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"]
print(json.dumps([os.environ.get(name) for name in names]))
print(json.dumps(sorted({"numpy", "pandas", "numba", "couplings"} & set(sys.modules))))
"""
    run = python("-c", code, OMP_NUM_THREADS="8")
    assert run.returncode == 0, run.stderr
    variables, modules = run.stdout.splitlines()
    assert json.loads(variables) == ["1", "1", "1"]
    assert json.loads(modules) == []


def test_the_library_and_the_protocols_know_nothing_of_snakemake():
    for path in (ROOT / "src").rglob("*.py"):
        assert not re.search(r"(import|from) snakemake", path.read_text(encoding="utf-8")), path


HEAVY = ("pandas", "pyarrow", "sklearn", "matplotlib", "scipy.stats", "scipy.optimize")


def loaded_after(statement):
    code = f"{statement}\nimport sys\nprint(*sys.modules)"
    run = called(sys.executable, "-c", code)
    assert run.returncode == 0, run.stderr
    return set(run.stdout.split())


@pytest.mark.slow
def test_light():
    names = ["table", "discretize", "cluster.ward", "metrics.external"]
    names += ["measures.dilca", "measures.frequency"]
    modules = ", ".join(f"couplings.{name}" for name in names)
    assert not loaded_after(f"import {modules}") & set(HEAVY)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("steps", "needed"),
    [
        (["download", "discretize", "tests", "table"], {"pandas", "pyarrow"}),
        (["figure"], {"matplotlib"}),
    ],
)
def test_steps_without_kernels_load_none(steps, needed):
    loaded = loaded_after(f"import {', '.join(COMMANDS[step] for step in steps)}")
    assert not loaded & {"numba", *HEAVY} - needed


def test_package_loads_nothing():
    loaded = loaded_after("import couplings")
    assert {name for name in loaded if name.startswith("couplings")} == {"couplings"}
    assert "numpy" not in loaded


def test_one_measure_does_not_load_another():
    loaded = loaded_after("from couplings import DilcaM")
    assert "couplings.measures.dilca" in loaded
    assert "couplings.measures.frequency" not in loaded


def test_every_name_resolves():
    for name in set(couplings.__all__) - {"__version__"}:
        assert getattr(couplings, name).__name__ == name
    assert dir(couplings) == couplings.__all__
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        couplings.nothing  # noqa: B018
    with pytest.raises(AttributeError, match="did you mean 'DilcaM' or 'DilcaRR'"):
        couplings.Dilca  # noqa: B018


def test_an_interrupt_is_one_line_and_other_errors_stay(capsys):
    _say_interrupted(KeyboardInterrupt, KeyboardInterrupt(), None)
    assert capsys.readouterr().err == "interrupted: run the workflow again, it goes on from here\n"
    _say_interrupted(ValueError, ValueError("x"), None)
    assert capsys.readouterr().err == "ValueError: x\n"


def test_an_error_of_the_system_without_a_file_is_one_line():
    said = _message(FileNotFoundError(2, "No usable temporary directory found in ['/x']"))
    assert said.startswith("a file: No usable temporary directory found in ['/x']; check the file")
