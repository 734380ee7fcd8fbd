"""Documentation, project papers and docstrings say what is so; their examples work."""

import doctest
import importlib
import re
import shutil
import sys
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree

import licences
import numpy as np
import pytest
import yaml
from kit import PAPERS, ROOT, configuration, module, parsed

import couplings
from couplings import CategoricalTable
from replication.files import read_rows
from replication.plan.configuration import overlaid
from replication.plan.plan import Plan

DOCS = ROOT / "docs"
ELSEWHERE = {"_build", "_generated", "changelog.md", "third-party-licences.md"}
PAGES = sorted(one for one in DOCS.rglob("*.md") if ELSEWHERE.isdisjoint(one.parts))


@pytest.fixture(scope="module")
def registries():
    return module(DOCS / "_extensions/registries.py")


def text(name):
    return (ROOT / name).read_text(encoding="utf-8")


def test_every_reading_is_in_the_catalogue_with_its_evidence(registries):
    entries = parsed(ROOT / "config/readings.yaml")
    page = registries.readings(entries)
    assert sorted(re.findall(r"(?m)^### `(.+)`$", page)) == sorted(entries)
    assert page.count("*Evidence.* ") == page.count("**(reconciled") == len(entries)
    assert "- `D`: distances **(reconciled)**\n- `D2`: squared distances **(literal)**" in page


def test_a_choice_pays_if_it_gains_more_bits_than_it_costs(registries):
    entry = {"choices": {"x": "", "y": ""}, "reconciled": "x", "literal": "y"}
    entries = dict.fromkeys(["a.pays", "a.costs", "a.asked"], entry)
    entries |= {"a.same": {**entry, "literal": "x"}, "a.record": {**entry, "steers": "nothing"}}
    row = {"artefact": "all", "reconciled": "6", "literal": "5", "pairs": "63", "equal": "7"}
    rows = [row | {"reading": "a.pays", "pairs": "70"}]
    rows += [row | {"reading": "a.pays", "artefact": "table01"}]
    rows += [row | {"reading": "a.costs", "reconciled": "5"}]
    page = registries.gains(entries, rows)
    for words in (
        "| `a.pays` | 2 | 1.0 | 6 | 5 | +1 | 3.0 | pays |",
        "| `a.costs` | 2 | 1.0 | 5 | 5 | +0 | 0.0 | **does not pay** |",
        "| `a.asked` | 2 | 1.0 |  |  |  |  | not measured |",
        "| `a.record` | 2 | 1.0 |  |  |  |  | a record, no step follows it |",
        "For the other 1 readings the reconciled answer is the literal one",
    ):
        assert words in page


def test_measured_readings_are_those_of_the_configuration():
    entries = parsed(ROOT / "config/readings.yaml")
    for row in read_rows(ROOT / "data/record/readings.csv"):
        entry = entries[row["reading"]]
        assert entry["reconciled"] != entry["literal"]
        assert 0 <= int(row["equal"]) <= int(row["pairs"])


def test_every_data_set_has_a_row(registries):
    entries = parsed(ROOT / "config/datasets.yaml")
    page = registries.datasets(entries, {"zoo": ["caso: Zoo", "cde: Zoo"]})
    rows = [line for line in page.splitlines() if line.startswith("| `")]
    assert [row.split("`")[1] for row in rows] == list(entries)
    assert page.startswith(f"{len(entries)} data sets.")
    assert next(row for row in rows if "`zoo`" in row).endswith("| caso: Zoo<br>cde: Zoo |")
    assert all(len(re.findall(r"(?<!\\)\|", row)) == 7 for row in rows)


def test_every_public_module_is_in_the_reference(registries):
    paths = [path.relative_to(ROOT / "src") for path in (ROOT / "src/couplings").rglob("[!_]*.py")]
    found = {".".join(one.with_suffix("").parts) for one in paths if "/_" not in one.as_posix()}
    assert set(re.findall(r"automodule:: (\S+)", registries.modules("couplings"))) == found
    assert "replication.plan.catalog" in registries.modules("replication")
    assert "replication.__main__" not in registries.modules("replication")


