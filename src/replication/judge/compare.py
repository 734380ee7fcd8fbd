"""Step `diff`: what differs between two runs, or between the record and a run, and of what kind.

A run is a folder such as ``results/full``. A record, such as ``data/record/full``, holds its
verdicts, claims and tests, and a digest of every table and every group of label vectors. Measured
times and memory may differ from run to run; nothing else may.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import io
import subprocess
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from replication.errors import UserError
from replication.files import read_rows, rows_text, write_rows
from replication.plan.layout import FILES
from replication.plan.plan import Plan
from replication.run.labels import COLUMNS, each_labels
from replication.run.records import record_rows

TIME, ROUNDING, NOISE, NUMBER, WORD, FILE = "time", "rounding", "noise", "number", "word", "file"
KINDS = {
    TIME: "measured on this machine",
    ROUNDING: "differs by less than a billionth",
    NOISE: "within the deviation or range of the first",
    NUMBER: "another number",
    WORD: "another verdict or text",
    FILE: "missing, new, or with other rows",
}
NOISY = {
    "reproduced": (("sd",), ("spread_min", "spread_max")),
    "mean": (("sd",), ("low", "high")),
    "fscore": (("sd", "standard_error"), ()),
}
"""Columns of repeated results, with those of their deviation and of their range."""
VERDICTS, CLAIMS, TESTS, DIGESTS = PARTS = ("verdicts", "claims", "tests", "digests")
"""Files of a record."""
DIGEST_COLUMNS = ("of", "paper", "name", "rows", "sha256")
_LEDGER = {VERDICTS: "ledger", CLAIMS: "ledger_claims"}
_MEASURED_OF_A_CLAIM = ("verdict", "ours", "evidence", "value")
_KEYS = ("id", "reading")
_ROUNDING = 1e-9
_SHOWN = 8

Row = Mapping[str, str]
Rules = Sequence[Mapping[str, Any]]
"""Which cells are measured: ``columns``, and ``where``, if not in every row."""


@dataclass(frozen=True)
class Change:
    """One cell that differs: one of `KINDS`, its row and column, and both cells."""

    kind: str
    place: str
    one: str
    other: str

    @property
    def size(self) -> float:
        """Relative difference of two numbers; infinite for anything else."""
        one, other = _number(self.one), _number(self.other)
        if one is None or other is None:
            return float("inf")
        return abs(other - one) / max(abs(one), abs(other), 1e-300)

    def __str__(self) -> str:
        """One line: kind, place, both cells."""
        one, other = _number(self.one), _number(self.other)
        by = "" if one is None or other is None else f" ({other - one:+.3g})"
        return f"{self.kind}: {self.place}: {_short(self.one)} -> {_short(self.other)}{by}"


@dataclass(frozen=True)
class Run:
    """Rows of `PARTS`, and the folder of the tables; a record has none."""

    parts: Mapping[str, list[dict[str, str]]]
    figures: Path | None

    def of(self, part: str, paper: str) -> list[dict[str, str]]:
        """Rows of one paper."""
        return [row for row in self.parts[part] if row["paper"] == paper]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the step."""
    parser.add_argument("one", type=Path, help="folder of a run or record")
    parser.add_argument("other", type=Path, help="folder of a run or record to compare with it")
    parser.add_argument("--record", action="store_true", help="write OTHER into ONE, as a record")


def run(args: argparse.Namespace) -> int:
    """Run the step: 0 if nothing but measured times differs, 1 if anything else does."""
    # the runs have checked the configuration
    catalog = Plan.of_effort(Path(), "full", check=False)
    if args.record:
        write_record(args.one, read(args.other, catalog), catalog)
        return 0
    one, other = read(args.one, catalog), read(args.other, catalog)
    total: Counter[str] = Counter()
    for name, found in compare(one, other, catalog):
        total.update(change.kind for change in found)
        for line in lines(found):
            print(f"{name}: {line}")
    for line in summary(one, other):
        print(line)
    if set(total) <= {TIME}:
        print(f"{args.other} is as {args.one}{', times apart' if total else ''}")
        return 0
    counted = ", ".join(f"{n} {kind} ({KINDS[kind]})" for kind, n in sorted(total.items()))
    print(f"{args.other} differs from {args.one}: {counted}")
    return 1


