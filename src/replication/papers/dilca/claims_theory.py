"""Claims of DILCA on its value distances, contexts and scores, each as its cases.

A theorem speaks of every table. It is tested on all data sets, synthetic ones included, and on
random tables. DILCA_M is tested with uncertainties below 1e-12 set to 0, as in exact arithmetic.
The tables keep the rounding of floating-point sums instead; the evidence names the exceptions that
this rounding makes.
"""

import itertools

import numpy as np
import pandas as pd

from couplings import CategoricalTable, DilcaM, DilcaRR, external_scores
from couplings.measures.base import PublishedDissimilarity
from couplings.measures.registry import measure_from
from replication.judge.cells import listed
from replication.judge.claims import EQUAL, ClaimBook, Evidence, Outcome, cases
from replication.judge.times import Seconds, power
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
    """Expected NMI of k equal clusters that tell nothing about two equal classes, against k = 2."""
    from sklearn.metrics.cluster import expected_mutual_information

    objects, sizes = 64, (2, 4, 8, 16, 32, 64)
    nmi = {}
    for k in sizes:
        table = np.full((2, k), objects / (2 * k))
        mutual = expected_mutual_information(table, objects)
        nmi[f"{k} clusters"] = float(mutual / (np.log(2) * np.log(k)) ** 0.5)
    first, *others = nmi.items()
    return Outcome(
        cases(
            [name for name, _ in others],
            [abs(value - first[1]) <= EQUAL for _, value in others],
            ours=[value for _, value in others],
        ),
        "fig04",
        f"Ours is the mean NMI over all assignments of {objects} objects to clusters of equal size "
        f"and two classes; with two clusters it is {first[1]:.4f}.",
    )


BORIAH = (
    "eskin",
    "inverse_occurrence_frequency",
    "occurrence_frequency",
    "lin",
    "lin1",
    "goodall1",
    "goodall2",
    "goodall3",
    "goodall4",
    "smirnov",
    "gambaryan",
    "burnaby",
    "anderberg",
    "simple_matching",
)
"""Measures of Boriah, Chandola and Kumar, by their names in the library."""


@CLAIMS.about("dilca-57")
def single_attribute(evidence: Evidence) -> Outcome:
    """Whether the frequencies of one attribute weigh another one, measure by measure.

    Two tables are equal but for the second attribute. Three objects agree there, and differ in the
    first attribute; in a sum over attributes their similarities differ by as much in both tables.
    """
    first = np.repeat([0, 1, 2], (1, 3, 8))
    seconds = (np.r_[0, 0, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1], np.r_[0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 1])
    held = {}
    for name in BORIAH:
        gaps = []
        for second in seconds:
            table = CategoricalTable.from_codes(np.column_stack([first, second]), [3, 2])
            measure = measure_from(name).fit(table)
            if isinstance(measure, PublishedDissimilarity):
                measure = measure_from(name, self_distance="paper").fit(table)
            near, far = measure.pairwise(table)[0, [1, 4]]
            # D is a sum, or the reciprocal of one; a sum that is 0 has no reciprocal
            gaps.append([far - near, *([1 / far - 1 / near] if near * far > 0 else [])])
        held[name] = any(abs(a - b) <= EQUAL for a, b in zip(*gaps, strict=False))
    return Outcome(
        cases(held, held.values()),
        "fig06",
        "A case fails if the weight of a mismatch depends on the frequencies of another attribute, "
        "as in quotients of two sums over all attributes.",
    )


@CLAIMS.about(
    "dilca-58",
    "A description of another paper's algorithm. There the subsets are of the values of each other "
    "attribute, not of the attributes (compare the claims on eq. 8 and 9 of the paper caso).",
)
@CLAIMS.about(
    "dilca-61",
    "An expectation; the text gives neither a size nor a measure of the bias.",
)
@CLAIMS.about(
    "dilca-63",
    "A result that the paper quotes (Zhu, Wu, Yang, AAAI 2004), without numbers.",
)
def without_numbers(evidence: Evidence, note: str) -> Outcome:
    """Statements that rest on no number of the paper."""
    return Outcome(None, note=note)


@CLAIMS.about("dilca-59")
def purity_of_imbalanced_classes(evidence: Evidence) -> Outcome:
    """Purity, NMI and ARI of two clusters that are independent of two classes, class by share."""
    shares, half = (50, 60, 70, 80, 90), 100
    found = {
        share: external_scores(np.tile(np.arange(half) >= share, 2), np.repeat([0, 1], half))
        for share in shares
    }
    purity = {share: one["purity"] for share, one in found.items()}
    rises = [purity[b] > purity[a] + EQUAL for a, b in itertools.pairwise(shares)]
    others = max(abs(one[name]) for one in found.values() for name in ("nmi_sqrt", "ari"))
    return Outcome(
        cases(
            [f"largest class {a} % to {b} %" for a, b in itertools.pairwise(shares)],
            rises,
            ours=[purity[share] for share in shares[1:]],
        ),
        "fig03",
        "Ours is the purity by eq. (5) of clusters that are independent of the classes; their NMI "
        f"and ARI are at most {others:.2f}.",
    )


@CLAIMS.about("dilca-60")
def noise_is_ignored(evidence: Evidence) -> Outcome:
    """Attributes without information in the contexts, on a table of all combinations of six bits.

    The context of the first attribute has a noisy copy of it, an independent attribute, and one
    that depends on it a little.
    """
    bits = np.array(list(itertools.product([0, 1], repeat=6)))
    first, second, third, noise, fifth, sixth = bits.T
    columns = [first, first ^ (second & third), noise, noise ^ (first & fifth & sixth)]
    table = CategoricalTable.from_codes(np.column_stack(columns), [2] * len(columns))
    names = ("independent attribute", "attribute of little use")
    measures = {"DILCA_M, sigma 1": DilcaM(sigma=1.0), "DILCA_RR": DilcaRR()}
    held = {
        f"{name}, {what}": not measure.fit(table).context_[0, column]
        for name, measure in measures.items()
        for column, what in zip((2, 3), names, strict=True)
    }
    return Outcome(
        cases(held, held.values()),
        "fig15",
        "A case holds if the context of an attribute leaves the other one out.",
    )


@CLAIMS.about("dilca-62")
def selection_of_one_context(evidence: Evidence) -> Outcome:
    """Comparisons that select the context of one attribute, where no other one is redundant.

    The attribute has a value of its own for each object, and every other one marks one object.
    """
    rule = evidence.choice("dilca.context", "strict", "algorithm3")
    found = {}
    for m in (8, 16, 32, 64, 128):
        codes = np.column_stack([np.arange(m + 1), np.eye(m + 1, m, dtype=np.int64)])
        table = CategoricalTable.from_codes(codes, [m + 1, *[2] * m])
        kept = measure_from("dilca_rr", context=rule).fit(table).context_[0]
        # each attribute that is kept is compared with those that rank below it
        found[m] = int(sum(range(int(kept.sum()))))
    # without the factor log m of the bound
    growth = power({m: Seconds(n / np.log(m), n / np.log(m), 0.0) for m, n in found.items()})
    return Outcome(
        cases(["exponent of m beside log m"], [growth.at_most(1)], ours=[str(growth)]),
        "operations",
        f"With {max(found)} attributes, all of them kept, {found[max(found)]:,} pairs are "
        "compared.",
        f"m^{growth} log m",
    )
