"""Claims of DILCA, section 5.5: DILCA against clusterings, measures and baselines.

A case is one data set and one index, or one data set where the sentence says so, and takes the
better DILCA variant. Our cases are on the reconciled reading, with the settings that the paper's
rule picks with the class labels (oracle), without the data sets that only the authors' generator
could give; see `replication.papers.dilca.analysis`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import partial

from replication.judge.claims import (
    MUCH,
    ClaimBook,
    Count,
    Evidence,
    Finding,
    MissingEvidenceError,
    close,
    count,
    listed,
)
from replication.papers.dilca import analysis
from replication.papers.dilca.analysis import (
    ALGORITHMS,
    BASELINES,
    GROUPS,
    INDICES,
    MEASURES,
    SYNTHETIC,
    TABLES,
    Duel,
    Sides,
)

COMPARISONS = ClaimBook()

LEVEL = 0.05
"""Level of the tests."""

ORACLE = {
    ALGORITHMS: "settings of DILCA_M, ROCK and LIMBO, and the variant, picked with the class "
    "labels: oracle",
    MEASURES: "sigma and the variant picked with the class labels on DILCA's side, numbers cut "
    "with them on that of OF: oracle",
    BASELINES: "sigma and the variant picked with the class labels, on DILCA's side alone: oracle",
}
"""What is chosen with labels, by rivals."""
FEW = 12
"""Most cases of which each is named."""
ROCKS = ("post_operative", "titanic", "hepatitis", "breast_cancer")
"""Data sets on which ROCK's purity is high."""
NAMED = ("vote", "titanic", "balloons", "syn_a", "syn_b")


def _oracle(artefacts: Sequence[str]) -> str:
    return ORACLE[TABLES[artefacts[0]][1]]


def _beside(found: Sides[Count | None]) -> str:
    """The counts that decide nothing."""
    said = f"With fixed settings, the variant still picked with labels, it is {found.fixed}"
    if found.generated:
        said += f"; on sets of our own generator, which are not the paper's, {found.generated}"
    return said + "."


def _leads(evidence: Evidence, side: Sequence[Duel]) -> str:
    """What the better variant is ahead by: case by case if they are few, else where it is not."""
    names, few = evidence.names(), len(side) <= FEW
    said = listed(
        f"{names[duel.dataset]} {INDICES[duel.index]} {duel.lead:+.4f}"
        for duel in side
        if few or duel.lead <= 0
    )
    if few:
        return said
    leads = [duel.lead for duel in side]
    return f"{min(leads):+.4f} to {max(leads):+.4f}, not above 0 in {said}"


@COMPARISONS.about("dilca-20", ("fig04", "fig05"), ROCKS, ("rock",))
@COMPARISONS.about(
    "dilca-23", ("fig04", "fig05"), ("vote", "dermatology", "titanic", *SYNTHETIC[1:])
)
@COMPARISONS.about("dilca-28", ("fig07",), NAMED)
@COMPARISONS.about("dilca-29", ("fig08",), (*NAMED, "audiology", "adult", "post_operative"))
@COMPARISONS.about("dilca-30", ("fig10", "fig11"), (), ("jaccard",))
@COMPARISONS.about("dilca-32", ("fig10",), ("audiology", "vote", "dermatology", *SYNTHETIC[1:]))
@COMPARISONS.about(
    "dilca-33", ("fig11",), ("vote", "dermatology", "car", "adult", "syn_b", "syn_c")
)
def ahead(
    evidence: Evidence,
    artefacts: Sequence[str],
    datasets: Collection[str] = (),
    rivals: Collection[str] = (),
) -> Finding:
    """Where the better variant is ahead, by the margin of the claim."""
    sides = analysis.duels(evidence, artefacts, datasets, rivals)
    found = analysis.tally(sides, lambda duel: evidence.ahead(duel.dilca, duel.rival))
    by = f" by {MUCH:g} or more" if evidence.much else ""
    against = ", ".join(name.upper() for name in rivals or TABLES[artefacts[0]][1])
    return Finding(
        found.ours,
        f"The better DILCA variant is ahead of {against}{by} in {found.ours} cases "
        f"({_oracle(artefacts)}): {_leads(evidence, sides.ours)}. {_beside(found)}",
        " ".join(artefacts),
        printed=found.printed,
    )


# --- ROCK, LIMBO and DELTA ------------------------------------------------------------------------


