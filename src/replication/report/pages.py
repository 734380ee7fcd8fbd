"""The pages of the report, as MyST Markdown: words from the templates, numbers from the run."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from replication.judge.claims import CLAIM_VERDICTS
from replication.judge.ledger import CHANGE_COLUMNS, UNEXPLAINED
from replication.judge.verdicts import EXACT, MARKS, NOT_COMPARABLE, NOT_RUN, VERDICTS
from replication.report.drawings import time_bars, verdict_bars
from replication.report.gather import Artefact, Contents, Row, Timing, anchor
from replication.report.widgets import (
    CODE,
    LINK,
    NUMBER,
    SHORT,
    VERDICT,
    WIDE,
    Head,
    as_printed,
    counts_line,
    data_table,
    number_cell,
    picture,
    printed_cell,
    sortable,
    static_table,
)

TEMPLATES = Path(__file__).parent / "templates"
_LONGEST = 20
_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>#$|~^&])")


def documents(contents: Contents) -> dict[str, str]:
    """Pages of the report, by name; ``index`` is the first and lists the others.

    Parameters
    ----------
    contents : Contents
        The run.

    Returns
    -------
    dict of str to str
        MyST Markdown, in which every table and figure stands as HTML.
    """
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES, encoding="utf-8"),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701 - the result is Markdown; HTML in it is escaped where made
    )
    environment.filters |= {"md": markdown_text, "raw": raw, "esc": html.escape, "anchor": anchor}

    def page(template: str, **names: Any) -> str:
        return environment.get_template(f"{template}.md.jinja").render(spec=contents.spec, **names)

    papers = contents.spec["papers"]
    pages = {"overview": page("overview", **overview(contents))}
    chapters = ["overview"]
    for paper in papers:
        sections = artefact_sections(contents, paper["id"])
        names = [section["anchor"] for section in sections]
        pages[f"paper-{paper['id']}"] = page("paper", names=names, **paper_page(contents, paper))
        pages |= {one["anchor"]: page("artefact", one=one) for one in sections}
        chapters.append(f"paper-{paper['id']}")
    for name, wanted, fill in (
        ("deviations", contents.verdicts, deviations),
        ("claims", contents.claims, claims),
        ("numbers", contents.verdicts, numbers),
        ("provenance", True, provenance),
    ):
        if wanted:
            pages[name] = page(name, **fill(contents))
            chapters.append(name)
    return {"index": page("index", names=chapters), **pages}


def markdown_text(text: str) -> str:
    """Text in which Markdown finds no markup; character references of HTML are resolved first."""
    return _MARKDOWN.sub(r"\\\1", html.unescape(text))


def raw(text: str) -> str:
    """HTML as a block of Markdown."""
    return f"``````{{raw}} html\n{text}\n``````"


# ------------------------------------------------------------------------------ the pages' numbers


def overview(contents: Contents) -> dict[str, Any]:
    """Counts of verdicts over everything."""
    titles = {paper["id"]: paper["title"] for paper in contents.spec["papers"]}
    by_paper = tallies(contents.verdicts, ("paper", "reading"))
    names = {"paper": "Paper", "reading": "Reading", "method": "Method"}
    claims_by_paper = tallies(contents.claims, ("paper",))
    artefacts = {(one.paper, one.name): one for one in contents.artefacts}
    by_artefact = []
    for (paper, name, reading), counts in tallies(
        contents.verdicts, ("paper", "artefact", "reading")
    ).items():
        known = artefacts.get((paper, name))
        title = [html.unescape(known.title), f"#{known.anchor}"] if known else [name, ""]
        by_artefact.append([paper, title, reading, *count_cells(counts)])
    return {
        "total": len({row["id"] for row in contents.verdicts}),
        "papers": titles,
        "by_paper": count_table(
            "Verdicts by paper and reading", names, ("paper", "reading"), by_paper
        ),
        "figure": picture(
            verdict_bars([(" · ".join(key), counts) for key, counts in by_paper.items()]),
            "Shares of the verdicts by paper and reading; the table above has the counts",
        )
        if by_paper
        else "",
        "claims": static_table(
            "Verdicts on claims by paper",
            ["Paper", "Claims", *CLAIM_VERDICTS],
            [
                [key[0], str(sum(counts.values())), *(str(counts[name]) for name in CLAIM_VERDICTS)]
                for key, counts in claims_by_paper.items()
            ],
        )
        if claims_by_paper
        else "",
        "by_artefact": data_table(
            "by-artefact",
            "Verdicts by artefact and reading",
            [
                Head("Paper", choice=True),
                Head("Artefact", LINK),
                Head("Reading", choice=True),
                *COUNT_HEADS,
            ],
            by_artefact,
        ),
        "by_method": data_table(
            "by-method",
            "Verdicts by method and reading",
            [
                Head("Paper", choice=True),
                Head("Method", SHORT),
                Head("Reading", choice=True),
                *COUNT_HEADS,
            ],
            [
                [paper, method or "(none)", reading, *count_cells(counts)]
                for (paper, method, reading), counts in tallies(
                    contents.verdicts, ("paper", "method", "reading")
                ).items()
            ],
        ),
        "legend": ", ".join(f"{MARKS[name]} {name}" for name in VERDICTS),
        "unavailable": [row["dataset"] for row in contents.unavailable],
    }


COUNT_HEADS = [
    Head("Numbers", NUMBER),
    *(Head(name, NUMBER) for name in VERDICTS),
    Head("exact of comparable", NUMBER),
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


def count_table(
    caption: str,
    names: Mapping[str, str],
    keys: Sequence[str],
    counts: Mapping[tuple[str, ...], Counter[str]],
) -> str:
    """Small table of counts; empty without any."""
    if not counts:
        return ""
    return static_table(
        caption,
        [*(names[key] for key in keys), *(head.title for head in COUNT_HEADS)],
        [
            [
                *map(html.escape, key),
                *("" if cell is None else cell[0] for cell in count_cells(one)),
            ]
            for key, one in counts.items()
        ],
        texts=len(keys),
    )


def paper_page(contents: Contents, paper: Mapping[str, Any]) -> dict[str, Any]:
    """One paper: counts, readings, artefacts."""
    verdicts = [row for row in contents.verdicts if row["paper"] == paper["id"]]
    claimed = tallies([row for row in contents.claims if row["paper"] == paper["id"]], ("paper",))
    artefacts = [one for one in contents.artefacts if one.paper == paper["id"]]
    first = paper["readings"][0] if paper["readings"] else ""
    shown = tallies([row for row in verdicts if row["reading"] == first], ("artefact",))
    labels = {one.name: one.label for one in artefacts}
    return {
        "paper": paper,
        "counts": counts_line(
            Counter(row["verdict"] for row in verdicts if row["reading"] == first), VERDICTS
        ),
        "claims": counts_line(next(iter(claimed.values()), {}), CLAIM_VERDICTS),
        "first": first,
        "figure": picture(
            verdict_bars([(labels.get(name, name), counts) for (name,), counts in shown.items()]),
            f"Shares of the verdicts by artefact, {first} reading",
        )
        if shown
        else "",
        "choices": data_table(
            f"readings-{paper['id']}",
            "What the paper leaves open, and how each reading takes it",
            [
                Head("Question", WIDE),
                *(Head(reading, WIDE) for reading in paper["readings"]),
                Head("Evidence", WIDE),
            ],
            [
                [one["question"], *(one["answers"][r] for r in paper["readings"]), one["evidence"]]
                for one in paper["choices"]
            ],
        )
        if paper["choices"]
        else "",
    }


def artefact_sections(contents: Contents, paper: str) -> list[dict[str, Any]]:
    """The artefacts of a paper: what their sections say."""
    verdicts: dict[str, list[Row]] = {}
    for row in contents.verdicts:
        if row["paper"] == paper:
            verdicts.setdefault(row["artefact"], []).append(row)
    return [
        artefact_section(one, verdicts.get(one.name, []))
        for one in contents.artefacts
        if one.paper == paper
    ]


def artefact_section(artefact: Artefact, verdicts: Sequence[Row]) -> dict[str, Any]:
    """One artefact: what its section says."""
    lines = []
    for (reading,), counts in tallies(verdicts, ("reading",)).items():
        oracle = sum(row["oracle"] == "yes" for row in verdicts if row["reading"] == reading)
        note = f"; {oracle} rest on the class labels (oracle)" if oracle else ""
        lines.append(
            f"<li><b>{html.escape(reading)}</b>: {counts_line(counts, VERDICTS)}{note}</li>"
        )
    title = html.unescape(artefact.title)
    return {
        "anchor": artefact.anchor,
        "title": title,
        "readings": f'<ul class="readings">{"".join(lines)}</ul>' if lines else "",
        "ledger": f"{artefact.paper} {artefact.name}" if lines else "",
        "figure": picture(artefact.svg, f"{title}. {html.unescape(artefact.caption)}")
        if artefact.svg is not None
        else "",
        "table": (
            f'<p class="about" id="{artefact.anchor}-caption">{artefact.caption}</p>\n'
            f'<div class="scroll" role="region" aria-label="{html.escape(title)}" tabindex="0">\n'
            f'<table class="paper compact" aria-describedby="{artefact.anchor}-caption">\n'
            f"{sortable(artefact.table)}\n</table>\n</div>"
        ),
        "legend": f'<ul class="legend">{artefact.legend}</ul>' if artefact.legend else "",
        "command": artefact.command,
        "files": artefact.files,
    }


def deviations(contents: Contents) -> dict[str, Any]:
    """Numbers that differ, largest deviation first, and what changed against the baseline."""
    rows = contents.deviations
    return {
        "count": len(rows),
        "unexplained": sum(row["reason"].startswith(UNEXPLAINED) for row in rows),
        "table": data_table(
            "deviations-table",
            "Printed numbers that differ, largest deviation first",
            [
                Head("Size", NUMBER),
                Head("Paper", choice=True),
                Head("Artefact", LINK),
                Head("Data set", SHORT),
                Head("Method", SHORT),
                Head("Metric", SHORT),
                Head("Reading", choice=True),
                Head("Printed", NUMBER),
                Head("Ours", NUMBER),
                Head("Difference", NUMBER),
                Head("Reason", WIDE),
                Head("Printed number lies", SHORT),
            ],
            [
                [
                    number_cell(row["size"], 3),
                    row["paper"],
                    place(row, contents),
                    row["dataset"],
                    row["method"],
                    row["metric"],
                    row["reading"],
                    printed_cell(row["printed"]),
                    as_printed(row["printed"], row["reproduced"]),
                    as_printed(row["printed"], row["difference"]),
                    row["reason"],
                    row["position"],
                ]
                for row in rows
            ],
        ),
        "changes": data_table(
            "changes-table",
            "Verdicts that are not the recorded ones",
            [
                Head("Id"),
                Head("Reading", choice=True),
                Head("Recorded", VERDICT, choice=True),
                Head("Now", VERDICT, choice=True),
                Head("Worse", choice=True),
            ],
            [[row[name] for name in CHANGE_COLUMNS] for row in contents.changes],
        )
        if contents.changes
        else "",
    }


def place(row: Row, contents: Contents) -> tuple[str, str]:
    """Cell that leads to the section of an artefact, if it has one."""
    target = anchor(row["paper"], row["artefact"])
    known = any(one.anchor == target for one in contents.artefacts)
    return row["artefact"], f"#{target}" if known else ""


def claims(contents: Contents) -> dict[str, Any]:
    """What the papers say in words."""
    rows = [
        [
            row["id"],
            row["verdict"],
            row["claim"],
            row["ours"],
            row["print"],
            row["evidence"],
            place(row, contents),
            f"{row['asserts']} {row['margin']}".strip(),
            row["where"],
            row["paper"],
        ]
        for row in contents.claims
    ]
    return {
        "counts": counts_line(Counter(row["verdict"] for row in contents.claims), CLAIM_VERDICTS),
        "count": len(rows),
        "table": data_table(
            "claims-table",
            "Claims of the papers, each with its verdict",
            [
                Head("Id", SHORT),
                Head("Verdict", VERDICT, choice=True),
                Head("Claim", WIDE),
                Head("Holds in", SHORT),
                Head("In print", SHORT),
                Head("Evidence", WIDE),
                Head("Rests on", LINK),
                Head("Asserts", SHORT),
                Head("Where"),
                Head("Paper", choice=True),
            ],
            rows,
        ),
    }


def numbers(contents: Contents) -> dict[str, Any]:
    """The whole ledger."""
    return {
        "count": len(contents.verdicts),
        "table": data_table(
            "numbers-table",
            "All printed numbers under every reading",
            [
                Head("Paper", choice=True),
                Head("Artefact", LINK),
                Head("Data set", SHORT),
                Head("Method", SHORT),
                Head("Metric", SHORT),
                Head("Reading", choice=True),
                Head("Printed", NUMBER),
                Head("Ours", NUMBER),
                Head("Verdict", VERDICT, choice=True),
                Head("Difference", NUMBER),
                Head("SD", NUMBER),
                Head("Lowest", NUMBER),
                Head("Highest", NUMBER),
                Head("Oracle", choice=True),
                Head("Setting", SHORT),
                Head("Reason", WIDE),
                Head("Printed number lies", SHORT),
            ],
            [
                [
                    row["paper"],
                    place(row, contents),
                    row["dataset"],
                    row["method"],
                    row["metric"],
                    row["reading"],
                    printed_cell(row["printed"]),
                    as_printed(row["printed"], row["reproduced"]),
                    row["verdict"],
                    as_printed(row["printed"], row["difference"]),
                    number_cell(row["sd"]),
                    as_printed(row["printed"], row["spread_min"]),
                    as_printed(row["printed"], row["spread_max"]),
                    row["oracle"],
                    row["setting"],
                    row["reason"],
                    row["position"],
                ]
                for row in contents.verdicts
            ],
            print_all=False,
        ),
    }


def provenance(contents: Contents) -> dict[str, Any]:
    """Where the data are from, what computed, and where the time went."""
    rows = []
    for one in contents.spec["sources"]:
        record = contents.sources[one["id"]]
        files = record.get("files") or [{"name": "", "sha256": ""}]
        shape = f"{record['rows']} × {record['columns']}" if record.get("rows") else ""
        rows += [
            [
                one["id"],
                one["title"],
                ", ".join(one["papers"]),
                file.get("route") or record.get("route") or "",
                record["status"],
                shape,
                file["name"],
                file["sha256"],
                one["licence"],
            ]
            for file in files
        ]
    total = sum(one.seconds for one in contents.timings)
    return {
        "sources": data_table(
            "sources-table",
            "Files of the data sets: route and SHA-256",
            [
                Head("Data set", SHORT),
                Head("Title", WIDE),
                Head("Papers", choice=True),
                Head("Route", choice=True),
                Head("Status", choice=True),
                Head("Rows × columns", SHORT),
                Head("File"),
                Head("SHA-256", CODE),
                Head("Licence", choice=True),
            ],
            rows,
        )
        if rows
        else "",
        "unavailable": [
            f"{row['dataset']}: {row['reason']} {row['remedy']}".strip()
            for row in contents.unavailable
        ],
        "packages": static_table("Packages", ["Package", "Version"], contents.packages, texts=2),
        "machine": static_table("Machine", ["Part", "Value"], contents.machine, texts=2),
        "total": duration(total),
        "cpu": duration(sum(one.cpu for one in contents.timings)),
        "jobs": len(contents.timings),
        "steps": time_table(contents.timings),
        "time_figure": picture(
            time_bars(longest_groups(contents.timings)),
            "Wall-clock time by paper, step and method, measure or experiment",
        )
        if contents.timings
        else "",
        "timings": data_table(
            "timings-table",
            "Measured jobs, longest first",
            [
                Head("Paper", choice=True),
                Head("Step", choice=True),
                Head("Job", SHORT),
                Head("Seconds", NUMBER),
                Head("CPU seconds", NUMBER),
                Head("Memory (MB)", NUMBER),
            ],
            [
                [
                    one.paper,
                    one.step,
                    one.job,
                    (f"{one.seconds:.1f}", one.seconds),
                    (f"{one.cpu:.1f}", one.cpu),
                    (f"{one.memory:.0f}", one.memory),
                ]
                for one in contents.timings
            ],
            print_all=False,
        ),
    }


def duration(seconds: float) -> str:
    """Time in the unit that suits it."""
    for unit, name in ((3600.0, "h"), (60.0, "min")):
        if seconds >= 2 * unit:
            return f"{seconds / unit:.1f} {name}"
    return f"{seconds:.1f} s"


def time_table(timings: Sequence[Timing]) -> str:
    """Time per paper and step."""
    rows = []
    ordered = sorted(timings, key=lambda one: (one.paper, one.step))
    for (paper, step), group in groupby(ordered, key=lambda one: (one.paper, one.step)):
        jobs = list(group)
        longest = max(jobs, key=lambda one: one.seconds)
        rows.append(
            [
                html.escape(paper),
                html.escape(step),
                str(len(jobs)),
                duration(sum(one.seconds for one in jobs)),
                duration(sum(one.cpu for one in jobs)),
                f"{html.escape(longest.job)} ({duration(longest.seconds)})",
            ]
        )
    heads = ["Paper", "Step", "Jobs", "Time", "CPU time", "Longest job"]
    return static_table("Time by paper and step", heads, rows, texts=2)


def longest_groups(timings: Sequence[Timing]) -> list[tuple[str, float]]:
    """Labels and seconds of what took longest; the rest in one row."""
    sums: Counter[tuple[str, str, str]] = Counter()
    for one in timings:
        sums[one.paper, one.step, one.group] += one.seconds
    ordered = sorted(sums.items(), key=lambda item: (-item[1], item[0]))
    rows = [(" · ".join(key), seconds) for key, seconds in ordered[:_LONGEST]]
    rest = ordered[_LONGEST:]
    if rest:
        rows.append((f"{len(rest)} others", sum(seconds for _, seconds in rest)))
    return rows
