"""What DILCA says in words, tested on the tables, tests and experiments of a run.

Orderings are tested on the reconciled reading, where DILCA_M, ROCK and LIMBO take the setting
that the paper's rule picks with the class labels (oracle). Every such sentence also counts the
fixed settings, which need no labels, and the numbers that the paper itself prints.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from replication.claims import (
    CONFIRMED,
    MIXED,
    REFUTED,
    ClaimBook,
    Evidence,
    Finding,
    MissingEvidenceError,
    counted,
)
from replication.papers.dilca.cells import best_or_tied
from replication.papers.dilca.claims_times import TIMES
from replication.papers.dilca.records import FIXED
from replication.verdicts import DIFFERS, EXACT, NOT_COMPARABLE, NOT_RUN, WITHIN_NOISE

if TYPE_CHECKING:
    import pandas as pd

CLAIMS = ClaimBook()

RECONCILED = "reconciled"
PRINTED = "printed numbers"
DILCA = ("dilca_m", "dilca_rr")
ALGORITHMS = ("delta", "rock", "limbo")
MEASURES = ("lin", "of", "goodall3")
BASELINES = ("jaccard", "pearson")
GROUPS = {
    ("fig03", "fig04", "fig05"): ALGORITHMS,
    ("fig06", "fig07", "fig08"): MEASURES,
    ("fig09", "fig10", "fig11"): BASELINES,
}
"""Tables of purity, NMI and ARI, and the competitors in them."""
SYNTHETIC = ("syn_a", "syn_b", "syn_c", "syn_d")
UNPUBLISHED = (*SYNTHETIC, "adult")
"""Data sets of which the generator or the sample was never published."""
EPSILON = 1e-9
"""What rounding may do to a quantity that is exact in theory."""
CLOSE = 0.2
"""Relative gap up to which two scores are called close: it parts Car from the other data sets on
which DILCA loses in the printed Figs 7 and 8."""
CHANGE = 0.05
"""Change of a score that the paper finds worth a curve (section 5.5.1)."""

LEVEL = 0.05
"""Level of the tests."""

Scores = Mapping[str, Mapping[str, float]]


# --- scores of the tables -------------------------------------------------------------------------


def _datasets(evidence: Evidence, artefact: str) -> list[str]:
    """Data sets that the paper prints in an artefact."""
    cells = evidence.printed
    return list(dict.fromkeys(cells.loc[cells["artefact"] == artefact, "dataset_id"]))


def _scores(
    evidence: Evidence, artefact: str, reading: str, datasets: Collection[str] = ()
) -> Scores:
    """Data set to method to score.

    `reading` is the reconciled one, ``fixed`` (methods without a setting keep their number), or
    `PRINTED` for what the paper prints. All `datasets` must have been computed.
    """
    frame = evidence.table(artefact)
    rows = frame[frame["reading"] == RECONCILED]
    ran = rows[rows["reproduced"].notna()]
    evidence.need(ran, "dataset", datasets or _datasets(evidence, artefact))
    column = "printed_value" if reading == PRINTED else "reproduced"
    table: dict[str, dict[str, float]] = {}
    chosen = [ran] if reading != FIXED else [ran, frame[frame["reading"] == FIXED]]
    for part in chosen:
        for row in part.to_dict("records"):
            if not datasets or row["dataset"] in datasets:
                table.setdefault(row["dataset"], {})[row["method"]] = float(row[column])
    return table


def _margin(scores: Mapping[str, float], rivals: Sequence[str]) -> float:
    """Score of the better DILCA variant less that of the best rival."""
    return max(scores[name] for name in DILCA) - max(scores[name] for name in rivals)


def _names(evidence: Evidence, datasets: Iterable[str]) -> str:
    """Printed names of data sets, or ``none``."""
    cells = evidence.printed
    printed = dict(zip(cells["dataset_id"], cells["dataset"], strict=True))
    return ", ".join(printed[name] for name in datasets) or "none"


def _held(
    evidence: Evidence,
    artefacts: Sequence[str],
    datasets: Collection[str],
    condition: Callable[[Sequence[Mapping[str, float]]], bool],
) -> dict[str, list[str]]:
    """Data sets where a condition on the scores of some tables holds, by reading."""
    found = {}
    for reading in (RECONCILED, FIXED, PRINTED):
        tables = [_scores(evidence, artefact, reading, datasets) for artefact in artefacts]
        found[reading] = [name for name in datasets if condition([one[name] for one in tables])]
    return found


def _also(found: Mapping[str, Collection[str]], total: int) -> str:
    """Counts of the other two ways to look at it."""
    return (
        f"With fixed settings {len(found[FIXED])} of {total}; by the printed numbers "
        f"{len(found[PRINTED])} of {total}."
    )


def _real(found: Mapping[str, Collection[str]], datasets: Collection[str]) -> str:
    """The same count without what the paper never published; empty if that changes nothing."""
    real = [name for name in datasets if name not in UNPUBLISHED]
    if len(real) == len(datasets):
        return ""
    if not real:
        return " All of them are of our own generator: the authors' data are gone."
    ours, theirs = (
        sum(name in found[reading] for name in real) for reading in (RECONCILED, PRINTED)
    )
    return (
        f" Without the generated sets and Adult's samples, which are not the paper's, {ours} of "
        f"{len(real)} (printed {theirs})."
    )


def _wins(
    evidence: Evidence, artefacts: Sequence[str], rivals: Sequence[str], datasets: Sequence[str]
) -> Finding:
    """Positive margin of the better DILCA variant in all of some tables, on named data sets."""
    found = _held(
        evidence, artefacts, datasets, lambda rows: all(_margin(one, rivals) > 0 for one in rows)
    )
    tables = [_scores(evidence, artefact, RECONCILED, datasets) for artefact in artefacts]
    margins = [_margin(table[name], rivals) for table in tables for name in datasets]
    lost = [name for name in datasets if name not in found[RECONCILED]]
    held = len(found[RECONCILED])
    return Finding(
        counted(held, len(datasets)),
        f"The better DILCA variant is ahead on {held} of {len(datasets)} data sets (oracle "
        f"settings), by {min(margins):.3f} to {max(margins):.3f}; not on "
        f"{_names(evidence, lost)}. {_also(found, len(datasets))}{_real(found, datasets)}",
        f"{held}/{len(datasets)}",
        " ".join(artefacts),
    )


def _mostly(held: int, total: int) -> str:
    """Verdict of a claim about most cases, or cases in general."""
    return CONFIRMED if 2 * held > total else REFUTED


# --- the distances themselves ---------------------------------------------------------------------


@CLAIMS.about("dilca-01")
def florence(evidence: Evidence) -> Finding:
    """Fig. 1: the order of the distances of the example."""
    rows = evidence.table("fig01").set_index("quantity")["reproduced"]
    pairs = {
        frozenset(name[2:-1].split(", ")): rows[name] for name in rows.index if name[:2] == "d("
    }
    near, far = (pairs[frozenset({"Florence", city})] for city in ("Milan", "Turin"))
    return Finding(
        CONFIRMED if near < far else REFUTED,
        f"Eq. (1) gives d(Florence, Milan) = {near:.4f} and d(Florence, Turin) = {far:.4f}.",
        f"{near:.4f} < {far:.4f}",
        "fig01",
    )


def _distances(evidence: Evidence) -> pd.DataFrame:
    return evidence.experiment("value_distances", _datasets(evidence, "fig04"))


@CLAIMS.about("dilca-02")
def unit_interval(evidence: Evidence) -> Finding:
    """Range of the value distances."""
    frame = _distances(evidence)
    low, high = frame["lowest"].min(), frame["highest"].max()
    return Finding(
        CONFIRMED if low >= 0 and high <= 1 + EPSILON else REFUTED,
        f"Over {frame['dataset'].nunique()} data sets and both variants the value distances run "
        f"from {low:.4g} to {high:.4f}.",
        f"[{low:.4g}, {high:.4f}]",
        "value_distances",
    )


@CLAIMS.about("dilca-03")
def metric(evidence: Evidence) -> Finding:
    """Axioms of a metric."""
    frame = _distances(evidence)
    symmetric = frame[["asymmetry", "diagonal"]].max().max() <= EPSILON
    triangle = frame["triangle"].max() <= EPSILON
    meeting, pairs = int(frame["coinciding"].sum()), int(frame["pairs"].sum())
    where = frame.loc[frame["coinciding"] > 0, "dataset"].unique()
    verdict = MIXED if symmetric and triangle and meeting else CONFIRMED
    return Finding(
        verdict if symmetric and triangle else REFUTED,
        f"Zero on the diagonal and symmetric: {'yes' if symmetric else 'no'}; triangle inequality: "
        f"{'yes' if triangle else 'no'}. But {meeting} of {pairs} pairs of different values are at "
        f"distance 0 ({_names(evidence, where)}): a pseudo-metric."
        if meeting
        else f"All axioms hold on {pairs} pairs of different values.",
        f"{meeting}/{pairs} pairs at 0",
        "value_distances",
    )


@CLAIMS.about("dilca-04")
def uncertainty_range(evidence: Evidence) -> Finding:
    """Range and extremes of symmetric uncertainty."""
    frame = evidence.experiment("theorems")
    low, high = frame["su"].min(), frame["su"].max()
    one = (frame["su_determined"] - 1).abs().max()
    zero = frame["su_independent"].abs().max()
    held = low >= -EPSILON and high <= 1 + EPSILON and one <= EPSILON and zero <= EPSILON
    return Finding(
        CONFIRMED if held else REFUTED,
        f"On {len(frame)} random tables SU runs from {low:.4f} to {high:.4f}; it is 1 up to "
        f"{one:.1e} for attributes that determine each other, and 0 up to {zero:.1e} for "
        "independent ones.",
        f"[{low:.4f}, {high:.4f}]",
        "theorems",
    )


@CLAIMS.about("dilca-05")
def gain_symmetric(evidence: Evidence) -> Finding:
    """Symmetry of the information gain."""
    frame = evidence.experiment("theorems")
    off = (frame["gain"] - frame["gain_reversed"]).abs().max()
    return Finding(
        CONFIRMED if off <= EPSILON else REFUTED,
        f"On {len(frame)} random tables the gain of Y from X and of X from Y differ by at most "
        f"{off:.1e}.",
        f"{off:.1e}",
        "theorems",
    )


def _in_both_roundings(
    condition: Callable[[pd.DataFrame], pd.Series], rows: pd.DataFrame
) -> tuple[str, dict[str, list[str]]]:
    """Verdict, and the data sets on which a statement fails, by rounding of the uncertainty.

    The statement is about real numbers. It is confirmed if it holds in both roundings, and mixed
    if only the rounding noise of the authors' tool, which can put an uncertainty of 0 below 0,
    breaks it.
    """
    broken = {
        measure: list(dict.fromkeys(part.loc[~condition(part), "dataset"]))
        for measure, part in rows.groupby("measure")
    }
    if broken["dilca_m_clipped"]:
        return REFUTED, broken
    return MIXED if broken["dilca_m"] else CONFIRMED, broken


def _noise(evidence: Evidence, broken: Mapping[str, Sequence[str]]) -> str:
    return (
        f"it fails on {_names(evidence, broken['dilca_m_clipped'])} with uncertainties below 1e-12 "
        f"set to 0, and on {_names(evidence, broken['dilca_m'])} with the rounding noise of the "
        "authors' tool, where an uncertainty of 0 can come out negative."
    )


@CLAIMS.about("dilca-06")
def context_never_empty(evidence: Evidence) -> Finding:
    """Smallest context of the mean rule."""
    frame = _distances(evidence)
    rows = frame[frame["measure"] != "dilca_rr"]
    verdict, broken = _in_both_roundings(lambda part: part["smallest_context"] >= 1, rows)
    smallest = rows.groupby("measure")["smallest_context"].min()
    return Finding(
        verdict,
        f"Over {rows['dataset'].nunique()} data sets and {rows['setting'].nunique()} values of "
        f"sigma: {_noise(evidence, broken)}",
        f"{smallest['dilca_m_clipped']} clipped, {smallest['dilca_m']} in floating point",
        "value_distances",
    )


@CLAIMS.about("dilca-07")
def whole_context(evidence: Evidence) -> Finding:
    """Context at sigma 0."""
    frame = _distances(evidence)
    rows = frame[frame["setting"] == "sigma=0"]
    verdict, broken = _in_both_roundings(
        lambda part: part["smallest_context"] == part["attributes"] - 1, rows
    )
    sets = rows["dataset"].nunique()
    return Finding(
        verdict,
        f"Every target has all other attributes as its context, tried on {sets} data sets: "
        f"{_noise(evidence, broken)}",
        f"{sets - len(broken['dilca_m'])}/{sets} in floating point",
        "value_distances",
    )


@CLAIMS.about("dilca-48")
def value_difference_asymmetric(evidence: Evidence) -> Finding:
    """Asymmetry of the value difference metric."""
    frame = evidence.experiment("theorems")
    off = (frame["vdm"] - frame["vdm_reversed"]).abs()
    held = int((off > EPSILON).sum())
    return Finding(
        CONFIRMED if held else REFUTED,
        f"vdm(x, y) and vdm(y, x) differ on {held} of {len(frame)} random tables, by up to "
        f"{off.max():.3f}.",
        f"{held}/{len(frame)}",
        "theorems",
    )


@CLAIMS.about("dilca-50")
def index_ranges(evidence: Evidence) -> Finding:
    """Ends of the ranges of ARI and NMI."""
    frame = evidence.experiment("theorems")
    negative = int((frame["ari"] < 0).sum())
    same = (frame[["ari_identical", "nmi_identical"]] - 1).abs().max().max()
    return Finding(
        CONFIRMED if negative and same <= EPSILON else REFUTED,
        f"ARI of unrelated partitions is negative in {negative} of {len(frame)} cases, down to "
        f"{frame['ari'].min():.4f}; identical partitions have ARI and NMI 1, up to {same:.1e}.",
        f"{frame['ari'].min():.4f}",
        "theorems",
    )


# --- the printed numbers --------------------------------------------------------------------------


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
    counts = {name: int((rows["verdict"] == name).sum()) for name in _JUDGED}
    comparable = sum(counts.values())
    held = counts[EXACT] + counts[WITHIN_NOISE]
    apart = int((rows["verdict"] == NOT_COMPARABLE).sum())
    return Finding(
        counted(held, comparable),
        f"{counts[EXACT]} of {comparable} comparable numbers are exact, {counts[WITHIN_NOISE]} "
        f"within noise, {counts[DIFFERS]} differ; {apart} cannot be compared (generated data, "
        "unpublished sample).",
        f"{held}/{comparable}",
        artefact,
    )


_JUDGED = (EXACT, WITHIN_NOISE, DIFFERS)

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
    CLAIMS.about(_name)(
        lambda evidence, artefact=_artefact, methods=_methods: _numbers(evidence, artefact, methods)
    )


def _settled(evidence: Evidence, artefact: str) -> pd.DataFrame:
    """Cells of a table that ran, under the first reading, of what can be compared."""
    frame = evidence.table(artefact)
    rows = frame[(frame["reading"] == RECONCILED) & frame["verdict"].isin(_JUDGED)]
    evidence.need(rows, "dataset", ("titanic", "balloons"))
    return rows


@CLAIMS.about("dilca-17")
def purity_kind(evidence: Evidence) -> Finding:
    """Which purity is printed, where NMI and ARI say that the partition is that of the paper."""
    eq5 = inverse = matching = total = 0
    # both DILCA columns are printed in all three groups, and count once
    seen: set[tuple[str, str]] = set()
    for purity, *others in GROUPS:
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
            alike = abs(row["eq5"] - row["inverse"]) < EPSILON
            if key in seen or alike or not all(key in one for one in same):
                continue
            seen.add(key)
            total += 1
            # printed percentages are truncated in places: one unit of the last digit
            eq5 += abs(row["printed_value"] - row["eq5"]) < 1.01e-4
            inverse += abs(row["printed_value"] - row["inverse"]) < 1.01e-4
            matching += abs(row["printed_value"] - row["matching"]) < 1.01e-4
    return Finding(
        counted(eq5, total),
        f"In {total} cells NMI and ARI are exact and the two purities differ: the printed number "
        f"is eq. (5) in {eq5} of them, its transpose (classes over clusters) in {inverse}, the "
        f"best one-to-one matching in {matching}.",
        f"{eq5}/{total}",
        "fig03 fig06 fig09",
    )


@CLAIMS.about("dilca-18")
def nmi_kind(evidence: Evidence) -> Finding:
    """Which normalisation of NMI is printed."""
    root = mean = total = 0
    seen: set[tuple[str, str]] = set()
    for _, nmi, _ in GROUPS:
        rows = _settled(evidence, nmi)
        for row in rows.to_dict("records"):
            hits = [
                abs(row["printed_value"] - row[name]) < 1.01e-4
                for name in ("reproduced", "nmi_arithmetic")
            ]
            key = (row["dataset"], row["method"])
            if hits[0] == hits[1] or key in seen:
                continue
            seen.add(key)
            total += 1
            root += hits[0]
            mean += hits[1]
    return Finding(
        counted(root, total),
        f"Of {total} printed values that only one normalisation gives, {root} are those of the "
        f"root of the product of the entropies, {mean} those of their mean.",
        f"{root}/{total}",
        "fig04 fig07 fig10",
    )


@CLAIMS.about("dilca-24")
def sparse(evidence: Evidence) -> Finding:
    """Values per attribute of the synthetic sets."""
    frame = evidence.table("fig02")
    rows = frame[(frame["reading"] == RECONCILED) & frame["reproduced"].notna()]
    names = SYNTHETIC[1:]
    evidence.need(rows, "dataset", names)
    wide = rows.pivot_table(index="dataset", columns="metric", values="printed", aggfunc="first")
    ratio = [float(wide.loc[name, "values"]) / float(wide.loc[name, "features"]) for name in names]
    held = sum(one in (20.0, 50.0) for one in ratio)
    return Finding(
        counted(held, len(names)),
        "The printed counts give "
        + ", ".join(f"{one:g}" for one in ratio)
        + " values per attribute for SynB, SynC, SynD; ours are generated with these sizes.",
        f"{held}/{len(names)}",
        "fig02",
    )


# --- DILCA against ROCK, LIMBO and DELTA ----------------------------------------------------------

ROCKS = ("post_operative", "titanic", "hepatitis", "breast_cancer")
HUGE = 0.75
"""Share of the objects from which on a cluster is called huge."""


@CLAIMS.about("dilca-19")
def rock_shapes(evidence: Evidence) -> Finding:
    """Sizes of ROCK's clusters behind its purity."""
    frame = evidence.experiment("rock_clusters", ROCKS)
    rows = frame[(frame["chosen"] == "yes") & (frame["algorithm"] == "rock_merge")]
    shaped = rows[(rows["largest_share"] >= HUGE) & (rows["small_pure"] > 0)]
    said = "; ".join(
        f"{_names(evidence, [row['dataset']])} {100 * row['largest_share']:.1f} % in one cluster, "
        f"{row['small_pure']} small pure ones (sizes {row['sizes']})"
        for row in rows.to_dict("records")
    )
    return Finding(
        counted(len(shaped), len(rows)),
        f"At the theta that is reported (oracle): {said}. One cluster with {HUGE:.0%} of the "
        f"objects and a small pure one are there in {len(shaped)} of {len(rows)}.",
        f"{len(shaped)}/{len(rows)}",
        "rock_clusters",
    )