@COMPARISONS.about("dilca-19")
def rock_shapes(evidence: Evidence) -> Finding:
    """Sizes of ROCK's clusters behind its purity."""
    frame = evidence.experiment("rock_clusters", ROCKS)
    rows = frame[(frame["chosen"] == "yes") & (frame["algorithm"] == "rock_last")]
    # a cluster that is larger than the largest class holds objects of several
    shaped = count((rows["largest_share"] > rows["majority_share"]) & (rows["small_pure"] > 0))
    names = evidence.names()
    said = "; ".join(
        f"{names[row['dataset']]} {row['largest_share']:.1%} in one cluster, {row['small_pure']} "
        f"small pure ones (sizes {row['sizes']})"
        for row in rows.to_dict("records")
    )
    return Finding(
        shaped,
        f"At the theta that is reported (oracle): {said}. A cluster larger than the largest class, "
        f"and a pure one with less than 5 % of the objects, are there in {shaped}.",
        "rock_clusters",
    )


@COMPARISONS.about("dilca-21")
def best_of_all(evidence: Evidence) -> Finding:
    """Data sets where a variant is best or tied."""
    artefacts = ("fig04", "fig05")
    sides = Sides(*map(partial(analysis.unbeaten, evidence), analysis.duels(evidence, artefacts)))
    found = analysis.tally_datasets(sides)
    (said,) = map(int, evidence.stated("datasets_where_best"))
    # of the number that the text says, the part that anybody can count again
    again = sum(sides.printed[name] for name in analysis.public(sides.printed))
    lost = evidence.named(name for name, held in sides.ours.items() if not held)
    return Finding(
        [found.ours, count([found.ours.held == again])],
        f"Best or tied in NMI or ARI against ROCK, LIMBO and DELTA on {found.ours} data sets "
        f"({_oracle(artefacts)}), not on {lost}. The paper says {said}; by its tables {again} of "
        f"them are data sets that it did not generate. {_beside(found)}",
        " ".join(artefacts),
        printed=[found.printed, count([found.printed.held == said])],
        value=f"{found.ours.held}",
    )


def _near(duel: Duel) -> bool:
    return duel.lead > 0 or close(duel.dilca, duel.rival)


def _behind(side: Sequence[Duel]) -> Sequence[Duel]:
    """Cases of a sentence about where DILCA is behind.

    Raises
    ------
    MissingEvidenceError
        If there is none.
    """
    if not side:
        raise MissingEvidenceError("DILCA is never behind in this run: there is no case to judge")
    return side


@COMPARISONS.about("dilca-22")
def close_when_lost(evidence: Evidence) -> Finding:
    """The index in which DILCA is nearest to the winner, where it is not best."""
    artefacts = ("fig03", "fig04", "fig05")
    sides = analysis.duels(evidence, artefacts)
    ours, printed = (analysis.nearest(evidence, side) for side in (sides.ours, sides.printed))
    found = count(map(_near, _behind(ours)))
    return Finding(
        found,
        f"DILCA is best or tied neither in NMI nor in ARI on {found.total} data sets "
        f"({_oracle(artefacts)}). Its lead in the index in which it is nearest to the winner: "
        f"{_leads(evidence, ours)}; close is less than {MUCH:g} behind.",
        " ".join(artefacts),
        printed=count(map(_near, printed)),
    )


@COMPARISONS.about("dilca-49")
def delta_on_synthetic(evidence: Evidence) -> Finding:
    """DELTA on the noisy, high-dimensional data sets."""
    artefacts = ("fig04", "fig05")
    sides = analysis.duels(evidence, artefacts, SYNTHETIC, ("delta",))
    found = analysis.tally(sides, lambda duel: evidence.ahead(duel.dilca, duel.rival))
    return Finding(
        None,
        "An opinion on other authors' distance, on data of a generator that was never published. "
        f"By the printed numbers DELTA is below the better DILCA variant in {found.printed} cases "
        f"of NMI and ARI on SynA to SynD; on sets of our own generator in {found.generated or 0}.",
        " ".join(artefacts),
        printed=found.printed,
    )


# --- measures and baselines -----------------------------------------------------------------------


