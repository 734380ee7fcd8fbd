"""Sphinx extension: pages that are made of the registries, so that they cannot drift.

Before a build it writes ``docs/_generated/*.md`` from ``config/*.yaml`` and the modules of the
packages, and the picture ``docs/flow.svg`` from the rules of the workflow and what their jobs read.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import yaml

import couplings
from replication.data.parse import table_columns
from replication.files import read_rows
from replication.plan.compute_jobs import batch_of, experiments, methods
from replication.plan.layout import NO_DATASET
from replication.plan.plan import Plan
from replication.plan.readings import DECIDED_BY, RECORD, references, resolved
from replication.plan.steps import MADE_BY, STEPS
from replication.text.render import rendered
from replication.text.view import View

if TYPE_CHECKING:
    from sphinx.application import Sphinx

ROOT = Path(__file__).resolve().parents[2]
WHOLE = "all"
"""All numbers of a paper, in the column of artefacts of data/record/readings.csv."""
OTHERS = {
    "boriah": "Frequency measures",
    "of": "Frequency measures",
    "rock": "Algorithms",
}
ROOMS = {"measures": "Measures and encodings", "cluster": "Clusterings"}


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the extension."""
    app.connect("config-inited", lambda app, config: write(Path(app.srcdir) / "_generated"))
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def write(folder: Path) -> None:
    """Write all generated pages and the picture; a file that would not change is left alone."""
    pages = {
        **{f"readings-{paper}.md": text for paper, text in choices().items()},
        "datasets.md": datasets(_load("datasets"), _used()),
        "measures.md": registered(_answered("measures")),
        "algorithms.md": registered(_answered("algorithms")),
        "api/library.md": "# Functions and modules\n\n" + modules("couplings"),
        "classes.md": class_index(),
        **{f"api/{name}.md": class_page(name, module) for name, module in classes().items()},
        "api/protocols.md": "# Modules of the workflow\n\n" + modules("replication"),
        "../flow.svg": flow(arrows(Plan.of_effort(ROOT, "full"))),
    }
    (folder / "api").mkdir(parents=True, exist_ok=True)
    for name, text in pages.items():
        path = folder / name
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def _load(name: str) -> dict[str, Any]:
    return yaml.safe_load((ROOT / "config" / f"{name}.yaml").read_text(encoding="utf-8"))