@CLAIMS.about("dilca-20")
def rock_below(evidence: Evidence) -> Finding:
    """NMI and ARI of ROCK on the four data sets where its purity is high."""
    counts = {}
    for reading in (RECONCILED, FIXED, PRINTED):
        margins = [
            _margin(_scores(evidence, artefact, reading, ROCKS)[name], ("rock",))
            for artefact in ("fig04", "fig05")
            for name in ROCKS
        ]
        counts[reading] = sum(margin > 0 for margin in margins)
    total = 2 * len(ROCKS)
    return Finding(
        _mostly(counts[RECONCILED], total),
        f"ROCK is below the better DILCA variant in {counts[RECONCILED]} of {total} cases (oracle "
        f"settings). With fixed settings {counts[FIXED]}, by the printed numbers "
        f"{counts[PRINTED]}.",
        f"{counts[RECONCILED]}/{total}",
        "fig04 fig05",
    )


@CLAIMS.about("dilca-21")
def best_of_all(evidence: Evidence) -> Finding:
    """Data sets where a variant is best or tied."""
    datasets = _datasets(evidence, "fig04")
    found = _held(
        evidence,
        ("fig04", "fig05"),
        datasets,
        lambda rows: any(best_or_tied(one, DILCA, ALGORITHMS) for one in rows),
    )
    cells = evidence.printed
    said = float(cells.loc[cells["metric"] == "datasets_where_best", "value"].iloc[0])
    held, total = len(found[RECONCILED]), len(datasets)
    lost = [name for name in datasets if name not in found[RECONCILED]]
    return Finding(
        CONFIRMED if held >= said else MIXED if 2 * held > total else REFUTED,
        f"Best or tied in NMI or ARI against ROCK, LIMBO and DELTA on {held} of {total} data sets "
        f"(oracle settings), the paper says {said:g}; not on {_names(evidence, lost)}. "
        f"{_also(found, total)}{_real(found, datasets)}",
        f"{held}/{total}",
        "fig04 fig05",
    )


