"""Step `rollup`: what holds, in small tables and one figure, counted from the ledger."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from replication.errors import UserError
from replication.files import read_rows, write_text
from replication.judge.cells import VERDICT_COLUMNS
from replication.judge.claims import (
    ABOUT,
    CLAIM_VERDICTS,
    CONFIRMED,
    MIXED,
    MUCH,
    NEARLY,
    NOT_TESTABLE,
    QUANTIFIERS,
    REFUTED,
)
from replication.judge.claims import COLUMNS as CLAIM_COLUMNS
from replication.judge.claims import NOT_RUN as CLAIM_NOT_RUN
from replication.judge.ledger import UNEXPLAINED
from replication.judge.verdicts import (
    DIFFERS,
    EXACT,
    NOT_COMPARABLE,
    NOT_RUN,
    VERDICTS,
    WITHIN_NOISE,
    parse_printed,
    truncated,
)
from replication.show.style import COLOURS, GREY, LIGHT, PAGE, new_figure, save

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Row = Mapping[str, Any]

FIRST, LITERAL = "reconciled", "literal"
"""The reading that is counted; papers without it have one reading, which is counted."""

TIMED = "timed"
"""Stands for the verdict on a claim that measured times decide, in files that are kept."""

LOOKS: dict[str, tuple[str, str]] = {
    EXACT: (COLOURS[0], ""),
    WITHIN_NOISE: (COLOURS[5], "///"),
    DIFFERS: (COLOURS[1], "xxx"),
    NOT_COMPARABLE: (GREY, "..."),
    NOT_RUN: (LIGHT, ""),
    CONFIRMED: (COLOURS[0], ""),
    NEARLY: (COLOURS[5], "///"),
    MIXED: (COLOURS[6], "\\\\\\"),
    REFUTED: (COLOURS[1], "xxx"),
    NOT_TESTABLE: (GREY, "..."),
    CLAIM_NOT_RUN: (LIGHT, ""),
    TIMED: (LIGHT, "|||"),
}
"""Colour and hatch of each verdict wherever verdicts are drawn; the hatches keep them apart
in grey."""


def verdict_colours() -> str:
    """Style rules that give each verdict, on pages too, its colour and a readable one on it."""
    rules = []
    for name, (colour, _) in LOOKS.items():
        red, green, blue = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
        ink = "#000" if 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.42 else "#fff"
        rules.append(f".{name.replace(' ', '-')} {{ --verdict: {colour}; --ink: {ink}; }}")
    return "\n".join(dict.fromkeys(rules))


def run(spec: dict[str, Any], verdicts: Path, claims: Path, output: Path) -> int:
    """Run the step."""
    papers = spec["papers"]
    rows = read_rows(verdicts, VERDICT_COLUMNS)
    printed = first_reading(rows)
    different, literal = distinct(printed), distinct(first_reading(rows, LITERAL))
    exact = [row for row in different if row["verdict"] == EXACT]
    last = {
        "exact by truncation": count(filter(_truncated, exact)),
        "exact, literal": count(row for row in literal if row["verdict"] == EXACT),
    }
    told = settled(read_rows(claims, CLAIM_COLUMNS), spec["timed"])
    numbers, of_claims = count(different), count(told)
    write_text(output, markdown(papers, count(printed), numbers, of_claims, last))
    write_text(output.with_name("claims.md"), claims_markdown(told, _names(papers)))
    write_text(output.with_name("deviations.md"), deviations_markdown(different))
    figure = draw(papers, numbers, of_claims)
    save(figure, output.with_suffix(".svg"), "What holds, paper by paper")
    return 0


def first_reading(
    rows: Iterable[Mapping[str, Any]], reading: str = FIRST
) -> list[Mapping[str, Any]]:
    """One row per printed number: that of a reading, or the first one that there is."""
    kept: dict[str, Mapping[str, Any]] = {}
    for row in rows:
        if row["id"] not in kept or row["reading"] == reading:
            kept[row["id"]] = row
    return list(kept.values())


def distinct(rows: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """One row per printed number, wherever it is printed.

    A number that a paper prints again (the same method, data set, metric and digits in another
    figure) is one number with one verdict.

    Raises
    ------
    UserError
        If the same number has two verdicts.
    """
    kept: dict[tuple[str, ...], Mapping[str, Any]] = {}
    for row in rows:
        key = tuple(row[name] for name in ("paper", "dataset", "method", "metric", "printed"))
        first = kept.setdefault(key, row)
        if first["verdict"] != row["verdict"]:
            raise UserError(
                f"{first['id']} and {row['id']} are one printed number and have two verdicts, "
                f"{first['verdict']} and {row['verdict']}; a note of the configuration holds for "
                "one of the two only"
            )
    return list(kept.values())


def settled(claims: Iterable[Row], timed: Collection[str]) -> list[Row]:
    """Return the claims; those that measured times decide without verdict and evidence.

    A busy machine may move them, so they are counted apart in files that are kept.
    """
    unsaid = {"verdict": TIMED, "ours": "", "evidence": "", "value": ""}
    return [{**row, **unsaid} if row["id"] in timed else row for row in claims]


def count(rows: Iterable[Mapping[str, Any]], key: str = "paper") -> dict[str, Counter[str]]:
    """Number of rows per verdict, by a column, in order of appearance."""
    found: dict[str, Counter[str]] = {}
    for row in rows:
        found.setdefault(row[key], Counter())[row["verdict"]] += 1
    return found


def _truncated(row: Mapping[str, Any]) -> bool:
    printed = parse_printed(row["printed"])
    return printed is not None and truncated(printed, float(row["reproduced"]))


def markdown(
    papers: Sequence[Mapping[str, str]],
    cells: Mapping[str, Counter[str]],
    numbers: Mapping[str, Counter[str]],
    claims: Mapping[str, Counter[str]],
    last: Mapping[str, Mapping[str, Counter[str]]],
) -> str:
    """Two tables of counts, of numbers and of claims, one line per paper and one for all.

    Parameters
    ----------
    papers : sequence of mapping
        ``id`` and ``name``.
    cells, numbers, claims : mapping
        Counts of verdicts by paper: of printed cells, of distinct numbers, of claims.
    last : mapping
        Further columns of the numbers: head, and counts by paper.
    """
    names = _names(papers)
    printed = {name: {"printed in": counts.total()} for name, counts in cells.items()}
    more = {
        paper: {head: counts.get(paper, Counter()).total() for head, counts in last.items()}
        for paper in names
    }
    return "\n".join(
        [
            _table("numbers", names, numbers, VERDICTS, printed, more),
            _table("claims", names, claims, (*CLAIM_VERDICTS, TIMED), {}, {}),
        ]
    )


def _table(
    head: str,
    papers: Mapping[str, str],
    counts: Mapping[str, Counter[str]],
    verdicts: Sequence[str],
    more: Mapping[str, Mapping[str, int]],
    last: Mapping[str, Mapping[str, int]],
) -> str:
    """Table of counts in Markdown; verdicts that nothing has are left out."""
    import pandas as pd

    verdicts = [name for name in verdicts if any(found[name] for found in counts.values())]
    frame = pd.DataFrame(
        [
            {
                "paper": name,
                head: found.total(),
                **more.get(paper, {}),
                **{verdict: found[verdict] for verdict in verdicts},
                **last.get(paper, {}),
            }
            for paper, name, found in (
                (paper, name, counts.get(paper, Counter())) for paper, name in papers.items()
            )
        ]
    ).fillna(0)
    frame.loc[len(frame)] = ["all", *frame.drop(columns="paper").sum()]
    return frame.convert_dtypes().to_markdown(index=False) + "\n"


def _names(papers: Iterable[Mapping[str, str]]) -> dict[str, str]:
    """What the papers are called, by their ids."""
    return {paper["id"]: paper["name"] for paper in papers}


def claims_markdown(
    claims: Sequence[Mapping[str, Any]], names: Mapping[str, str] | None = None
) -> str:
    """All claims: why those that fall do, what each asserts, in how many cases it holds.

    Parameters
    ----------
    claims : sequence of mapping
        Rows of the ledger of claims, as `settled` returns them.
    names : mapping of str to str, optional
        What the papers are called, by their ids.
    """
    import pandas as pd

    rows = [
        {
            "id": row["id"],
            "claim": row["claim"].replace("|", "\\|"),
            "asserts": f"{row['asserts']} {row['margin']}".strip(),
            "holds in": row["ours"],
            "verdict": row["verdict"],
            "in print": row["print"],
            "verdict of the print": row["print_verdict"],
        }
        for row in claims
    ]
    about = [f"- `{name}`: {words}" for name, words in QUANTIFIERS.items()]
    return "\n".join(
        [
            "# All claims",
            "",
            "The verdict follows from what a claim asserts and from the cases in which our numbers "
            "bear it out. The last two columns ask the printed numbers the same, where they are "
            "printed; they never count for the verdict, unless the claim is about the print.",
            "",
            *_fallen(claims, names or {}),
            "## Every claim",
            "",
            *about,
            "",
            f"A score is *much* larger from {MUCH:g} on, *close* below that; a number is *about* "
            f"another one within {100 * ABOUT:g} %. Several parts of a claim are joined by `;`. "
            f"*{TIMED}*: measured seconds or bytes decide the claim, so that its verdict may "
            "differ from run to run; see the report of the run.",
            "",
            pd.DataFrame(rows).to_markdown(index=False) if rows else "No claim in this run.",
            "",
        ]
    )


def _fallen(claims: Sequence[Mapping[str, Any]], names: Mapping[str, str]) -> list[str]:
    """The refuted claims, paper by paper, each with the evidence against it."""
    lines = ["## What falls, and why", ""]
    fallen = [row for row in claims if row["verdict"] == REFUTED]
    for paper, rows in itertools.groupby(fallen, key=lambda row: row["paper"]):
        lines += [f"### {names.get(paper, paper)}", ""]
        for row in rows:
            text = f"{row['where']}: *{row['claim'].strip()}*. {row['evidence']}"
            lines.append(f"- `{row['id']}`, {text}".replace("<", "&lt;"))
        lines.append("")
    return lines if fallen else [*lines, "Nothing.", ""]


def deviations_markdown(rows: Iterable[Mapping[str, Any]]) -> str:
    """What differs under the counted reading, and why.

    Parameters
    ----------
    rows : iterable of mapping
        One row per printed number, as `distinct` returns them.
    """
    import pandas as pd

    found = [
        {
            **{name: row[name] for name in ("paper", "artefact", "dataset", "method", "metric")},
            "printed": row["printed"],
            "ours": f"{float(row['reproduced']):.4g}",
            "oracle": row["oracle"],
            "reason": (row["reason"] or UNEXPLAINED).replace("|", "\\|"),
        }
        for row in rows
        if row["verdict"] == DIFFERS
    ]
    open_ = sum(row["reason"].startswith(UNEXPLAINED) for row in found)
    return "\n".join(
        [
            "# What differs, and why",
            "",
            f"{len(found)} printed numbers differ from ours under the counted reading. For {open_} "
            "of them nothing that was tried gives the printed number.",
            "",
            pd.DataFrame(found).to_markdown(index=False) if found else "Nothing differs.",
            "",
        ]
    )


def insert(text: str, part: str, name: str = "rollup") -> str:
    """Text with a part of it, between ``<!-- name -->`` and ``<!-- /name -->``, made anew.

    Raises
    ------
    UserError
        If the text does not hold both marks once.
    """
    begin, end = f"<!-- {name} -->", f"<!-- /{name} -->"
    if text.count(begin) != 1 or text.count(end) != 1:
        raise UserError(f"the text must hold {begin} and {end} once each")
    return re.sub(
        f"{re.escape(begin)}.*{re.escape(end)}",
        lambda _: f"{begin}\n{part}{end}",
        text,
        flags=re.DOTALL,
    )


def draw(
    papers: Sequence[Mapping[str, str]],
    numbers: Mapping[str, Counter[str]],
    claims: Mapping[str, Counter[str]],
) -> Figure:
    """Shares of the verdicts, one bar per paper: numbers on the left, claims on the right."""
    figure, panels = new_figure(PAGE, 1.1 + 0.33 * len(papers), 2)
    for axes, head, counts, verdicts in (
        (panels[0], "printed numbers", numbers, VERDICTS),
        (panels[1], "claims", claims, (*CLAIM_VERDICTS, TIMED)),
    ):
        named = {
            f"{p['name']} ({counts.get(p['id'], Counter()).total()})": counts.get(
                p["id"], Counter()
            )
            for p in papers
        }
        bars(axes, named, verdicts, numbers=True)
        axes.set_xlabel(f"% of the {head}")
        legend = {"bbox_to_anchor": (-0.3, 1.0), "columnspacing": 0.9, "handlelength": 1.3}
        axes.legend(loc="lower left", ncols=3, **legend)
    return figure


def bars(
    axes: Axes, counts: Mapping[str, Counter[str]], verdicts: Sequence[str], *, numbers: bool
) -> None:
    """Shares of the verdicts, one bar per name, with entries for a legend.

    Parameters
    ----------
    axes : Axes
        Where to.
    counts : mapping
        Counts of verdicts by name.
    verdicts : sequence of str
        What is drawn, from the left.
    numbers : bool
        Whether the counts stand in the bars.
    """
    for verdict in verdicts:
        colour, hatch = LOOKS[verdict]
        axes.barh(0, 0, color=colour, hatch=hatch, ec="white", label=verdict)
    for i, found in enumerate(counts.values()):
        left = 0.0
        for verdict in verdicts:
            share = 100 * found[verdict] / max(found.total(), 1)
            colour, hatch = LOOKS[verdict]
            axes.barh(i, share, 0.68, left=left, color=colour, hatch=hatch, ec="white", lw=0.6)
            if numbers and share >= 7:
                number = str(found[verdict])
                box = {"fc": "white", "ec": "none", "pad": 1.0, "alpha": 0.85}
                axes.text(left + share / 2, i, number, ha="center", va="center", bbox=box)
            left += share
    axes.set_yticks(range(len(counts)), list(counts))
    axes.set_ylim(len(counts) - 0.5, -0.5)
    axes.set_xlim(0, 100)
