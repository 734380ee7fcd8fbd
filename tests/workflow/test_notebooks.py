"""Notebooks: kept without outputs, executed by the workflow, and honest about what was not run."""

import json
import os
import re
import shutil
import subprocess
import sys
from functools import partial

import pytest
from kit import ROOT

from replication.errors import UserError
from replication.report.results import VARIABLE, Results

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
QUICK = ("--configfile", "config/quick.yaml")


def called(*words, **more):
    return subprocess.run(words, capture_output=True, text=True, check=False, **more)


@pytest.fixture(scope="module")
def unstripped():
    """What nbstripout says of all notebooks."""
    run = called(sys.executable, "-m", "nbstripout", "--dry-run", *map(str, NOTEBOOKS))
    assert run.returncode == 0, run.stderr
    return run.stdout


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_outputs_are_stripped(path, unstripped):
    assert f"Dry run: would have stripped {path}" not in unstripped, f"nbstripout {path.name}"
    for cell in json.loads(path.read_text("utf-8"))["cells"]:
        assert not cell.get("outputs")
        assert cell.get("execution_count") is None


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_hide_nothing(path):
    """No shell, no network, no file written; functions are definitions to be changed."""
    cells = json.loads(path.read_text("utf-8"))["cells"]
    code = "\n".join("".join(one["source"]) for one in cells if one["cell_type"] == "code")
    code = code.replace('.to_csv(OUTPUT / "labels.csv"', "")  # what the reader asks for
    assert not re.search(r"(?m)^\s*[!%]|subprocess|requests|urlopen|\.to_csv|\.write_text", code)
    for name in re.findall(r'Results\("(\w+)"', code):
        assert name == path.stem


def execute(names, folder, **run):
    return called(
        *(sys.executable, "-m", "nbconvert", "--execute", "--to", "html"),
        *("--log-level", "WARN", "--output-dir", str(folder)),
        *(str(ROOT / f"notebooks/{name}.ipynb") for name in names),
        cwd=ROOT,
        env={**os.environ, VARIABLE: json.dumps(run)},
    )


def words(path):
    return re.sub(r"<[^>]+>", "", path.read_text("utf-8"))


@pytest.mark.workflow
def test_a_paper_that_was_not_run_is_said_so_and_a_measure_of_ones_own(tmp_path):
    names = ["caso", "your_own_measure"]
    run = execute(names, tmp_path, effort="quick", results="results/x", figures="results/x/y")
    assert run.returncode == 0, run.stderr
    page = words(tmp_path / "caso.html")
    assert page.count("caso was not run with effort quick. ") >= 1
    assert "run `snakemake paper_caso --configfile config/quick.yaml`." in page
    assert "CADO" in page  # what a reader changes works all the same
    page = words(tmp_path / "your_own_measure.html")
    assert "Hellinger" in page
    assert "CategoricalTable(101 objects, 16 attributes" in page


@pytest.fixture
def own(tmp_path):
    """Call `make own` in a folder that has what it needs; the environment counts as ready."""
    for name in ("src", ".venv"):
        (tmp_path / name).symlink_to(ROOT / name)
    shutil.copytree(ROOT / "notebooks", tmp_path / "notebooks")
    for name in ("Makefile", "Snakefile"):
        shutil.copy(ROOT / name, tmp_path)
    return partial(called, "make", "-s", "-o", ".venv/ready", "own", cwd=tmp_path)


