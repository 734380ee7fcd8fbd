"""Step `ledger`: every printed number of the papers that were run, with its verdict."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from replication.errors import UserError
from replication.files import read_json, read_rows, write_rows
from replication.judge import granularity
from replication.judge.cells import ABSENT_ARTEFACT, VERDICT_COLUMNS, not_run
from replication.judge.claims import CLAIM_VERDICTS
from replication.judge.claims import COLUMNS as CLAIM_COLUMNS
from replication.judge.published import SETTINGS, load, numbers
from replication.judge.verdicts import (
    DIFFERS,
    MARKS,
    VERDICTS,
    parse_printed,
)
from replication.steps import specification

OUTPUTS = (
    "output",
    "summary",
    "unavailable",
    "all-claims",
    "coverage",
    "deviations",
)
SUMMARY_COLUMNS = ("paper", "artefact", "method", "reading", "verdict", "count")
UNAVAILABLE_COLUMNS = ("dataset", "reason", "remedy")
COVERAGE_COLUMNS = ("id", "paper", "artefact", "role", "verdicts")
DEVIATION_COLUMNS = (
    "id",
    "paper",
    "artefact",
    "dataset",
    "method",
    "metric",
    "reading",
    "printed",
    "reproduced",
    "difference",
    "size",
    "position",
    "reason",
)
UNEXPLAINED = "unexplained"
"""Reason of a deviation that has none."""

ROLES = {
    "result": "a printed number, judged under every reading",
    "setting": "a choice of the authors",
    "input": "data or labels of a worked example",
    "reconstruction": "not printed: an image, reconstructed from the text",
    "none": "printed without a number",
}


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
    for name in OUTPUTS:
        parser.add_argument(f"--{name}", type=Path, required=True, help=f"output ({name}, CSV)")


def run(args: argparse.Namespace) -> int:
    """Run the step."""
    spec = specification(args.spec)
    rows = [row for path in args.verdicts for row in read_rows(path, VERDICT_COLUMNS)]
    papers = [paper["id"] for paper in spec["papers"]]
    rows = explained(complete(rows, papers, args.published), papers, args.published)
    counted = summarise(rows)
    claims = [row for path in args.claims for row in read_rows(path, CLAIM_COLUMNS)]
    missing = unavailable(args.sources)
    for path, columns, content in (
        (args.output, VERDICT_COLUMNS, rows),
        (args.summary, SUMMARY_COLUMNS, counted),
        (args.unavailable, UNAVAILABLE_COLUMNS, missing),
        (args.all_claims, CLAIM_COLUMNS, claims),
        (args.coverage, COVERAGE_COLUMNS, coverage(rows, papers, args.published)),
        (args.deviations, DEVIATION_COLUMNS, deviations(rows)),
    ):
        write_rows(path, columns, content)
    print(roll_up(rows))
    print(roll_up_claims(claims))
    return 0


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


def explained(
    rows: list[dict[str, Any]], papers: Sequence[str], published: Path
) -> list[dict[str, Any]]:
    """Deviations with what the printed digits themselves say against them.

    Parameters
    ----------
    rows : list of dict
        What `complete` returned.
    papers : sequence of str
        Ids of the papers.
    published : Path
        Folder of the printed numbers.
    """
    digits = {}
    for paper in papers:
        digits |= granularity.reasons(granularity.shares(paper, load(paper, published)))
    return [
        {**row, "reason": "; ".join(filter(None, [row["reason"], digits[row["id"]]]))}
        if row["verdict"] == DIFFERS and row["id"] in digits
        else row
        for row in rows
    ]


def summarise(rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Number of rows per paper, artefact, method, reading and verdict, in order of appearance."""
    names = SUMMARY_COLUMNS[:-1]
    counts = Counter(tuple(row[name] for name in names) for row in rows)
    places = {key[:-1]: i for i, key in reversed(list(enumerate(counts)))}
    ordered = sorted(counts, key=lambda key: (places[key[:-1]], VERDICTS.index(key[-1])))
    return [{**dict(zip(names, key, strict=True)), "count": counts[key]} for key in ordered]


def coverage(
    rows: Iterable[Mapping[str, Any]], papers: Sequence[str], published: Path
) -> list[dict[str, Any]]:
    """What every published row is: a result with its verdicts, a setting, an input.

    Parameters
    ----------
    rows : iterable of mapping
        What `complete` returned.
    papers : sequence of str
        Ids of the papers.
    published : Path
        Folder of the printed numbers.

    Returns
    -------
    list of dict
        One row per published row, by `COVERAGE_COLUMNS`; ``role`` is one of `ROLES`.
    """
    counts = Counter(row["id"] for row in rows)
    return [
        {
            "id": cell["id"],
            "paper": paper,
            "artefact": cell["artefact"],
            "role": _role(cell, counts),
            "verdicts": counts[cell["id"]],
        }
        for paper in papers
        for cell in load(paper, published).to_dict("records")
    ]


def _role(cell: Mapping[str, str], verdicts: Mapping[str, int]) -> str:
    if cell["id"] in verdicts:
        return "result"
    if cell["artefact"] == SETTINGS:
        return "setting"
    if not cell["printed"]:
        return "reconstruction"
    return "input" if cell["value"] else "none"


def deviations(rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Numbers that differ, the largest deviation first, under every reading.

    The size of a deviation is the difference, relative to the printed number where that is larger
    than 1 in absolute value.
    """
    found = []
    for row in rows:
        if row["verdict"] != DIFFERS:
            continue
        printed = abs(float(parse_printed(row["printed"]).value))
        size = abs(float(row["difference"])) / max(1.0, printed)
        reason = row["reason"] or UNEXPLAINED
        found.append({**row, "size": size, "reason": reason})
    return sorted(found, key=lambda row: (-row["size"], row["id"], row["reading"]))


def unavailable(sources: Iterable[Path]) -> list[dict[str, str]]:
    """Data sets that no route could deliver, why, and what to do."""
    facts = [read_json(path, "status", *UNAVAILABLE_COLUMNS) for path in sources]
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


def unavailable_lines(path: Path) -> list[str]:
    """Lines that say what could not be had, from the ledger's list.

    Parameters
    ----------
    path : Path
        `unavailable.csv` of the ledger.

    Returns
    -------
    list of str
        Empty if the file is not there or has no row.
    """
    if not Path(path).is_file():
        return []
    rows = read_rows(path)
    if not rows:
        return []
    names = ", ".join(dict.fromkeys(row["dataset"] for row in rows))
    remedies = dict.fromkeys(row.get("remedy", "") for row in rows)
    return [
        f"NOT AVAILABLE: {names}. What needs these data sets is marked as not run; see {path}.",
        *(f"  {remedy}" for remedy in remedies if remedy),
    ]
