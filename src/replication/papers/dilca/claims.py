"""Claims of DILCA, each with its test on the tables, tests and experiments of the run.

Here: sections 1 to 3 and 5.2, printed numbers, and the parameters. A theorem speaks of any table.
It is tried on all data sets, the generated ones among them, and on random tables. Contexts of
DILCA_M are those of uncertainties below 1e-12 set to 0, as exact arithmetic has them; the rounding
of the authors' tool, which the tables are made with, is a remark. Ranges over settings are those of
section 5.4, in file order, without the data sets that only the authors' generator could give.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import pandas as pd

from replication.judge.cells import COMPARABLE
from replication.judge.claims import (
    EQUAL,
    MUCH,
    ClaimBook,
    Count,
    Evidence,
    Finding,
    MissingEvidenceError,
    count,
    listed,
)
from replication.judge.verdicts import NOT_COMPARABLE, NOT_RUN
from replication.papers.dilca import analysis
from replication.papers.dilca.analysis import (
    ALGORITHMS,
    BASELINES,
    DILCA,
    INDICES,
    MEASURES,
    RECONCILED,
    SYNTHETIC,
)
from replication.papers.dilca.claims_comparisons import COMPARISONS
from replication.papers.dilca.claims_times import TIMES

CLAIMS = ClaimBook.of(COMPARISONS, TIMES)

# --- distances, contexts and scores ---------------------------------------------------------------


@CLAIMS.about("dilca-01")
def florence(evidence: Evidence) -> Finding:
    """Fig. 1: the order of the distances of the example."""
    rows = evidence.table("fig01").set_index("quantity")["reproduced"]
    pairs = {
        frozenset(name[2:-1].split(", ")): rows[name] for name in rows.index if name[:2] == "d("
    }
    near, far = (pairs[frozenset({"Florence", city})] for city in ("Milan", "Turin"))
    return Finding(
        count([evidence.ahead(far, near)]),
        f"Eq. (1) gives d(Florence, Milan) = {near:.4f} and d(Florence, Turin) = {far:.4f}.",
        "fig01",
        value=f"{near:.4f}, {far:.4f}",
    )


def _distances(evidence: Evidence) -> pd.DataFrame:
    return evidence.experiment("value_distances", evidence.datasets("fig04"))


def _learnt(frame: pd.DataFrame) -> str:
    return (
        f"{len(frame)} learnt distances ({frame['dataset'].nunique()} data sets, DILCA_RR and "
        "DILCA_M at several sigmas)"
    )


@CLAIMS.about("dilca-02")
def unit_interval(evidence: Evidence) -> Finding:
    """Range of the value distances."""
    frame = _distances(evidence)
    low, high = frame["lowest"].min(), frame["highest"].max()
    return Finding(
        count((frame["lowest"] >= 0) & (frame["highest"] <= 1 + EQUAL)),
        f"Of {_learnt(frame)} the values run from {low:.4g} to {high:.4f}.",
        "value_distances",
        value=f"[{low:.4g}, {high:.4f}]",
    )


@CLAIMS.about("dilca-03")
def metric(evidence: Evidence) -> Finding:
    """Axioms of a metric."""
    frame = _distances(evidence)
    symmetric = (frame[["asymmetry", "diagonal"]] <= EQUAL).all(axis=1)
    triangle = frame["triangle"] <= EQUAL
    apart = frame["coinciding"] == 0
    meeting, pairs = int(frame["coinciding"].sum()), int(frame["pairs"].sum())
    return Finding(
        count(symmetric & triangle & apart),
        f"Of {_learnt(frame)}, {symmetric.sum()} are symmetric and 0 on the diagonal, "
        f"{triangle.sum()} fulfil the triangle inequality, and {apart.sum()} are above 0 for all "
        f"pairs of different values: {meeting:,} of {pairs:,} pairs are at distance 0, on "
        f"{evidence.named(frame.loc[~apart, 'dataset'].unique())}."
        + (" Eq. (1) is a pseudo-metric." if meeting else ""),
        "value_distances",
        value=f"{meeting:,} of {pairs:,} pairs at 0",
    )


@CLAIMS.about("dilca-04")
def uncertainty_range(evidence: Evidence) -> Finding:
    """Range and extremes of symmetric uncertainty."""
    frame = evidence.experiment("theorems")
    inside = frame["su"].between(-EQUAL, 1 + EQUAL)
    off = analysis.deviations(frame)
    one, zero = off["determined"], off["independent"]
    low, high = frame["su"].min(), frame["su"].max()
    return Finding(
        count(inside & (one <= EQUAL) & (zero <= EQUAL)),
        f"On {len(frame)} random tables SU runs from {low:.4f} to {high:.4f}; it is 1 up to "
        f"{one.max():.1e} for attributes that determine each other, and 0 up to {zero.max():.1e} "
        "for independent ones.",
        "theorems",
        value=f"[{low:.4f}, {high:.4f}]",
    )


@CLAIMS.about("dilca-05")
def gain_symmetric(evidence: Evidence) -> Finding:
    """Symmetry of the information gain."""
    off = analysis.deviations(evidence.experiment("theorems"))["gain"]
    return Finding(
        count(off <= EQUAL),
        f"On {len(off)} random tables the gain of Y from X and of X from Y differ by at most "
        f"{off.max():.1e}.",
        "theorems",
        value=f"{off.max():.1e}",
    )


def _rounded(evidence: Evidence, broken: pd.DataFrame) -> str:
    """Remark on the contexts that the rounding noise of the authors' tool spoils."""
    return (
        "With the rounding noise of the authors' tool, which the tables are made with and which "
        "can put an uncertainty of 0 below 0, the exceptions are: "
        f"{evidence.named(broken['dataset'].unique())}."
    )