def _stated(entries: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Readings with the figures of their evidence, from the record."""
    view = View.of_record(ROOT)
    return {
        name: {**entry, "evidence": rendered(entry["evidence"], view, name)}
        for name, entry in entries.items()
    }


def _answered(name: str) -> dict[str, Any]:
    """A registry with the reconciled answers in the place of its references to readings."""
    return resolved(_load(name), _load("readings"), f"config/{name}.yaml")


def _steered() -> dict[str, list[str]]:
    """Places of the configuration that follow a reading, by its id."""
    found: dict[str, list[str]] = {}
    for path in sorted((ROOT / "config").glob("*.yaml")) + sorted(
        (ROOT / "config" / "papers").glob("*.yaml")
    ):
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
        for place, name in references(content):
            found.setdefault(name, []).append(f"{path.stem}: {place}")
    return found


def _used() -> dict[str, list[str]]:
    """Papers and their names for a data set, by its id in the registry."""
    found: dict[str, list[str]] = {}
    for path in sorted((ROOT / "config" / "papers").glob("*.yaml")):
        paper = yaml.safe_load(path.read_text(encoding="utf-8"))
        for entry in paper.get("datasets", {}).values():
            if "source" in entry:
                found.setdefault(entry["source"], []).append(f"{path.stem}: {entry['printed']}")
    return found


# --- pages --------------------------------------------------------------------------------------


def readings(
    entries: Mapping[str, Mapping[str, Any]], steered: Mapping[str, list[str]] | None = None
) -> str:
    """Every choice that a paper leaves open, by paper: choices, what is taken, evidence.

    With `steered`, the places that follow each choice, also what it steers.
    """
    titles = OTHERS | {
        path.stem: yaml.safe_load(path.read_text(encoding="utf-8")).get("name", path.stem)
        for path in (ROOT / "config" / "papers").glob("*.yaml")
    }
    parts: dict[str, list[str]] = {}
    for name, entry in entries.items():
        prefix = name.partition(".")[0]
        steers = "" if steered is None else _steers(entry, steered.get(name, []))
        parts.setdefault(titles.get(prefix, prefix), []).append(_reading(name, entry, steers))
    counts = Counter(entry["decided_by"] for entry in entries.values())
    shares = "; ".join(f"{DECIDED_BY[key]}: {counts[key]}" for key in DECIDED_BY if counts[key])
    first = f"What decided the {len(entries)} choices: {shares}.\n\n"
    return first + "\n".join(f"## {title}\n\n" + "\n".join(texts) for title, texts in parts.items())


def choices() -> dict[str, str]:
    """Choices of each paper, with the numbers that they bring; shared ones stand with DILCA."""
    entries, steered = _stated(_load("readings")), _steered()
    measured = read_rows(ROOT / "data/record/readings.csv")
    papers: dict[str, dict[str, Any]] = {}
    for name, entry in entries.items():
        prefix = name.partition(".")[0]
        papers.setdefault("dilca" if prefix in OTHERS else prefix, {})[name] = entry
    return {
        paper: f"{gains(own, measured)}\n{readings(own, steered)}" for paper, own in papers.items()
    }


def gains(entries: Mapping[str, Mapping[str, Any]], measured: Iterable[Mapping[str, str]]) -> str:
    """Table of the readings whose answers differ: exact numbers gained, in bits, and the choice."""
    found = pd.DataFrame(measured)
    counts = ["reconciled", "literal", "pairs", "equal"]
    found[counts] = found[counts].astype(int)
    found["gained"] = found["reconciled"] - found["literal"]
    found["bits"] = found["gained"] * np.log2((found["pairs"] + 1) / (found["equal"] + 1))
    lines = []
    for name, entry in entries.items():
        if entry["reconciled"] == entry["literal"]:
            continue
        cost = math.log2(len(entry["choices"]))
        rows = found[found["reading"] == name]
        whole = rows["artefact"] == WHOLE
        if rows.empty:
            why = "a record, no step follows it" if entry.get("steers") == RECORD else ""
            cells = ["", "", "", "", why or "not measured"]
        else:
            total, bits = rows[whole].sum(), rows.loc[~whole, "bits"].sum()
            pays = "pays" if bits > cost else "**does not pay**"
            exact = [str(total["reconciled"]), str(total["literal"]), f"{total['gained']:+d}"]
            cells = [*exact, f"{bits:.1f}", pays]
        lines.append(f"| `{name}` | {len(entry['choices'])} | {cost:.1f} | {' | '.join(cells)} |")
    same = [f"`{name}`" for name, one in entries.items() if one["reconciled"] == one["literal"]]
    head = (
        "| reading | answers | bits of the choice | exact, reconciled | exact, literal | gained | "
        "bits gained | |\n|---|---|---|---|---|---|---|---|"
    )
    return "\n".join(
        [
            *(head, *lines, ""),
            f"For the other {len(same)} readings the reconciled answer is the literal one, so they "
            f"gain nothing against the text: {', '.join(same)}.",
            "",
        ]
    )


def _steers(entry: Mapping[str, Any], places: Iterable[str]) -> str:
    """What follows a choice, in one line."""
    if entry.get("steers") == RECORD:
        return "Nothing: a record of what was tried."
    words = [f"`{place}`" for place in places]
    if "steers" in entry:
        words.append("tables that ask for it")
    return f"{', '.join(words)}."


def _reading(name: str, entry: Mapping[str, Any], steers: str) -> str:
    lines = [f"### `{name}`", "", _plain(entry["question"]), ""]
    for choice, meaning in entry["choices"].items():
        roles = [role for role in ("reconciled", "literal") if entry[role] == choice]
        taken = f" **({', '.join(roles)})**" if roles else ""
        lines.append(f"- `{choice}`: {_plain(meaning)}{taken}")
    lines += ["", f"*Evidence.* {_plain(entry['evidence'])}", ""]
    lines += [f"*Decided by.* {DECIDED_BY[entry['decided_by']]}.", ""]
    return "\n".join([*lines, *([f"*Steers.* {steers}", ""] if steers else [])])


def datasets(entries: Mapping[str, Mapping[str, Any]], used: Mapping[str, list[str]]) -> str:
    """Table of the data sets: size, what they are, licence, where the papers use them."""
    rows = []
    for name, entry in entries.items():
        columns = len(table_columns(entry))
        length = sum(file["rows"] for file in entry["files"])
        title = _plain(entry["title"])
        linked = f"[{title}]({entry['homepage']})" if "homepage" in entry else title
        papers = "<br>".join(map(_plain, used.get(name, []))) or "–"
        rows.append(
            f"| `{name}` | {linked} | {length} × {columns} | "
            f"{_plain(entry['description'])} | {_plain(entry['licence'])} | {papers} |"
        )
    head = (
        "| id | name | rows × columns | what it is | licence | used as |\n|---|---|---|---|---|---|"
    )
    return "\n".join([f"{len(rows)} data sets.", "", head, *rows, ""])


def registered(entries: Mapping[str, Mapping[str, Any]]) -> str:
    """Table of registered measures or algorithms."""
    rows = []
    for name, entry in entries.items():
        module, _, label = entry["class"].partition(":")
        module = "couplings" if classes().get(label) == module else module
        given = ", ".join(f"{key}={value!r}" for key, value in entry.get("parameters", {}).items())
        rows.append(
            f"| `{name}` | {_plain(entry['label'])} | {{py:class}}`~{module}.{label}` | "
            f"{f'`{given}`' if given else ''} | {_plain(entry.get('equation', ''))} |"
        )
    head = "| id | name | class | parameters | definition |\n|---|---|---|---|---|"
    return "\n".join([head, *rows, ""])


def _plain(text: str) -> str:
    """Text in which Markdown finds no markup."""
    return re.sub(r"([\\`*_{}\[\]<>|~$])", r"\\\1", " ".join(str(text).split()))


def modules(package: str) -> str:
    """API reference of the public modules of a package and of its subpackages.

    Of `replication` not the papers and the report: those belong to one paper or one page.
    """
    source = ROOT / "src"
    groups: dict[str, list[str]] = {}
    for path in sorted((source / package).glob("**/*.py")):
        parts = path.relative_to(source).with_suffix("").parts
        if not any(part.startswith("_") or part in ("papers", "report") for part in parts):
            groups.setdefault(".".join(parts[:-1]), []).append(".".join(parts))
    text = ""
    for group, names in groups.items():
        text += f"## {group}\n\n"
        for name in names:
            own = [label for label, module in classes().items() if module == name]
            # Public classes have pages of their own.
            left_out = f"   :exclude-members: {', '.join(own)}\n" if own else ""
            # config/README.md lists its fields
            left_out = "   :no-members:\n" if name == "replication.plan.model" else left_out
            text += f"### {name}\n\n```{{eval-rst}}\n.. automodule:: {name}\n{left_out}```\n\n"
            text += "".join(f"- {{py:class}}`~couplings.{label}`\n" for label in own) + "\n"
    return text


@cache
def classes() -> dict[str, str]:
    """Modules of the public classes of the library, by name."""
    names = [name for name in couplings.__all__ if name[0].isupper()]
    return {name: getattr(couplings, name).__module__ for name in names}


def class_page(name: str, module: str) -> str:
    """Page of one class, with what it inherits."""
    return (
        f"# {name}\n\n```{{eval-rst}}\n.. autoclass:: couplings.{name}\n   :members:\n"
        f"   :inherited-members:\n   :show-inheritance:\n```\n\n"
        f"Defined in `{module}`.\n"
    )


def class_index() -> str:
    """Table of contents of the pages of the classes, by the room they live in."""
    rooms: dict[str, list[str]] = {}
    for name, module in sorted(classes().items()):
        parts = module.split(".")
        rooms.setdefault(ROOMS.get(parts[1], "Tables and spaces"), []).append(name)
    text = ""
    for room in (*ROOMS.values(), "Tables and spaces"):
        pages = "\n".join(f"{name} <_generated/api/{name}>" for name in rooms[room])
        text += f"## {room}\n\n```{{toctree}}\n:maxdepth: 1\n\n{pages}\n```\n\n"
    return text


# --- the picture --------------------------------------------------------------------------------

BOXES = {
    # rule: column, row, what it makes
    "download": (0, 0, "the data set, by the first route"),
    "discretize": (0, 1, "rows, columns, integer codes"),
    "similarity": (1, 1, "value matrices of the measures"),
    "trials": (2, 2, "repeated clusterings and scores"),
    "experiment": (1, 2, "what is special to a paper"),
    "timing": (0, 2, "seconds and memory, measured alone"),
    "tests": (1, 3, "methods compared over data sets"),
    "table": (0, 3, "printed and reproduced values"),
    "figure": (0, 4, "drawn from the table"),
    "claims": (1, 4, "the statements of a paper, tested"),
    "ledger": (2, 4, "one verdict per printed number"),
}
WIDTH, HEIGHT, ACROSS, DOWN, EDGE = 216, 46, 262, 78, 14


def arrows(catalog: Plan) -> list[tuple[str, str]]:
    """Which rule reads the files of which other one, without what follows from other arrows.

    The ledger ends the picture, though a table of cross-checks reads it again.

    Raises
    ------
    ValueError
        If a box is no rule of the workflow.
    """
    if odd := sorted(set(BOXES) - set(STEPS)):
        raise ValueError(f"docs/_extensions/registries.py draws rules that are gone: {odd}")
    ids = {"paper": "{paper}", "dataset": "{dataset}", "batch": "{batch}", "artefact": "{artefact}"}
    patterns = {
        re.sub(r"\\{\w+\\}", r"[^/]+", re.escape(catalog.file(file, **ids))): rule
        for file, rule in MADE_BY.items()
        if rule in BOXES
    }
    found = {
        (writer, rule)
        for rule, wildcards in _jobs(catalog)
        for files in catalog.inputs(rule, **wildcards).values()
        for path in files
        for pattern, writer in patterns.items()
        if writer != "ledger" and re.fullmatch(pattern, path)
    }
    after = {rule: {b for a, b in found if a == rule} for rule in BOXES}

    def reached(rule: str) -> set[str]:
        return after[rule].union(*(reached(other) for other in after[rule]))

    return sorted(
        (a, b) for a, b in found if not any(b in reached(other) for other in after[a] - {b})
    )


def _jobs(catalog: Plan) -> Iterator[tuple[str, dict[str, str]]]:
    """The jobs of the papers that are run."""
    for paper in catalog.config["papers"]:
        for dataset in [*catalog.computed(paper), NO_DATASET]:
            ids = {"paper": paper, "dataset": dataset}
            for rule in ("experiment", "timing"):
                if experiments(catalog, paper, dataset, rule):
                    yield rule, ids
            batches = (
                batch_of(catalog, paper, name)
                for name in (
                    *methods(catalog, paper, dataset),
                    *experiments(catalog, paper, dataset, "trials"),
                )
            )
            for batch in dict.fromkeys(batches):
                yield "trials", {**ids, "batch": batch}
            if dataset != NO_DATASET:
                yield "discretize", ids
                yield "similarity", ids
        for rule in ("table", "figure"):
            for artefact in catalog.artefacts(paper, rule):
                yield rule, {"paper": paper, "artefact": artefact}
        yield "claims", {"paper": paper}
        yield "tests", {"paper": paper}
    yield "ledger", {}


def flow(drawn: Iterable[tuple[str, str]]) -> str:
    """Picture of the flow as SVG, with these arrows from rule to rule."""
    width = 2 * EDGE + 2 * ACROSS + WIDTH
    height = 2 * EDGE + 4 * DOWN + HEIGHT
    lines = "\n".join(_arrow(BOXES[a][:2], BOXES[b][:2]) for a, b in drawn)
    boxes = "\n".join(_box(name, *place) for name, place in BOXES.items())
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"
 width="{width}" height="{height}" font-family="sans-serif" role="img">
<title>The flow of the workflow, one box per rule</title>
<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7"
 orient="auto"><path d="M0 0L8 4L0 8z" fill="#444"/></marker></defs>
<rect width="{width}" height="{height}" rx="8" fill="#fff"/>
<g stroke="#444" stroke-width="1.3" fill="none" marker-end="url(#tip)">
{lines}
</g>
{boxes}
</svg>
"""


def _corner(column: int, row: int) -> tuple[int, int]:
    return EDGE + column * ACROSS, EDGE + row * DOWN


def _box(name: str, column: int, row: int, made: str) -> str:
    x, y = _corner(column, row)
    middle = x + WIDTH // 2
    return (
        f'<rect x="{x}" y="{y}" width="{WIDTH}" height="{HEIGHT}" rx="6" fill="#EAF2F8" '
        f'stroke="#0072B2" stroke-width="1.3"/>\n'
        f'<text x="{middle}" y="{y + 19}" text-anchor="middle" font-size="14" font-weight="bold" '
        f'fill="#111">{name}</text>\n'
        f'<text x="{middle}" y="{y + 36}" text-anchor="middle" font-size="11.5" fill="#333">'
        f"{made}</text>"
    )


def _arrow(start: tuple[int, int], end: tuple[int, int]) -> str:
    """Straight line between the sides of two boxes that face each other."""
    (x1, y1), (x2, y2) = _corner(*start), _corner(*end)
    if start[1] == end[1]:
        side = WIDTH if end[0] > start[0] else 0
        return _line(x1 + side, y1 + HEIGHT // 2, x2 + WIDTH - side, y2 + HEIGHT // 2)
    shift = (end[0] - start[0]) * WIDTH // 4
    return _line(x1 + WIDTH // 2 + shift, y1 + HEIGHT, x2 + WIDTH // 2 - shift, y2)


def _line(x1: int, y1: int, x2: int, y2: int) -> str:
    return f'<path d="M{x1} {y1}L{x2} {y2}"/>'
