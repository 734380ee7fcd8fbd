"""What a killed run leaves behind, and the last words of a failed one."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from replication import leftovers
from replication.errors import UserError
from replication.files import whole, write_text

REPORT = """
[Sun Nov 22 07:56:42 2026]
Error in rule trials:
    message: None
    jobid: 1
    input: results/quick/tables/dilca/zoo.bins10.npz
    output: results/quick/trials/dilca/zoo.dilca_m.reconciled.csv
    log: {log} (check log file(s) for error details)
    shell:
        python -m replication trials
        (command exited with non-zero exit code)
Logfile {log}:
=====
error: something else
=====
Error in rule table:
    message: None
    jobid: 2
    output: figures/a.csv, figures/a.md
    log: none.txt (check log file(s) for error details)

Exiting because a job execution failed. Look above for error messages
Error in rule table:
    jobid: 2
    output: figures/a.csv, figures/a.md
"""


@pytest.fixture
def killed():
    """A process that does not run any more, and what it was called."""
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    record = leftovers.owner(process.pid)
    process.kill()
    process.communicate()
    return record


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "runs").mkdir()
    (tmp_path / "locks").mkdir()
    for name in ("input", "output"):
        (tmp_path / "locks" / f"0.{name}.lock").write_text("a\n")
    return tmp_path


def started(folder, record, name="other"):
    (folder / "runs" / f"{name}.json").write_text(
        record if isinstance(record, str) else json.dumps(record)
    )


def release(folder):
    return leftovers.release(folder / "runs", folder / "locks")


def locks(folder):
    return len(list((folder / "locks").iterdir()))


def test_this_process_is_alive_and_a_killed_one_is_not(killed):
    assert leftovers.alive(leftovers.owner(os.getpid()))
    assert not leftovers.alive(killed)


def test_a_number_given_to_another_process_is_another_process(killed):
    assert not leftovers.alive({**killed, "pid": str(os.getpid())})


def test_what_cannot_be_known_counts_as_alive(killed):
    assert leftovers.alive({**killed, "host": "elsewhere"})
    assert leftovers.alive({**killed, "host": "elsewhere", "boot": "another"})


@pytest.mark.skipif(sys.platform != "linux", reason="boots and number spaces are those of Linux")
def test_a_boot_ends_every_process_and_a_container_hides_its_own(killed):
    own = leftovers.owner(os.getpid())
    assert not leftovers.alive({**own, "boot": "another"})
    assert leftovers.alive({**killed, "numbers": "pid:[1]"})


def test_the_lock_of_a_killed_run_is_removed_and_said(folder, killed):
    started(folder, killed)
    leftovers.register(folder / "runs")
    assert f"killed (process {killed['pid']})" in release(folder)
    assert locks(folder) == 0
    assert release(folder) == ""


def test_the_record_of_a_run_that_lost_power_may_be_cut_off(folder):
    started(folder, '{"host": "a')
    assert "removed the lock" in release(folder)


def test_the_lock_of_a_living_run_stays(folder, killed):
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as living:
        started(folder, killed, "killed")
        started(folder, leftovers.owner(living.pid), "living")
        leftovers.register(folder / "runs")
        assert f"process {living.pid} on" in release(folder)
        assert not leftovers.alone(folder / "runs")
        living.kill()
    assert locks(folder) == 2
    assert "removed the lock" in release(folder)
    assert leftovers.alone(folder / "runs")


def test_a_lock_that_nobody_accounts_for_stays(folder):
    leftovers.register(folder / "runs")
    assert release(folder) == ""
    assert locks(folder) == 2


def test_half_written_files_go_but_those_that_are_resumed(tmp_path):
    keep = ["results/trials/a.csv.partial", "results/a.csv", "raw/x/.unreachable", "raw/x/a.csv"]
    drop = ["results/tables/a.npz.partial", "figures/a.svg.partial", "raw/x/.a.csv-ab12_xyz"]
    for name in (*keep, *drop):
        write_text(tmp_path / name, "x")
    roots = [tmp_path / "results", tmp_path / "figures", tmp_path / "none"]
    removed = leftovers.clean(roots, [tmp_path / "results/trials"], tmp_path / "raw")
    assert removed == sorted(tmp_path / name for name in drop)
    assert all((tmp_path / name).is_file() for name in keep)


def test_failed_jobs_are_found_once(tmp_path):
    found = list(leftovers.failures(REPORT.format(log="a/b.txt")))
    assert found == [
        ("trials", "results/quick/trials/dilca/zoo.dilca_m.reconciled.csv", "a/b.txt"),
        ("table", "figures/a.csv", "none.txt"),
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("warning\nerror: first\nerror: mend it\nthread 1 ended\n", "mend it"),
        ("Traceback\n  x\nValueError: no\n\n", "ValueError: no"),
        ("", "stopped before"),
    ],
)
def test_last_words(tmp_path, text, words):
    (tmp_path / "log.txt").write_text(text)
    assert words in leftovers.last_words(tmp_path / "log.txt")


def test_without_a_log_there_are_no_words(tmp_path):
    assert "stopped before" in leftovers.last_words(tmp_path / "none.txt")


def test_a_disk_with_room_is_not_full(tmp_path, monkeypatch):
    assert leftovers.full_disk(tmp_path / "not" / "there") == ""
    monkeypatch.setattr(leftovers.shutil, "disk_usage", lambda _: Full)
    assert "is full (No space left on device)" in leftovers.full_disk(tmp_path)


class Full:
    free = 4096


def test_a_full_disk_is_one_line_and_leaves_nothing(tmp_path):
    with (
        pytest.raises(UserError, match=r"a\.csv: no space left on its disk"),
        whole(tmp_path / "a.csv") as partial,
    ):
        partial.write_text("half")
        raise OSError(28, "No space left on device")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="states of Linux")
def test_a_killed_process_that_nobody_has_asked_for_is_dead():
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    record = leftovers.owner(process.pid)
    assert leftovers.alive(record)
    process.kill()
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)  # dead, and still in the list
    assert Path(f"/proc/{process.pid}").exists()
    assert not leftovers.alive(record)
    process.communicate()
