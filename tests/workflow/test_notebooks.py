"""Notebooks: kept without outputs, executed by the workflow, and honest about what was not run."""

import json
import os
import re
import shutil
import sys

import pytest
from kit import QUICK, ROOT, called

from replication.report.results import VARIABLE, show

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))


@pytest.fixture(scope="module")
def unstripped():
    """What nbstripout says of all notebooks."""
    run = called(sys.executable, "-m", "nbstripout", "--dry-run", *NOTEBOOKS)
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
    for name in re.findall(r'show\("(\w+)"', code):
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
    run = execute(names, tmp_path, figures="results/x")
    assert run.returncode == 0, run.stderr
    page = words(tmp_path / "caso.html")
    assert "results/x has no rare_values of caso. " in page
    assert "run snakemake paper_caso." in page
    assert "CADO" in page  # what a reader changes works all the same
    page = words(tmp_path / "your_own_measure.html")
    assert "Hellinger" in page
    assert "CategoricalTable(101 objects, 16 attributes" in page


@pytest.mark.workflow
def test_a_table_of_ones_own(tmp_path, own):
    """A file named as a command, a column as HTML; numbers, missing cells and a class."""
    rows = [f"b{i},{'step' if i % 2 else 'sport'},{3 + i + 20 * (i % 2)},u" for i in range(24)]
    table = tmp_path / "$(touch ran) 'bikes'.csv"
    table.write_text("\n".join(["id,frame,<b>gears</b>,use", *rows, "b24,?,,u"]) + "\n")
    run = own(table.name, "--without", "use")
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


@pytest.mark.workflow
def test_a_web_page_under_the_name_of_a_table_is_said(tmp_path, own):
    """What a server says instead of a table is often saved under its name."""
    (tmp_path / "table.csv").write_text("<!DOCTYPE html>\n<html><body>503</body></html>\n")
    run = own("table.csv")
    assert run.returncode == 2
    assert run.stderr.count("\n") == 1
    assert "table.csv: is a web page, no table; save the table itself as text" in run.stderr


@pytest.mark.workflow
def test_tables_of_one_name_get_folders_of_their_own(tmp_path, own):
    """Years after a dot, another folder, another ending; the same table again keeps its folder."""
    text = "a:b\n" + "".join(f"{'-9' if i % 8 == 0 else i % 3}:{i % 2}\n" for i in range(40))
    names = ["survey.2019.csv", "survey.2020.csv", "else/survey.2019.csv", "survey.2019.txt"]
    (tmp_path / "else").mkdir()
    for name in names:
        (tmp_path / name).write_text(text)
    # A notebook that fails at once says the folder in its log.
    notebook = tmp_path / "notebooks/your_own_data.ipynb"
    whole = notebook.read_text("utf-8")
    notebook.write_text(whole.replace("import shlex", "1 / 0"), "utf-8")
    for name in [*names, names[0]]:
        run = own(name)
        assert "ZeroDivisionError" in run.stderr
    found = {
        path.parent.name: path.read_text().strip().removeprefix(f"{tmp_path.resolve()}/")
        for path in tmp_path.glob("results/own/*/table.txt")
    }
    assert found == dict(
        zip(["survey.2019", "survey.2020", "survey.2019-2", "survey.2019-3"], names, strict=True)
    )
    notebook.write_text(whole, "utf-8")
    run = own(names[0], "--separator", ":", "--missing", "-9")
    assert run.returncode == 0, run.stderr
    header, *rows = (tmp_path / "results/own/survey.2019/labels.csv").read_text().splitlines()
    assert header == "a,b,cluster"
    assert sum(row.startswith(",") for row in rows) == 5


@pytest.mark.parametrize("file", ["none.csv", "$(touch ran)`touch ran`"])
def test_a_table_that_is_not_there(tmp_path, own, file):
    run = own(file)
    assert run.returncode == 2
    assert run.stderr.startswith(f"error: {file}: there is no such table")
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


# --- what notebooks read ------------------------------------------------------------------------


@pytest.mark.parametrize("folder", ["figures", "results/quick/figures"])
def test_a_notebook_shows_the_figure_or_the_table_of_the_run(tmp_path, monkeypatch, folder):
    monkeypatch.delenv(VARIABLE, raising=False)
    if folder != "figures":
        monkeypatch.setenv(VARIABLE, json.dumps({"figures": folder}))
    place = tmp_path / folder / "dilca"
    place.mkdir(parents=True)
    (place / "fig03.md").write_text("# Fig. 3\n")
    assert "Fig. 3" in show("dilca", "fig03", tmp_path).data
    (place / "fig03.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg'/>")
    assert "<svg" in show("dilca", "fig03", tmp_path).data
    said = f"{folder} has no fig30 of dilca. "
    assert show("dilca", "fig30", tmp_path).data.startswith(said)
