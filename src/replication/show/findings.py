"""Step `findings`: write the main findings, each with one sentence, one picture, one link.

Every number in a sentence is counted from the ledger and from the tables of the papers. A finding
about one paper is a function of the module `findings` of that paper; it is left out if its tables
are not part of the run.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from replication.files import read_json, read_rows, write_bytes, write_json, write_text
from replication.judge.cells import COMPARABLE, VERDICT_COLUMNS, enumerated
from replication.judge.chance import ALL, base_rates
from replication.judge.claims import CLAIM_COLUMNS, CLAIM_VERDICTS, CONFIRMED, REFUTED
from replication.judge.ledger import read_ledger
from replication.judge.verdicts import (
    EXACT,
    NOISES,
    NOT_COMPARABLE,
    NOT_RUN,
    VERDICTS,
    WITHIN_NOISE,
)
from replication.show.breakdown import SCORE, classified
from replication.show.claim_counts import (
    TIMED,
    ClaimCounts,
    count_by_paper,
    count_claims,
    described,
    in_words,
    settled,
)
from replication.show.rollup import LITERAL, apart, bars, count, distinct, first_reading
from replication.show.style import LIGHT, new_figure, svg_bytes
from replication.steps import load_class

SIZE = (3.6, 1.75)
"""Width and height of every picture, in inches."""

Row = Mapping[str, str]


class Found(NamedTuple):
    """A finding: its sentence and its picture, with captions of the picture and of the link."""

    sentence: str
    seen: str
    evidence: str
    figure: Figure


def run(spec: dict[str, Any], verdicts: Path, claims: Path, published: Path, folder: Path) -> None:
    """Run the step."""
    rows = classified(read_ledger(VERDICT_COLUMNS, verdicts), published)
    told = described(settled(read_ledger(CLAIM_COLUMNS, claims), spec["timed"]), published)
    rows, told = (
        table[table["paper"].isin(spec["headline"])].replace({"paper": spec["names"]})
        for table in (rows, told)
    )
    findings = []
    for place, found in (
        ({"id": "exact", "file": "rollup.md", "page": "#numbers"}, exact_numbers(rows)),
        *(_of_paper(one) for one in spec["findings"] if one["prints"]),
        ({"id": "claims", "file": "claims.md", "page": "#claims"}, fallen_claims(told)),
        *(_of_paper(one) for one in spec["findings"] if not one["prints"]),
    ):
        if found:
            write_bytes(folder / f"{place['id']}.svg", svg_bytes(found.figure, found.seen))
            texts = {"sentence": found.sentence, "seen": found.seen, "evidence": found.evidence}
            findings.append(place | texts)
    write_json(folder / "findings.json", {"findings": findings})
    write_text(folder.with_suffix(".md"), markdown(findings))


def _of_paper(entry: Mapping[str, Any]) -> tuple[dict[str, str], Found | None]:
    """Return id, evidence file and report page of a finding, and the finding; None without data."""
    paper, name, shown = entry["paper"], entry["id"], entry["artefact"]
    find = load_class(f"replication.papers.{paper}.findings:{name}")
    rows = [row for file in entry["tables"] for row in read_rows(Path(file))]
    page = f"#{paper}-{shown}".replace("_", "-")
    return {"id": name, "file": f"{paper}/{shown}.md", "page": page}, find(rows) if rows else None


def exact_numbers(verdicts: pd.DataFrame) -> Found | None:
    """Count the printed numbers that are exact, and those exact under the literal reading."""
    rows = distinct(first_reading(verdicts))
    total = Counter(rows["verdict"])
    able = total.total() - total[NOT_COMPARABLE] - total[NOT_RUN]
    if not able:
        return None
    literal = (distinct(first_reading(verdicts, LITERAL))["verdict"] == EXACT).sum()
    noises = Counter(rows.loc[rows["verdict"] == WITHIN_NOISE, "noise"])
    kinds = enumerated([f"{noises[name]} by {name}" for name in NOISES if noises[name]])
    sentence = (
        f"Of {able:,} printed numbers that can be compared, {total[EXACT]:,} "
        f"({total[EXACT] / able:.0%}) match to the last digit under the interpretation that the "
        f"evidence supports best, and {literal:,} if the texts are followed literally. Another "
        f"{total[WITHIN_NOISE]} are within noise{': ' * bool(kinds)}{kinds}. {by_kind(rows)}"
    )
    if len(scores := rows[rows["about"] == SCORE]):
        sentence += f" {scores_by_chance(scores)}"
    return Found(
        sentence,
        "Verdicts on the printed numbers of each paper",
        "every number",
        _shares(count(rows), VERDICTS, "printed numbers"),
    )


def by_kind(rows: pd.DataFrame) -> str:
    """Return a sentence with the exact numbers of each kind, among those that can be compared."""
    comparable = rows[rows["verdict"].isin(COMPARABLE)]
    parts = [
        f"{(part['verdict'] == EXACT).sum()} of {len(part)} ({kind})"
        for kind, part in comparable.groupby("about", sort=False)
    ]
    return f"Exact by kind: {enumerated(parts)}."


def scores_by_chance(scores: pd.DataFrame) -> str:
    """Return a sentence with the scores within noise, and those expected by chance."""
    rates = base_rates(scores)
    by_chance = rates.loc[rates["method"] == ALL, "within_noise_by_chance"].sum()
    within = (scores["verdict"] == WITHIN_NOISE).sum()
    return (
        f"Of the scores, {within} are within noise; if ours were of another method, about "
        f"{by_chance:.0f} would be."
    )


def fallen_claims(rows: pd.DataFrame) -> Found | None:
    """Count the claims that are confirmed and refuted, from rows of `described`."""
    if rows.empty:
        return None
    counted, by_paper = count_claims(rows), count_by_paper(rows)
    total = counted.verdicts
    fallen = [
        f"{one.verdicts[REFUTED]} of {paper}" + _by_causes(one)
        for paper, one in by_paper.items()
        if one.verdicts[REFUTED]
    ]
    rest = counted.total - total[CONFIRMED] - total[REFUTED] - total[TIMED]
    timed = f". Another {total[TIMED]} depend on measured times" if total[TIMED] else ""
    worded = in_words(rows)
    tests = worded.loc[worded["asserts"].str.contains("significant"), "verdict"].tolist()
    significant = (
        f" Of the {len(tests)} that assert statistical significance, {tests.count(CONFIRMED)} are "
        "confirmed."
    )
    return Found(
        f"Of {counted.total} claims that the papers make in words, {total[CONFIRMED]} are "
        f"confirmed, {total[REFUTED]} refuted, and {rest} only partly supported or untestable"
        f"{timed}."
        + f" Refuted{_causes(counted)}: {enumerated(fallen)}." * bool(fallen)
        + significant * bool(tests)
        + f" {apart(counted)}".rstrip(),
        "Verdicts on the claims of each paper",
        "every claim, with its evidence",
        _shares(
            {paper: one.verdicts for paper, one in by_paper.items()},
            (*CLAIM_VERDICTS, TIMED),
            "claims",
        ),
    )


def _causes(counts: ClaimCounts) -> str:
    """Return the number of causes of refuted claims in words, where several fall by one."""
    by = _by_causes(counts)
    return f"{by} cause{'s' * (counts.causes > 1)}" if by else ""


def _by_causes(counts: ClaimCounts) -> str:
    """Return the number of causes of refuted claims, where several fall by one."""
    return f" by {counts.causes}" if counts.causes < counts.verdicts[REFUTED] else ""


def panel() -> tuple[Figure, Axes]:
    """Return an empty figure in the size of every picture, and its axes."""
    figure, (axes,) = new_figure(*SIZE)
    return figure, axes


def joined(
    names: Sequence[str], sides: Mapping[str, tuple[Sequence[float], Mapping[str, Any]]]
) -> tuple[Figure, Axes]:
    """Draw two numbers per row, joined by a line; `sides` holds by label numbers and their look."""
    figure, axes = panel()
    places = range(len(names))
    first, second = (values for values, _ in sides.values())
    axes.hlines(places, first, second, color=LIGHT, lw=1.2, zorder=0)
    for label, (values, look) in sides.items():
        axes.plot(values, places, label=label, linestyle="none", ms=4, **look)
    above(axes)
    axes.set_yticks(places, names)
    axes.tick_params(axis="y", length=0)
    return figure, axes


def _shares(counts: Mapping[str, Any], verdicts: Sequence[str], noun: str) -> Figure:
    """Draw the shares of the verdicts, one bar per paper."""
    figure, axes = panel()
    used = [name for name in verdicts if any(found[name] for found in counts.values())]
    bars(axes, counts, used, numbers=False)
    axes.set_xlabel(f"% of the {noun}")
    axes.tick_params(axis="y", length=0)
    above(axes)
    return figure


def above(axes: Axes) -> None:
    """Draw a legend above the axes, from the left edge of the picture."""
    axes.legend(
        loc="lower left",
        bbox_to_anchor=(-0.25, 1.0),
        ncols=3,
        fontsize=6.5,
        borderpad=0.1,
        columnspacing=0.8,
        handlelength=1.2,
    )


def markdown(findings: Iterable[Mapping[str, str]]) -> str:
    """Return all findings with their pictures as Markdown."""
    parts = (
        f"{one['sentence']} See [{one['evidence']}]({one['file']}).\n\n"
        f"![{one['seen']}](findings/{one['id']}.svg)\n"
        for one in findings
    )
    return "\n".join(["# Findings\n", *parts])


def read(folder: Path) -> list[dict[str, str]]:
    """Read the findings that the step wrote.

    Raises `UserError` if the file is missing or damaged.
    """
    return read_json(Path(folder) / "findings.json", "findings")["findings"]