@COMPARISONS.about("dilca-27")
def close_except_car(evidence: Evidence) -> Finding:
    """Gaps wherever LIN, OF or GOODALL3 is ahead: close, but on Car."""
    artefacts = ("fig07", "fig08")
    sides = analysis.duels(evidence, artefacts)
    ours, printed = (
        [duel for duel in side if evidence.ahead(duel.rival, duel.dilca)]
        for side in (sides.ours, sides.printed)
    )

    def counts(side: Sequence[Duel]) -> list[Count]:
        other, car = ([one for one in side if (one.dataset == "car") is on] for on in (False, True))
        return [count(map(_near, _behind(other))), count(not _near(one) for one in _behind(car))]

    others, on_car = counts(ours)
    return Finding(
        [others, on_car],
        f"Another measure is ahead ({_oracle(artefacts)}) in {_leads(evidence, ours)}. Less than "
        f"{MUCH:g} is close: on other data sets {others} gaps are, on Car {on_car} are not.",
        " ".join(artefacts),
        printed=counts(printed),
    )


@COMPARISONS.about("dilca-31")
def pearson_comparable(evidence: Evidence) -> Finding:
    """PEARSON close to the better DILCA variant."""
    artefacts = ("fig10", "fig11")
    sides = analysis.duels(evidence, artefacts, rivals=("pearson",))
    found = analysis.tally(sides, lambda duel: close(duel.dilca, duel.rival))
    apart = [duel for duel in sides.ours if not close(duel.dilca, duel.rival)]
    return Finding(
        found.ours,
        f"PEARSON and the better DILCA variant differ by less than {MUCH:g} in {found.ours} cases "
        f"({_oracle(artefacts)}); DILCA's lead in the others: {_leads(evidence, apart)}. "
        f"{_beside(found)}",
        " ".join(artefacts),
        printed=found.printed,
    )


# --- all of them ----------------------------------------------------------------------------------


def _significant(evidence: Evidence) -> str:
    """Competitors that differ from a DILCA variant over the data sets, by the tests of the run."""
    tested = analysis.corrected_p(evidence)
    return (
        f"Wilcoxon's signed rank test over the data sets, corrected by Holm, finds "
        f"{(tested < LEVEL).sum()} of {len(tested)} differences in NMI or ARI between a DILCA "
        f"variant and a competitor at the level {LEVEL:g}; the smallest corrected p is "
        f"{tested.min():.3f}."
    )


@COMPARISONS.about("dilca-34")
def beats_in_one_index(evidence: Evidence) -> Finding:
    """Ahead of all competitors in at least one index."""
    held = partial(analysis.ahead_in_one, evidence)
    sides = Sides(*map(held, analysis.duels(evidence, TABLES)))
    found = analysis.tally_datasets(sides)
    won = (name for name, held in sides.ours.items() if held)
    groups = "; ".join(
        f"{', '.join(rivals).upper()} "
        f"{count(held(analysis.duels(evidence, artefacts).ours).values())}"
        for rivals, artefacts in GROUPS.items()
    )
    return Finding(
        found.ours,
        "The better DILCA variant is ahead of all eight competitors in purity, NMI or ARI on "
        f"{found.ours} data sets ({ORACLE[ALGORITHMS]}): {evidence.named(won)}. Group by group: "
        f"{groups}. {_beside(found)} {_significant(evidence)}",
        "fig03 to fig11",
        printed=found.printed,
    )


@COMPARISONS.about("dilca-35")
def never_wins_on_car(evidence: Evidence) -> Finding:
    """Car in all nine tables."""
    sides = analysis.duels(evidence, TABLES, ("car",))
    found = analysis.tally(sides, lambda duel: not evidence.ahead(duel.dilca, duel.rival))
    won, printed = (
        listed(duel.artefact for duel in side if evidence.ahead(duel.dilca, duel.rival))
        for side in (sides.ours, sides.printed)
    )
    return Finding(
        found.ours,
        f"On Car another method is at least as good in {found.ours} tables ({ORACLE[ALGORITHMS]}); "
        f"DILCA is ahead in {won}, by the printed numbers in {printed}. {_beside(found)}",
        "fig03 to fig11",
        printed=found.printed,
    )


@COMPARISONS.about("dilca-51")
def car_is_low(evidence: Evidence) -> Finding:
    """The highest ARI and NMI of any method on Car."""
    artefacts = [name for name, (index, _) in TABLES.items() if index != "purity"]
    every = analysis.duels(evidence, artefacts, ("car",)).ours
    nmi, ari = (analysis.highest(every, index) for index in ("nmi", "ari"))
    return Finding(
        None,
        f"The best of all ten methods on Car ({ORACLE[ALGORITHMS]}) has NMI {nmi:.4f} and ARI "
        f"{ari:.4f}. That the class labels are to blame is the paper's explanation; numbers cannot "
        "test it.",
        "fig04 to fig11",
        value=f"{ari:.4f}",
    )
