"""Claims of DILCA about its parameter sigma, and those of ROCK and LIMBO: sections 5.5 and 5.5.1.

Ranges are over the settings of section 5.4, in file order. The data sets that only the authors'
generator could give are left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from replication.judge.claims import EQUAL, MUCH, ClaimBook, Evidence, Finding, count
from replication.papers.dilca.analysis import (
    INDICES,
    SYNTHETIC,
    public,
)

if TYPE_CHECKING:
    import pandas as pd

SETTINGS = ClaimBook()

JUDGES = ("nmi", "ari")
"""Indices by which the paper judges: it finds purity misleading."""


def _sensitivity(evidence: Evidence, methods: Sequence[str]) -> pd.DataFrame:
    """Ranges of NMI and ARI over the settings of some methods, one row per data set and index."""
    datasets = public(evidence.datasets("fig04"))
    frame = evidence.table("sensitivity")
    evidence.need(frame, "dataset", datasets)
    return frame[
        frame["dataset"].isin(datasets)
        & frame["index"].isin(JUDGES)
        & frame["method"].isin(methods)
    ]


@SETTINGS.about("dilca-25")
def theta_matters(evidence: Evidence) -> Finding:
    """Range of NMI and ARI over theta."""
    rows = _sensitivity(evidence, ["rock"])
    names = evidence.names()
    moved = rows["range"].map(lambda change: evidence.ahead(change, 0.0))
    still = [
        f"{names[row['dataset']]} {INDICES[row['index']]}"
        for row in rows[~moved].to_dict("records")
    ]
    cases = count(moved)
    by = f"by {MUCH:g} or more" if evidence.much else "at all"
    return Finding(
        cases,
        f"Over theta, NMI and ARI of ROCK change by {rows['range'].mean():.3f} in the mean and "
        f"{rows['range'].max():.3f} at most: {by} in {cases} cases, not in "
        f"{', '.join(still) or 'none'}.",
        "sensitivity",
    )


@SETTINGS.about("dilca-26")
def best_sigma(evidence: Evidence) -> Finding:
    """Sigma with the highest NMI and ARI, where sigma matters."""
    rows = _sensitivity(evidence, ["dilca_m"])
    rows = rows[rows["range"] > EQUAL]
    names = evidence.names()
    # the largest of several best ones favours the claim
    best = rows["best"].map(lambda text: float(str(text).split()[-1]))
    said = ", ".join(
        f"{names[dataset]} {INDICES[index]} {sigma:g}"
        for dataset, index, sigma in zip(rows["dataset"], rows["index"], best, strict=True)
    )
    return Finding(
        count(best > 0.5),
        f"The best sigma (oracle; the largest, where several are best): {said}.",
        "sensitivity",
    )


@SETTINGS.about("dilca-36")
def sigma_on_uci(evidence: Evidence) -> Finding:
    """Range over sigma on the data sets of the UCI repository."""
    datasets = public(evidence.datasets("fig04"))
    frame = evidence.table("fig12")
    evidence.need(frame, "dataset", datasets)
    cells = evidence.printed
    plotted = {
        column: float(cells.loc[cells["metric"] == metric, "value"].iloc[0])
        for column, metric in (
            ("eq5", "min_variation_to_be_plotted_purity"),
            ("nmi", "min_variation_to_be_plotted_nmi"),
        )
    }
    by_dataset = frame.groupby("dataset")[list(plotted)]
    ranges = (by_dataset.max() - by_dataset.min()).loc[datasets]
    varies = {column: ranges[column] >= least - EQUAL for column, least in plotted.items()}
    low = ~(varies["eq5"] | varies["nmi"])
    names = evidence.names()
    said = {
        column: ", ".join(names[name] for name in ranges.index[some]) or "none"
        for column, some in varies.items()
    }
    return Finding(
        [count(low), count(low == (low.index != "vote"))],
        f"Over sigma, purity (eq. 5) varies by {plotted['eq5']:g} or more on {said['eq5']}, NMI "
        f"by {plotted['nmi']:g} or more on {said['nmi']}; neither does on {low.sum()} of "
        f"{len(low)} data sets.",
        "fig12",
    )


@SETTINGS.about("dilca-37")
def sigma_on_synthetic(evidence: Evidence) -> Finding:
    """Rank correlation of purity and NMI with sigma."""
    frame = evidence.table("fig13")
    evidence.need(frame, "dataset", SYNTHETIC)
    names = evidence.names()
    said = []
    for name in SYNTHETIC:
        ranks = frame.loc[frame["dataset"] == name, ["sigma", "eq5", "nmi"]].rank()
        # without variation there is no correlation, and no growth
        found = ranks.corr()["sigma"].fillna(0.0)
        said.append(f"{names[name]} {found['eq5']:.2f} and {found['nmi']:.2f}")
    return Finding(
        None,
        "The curves are of data whose generator was never published. On sets of our own generator "
        f"the rank correlations of purity (eq. 5) and NMI with sigma are {'; '.join(said)}.",
        "fig13",
    )


@SETTINGS.about("dilca-53")
def sigma_matters_less(evidence: Evidence) -> Finding:
    """Range of NMI and ARI over sigma, beside that over theta and phi."""
    rows = _sensitivity(evidence, ["dilca_m", "rock", "limbo"])
    wide = rows.pivot_table(index=["dataset", "index"], columns="method", values="range")
    less = [
        count(
            evidence.ahead(theirs, ours)
            for theirs, ours in zip(wide[rival], wide["dilca_m"], strict=True)
        )
        for rival in ("rock", "limbo")
    ]
    means = wide.mean()
    return Finding(
        less,
        f"NMI and ARI change less over sigma than over ROCK's theta in {less[0]} cases, and than "
        f"over LIMBO's phi in {less[1]}; mean ranges {means['dilca_m']:.3f} (sigma), "
        f"{means['rock']:.3f} (theta), {means['limbo']:.3f} (phi). The number of clusters was not "
        "varied.",
        "sensitivity",
    )
