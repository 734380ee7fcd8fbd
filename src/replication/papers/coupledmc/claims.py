"""Claims of coupledMC, each with its test.

The caption of Table 6 speaks of averages over 100 runs, so the means decide every claim about it.
The printed column of coupledMC fits the largest of its runs: what the claims become by the largest
runs of all methods, and by the largest runs of coupledMC beside the means of the others, stands in
the evidence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from replication.judge.claims import (
    ClaimBook,
    Count,
    Evidence,
    Finding,
    count,
    listed,
    met,
    valued,
)
from replication.judge.verdicts import equals_printed, parse_printed
from replication.papers.coupledmc import analysis
from replication.papers.coupledmc.claims_example import EXAMPLE
from replication.papers.coupledmc.runs import BEST, RECONCILED
from replication.papers.coupledmc.significance import ORIGINAL, OURS

CLAIMS = ClaimBook(EXAMPLE)

# --- Table 5 and Fig. 1 -------------------------------------------------------------------------


@CLAIMS.about("coupledmc-17")
def counts(evidence: Evidence) -> Finding:
    """The counts of Table 5."""
    rows = evidence.table("table05").dropna(subset=["reproduced"])
    evidence.need(rows, "dataset", evidence.datasets("table05"))
    odd = analysis.unmet(rows, "{dataset}: {metric} {reproduced:.0f}, printed {printed}")
    held = count(met(rows))
    return Finding(held, f"{held} counts are met{odd}.", "table05", value=str(held))


@CLAIMS.about("coupledmc-18", ["rd"], ("mpg", "thyroid"))
@CLAIMS.about("coupledmc-19", ["di"], ("teach",))
@CLAIMS.about("coupledmc-20", ["dbi"], ("hepatitis",))
@CLAIMS.about("coupledmc-21", ["sd_max", "sd_mean"])
def better(evidence: Evidence, names: Sequence[str], exceptions: Iterable[str] = ()) -> Finding:
    """Whether the coupled representation is better by an index but on the named data sets.

    The cases are all data sets: better where it is claimed, not better on the exceptions.
    """
    rows = analysis.indices(evidence)
    found = analysis.improved(rows, "dataset")
    labels = dict(zip(rows["index"], rows["label"], strict=True))
    said, cases = [], []
    for index in names:
        held = found[index, ORIGINAL]
        cases += [case == (name not in exceptions) for name, case in held.items()]
        said.append(f"{labels[index]}: better on {held.sum()} of {len(held)}{analysis.but(held)}")
        said += [
            f"{found[index, original].sum()} with the original as {original}"
            for original in ("codes", "mixed")
        ]
    claimed = count(cases)
    return Finding(
        claimed,
        f"Original as {ORIGINAL}, better L by the index (oracle: the classes are given): "
        f"{'; '.join(said)}. {claimed} are as claimed.",
        "fig01",
        value=str(claimed),
    )


def _structure(evidence: Evidence) -> Count:
    """Internal indices that are significantly better."""
    return count(
        p < analysis.LEVEL and good for p, good in analysis.structure_tests(evidence).values()
    )


@CLAIMS.about("coupledmc-22")
def structure_is_significant(evidence: Evidence) -> Finding:
    """Significance of the internal indices."""
    said = ", ".join(
        f"{index} p = {p:.2g} ({'better' if good else 'worse'})"
        for index, (p, good) in analysis.structure_tests(evidence).items()
    )
    return Finding(
        _structure(evidence),
        f"Paired t test over the data sets, each pair relative to its larger value: {said}. "
        "Better L by the index (oracle).",
        "fig01",
    )


# --- Figs 2 and 3 -------------------------------------------------------------------------------


def _wider(evidence: Evidence, score: str, gamma: str) -> Count:
    """Settings in which the coupled representation has a larger score than a mixed distance."""
    found = analysis.peak_settings(evidence)
    return count(found["coupled"][score] > found[gamma][score])


@CLAIMS.about("coupledmc-30")
def centres(evidence: Evidence) -> Finding:
    """Separation of the centres, over cutoffs and kernels, which the paper does not give."""
    gaps = {name: rows["gap"] for name, rows in analysis.peak_settings(evidence).items()}
    said = "; ".join(
        f"{name}: gap {gaps['coupled'][drawn]:.2f} coupled, {gaps['raw'][drawn]:.2f} mixed, "
        f"{gaps['scaled'][drawn]:.2f} mixed with scaled gamma"
        for name, drawn in analysis.PEAKS.items()
    )
    gap, accuracy = (
        [_wider(evidence, score, gamma) for gamma in ("raw", "scaled")]
        for score in ("gap", "accuracy")
    )
    return Finding(
        gap[0],
        f"Cutoff at 2 %, counting kernel: {said}. Over all cutoffs and kernels the gap is wider "
        f"than with the mixed distance in {gap[0]} settings ({gap[1]} with scaled gamma), the "
        f"accuracy higher in {accuracy[0]} ({accuracy[1]}).",
        "fig02",
        value=str(gap[0]),
    )


@CLAIMS.about("coupledmc-31")
def few_points(evidence: Evidence) -> Finding:
    """Few levels and few, mixed points with the mixed distance of the paper."""
    found = analysis.peak_settings(evidence)
    points = evidence.experiment("peaks", analysis.PEAKS)
    cases: dict[str, list[bool]] = {"raw": [], "scaled": []}
    said = []
    for dataset, drawn in analysis.PEAKS.items():
        seen = analysis.maps(points[points["dataset"] == dataset])
        levels = {name: int(rows["delta_levels"][drawn]) for name, rows in found.items()}
        for gamma, held in cases.items():
            held += [known[gamma] < known["coupled"] for known in (levels, seen["places"])]
        said.append(
            f"{dataset} (mixed, mixed with scaled gamma, coupled): visible levels of delta "
            f"{_three(levels)}, visible points {_three(seen['places'])} of "
            f"{seen['objects']['raw']}, objects with a neighbour of another cluster "
            f"{_three(seen['strange'], '.1%')}, densities {_three(seen['densities'])}"
        )
    return Finding(
        count(cases["raw"]),
        f"{'; '.join(said)}. With gamma from scaled numbers {count(cases['scaled'])} hold: the "
        "contrast is one of gamma. A count makes few densities under every distance, and how "
        "mixed groups look on a map the paper does not measure.",
        "fig02",
    )


def _three(values: Mapping[str, float], form: str = "") -> str:
    return ", ".join(format(values[name], form) for name in ("raw", "scaled", "coupled"))


# --- Table 6 ------------------------------------------------------------------------------------


def _by_largest(said: Callable[[str], str]) -> str:
    """Clause on what is said by largest runs, from the statistic that is compared."""
    return "; ".join(f"by {words} {said(name)}" for name, words in analysis.STATISTICS.items())


@CLAIMS.about("coupledmc-23")
def all_accuracies(evidence: Evidence) -> Finding:
    """The accuracies of Table 6."""
    rows = analysis.accuracies(evidence)
    main, best = (rows[rows["reading"] == reading] for reading in (RECONCILED, BEST))
    means, largest = (
        analysis.accuracies_near_print(part)["near"].droplevel("reading") for part in (main, best)
    )
    held = count(met(main))
    return Finding(
        held,
        f"{held} means are exact or within noise; within {analysis.NEAR} of print, by method: "
        f"{valued(means)} of {len(evidence.datasets('table05'))}. The column of coupledMC by the "
        f"largest of its runs (oracle): {count(met(best))} exact or within noise, {largest[OURS]} "
        f"within {analysis.NEAR}.",
        "table06",
        value=str(held),
    )


@CLAIMS.about("coupledmc-24")
def among_the_first_two(evidence: Evidence) -> Finding:
    """Place of coupledMC, per data set."""
    rows = analysis.accuracies(evidence)

    def held(*taken: str, **other: str) -> Count:
        found = analysis.places(rows, evidence.ahead, *taken, **other)
        return count(place <= 2 for place in found.values())

    ours = analysis.places(rows, evidence.ahead)
    level = sum(
        place <= 2 or analysis.level_with_second(rows, name) for name, place in ours.items()
    )
    fixed, collapsed = held(coupledmc="fixed").held, held(spectralcat="collapsed").held
    found = held()
    return Finding(
        found,
        f"Place of coupledMC by means (better L, oracle): {valued(ours)}; first or second on "
        f"{found}, on {level} if two standard errors behind the second count as level, with L = 3 "
        f"for all on {fixed}, against a collapsed SpectralCAT on {collapsed}. First or second "
        f"{_by_largest(lambda statistic: f'on {held(statistic).held}')}.",
        "table06",
        printed=held("printed"),
        value=str(found),
    )


@CLAIMS.about("coupledmc-25")
def best_in_most(evidence: Evidence) -> Finding:
    """First places of coupledMC, and where scores on a common scale move its mean most."""
    rows = analysis.accuracies(evidence)

    def first(*taken: str) -> list[str]:
        found = analysis.places(rows, evidence.ahead, *taken)
        return [name for name, place in found.items() if place == 1]

    found = Count(len(first()), len(analysis.grid(rows)))
    most = analysis.scale_moves(rows)[:2].itertuples()
    moved = " and ".join(f"{one.Index} ({one.raw:.3f} and {one.scaled:.3f})" for one in most)
    return Finding(
        found,
        f"By means (better L, oracle) first on {found} data sets "
        f"({listed(first())}); "
        f"{_by_largest(lambda statistic: f'on {len(first(statistic))}')}. "
        "The means depend on the scale of the component scores, most on "
        f"{moved}, as they are and between 0 and 1.",
        "table06",
        printed=Count(len(first("printed")), found.total),
        value=str(found),
    )


@CLAIMS.about("coupledmc-26")
def average_row(evidence: Evidence) -> Finding:
    """The averages are the means of the printed columns."""
    said, means = analysis.printed_averages(evidence)
    ours = analysis.averages(analysis.accuracies(evidence))
    both = ", ".join(f"{method} {ours[method]:.3f} ({said[method]:.3f})" for method in said)
    held = count(abs(said[method] - means[method]) <= 0.0005 + 1e-12 for method in said)
    return Finding(
        None,
        f"{held} printed averages are the means of their printed columns. Ours (printed): {both}.",
        "table06",
        printed=held,
    )


@CLAIMS.about("coupledmc-27")
def improvement(evidence: Evidence) -> Finding:
    """Range of the improvement of the average."""
    rows = analysis.accuracies(evidence)
    names = [f"coupledMC: {end} improvement of the average" for end in ("smallest", "largest")]
    ends = analysis.in_text(evidence, "coupledMC: ").set_index("quantity").loc[names]
    theirs = analysis.improvements(analysis.printed_averages(evidence)[0])

    def spoken(statistic: str) -> str:
        least, most = analysis.improvements(analysis.averages(rows, statistic))
        return f"{100 * least:.2f} % to {100 * most:.2f} %"

    return Finding(
        count(met(ends)),
        f"By means {spoken('means')} (better L, oracle); {_by_largest(spoken)}.",
        "table06",
        printed=count(map(equals_printed, map(parse_printed, ends["printed"]), theirs)),
        value=spoken("means"),
    )


@CLAIMS.about("coupledmc-28")
def is_significant(evidence: Evidence) -> Finding:
    """Tests of coupledMC against each other method."""
    ours = analysis.clustering_tests(evidence).items()
    said = ", ".join(f"{name} {gain:+.3f} (p = {p:.2g})" for name, (p, gain) in ours)

    def against(statistic: str) -> str:
        held = analysis.significant(evidence, statistic)
        return f"significant against {held.held} of {held.total}"

    return Finding(
        analysis.significant(evidence),
        f"Paired t test over the data sets, means of coupledMC (better L, oracle) minus: {said}; "
        f"{_by_largest(against)}.",
        "table06",
        printed=analysis.significant(evidence, "printed"),
    )


@CLAIMS.about("coupledmc-29")
def better_power(evidence: Evidence) -> Finding:
    """The better of two L: which one the authors took cannot be known, only what it is worth."""
    rows = analysis.accuracies(evidence)
    gain, most = analysis.power_gains(rows)
    fours, best_fours = (
        sorted(setting.index[setting.str.startswith("L=4")])
        for setting in (
            analysis.column_of(rows, OURS, reading, "setting") for reading in (RECONCILED, BEST)
        )
    )
    return Finding(
        None,
        "The paper prints one number per data set and not the L behind it. Ours, by means: L = 4 "
        f"is better on {len(fours)} of {len(analysis.grid(rows))} data sets ({listed(fours)}); the "
        f"choice, made with the labels (oracle), adds {gain:.4f} to the average and at "
        f"most {most:.4f}. By the largest run it is better on {len(best_fours)}.",
        "table06",
        value=f"{gain:.4f}",
    )


@CLAIMS.about("coupledmc-32")
def discretizing(evidence: Evidence) -> Finding:
    """Numbers as they are against numbers in intervals."""
    ours, average = analysis.with_intervals(evidence)
    whole, cut = ours["k_prototypes"], ours["k_modes"]
    return Finding(
        count(map(evidence.ahead, whole, cut)),
        "k-prototypes with numbers is above k-modes with ten intervals each on "
        f"{(whole > cut).sum()} of {len(whole)} data sets (average "
        f"{average['k_prototypes']:.3f} and {average['k_modes']:.3f}); coupledMC is above "
        f"SpectralCAT, which cuts the numbers, on {(ours[OURS] > ours['spectralcat']).sum()} "
        f"({average[OURS]:.3f} and {average['spectralcat']:.3f}).",
        "table06",
    )


@CLAIMS.about("coupledmc-33")
def cited(evidence: Evidence) -> Finding:
    """A cited result."""
    return Finding(
        None,
        "A result of another paper (Wang et al., CIKM 2011), cited without numbers; the coupled "
        "similarity of discrete data is tested under the paper caso.",
    )


@CLAIMS.about("coupledmc-34")
def gains(evidence: Evidence) -> Finding:
    """Structure, clustering and density: each holds if all that it compares does."""
    analysis.accuracies(evidence)  # nothing to say without Table 6
    structure, density = _structure(evidence), _wider(evidence, "gap", "raw")
    clustering = analysis.significant(evidence)

    def against(statistic: str) -> str:
        return f"than {analysis.significant(evidence, statistic)}"

    return Finding(
        count(one.held == one.total for one in (structure, clustering, density)),
        f"Significantly better in {structure} internal indices and by means than {clustering} "
        f"clusterings ({_by_largest(against)}); wider gaps of the density peaks in "
        f"{density} settings, for which the paper gives no test.",
        "table06",
        value=f"{structure}; {clustering}; {density}",
    )