@CLAIMS.about("dilca-06")
def context_never_empty(evidence: Evidence) -> Finding:
    """Smallest context of the mean rule."""
    frame = _distances(evidence)
    exact = frame[frame["measure"] == "dilca_m_clipped"]
    noisy = frame[(frame["measure"] == "dilca_m") & (frame["smallest_context"] < 1)]
    smallest = int(exact["smallest_context"].min())
    return Finding(
        count(exact["smallest_context"] >= 1),
        "The largest of several uncertainties is at least their mean. Over "
        f"{exact['dataset'].nunique()} data sets and {exact['setting'].nunique()} values of sigma "
        f"the smallest context holds {smallest}. {_rounded(evidence, noisy)}",
        "value_distances",
        value=f"{smallest}",
    )


@CLAIMS.about("dilca-07")
def whole_context(evidence: Evidence) -> Finding:
    """Context at sigma 0."""
    rows = _distances(evidence).query("setting == 'sigma=0'")
    full = rows["smallest_context"] == rows["attributes"] - 1
    exact = full[rows["measure"] == "dilca_m_clipped"]
    noisy = rows[~full & (rows["measure"] == "dilca_m")]
    return Finding(
        count(exact),
        "No uncertainty is below 0, so that all are at least 0 times the mean. Every target has "
        f"all other attributes as its context on {exact.sum()} of {len(exact)} data sets. "
        f"{_rounded(evidence, noisy)}",
        "value_distances",
    )


@CLAIMS.about("dilca-48")
def value_difference_asymmetric(evidence: Evidence) -> Finding:
    """Asymmetry of the value difference metric."""
    off = analysis.deviations(evidence.experiment("theorems"))["vdm"]
    cases = count(off > EQUAL)
    return Finding(
        cases,
        f"vdm(x, y) and vdm(y, x) differ on {cases.held} of {len(off)} random tables, by up to "
        f"{off.max():.3f}.",
        "theorems",
    )


@CLAIMS.about("dilca-50")
def index_ranges(evidence: Evidence) -> Finding:
    """Ends of the ranges of ARI and NMI."""
    frame = evidence.experiment("theorems")
    negative, lowest = count(frame["ari"] < -EQUAL), frame["ari"].min()
    off = analysis.deviations(frame)["identical"]
    return Finding(
        [negative, count(off <= EQUAL)],
        f"ARI of unrelated partitions is negative in {negative.held} of {len(frame)} cases, down "
        f"to {lowest:.4f}; identical partitions have ARI and NMI 1, up to {off.max():.1e}.",
        "theorems",
        value=f"{lowest:.4f}",
    )


# --- printed numbers ------------------------------------------------------------------------------