def _gap(rows: Sequence[Mapping[str, float]], rivals: Sequence[str]) -> list[float]:
    """Gap to the best rival, relative to it; negative where DILCA is ahead."""
    gaps = []
    for one in rows:
        best = max(one[name] for name in rivals)
        gaps.append(-_margin(one, rivals) / abs(best) if best else 0.0)
    return gaps


@CLAIMS.about("dilca-22")
def close_when_lost(evidence: Evidence) -> Finding:
    """Smallest relative gap over the three indices where another method is ahead."""
    datasets, artefacts = _datasets(evidence, "fig04"), ("fig03", "fig04", "fig05")
    tables = [_scores(evidence, artefact, RECONCILED) for artefact in artefacts]
    lost, near = {}, []
    for name in datasets:
        gaps = _gap([table[name] for table in tables], ALGORITHMS)
        # NMI and ARI decide who is best; purity misleads, as the paper says itself
        if max(gaps[1:]) > 0:
            lost[name] = min(gaps)
            near += [name] if min(gaps) <= CLOSE else []
    if not lost:
        return Finding(CONFIRMED, "DILCA is best in NMI and ARI everywhere.", "0", "fig04 fig05")
    worst = max(lost, key=lost.__getitem__)
    return Finding(
        counted(len(near), len(lost)),
        f"Another method is ahead in NMI or ARI on {len(lost)} data sets; on {len(near)} of them "
        f"at least one index is within {CLOSE:.0%} of the winner (oracle settings). The largest "
        f"such gap is {lost[worst]:.1%} on {_names(evidence, [worst])}.",
        f"{len(near)}/{len(lost)}",
        " ".join(artefacts),
    )


