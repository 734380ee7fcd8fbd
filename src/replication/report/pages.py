"""What the pages of the report say: numbers from the run, for the templates to word."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

from markupsafe import Markup

from replication.judge.claims import CLAIM_VERDICTS, QUANTIFIERS
from replication.judge.ledger import UNEXPLAINED
from replication.judge.verdicts import (
    DIFFERS,
    EXACT,
    MARKS,
    NOT_COMPARABLE,
    NOT_RUN,
    VERDICTS,
)
from replication.plan.pieces import rests_on
from replication.report.drawings import time_bars, verdict_bars
from replication.report.gather import (
    Artefact,
    Contents,
    Row,
    anchor,
    duration,
    longest_groups,
    time_rows,
)
from replication.report.looks import assets, templates
from replication.report.widgets import (
    CHAIN,
    CODE,
    LINK,
    NUMBER,
    READINGS,
    VERDICT,
    WORDS,
    Head,
    Words,
    as_printed,
    counts_line,
    data_table,
    look,
    marked,
    number_cell,
    picture,
    printed_cell,
    script_json,
)
from replication.show.rollup import FIRST, distinct, first_reading, verdict_colours

TITLE = "Similarity of categorical data: what was found again"
_GENERAL = "Marks: = the printed digits"
"""Beginning of the line of legends that the page explains once for all tables."""


def render(contents: Contents) -> str:
    """The report: HTML that needs no other file.

    Parameters
    ----------
    contents : Contents
        The run.
    """
    environment = templates()
    words = Words(contents.spec["readings"])
    environment.filters |= {"anchor": anchor, "look": look, "words": words, "marked": marked}
    environment.globals |= {"to": contents.to}
    return (
        environment.get_template("report.html.jinja").render(
            title=TITLE,
            spec=contents.spec,
            assets=assets(),
            colours=Markup(verdict_colours()),  # noqa: S704 - made of constants
            legend=[(name, MARKS[name]) for name in VERDICTS],
            reading_names={name: READINGS[name] for name in used_readings(contents)},
            quantifiers=QUANTIFIERS,
            shared=script_json(shared(contents)),
            findings=[(one, picture(svg, one["seen"])) for one, svg in contents.findings],
            overview=overview(contents),
            papers=[paper_page(contents, paper) for paper in contents.spec["papers"]],
            deviations=deviations(contents),
            claims=claims(contents),
            numbers=numbers(contents),
            readings=readings(contents),
            run=provenance(contents),
        )
        + "\n"
    )


def named(contents: Contents) -> dict[str, str]:
    """What each paper is called, by its id."""
    return {paper["id"]: paper["name"] for paper in contents.spec["papers"]}


def used_readings(contents: Contents) -> list[str]:
    """Names of the readings under which numbers were judged, in order of appearance."""
    return list(dict.fromkeys(row["reading"] for row in contents.verdicts))


def shared(contents: Contents) -> dict[str, Any]:
    """What rows of several tables refer to: pieces by key, readings, data files, marks."""
    pieces = {}
    for key, one in contents.links["pieces"].items():
        shown = dict(one)
        for name in ("config", "source"):
            if name in one:
                shown[name] = [one[name], contents.to(one[name].partition(":")[0])]
        record = contents.sources.get(one.get("of", ""))
        if record is not None:
            shown["files"] = [
                [file["name"], file["sha256"], file.get("route") or record.get("route") or ""]
                for file in record.get("files") or []
            ]
        pieces[key] = shown
    return {
        "pieces": pieces,
        "readings": contents.spec["readings"],
        "names": READINGS,
        "marks": MARKS,
        "papers": {name: paper for paper, name in named(contents).items()},
    }


# ------------------------------------------------------------------------------ counts


COUNT_HEADS = [
    Head("Numbers", NUMBER),
    Head(EXACT, NUMBER),
    Head("within noise", NUMBER),
    Head(DIFFERS, NUMBER),
    Head(NOT_COMPARABLE, NUMBER),
    Head(NOT_RUN, NUMBER, folded=True),
    Head("exact of comparable", NUMBER, folded=True),
]
"""Columns of `count_cells`."""


def tallies(rows: Iterable[Row], keys: Sequence[str]) -> dict[tuple[str, ...], Counter[str]]:
    """Counts of verdicts by the values of some columns, in order of appearance."""
    found: dict[tuple[str, ...], Counter[str]] = {}
    for row in rows:
        found.setdefault(tuple(row[key] for key in keys), Counter())[row["verdict"]] += 1
    return found


def comparable(counts: Mapping[str, int]) -> int:
    """Numbers of a count that can be right or wrong."""
    return sum(n for name, n in counts.items() if name not in (NOT_COMPARABLE, NOT_RUN))


def count_cells(counts: Mapping[str, int]) -> list[tuple[str, float] | None]:
    """Cells of a count: all, each verdict, and the share of exact ones among the comparable."""
    cells: list[tuple[str, float] | None] = [
        (str(n), n) for n in (sum(counts.values()), *(counts.get(name, 0) for name in VERDICTS))
    ]
    base = comparable(counts)
    share = counts.get(EXACT, 0) / base if base else None
    return [*cells, None if share is None else (f"{100 * share:.0f} %", share)]


def overview(contents: Contents) -> dict[str, Any]:
    """Counts of verdicts over everything."""
    counted = distinct(first_reading(contents.verdicts))
    names = named(contents)
    by_paper = tallies(counted, ("paper",))
    artefacts = {(one.paper, one.name): one for one in contents.artefacts}
    by_artefact = []
    for (paper, name, reading), counts in tallies(
        contents.verdicts, ("paper", "artefact", "reading")
    ).items():
        known = artefacts.get((paper, name))
        label = f"{names[paper]} {known.label if known else name}"
        title = (label, f"#{known.anchor}" if known else "")
        by_artefact.append([title, *count_cells(counts), reading, names[paper]])
    return {
        "total": len({row["id"] for row in contents.verdicts}),
        "distinct": len(counted),
        "by_paper": [
            [names[key[0]], *("" if cell is None else cell[0] for cell in count_cells(counts))]
            for key, counts in by_paper.items()
        ],
        "figure": picture(
            verdict_bars([(names[key[0]], counts) for key, counts in by_paper.items()]),
            "Shares of the verdicts by paper; the table above has the counts",
        )
        if by_paper
        else "",
        "claims": [
            [names[key[0]], counts.total(), *(counts[name] for name in CLAIM_VERDICTS)]
            for key, counts in tallies(contents.claims, ("paper",)).items()
        ],
        "claim_verdicts": CLAIM_VERDICTS,
        "by_artefact": data_table(
            "by-artefact",
            "Verdicts by artefact",
            [
                Head("Artefact", LINK),
                *COUNT_HEADS,
                Head("Reading", choice=True, folded=True),
                Head("Paper", choice=True, folded=True),
            ],
            by_artefact,
            chosen={"Reading": FIRST},
        ),
        "by_method": data_table(
            "by-method",
            "Verdicts by method",
            [
                Head("Method"),
                *COUNT_HEADS,
                Head("Reading", choice=True, folded=True),
                Head("Paper", choice=True, folded=True),
            ],
            [
                [f"{method} ({names[paper]})", *count_cells(counts), reading, names[paper]]
                for (paper, method, reading), counts in tallies(
                    [row for row in contents.verdicts if row["method"]],
                    ("paper", "method", "reading"),
                ).items()
            ],
            chosen={"Reading": FIRST},
        ),
        "unavailable": [row["dataset"] for row in contents.unavailable],
    }


# ------------------------------------------------------------------------------ papers


def paper_page(contents: Contents, paper: Mapping[str, Any]) -> dict[str, Any]:
    """One paper: counts and artefacts."""
    verdicts = [row for row in contents.verdicts if row["paper"] == paper["id"]]
    claimed = Counter(row["verdict"] for row in contents.claims if row["paper"] == paper["id"])
    artefacts = [one for one in contents.artefacts if one.paper == paper["id"]]
    counted = first_reading(verdicts)
    labels = {one.name: one.label for one in artefacts}
    ranks = {one.name: i for i, one in enumerate(artefacts)}
    shown = sorted(
        tallies(counted, ("artefact",)).items(), key=lambda item: ranks.get(item[0][0], len(ranks))
    )
    prefix = f"{paper['id']}."
    rows: dict[str, list[Row]] = {}
    for row in verdicts:
        rows.setdefault(row["artefact"], []).append(row)
    return {
        **paper,
        "anchor": anchor("paper", paper["id"]),
        "counts": counts_line(Counter(row["verdict"] for row in distinct(counted)), VERDICTS),
        "claims": counts_line(claimed, CLAIM_VERDICTS),
        "figure": picture(
            verdict_bars([(labels.get(name, name), counts) for (name,), counts in shown]),
            "Shares of the verdicts by artefact",
        )
        if shown
        else "",
        "choices": [name for name in contents.spec["readings"] if name.startswith(prefix)],
        "artefacts": [
            artefact_section(one, paper["name"], rows.get(one.name, [])) for one in artefacts
        ],
    }


def artefact_section(artefact: Artefact, paper: str, verdicts: Sequence[Row]) -> dict[str, Any]:
    """One artefact: what its section says."""
    grid = artefact.grid
    shown = grid.fitting()
    lines = []
    for (reading,), counts in tallies(verdicts, ("reading",)).items():
        oracle = sum(row["oracle"] == "yes" for row in verdicts if row["reading"] == reading)
        lines.append((reading, counts_line(counts, VERDICTS), oracle))
    return {
        "anchor": artefact.anchor,
        "label": artefact.label,
        "printed": artefact.printed,
        "title": grid.title,
        "caption": grid.caption,
        "readings": lines,
        "explained": READINGS,
        "ledger": f"{paper} {artefact.label}" if lines else "",
        "figure": picture(artefact.svg, f"{grid.title}. {grid.caption}") if artefact.svg else "",
        "columns": list(zip(grid.columns, shown, strict=True)),
        "groups": grid.groups(shown) if any(one.group for one in grid.columns) else [],
        "hidden": shown.count(False),
        "rows": [list(zip(row, grid.columns, shown, strict=True)) for row in grid.rows],
        "legend": [line for line in grid.legend if not line.startswith(_GENERAL)],
        "command": artefact.command,
        "files": artefact.files,
    }


# ------------------------------------------------------------------------------ the ledger


def place(row: Row, contents: Contents) -> tuple[str, str]:
    """Cell that leads to the section of an artefact, if it has one."""
    paper, target = named(contents)[row["paper"]], anchor(row["paper"], row["artefact"])
    known = next((one for one in contents.artefacts if one.anchor == target), None)
    if known is None:
        return f"{paper} {row['artefact']}", ""
    return f"{paper} {known.label}", f"#{target}"


def numbers(contents: Contents) -> dict[str, Any]:
    """The whole ledger."""
    names = named(contents)
    places = {(row["paper"], row["artefact"]): place(row, contents) for row in contents.verdicts}
    keys = list(contents.links["pieces"])
    index = {key: i for i, key in enumerate(keys)}
    return data_table(
        "numbers-table",
        "All printed numbers",
        [
            Head("Artefact", LINK),
            Head("Data set"),
            Head("Method, metric"),
            Head("Printed", NUMBER),
            Head("Ours", NUMBER),
            Head("Verdict", VERDICT, choice=True),
            Head("Reason", WORDS, folded=True, phone=True),
            Head("Reading", choice=True, folded=True),
            Head("Paper", choice=True, folded=True),
            Head("Difference", NUMBER, folded=True),
            Head("SD", NUMBER, folded=True),
            Head("Lowest", NUMBER, folded=True),
            Head("Highest", NUMBER, folded=True),
            Head("Printed number lies", folded=True),
            Head("Setting", folded=True),
            Head("Chosen with the classes (oracle)", folded=True),
            Head("Id", CODE, folded=True),
            Head("Rests on", CHAIN, folded=True),
        ],
        [
            [
                places[row["paper"], row["artefact"]],
                row["dataset"],
                f"{row['method']} {row['metric']}".strip(),
                printed_cell(row["printed"]),
                as_printed(row["printed"], row["reproduced"]),
                row["verdict"],
                reason(row),
                row["reading"],
                names[row["paper"]],
                as_printed(row["printed"], row["difference"]),
                number_cell(row["sd"]),
                as_printed(row["printed"], row["spread_min"]),
                as_printed(row["printed"], row["spread_max"]),
                row["position"],
                row["setting"],
                "yes" if row["oracle"] == "yes" else "",
                row["id"],
                [index[key] for key in rests_on(contents.links, row)],
            ]
            for row in contents.verdicts
        ],
        chosen={"Reading": FIRST},
        printed=25,
    )


def reason(row: Row) -> str:
    """Why a number got its verdict: what is known, else what the verdict itself says."""
    if row["reason"]:
        return row["reason"]
    return {
        EXACT: "rounded or truncated to the printed digits it is the printed number",
        DIFFERS: UNEXPLAINED,
    }.get(row["verdict"], row["position"])


def deviations(contents: Contents) -> dict[str, Any]:
    """Numbers that differ, largest deviation first."""
    counted = {(row["id"], row["reading"]) for row in first_reading(contents.verdicts)}
    names = named(contents)
    rows = [row for row in contents.deviations if (row["id"], row["reading"]) in counted]
    return {
        "count": len(rows),
        "unexplained": sum(row["reason"].startswith(UNEXPLAINED) for row in rows),
        "table": data_table(
            "deviations-table",
            "Printed numbers that differ, largest deviation first",
            [
                Head("Artefact", LINK),
                Head("Data set"),
                Head("Method, metric"),
                Head("Printed", NUMBER),
                Head("Ours", NUMBER),
                Head("Reason", WORDS),
                Head("Paper", choice=True, folded=True),
                Head("Difference", NUMBER, folded=True),
                Head("Printed number lies", folded=True),
                Head("All of it", LINK, folded=True),
            ],
            [
                [
                    place(row, contents),
                    row["dataset"],
                    f"{row['method']} {row['metric']}".strip(),
                    printed_cell(row["printed"]),
                    as_printed(row["printed"], row["reproduced"]),
                    row["reason"],
                    names[row["paper"]],
                    as_printed(row["printed"], row["difference"]),
                    row["position"],
                    (row["id"], f"#{row['id']}"),
                ]
                for row in rows
            ],
        ),
    }


def claims(contents: Contents) -> dict[str, Any]:
    """What the papers say in words."""
    names = named(contents)
    return {
        "counts": counts_line(Counter(row["verdict"] for row in contents.claims), CLAIM_VERDICTS),
        "count": len(contents.claims),
        "table": data_table(
            "claims-table",
            "Claims of the papers, each with its verdict",
            [
                Head("Claim", WORDS),
                Head("Asserts"),
                Head("Holds in"),
                Head("In print"),
                Head("Verdict", VERDICT, choice=True),
                Head("Rests on", LINK),
                Head("Evidence", WORDS, folded=True, phone=True),
                Head("Verdict of the printed numbers", folded=True),
                Head("Where", folded=True),
                Head("Paper", choice=True, folded=True),
                Head("Id", CODE, folded=True),
            ],
            [
                [
                    row["claim"],
                    f"{row['asserts']} {row['margin']}".strip(),
                    row["ours"],
                    row["print"],
                    row["verdict"],
                    place(row, contents) if row["artefact"] else ("", ""),
                    row["evidence"],
                    row["print_verdict"],
                    row["where"],
                    names[row["paper"]],
                    row["id"],
                ]
                for row in contents.claims
            ],
        ),
    }


def readings(contents: Contents) -> list[tuple[str, list[dict[str, Any]]]]:
    """All choices that the papers leave, by what they are about."""
    entries = [
        {"id": name, "anchor": anchor("reading", name), **entry}
        for name, entry in contents.spec["readings"].items()
    ]
    return [
        (key, list(group))
        for key, group in groupby(entries, key=lambda entry: entry["id"].partition(".")[0])
    ]


# ------------------------------------------------------------------------------ the run


def provenance(contents: Contents) -> dict[str, Any]:
    """Where the data are from, what computed, and where the time went."""
    rows, names = [], named(contents)
    for one in contents.spec["sources"]:
        record = contents.sources[one["id"]]
        files = record.get("files") or [{"name": "", "sha256": ""}]
        shape = f"{record['rows']} × {record['columns']}" if record.get("rows") else ""
        rows += [
            [
                (one["title"], one["homepage"]),
                shape,
                record["status"],
                file["name"],
                file.get("route") or record.get("route") or "",
                one["licence"],
                file["sha256"],
                ", ".join(names[paper] for paper in one["papers"]),
                one["id"],
            ]
            for file in files
        ]
    timings = contents.timings
    return {
        "sources": data_table(
            "sources-table",
            "Files of the data sets",
            [
                Head("Data set", LINK),
                Head("Rows × columns"),
                Head("Status", choice=True),
                Head("File"),
                Head("Route", choice=True),
                Head("Licence", choice=True),
                Head("SHA-256", CODE, folded=True),
                Head("Papers", folded=True),
                Head("Id", CODE, folded=True),
            ],
            rows,
        )
        if rows
        else None,
        "unavailable": [
            f"{row['dataset']}: {row['reason']} {row['remedy']}".strip()
            for row in contents.unavailable
        ],
        "packages": contents.packages,
        "machine": contents.machine,
        "jobs": len(timings),
        "total": duration(sum(one.seconds for one in timings)),
        "cpu": duration(sum(one.cpu for one in timings)),
        "steps": time_rows(timings, names),
        "figure": picture(
            time_bars(longest_groups(timings)),
            "Wall-clock time by paper, step and method, measure or experiment",
        )
        if timings
        else "",
        "timings": data_table(
            "timings-table",
            "Measured jobs, longest first",
            [
                Head("Job"),
                Head("Step", choice=True),
                Head("Paper", choice=True),
                Head("Seconds", NUMBER),
                Head("CPU seconds", NUMBER),
                Head("Memory (MB)", NUMBER),
            ],
            [
                [
                    one.job,
                    one.step,
                    names.get(one.paper, one.paper),
                    (f"{one.seconds:.1f}", one.seconds),
                    (f"{one.cpu:.1f}", one.cpu),
                    (f"{one.memory:.0f}", one.memory),
                ]
                for one in timings
            ],
            printed=25,
        ),
    }
