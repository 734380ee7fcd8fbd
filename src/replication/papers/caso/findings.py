"""Main finding on CASO: the weight of rare values in CADO."""

from collections.abc import Sequence
from statistics import median

from replication.show.findings import Found, Row, joined
from replication.show.style import COLOURS


def rare(rows: Sequence[Row]) -> Found | None:
    """State the share of CADO that comparisons with rare values contribute."""
    # rare: in at most 1 % of the objects
    shown = [row for row in rows if float(row["share"]) == 0.01 and row["distance"]]
    plain = {row["dataset"]: row for row in shown if row["measure"] == "smd"}
    every = [row for row in shown if row["measure"] == "cado"]
    cells = [row for row in every if float(row["comparisons"]) > 0]
    if not cells:
        return None
    middle = median(float(row["distance"]) for row in every)
    cells.sort(key=lambda row: float(row["distance"]))
    most = cells[-1]
    simple = [100 * float(plain[row["dataset"]]["distance"]) for row in cells]
    learnt = [100 * float(row["distance"]) for row in cells]
    figure, axes = joined(
        [row["printed_name"] for row in cells],
        {
            "simple matching": (simple, {"marker": "o", "mfc": "none", "color": COLOURS[0]}),
            "CADO": (learnt, {"marker": "D", "color": COLOURS[1]}),
        },
    )
    axes.set(xlabel="% of the total distance", xlim=(-1, None))
    return Found(
        "CADO, the distance of the CASO paper, can depend on rare values: on "
        f"{most['printed_name']}, {float(most['comparisons']):.1%} of the comparisons make up "
        f"{float(most['distance']):.0%} of the distance. The median over {len(every)} data sets is "
        f"{middle:.0%}; {len(every) - len(cells)} of them have no rare values.",
        "Share of the total distance that comes from comparisons with a rare value",
        "rare values, data set by data set",
        figure,
    )