@CLAIMS.about("dilca-23")
def clearly_better(evidence: Evidence) -> Finding:
    """Named data sets, both indices."""
    names = ("vote", "dermatology", "titanic", *SYNTHETIC[1:])
    return _wins(evidence, ("fig04", "fig05"), ALGORITHMS, names)


@CLAIMS.about("dilca-49")
def delta_on_synthetic(evidence: Evidence) -> Finding:
    """DELTA on the noisy, high-dimensional data sets."""
    return _wins(evidence, ("fig04", "fig05"), ("delta",), SYNTHETIC)


# --- parameters -----------------------------------------------------------------------------------


def _sensitivity(evidence: Evidence, datasets: Collection[str]) -> pd.DataFrame:
    frame = evidence.table("sensitivity")
    evidence.need(frame, "dataset", datasets)
    return frame


@CLAIMS.about("dilca-25")
def theta_matters(evidence: Evidence) -> Finding:
    """Range of NMI and ARI over theta."""
    datasets = _datasets(evidence, "fig04")
    frame = _sensitivity(evidence, datasets)
    rows = frame[(frame["method"] == "rock") & (frame["index"] == "nmi")]
    held = int((rows["range"] >= CHANGE).sum())
    return Finding(
        _mostly(held, len(rows)),
        f"NMI of ROCK changes by {CHANGE:g} or more over theta on {held} of {len(rows)} data sets, "
        f"by {rows['range'].mean():.3f} in the mean and {rows['range'].max():.3f} at most.",
        f"{held}/{len(rows)}",
        "sensitivity",
    )


