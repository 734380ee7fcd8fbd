"""Step `ledger`: every printed number of the papers that were run, with its verdict."""

from __future__ import annotations

import argparse
import csv
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from replication.claims import CLAIM_VERDICTS
from replication.claims import COLUMNS as CLAIM_COLUMNS
from replication.errors import UserError
from replication.papers import ABSENT_ARTEFACT, VERDICT_COLUMNS, not_run
from replication.published import load, numbers
from replication.steps import csv_line, read_json, specification, write_text
from replication.verdicts import MARKS, VERDICTS

SUMMARY_COLUMNS = ("paper", "artefact", "method", "reading", "verdict", "count")
UNAVAILABLE_COLUMNS = ("dataset", "reason", "remedy")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the step."""
    parser.add_argument("--spec", required=True, help="papers, artefacts, sources (JSON)")
    parser.add_argument("--verdicts", type=Path, nargs="*", default=[], help="from `table` (CSV)")
    parser.add_argument("--claims", type=Path, nargs="*", default=[], help="from `claims` (CSV)")
    parser.add_argument(
        "--sources", type=Path, nargs="*", default=[], help="from `download` (JSON)"
    )
    parser.add_argument(
        "--published", type=Path, default=Path("data/published"), help="folder of printed numbers"
    )
    for name in ("output", "summary", "unavailable", "all-claims"):
        parser.add_argument(f"--{name}", type=Path, required=True, help=f"output ({name}, CSV)")


def run(args: argparse.Namespace) -> int:
    """Run the step."""
    spec = specification(args.spec)
    rows = [row for path in args.verdicts for row in read_verdicts(path)]
    rows = complete(rows, [paper["id"] for paper in spec["papers"]], args.published)
    counted = summarise(rows)
    claims = [row for path in args.claims for row in read_claims(path)]
    missing = unavailable(args.sources)
    for path, columns, content in (
        (args.output, VERDICT_COLUMNS, rows),
        (args.summary, SUMMARY_COLUMNS, counted),
        (args.unavailable, UNAVAILABLE_COLUMNS, missing),
        (args.all_claims, CLAIM_COLUMNS, claims),
    ):
        lines = [csv_line(columns), *(csv_line(row[name] for name in columns) for row in content)]
        write_text(path, "\n".join(lines) + "\n")
    print(roll_up(rows))
    print(roll_up_claims(claims))
    return 0


def read_verdicts(path: Path) -> list[dict[str, Any]]:
    """Verdict rows that the step `table` wrote, every cell a text.

    Raises
    ------
    UserError
        If the columns are others.
    """
    with Path(path).open(encoding="utf-8", newline="") as stream:
        reader = csv.DictReader(stream)
        if tuple(reader.fieldnames or ()) != VERDICT_COLUMNS:
            raise UserError(f"{path}: not a file of verdicts; delete it and run again")
        return list(reader)


def read_claims(path: Path) -> list[dict[str, str]]:
    """Claims with verdicts that the step `claims` wrote.

    Raises
    ------
    UserError
        If the columns are others.
    """
    with Path(path).open(encoding="utf-8", newline="") as stream:
        reader = csv.DictReader(stream)
        if tuple(reader.fieldnames or ()) != CLAIM_COLUMNS:
            raise UserError(f"{path}: not a file of claims; delete it and run again")
        return list(reader)


def complete(
    rows: Iterable[Mapping[str, Any]], papers: Sequence[str], published: Path
) -> list[dict[str, Any]]:
    """Verdicts of all printed numbers of the papers, in the order of the published files.

    Parameters
    ----------
    rows : iterable of mapping
        Verdicts of the artefacts that were built.
    papers : sequence of str
        Ids of the papers.
    published : Path
        Folder of the printed numbers.

    Returns
    -------
    list of dict
        The rows, and one "not run" for every printed number without any; the readings of a number
        in their given order.

    Raises
    ------
    UserError
        If a number has two verdicts under one reading, or a verdict has no printed number.
    """
    known: dict[str, list[dict[str, Any]]] = {}
    seen = set()
    for row in rows:
        key = (row["id"], row["reading"])
        if key in seen:
            raise UserError(f"two verdicts for {row['id']} under the reading {row['reading']!r}")
        seen.add(key)
        known.setdefault(row["id"], []).append(dict(row))
    result = []
    for paper in papers:
        for cell in numbers(load(paper, published)).to_dict("records"):
            result += known.pop(cell["id"], None) or [
                not_run(cell, ABSENT_ARTEFACT, reading="reconciled")
            ]
    if known:
        raise UserError(
            f"{len(known)} verdicts belong to no printed number of {', '.join(papers)}, the first "
            f"is {next(iter(known))}; delete the verdict files and run again"
        )
    return result


def summarise(rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Number of rows per paper, artefact, method, reading and verdict, in order of appearance."""
    names = SUMMARY_COLUMNS[:-1]
    counts = Counter(tuple(row[name] for name in names) for row in rows)
    places = {key[:-1]: i for i, key in reversed(list(enumerate(counts)))}
    ordered = sorted(counts, key=lambda key: (places[key[:-1]], VERDICTS.index(key[-1])))
    return [{**dict(zip(names, key, strict=True)), "count": counts[key]} for key in ordered]


def unavailable(sources: Iterable[Path]) -> list[dict[str, str]]:
    """Data sets that no route could deliver, why, and what to do."""
    facts = [read_json(path) for path in sources]
    return [
        {name: one[name] for name in UNAVAILABLE_COLUMNS}
        for one in facts
        if one["status"] == "unavailable"
    ]


def roll_up(rows: Iterable[Mapping[str, Any]]) -> str:
    """Counts of verdicts per paper and reading, as text."""
    counts: dict[tuple[str, str], Counter[str]] = {}
    for row in rows:
        counts.setdefault((row["paper"], row["reading"]), Counter())[row["verdict"]] += 1
    lines = []
    for (paper, reading), found in counts.items():
        parts = [f"{MARKS[name]} {found[name]} {name}" for name in VERDICTS if found[name]]
        lines.append(f"{paper}, {reading}: {found.total()} printed numbers: {', '.join(parts)}")
    return "\n".join(lines)


def roll_up_claims(rows: Iterable[Mapping[str, Any]]) -> str:
    """Counts of the claims' verdicts per paper, as text."""
    counts: dict[str, Counter[str]] = {}
    for row in rows:
        counts.setdefault(row["paper"], Counter())[row["verdict"]] += 1
    return "\n".join(
        f"{paper}: {found.total()} claims: "
        + ", ".join(f"{found[name]} {name}" for name in CLAIM_VERDICTS if found[name])
        for paper, found in counts.items()
    )