@pytest.mark.slow
def test_every_public_class_has_a_page_with_what_it_inherits(registries, tmp_path):
    registries.write(tmp_path / "_generated")
    index = registries.class_index()
    for name in registries.classes():
        page = (tmp_path / "_generated/api" / f"{name}.md").read_text("utf-8")
        assert f"autoclass:: couplings.{name}\n" in page
        assert ":inherited-members:" in page
        assert f"_generated/api/{name}>" in index


def test_the_picture_is_drawn_from_the_rules(registries):
    drawn = registries.arrows(Plan.of_effort(ROOT, "full"))
    assert text("docs/flow.svg") == registries.flow(drawn), "build the documentation"
    assert ("download", "discretize") in drawn
    assert {rule for arrow in drawn for rule in arrow} == set(registries.BOXES)
    drawing = ElementTree.fromstring(text("docs/flow.svg"))
    words = [node.text for node in drawing.iter("{http://www.w3.org/2000/svg}text")]
    assert set(words[::2]) == set(registries.BOXES)


def test_the_site_has_at_most_twenty_pages_and_each_is_in_its_contents():
    outside = {"letters", "protocols"}
    pages = {page.relative_to(DOCS).with_suffix("").as_posix() for page in PAGES}
    pages = {page for page in pages if page.partition("/")[0] not in outside}
    assert len(pages) <= 20
    contents = re.findall(r"(?s)```\{toctree\}\n(?::\S+.*?\n)*\n(.*?)```", text("docs/index.md"))
    assert {name for part in contents for name in part.split()} == pages - {"index"}


def test_links_between_pages_lead_somewhere():
    for page in [*PAGES, ROOT / "README.md"]:
        for target in re.findall(r"\]\(([^)#]+\.(?:md|svg|ipynb))\)", page.read_text("utf-8")):
            if not target.startswith(("http", "figures/")):  # figures are there after a run
                assert (page.parent / target).is_file(), f"{page.name}: {target}"


# these quote the findings
QUOTING = ("results", "dilca", "caso", "cde", "coupledmc", "disc")
WRITTEN = [page for page in PAGES if page.stem not in QUOTING]


@pytest.mark.parametrize("page", [ROOT / "README.md", *WRITTEN], ids=lambda page: page.stem)
def test_no_sentence_is_longer_than_40_words(page):
    prose = re.sub(
        r"(?ms)^```.*?^```|<!-- (\w+) -->.*?<!-- /?\w+ -->|^ {4}\S.*?$", "", page.read_text("utf-8")
    )
    prose = re.sub(r"`[^`]+`", "Code", re.sub(r"(?m)^\|.*$|^#.*$", "\n", prose))
    blocks = re.split(r"\n\s*\n|\n\s*(?:[-:]|\d+\.)\s", re.sub(r"\]\([^)]+\)", "]", prose))
    sentences = [one for block in blocks for one in re.split(r"(?<=[.!?:])\s+(?=\W?[A-Z])", block)]
    assert [one for one in sentences if len(one.split()) > 40] == []


def test_every_paper_has_a_page_that_names_existing_readings():
    known = parsed(ROOT / "config/readings.yaml")
    papers = {name.partition(".")[0] for name in known}
    for paper in PAPERS:
        page = text(f"docs/papers/{paper}.md")
        for name in re.findall(r"`([a-z]+\.[a-z_]+)`", page):
            assert name in known or name.partition(".")[0] not in papers, f"{paper}: {name}"


def test_files_that_pages_name_exist():
    made = ("results/", "figures/", "src/couplings/measures/hellinger", "data/raw")
    for page in PAGES:
        for name in re.findall(r"`((?:config|data|src|workflow|tests|docs)/[\w./-]+)`", text(page)):
            if not name.startswith(made) and "<" not in name:
                assert (ROOT / name).exists(), f"{page.name}: {name}"