@CLAIMS.about("dilca-26")
def best_sigma(evidence: Evidence) -> Finding:
    """Sigma with the highest NMI."""
    frame = _sensitivity(evidence, _datasets(evidence, "fig04"))
    rows = frame[
        (frame["method"] == "dilca_m") & (frame["index"] == "nmi") & (frame["range"] > EPSILON)
    ]
    # the largest of several best ones favours the claim
    best = {row["dataset"]: float(str(row["best"]).split()[-1]) for row in rows.to_dict("records")}
    above = [name for name, sigma in best.items() if sigma > 0.5]
    return Finding(
        counted(len(above), len(best)),
        f"Of {len(best)} data sets where sigma changes NMI, a sigma above 0.5 is best on "
        f"{len(above)}: {_names(evidence, above)}; the others are best at "
        + ", ".join(
            f"{sigma:g} ({_names(evidence, [name])})"
            for name, sigma in best.items()
            if name not in above
        )
        + ".",
        f"{len(above)}/{len(best)}",
        "sensitivity",
    )


@CLAIMS.about("dilca-36")
def sigma_on_uci(evidence: Evidence) -> Finding:
    """Range over sigma on the data sets of the UCI repository."""
    datasets = [name for name in _datasets(evidence, "fig04") if name not in SYNTHETIC]
    frame = evidence.table("fig12")
    evidence.need(frame, "dataset", datasets)
    ranges = frame.groupby("dataset")[["eq5", "nmi"]].agg(lambda one: one.max() - one.min())
    varying = {
        index: [name for name in datasets if ranges.loc[name, index] >= CHANGE - EPSILON]
        for index in ("eq5", "nmi")
    }
    either = [name for name in datasets if any(name in one for one in varying.values())]
    held = len(datasets) - len([name for name in either if name != "vote"]) - ("vote" not in either)
    return Finding(
        counted(held, len(datasets)),
        f"Purity (eq. 5) varies by {CHANGE:g} or more on {_names(evidence, varying['eq5'])}; NMI "
        f"on {_names(evidence, varying['nmi'])}. With Vote as the only exception the sentence "
        f"holds on {held} of {len(datasets)} data sets.",
        f"{held}/{len(datasets)}",
        "fig12",
    )


