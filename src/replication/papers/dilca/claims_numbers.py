"""Claims of DILCA that are printed numbers: Figs 2 to 11 and 15, and what section 5.2 defines."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from replication.judge.claims import (
    EQUAL,
    ClaimBook,
    Count,
    Evidence,
    Finding,
    MissingEvidenceError,
    count,
)
from replication.judge.verdicts import DIFFERS, EXACT, NOT_COMPARABLE, NOT_RUN, WITHIN_NOISE
from replication.papers.dilca.analysis import (
    ALGORITHMS,
    BASELINES,
    DILCA,
    GROUPS,
    MEASURES,
    RECONCILED,
    SYNTHETIC,
    public,
)

if TYPE_CHECKING:
    import pandas as pd

NUMBERS = ClaimBook()

JUDGED = (EXACT, WITHIN_NOISE, DIFFERS)
DIGIT = 1.01e-4
"""One unit of the last printed digit: printed numbers are truncated in places."""


def _numbers(evidence: Evidence, artefact: str, methods: Collection[str] = ()) -> Finding:
    """Verdicts of the printed numbers of one artefact."""
    frame = evidence.table(artefact)
    rows = frame[frame["reading"] == RECONCILED]
    if methods:
        rows = rows[rows["method"].isin(methods)]
    if (rows["verdict"] == NOT_RUN).any():
        missing = rows.loc[rows["verdict"] == NOT_RUN, "dataset"].unique()
        raise MissingEvidenceError(
            f"not part of this run (effort {evidence.effort}): {', '.join(missing)}"
        )
    found = {name: int((rows["verdict"] == name).sum()) for name in (*JUDGED, NOT_COMPARABLE)}
    comparable = sum(found[name] for name in JUDGED)
    return Finding(
        Count(found[EXACT] + found[WITHIN_NOISE], comparable),
        f"{found[EXACT]} of {comparable} comparable numbers are exact, {found[WITHIN_NOISE]} "
        f"within noise, {found[DIFFERS]} differ; {found[NOT_COMPARABLE]} cannot be compared.",
        artefact,
    )


for _name, _artefact, _methods in (
    ("dilca-08", "fig03", (*DILCA, *ALGORITHMS)),
    ("dilca-09", "fig04", (*DILCA, *ALGORITHMS)),
    ("dilca-10", "fig05", (*DILCA, *ALGORITHMS)),
    ("dilca-11", "fig06", MEASURES),
    ("dilca-12", "fig07", MEASURES),
    ("dilca-13", "fig08", MEASURES),
    ("dilca-14", "fig09", BASELINES),
    ("dilca-15", "fig10", BASELINES),
    ("dilca-16", "fig11", BASELINES),
    ("dilca-44", "fig15", ()),
    ("dilca-52", "fig02", ()),
):
    NUMBERS.about(_name)(
        lambda evidence, artefact=_artefact, methods=_methods: _numbers(evidence, artefact, methods)
    )


def _settled(evidence: Evidence, artefact: str) -> pd.DataFrame:
    """Cells of a table that ran, under the first reading, of what can be compared."""
    frame = evidence.table(artefact)
    rows = frame[(frame["reading"] == RECONCILED) & frame["verdict"].isin(JUDGED)]
    evidence.need(rows, "dataset", ("titanic", "balloons"))
    return rows


@NUMBERS.about("dilca-17")
def purity_kind(evidence: Evidence) -> Finding:
    """Which purity is printed, where NMI and ARI say that the partition is that of the paper."""
    kinds = ("eq5", "inverse", "matching")
    cases: list[list[bool]] = []
    # both DILCA columns are printed in all three groups, and count once
    seen: set[tuple[str, str]] = set()
    for purity, *others in GROUPS.values():
        same = [
            {
                (row["dataset"], row["method"])
                for row in _settled(evidence, other).to_dict("records")
                if row["verdict"] == EXACT
            }
            for other in others
        ]
        for row in _settled(evidence, purity).to_dict("records"):
            key = (row["dataset"], row["method"])
            alike = abs(row["eq5"] - row["inverse"]) <= EQUAL
            if key in seen or alike or not all(key in one for one in same):
                continue
            seen.add(key)
            cases.append([abs(row["printed_value"] - row[kind]) < DIGIT for kind in kinds])
    if not cases:
        raise MissingEvidenceError("no cell of this run tells the kinds of purity apart")
    eq5, inverse, matching = (count(column) for column in zip(*cases, strict=True))
    return Finding(
        eq5,
        f"In {len(cases)} cells NMI and ARI are exact and the two purities differ: the printed "
        f"number is eq. (5) in {eq5.held} of them, its transpose (classes over clusters) in "
        f"{inverse.held}, the best one-to-one matching in {matching.held}.",
        "fig03 fig06 fig09",
    )


@NUMBERS.about("dilca-18")
def nmi_kind(evidence: Evidence) -> Finding:
    """Which normalisation of NMI is printed."""
    root: list[bool] = []
    seen: set[tuple[str, str]] = set()
    for _, nmi, _ in GROUPS.values():
        for row in _settled(evidence, nmi).to_dict("records"):
            hits = [
                abs(row["printed_value"] - row[name]) < DIGIT
                for name in ("reproduced", "nmi_arithmetic")
            ]
            key = (row["dataset"], row["method"])
            if hits[0] == hits[1] or key in seen:
                continue
            seen.add(key)
            root.append(hits[0])
    if not root:
        raise MissingEvidenceError(
            "no cell of this run tells the normalisations apart; with dilca.nmi answered by the "
            "arithmetic mean ours is the one that it is compared with"
        )
    return Finding(
        count(root),
        f"Of {len(root)} printed values that only one normalisation gives, {sum(root)} are those "
        f"of the root of the product of the entropies, {len(root) - sum(root)} those of their "
        "mean.",
        "fig04 fig07 fig10",
    )


@NUMBERS.about("dilca-24")
def sparse(evidence: Evidence) -> Finding:
    """Values per attribute of the synthetic sets."""
    cells = evidence.printed
    sizes = cells[(cells["artefact"] == "fig02") & cells["metric"].isin(["values", "features"])]
    wide = sizes.pivot_table(index="dataset_id", columns="metric", values="value", aggfunc="first")
    wide = wide.loc[list(SYNTHETIC[1:])].astype(float)
    named = cells["metric"].isin(["values_per_variable_low", "values_per_variable_high"])
    said = set(cells.loc[named, "value"].astype(float))
    ratios = wide["values"] / wide["features"]
    return Finding(
        None,
        "The printed counts give "
        + ", ".join(f"{ratio:g}" for ratio in ratios)
        + " values per attribute for SynB, SynC, SynD; ours are generated with these sizes.",
        "fig02",
        printed=count(ratios.isin(said)),
    )


@NUMBERS.about("dilca-45")
def context_is_small(evidence: Evidence) -> Finding:
    """Mean context size beside the number of attributes."""
    named = evidence.datasets("fig15")
    frame = evidence.table("fig15")
    rows = frame[(frame["reading"] == RECONCILED) & frame["reproduced"].notna()]
    evidence.need(rows, "dataset", public(named))
    ours, printed = (
        _shares(rows.rename(columns={"dataset": "dataset_id"}), "reproduced"),
        _shares(evidence.printed[evidence.printed["artefact"] == "fig15"], "value"),
    )
    ours = ours.loc[public(ours.index)]
    names = evidence.names()
    large = ours[ours >= 0.5].sort_values(ascending=False)
    return Finding(
        count(ours < 0.5),
        f"The context of DILCA_RR (numbers cut with the class labels, as in the paper: oracle) "
        f"holds {ours.median():.0%} of the other attributes in the median data set, from "
        f"{ours.min():.0%} to {ours.max():.0%}; less than half but on "
        f"{', '.join(f'{names[one]} ({share:.0%})' for one, share in large.items()) or 'none'}.",
        "fig15",
        printed=count(printed < 0.5),
    )


def _shares(rows: pd.DataFrame, column: str) -> pd.Series:
    """Mean context size over the number of other attributes, by data set."""
    wide = rows.pivot_table(index="dataset_id", columns="metric", values=column, aggfunc="first")
    wide = wide[["mean_context_size", "orig_attributes"]].astype(float)
    return wide["mean_context_size"] / (wide["orig_attributes"] - 1)
