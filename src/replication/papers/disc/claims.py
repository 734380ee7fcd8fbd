"""Test the claims of DISC; each function returns the cases of one claim."""

import pandas as pd

from replication.judge.claims import (
    EQUAL,
    ClaimBook,
    Evidence,
    MissingEvidenceError,
    Outcome,
    cases,
)
from replication.judge.verdicts import EXACT, WITHIN_NOISE
from replication.papers.disc.records import (
    DISC,
    FIRST,
    KMODES,
    LOWER,
    METRICS,
    RELEASED,
    WITHOUT,
    average_ranks,
)

CLAIMS = ClaimBook()
READING = ("reading", RELEASED, "literal", "repaired")
RIVALS = ("rivals", "ours where it agrees with print", "all of ours", "printed")
_SETS = 12
"""Data sets of the paper."""
_HALF = 0.005
"""Largest rounding error of a printed average rank."""


def _column(evidence: Evidence, artefact: str, method: str) -> pd.DataFrame:
    """Return ``printed_value`` and ``reproduced`` accuracy of one method, by data set."""
    rows = evidence.table(artefact, evidence.choice(*READING)).query(
        "method == @method and metric == 'accuracy' and dataset != 'all'"
    )
    columns = rows.set_index("dataset")[["printed_value", "reproduced"]].astype(float).dropna()
    if len(columns) < _SETS:
        raise MissingEvidenceError(f"{artefact} has {len(columns)} of {_SETS} data sets")
    return columns


def _printed(evidence: Evidence, metric: str, artefact: str = "table02") -> pd.DataFrame:
    """Return the printed cells of a metric, with their ``value`` as a number."""
    cells = evidence.printed.query("artefact == @artefact and metric == @metric and value != ''")
    return cells.astype({"value": float})


def _scores(evidence: Evidence, metric: str) -> pd.DataFrame:
    """Return the printed scores of Table 2: data sets in rows, methods in columns."""
    return _printed(evidence, metric).pivot_table("value", "dataset_id", "method_id", sort=False)


def _ranks(evidence: Evidence, metric: str) -> dict[str, float]:
    """Return the printed average ranks of a metric, by method."""
    rows = _printed(evidence, f"{metric}_average_rank")
    return dict(zip(rows["method_id"], rows["value"], strict=True))


def _near(first: float, second: float) -> bool:
    return abs(first - second) <= _HALF + 1e-9


@CLAIMS.about("disc-01")
def average_rank(evidence: Evidence) -> Outcome:
    """Average rank of DISC by accuracy, and that of the next method."""
    rows = evidence.table("table02", evidence.choice(*READING)).dropna(subset="reproduced")
    rows = rows[rows["metric"] == "accuracy_average_rank"]
    if rows.empty:
        raise MissingEvidenceError("no average ranks: a data set is missing")
    rows = rows.set_index("method").astype(
        {"reproduced": float, "spread_min": float, "spread_max": float}
    )
    said = (1.25, 5.21)
    rivals = rows["reproduced"].drop(DISC)
    places = [DISC, str(rivals.idxmin())]
    printed = _ranks(evidence, "accuracy")
    theirs = (printed[DISC], min(rank for name, rank in printed.items() if name != DISC))
    low, high = rows["spread_min"] - _HALF, rows["spread_max"] + _HALF
    return Outcome(
        cases(
            ("DISC", "the next method"),
            [low[one] <= rank <= high[one] for one, rank in zip(places, said, strict=True)],
            ours=rows["reproduced"][places],
            printed=said,
            print_holds=map(_near, theirs, said),
        ),
        "table02",
        "Average ranks with our scores of the methods that we ran, and the printed ones of the "
        "others. A case holds if the printed rank lies in the range that repeated runs give ours.",
        f"{rows['reproduced'][DISC]:.2f}",
    )


@CLAIMS.about("disc-02")
def most_accurate(evidence: Evidence) -> Outcome:
    """Accuracy of DISC above that of every other method, by data set."""
    reading = evidence.choice(*READING)
    ours = _column(evidence, "table02", DISC)["reproduced"]
    printed = _scores(evidence, "accuracy").loc[ours.index]
    best = _best_rival(evidence, reading).loc[ours.index]
    return Outcome(
        _ahead(
            evidence,
            ours.index,
            ours,
            best,
            printed[DISC],
            printed.drop(columns=[DISC]).max(axis=1),
        ),
        "table02",
        "Values are the lead over all others. A rival has our accuracy where it agrees with print, "
        "and otherwise the printed one.",
    )