@CLAIMS.about("dilca-37")
def sigma_on_synthetic(evidence: Evidence) -> Finding:
    """Rank correlation of purity and NMI with sigma."""
    frame = evidence.table("fig13")
    evidence.need(frame, "dataset", SYNTHETIC)
    found = {}
    for name in SYNTHETIC:
        ranks = frame.loc[frame["dataset"] == name, ["sigma", "eq5", "nmi"]].rank()
        # without variation there is no correlation, and no growth
        correlations = ranks.corr()["sigma"].fillna(0.0)
        found[name] = (correlations["eq5"], correlations["nmi"])
    held = sum(min(pair) > 0 for pair in found.values())
    said = "; ".join(
        f"{_names(evidence, [name])} {purity:.2f} and {nmi:.2f}"
        for name, (purity, nmi) in found.items()
    )
    return Finding(
        counted(held, len(SYNTHETIC)),
        "Rank correlation of purity (eq. 5) and NMI with sigma, on our own generator's data: "
        f"{said}.",
        f"{held}/{len(SYNTHETIC)}",
        "fig13",
    )


@CLAIMS.about("dilca-53")
def sigma_matters_less(evidence: Evidence) -> Finding:
    """Range of NMI over sigma, beside that over theta and phi."""
    datasets = _datasets(evidence, "fig04")
    frame = _sensitivity(evidence, datasets)
    wide = frame[frame["index"] == "nmi"].pivot_table(
        index="dataset", columns="method", values="range", aggfunc="first"
    )
    less = {
        rival: int((wide["dilca_m"] < wide[rival] - EPSILON).sum()) for rival in ("rock", "limbo")
    }
    verdicts = {rival: _mostly(held, len(wide)) for rival, held in less.items()}
    same = set(verdicts.values())
    means = wide.mean()
    return Finding(
        same.pop() if len(same) == 1 else MIXED,
        f"NMI changes less over sigma than over ROCK's theta on {less['rock']} of {len(wide)} data "
        f"sets, and than over LIMBO's phi on {less['limbo']}; mean ranges {means['dilca_m']:.3f} "
        f"(sigma), {means['rock']:.3f} (theta), {means['limbo']:.3f} (phi).",
        f"{less['rock']}/{len(wide)}, {less['limbo']}/{len(wide)}",
        "sensitivity",
    )


