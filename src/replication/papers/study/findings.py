"""What a reader should know of the study first."""

from __future__ import annotations

from collections.abc import Sequence

from replication.papers.study.advice import AGAINST, STANDARD
from replication.papers.study.statistics import ALPHA
from replication.show.findings import Found, Row, panel
from replication.show.style import COLOURS, GREY, LIGHT


def duels(rows: Sequence[Row]) -> Found:
    """Say what remains of the papers' claims of superiority under one protocol."""
    better = sum(row["verdict"] == "better" for row in rows)
    worse = sum(row["verdict"] == "worse" for row in rows)
    figure, axes = panel()
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
    return Found(
        f"Put to one common test on up to {most} data sets, of the papers' {len(rows)} claims that "
        f"one measure beats another {beyond} beyond chance{reverse}.",
        "Gain of the measure that is said to be better, one line per claim",
        "the study's table of duels",
        figure,
    )


def advice(rows: Sequence[Row]) -> Found:
    """Say what advice on the choice of a method is worth on an unseen data set."""
    first = rows[0]
    better, worse = int(first["better"]), int(first["worse"])
    tried = better + int(first["same"]) + worse
    above = sum(float(row["p_holm"]) < ALPHA for row in rows)
    figure, axes = panel()
    for i, row in enumerate(rows):
        ours = int(row["better"]) - int(row["worse"])
        chance = float(row["chance_better"]) - float(row["chance_worse"])
        colour = COLOURS[0] if float(row["p_holm"]) < ALPHA else GREY
        axes.plot([chance, ours], [i, i], color=LIGHT, lw=1.2, zorder=0)
        axes.plot(chance, i, "o", mfc="none", color="black", ms=4)
        axes.plot(ours, i, "D", color=colour, ms=4)
    standard = [row for row in rows if row["against"] == AGAINST[STANDARD]]
    marks = {id(first): "*", **{id(row): "**" for row in standard}}
    names = [f"{row['choice']}{marks.get(id(row), '')}" for row in rows]
    axes.set_yticks(range(len(rows)), names)
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.axvline(0, color="black", lw=0.6)
    axes.set_xlabel("data sets better − worse   ○ at random   ◆ advice")
    return Found(
        "Advice that has not seen a data set is worth something: what it names beats "
        f"{first['against']} on {better} of {tried} data sets and loses on {worse} (at "
        f"random: {float(first['chance_better']):.1f} and {float(first['chance_worse']):.1f}); "
        + "".join(
            f"against {row['against']}, which needs no advice, it is better on {row['better']} "
            f"and worse on {row['worse']}; "
            for row in standard
        )
        + f"{above} of {len(rows)} kinds of advice are better than chance.",
        "Data sets on which unseen advice is better, less those on which it is worse, for each "
        f"choice; grey: no better than chance; *: against {first['against']}"
        + (f"; **: against {AGAINST[STANDARD]}" if standard else ""),
        "the study's answer",
        figure,
    )
