"""Claims of DILCA, sections 1 to 3 and 5.2: its distances, its contexts, and the scores.

A theorem speaks of any table. It is tried on all data sets, the generated ones among them, and on
random tables. Contexts of DILCA_M are those of uncertainties below 1e-12 set to 0, as exact
arithmetic has them; the rounding of the authors' tool, which the tables are made with, is a remark.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from replication.judge.claims import EQUAL, ClaimBook, Evidence, Finding, count

if TYPE_CHECKING:
    import pandas as pd

THEORY = ClaimBook()


@THEORY.about("dilca-01")
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


@THEORY.about("dilca-02")
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


@THEORY.about("dilca-03")
def metric(evidence: Evidence) -> Finding:
    """Axioms of a metric."""
    frame = _distances(evidence)
    symmetric = frame[["asymmetry", "diagonal"]].max(axis=1) <= EQUAL
    triangle = frame["triangle"] <= EQUAL
    apart = frame["coinciding"] == 0
    meeting, pairs = int(frame["coinciding"].sum()), int(frame["pairs"].sum())
    names = evidence.names()
    where = ", ".join(names[one] for one in frame.loc[~apart, "dataset"].unique()) or "none"
    return Finding(
        count(symmetric & triangle & apart),
        f"Of {_learnt(frame)}, {symmetric.sum()} are symmetric and 0 on the diagonal, "
        f"{triangle.sum()} fulfil the triangle inequality, and {apart.sum()} are above 0 for all "
        f"pairs of different values: {meeting:,} of {pairs:,} pairs are at distance 0, on {where}."
        + (" Eq. (1) is a pseudo-metric." if meeting else ""),
        "value_distances",
        value=f"{meeting:,} of {pairs:,} pairs at 0",
    )


@THEORY.about("dilca-04")
def uncertainty_range(evidence: Evidence) -> Finding:
    """Range and extremes of symmetric uncertainty."""
    frame = evidence.experiment("theorems")
    inside = frame["su"].between(-EQUAL, 1 + EQUAL)
    one, zero = (frame["su_determined"] - 1).abs(), frame["su_independent"].abs()
    low, high = frame["su"].min(), frame["su"].max()
    return Finding(
        count(inside & (one <= EQUAL) & (zero <= EQUAL)),
        f"On {len(frame)} random tables SU runs from {low:.4f} to {high:.4f}; it is 1 up to "
        f"{one.max():.1e} for attributes that determine each other, and 0 up to {zero.max():.1e} "
        "for independent ones.",
        "theorems",
        value=f"[{low:.4f}, {high:.4f}]",
    )


@THEORY.about("dilca-05")
def gain_symmetric(evidence: Evidence) -> Finding:
    """Symmetry of the information gain."""
    frame = evidence.experiment("theorems")
    off = (frame["gain"] - frame["gain_reversed"]).abs()
    return Finding(
        count(off <= EQUAL),
        f"On {len(frame)} random tables the gain of Y from X and of X from Y differ by at most "
        f"{off.max():.1e}.",
        "theorems",
        value=f"{off.max():.1e}",
    )


def _rounded(evidence: Evidence, broken: pd.DataFrame) -> str:
    """Remark on the contexts that the rounding noise of the authors' tool spoils."""
    names = evidence.names()
    where = ", ".join(names[one] for one in broken["dataset"].unique()) or "none"
    return (
        "With the rounding noise of the authors' tool, which the tables are made with and which "
        f"can put an uncertainty of 0 below 0, the exceptions are: {where}."
    )


@THEORY.about("dilca-06")
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


@THEORY.about("dilca-07")
def whole_context(evidence: Evidence) -> Finding:
    """Context at sigma 0."""
    frame = _distances(evidence)
    rows = frame[frame["setting"] == "sigma=0"]
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


@THEORY.about("dilca-48")
def value_difference_asymmetric(evidence: Evidence) -> Finding:
    """Asymmetry of the value difference metric."""
    frame = evidence.experiment("theorems")
    off = (frame["vdm"] - frame["vdm_reversed"]).abs()
    cases = count(off > EQUAL)
    return Finding(
        cases,
        f"vdm(x, y) and vdm(y, x) differ on {cases.held} of {len(frame)} random tables, by up to "
        f"{off.max():.3f}.",
        "theorems",
    )


@THEORY.about("dilca-50")
def index_ranges(evidence: Evidence) -> Finding:
    """Ends of the ranges of ARI and NMI."""
    frame = evidence.experiment("theorems")
    negative = count(frame["ari"] < -EQUAL)
    off = (frame[["ari_identical", "nmi_identical"]] - 1).abs().max(axis=1)
    return Finding(
        [negative, count(off <= EQUAL)],
        f"ARI of unrelated partitions is negative in {negative.held} of {len(frame)} cases, down "
        f"to {frame['ari'].min():.4f}; identical partitions have ARI and NMI 1, up to "
        f"{off.max():.1e}.",
        "theorems",
        value=f"{frame['ari'].min():.4f}",
    )
