"""Steps in copies of one process: as the command itself would have run them."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from replication import asking, warm

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="needs Linux")

# In place of the steps: says what it was given, and does what it is told.
WAITING = """
import json, os, signal, socket, sys, time
from pathlib import Path
from replication import warm

def main(arguments):
    if arguments[0] == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    if arguments[0] == "raise":
        raise ValueError("a mistake")
    if arguments[0] == "sleep":
        Path(arguments[1]).write_text(str(os.getpid()))
        time.sleep(60)
    print(json.dumps([arguments, str(Path.cwd()), os.environ.get("OWN"), sys.stdin.read()]))
    print("aside", file=sys.stderr)
    return 7

warm._load = lambda: None
warm.wait(*sys.argv[2:], main)
"""


@pytest.fixture
def waiting(tmp_path, monkeypatch):
    (tmp_path / "replication_wait.py").write_text(WAITING)
    start = subprocess.Popen

    def other(command, **options):
        return start([sys.executable, tmp_path / "replication_wait.py", *command[3:]], **options)

    with monkeypatch.context() as patch:
        patch.setenv("PYTHONPATH", str(ROOT / "src"))
        patch.setenv(asking.VARIABLE, "")
        patch.setattr(subprocess, "Popen", other)
        process = warm.keep()
        patch.setattr(subprocess, "Popen", start)
        yield process
    process.communicate(timeout=20)


def command(*arguments, **environment):
    program = "import sys; from replication import asking; sys.exit(asking.ask(sys.argv[1:]))"
    return subprocess.Popen(
        [sys.executable, "-c", program, *arguments],
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_a_step_has_its_arguments_folder_environment_and_output(waiting, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run = command("speak", "with space", "$HOME", "--threads", "1", OWN="mine")
    said, aside = run.communicate(timeout=20)
    given = ["speak", "with space", "$HOME", "--threads", "1"]
    assert json.loads(said) == [given, str(tmp_path), "mine", ""]
    assert aside == "aside\n"
    assert run.returncode == 7


@pytest.mark.parametrize(("word", "status"), [("die", 137), ("raise", 1)])
def test_a_step_that_ends_badly_takes_nobody_along(waiting, word, status):
    run = command(word)
    aside = run.communicate(timeout=20)[1]
    assert run.returncode == status
    assert ("ValueError: a mistake" in aside) == (word == "raise")
    assert command("speak").wait(20) == 7


def test_a_step_ends_with_the_command_that_asked_for_it(waiting, tmp_path):
    run = command("sleep", tmp_path / "pid")
    pid = _number(tmp_path / "pid")
    run.kill()
    run.communicate()
    assert _gone(pid)


def test_steps_end_with_the_run(waiting, tmp_path):
    run = command("sleep", tmp_path / "pid")
    pid = _number(tmp_path / "pid")
    waiting.communicate(timeout=20)
    assert _gone(pid)
    assert "ended; run again" in run.communicate(timeout=20)[1]
    assert run.returncode == 1
    folder = os.environ[asking.VARIABLE].rpartition(os.pathsep)[2]
    assert not Path(folder).parent.exists()
    assert asking.ask(["speak"]) is None


def test_a_step_with_other_threads_or_of_another_environment_runs_itself(waiting, monkeypatch):
    assert asking.ask(["speak", "--threads", "2"]) is None
    socket = os.environ[asking.VARIABLE].rpartition(os.pathsep)[2]
    monkeypatch.setenv(asking.VARIABLE, os.pathsep.join(["/elsewhere", socket]))
    assert asking.ask(["speak"]) is None


def test_what_is_loaded_beforehand_exists_and_starts_no_threads_that_a_copy_would_lack():
    code = (
        "from numba.np.ufunc import parallel\n"
        "from replication import warm\n"
        "warm._load()\n"
        "assert not parallel._is_initialized\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    assert subprocess.run([sys.executable, "-c", code], env=environment).returncode == 0


def _number(path: Path) -> int:
    for _ in range(2000):
        if path.exists() and (text := path.read_text()):
            return int(text)
        time.sleep(0.01)
    raise AssertionError(f"{path} was never written")


def _gone(pid: int) -> bool:
    for _ in range(2000):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.01)
    return False