# --- DILCA against measures and baselines ---------------------------------------------------------


@CLAIMS.about("dilca-27")
def close_except_car(evidence: Evidence) -> Finding:
    """Relative gap wherever LIN, OF or GOODALL3 is ahead."""
    near, lost = [], []
    for artefact in ("fig07", "fig08"):
        for name, one in _scores(evidence, artefact, RECONCILED).items():
            (gap,) = _gap([one], MEASURES)
            if gap <= 0:
                continue
            expected = gap > CLOSE if name == "car" else gap <= CLOSE
            lost.append(f"{_names(evidence, [name])} {artefact} {gap:.0%}")
            near += [name] if expected else []
    if not lost:
        return Finding(CONFIRMED, "DILCA is never behind.", "0", "fig07 fig08")
    return Finding(
        counted(len(near), len(lost)),
        f"Where another measure is ahead (oracle sigma) the gaps to the winner are "
        f"{', '.join(lost)}; close means up to {CLOSE:.0%}, and Car must be more: {len(near)} of "
        f"{len(lost)} fit.",
        f"{len(near)}/{len(lost)}",
        "fig07 fig08",
    )


@CLAIMS.about("dilca-28")
def better_nmi(evidence: Evidence) -> Finding:
    """Named data sets, NMI."""
    return _wins(evidence, ("fig07",), MEASURES, ("vote", "titanic", "balloons", "syn_a", "syn_b"))


@CLAIMS.about("dilca-29")
def better_ari(evidence: Evidence) -> Finding:
    """Named data sets, ARI."""
    names = ("vote", "titanic", "balloons", "syn_a", "syn_b", "audiology", "adult")
    return _wins(evidence, ("fig08",), MEASURES, (*names, "post_operative"))


@CLAIMS.about("dilca-30")
def jaccard_poor(evidence: Evidence) -> Finding:
    """JACCARD against the better DILCA variant."""
    datasets = _datasets(evidence, "fig10")
    found = _held(
        evidence,
        ("fig10", "fig11"),
        datasets,
        lambda rows: all(_margin(one, ("jaccard",)) > 0 for one in rows),
    )
    held, total = len(found[RECONCILED]), len(datasets)
    return Finding(
        _mostly(held, total),
        f"JACCARD is below the better DILCA variant in both NMI and ARI on {held} of {total} data "
        f"sets (oracle sigma). {_also(found, total)}{_real(found, datasets)}",
        f"{held}/{total}",
        "fig10 fig11",
    )


@CLAIMS.about("dilca-31")
def pearson_comparable(evidence: Evidence) -> Finding:
    """PEARSON within a small gap of DILCA."""
    datasets = _datasets(evidence, "fig10")
    found = _held(
        evidence,
        ("fig10", "fig11"),
        datasets,
        lambda rows: all(_margin(one, ("pearson",)) <= CHANGE for one in rows),
    )
    held, total = len(found[RECONCILED]), len(datasets)
    return Finding(
        CONFIRMED if 0 < held < total else REFUTED,
        f"PEARSON is at most {CHANGE:g} below the better DILCA variant in NMI and ARI on {held} of "
        f"{total} data sets (oracle sigma): {_names(evidence, found[RECONCILED])}. "
        f"{_also(found, total)}{_real(found, datasets)}",
        f"{held}/{total}",
        "fig10 fig11",
    )


@CLAIMS.about("dilca-32")
def baselines_nmi(evidence: Evidence) -> Finding:
    """Named data sets, NMI."""
    names = ("audiology", "vote", "dermatology", *SYNTHETIC[1:])
    return _wins(evidence, ("fig10",), BASELINES, names)


@CLAIMS.about("dilca-33")
def baselines_ari(evidence: Evidence) -> Finding:
    """Named data sets, ARI."""
    names = ("vote", "dermatology", "car", "adult", "syn_b", "syn_c")
    return _wins(evidence, ("fig11",), BASELINES, names)