@CLAIMS.about("dilca-08", "fig03", (*DILCA, *ALGORITHMS))
@CLAIMS.about("dilca-09", "fig04", (*DILCA, *ALGORITHMS))
@CLAIMS.about("dilca-10", "fig05", (*DILCA, *ALGORITHMS))
@CLAIMS.about("dilca-11", "fig06", MEASURES)
@CLAIMS.about("dilca-12", "fig07", MEASURES)
@CLAIMS.about("dilca-13", "fig08", MEASURES)
@CLAIMS.about("dilca-14", "fig09", BASELINES)
@CLAIMS.about("dilca-15", "fig10", BASELINES)
@CLAIMS.about("dilca-16", "fig11", BASELINES)
@CLAIMS.about("dilca-44", "fig15")
@CLAIMS.about("dilca-52", "fig02")
def printed_numbers(evidence: Evidence, artefact: str, methods: Collection[str] = ()) -> Finding:
    """Verdicts of the printed numbers of one artefact, of some methods if they are named."""
    rows = evidence.table(artefact, RECONCILED)
    if methods:
        rows = rows[rows["method"].isin(methods)]
    if len(missing := rows.loc[rows["verdict"] == NOT_RUN, "dataset"].unique()):
        raise MissingEvidenceError(
            f"not part of this run (effort {evidence.effort}): {', '.join(missing)}"
        )
    exact, noise, differ, other = (
        int((rows["verdict"] == name).sum()) for name in (*COMPARABLE, NOT_COMPARABLE)
    )
    comparable = exact + noise + differ
    return Finding(
        Count(exact + noise, comparable),
        f"{exact} of {comparable} comparable numbers are exact, {noise} within noise, {differ} "
        f"differ; {other} cannot be compared.",
        artefact,
    )


@CLAIMS.about("dilca-17")
def purity_kind(evidence: Evidence) -> Finding:
    """Which purity is printed, where NMI and ARI say that the partition is that of the paper."""
    rows = analysis.purities_printed(evidence)
    if rows.empty:
        raise MissingEvidenceError("no cell of this run tells the kinds of purity apart")
    eq5, inverse, matching = (count(rows[kind]) for kind in ("eq5", "inverse", "matching"))
    return Finding(
        eq5,
        f"In {len(rows)} cells NMI and ARI are exact and the two purities differ: the printed "
        f"number is eq. (5) in {eq5.held} of them, its transpose (classes over clusters) in "
        f"{inverse.held}, the best one-to-one matching in {matching.held}.",
        "fig03 fig06 fig09",
    )


@CLAIMS.about("dilca-18")
def nmi_kind(evidence: Evidence) -> Finding:
    """Which normalisation of NMI is printed."""
    root = analysis.roots_printed(evidence)
    if root.empty:
        raise MissingEvidenceError(
            "no cell of this run tells the normalisations apart; with dilca.nmi answered by the "
            "arithmetic mean ours is the one that it is compared with"
        )
    return Finding(
        count(root),
        f"Of {len(root)} printed values that only one normalisation gives, {root.sum()} are those "
        f"of the root of the product of the entropies, {(~root).sum()} those of their mean.",
        "fig04 fig07 fig10",
    )


@CLAIMS.about("dilca-24")
def sparse(evidence: Evidence) -> Finding:
    """Values per attribute of the synthetic sets."""
    ratios = analysis.values_per_attribute(evidence).loc[list(SYNTHETIC[1:])]
    said = evidence.stated("values_per_variable_low", "values_per_variable_high")
    return Finding(
        None,
        f"The printed counts give {', '.join(f'{ratio:g}' for ratio in ratios)} values per "
        "attribute for SynB, SynC, SynD; ours are generated with these sizes.",
        "fig02",
        printed=count(ratios.isin(said)),
    )


@CLAIMS.about("dilca-45")
def context_is_small(evidence: Evidence) -> Finding:
    """Mean context size beside the number of attributes."""
    ours, median, printed = analysis.context_shares(evidence)
    names = evidence.names()
    large = ours[ours >= 0.5].sort_values(ascending=False)
    return Finding(
        count(ours < 0.5),
        f"The context of DILCA_RR (numbers cut with the class labels, as in the paper: oracle) "
        f"holds {median:.0%} of the other attributes in the median data set, from "
        f"{ours.min():.0%} to {ours.max():.0%}; less than half but on "
        f"{listed(f'{names[one]} ({share:.0%})' for one, share in large.items())}.",
        "fig15",
        printed=count(printed < 0.5),
    )


# --- sigma, theta and phi -------------------------------------------------------------------------

JUDGES = ("nmi", "ari")
"""Indices by which the paper judges: it finds purity misleading."""