# --- what is compared -----------------------------------------------------------------------------


def read(folder: Path, catalog: Plan) -> Run:
    """Read a run or a record.

    Raises
    ------
    UserError
        If the folder holds neither.
    """
    if (folder / f"{DIGESTS}.csv").is_file():
        return Run({part: read_rows(folder / f"{part}.csv") for part in PARTS}, None)
    roots = {"results": folder, "figures": folder / "figures"}
    if not roots["figures"].is_dir():
        roots["figures"] = folder.parent.parent / catalog.config["roots"]["figures"]
    if not Path(FILES["ledger"].format(**roots)).is_file():
        raise UserError(f"{folder}: holds no ledger; make reproduce makes one, or name another run")
    parts = {part: _rows(FILES[name].format(**roots)) for part, name in _LEDGER.items()}
    parts |= {TESTS: [], DIGESTS: []}
    for paper in catalog.papers:
        parts[TESTS] += _rows(FILES["tests"].format(**roots, paper=paper))
        for artefact in catalog.artefacts(paper):
            ids = {**roots, "paper": paper, "artefact": artefact}
            # committed tables alone are no run
            if all(Path(FILES[name].format(**ids)).is_file() for name in ("verdicts", "table")):
                parts[DIGESTS].append(_of_table(catalog, ids))
    parts[DIGESTS] += _of_labels(folder / "labels")
    return Run(parts, roots["figures"])


def _rows(file: str) -> list[dict[str, str]]:
    """Rows of a CSV or Parquet file as texts; none if it is not there."""
    path = Path(file)
    if not path.is_file():
        return []
    if path.suffix == ".csv":
        return read_rows(path)
    texts = {None: "", True: "yes", False: "no"}
    return [
        {
            name: texts[cell] if cell is None or isinstance(cell, bool) else str(cell)
            for name, cell in row.items()
        }
        for row in record_rows(path)
    ]


def _of_table(catalog: Plan, ids: Mapping[str, Any]) -> dict[str, str]:
    """Digest of a table without its measured cells."""
    paper, artefact = ids["paper"], ids["artefact"]
    rules = catalog.papers[paper].get("measured", {}).get("tables", {}).get(artefact, [])
    rows = [stable(row, rules) for row in read_rows(Path(FILES["table"].format(**ids)))]
    text = rows_text(list(rows[0]) if rows else (), rows)
    digest = hashlib.sha256(text.encode()).hexdigest()
    return _digest("table", paper, artefact, len(rows), digest)


def _of_labels(folder: Path) -> list[dict[str, str]]:
    """Digests of label vectors by paper, job and data set, however they are cut into files."""
    groups: dict[tuple[str, str], set[bytes]] = {}
    for path in sorted(folder.rglob("*.parquet")):
        for key, labels in each_labels(path):
            of = dict(zip(COLUMNS, key, strict=False))
            name = str(of["paper"]), f"{of['job']} {of['dataset']}".strip()
            text = repr(key).encode() + labels.astype("<i4").tobytes()
            groups.setdefault(name, set()).add(hashlib.sha256(text).digest())
    return [
        _digest("labels", *name, len(rows), hashlib.sha256(b"".join(sorted(rows))).hexdigest())
        for name, rows in sorted(groups.items())
    ]


def _digest(*cells: object) -> dict[str, str]:
    return dict(zip(DIGEST_COLUMNS, map(str, cells), strict=True))


def write_record(folder: Path, run: Run, catalog: Plan) -> None:
    """Write a run as a record, without its measured cells."""
    for part in PARTS:
        rows = [stable(row, measured_cells(catalog, row["paper"], part)) for row in run.parts[part]]
        columns = list(dict.fromkeys(name for row in rows for name in row))
        path = folder / f"{part}.csv"
        write_rows(path, columns, [{name: row.get(name, "") for name in columns} for row in rows])
        print(f"{path}: {len(rows)} rows")


