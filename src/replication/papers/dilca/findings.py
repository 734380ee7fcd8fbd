"""Main findings on DILCA: the purity that it prints, equal scores, and ROCK's thresholds."""

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


def repeated(rows: Sequence[Row]) -> Found | None:
    """Name the data sets on which the printed scores of DELTA are those of one other method.

    They may be the other's printed scores, or ours of it where its own printed ones differ. Beside
    them: how often this happens to the other columns that differ from ours.
    """
    same_print: list[str] = []
    same_ours: list[str] = []
    shown: list[dict[str, Any]] = []
    others = again = 0
    for _, cells in pd.DataFrame(rows).groupby("dataset", sort=False):
        printed, ours = (
            cells.pivot_table(column, "label", "metric", "first").dropna()
            for column in ("printed", "reproduced")
        )
        for label, texts in printed.iterrows():
            met = [
                other
                for other, numbers in ours.iterrows()
                if len(texts) == len(INDICES) and all(map(gives, texts, numbers.astype(float)))
            ]
            if label in met or len(texts) < len(INDICES):
                continue
            if label != "DELTA":
                others, again = others + 1, again + bool(met)
            elif len(met) == 1:
                (giver,) = met
                name = cells["printed_name"].iloc[0]
                (same_print if printed.loc[giver].equals(texts) else same_ours).append(
                    f"{name} ({giver})"
                )
                shown += cells[cells["label"] == label].to_dict("records")
    if not shown:
        return None
    printed_values = [float(printed_number(row["printed"]).value) for row in shown]
    our_values = [float(row["reproduced"]) for row in shown]
    figure, axes = joined(
        [f"{row['printed_name']}, {INDICES[row['metric']]}" for row in shown],
        {
            "printed": (printed_values, {"marker": "o", "color": COLOURS[1]}),
            "our DELTA": (our_values, {"marker": "D", "mfc": "none", "color": COLOURS[0]}),
        },
    )
    axes.tick_params(axis="y", labelsize=6)
    axes.set(ylim=(len(shown) - 0.5, -0.5), xlabel="score of DELTA (1 is the best)")
    parts = [
        f"{words} {enumerated(names)}"
        for words, names in (
            ("those printed for another method on", same_print),
            ("ours of a method whose own printed ones differ on", same_ours),
        )
        if names
    ]
    return Found(
        f"The purity, NMI and ARI that DILCA prints for DELTA are {', and '.join(parts)}. Of the "
        f"{others} other triples of a method on a data set that differ from ours, {again} are ours "
        "of another method.",
        "Printed scores of DELTA, which equal those of another method, and our scores of DELTA",
        "DILCA's numbers that differ, and definitions that give them",
        figure,
    )


def thresholds(rows: Sequence[Row]) -> Found | None:
    """Compare ROCK's printed scores on the synthetic tables with ours by threshold."""
    cells = pd.DataFrame(rows)
    if cells.empty:
        return None
    low, stated = sorted(cells["theta"].astype(float).unique())
    cells = cells.assign(theta=cells["theta"].astype(float), hit=cells["inside"] == "yes")
    keys = ["dataset", "metric"]
    hits = cells.pivot_table("hit", keys, "theta", "max", sort=False)
    shown = cells[cells["metric"] == "nmi"].drop_duplicates(["dataset", "theta"])
    figure, axes = panel()
    for theta, label, colour, mark in (
        (stated, f"theta {stated:g}", COLOURS[1], "x"),
        (low, f"theta {low:g}", COLOURS[0], "D"),
    ):
        part = shown[shown["theta"] == theta].astype({"low": float, "high": float, "mean": float})
        look: dict[str, Any] = {"color": colour, "lw": 1.0}
        for i, one in enumerate(part.itertuples()):
            axes.plot([one.low, one.high], [i, i], **look)
        dots: dict[str, Any] = {"ms": 4, "mfc": "none", "color": colour}
        axes.plot(part["mean"], range(len(part)), mark, label=label, **dots)
    names = shown.drop_duplicates("dataset")
    printed = [float(printed_number(text).value) for text in names["printed"]]
    axes.plot(printed, range(len(names)), "o", color=GREY, ms=3, label="printed")
    axes.set(
        yticks=range(len(names)),
        yticklabels=names["printed_name"],
        ylim=(len(names) - 0.5, -0.5),
        xlabel="NMI of ROCK",
    )
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=3, handletextpad=0.3, borderpad=0.2)
    return Found(
        f"On tables of DILCA's generator no two objects have a Jaccard similarity above "
        f"{cells['similarity'].astype(float).max():.3f}, so ROCK joins none at the thresholds that "
        f"the paper states, {stated:g} and more: {int(hits[stated].sum())} of {len(hits)} printed "
        f"scores lie in the range of ours at {stated:g}, {int(hits[low].sum())} at {low:g}.",
        "NMI of ROCK on the synthetic tables: printed, and means and ranges of ours at two "
        "thresholds",
        "ROCK on the synthetic tables, by threshold",
        figure,
    )
