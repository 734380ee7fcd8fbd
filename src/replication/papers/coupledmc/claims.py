"""Claims of coupledMC, each with its test.

The caption of Table 6 speaks of averages over 100 runs, so the means decide every claim about it.
The printed column of coupledMC fits the largest of its runs: what the claims become by the largest
runs of all methods, and by the largest runs of coupledMC beside the means of the others, stands in
the evidence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import pandas as pd

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
from replication.papers.coupledmc.analysis import (
    LEVEL,
    PEAKS,
    STATISTICS,
    accuracies,
    but,
    clustering_tests,
    column_of,
    grid,
    improvements,
    in_text,
    indices,
    level_with_second,
    map_points,
    peak_settings,
    places,
    printed_averages,
    significant,
    strange_neighbours,
    structure_tests,
    unmet,
)
from replication.papers.coupledmc.claims_example import EXAMPLE
from replication.papers.coupledmc.runs import BEST, RECONCILED
from replication.papers.coupledmc.significance import ORIGINAL, OURS
from replication.run.paired import paired_test

CLAIMS = ClaimBook(EXAMPLE)

# --- Table 5 and Fig. 1 -------------------------------------------------------------------------


@CLAIMS.about("coupledmc-17")
def counts(evidence: Evidence) -> Finding:
    """The counts of Table 5."""
    rows = evidence.table("table05").dropna(subset=["reproduced"])
    evidence.need(rows, "dataset", evidence.datasets("table05"))
    odd = unmet(rows, "{dataset}: {metric} {reproduced:.0f}, printed {printed}")
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
    rows = indices(evidence)
    said, cases = [], []
    for index in names:
        mine = rows[rows["index"] == index]
        found = {
            original: part.set_index("dataset")["better"] == "yes"
            for original, part in mine.groupby("original")
        }
        held = found[ORIGINAL]
        cases += [case == (name not in exceptions) for name, case in held.items()]
        said.append(f"{mine['label'].iloc[0]}: better on {held.sum()} of {len(held)}{but(held)}")
        said += [
            f"{found[original].sum()} with the original as {original}"
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
    return count(p < LEVEL and good for p, good in structure_tests(evidence).values())


@CLAIMS.about("coupledmc-22")
def structure_is_significant(evidence: Evidence) -> Finding:
    """Significance of the internal indices."""
    said = ", ".join(
        f"{index} p = {p:.2g} ({'better' if good else 'worse'})"
        for index, (p, good) in structure_tests(evidence).items()
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
    found = peak_settings(evidence)
    return count(found["coupled"][score] > found[gamma][score])


@CLAIMS.about("coupledmc-30")
def centres(evidence: Evidence) -> Finding:
    """Separation of the centres, over cutoffs and kernels, which the paper does not give."""
    gaps = {name: rows["gap"] for name, rows in peak_settings(evidence).items()}
    said = "; ".join(
        f"{name}: gap {gaps['coupled'][drawn]:.2f} coupled, {gaps['raw'][drawn]:.2f} mixed, "
        f"{gaps['scaled'][drawn]:.2f} mixed with scaled gamma"
        for name, drawn in PEAKS.items()
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
    found = peak_settings(evidence)
    points = evidence.experiment("peaks", PEAKS)
    cases: dict[str, list[bool]] = {"raw": [], "scaled": []}
    said = []
    for dataset, drawn in PEAKS.items():
        mine = dict(list(points[points["dataset"] == dataset].groupby("distance")))
        levels = {name: int(rows["delta_levels"][drawn]) for name, rows in found.items()}
        places = {name: map_points(part) for name, part in mine.items()}
        strange = {name: strange_neighbours(part) for name, part in mine.items()}
        densities = {name: part["rho"].nunique() for name, part in mine.items()}
        for gamma, held in cases.items():
            held += [known[gamma] < known["coupled"] for known in (levels, places)]
        said.append(
            f"{dataset} (mixed, mixed with scaled gamma, coupled): visible levels of delta "
            f"{_three(levels)}, visible points {_three(places)} of {len(mine['raw'])}, "
            f"objects with a neighbour of another cluster {_three(strange, '.1%')}, densities "
            f"{_three(densities)}"
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
    return "; ".join(f"by {words} {said(name)}" for name, words in STATISTICS.items())


@CLAIMS.about("coupledmc-23")
def all_accuracies(evidence: Evidence) -> Finding:
    """The accuracies of Table 6."""
    rows = accuracies(evidence)
    rows = rows.assign(near=rows["difference"].abs() <= 0.02)
    main, best = (rows[rows["reading"] == reading] for reading in (RECONCILED, BEST))
    near = valued(main.groupby("method", sort=False)["near"].sum())
    held = count(met(main))
    return Finding(
        held,
        f"{held} means are exact or within noise; within 0.02 of print, by method: {near} of "
        f"{len(evidence.datasets('table05'))}. The column of coupledMC by the largest of its runs "
        f"(oracle): {count(met(best))} exact or within noise, {best['near'].sum()} within 0.02.",
        "table06",
        value=str(held),
    )


@CLAIMS.about("coupledmc-24")
def among_the_first_two(evidence: Evidence) -> Finding:
    """Place of coupledMC, per data set."""
    rows = accuracies(evidence)

    def held(accuracy: pd.DataFrame) -> Count:
        return count(place <= 2 for place in places(accuracy, evidence.ahead).values())

    ours = places(grid(rows), evidence.ahead)
    level = sum(place <= 2 or level_with_second(rows, name) for name, place in ours.items())
    fixed, collapsed = (
        held(grid(rows, **other)).held
        for other in ({"coupledmc": "fixed"}, {"spectralcat": "collapsed"})
    )
    found = held(grid(rows))
    return Finding(
        found,
        f"Place of coupledMC by means (better L, oracle): {valued(ours)}; first or second on "
        f"{found}, on {level} if two standard errors behind the second count as level, with L = 3 "
        f"for all on {fixed}, against a collapsed SpectralCAT on {collapsed}. First or second "
        f"{_by_largest(lambda statistic: f'on {held(grid(rows, statistic)).held}')}.",
        "table06",
        printed=held(grid(rows, "printed")),
        value=str(found),
    )


@CLAIMS.about("coupledmc-25")
def best_in_most(evidence: Evidence) -> Finding:
    """First places of coupledMC, and where scores on a common scale move its mean most."""
    rows = accuracies(evidence)

    def held(accuracy: pd.DataFrame) -> list[bool]:
        return [place == 1 for place in places(accuracy, evidence.ahead).values()]

    ours = grid(rows)
    found = count(held(ours))
    raw, scaled = (column_of(rows, OURS, reading, "mean") for reading in (RECONCILED, BEST))
    most = (scaled - raw).sort_values(ascending=False).index[:2]
    moved = " and ".join(f"{name} ({raw[name]:.3f} and {scaled[name]:.3f})" for name in most)
    return Finding(
        found,
        f"By means (better L, oracle) first on {found} data sets "
        f"({listed(ours.index[held(ours)])}); "
        f"{_by_largest(lambda statistic: f'on {sum(held(grid(rows, statistic)))}')}. "
        "The means depend on the scale of the component scores, most on "
        f"{moved}, as they are and between 0 and 1.",
        "table06",
        printed=count(held(grid(rows, "printed"))),
        value=str(found),
    )


@CLAIMS.about("coupledmc-26")
def average_row(evidence: Evidence) -> Finding:
    """The averages are the means of the printed columns."""
    said, means = printed_averages(evidence)
    ours = grid(accuracies(evidence)).mean()
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
    rows = accuracies(evidence)
    names = [f"coupledMC: {end} improvement of the average" for end in ("smallest", "largest")]
    ends = in_text(evidence, "coupledMC: ").set_index("quantity").loc[names]
    theirs = improvements(printed_averages(evidence)[0])

    def spoken(statistic: str) -> str:
        least, most = improvements(grid(rows, statistic).mean().to_dict())
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
    printed = grid(accuracies(evidence), "printed")
    ours = clustering_tests(evidence)
    theirs = [paired_test(printed[OURS], printed[method]) for method in ours]
    said = ", ".join(f"{name} {gain:+.3f} (p = {p:.2g})" for name, (p, gain) in ours.items())

    def against(statistic: str) -> str:
        held = significant(clustering_tests(evidence, statistic).values())
        return f"significant against {held.held} of {held.total}"

    return Finding(
        significant(ours.values()),
        f"Paired t test over the data sets, means of coupledMC (better L, oracle) minus: {said}; "
        f"{_by_largest(against)}.",
        "table06",
        printed=significant((test["p"], test["difference"]) for test in theirs),
    )


@CLAIMS.about("coupledmc-29")
def better_power(evidence: Evidence) -> Finding:
    """The better of two L: which one the authors took cannot be known, only what it is worth."""
    rows = accuracies(evidence)
    better, fixed = (column_of(rows, OURS, key, "reproduced") for key in (RECONCILED, "fixed"))
    gains = better - fixed
    fours, best_fours = (
        sorted(setting.index[setting.str.startswith("L=4")])
        for setting in (column_of(rows, OURS, reading, "setting") for reading in (RECONCILED, BEST))
    )
    return Finding(
        None,
        "The paper prints one number per data set and not the L behind it. Ours, by means: L = 4 "
        f"is better on {len(fours)} of {len(better)} data sets ({listed(fours)}); the "
        f"choice, made with the labels (oracle), adds {gains.mean():.4f} to the average and at "
        f"most {gains.max():.4f}. By the largest run it is better on {len(best_fours)}.",
        "table06",
        value=f"{gains.mean():.4f}",
    )


@CLAIMS.about("coupledmc-32")
def discretizing(evidence: Evidence) -> Finding:
    """Numbers as they are against numbers in intervals."""
    cut = evidence.experiment("discretized", evidence.datasets("table05"))
    cut = cut.groupby("dataset")["accuracy"].mean()
    ours = grid(accuracies(evidence))
    whole = ours["k_prototypes"]
    return Finding(
        count(evidence.ahead(whole[name], cut[name]) for name in whole.index),
        "k-prototypes with numbers is above k-modes with ten intervals each on "
        f"{(whole > cut[whole.index]).sum()} of {len(whole)} data sets (average "
        f"{whole.mean():.3f} and {cut.mean():.3f}); coupledMC is above SpectralCAT, which cuts "
        f"the numbers, on {(ours[OURS] > ours['spectralcat']).sum()} ({ours[OURS].mean():.3f} and "
        f"{ours['spectralcat'].mean():.3f}).",
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
    accuracies(evidence)  # nothing to say without Table 6
    structure, density = _structure(evidence), _wider(evidence, "gap", "raw")
    clustering = significant(clustering_tests(evidence).values())

    def against(statistic: str) -> str:
        return f"than {significant(clustering_tests(evidence, statistic).values())}"

    return Finding(
        count(one.held == one.total for one in (structure, clustering, density)),
        f"Significantly better in {structure} internal indices and by means than {clustering} "
        f"clusterings ({_by_largest(against)}); wider gaps of the density peaks in "
        f"{density} settings, for which the paper gives no test.",
        "table06",
        value=f"{structure}; {clustering}; {density}",
    )
