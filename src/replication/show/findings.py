"""Step `findings`: what a reader should know first, each in one sentence, one picture, one link.

Every number in a sentence is counted from the ledger and from the tables of the papers, so that a
sentence cannot drift from what it rests on. A finding whose tables are not in the run is left out.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from replication.errors import UserError
from replication.files import check_seals, read_json, read_rows, write_json, write_text
from replication.judge.cells import VERDICT_COLUMNS, enumerated
from replication.judge.claims import CLAIM_VERDICTS, CONFIRMED, REFUTED
from replication.judge.claims import COLUMNS as CLAIM_COLUMNS
from replication.judge.verdicts import (
    EXACT,
    NOT_COMPARABLE,
    NOT_RUN,
    VERDICTS,
    WITHIN_NOISE,
    equals_printed,
    parse_printed,
)
from replication.show.rollup import FIRST, bars, count, distinct, first_reading
from replication.show.style import COLOURS, GREY, LIGHT, new_figure, svg_bytes
from replication.steps import specification

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SIZE = (3.6, 1.75)
"""Width and height of every picture, in inches."""
LEVEL = 0.05
"""Level below which a corrected p speaks against chance."""
STANDARD = "latent class analysis"
"""What advice of the study is compared with, beside k-modes."""

_GIVER = re.compile(r"all three numbers are ours of ([^,]+)$")

Row = Mapping[str, str]


@dataclass(frozen=True)
class Finding:
    """One finding.

    Attributes
    ----------
    id : str
        Name of its picture.
    sentence : str
        What was found.
    seen : str
        What the picture shows.
    evidence : str
        What the link leads to, in words.
    file : str
        File of the evidence, relative to the folder of the figures.
    page : str
        Anchor of the evidence in the report.
    """

    id: str
    sentence: str
    seen: str
    evidence: str
    file: str
    page: str


Drawn = tuple[Finding, "Figure"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the step."""
    parser.add_argument("--spec", required=True, help="papers and tables (JSON)")
    parser.add_argument("--verdicts", type=Path, required=True, help="ledger of numbers (CSV)")
    parser.add_argument("--claims", type=Path, required=True, help="ledger of claims (CSV)")
    parser.add_argument("--markdown", type=Path, required=True, help="output (Markdown)")
    parser.add_argument("--folder", type=Path, required=True, help="output (JSON and pictures)")


def run(args: argparse.Namespace) -> int:
    """Run the step."""
    spec = specification(args.spec)
    check_seals([args.verdicts, args.claims])
    tables = {name: read_rows(Path(file)) for name, file in spec["tables"].items()}
    names = spec["names"]
    numbers = _named(distinct(first_reading(read_rows(args.verdicts, VERDICT_COLUMNS))), names)
    claims = _named(read_rows(args.claims, CLAIM_COLUMNS), names)
    args.folder.mkdir(parents=True, exist_ok=True)
    found = []
    for finding, figure in find(numbers, claims, tables):
        found.append(finding)
        (args.folder / f"{finding.id}.svg").write_bytes(svg_bytes(figure, finding.seen))
    write_json(args.folder / "findings.json", {"findings": [asdict(one) for one in found]})
    write_text(args.markdown, markdown(found))
    return 0


def _named(rows: Iterable[Row], names: Mapping[str, str]) -> list[Row]:
    """Rows of a ledger with the names of the papers instead of their ids."""
    return [{**row, "paper": names.get(row["paper"], row["paper"])} for row in rows]


def find(
    numbers: Sequence[Row], claims: Sequence[Row], tables: Mapping[str, Sequence[Row]]
) -> list[Drawn]:
    """All findings that the run bears out, with their pictures.

    Parameters
    ----------
    numbers : sequence of mapping
        One row of the ledger per printed number.
    claims : sequence of mapping
        The claims of the ledger.
    tables : mapping of str to sequence of mapping
        Rows of the tables that were made, by paper and artefact.
    """
    purity = [
        row for name in ("fig03", "fig06", "fig09") for row in tables.get(f"dilca/{name}", ())
    ]
    steps: list[tuple[Callable[[Sequence[Row]], Drawn | None], Sequence[Row]]] = [
        (exact_numbers, numbers),
        (inverse_purity, purity),
        (copied_columns, tables.get("dilca/unexplained", ())),
        (rare_values, tables.get("caso/rare_values", ())),
        (fallen_claims, claims),
        (duels, tables.get("study/duels", ())),
        (advice, tables.get("study/answer", ())),
    ]
    found = [step(rows) for step, rows in steps if rows]
    return [one for one in found if one]


