"""Step `verify`: what of a run differs from the committed record, by how much, and why it may.

The record of an effort is a receipt per paper (digests, see `replication.judge.receipt`) and the
files themselves, compressed, so that a file whose digest differs can be compared cell by cell.
Measured times and memory may differ from run to run; nothing else may.
"""

from __future__ import annotations

import argparse
import csv
import io
import statistics
import zipfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from replication.errors import UserError
from replication.files import read_rows, whole, write_rows
from replication.judge.receipt import COLUMNS, digest, measured_in, receipt
from replication.plan.catalog import Catalog
from replication.plan.recording import LABELS, receipt_records

TIME, ROUNDING, NOISE, NUMBER, WORD, FILE = "time", "rounding", "noise", "number", "word", "file"
KINDS = {
    TIME: "measured on this machine",
    ROUNDING: "differs by less than a billionth",
    NOISE: "within the recorded deviation or range",
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
_ROUNDING = 1e-9
_SHOWN = 8
_KEYS = ("id", "reading")

Row = dict[str, str]


@dataclass(frozen=True)
class Change:
    """One cell that is not as recorded.

    Attributes
    ----------
    kind : str
        One of `KINDS`.
    place : str
        Row and column.
    recorded, now : str
        The cells.
    """

    kind: str
    place: str
    recorded: str
    now: str

    @property
    def size(self) -> float:
        """Relative difference of two numbers; infinite for anything else."""
        one, other = _number(self.recorded), _number(self.now)
        if one is None or other is None:
            return float("inf")
        return abs(other - one) / max(abs(one), abs(other))

    def __str__(self) -> str:
        """One line: kind, place, both cells."""
        one, other = _number(self.recorded), _number(self.now)
        by = "" if one is None or other is None else f" ({other - one:+.3g})"
        return f"{self.kind}: {self.place}: {_short(self.recorded)} -> {_short(self.now)}{by}"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the step."""
    parser.add_argument("--effort", default="full", help="effort of the run (default: full)")
    parser.add_argument("--paper", nargs="+", help="papers; all that were recorded by default")
    parser.add_argument(
        "--receipt", type=Path, nargs=2, metavar=("A", "B"), help="compare two receipts (CSV) alone"
    )
    parser.add_argument("--record", action="store_true", help="make this run the record")


def run(args: argparse.Namespace) -> int:
    """Run the step: 0 if nothing but measured times moved, 1 if anything else did."""
    if args.receipt:
        return compare_receipts(*args.receipt)
    catalog = Catalog.of_effort(Path(), args.effort)
    papers = args.paper or [
        paper
        for paper in catalog.papers
        if paper in catalog.config["papers"] or _recorded(catalog, paper).is_file()
    ]
    for paper in papers:
        if paper not in catalog.papers:
            raise UserError(f"unknown paper {paper!r}; known: {', '.join(catalog.papers)}")
    ran = [paper for paper in papers if _ran(catalog, paper)]
    if not ran:
        raise UserError(
            f"there are no results of effort {args.effort} yet; "
            f"make reproduce{_effort(args.effort)} makes them"
        )
    if args.record:
        for paper in ran:
            record(catalog, paper)
        return 0
    total: Counter[str] = Counter()
    for paper in papers:
        if paper in ran:
            total += verify(catalog, paper)
        else:
            print(f"{paper}: not part of this run")
    moved = {kind: n for kind, n in total.items() if kind != TIME}
    counted = ", ".join(f"{n} {kind}" for kind, n in sorted(total.items()))
    if moved:
        print(f"the run differs from the record: {counted} ({_legend(total)})")
    else:
        print(f"the run is as recorded{', times apart' if total else ''}")
    return 1 if moved else 0


def compare_receipts(one: Path, other: Path) -> int:
    """Compare two receipts, print what differs; 0 if nothing does, else 1."""
    first, second = (
        {row["file"]: row for row in read_rows(path, COLUMNS)} for path in (one, other)
    )
    moved = sorted(name for name in first.keys() | second if first.get(name) != second.get(name))
    for name in moved:
        only = one if name not in second else other
        print(f"{name}: {'differs' if name in first and name in second else f'only in {only}'}")
    print(f"{len(moved)} of {len(first.keys() | second)} files differ")
    return 1 if moved else 0


def record(catalog: Catalog, paper: str) -> None:
    """Write receipt and files of a paper into the record."""
    records = receipt_records(catalog, paper)
    ids = {"effort": catalog.config["effort"], "paper": paper}
    target = catalog.root / catalog.file("recorded", **ids)
    write_rows(target, COLUMNS, receipt(_at(catalog, records)))
    packed = catalog.root / catalog.file("recorded_files", **ids)
    with whole(packed) as partial, zipfile.ZipFile(partial, "w") as archive:
        for one in records:
            if one["name"].endswith(LABELS):
                continue  # their digest will do
            # a fixed date: the same content makes the same archive
            entry = zipfile.ZipInfo(one["name"])
            entry.compress_type = zipfile.ZIP_LZMA
            archive.writestr(entry, (catalog.root / one["file"]).read_bytes())
    print(f"{target}: {len(records)} files")


def verify(catalog: Catalog, paper: str) -> Counter[str]:
    """Compare one paper with its record and print what differs.

    Returns
    -------
    Counter
        Number of changes by kind.

    Raises
    ------
    UserError
        If there is no record, or it is damaged.
    """
    place = _recorded(catalog, paper)
    if not place.is_file():
        raise UserError(f"{place}: there is no record of {paper}; verify --record writes one")
    then = {row["file"]: row for row in read_rows(place, COLUMNS)}
    records = {one["name"]: one for one in _at(catalog, receipt_records(catalog, paper))}
    total: Counter[str] = Counter()
    equal = 0
    with _files(catalog, paper) as archive:
        for name in sorted(then.keys() | records):
            changes = _file_changes(name, then.get(name), records.get(name), archive)
            total.update(change.kind for change in changes)
            equal += all(change.kind == TIME for change in changes)
            _print(name, changes)
    print(f"{paper}: {equal} of {len(then.keys() | records)} files as recorded")
    return total


def _file_changes(
    name: str,
    then: Mapping[str, str] | None,
    now: Mapping[str, Any] | None,
    archive: zipfile.ZipFile,
) -> list[Change]:
    """What differs in one file, measured cells included."""
    if then is None or now is None:
        said = ("not in this run", "") if now is None else ("", "not in the record")
        return [Change(FILE, "file", *said)]
    path = Path(now["file"])
    if not path.is_file():
        return [Change(FILE, "file", "recorded", "missing")]
    same = digest(path, now["measured"])["sha256"] == then["sha256"]
    if name.endswith(LABELS):
        return [] if same else [Change(NUMBER, "label vectors", "recorded", "others")]
    if (same and not now["measured"]) or name not in archive.namelist():
        return [] if same else [Change(FILE, "content", "recorded", "another")]
    text = archive.read(name).decode()
    recorded = list(csv.DictReader(io.StringIO(text, newline="")))
    found = changes(recorded, read_rows(path), now["measured"])
    if not same and all(change.kind == TIME for change in found):
        found.append(Change(FILE, "columns or order of rows", "recorded", "others"))
    return found


def changes(
    recorded: Sequence[Row], now: Sequence[Row], measured: Sequence[Mapping[str, Any]]
) -> list[Change]:
    """Cells in which two tables differ.

    Rows are matched by `id` and `reading` where they have them, else by position.

    Parameters
    ----------
    recorded, now : sequence of dict
        Rows of the two tables.
    measured : sequence of mapping
        Measured columns, see `replication.plan.recording.receipt_records`.

    Returns
    -------
    list of Change
    """
    first, second = _keyed(recorded), _keyed(now)
    found = [
        Change(FILE, _named(row), "a row", "no such row")
        for key, row in first.items()
        if key not in second
    ]
    found += [
        Change(FILE, _named(row), "no such row", "a row")
        for key, row in second.items()
        if key not in first
    ]
    for key, row in first.items():
        if key in second:
            found += _row_changes(row, second[key], measured_in(row, measured))
    return found


def _row_changes(then: Row, now: Row, measured: set[str]) -> list[Change]:
    moved = [name for name in then if then[name] != now.get(name, "")]
    # what is computed from a result moves with it
    noisy = [_noise(then, now, name) for name in moved if name in NOISY]
    follows = NOISE if noisy and all(noisy) else NUMBER
    found = []
    for name in moved:
        one, other = _number(then[name]), _number(now.get(name, ""))
        if name in measured:
            kind = TIME
        elif one is None or other is None:
            kind = WORD
        elif abs(one - other) <= _ROUNDING * max(1.0, abs(one)):
            kind = ROUNDING
        else:
            kind = follows
        found.append(Change(kind, f"{_named(then)}: {name}", then[name], now.get(name, "")))
    return found


def _noise(then: Row, now: Row, name: str) -> bool:
    """Whether a result moved by no more than its recorded deviation, or stayed in its range."""
    one, other = _number(then[name]), _number(now.get(name, ""))
    if one is None or other is None:
        return False
    deviations, ends = NOISY[name]
    if any(abs(other - one) <= (_number(then.get(key, "")) or 0.0) for key in deviations):
        return True
    low, high = (_number(then.get(key, "")) for key in ends) if ends else (None, None)
    return low is not None and high is not None and low <= other <= high


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


def _print(name: str, found: Sequence[Change]) -> None:
    times = [change for change in found if change.kind == TIME]
    ratios = [
        other / one
        for one, other in ((_number(c.recorded), _number(c.now)) for c in times)
        if one and other
    ]
    if ratios:
        print(
            f"{name}: time: {len(ratios)} measured, {statistics.median(ratios):.2f} times the "
            f"recorded (median; {min(ratios):.2f} to {max(ratios):.2f})"
        )
    for kind in KINDS:
        of_kind = [c for c in found if c.kind == kind and (kind != TIME or not _numeric(c))]
        of_kind.sort(key=lambda change: -change.size)
        for change in of_kind[:_SHOWN]:
            print(f"{name}: {change}")
        if len(of_kind) > _SHOWN:
            print(f"{name}: {kind}: {len(of_kind) - _SHOWN} more")


def _numeric(change: Change) -> bool:
    return _number(change.recorded) is not None and _number(change.now) is not None


def _number(cell: str) -> float | None:
    try:
        return float(cell)
    except ValueError:
        return None


def _short(cell: str) -> str:
    return cell if len(cell) <= 60 else f"{cell[:57]}..."


def _legend(kinds: Iterable[str]) -> str:
    return "; ".join(f"{kind}: {KINDS[kind]}" for kind in sorted(kinds))


def _effort(effort: str) -> str:
    return "" if effort == "full" else f" EFFORT={effort}"


def _recorded(catalog: Catalog, paper: str) -> Path:
    return catalog.root / catalog.file("recorded", effort=catalog.config["effort"], paper=paper)


def _files(catalog: Catalog, paper: str) -> zipfile.ZipFile:
    place = catalog.root / catalog.file(
        "recorded_files", effort=catalog.config["effort"], paper=paper
    )
    try:
        return zipfile.ZipFile(place)
    except (OSError, zipfile.BadZipFile) as error:
        raise UserError(f"{place}: cannot be read ({error}); check it out again") from error


def _at(catalog: Catalog, records: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [{**one, "file": str(catalog.root / one["file"])} for one in records]


def _ran(catalog: Catalog, paper: str) -> bool:
    """Whether a run left results of a paper; committed tables alone are none."""
    return any(
        (catalog.root / one["file"]).is_file()
        for one in receipt_records(catalog, paper)
        if one["name"].startswith("results/")
    )
