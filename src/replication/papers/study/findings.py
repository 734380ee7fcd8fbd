"""Main finding of the study."""

from collections.abc import Sequence

from replication.papers.study.analysis import ROCK
from replication.show.findings import Found, Row, panel
from replication.show.style import COLOURS, GREY


def duels(rows: Sequence[Row]) -> Found:
    """Summarise the papers' one-to-one comparisons under one protocol.

    The rows are those of the tables `duels` and `conclusions`; their keys tell them apart.
    """
    variants = [row for row in rows if "one-to-one" in row.get("conclusion", "")]
    rows = [row for row in rows if "verdict" in row]
    verdicts = [row["verdict"] for row in rows]
    figure, axes = panel()
    for i, row in enumerate(sorted(rows, key=lambda row: float(row["mean_difference"]))):
        low, mid, high = (float(row[name]) for name in ("low", "mean_difference", "high"))
        colour = {"better": COLOURS[0], "worse": COLOURS[1]}.get(row["verdict"], GREY)
        axes.plot([low, high], [i, i], color=colour, lw=1.2)
        axes.plot(mid, i, "o", color=colour, ms=3)
    axes.axvline(0, color="black", lw=0.6)
    axes.set(
        yticks=[], xlabel="gain in adjusted Rand index, 95 % interval", ylabel=f"{len(rows)} claims"
    )
    plain = [
        row["verdict"] in ("better", "worse")
        for row in rows
        if not row["first"].endswith(ROCK) and not row["second"].endswith(ROCK)
    ]
    share = sum(row["holds"] == "yes" for row in variants) / max(len(variants), 1)
    most = max(int(row["datasets"]) for row in rows)
    return Found(
        f"Of {len(rows)} one-to-one comparisons that the papers claim, {verdicts.count('better')} "
        f"hold after correction in a common test on up to {most} data sets; for "
        f"{verdicts.count('worse')} the opposite holds. "
        f"Without ROCK at its fixed threshold, {sum(plain)} of {len(plain)} are significant; in "
        f"{share:.0%} of {len(variants)} defensible analyses none is.",
        "Gain of the measure that is claimed to be better, one line per claim",
        "the study's table of one-to-one comparisons",
        figure,
    )