def _best_rival(evidence: Evidence, reading: str) -> pd.Series:
    """Return the highest accuracy of the other methods, by data set.

    A method without the reading has its counted one. Where ours differs from print, our program of
    a rival may be another method, so print counts.
    """
    taken = evidence.choice(*RIVALS)
    rows = evidence.table("table02").query("metric == 'accuracy' and dataset != 'all'")
    rows = rows[rows["method"] != DISC]
    own = rows[rows["reading"] == reading]
    others = rows[(rows["reading"] == RELEASED) & ~rows["method"].isin(own["method"])]
    rows = pd.concat([own, others]).astype({"reproduced": float, "printed_value": float})
    agrees = rows["verdict"].isin([EXACT, WITHIN_NOISE])
    kept = agrees if taken == RIVALS[1] else pd.Series(taken == RIVALS[2], rows.index)
    values = rows["reproduced"].where(kept).fillna(rows["printed_value"])
    return values.groupby(rows["dataset"]).max()


@CLAIMS.about("disc-03")
def ranks_follow(evidence: Evidence) -> Outcome:
    """Printed average ranks against those of the printed columns."""
    found = {
        f"{name} {metric}": (float(ranks[name]), said)
        for metric in METRICS
        for ranks in [average_ranks(_scores(evidence, metric), metric in LOWER)]
        for name, said in _ranks(evidence, metric).items()
    }
    ours, printed = zip(*found.values(), strict=True)
    held = map(_near, ours, printed)
    return Outcome(cases(found, ours=ours, printed=printed, print_holds=held), "table02")


@CLAIMS.about("disc-04")
def repeating_helps(evidence: Evidence) -> Outcome:
    """Accuracy of DISC at least that without the outer loop."""
    whole, part = (_column(evidence, "table03", name) for name in (DISC, FIRST))
    gaps = whole - part
    # the paper counts 11 of 12 data sets, and on one of them it prints two equal numbers
    held = gaps >= -EQUAL
    return Outcome(
        cases(
            whole.index.str.upper(),
            held["reproduced"],
            ours=gaps["reproduced"],
            printed=gaps["printed_value"],
            print_holds=held["printed_value"],
            margin=gaps["reproduced"],
        ),
        "table03",
        "Values are the accuracy lost; equal accuracies hold, as in the count of the paper.",
    )


@CLAIMS.about("disc-05")
def distances_help(evidence: Evidence) -> Outcome:
    """Accuracy with distances that are learnt once above that with mismatches."""
    first, without = (_column(evidence, "table03", name) for name in (FIRST, WITHOUT))
    pairs = (one[key] for key in ("reproduced", "printed_value") for one in (first, without))
    return Outcome(
        _ahead(evidence, first.index.str.upper(), *pairs),
        "table03",
        "Values are the accuracy gained.",
    )


def _ahead(
    evidence: Evidence, names: pd.Index, ours: pd.Series, other: pd.Series, *printed: pd.Series
) -> pd.DataFrame:
    """Return one case per data set, which holds if a first column is ahead of a second one."""
    gaps = [(a - b).tolist() for a, b in ((ours, other), printed)]
    held = [map(evidence.ahead, a, b) for a, b in ((ours, other), printed)]
    return cases(
        *(names, held[0]), ours=gaps[0], printed=gaps[1], print_holds=held[1], margin=gaps[0]
    )


@CLAIMS.about("disc-06")
def is_kmodes(evidence: Evidence) -> Outcome:
    """Printed column of the variant without learnt distances against that of k-modes."""
    modes, without = (
        rows[rows["method_id"] == method].set_index("dataset_id")["printed"]
        for method, artefact in ((KMODES, "table02"), (WITHOUT, "table03"))
        for rows in [_printed(evidence, "accuracy", artefact)]
    )
    without = without[modes.index]
    return Outcome(
        cases(modes.index.str.upper(), ours=without, printed=modes, print_holds=without == modes),
        "table03",
        "The printed columns of DISC-II and k-modes are compared.",
    )


@CLAIMS.about("disc-07")
def on_a_line(evidence: Evidence) -> Outcome:
    """Path lengths in the tree against differences of positions on a line."""
    held = evidence.experiment("line")["largest_difference"] <= 1e-12
    return Outcome(
        pd.concat(
            cases([name], [told], n=[int((held == told).sum())])
            for name, told in (("drawn clusters", True), ("other drawn clusters", False))
            if (held == told).any()
        ),
        "line",
        "A case is a drawn cluster whose paths in the minimum spanning tree equal |p(x) - p(y)|.",
    )