@pytest.mark.workflow
@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")
def test_a_table_of_ones_own(tmp_path, own):
    """A file named as a command, a column as HTML; numbers, missing cells and a class."""
    rows = [f"b{i},{'step' if i % 2 else 'sport'},{3 + i + 20 * (i % 2)},u" for i in range(24)]
    table = tmp_path / "$(touch ran) 'bikes'.csv"
    table.write_text("\n".join(["id,frame,<b>gears</b>,use", *rows, "b24,?,,u"]) + "\n")
    run = own(f"FILE={table.name}", "WITHOUT=use")
    assert run.returncode == 0, run.stderr
    assert not (tmp_path / "ran").exists()
    folder = tmp_path / "results/own/$(touch ran) 'bikes'"
    assert "<b>gears" not in (folder / "your_own_data.html").read_text("utf-8")
    page = words(folder / "your_own_data.html")
    assert "25 objects, 3 attributes" in page
    assert "Try " in page
    header, *labels = (folder / "labels.csv").read_text().splitlines()
    assert header == "id,frame,<b>gears</b>,cluster"
    assert len(labels) == 25
    assert len({line.rpartition(",")[2] for line in labels}) > 1


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")
@pytest.mark.parametrize("file", [[], ["FILE=none.csv"], ["FILE=$(shell touch ran)`touch ran`"]])
def test_a_table_that_is_not_there(tmp_path, own, file):
    run = own(*file)
    assert run.returncode == 2
    assert run.stderr.startswith("error: make own needs a table")
    assert not (tmp_path / "ran").exists()


@pytest.mark.workflow
def test_a_cell_that_fails_ends_the_job_without_a_page(house):
    shutil.copytree(ROOT / "notebooks", house.root / "notebooks")
    house.edit("notebooks/your_own_measure.ipynb", "MEASURES = [", "MEASURES = [1 / 0, ")
    target = "results/quick/notebooks/your_own_measure.html"
    run = house.snakemake(target, *QUICK, papers=["dilca"])
    assert run.returncode != 0
    assert "ZeroDivisionError" in run.stdout
    assert not (house.root / target).exists()


@pytest.fixture
def root(tmp_path, monkeypatch):
    """A run of one paper: one table with a figure."""
    monkeypatch.delenv(VARIABLE, raising=False)
    (tmp_path / "config/papers").mkdir(parents=True)
    for name in ("config.yaml", "quick.yaml", "papers/dilca.yaml", "papers/cde.yaml"):
        shutil.copy(ROOT / "config" / name, tmp_path / "config" / name)
    files = {
        "results/quick/figures/dilca/fig03.csv": "dataset,value\nvote,1.5\ncar,\n",
        "results/quick/figures/dilca/fig03.md": "# Fig. 3\n",
        "results/quick/figures/dilca/fig03.svg": "<svg xmlns='http://www.w3.org/2000/svg'/>",
        "results/quick/figures/dilca/fig01.csv": "dataset,value\n",
    }
    for name, content in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    return tmp_path


def test_results_are_read_from_the_folders_of_the_run(root):
    run = Results("dilca", "quick", root)
    assert run.status == "dilca, effort quick: 2 artefacts in figures/."
    drawing, said = run.show("fig03", "fig30")
    assert "<svg" in drawing.data
    assert said.data == "dilca has no artefact 'fig30'; did you mean 'fig03'? known: fig01, fig03"
    (run.figures / "dilca/fig03.svg").unlink()
    (table,) = run.show("fig03")
    assert "Fig. 3" in table.data


def test_results_of_a_paper_that_was_not_run_are_empty(root):
    run = Results("dilca", root=root)
    assert run.status.endswith("To compute its tables, run `snakemake paper_dilca`.")
    assert run.show("fig03") == []
    assert Results("cde", root=root).status.startswith("cde was not run with effort full")


def test_the_workflow_says_which_run_it_is(root, monkeypatch):
    told = {"effort": "quick", "results": "results/quick", "figures": "results/quick/figures"}
    monkeypatch.setenv(VARIABLE, json.dumps(told))
    assert Results("dilca", root=root).show("fig03")
    assert not Results("dilca", "full", root).show("fig03")


@pytest.mark.parametrize(
    ("paper", "effort", "message"),
    [
        ("dilka", None, "unknown paper 'dilka'; known: cde, dilca"),
        ("dilca", "q", r"config/q\.yaml"),
    ],
)
def test_results_that_cannot_be(root, paper, effort, message):
    with pytest.raises(UserError, match=message):
        Results(paper, effort, root)
