"""Claims of DISC, each with its test on the tables and experiments of the run."""

from __future__ import annotations

import pandas as pd

from replication.judge.claims import ClaimBook, Evidence, MissingEvidenceError, Outcome, cases
from replication.papers.disc.records import DISC, FIRST, KMODES, LOWER, RELEASED, average_ranks

CLAIMS = ClaimBook()
_SETS = 12
_HALF = 0.005


def _column(evidence: Evidence, artefact: str, method: str, ours: bool) -> dict[str, float]:
    """Accuracies of one method by data set, as printed or ours."""
    table = evidence.table(artefact)
    rows = table[
        (table["method"] == method)
        & (table["metric"] == "accuracy")
        & (table["reading"] == RELEASED)
        & (table["dataset"] != "all")
    ]
    name = "reproduced" if ours else "printed_value"
    rows = rows.dropna(subset=name)
    if len(rows) < _SETS:
        raise MissingEvidenceError(f"{artefact} has {len(rows)} of {_SETS} data sets")
    return dict(zip(rows["dataset"], rows[name].astype(float), strict=True))


def _printed(evidence: Evidence, metric: str) -> pd.DataFrame:
    """Printed scores of Table 2: data sets in rows, methods in columns."""
    cells = evidence.printed
    rows = cells[
        (cells["artefact"] == "table02") & (cells["metric"] == metric) & (cells["value"] != "")
    ]
    return rows.assign(value=rows["value"].astype(float)).pivot_table(
        index="dataset_id", columns="method_id", values="value", sort=False
    )


def _printed_ranks(evidence: Evidence, metric: str) -> dict[str, float]:
    cells = evidence.printed
    rows = cells[(cells["artefact"] == "table02") & (cells["metric"] == f"{metric}_average_rank")]
    return dict(zip(rows["method_id"], rows["value"].astype(float), strict=True))


@CLAIMS.about("disc-01")
def average_rank(evidence: Evidence) -> Outcome:
    """Its average rank of accuracy, and that of the next method."""
    table = evidence.table("table02")
    rows = table[
        (table["metric"] == "accuracy_average_rank") & (table["reading"] == RELEASED)
    ].dropna(subset="reproduced")
    if rows.empty:
        raise MissingEvidenceError("no average ranks: a data set is missing")
    ours = dict(zip(rows["method"], rows["reproduced"].astype(float), strict=True))
    second = min(value for name, value in ours.items() if name != DISC)
    printed = _printed_ranks(evidence, "accuracy")
    said = (1.25, 5.21)
    found = (ours[DISC], second)
    least = min(value for name, value in printed.items() if name != DISC)
    theirs = (printed[DISC], least)
    return Outcome(
        cases(
            ("DISC", "the next method"),
            [abs(one - two) <= _HALF + 1e-9 for one, two in zip(found, said, strict=True)],
            ours=found,
            printed=said,
            print_holds=[
                abs(one - two) <= _HALF + 1e-9 for one, two in zip(theirs, said, strict=True)
            ],
        ),
        "table02",
        "Average ranks with our columns of DISC and k-modes, the others as printed.",
        f"{found[0]:.2f}",
    )


@CLAIMS.about("disc-02")
def most_accurate(evidence: Evidence) -> Outcome:
    """More accurate than every other method, data set by data set."""
    printed = _printed(evidence, "accuracy")
    others = printed.drop(columns=[DISC]).max(axis=1)
    rivals = printed.drop(columns=[DISC, KMODES]).max(axis=1)
    ours = _column(evidence, "table02", DISC, ours=True)
    modes = _column(evidence, "table02", KMODES, ours=True)
    leads = {name: ours[name] - max(modes[name], rivals[name]) for name in ours}
    return Outcome(
        cases(
            leads,
            [evidence.ahead(ours[name], max(modes[name], rivals[name])) for name in leads],
            ours=leads.values(),
            printed=[printed[DISC][name] - others[name] for name in leads],
            print_holds=[evidence.ahead(printed[DISC][name], others[name]) for name in leads],
            margin=leads.values(),
        ),
        "table02",
        "Values are the lead over our k-modes and all printed rivals.",
    )


@CLAIMS.about("disc-03")
def ranks_follow(evidence: Evidence) -> Outcome:
    """The printed average ranks are those of the printed columns."""
    rows = []
    for metric in ("accuracy", "ari", "cmp"):
        columns = {
            str(name): column.dropna().to_dict()
            for name, column in _printed(evidence, metric).items()
        }
        found = average_ranks(columns, metric in LOWER)
        for name, said in _printed_ranks(evidence, metric).items():
            rows.append((f"{name} {metric}", found[name], said))
    names, ours, printed = zip(*rows, strict=True)
    held = [abs(one - two) <= _HALF + 1e-9 for _, one, two in rows]
    return Outcome(cases(names, ours=ours, printed=printed, print_holds=held), "table02")


@CLAIMS.about("disc-04")
def loop_helps(evidence: Evidence) -> Outcome:
    """Without the outer loop the accuracy is lower."""
    return _lower(evidence, FIRST)


@CLAIMS.about("disc-05")
def distances_help(evidence: Evidence) -> Outcome:
    """Without learnt distances the accuracy is lower."""
    return _lower(evidence, "disc_ii")


def _lower(evidence: Evidence, method: str) -> Outcome:
    gaps, held = {}, {}
    for ours in (True, False):
        whole, part = (_column(evidence, "table03", one, ours) for one in (DISC, method))
        gaps[ours] = [whole[name] - part[name] for name in whole]
        held[ours] = [evidence.ahead(whole[name], part[name]) for name in whole]
    return Outcome(
        cases(
            map(str.upper, whole),
            held[True],
            ours=gaps[True],
            printed=gaps[False],
            print_holds=held[False],
            margin=gaps[True],
        ),
        "table03",
        "Values are the accuracy lost.",
    )


@CLAIMS.about("disc-06")
def is_kmodes(evidence: Evidence) -> Outcome:
    """The variant without learnt distances is k-modes: both columns are the same."""
    cells = evidence.printed
    columns = {}
    for artefact, method in (("table02", KMODES), ("table03", "disc_ii")):
        rows = cells[
            (cells["artefact"] == artefact)
            & (cells["method_id"] == method)
            & (cells["metric"] == "accuracy")
        ]
        columns[method] = dict(zip(rows["dataset_id"], rows["printed"], strict=True))
    pairs = {name: (columns["disc_ii"][name], said) for name, said in columns[KMODES].items()}
    return Outcome(
        cases(
            map(str.upper, pairs),
            ours=[one for one, _ in pairs.values()],
            printed=[two for _, two in pairs.values()],
            print_holds=[one == two for one, two in pairs.values()],
        ),
        "table03",
        "The printed columns of DISC-II and k-modes are compared.",
    )


@CLAIMS.about("disc-07")
def on_a_line(evidence: Evidence) -> Outcome:
    """Distances along the tree are differences of places on a line, so Euclidean."""
    rows = evidence.experiment("line")
    held = rows["largest_difference"] <= 1e-12
    return Outcome(
        pd.concat(
            cases([name], [told], n=[int((held == told).sum())])
            for name, told in (("drawn clusters", True), ("other drawn clusters", False))
            if (held == told).any()
        ),
        "line",
        "A case is a drawn cluster whose paths in the minimum spanning tree equal |p(x) - p(y)|.",
    )
