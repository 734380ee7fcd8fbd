"""The picture of the flow in the docs, against the inputs and outputs of the rules."""

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from replication.plan.catalog import Catalog
from replication.plan.computing import pipelines
from replication.plan.configuration import read_yaml
from replication.plan.layout import EXPERIMENTS, FILES, NO_DATASET, experiment_rule

ROOT = Path(__file__).parents[2]
SVG = "{http://www.w3.org/2000/svg}"
BOX = {"clustering": "experiment", "timing": "experiment"}
"""Rules that the picture shows in the box of another one: all run experiments."""


def boxes(picture):
    """Names of the boxes with their corners."""
    rects = [r for r in picture.iter(f"{SVG}rect") if r.get("stroke")]
    names = [t for t in picture.iter(f"{SVG}text") if t.get("font-weight") == "bold"]
    return {
        name.text: tuple(int(rect.get(key)) for key in ("x", "y", "width", "height"))
        for name, rect in zip(names, rects, strict=True)
    }


def arrows(picture):
    """Arrows from box to box; an arrow ends a few points before a box."""
    corners = boxes(picture)

    def at(point):
        (name,) = (
            name
            for name, (x, y, width, height) in corners.items()
            if -6 <= point[0] - x <= width + 6 and -6 <= point[1] - y <= height + 6
        )
        return name

    for path in picture.iter(f"{SVG}path"):
        points = [tuple(map(int, p)) for p in re.findall(r"[ML](\d+) (\d+)", path.get("d"))]
        if path.get("fill") is None:
            yield at(points[0]), at(points[-1])


def rules():
    """Inputs and outputs of the rules, by name: texts of the Snakemake files."""
    text = "\n".join(p.read_text() for p in sorted((ROOT / "workflow/rules").glob("*.smk")))
    for part in re.split(r"(?m)^rule ", text)[1:]:
        name = part.partition(":")[0]
        asked, _, rest = part.partition("    output:")
        yield name, asked, re.split(r"(?m)^    \w+:", rest)[0]


def jobs(catalog):
    """One job or more of every rule with an input function."""
    for paper, content in catalog.papers.items():
        for dataset in content["datasets"]:
            yield "prepare", {"paper": paper, "dataset": dataset}
            for preparation in content["preparations"]:
                ids = {"paper": paper, "dataset": dataset, "preparation": preparation}
                yield "discretize", ids
        for method in content["methods"]:
            for reading, steps in pipelines(catalog, paper, method).items():
                ids = {"paper": paper, "dataset": catalog.computed(paper)[0]}
                yield "trials", {**ids, "method": method, "reading": reading}
                if "measure" in steps:
                    names = ("preparation", "measure")
                    yield "similarity", {**ids, **{name: steps[name] for name in names}}
        for name, entry in content["experiments"].items():
            dataset = entry.get("datasets", [NO_DATASET])[0]
            ids = {"paper": paper, "experiment": name, "dataset": dataset}
            yield experiment_rule(entry), ids
        for rule in ("table", "figure"):
            for artefact in catalog.artefacts(paper, rule):
                yield rule, {"paper": paper, "artefact": artefact}
        if content.get("prints", True):
            yield "claims", {"paper": paper}
            yield "tests", {"paper": paper}
    yield "ledger", {}


@pytest.fixture(scope="module")
def edges():
    """Which rule reads what which other rule writes."""
    config = read_yaml(ROOT / "config/config.yaml", "config/config.yaml")
    catalog = Catalog.load(config, ROOT)
    writers = {}
    for name, _, written in rules():
        for file in re.findall(r'file\("(\w+)"\)', written):
            writers.setdefault(file, set()).add(name)
    patterns = {
        name: re.compile(
            re.sub(r"\\{(\w+)\\}", r"[^/]+", re.escape(file.format_map(_Roots(catalog)))) + "$"
        )
        for name, file in FILES.items()
    }
    found = set()
    for name, asked, _ in rules():
        for file in re.findall(r'(?<!\w)file\("(\w+)"\)', asked):
            found |= {(writer, name) for writer in writers[file]}
    for rule, ids in jobs(catalog):
        for files in catalog.inputs(rule, **ids).values():
            for path in files:
                kinds = [kind for kind, pattern in patterns.items() if pattern.match(path)]
                for kind in kinds:
                    found |= {(writer, rule) for writer in writers.get(kind, ())}
    boxed = {(BOX.get(a, a), BOX.get(b, b)) for a, b in found}
    # trials may take clusterings of other trials; the picture has no arrow from a box to itself
    return {(a, b) for a, b in boxed if a != b}


class _Roots(dict):
    def __init__(self, catalog):
        super().__init__(catalog.config["roots"])

    def __missing__(self, key):
        return "{" + key + "}"


@pytest.fixture(scope="module")
def picture():
    return ET.parse(ROOT / "docs/flow.svg").getroot()


def test_boxes_are_rules(picture):
    names = {name for name, _, _ in rules()}
    assert set(boxes(picture)) <= names
    assert set(EXPERIMENTS) - set(boxes(picture)) == set(BOX)


def test_every_arrow_is_an_input_of_a_rule(picture, edges):
    assert set(arrows(picture)) <= edges


def test_every_input_of_a_rule_is_an_arrow_or_a_way_along_arrows(picture, edges):
    after = {}
    for a, b in arrows(picture):
        after.setdefault(a, set()).add(b)
    shown = set(boxes(picture))

    def reaches(a, b):
        return any(c == b or reaches(c, b) for c in after.get(a, ()))

    assert [(a, b) for a, b in sorted(edges) if {a, b} <= shown and not reaches(a, b)] == []