def measured_cells(catalog: Plan, paper: str, part: str) -> Rules:
    """Cells of a part of a record that are measured, as `config/papers` declares them."""
    measured = catalog.papers[paper].get("measured", {})
    if part == CLAIMS:
        return [{"columns": _MEASURED_OF_A_CLAIM, "where": {"id": measured.get("claims", [])}}]
    if part != VERDICTS:
        return []
    return [
        {**rule, "where": {**rule.get("where", {}), "artefact": [artefact]}}
        for artefact, rules in measured.get("tables", {}).items()
        for rule in rules
    ]


def stable(row: Row, rules: Rules) -> dict[str, str]:
    """Row without its measured cells."""
    left_out = _measured(row, rules)
    return {name: "" if name in left_out else cell for name, cell in row.items()}


def _measured(row: Row, rules: Rules) -> set[str]:
    return {
        column
        for rule in rules
        if all(row.get(name) in values for name, values in rule.get("where", {}).items())
        for column in rule["columns"]
    }


# --- the comparison -------------------------------------------------------------------------------


def compare(one: Run, other: Run, catalog: Plan) -> Iterator[tuple[str, list[Change]]]:
    """Compare the papers that both runs have.

    Yields
    ------
    str, list of Change
        Names of a part, and the cells in which it differs.
    """
    papers = [{row["paper"] for row in run.parts[DIGESTS]} for run in (one, other)]
    for paper in (name for name in catalog.papers if all(name in known for known in papers)):
        for part in (VERDICTS, CLAIMS, TESTS):
            rules = measured_cells(catalog, paper, part)
            yield f"{part} of {paper}", changes(one.of(part, paper), other.of(part, paper), rules)
        digests = [
            {(row["of"], row["name"]): row for row in run.of(DIGESTS, paper)}
            for run in (one, other)
        ]
        for key in sorted(digests[0].keys() | digests[1]):
            rows = [known.get(key) for known in digests]
            if rows[0] == rows[1]:
                continue
            of, name = key
            if None in rows:
                there = ["missing" if row is None else "there" for row in rows]
                found = [Change(FILE, "digest", *there)]
            elif of == "labels":
                found = [Change(NUMBER, "label vectors", *(f"{row['rows']} rows" for row in rows))]
            else:
                found = _cells(one, other, paper, name, catalog)
            yield f"{of} {name} of {paper}", found


def _cells(one: Run, other: Run, paper: str, artefact: str, catalog: Plan) -> list[Change]:
    """Cells in which a table differs; the file, if they do not tell."""
    tables = [
        _table(run.figures or beside.figures, paper, artefact, recorded=run.figures is None)
        for run, beside in ((one, other), (other, one))
    ]
    rules = catalog.papers[paper].get("measured", {}).get("tables", {}).get(artefact, [])
    found = (
        [change for change in changes(*tables, rules) if change.kind != TIME] if all(tables) else []
    )
    return found or [Change(FILE, "content", "one", "another")]


def _table(figures: Path | None, paper: str, artefact: str, *, recorded: bool) -> list[Row]:
    """Rows of a table of a run, or those that git has of it, as far as it has any."""
    if figures is None:
        return []
    path = Path(FILES["table"].format(figures=figures, paper=paper, artefact=artefact))
    if not recorded:
        return list(read_rows(path))
    words = ["git", "show", f"HEAD:./{path}"]
    # a name of this project, and no shell
    shown = subprocess.run(words, capture_output=True, text=True, check=False)  # noqa: S603
    return list(csv.DictReader(io.StringIO(shown.stdout, newline="")))


def changes(one: Sequence[Row], other: Sequence[Row], rules: Rules) -> list[Change]:
    """Cells in which two tables differ.

    Rows are matched by `id` and `reading` where they have them, else by position.

    Parameters
    ----------
    one, other : sequence of mapping
        Rows of the two tables.
    rules : sequence of mapping
        Which cells are measured.
    """
    first, second = _keyed(one), _keyed(other)
    found = []
    for key in first | second:
        if key not in second:
            found.append(Change(FILE, _named(first[key]), "a row", "no such row"))
        elif key not in first:
            found.append(Change(FILE, _named(second[key]), "no such row", "a row"))
    for key, row in first.items():
        if key in second:
            found += _row_changes(row, second[key], _measured(row, rules))
    return found


