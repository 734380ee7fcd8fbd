"""What a reader should know of DILCA first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from replication.judge.cells import enumerated
from replication.judge.verdicts import NOT_COMPARABLE, NOT_RUN, equals_printed, parse_printed
from replication.show.findings import Found, Row, panel
from replication.show.rollup import FIRST
from replication.show.style import COLOURS, GREY, LIGHT


def purity(rows: Sequence[Row]) -> Found | None:
    """Say which index DILCA prints as purity."""
    kept: dict[tuple[str, str], Row] = {}
    for row in rows:
        counted = row["reading"] == FIRST and row["verdict"] not in (NOT_COMPARABLE, NOT_RUN)
        if counted and row["inverse"] and row["eq5"]:
            kept.setdefault((row["dataset"], row["method"]), row)
    cells = list(kept.values())
    if not cells:
        return None
    fits = {kind: sum(_equals(row, row[kind]) for row in cells) for kind in ("inverse", "eq5")}
    figure, axes = panel()
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
    return Found(
        f"What DILCA prints as purity is another score, inverse purity: {fits['inverse']} of "
        f"{len(cells)} values are ours of that one to the last digit; taken as purity, only "
        f"{fits['eq5']} are.",
        "Printed purity against ours by either definition; equal numbers lie on the line",
        "purity, cell by cell",
        figure,
    )


def copied(rows: Sequence[Row]) -> Found | None:
    """Name the data sets on which DELTA's printed numbers are those of one other method."""
    found = {}
    for dataset in dict.fromkeys(row["dataset"] for row in rows):
        columns: dict[str, dict[str, Row]] = {}
        for row in rows:
            if row["dataset"] == dataset:
                columns.setdefault(row["label"], {})[row["metric"]] = row
        delta = columns.pop("DELTA", {})
        givers = [label for label, column in columns.items() if _gives(column, delta)]
        if len(givers) == 1 and not _gives(delta, delta):
            found[next(iter(delta.values()))["printed_name"]] = (givers[0], delta)
    if not found:
        return None
    figure, axes = panel()
    labels = []
    for name, (_, delta) in found.items():
        for metric, row in delta.items():
            y, printed = len(labels), float(parse_printed(row["printed"]).value)
            axes.plot([printed, float(row["reproduced"])], [y, y], color=LIGHT, lw=1.2, zorder=0)
            axes.plot(printed, y, "o", color=COLOURS[1], ms=4)
            axes.plot(float(row["reproduced"]), y, "D", mfc="none", color=COLOURS[0], ms=4)
            labels.append(f"{name}, {metric}")
    axes.set_yticks(range(len(labels)), labels)
    axes.tick_params(axis="y", labelsize=6, length=0)
    axes.set_ylim(len(labels) - 0.5, -0.5)
    axes.set_xlabel("● printed (ours of the other)   ◇ our DELTA")
    parts = [f"{name} ({giver})" for name, (giver, _) in found.items()]
    return Found(
        f"On {len(parts)} data sets DILCA's column DELTA holds another method's numbers, all three "
        f"of them, digit by digit: {enumerated(parts)}.",
        "Printed numbers of DELTA, which are ours of another method, and our DELTA",
        "what differs in DILCA, and what else gives the digits",
        figure,
    )


def _gives(ours: Mapping[str, Row], printed: Mapping[str, Row]) -> bool:
    """Whether our numbers of one method are all three that are printed of another."""
    return len(printed) == 3 and all(
        metric in ours and _equals(row, ours[metric]["reproduced"])
        for metric, row in printed.items()
    )


def _equals(row: Row, ours: str) -> bool:
    return equals_printed(parse_printed(row["printed"]), float(ours))
