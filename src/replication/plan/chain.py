"""The plan read backwards: which job makes a file, from what, and where that is written down."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from replication.plan.computing import pipelines, together
from replication.plan.jobs import JOBS
from replication.plan.layout import EXPERIMENTS, FILES, RULES, experiment_rule
from replication.plan.places import Place, defined, entry_line, tree
from replication.steps import TOGETHER

if TYPE_CHECKING:
    from replication.plan.catalog import Catalog

_MADE_BY = {
    "raw_table": "download",
    "raw_source": "download",
    "prepared": "prepare",
    "facts": "prepare",
    "tables": "discretize",
    "similarity": "similarity",
    "trials": "trials",
    "experiment": "experiment",
    "tests": "tests",
    "claims": "claims",
    "table": "table",
    "verdicts": "table",
}
_FIXED = {"download": (), "discretize": ("prepared", "facts"), "similarity": ("tables",)}
"""Inputs of the rules whose inputs follow from their wildcards alone."""


class Made(NamedTuple):
    """The job that makes a file: its rule and its wildcards."""

    rule: str
    ids: dict[str, str]


def maker(catalog: Catalog, file: str) -> Made | None:
    """The job that makes a file, or None for a file that the workflow is given."""
    for name, rule in _MADE_BY.items():
        if found := _pattern(catalog, name).fullmatch(file):
            ids = found.groupdict()
            if rule == "experiment":
                entry = catalog.papers[ids["paper"]]["experiments"][ids["experiment"]]
                rule = experiment_rule(entry)
            return Made(rule, ids)
    return None


def product(catalog: Catalog, made: Made) -> str:
    """The file that stands for a job: what it makes, or the first of several."""
    rule = "experiment" if made.rule in EXPERIMENTS else made.rule
    name = next(name for name, by in _MADE_BY.items() if by == rule)
    return catalog.file(name, **made.ids)


def _pattern(catalog: Catalog, name: str) -> re.Pattern[str]:
    text = FILES[name].format_map(_Escaped(catalog.config["roots"]))
    return re.compile(re.sub(r"<(\w+)>", r"(?P<\1>\\w+)", text.replace(".", r"\.")))


class _Escaped(dict):
    """Roots of the run; every other name becomes a mark that `_pattern` makes a group of."""

    def __missing__(self, name: str) -> str:
        return f"<{name}>"


_BESIDE = ("published", "known")
"""Inputs that a result does not rest on: printed numbers, label vectors that only save time."""


def sources(catalog: Catalog, made: Made) -> list[str]:
    """Files that its result rests on, in the order of the plan; printed numbers left out."""
    if made.rule in _FIXED:
        return [catalog.file(name, **made.ids) for name in _FIXED[made.rule]]
    inputs = JOBS[made.rule].inputs(catalog, **made.ids)
    return [file for name, files in inputs.items() if name not in _BESIDE for file in files]


def configured(catalog: Catalog, made: Made) -> list[Place]:
    """Where the configuration says what a job does."""
    ids = made.ids
    paper = f"config/papers/{ids['paper']}.yaml" if "paper" in ids else ""
    places: list[tuple[str, Sequence[str]]] = []
    if made.rule == "table":
        places = [(paper, ("artefacts", ids["artefact"]))]
    elif made.rule in EXPERIMENTS:
        entry = catalog.papers[ids["paper"]]["experiments"][ids["experiment"]]
        places = [(paper, ("experiments", ids["experiment"]))]
        for registry in ("measures", "algorithms"):
            places += [(f"config/{registry}.yaml", (name,)) for name in entry.get(registry, [])]
    elif made.rule == "trials":
        parts = pipelines(catalog, ids["paper"], ids["method"])[ids["reading"]]
        places = [
            (paper, ("methods", ids["method"])),
            ("config/algorithms.yaml", (parts["algorithm"],)),
        ]
    elif made.rule == "similarity":
        places = [("config/measures.yaml", (name,)) for name in _learnt(catalog, ids)]
    elif made.rule == "discretize":
        places = [(paper, ("preparations", ids["preparation"]))]
    elif made.rule == "prepare":
        places = [(paper, ("datasets", ids["dataset"]))]
    elif made.rule == "download":
        places = [("config/datasets.yaml", (ids["dataset"],))]
    elif made.rule == "tests":
        places = [(paper, ("comparisons",))]
    return [entry_line(catalog.root, file, keys) for file, keys in places]


def programmed(catalog: Catalog, made: Made) -> list[Place]:
    """Functions and classes that do what a job does, as the configuration names them."""
    ids = made.ids
    points = []
    if made.rule == "table":
        kind = catalog.papers[ids["paper"]]["artefacts"][ids["artefact"]]["kind"]
        points = [f"replication.papers.{ids['paper']}.tables:{kind}"]
    elif made.rule in EXPERIMENTS:
        entry = catalog.papers[ids["paper"]]["experiments"][ids["experiment"]]
        points = [entry["run"]]
        for registry in ("measures", "algorithms"):
            known = getattr(catalog, registry)
            points += [known[name]["class"] for name in entry.get(registry, [])]
    elif made.rule == "tests":
        comparisons = catalog.papers[ids["paper"]].get("comparisons", [])
        points = [entry["run"] for entry in comparisons if "run" in entry]
    elif made.rule == "trials":
        parts = pipelines(catalog, ids["paper"], ids["method"])[ids["reading"]]
        points = [catalog.algorithms[parts["algorithm"]]["class"]]
    elif made.rule == "similarity":
        points = [catalog.measures[name]["class"] for name in _learnt(catalog, ids)]
    points = points or [f"{RULES[made.rule]}:run"]
    return [defined(catalog.root, point) for point in dict.fromkeys(points)]


def _learnt(catalog: Catalog, ids: dict[str, str]) -> list[str]:
    """Measures of one job of `similarity`."""
    return together(catalog, **ids) if ids["measure"] == TOGETHER else [ids["measure"]]


def claim_test(root: Path, paper: str, claim: str) -> Place | None:
    """Where the function is that tests a claim."""
    for path in sorted((root / "src/replication/papers" / paper).glob("claims*.py")):
        for node in tree(path).body:
            if isinstance(node, ast.FunctionDef) and any(
                isinstance(part, ast.Constant) and part.value == claim
                for decorator in node.decorator_list
                for part in ast.walk(decorator)
            ):
                return Place(path.relative_to(root).as_posix(), node.lineno, node.name)
    return None