# ------------------------------------------------------------------------------ the findings


def exact_numbers(rows: Sequence[Row]) -> Drawn | None:
    """How many printed numbers come out to the last digit."""
    counts = count(rows)
    total = sum(counts.values(), start=type(next(iter(counts.values())))())
    able = total.total() - total[NOT_COMPARABLE] - total[NOT_RUN]
    if not able:
        return None
    sentence = (
        f"Of {able:,} printed numbers that can be compared, {total[EXACT]:,} "
        f"({total[EXACT] / able:.0%}) come out to the last digit, and {total[WITHIN_NOISE]} more "
        "lie where chance alone can put them."
    )
    figure, axes = _panel()
    _bars(axes, counts, VERDICTS)
    axes.set_xlabel("% of the printed numbers")
    return Finding(
        "exact",
        sentence,
        "Verdicts on the printed numbers of each paper",
        "every number",
        "rollup.md",
        "#numbers",
    ), figure


def inverse_purity(rows: Sequence[Row]) -> Drawn | None:
    """Which index DILCA prints as purity."""
    kept: dict[tuple[str, str], Row] = {}
    for row in rows:
        counted = row["reading"] == FIRST and row["verdict"] not in (NOT_COMPARABLE, NOT_RUN)
        if counted and row["inverse"] and row["eq5"]:
            kept.setdefault((row["dataset"], row["method"]), row)
    cells = list(kept.values())
    if not cells:
        return None
    fits = {
        kind: sum(equals_printed(parse_printed(row["printed"]), float(row[kind])) for row in cells)
        for kind in ("inverse", "eq5")
    }
    figure, axes = _panel()
    axes.plot([0, 100], [0, 100], color=GREY, lw=0.8, zorder=0)
    for kind, label, colour, mark in (
        ("eq5", "purity", COLOURS[1], "x"),
        ("inverse", "inverse purity", COLOURS[0], "o"),
    ):
        axes.plot(
            [100 * float(row["printed_value"]) for row in cells],
            [100 * float(row[kind]) for row in cells],
            mark,
            ms=3.2,
            mfc="none",
            color=colour,
            label=f"{label}: {fits[kind]} equal",
        )
    axes.set_xlabel("printed as purity (%)")
    axes.set_ylabel("ours (%)")
    axes.legend(loc="lower right", handletextpad=0.1, borderpad=0.1)
    return Finding(
        "purity",
        f"What DILCA prints as purity is another score, inverse purity: {fits['inverse']} of "
        f"{len(cells)} values are ours of that one to the last digit; taken as purity, only "
        f"{fits['eq5']} are.",
        "Printed purity against ours by either definition; equal numbers lie on the line",
        "purity, cell by cell",
        "dilca/fig03.md",
        "#dilca-fig03",
    ), figure


def copied_columns(rows: Sequence[Row]) -> Drawn | None:
    """Cells of DELTA that are another method's."""
    found: dict[str, tuple[str, list[Row]]] = {}
    for row in rows:
        if row["method"] == "delta" and (giver := _GIVER.match(row["givers"])):
            found.setdefault(row["printed_name"], (giver[1], []))[1].append(row)
    if not found:
        return None
    parts = [f"{name} ({giver})" for name, (giver, _) in found.items()]
    figure, axes = _panel()
    labels = []
    for name, (_, cells) in found.items():
        for row in cells:
            y, printed = len(labels), float(parse_printed(row["printed"]).value)
            axes.plot([printed, float(row["reproduced"])], [y, y], color=LIGHT, lw=1.2, zorder=0)
            axes.plot(printed, y, "o", color=COLOURS[1], ms=4)
            axes.plot(float(row["reproduced"]), y, "D", mfc="none", color=COLOURS[0], ms=4)
            labels.append(f"{name}, {row['metric']}")
    axes.set_yticks(range(len(labels)), labels)
    axes.tick_params(axis="y", labelsize=6, length=0)
    axes.set_ylim(len(labels) - 0.5, -0.5)
    axes.set_xlabel("● printed (ours of the other)   ◇ our DELTA")
    return Finding(
        "copied",
        f"On {len(parts)} data sets DILCA's column DELTA holds another method's numbers, all three "
        f"of them, digit by digit: {enumerated(parts)}.",
        "Printed numbers of DELTA, which are ours of another method, and our DELTA",
        "what differs in DILCA, and what else gives the digits",
        "dilca/unexplained.md",
        "#dilca-unexplained",
    ), figure


