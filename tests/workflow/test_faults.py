"""Faults of the machine: a run says what happened, loses nothing, and goes on."""

import os
import shutil
import signal
import subprocess
import sys

import pytest
from conftest import NO_NETWORK
from kit import QUICK, called

pytestmark = pytest.mark.workflow

TARGET = "results/quick/figures/dilca/fig01.csv"
"""A table of one small data set: three jobs after the download."""
JOBS = ("Prepare and discretize", "Learn the measures", "Make table")
LATER = ("similarity", "figures", "verdicts")
"""Folders with what the second and third job make."""
OWN_MOUNTS = ("unshare", "--map-root-user", "--mount", "sh", "-c")
"""Words before a script that mounts for itself alone."""


@pytest.fixture(scope="module")
def made(copy, tmp_path_factory):
    """A copy in which the table was made, and its results."""
    house = copy(tmp_path_factory.mktemp("faults") / "house")
    run = house.snakemake(TARGET, *QUICK, "--cores", "1")
    assert run.returncode == 0, run.stdout
    return house, results(house)


@pytest.fixture
def unmade(made):
    """The copy without the outputs of two jobs."""
    house, _ = made
    for name in LATER:
        shutil.rmtree(house.root / "results/quick" / name, ignore_errors=True)
    return house


@pytest.fixture
def mounting(tmp_path):
    """Function that runs Snakemake after a script that mounts for this run alone."""
    if called(*OWN_MOUNTS, f"mount -t tmpfs none {tmp_path}").returncode:
        pytest.skip("this system lets nobody mount for a process alone")

    def run(house, script, **environment):
        words = [sys.executable, "-m", "snakemake", TARGET, *QUICK, "--cores", "1"]
        return house.run(*OWN_MOUNTS, f'{script} && exec "$@"', "sh", *words, **environment)

    return run


def results(house):
    return house.contents("results", suffixes=(".csv", ".json", ".md", ".tex", ".npz"))


def jobs(said):
    """The jobs that a run announced."""
    return [job for job in JOBS if job in said]


def test_an_interrupted_run_says_so_and_goes_on(made, unmade):
    """Ctrl-C reaches the run and its jobs."""
    house, before = made
    process = subprocess.Popen(
        [sys.executable, "-m", "snakemake", TARGET, *QUICK, "--cores", "1"],
        cwd=house.root,
        env={key: value for key, value in os.environ.items() if key != "PYTHONPATH"} | NO_NETWORK,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    said = ""
    for line in process.stdout:
        said += line
        if JOBS[1] in line:
            os.killpg(process.pid, signal.SIGINT)
    assert process.wait() == 1
    assert said.count("interrupted: what is finished is kept; the same command goes on") == 1
    assert "Traceback" not in said
    assert jobs(said) == [JOBS[1]]
    again = house.snakemake(TARGET, *QUICK, "--cores", "1")
    assert again.returncode == 0, again.stdout
    # the job that ran may have come to its end
    assert jobs(again.stdout)[-1:] == [JOBS[2]]
    assert JOBS[0] not in again.stdout
    assert results(house) == before


def test_results_that_cannot_be_written_are_named_before_any_job(made, unmade, mounting):
    house, before = made
    script = "mount --bind results results && mount -o remount,ro,bind results"
    run = mounting(house, script)
    assert run.returncode != 0
    (line,) = [line for line in run.stdout.splitlines() if line.startswith("error:")]
    assert "/results/quick: nothing can be written there (read-only" in line
    assert "Traceback" not in run.stdout
    assert jobs(run.stdout) == []
    again = house.snakemake(TARGET, *QUICK, "--cores", "1")
    assert again.returncode == 0, again.stdout
    assert jobs(again.stdout) == [*JOBS[1:]]
    assert results(house) == before


def test_a_full_temporary_folder_changes_nothing(made, unmade, mounting, tmp_path):
    """Nothing of a run is kept there; kernels and fonts have folders of their own."""
    house, before = made
    full = tmp_path / "full"
    full.mkdir()
    script = f"mount -t tmpfs -o size=8k none {full} && ! cat /dev/zero > {full}/all 2>/dev/null"
    run = mounting(house, script, TMPDIR=str(full))
    assert run.returncode == 0, run.stdout
    assert results(house) == before


def test_a_run_without_the_compiler_says_so_and_goes_on_with_it(made, unmade):
    house, before = made
    words = [sys.executable, "-m", "snakemake", TARGET, *QUICK, "--cores", "1"]
    run = house.run(*words, NUMBA_DISABLE_JIT="1")
    assert run.returncode == 1
    said = "failed: similarity/dilca/person: NUMBA_DISABLE_JIT is set, and the kernels of couplings"
    assert said in run.stdout
    assert "Traceback" not in run.stdout
    again = house.run(*words)
    assert again.returncode == 0, again.stdout
    assert results(house) == before