def _significant(evidence: Evidence) -> str:
    """Competitors that differ from a DILCA variant over the data sets, by the tests of the run."""
    frame = evidence.tests()
    rows = frame[frame["score"].isin(["nmi_sqrt", "ari"])]
    rows = rows[rows["method_a"].isin(DILCA) & ~rows["method_b"].isin(DILCA)]
    tested = rows[rows["p_holm"].notna()]
    below = tested[tested["p_holm"] < LEVEL]
    return (
        f"Wilcoxon's signed rank test over the data sets, corrected by Holm, finds "
        f"{len(below)} of {len(tested)} differences in NMI or ARI between a DILCA variant and a "
        f"competitor at the level {LEVEL:g}; the smallest corrected p is "
        f"{tested['p_holm'].min():.3f}."
    )


@CLAIMS.about("dilca-34")
def beats_in_one_index(evidence: Evidence) -> Finding:
    """At least one index ahead, in each group of competitors."""
    said, held = [], 0
    for artefacts, rivals in GROUPS.items():
        datasets = _datasets(evidence, artefacts[0])
        found = _held(
            evidence,
            artefacts,
            datasets,
            lambda rows, rivals=rivals: any(_margin(one, rivals) > 0 for one in rows),
        )
        ours = len(found[RECONCILED])
        held += 2 * ours > len(datasets)
        said.append(
            f"{', '.join(name.upper() for name in rivals)}: {ours} of {len(datasets)} (fixed "
            f"{len(found[FIXED])}, printed {len(found[PRINTED])})"
        )
    return Finding(
        counted(held, len(GROUPS)),
        "Data sets where the better DILCA variant is ahead in purity, NMI or ARI (oracle "
        f"settings) of {'; '.join(said)}. That is more than half in {held} of {len(GROUPS)} "
        f"groups. {_significant(evidence)}",
        f"{held}/{len(GROUPS)}",
        "fig03 to fig11",
    )


@CLAIMS.about("dilca-35")
def never_wins_on_car(evidence: Evidence) -> Finding:
    """Car in all nine tables."""
    won = {RECONCILED: [], FIXED: [], PRINTED: []}
    total = 0
    for artefacts, rivals in GROUPS.items():
        for artefact in artefacts:
            total += 1
            for reading, names in won.items():
                scores = _scores(evidence, artefact, reading, ("car",))["car"]
                names += [artefact] if _margin(scores, rivals) > EPSILON else []
    held = total - len(won[RECONCILED])
    return Finding(
        counted(held, total),
        f"On Car another method is at least as good in {held} of {total} tables (oracle settings); "
        f"DILCA is ahead in {', '.join(won[RECONCILED]) or 'none'}. By the printed numbers it is "
        f"ahead in {', '.join(won[PRINTED]) or 'none'}, with fixed settings in "
        f"{', '.join(won[FIXED]) or 'none'}.",
        f"{held}/{total}",
        "fig03 to fig11",
    )


LOW = 0.1
"""ARI up to which a clustering is said to have little to do with the classes."""


@CLAIMS.about("dilca-51")
def car_is_low(evidence: Evidence) -> Finding:
    """The highest ARI and NMI of any method on Car."""
    highest = {
        index: max(
            max(_scores(evidence, artefacts[place], RECONCILED, ("car",))["car"].values())
            for artefacts in GROUPS
        )
        for index, place in (("NMI", 1), ("ARI", 2))
    }
    return Finding(
        CONFIRMED if highest["ARI"] <= LOW else REFUTED,
        f"The best of all ten methods on Car, oracle settings among them, has NMI "
        f"{highest['NMI']:.4f} and ARI {highest['ARI']:.4f}; NMI is not corrected for chance, up "
        f"to {LOW:g} in ARI is called low. That the labels are to blame is the paper's "
        "explanation; numbers cannot test it.",
        f"{highest['ARI']:.4f}",
        "fig04 to fig11",
    )


# --- size of the contexts -------------------------------------------------------------------------


@CLAIMS.about("dilca-45")
def context_is_small(evidence: Evidence) -> Finding:
    """Mean context size beside the number of attributes."""
    frame = evidence.table("fig15")
    rows = frame[(frame["reading"] == RECONCILED) & frame["reproduced"].notna()]
    evidence.need(rows, "dataset", _datasets(evidence, "fig15"))
    wide = rows.pivot_table(index="dataset", columns="metric", values="reproduced")
    share = wide["mean_context_size"] / (wide["orig_attributes"] - 1)
    held = int((share < 0.5).sum())
    large = share[share >= 0.5].sort_values(ascending=False).index
    return Finding(
        counted(held, len(share)),
        f"The context of DILCA_RR holds {share.median():.0%} of the other attributes in the median "
        f"data set, from {share.min():.0%} to {share.max():.0%}; less than half on {held} of "
        f"{len(share)}, not on {_names(evidence, large)}.",
        f"{held}/{len(share)}",
        "fig15",
    )


CLAIMS.update(TIMES)