@pytest.fixture
def examples(tmp_path):
    """Repository with all examples of the page about extensions."""
    shutil.copytree(ROOT / "config", tmp_path / "config")
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("data", "workflow"):
        (tmp_path / name).symlink_to(ROOT / name)
    used = []
    for kind, name, body in re.findall(
        r"```(python|yaml)\n# (\S+/\S+)\n(.*?)```", text("docs/extend.md"), re.S
    ):
        path = tmp_path / name
        used.append(name)
        if kind == "python":
            path.write_text(body, encoding="utf-8")
            continue
        old, new = (yaml.safe_load(part) for part in (path.read_text("utf-8"), body))
        path.write_text(yaml.safe_dump(overlaid(old, new), sort_keys=False), encoding="utf-8")
    return tmp_path, used


def test_the_examples_of_the_configuration_are_accepted(examples, monkeypatch):
    root, used = examples
    assert len(used) == 10
    package = "replication/papers/dilca"
    folders = [str(one / "src" / package) for one in (ROOT, root)]
    monkeypatch.setattr(f"{package.replace('/', '.')}.__path__", folders)
    catalog = Plan.of_effort(root, "full")
    assert catalog.measures["hellinger"]["label"] == "Hellinger"
    assert catalog.papers["dilca"]["methods"]["leaders"]["reconciled"]["measure"] == "hellinger"
    assert "rarity" in catalog.papers["dilca"]["experiments"]


def test_the_measure_of_the_page_keeps_its_promise(examples):
    found = module(examples[0] / "src/couplings/measures/hellinger.py").Hellinger()
    codes = np.random.default_rng(3).integers(0, 3, (40, 2))
    block = found.fit(CategoricalTable.from_codes(codes)).value_matrices_.block(0)
    p = np.array([np.bincount(codes[codes[:, 0] == x, 1]) for x in range(3)], dtype=float)
    p /= p.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(block, np.sqrt(1 - np.sqrt(p[:, None] * p).sum(axis=2)), atol=1e-7)


def test_the_experiment_of_the_page_counts_rare_values(examples):
    rarity = module(examples[0] / "src/replication/papers/dilca/rarity.py")
    table = CategoricalTable.from_codes(np.array([[0, 0], [0, 1], [0, 1], [1, 0]]))
    experiment = SimpleNamespace(tables=lambda name: SimpleNamespace(tables=[table]))
    assert [row["rare"] for row in rarity.rare_values(experiment, most=1)] == [0.5, 0.0]


def test_citation_has_what_the_format_wants():
    citation = parsed(ROOT / "CITATION.cff")
    assert citation["cff-version"] == "1.2.0"
    assert {"message", "title", "authors"} <= set(citation)
    assert citation["authors"] == [{"name": "the couplings developers"}]
    titles = {reference["title"].lower() for reference in citation["references"]}
    assert titles == {configuration(paper)["title"].lower() for paper in PAPERS}


def test_licences_list_the_packages_of_the_lock():
    wanted = [pin[:2] for pin in licences.pinned(text("requirements.lock"))]
    rows = re.findall(
        r"(?m)^\| ([\w.-]+) \| (\d\S*) \| (.+?) \|", text("docs/third-party-licences.md")
    )
    assert [(name, version) for name, version, _ in rows] == wanted, (
        "run `python tools/licences.py`"
    )
    assert all(licence != licences.SILENT for _, _, licence in rows)
    direct = re.findall(r'(?m)^    "([\w-]+)>=', text("pyproject.toml"))
    assert {name.lower() for name in direct} <= {name.lower() for name, _, _ in rows}


def test_the_template_of_a_paper_is_short():
    files = [path for path in (ROOT / "workflow/template").rglob("*.*") if path.suffix != ".pyc"]
    assert len(files) > 5
    assert not [path for path in files if len(path.read_text().splitlines()) > 25]