def _sensitivity(evidence: Evidence, methods: Sequence[str]) -> pd.DataFrame:
    """Ranges of NMI and ARI over the settings of some methods, one row per data set and index."""
    datasets = analysis.public(evidence.datasets("fig04"))
    frame = evidence.table("sensitivity")
    evidence.need(frame, "dataset", datasets)
    shown = frame["dataset"].isin(datasets) & frame["index"].isin(JUDGES)
    found = frame[shown & frame["method"].isin(methods)]
    case = found["dataset"].map(evidence.names()) + " " + found["index"].map(INDICES)
    return found.assign(case=case)


@CLAIMS.about("dilca-25")
def theta_matters(evidence: Evidence) -> Finding:
    """Range of NMI and ARI over theta."""
    rows = _sensitivity(evidence, ["rock"])
    (mean,) = analysis.mean_ranges(rows.to_dict("records")).values()
    moved = rows["range"].map(lambda change: evidence.ahead(change, 0.0))
    cases = count(moved)
    by = f"by {MUCH:g} or more" if evidence.much else "at all"
    return Finding(
        cases,
        f"Over theta, NMI and ARI of ROCK change by {mean:.3f} in the mean and "
        f"{rows['range'].max():.3f} at most: {by} in {cases} cases, not in "
        f"{listed(rows.loc[~moved, 'case'])}.",
        "sensitivity",
    )


@CLAIMS.about("dilca-26")
def best_sigma(evidence: Evidence) -> Finding:
    """Sigma with the highest NMI and ARI, where sigma matters."""
    rows = _sensitivity(evidence, ["dilca_m"])
    rows = rows[rows["range"] > EQUAL]
    # the largest of several best ones favours the claim
    best = rows["best"].map(lambda text: float(str(text).split()[-1]))
    said = ", ".join(rows["case"] + best.map(" {:g}".format))
    return Finding(
        count(best > 0.5),
        f"The best sigma (oracle; the largest, where several are best): {said}.",
        "sensitivity",
    )


@CLAIMS.about("dilca-36")
def sigma_on_uci(evidence: Evidence) -> Finding:
    """Range over sigma on the data sets of the UCI repository."""
    datasets = analysis.public(evidence.datasets("fig04"))
    frame = evidence.table("fig12")
    evidence.need(frame, "dataset", datasets)
    ranges = analysis.score_ranges(frame, ["eq5", "nmi"]).loc[datasets]
    least = evidence.stated(*(f"min_variation_to_be_plotted_{one}" for one in ("purity", "nmi")))
    varies = ranges >= [one - EQUAL for one in least]
    low = ~varies.any(axis=1)
    purity, nmi = (
        f"by {smallest:g} or more on {evidence.named(ranges.index[varies[one]])}"
        for one, smallest in zip(ranges, least, strict=True)
    )
    return Finding(
        [count(low), count(low == (low.index != "vote"))],
        f"Over sigma, purity (eq. 5) varies {purity}, NMI {nmi}; neither does on {low.sum()} of "
        f"{len(low)} data sets.",
        "fig12",
    )


@CLAIMS.about("dilca-37")
def sigma_on_synthetic(evidence: Evidence) -> Finding:
    """Rank correlation of purity and NMI with sigma."""
    frame = evidence.table("fig13")
    evidence.need(frame, "dataset", SYNTHETIC)
    names, found = evidence.names(), analysis.rank_correlations(frame, ["eq5", "nmi"])
    said = [
        f"{names[one]} {found['eq5'][one]:.2f} and {found['nmi'][one]:.2f}" for one in SYNTHETIC
    ]
    return Finding(
        None,
        "The curves are of data whose generator was never published. On sets of our own generator "
        f"the rank correlations of purity (eq. 5) and NMI with sigma are {'; '.join(said)}.",
        "fig13",
    )


@CLAIMS.about("dilca-53")
def sigma_matters_less(evidence: Evidence) -> Finding:
    """Range of NMI and ARI over sigma, beside that over theta and phi."""
    rows = _sensitivity(evidence, ["dilca_m", "rock", "limbo"])
    wide = rows.pivot_table(index=["dataset", "index"], columns="method", values="range")
    less = [count(map(evidence.ahead, wide[rival], wide["dilca_m"])) for rival in ("rock", "limbo")]
    means = analysis.mean_ranges(rows.to_dict("records"))
    return Finding(
        less,
        f"NMI and ARI change less over sigma than over ROCK's theta in {less[0]} cases, and than "
        f"over LIMBO's phi in {less[1]}; mean ranges {means['dilca_m']:.3f} (sigma), "
        f"{means['rock']:.3f} (theta), {means['limbo']:.3f} (phi). The number of clusters was not "
        "varied.",
        "sensitivity",
    )
