"""The benchmark page: complete, and nothing on it is timed before it was compared."""

import importlib
import re
import sys
import threading
from dataclasses import replace
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

import pytest
from kit import ROOT

ROWS = 200
LAST = ("Small calls", "Growth", "The machine's limits", "Start-up", "Installation")
PARTS = ("cases", "growth", "limits", "measure", "r", "small", "start")
NAMES = ("page", *(f"speed_{name}" for name in PARTS))


@pytest.fixture(scope="module")
def programs():
    """The modules of the program; those it shares with other programs are taken along."""
    before = set(sys.modules)
    sys.path.insert(0, str(ROOT / "benchmarks"))
    found = {name: importlib.import_module(name) for name in NAMES}
    # It is compiled so that subnormal numbers are 0 in the whole process, where other tests run.
    cases = tuple(
        replace(case, module="no_such_package") if case.package == "FasterKModes" else case
        for case in found["speed_cases"].CASES
    )
    for name in ("page", "speed_cases", "speed_measure"):
        found[name].CASES = cases
    yield found
    sys.path.remove(str(ROOT / "benchmarks"))
    for name in set(sys.modules) - before:
        origin = getattr(sys.modules[name], "__file__", None) or ""
        if Path(origin).parent == ROOT / "benchmarks":
            del sys.modules[name]


@pytest.fixture(scope="module")
def small(programs):
    """Measures in this process, on a few rows."""
    measure, cases = programs["speed_measure"], programs["speed_cases"].CASES
    growths = programs["speed_growth"].GROWTHS

    measure.SHORTEST = 1e-4  # the times do not matter here
    one_at_a_time = threading.Lock()
    programs["speed_cases"].read = cache(programs["speed_cases"].read)

    class Here:
        def pair(self, number, threads):
            return measure.pair(cases[number], ROWS, 0.0)

        def memory(self, number, side):
            # kernels of one process must not start in two threads at once: numba may abort
            with one_at_a_time:
                return measure.memory(cases[number], ROWS, side)

        def growth(self, number, peer):
            axes = {"n": (40, 80), "m": (3, 6), "values": (2, 4)}
            sizes = {axis: axes[axis] for axis in growths[number].axes}
            return measure.growth(replace(growths[number], base=(60, 4, 3), axes=sizes), peer, 0.0)

        def small(self, number, sizes):
            return measure.small(number, (40,) if len(sizes) == 1 else (40, 60), 0.0)

        def limits(self):
            return programs["speed_limits"].measured(measure.in_turns, 200, 500, 1 << 16, 10, 0.0)

        def starts(self):
            programs["speed_start"].STARTS = programs["speed_start"].STARTS[:3]
            return programs["speed_start"].measured(1, 1)

    return Here()


@pytest.fixture(scope="module")
def written(programs, small, tmp_path_factory):
    page = programs["page"]
    said = []
    found = page.collected(small, said.append)
    folder = tmp_path_factory.mktemp("speed")
    template = (ROOT / "benchmarks/SPEED.md").read_text("utf-8")
    page.write(found, folder / "speed.md", folder / "speed.svg", template)
    return found, (folder / "speed.md").read_text("utf-8"), folder / "speed.svg", said


def complete(text, programs):
    """Families, peers and tasks of the program that a page lacks."""
    cases = programs["speed_cases"]
    wanted = [f"## {family}\n" for family in (*cases.FAMILIES, *LAST)]
    wanted += [f"| {case.task} | {case.peer} | {t} |" for case in cases.CASES for t in case.threads]
    wanted += [f"| {task} | {peer} | 1 | not measured" for _, task, peer in cases.WITHOUT]
    wanted += [f"| {task.task} | {task.peer} |" for task in programs["speed_small"].TASKS]
    wanted += [f"| {growth.task} | " for growth in programs["speed_growth"].GROWTHS]
    return [one for one in wanted if one not in text]


@pytest.mark.slow
def test_the_smallest_run_writes_every_family(written, programs):
    found, text, svg, said = written
    assert complete(text, programs) == []
    rows = [row for rows in found["families"].values() for row in rows if "missing" not in row]
    assert {row["threads"] for row in rows} == {1, 2}
    for row in rows:
        assert len(row["ratios"]) >= 3
        assert f"{row['peer']} ({row['package']}): {row['agreement']}." in text
    measured = sum(len(case.threads) for case in programs["speed_cases"].CASES)
    more = len(programs["speed_small"].TASKS) + len(programs["speed_growth"].GROWTHS)
    assert len(said) == measured + more + 2
    drawing = ElementTree.parse(svg).getroot()
    assert drawing.tag.endswith("svg")
    assert svg.with_suffix(".pdf").read_bytes().startswith(b"%PDF")


def test_the_page_in_the_documentation_is_that_of_the_program(programs):
    text = (ROOT / "benchmarks/SPEED.md").read_text("utf-8")
    assert complete(text, programs) == [], "run `python benchmarks/page.py`"
    assert not re.search(r"\b20\d\d-\d\d-\d\d\b", text)


def test_a_peer_that_differs_is_refused(programs):
    cases = programs["speed_cases"]
    looked = 0
    for case in cases.CASES:
        if case.version is None:
            continue
        data = case.prepare(ROWS)
        ours, theirs = case.ours(data), case.on(data)()
        assert case.same(ours, theirs, data)
        with pytest.raises(cases.DifferentResultsError):
            case.same(ours, case.spoil(theirs), data)
        looked += 1
    assert looked >= 14


def test_nothing_is_timed_or_written_of_a_peer_that_differs(
    programs, monkeypatch, tmp_path, capsys
):
    cases, measure, page = (programs[name] for name in ("speed_cases", "speed_measure", "page"))
    case = cases.CASES[0]
    wrong = replace(case, theirs=lambda data: case.spoil(case.theirs(data)))
    monkeypatch.setattr(measure, "in_turns", lambda *_: pytest.fail("timed"))
    with pytest.raises(cases.DifferentResultsError, match="all codes are equal"):
        measure.pair(wrong, ROWS)

    class Apart:
        def pair(self, number, threads):
            return measure.pair(wrong, ROWS)

    monkeypatch.setattr(page, "Apart", Apart)
    monkeypatch.setattr(sys, "argv", ["page.py", "--output", str(tmp_path / "out")])
    with pytest.raises(SystemExit, match="not the same, nothing is written"):
        page.main()
    assert not (tmp_path / "out").exists()
