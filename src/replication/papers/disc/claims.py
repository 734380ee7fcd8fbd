"""Claims of DISC, each with its test on the tables and experiments of the run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from replication.judge.claims import ClaimBook, Evidence, Finding, MissingEvidenceError, count
from replication.papers.disc.records import DISC, FIRST, KMODES, LOWER, RELEASED, average_ranks

if TYPE_CHECKING:
    import pandas as pd

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
def average_rank(evidence: Evidence) -> Finding:
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
    return Finding(
        ours=count(abs(one - two) <= _HALF + 1e-9 for one, two in zip(found, said, strict=True)),
        printed=count(
            abs(one - two) <= _HALF + 1e-9
            for one, two in zip((printed[DISC], least), said, strict=True)
        ),
        evidence=f"with our columns of DISC and k-modes, the others as printed: {found[0]:.2f} and "
        f"{found[1]:.2f}",
        artefact="table02",
        value=f"{found[0]:.2f}",
    )


@CLAIMS.about("disc-02")
def most_accurate(evidence: Evidence) -> Finding:
    """More accurate than every other method, data set by data set."""
    printed = _printed(evidence, "accuracy")
    others = printed.drop(columns=[DISC]).max(axis=1)
    rivals = printed.drop(columns=[DISC, KMODES]).max(axis=1)
    ours = _column(evidence, "table02", DISC, ours=True)
    modes = _column(evidence, "table02", KMODES, ours=True)
    held = [evidence.ahead(ours[name], max(modes[name], rivals[name])) for name in ours]
    return Finding(
        ours=count(held),
        printed=count(evidence.ahead(printed[DISC][name], others[name]) for name in printed.index),
        evidence=f"ours is ahead of our k-modes and of all printed rivals on {sum(held)} of "
        f"{len(held)} data sets",
        artefact="table02",
    )


@CLAIMS.about("disc-03")
def ranks_follow(evidence: Evidence) -> Finding:
    """The printed average ranks are those of the printed columns."""
    held, wrong = [], []
    for metric in ("accuracy", "ari", "cmp"):
        columns = {
            str(name): column.dropna().to_dict()
            for name, column in _printed(evidence, metric).items()
        }
        found = average_ranks(columns, metric in LOWER)
        for name, said in _printed_ranks(evidence, metric).items():
            held.append(abs(found[name] - said) <= _HALF + 1e-9)
            if not held[-1]:
                wrong.append(f"{name} {metric} {said} ({found[name]:.2f})")
    return Finding(
        ours=None,
        printed=count(held),
        evidence=f"of {len(held)} ranks {sum(held)} follow; not so: {', '.join(wrong) or 'none'}",
        artefact="table02",
    )


@CLAIMS.about("disc-04")
def loop_helps(evidence: Evidence) -> Finding:
    """Without the outer loop the accuracy is lower."""
    return _lower(evidence, FIRST)


@CLAIMS.about("disc-05")
def distances_help(evidence: Evidence) -> Finding:
    """Without learnt distances the accuracy is lower."""
    return _lower(evidence, "disc_ii")


def _lower(evidence: Evidence, method: str) -> Finding:
    counts, names = {}, []
    for ours in (True, False):
        whole, part = (_column(evidence, "table03", one, ours) for one in (DISC, method))
        held = {name: evidence.ahead(whole[name], part[name]) for name in whole}
        counts[ours] = count(held.values())
        if ours:
            names = [name.upper() for name, one in held.items() if not one]
    return Finding(
        ours=counts[True],
        printed=counts[False],
        evidence=f"not lower on {', '.join(names) or 'none'}",
        artefact="table03",
    )


@CLAIMS.about("disc-06")
def is_kmodes(evidence: Evidence) -> Finding:
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
    held = {name: columns["disc_ii"][name] == said for name, said in columns[KMODES].items()}
    other = ", ".join(name.upper() for name, one in held.items() if not one)
    return Finding(
        ours=None,
        printed=count(held.values()),
        evidence=f"the two columns differ on {other or 'none'}",
        artefact="table03",
    )


@CLAIMS.about("disc-07")
def on_a_line(evidence: Evidence) -> Finding:
    """Distances along the tree are differences of places on a line, so Euclidean."""
    rows = evidence.experiment("line")
    held = rows["largest_difference"].astype(float) <= 1e-12
    return Finding(
        ours=count(held),
        evidence=f"paths in the minimum spanning tree equal |p(x) - p(y)| for {int(held.sum())} of "
        f"{len(held)} drawn clusters",
        artefact="line",
    )
