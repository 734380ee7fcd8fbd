"""Claims of DILCA on its value distances, contexts and scores, each as its cases.

A theorem speaks of every table. It is tested on all data sets, synthetic ones included, and on
random tables. DILCA_M is tested with uncertainties below 1e-12 set to 0, as in exact arithmetic.
The tables keep the rounding of floating-point sums instead; the evidence names the exceptions that
this rounding makes.
"""

import numpy as np
import pandas as pd

from couplings import external_scores
from replication.judge.cells import listed
from replication.judge.claims import EQUAL, ClaimBook, Evidence, Outcome, cases
from replication.papers.dilca.times import TIMES

CLAIMS = ClaimBook(TIMES)


@CLAIMS.about("dilca-01")
def florence(evidence: Evidence) -> Outcome:
    """Order of two value distances in the example of Fig. 1."""
    rows = evidence.table("fig01").set_index("quantity")["reproduced"]
    # a pair names its cities in either order
    near, far = (
        next(rows[name] for name in rows.index if {"Florence", city} == {*name[2:-1].split(", ")})
        for city in ("Milan", "Turin")
    )
    ahead, name = evidence.ahead(far, near), "d(Florence, Turin) above d(Florence, Milan)"
    found = cases([name], [ahead], ours=[far], margin=[far - near])
    return Outcome(found, "fig01", value=f"{near:.4f}, {far:.4f}")


def _distances(evidence: Evidence) -> pd.DataFrame:
    """Records of `properties.value_distances`, with a name of each case as ``case``."""
    frame = evidence.experiment("value_distances", evidence.datasets("fig04"))
    case = frame["dataset"].map(evidence.names()) + " " + frame["measure"]
    return frame.assign(case=case + (" " + frame["setting"]).fillna(""))


@CLAIMS.about("dilca-02")
def unit_interval(evidence: Evidence) -> Outcome:
    """Range of the value distances."""
    frame = _distances(evidence)
    low, high = frame["lowest"], frame["highest"]
    return Outcome(
        cases(frame["case"], (low >= 0) & (high <= 1 + EQUAL), ours=high, margin=1 - high),
        "value_distances",
        "Ours is the highest distance between two values of an attribute.",
        f"[{low.min():.4g}, {high.max():.4f}]",
    )


@CLAIMS.about("dilca-03")
def metric(evidence: Evidence) -> Outcome:
    """Axioms of a metric."""
    frame = _distances(evidence)
    axioms = (frame[["asymmetry", "diagonal", "triangle"]] <= EQUAL).all(axis=1)
    meeting = frame["coinciding"]
    return Outcome(
        cases(frame["case"], axioms & (meeting == 0), ours=meeting, margin=-meeting),
        "value_distances",
        "Ours is the number of pairs of different values at distance 0, which make eq. (1) a "
        "pseudo-metric.",
        f"{meeting.sum():,} of {frame['pairs'].sum():,} pairs at 0",
    )


def _random(holds: pd.Series, part: int = 1) -> pd.DataFrame:
    """Cases of random tables: one row for those that hold, one for those that do not."""
    n = holds.value_counts()
    return cases([f"{one} random tables" for one in n], n.index, n=n.tolist(), part=part)


@CLAIMS.about("dilca-04")
def uncertainty_range(evidence: Evidence) -> Outcome:
    """Range of symmetric uncertainty, and the attributes at its ends."""
    frame = evidence.experiment("theorems")
    one, zero = (frame["su_determined"] - 1).abs(), frame["su_independent"].abs()
    return Outcome(
        _random(frame["su"].between(-EQUAL, 1 + EQUAL) & (one <= EQUAL) & (zero <= EQUAL)),
        "theorems",
        f"SU is 1 up to {one.max():.1e} for attributes that determine each other, and 0 up to "
        f"{zero.max():.1e} for independent ones.",
        f"[{frame['su'].min():.4f}, {frame['su'].max():.4f}]",
    )


@CLAIMS.about("dilca-05", "gain", value="{:.1e}")
@CLAIMS.about("dilca-48", "vdm", "vdm(x, y) and vdm(y, x) differ by up to {:.3f}.", differs=True)
def symmetry(
    evidence: Evidence, name: str, note: str = "", value: str = "", differs: bool = False
) -> Outcome:
    """Symmetry of the information gain, asymmetry of the value difference metric."""
    frame = evidence.experiment("theorems")
    off = (frame[name] - frame[f"{name}_reversed"]).abs()
    found = _random((off > EQUAL) == differs)
    return Outcome(found, "theorems", note.format(off.max()), value.format(off.max()))


@CLAIMS.about("dilca-06")
@CLAIMS.about("dilca-07", "sigma=0")
def contexts(evidence: Evidence, setting: str = "") -> Outcome:
    """Smallest context of DILCA_M: never empty; at sigma 0 it has all other attributes."""
    frame = _distances(evidence)
    if setting:
        frame = frame[frame["setting"] == setting]
    least = frame["attributes"] - 1 if setting else 1
    frame = frame.assign(margin=frame["smallest_context"] - least)
    exact = frame[frame["measure"] == "dilca_m_clipped"]
    noisy = frame[(frame["measure"] == "dilca_m") & (frame["margin"] < 0)]
    ours, margin = exact["smallest_context"], exact["margin"]
    exceptions = noisy["dataset"].map(evidence.names()).unique()
    return Outcome(
        cases(exact["case"], margin >= 0, ours=ours, margin=margin),
        "value_distances",
        "With the rounding noise of floating-point sums, which can make an uncertainty of 0 "
        f"negative, the exceptions are: {listed(exceptions)}.",
        "" if setting else f"{ours.min()}",
    )


@CLAIMS.about("dilca-50")
def index_ranges(evidence: Evidence) -> Outcome:
    """ARI of unrelated partitions, and ARI and NMI of identical ones."""
    frame = evidence.experiment("theorems")
    off = (frame[["ari_identical", "nmi_identical"]] - 1).abs().max(axis=1)
    return Outcome(
        pd.concat([_random(frame["ari"] < -EQUAL), _random(off <= EQUAL, part=2)]),
        "theorems",
        "Part 1 is ARI of unrelated partitions, part 2 ARI and NMI of identical ones.",
        f"{frame['ari'].min():.4f}",
    )


@CLAIMS.about("dilca-55")
def nmi_of_many_clusters(evidence: Evidence) -> Outcome:
    """NMI of 2 to 64 clusters that are independent of the classes; with 64 each is one object."""
    objects = np.arange(64)
    clusters = {k: objects // (len(objects) // k) for k in (2, 4, 8, 16, 32, 64)}
    found = {k: external_scores(objects % 2, one) for k, one in clusters.items()}
    nmi = {f"{k} clusters": one["nmi_sqrt"] for k, one in found.items()}
    return Outcome(
        cases(nmi, [abs(one) <= EQUAL for one in nmi.values()], ours=nmi.values()),
        "fig04",
        "The clusters are independent of the classes. With one object in each cluster NMI is not "
        f"0, and ARI is {abs(found[64]['ari']):.2f}.",
    )
