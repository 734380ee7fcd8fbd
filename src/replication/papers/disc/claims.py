"""Test the claims of DISC; each function returns the cases of one claim."""

import pandas as pd

from replication.judge.claims import ClaimBook, Evidence, MissingEvidenceError, Outcome, cases
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
    ours = dict(zip(rows["method"], rows["reproduced"].astype(float), strict=True))
    said = (1.25, 5.21)
    found, theirs = (
        (ranks[DISC], min(value for name, value in ranks.items() if name != DISC))
        for ranks in (ours, _ranks(evidence, "accuracy"))
    )
    return Outcome(
        cases(
            ("DISC", "the next method"),
            map(_near, found, said),
            ours=found,
            printed=said,
            print_holds=map(_near, theirs, said),
        ),
        "table02",
        "Average ranks with our columns of DISC and k-modes, the others as printed.",
        f"{found[0]:.2f}",
    )


@CLAIMS.about("disc-02")
def most_accurate(evidence: Evidence) -> Outcome:
    """Accuracy of DISC above that of every other method, by data set."""
    ours, modes = (_column(evidence, "table02", name) for name in (DISC, KMODES))
    printed = _scores(evidence, "accuracy").loc[ours.index]
    others = printed.drop(columns=[DISC]).max(axis=1)
    rivals = printed.drop(columns=[DISC, KMODES]).max(axis=1)
    best = pd.concat([modes["reproduced"], rivals], axis=1).max(axis=1)
    return Outcome(
        _ahead(evidence, ours.index, ours["reproduced"], best, printed[DISC], others),
        "table02",
        "Values are the lead over our k-modes and all printed rivals.",
    )


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


@CLAIMS.about("disc-05", WITHOUT)
@CLAIMS.about("disc-04", FIRST)
def parts_help(evidence: Evidence, method: str) -> Outcome:
    """Accuracy of DISC above that without the outer loop, or without learnt distances."""
    whole, part = (_column(evidence, "table03", name) for name in (DISC, method))
    pairs = (one[key] for key in ("reproduced", "printed_value") for one in (whole, part))
    return Outcome(
        _ahead(evidence, whole.index.str.upper(), *pairs),
        "table03",
        "Values are the accuracy lost.",
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