def rare_values(rows: Sequence[Row]) -> Drawn | None:
    """How much of CADO rests on comparisons with rare values."""
    share = 0.01
    cells = [row for row in rows if float(row["share"]) == share and row["measure"] == "cado"]
    plain = {
        row["dataset"]: row
        for row in rows
        if float(row["share"]) == share and row["measure"] == "smd"
    }
    cells = [row for row in cells if row["distance"] and float(row["comparisons"]) > 0]
    if not cells:
        return None
    most = max(cells, key=lambda row: float(row["distance"]))
    cells.sort(key=lambda row: float(row["distance"]))
    figure, axes = _panel()
    for i, row in enumerate(cells):
        simple, learnt = (100 * float(one["distance"]) for one in (plain[row["dataset"]], row))
        axes.plot([simple, learnt], [i, i], color=LIGHT, lw=1.2, zorder=0)
        axes.plot(simple, i, "o", mfc="none", color=COLOURS[0], ms=4)
        axes.plot(learnt, i, "D", color=COLOURS[1], ms=4)
    axes.set_yticks(range(len(cells)), [row["printed_name"] for row in cells])
    axes.tick_params(axis="y", length=0)
    axes.set_xlabel("% of the distance   ○ simple matching   ◆ CADO")
    axes.set_xlim(left=-1)
    return Finding(
        "rare",
        "CADO, the distance of the CASO paper, rests on rare values: on "
        f"{most['printed_name']} {float(most['comparisons']):.1%} of the comparisons make up "
        f"{float(most['distance']):.0%} of it.",
        "Share of the total distance that comparisons with a rare value carry",
        "rare values, data set by data set",
        "caso/rare_values.md",
        "#caso-rare-values",
    ), figure


def fallen_claims(rows: Sequence[Row]) -> Drawn | None:
    """Which claims fall."""
    counts = count(rows)
    total = sum(counts.values(), start=type(next(iter(counts.values())))())
    fallen = [f"{found[REFUTED]} of {paper}" for paper, found in counts.items() if found[REFUTED]]
    rest = total.total() - total[CONFIRMED] - total[REFUTED]
    figure, axes = _panel()
    _bars(axes, counts, CLAIM_VERDICTS)
    axes.set_xlabel("% of the claims")
    return Finding(
        "claims",
        f"Of {total.total()} claims that the papers make in words, {total[CONFIRMED]} hold and "
        f"{total[REFUTED]} fall ({enumerated(fallen) or 'none'}); {rest} hold in part, or cannot "
        "be told.",
        "Verdicts on the claims of each paper",
        "every claim, with its evidence",
        "claims.md",
        "#claims",
    ), figure


def duels(rows: Sequence[Row]) -> Drawn | None:
    """What remains of the papers' claims of superiority under one protocol."""
    better = sum(row["verdict"] == "better" for row in rows)
    worse = sum(row["verdict"] == "worse" for row in rows)
    figure, axes = _panel()
    ordered = sorted(rows, key=lambda row: float(row["mean_difference"]))
    for i, row in enumerate(ordered):
        low, mid, high = (float(row[name]) for name in ("low", "mean_difference", "high"))
        colour = {"better": COLOURS[0], "worse": COLOURS[1]}.get(row["verdict"], GREY)
        axes.plot([low, high], [i, i], color=colour, lw=1.2)
        axes.plot(mid, i, "o", color=colour, ms=3)
    axes.axvline(0, color="black", lw=0.6)
    axes.set_yticks([])
    axes.set_ylabel(f"{len(rows)} claims")
    axes.set_xlabel("gain in adjusted Rand index, 95 % interval")
    beyond = {0: "none holds", 1: "one holds"}.get(better, f"{better} hold")
    reverse = {0: "", 1: ", and of one the opposite does"}.get(
        worse, f", and of {worse} the opposite does"
    )
    most = max(int(row["datasets"]) for row in rows)
    return Finding(
        "duels",
        f"Put to one common test on up to {most} data sets, of the papers' {len(rows)} claims that "
        f"one measure beats another {beyond} beyond chance{reverse}.",
        "Gain of the measure that is said to be better, one line per claim",
        "the study's table of duels",
        "study/duels.md",
        "#study-duels",
    ), figure


