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
        os.utime(path, ns=(1, 1))
    return tmp_path


def complete(project):
    """A run from beginning to end."""
    unchanged(project, "full")
    assert unchanged(project, "full", mark=True) == 0


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
    complete(project)
    assert unchanged(project, "full") == 0
    assert "Nothing to be done" in capsys.readouterr().out
    path.write_text("as long as".ljust(len(name)))
    os.utime(path, ns=(1, 2))
    assert (unchanged(project, "full") == 0) is same
    complete(project)
    path.unlink()
    assert (unchanged(project, "full") == 0) is same
    complete(project)
    (path.parent / "another.csv").touch()
    assert (unchanged(project, "full") == 0) is same


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("config/config.yaml", True),
        ("results/full/trials/zoo.csv", False),
        ("figures/f.svg", False),
    ],
)
def test_what_is_edited_while_a_run_goes_on_is_not_taken_as_run(project, name, counts):
    assert unchanged(project, "full") == 1
    (project / name).write_text("while it runs")
    unchanged(project, "full", mark=True)
    assert (unchanged(project, "full") == 0) is not counts


def test_the_command_says_so_by_its_exit_code(project, monkeypatch):
    monkeypatch.chdir(project)
    assert main(["unchanged", "--effort", "full"]) == 1
    assert main(["unchanged", "--effort", "full", "--mark"]) == 0
    assert main(["unchanged", "--effort", "full"]) == 0