LIBRARY = Path(couplings.__file__).parent
MODULES = sorted(
    ".".join(path.relative_to(LIBRARY.parent).with_suffix("").parts)
    for path in LIBRARY.rglob("[!_]*.py")
    if ">>> " in path.read_text(encoding="utf-8")
)


@pytest.mark.parametrize("module", MODULES)
def test_examples_of_a_module_print_what_they_say(module):
    failed, _ = doctest.testmod(importlib.import_module(module))
    assert failed == 0


COMING_FROM = (DOCS / "coming-from.md").read_text("utf-8")
PEERS = ("gower", "kmodes", "prince")


def codes(peer):
    """Codes of the section on a package, by the name in their first line."""
    section = re.search(rf"(?ms)^## {peer}\n(.*?)(?=^## |\Z)", COMING_FROM)[1]
    return dict(re.findall(r"```python\n# (\w+)\n(.*?)```", section, re.S))


def names_of(code):
    names = {}
    exec(code, names)
    return names


def test_the_page_for_each_package_has_both_codes():
    for peer in PEERS:
        assert set(codes(peer)) == {peer, "couplings"}


def test_both_k_modes_find_the_same_clusters():
    pytest.importorskip("kmodes.kmodes")
    found = codes("kmodes")
    theirs, ours = names_of(found["kmodes"])["model"], names_of(found["couplings"])["model"]
    assert ours.objective_ == theirs.cost_ == 0
    assert (ours.labels_[0] == ours.labels_[1]) and (ours.labels_[0] != ours.labels_[2])


def test_our_gower_is_gowers():
    names = names_of(codes("gower")["couplings"])
    # frame differs or not, price / range of 600; the mean of both.
    expected = np.array([[0, 1 / 6, 1], [1 / 6, 0, 5 / 6], [1, 5 / 6, 0]])
    np.testing.assert_allclose(names["distance"].pairwise(names["bikes"]), expected)


SCRIPT = """
import couplings
from couplings import DilcaRR, SimpleMatching, Ward, measure_names

reveal_type(DilcaRR)
reveal_type(DilcaRR().fit([["a", "b"], ["c", "d"]]))
reveal_type(SimpleMatching().pairwise([["a"]]))
reveal_type(measure_names())
reveal_type(couplings.__version__)
DilcaRR(contxt=1)
Ward(n_cluster=3)
couplings.Dilca
"""
SAID = [
    r'Revealed type is "def \(context: .* -> couplings\.measures\.dilca\.DilcaRR"',
    r'Revealed type is "couplings\.measures\.dilca\.DilcaRR"',
    r'Revealed type is ".*numpy\.ndarray.*"',
    r'Revealed type is "tuple\[.*"',
    r'Revealed type is ".*str"',
    r'Unexpected keyword argument "contxt" for "DilcaRR"; did you mean "context".*',
    r'Unexpected keyword argument "n_cluster" for "Ward".*',
    r'Module has no attribute "Dilca".*',
]
"""Words of mypy on the lines of the script from the fifth on."""


@pytest.mark.slow
def test_mypy_knows_the_classes_and_catches_wrong_keywords(tmp_path, monkeypatch, request):
    api = pytest.importorskip("mypy.api")
    # mypy raises the limit, on which other tests rely
    request.addfinalizer(partial(sys.setrecursionlimit, sys.getrecursionlimit()))
    script = tmp_path / "script.py"
    script.write_text(SCRIPT, encoding="utf-8")
    monkeypatch.setenv("MYPYPATH", str(ROOT / "src"))
    # what it knows of the library is kept, apart from what `make lint` keeps: the options differ
    known = ["--cache-dir", str(ROOT / ".mypy_cache/user")]
    options = ["--follow-imports=silent", "--ignore-missing-imports", *known]
    said = api.run([*options, str(script)])[0]
    found = re.findall(r":(\d+): (?:error: |note: (?=Revealed))(.*)", said)
    assert [int(line) for line, _ in found] == list(range(5, 13))
    for words, (_, line) in zip(SAID, found, strict=True):
        assert re.fullmatch(words, line)