def advice(rows: Sequence[Row]) -> Drawn | None:
    """What advice on the choice of a method is worth on an unseen data set."""
    first = rows[0]
    better, worse = int(first["better"]), int(first["worse"])
    tried = better + int(first["same"]) + worse
    above = sum(float(row["p_holm"]) < LEVEL for row in rows)
    figure, axes = _panel()
    for i, row in enumerate(rows):
        ours = int(row["better"]) - int(row["worse"])
        chance = float(row["chance_better"]) - float(row["chance_worse"])
        colour = COLOURS[0] if float(row["p_holm"]) < LEVEL else GREY
        axes.plot([chance, ours], [i, i], color=LIGHT, lw=1.2, zorder=0)
        axes.plot(chance, i, "o", mfc="none", color="black", ms=4)
        axes.plot(ours, i, "D", color=colour, ms=4)
    standard = [row for row in rows if row["against"] == STANDARD]
    marks = {id(first): "*", **{id(row): "**" for row in standard}}
    names = [f"{row['choice']}{marks.get(id(row), '')}" for row in rows]
    axes.set_yticks(range(len(rows)), names)
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.axvline(0, color="black", lw=0.6)
    axes.set_xlabel("data sets better − worse   ○ at random   ◆ advice")
    return Finding(
        "advice",
        "Advice that has not seen a data set is worth something: what it names beats "
        f"{first['against']} on {better} of {tried} data sets and loses on {worse} (at "
        f"random: {float(first['chance_better']):.1f} and {float(first['chance_worse']):.1f}); "
        + "".join(
            f"against {STANDARD}, which needs no advice, it is better on {row['better']} and worse "
            f"on {row['worse']}; "
            for row in standard
        )
        + f"{above} of {len(rows)} kinds of advice are better than chance.",
        "Data sets on which unseen advice is better, less those on which it is worse, for each "
        f"choice; grey: no better than chance; *: against {first['against']}"
        + (f"; **: against {STANDARD}" if standard else ""),
        "the study's answer",
        "study/answer.md",
        "#study-answer",
    ), figure


def _panel() -> tuple[Figure, Axes]:
    figure, (axes,) = new_figure(*SIZE)
    return figure, axes


def _bars(axes: Axes, counts: Mapping[str, Any], verdicts: Sequence[str]) -> None:
    """Shares of the verdicts, one bar per paper."""
    used = [name for name in verdicts if any(found[name] for found in counts.values())]
    bars(axes, counts, used, numbers=False)
    axes.tick_params(axis="y", length=0)
    axes.legend(
        loc="lower left",
        bbox_to_anchor=(-0.25, 1.0),
        ncols=3,
        fontsize=6.5,
        columnspacing=0.8,
        handlelength=1.2,
        borderpad=0.1,
    )


# ------------------------------------------------------------------------------ as text


def markdown(findings: Iterable[Finding]) -> str:
    """All findings with their pictures, as Markdown beside the folder of the figures."""
    parts = ["# What was found", ""]
    for one in findings:
        parts += [
            f"{one.sentence} See [{one.evidence}]({one.file}).",
            "",
            f"![{one.seen}](findings/{one.id}.svg)",
            "",
        ]
    return "\n".join(parts)


def bullets(findings: Iterable[Mapping[str, str]], figures: str) -> str:
    """The findings as a list with links, for a text elsewhere.

    Parameters
    ----------
    findings : iterable of mapping
        Content of `findings.json`.
    figures : str
        Folder of the figures as seen from that text.
    """
    lines = [
        f"- {one['sentence']} ([{one['evidence']}]({figures}/{one['file']}))" for one in findings
    ]
    return "\n".join(lines) + "\n"


def read(folder: Path) -> list[dict[str, str]]:
    """Findings that the step wrote.

    Raises
    ------
    UserError
        If there are none.
    """
    path = Path(folder) / "findings.json"
    if not path.is_file():
        raise UserError(f"{path}: there is no such file; `snakemake --cores all` writes it")
    return read_json(path)["findings"]
