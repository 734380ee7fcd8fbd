import os

import pytest

from replication.__main__ import main
from replication.report.unchanged import unchanged


@pytest.fixture
def project(tmp_path):
    for name in (
        "src/replication/a.py",
        "config/config.yaml",
        "data/raw/zoo/table.csv",
        "results/full/trials/zoo.csv",
        "results/quick/trials/zoo.csv",
        "figures/fig1.svg",
        "docs/page.md",
        ".git/HEAD",
        "src/replication/__pycache__/a.pyc",
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    return tmp_path


def test_nothing_is_known_before_a_complete_run(project):
    assert unchanged(project, "full") == 1
    assert unchanged(project, "elsewhere", mark=True) == 0
    assert unchanged(project, "elsewhere") == 1


@pytest.mark.parametrize(
    ("name", "same"),
    [
        ("src/replication/a.py", False),
        ("config/config.yaml", False),
        ("data/raw/zoo/table.csv", False),
        ("results/full/trials/zoo.csv", False),
        ("figures/fig1.svg", False),
        ("results/quick/trials/zoo.csv", True),
        ("docs/page.md", True),
        (".git/HEAD", True),
        ("src/replication/__pycache__/a.pyc", True),
    ],
)
def test_any_file_that_a_run_takes_or_makes_counts(project, name, same, capsys):
    path = project / name
    assert unchanged(project, "full", mark=True) == 0
    assert unchanged(project, "full") == 0
    assert "Nothing to be done" in capsys.readouterr().out
    path.write_text("as long as".ljust(len(name)))
    os.utime(path, ns=(1, path.stat().st_mtime_ns + 1))
    assert (unchanged(project, "full") == 0) is same
    unchanged(project, "full", mark=True)
    path.unlink()
    assert (unchanged(project, "full") == 0) is same
    unchanged(project, "full", mark=True)
    (path.parent / "another.csv").touch()
    assert (unchanged(project, "full") == 0) is same


def test_the_command_says_so_by_its_exit_code(project, monkeypatch):
    monkeypatch.chdir(project)
    assert main(["unchanged", "--effort", "full"]) == 1
    assert main(["unchanged", "--effort", "full", "--mark"]) == 0
    assert main(["unchanged", "--effort", "full"]) == 0