def _row_changes(one: Row, other: Row, measured: set[str]) -> list[Change]:
    names = [name for name in dict.fromkeys([*one, *other]) if not _same(one, other, name)]
    # what is computed from a result moves with it
    noisy = [_noise(one, other, name) for name in names if name in NOISY]
    follows = NOISE if noisy and all(noisy) else NUMBER
    found = []
    for name in names:
        cells = one.get(name, ""), other.get(name, "")
        first, second = map(_number, cells)
        if name in measured:
            if not all(cells):
                continue  # a record has no measured cells
            kind = TIME
        elif first is None or second is None:
            kind = WORD
        elif abs(first - second) <= _ROUNDING * max(1.0, abs(first)):
            kind = ROUNDING
        else:
            kind = follows
        found.append(Change(kind, f"{_named(one)}: {name}", *cells))
    return found


def _same(one: Row, other: Row, name: str) -> bool:
    first, second = one.get(name, ""), other.get(name, "")
    return first == second or (_number(first) is not None and _number(first) == _number(second))


def _noise(one: Row, other: Row, name: str) -> bool:
    """Whether a result moved by no more than its deviation, or stayed in its range."""
    first, second = _number(one.get(name, "")), _number(other.get(name, ""))
    if first is None or second is None:
        return False
    deviations, ends = NOISY[name]
    if any(abs(second - first) <= (_number(one.get(key, "")) or 0.0) for key in deviations):
        return True
    low, high = (_number(one.get(key, "")) for key in ends) if ends else (None, None)
    return low is not None and high is not None and low <= second <= high


def _keyed(rows: Sequence[Row]) -> dict[tuple, Row]:
    keys = [tuple(row[name] for name in _KEYS if name in row) for row in rows]
    if rows and "id" in rows[0] and len(set(keys)) == len(keys):
        return dict(zip(keys, rows, strict=True))
    return {(i,): row for i, row in enumerate(rows)}


def _named(row: Row) -> str:
    """Words that tell a row apart: its id, or its first cells that are no results."""
    if "id" in row:
        return " ".join(row[name] for name in _KEYS if row.get(name))
    words = [cell for cell in row.values() if cell and ("." not in cell or _number(cell) is None)]
    return ", ".join(_short(word) for word in words[:3]) or "row"


# --- what is said about it ------------------------------------------------------------------------


def lines(found: Iterable[Change]) -> Iterator[str]:
    """Changes, kind by kind: verdicts first, then the largest; of many the first ones."""
    for kind in KINDS:
        of_kind = [change for change in found if change.kind == kind]
        of_kind.sort(key=lambda change: (not change.place.endswith("verdict"), -change.size))
        yield from map(str, of_kind[:_SHOWN])
        if len(of_kind) > _SHOWN:
            yield f"{kind}: {len(of_kind) - _SHOWN} more"


def summary(one: Run, other: Run) -> Iterator[str]:
    """How many numbers moved, towards print or away from it, and which verdicts changed."""
    for part, said in ((VERDICTS, "numbers"), (CLAIMS, "claims")):
        after = _keyed(other.parts[part])
        pairs = [(row, after[key]) for key, row in _keyed(one.parts[part]).items() if key in after]
        verdicts = Counter(
            f"{old['verdict']} -> {new['verdict']}"
            for old, new in pairs
            if old["verdict"] and old["verdict"] != new["verdict"]
        )
        steps = [
            abs(first) - abs(second)
            for old, new in pairs
            for first, second in [(_number(x.get("difference", "")) for x in (old, new))]
            if first is not None and second is not None and first != second
        ]
        if steps:
            nearer = sum(step > 0 for step in steps)
            farther = sum(step < 0 for step in steps)
            yield f"{len(steps)} {said} moved: {nearer} nearer to print, {farther} farther"
        if verdicts:
            counted = ", ".join(f"{n} {change}" for change, n in verdicts.most_common())
            yield f"verdicts on {said} that changed: {counted}"


def _number(cell: str) -> float | None:
    try:
        return float(cell)
    except ValueError:
        return None


def _short(cell: str) -> str:
    return cell if len(cell) <= 60 else f"{cell[:57]}..."
