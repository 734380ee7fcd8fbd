"""Main findings on DILCA: the purity that it prints, and scores repeated from other methods."""

from collections.abc import Sequence
from typing import Any

import pandas as pd

from replication.judge.cells import COMPARABLE, enumerated
from replication.judge.verdicts import printed_number
from replication.papers.dilca.records import INDICES, gives
from replication.show.findings import Found, Row, joined, panel
from replication.show.rollup import FIRST
from replication.show.style import COLOURS, GREY


def purity(rows: Sequence[Row]) -> Found | None:
    """State which index DILCA prints as purity."""
    cells = pd.DataFrame(rows)
    cells = cells[(cells["reading"] == FIRST) & cells["verdict"].isin(COMPARABLE)]
    cells = cells.query("inverse != '' and eq5 != ''").drop_duplicates(["dataset", "method"])
    if cells.empty:
        return None
    kinds = ("inverse", "eq5")
    fits = {kind: sum(map(gives, cells["printed"], cells[kind].astype(float))) for kind in kinds}
    figure, axes = panel()
    axes.plot([0, 100], [0, 100], color=GREY, lw=0.8, zorder=0)
    for kind, label, colour, mark in (
        ("eq5", "purity", COLOURS[1], "x"),
        ("inverse", "inverse purity", COLOURS[0], "o"),
    ):
        x, y = (100 * cells[name].astype(float) for name in ("printed_value", kind))
        look: dict[str, Any] = {"ms": 3.2, "mfc": "none", "color": colour}
        axes.plot(x, y, mark, **look, label=f"{label}: {fits[kind]} equal")
    axes.set(xlabel="printed as purity (%)", ylabel="ours (%)")
    axes.legend(loc="lower right", handletextpad=0.1, borderpad=0.1)
    return Found(
        f"The scores that DILCA reports as purity are in fact inverse purity: {fits['inverse']} of "
        f"{len(cells)} match that definition to the last digit, {fits['eq5']} match purity.",
        "Printed purity against ours by either definition; equal numbers lie on the line",
        "purity, cell by cell",
        figure,
    )


def copied(rows: Sequence[Row]) -> Found | None:
    """Name the data sets on which the printed scores of DELTA are our scores of another method."""
    givers, copies = {}, []
    for _, cells in pd.DataFrame(rows).groupby("dataset", sort=False):
        delta = cells[cells["label"] == "DELTA"].set_index("metric")
        ours = cells.pivot_table("reproduced", "label", "metric", "first")
        met = {
            label
            for label, numbers in ours.iterrows()
            if len(delta) == 3
            and all(map(gives, delta["printed"], numbers.reindex(delta.index).astype(float)))
        }
        if len(met) == 1 and "DELTA" not in met:
            givers[delta["printed_name"].iloc[0]] = met.pop()
            copies += [*delta.reset_index().to_dict("records")]
    if not givers:
        return None
    printed = [float(printed_number(row["printed"]).value) for row in copies]
    ours = [float(row["reproduced"]) for row in copies]
    figure, axes = joined(
        [f"{row['printed_name']}, {INDICES[row['metric']]}" for row in copies],
        {
            "printed (ours of the other)": (printed, {"marker": "o", "color": COLOURS[1]}),
            "our DELTA": (ours, {"marker": "D", "mfc": "none", "color": COLOURS[0]}),
        },
    )
    axes.tick_params(axis="y", labelsize=6)
    axes.set(ylim=(len(copies) - 0.5, -0.5), xlabel="score of DELTA (1 is the best)")
    parts = [f"{name} ({giver})" for name, giver in givers.items()]
    return Found(
        f"On {len(parts)} data sets DILCA's column DELTA repeats another method's purity, NMI and "
        f"ARI to the last digit: {enumerated(parts)}.",
        "Printed scores of DELTA, which equal ours of another method, and our scores of DELTA",
        "DILCA's numbers that differ, and definitions that give them",
        figure,
    )
