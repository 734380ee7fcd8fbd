"""Claims of DILCA about cost; times are compared by `replication.judge.times`."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from replication.judge.claims import ClaimBook, Evidence, MissingEvidenceError, Outcome, cases
from replication.judge.times import MARGIN, MUCH, Seconds, faster
from replication.papers.dilca import analysis
from replication.papers.dilca.analysis import DILCA, METHODS, PHASES

TIMES = ClaimBook()

SIZES = {"instances": 10_000, "attributes": 1_000}
"""Largest sizes of Fig. 14."""
MANAGED = Seconds(60.0, 60.0, 0.0), 2048.0
"""Time and MiB in which a table is *managed*; the paper gives no number. A minute and 2 GiB are
what anybody has; ten thousand attributes of ten values would need over ten times of both."""


def _times(evidence: Evidence) -> pd.DataFrame:
    """Records of the timing experiment, at the sizes of the paper."""
    records = evidence.experiment("scalability")
    for axis, largest in SIZES.items():
        if largest not in analysis.totals(records, axis):
            raise MissingEvidenceError(
                f"Fig. 14 goes up to {largest:,} {axis}; this run times smaller tables (effort "
                f"{evidence.effort})"
            )
    return records


def _learning(evidence: Evidence) -> dict[str, dict[str, Seconds]]:
    """Times of learning from the counts, of every table of Fig. 14."""
    records = _times(evidence)
    return {
        f"{size:,} {axis}": times
        for axis in SIZES
        for size, times in analysis.learning_times(records, axis).items()
    }


@TIMES.about("dilca-38", "instances", ("delta", "limbo", "rock"))
@TIMES.about("dilca-40", "attributes", ("limbo", "delta"))
def orders(evidence: Evidence, axis: str, rivals: Sequence[str]) -> Outcome:
    """Both variants and every rival: Fig. 14 (a) and (b)."""
    records = _times(evidence)
    found = {
        f"{METHODS[rival]}, {case}": answer
        for rival in rivals
        for case, answer in analysis.compared(records, rival, (axis,)).items()
    }
    return Outcome(
        cases(found, found.values()),
        "fig14",
        f"An order is told from a ratio of {MARGIN:g} on; of DELTA, which shares counts, object "
        "distances and dendrogram with DILCA, the learning of value distances alone is compared.",
    )


@TIMES.about("dilca-39")
def rock_gives_up(evidence: Evidence) -> Outcome:
    """ROCK on more objects than the authors' could process."""
    (limit,) = evidence.stated("max_instances_processed")
    table = analysis.totals(_times(evidence), "instances")
    beyond = {size: one["rock"].least for size, one in table.items() if size > limit}
    said = ", ".join(f"{size:,} objects in {seconds:.1f} s" for size, seconds in beyond.items())
    return Outcome(
        None,
        "fig14",
        "The limit is one of the authors' program on their machine: ours, theta 0, clusters "
        f"{said}.",
        said,
    )


@TIMES.about("dilca-41")
def redundancy_rule_faster(evidence: Evidence) -> Outcome:
    """Learning times of the two variants, from the counts that they share."""
    tables = _learning(evidence)
    holds = [faster(times["dilca_rr"], times["dilca_m"]) for times in tables.values()]
    ours = analysis.ratios(tables.values(), "dilca_rr", ["dilca_m"])
    return Outcome(
        cases(tables, holds, ours=ours),
        "fig16",
        "Ours is the time that DILCA_RR takes to learn its distances from the counts, over that of "
        "DILCA_M at sigma 0.",
    )


@TIMES.about("dilca-42")
def exponents(evidence: Evidence) -> Outcome:
    """Exponents of the counted operations of one scan and of learning."""
    records = evidence.experiment("operations")
    found = {name: [analysis.operations(records, name, axis) for axis in SIZES] for name in DILCA}
    # a logarithm beside the square is no power: it is within the slack
    degrees = {"objects": 1, "attributes": 2}
    return Outcome(
        cases(
            [f"{METHODS[name]}, {size}" for name in found for size in degrees],
            [
                one.at_most(degree)
                for powers in found.values()
                for one, degree in zip(powers, degrees.values(), strict=True)
            ],
            ours=[str(one) for powers in found.values() for one in powers],
        ),
        "operations",
        "Ours is the exponent of counting and learning, in counted operations.",
        ", ".join(f"{METHODS[name]} n^({n}) and m^({m})" for name, (n, m) in found.items()),
    )


@TIMES.about("dilca-43")
def thousands_of_attributes(evidence: Evidence) -> Outcome:
    """Time and memory on tables of thousands of attributes."""
    _times(evidence)
    records = evidence.experiment("scalability")
    limit, room = MANAGED
    peaks = analysis.peak_memory(records, "beyond")
    found = {
        f"{METHODS[name]}, {size:,} attributes, {peaks[size]:.0f} MiB": (
            times[name].least,
            False if peaks[size] > room else faster(times[name], limit),
        )
        for size, times in analysis.totals(records, "beyond").items()
        for name in DILCA
    }
    seconds, holds = zip(*found.values(), strict=True)
    return Outcome(
        cases(found, holds, ours=seconds),
        "fig14",
        f"Ours is seconds from coded data to clusters; a minute and {room / 1024:g} GiB are "
        "allowed.",
        f"{max(peaks):,}",
    )


@TIMES.about("dilca-46")
def learning_is_smallest(evidence: Evidence) -> Outcome:
    """Learning, counts included, and the other phases, together and each."""
    parts: tuple[dict, dict] = {}, {}
    for size, times in analysis.phase_times(_times(evidence), "instances").items():
        for name in DILCA:
            case, learning = f"{METHODS[name]}, {size:,} objects", times[f"values.{name}"]
            parts[0][case] = faster(learning, times["objects"] + times["dendrogram"])
            for phase in ("objects", "dendrogram"):
                parts[1][f"{case}, {PHASES[phase]}"] = faster(learning, times[phase])
    return Outcome(
        pd.concat([cases(one, one.values(), part=part) for part, one in enumerate(parts, 1)]),
        "fig16",
        "Part 1 compares with object distances and dendrogram together, part 2 with each.",
    )


@TIMES.about("dilca-47")
def delta_slower(evidence: Evidence) -> Outcome:
    """Learning of DELTA and of both variants."""
    tables = _learning(evidence)
    pairs = {
        f"{METHODS[name]}, {case}": (times[name], times["delta"])
        for case, times in tables.items()
        for name in DILCA
    }
    return Outcome(
        cases(
            pairs,
            (faster(MUCH * one, delta) for one, delta in pairs.values()),
            ours=analysis.ratios(tables.values(), "delta", DILCA),
        ),
        "fig16",
        f"Ours is the time of DELTA over that of the variant, which should be at least {MUCH:g}; "
        "how the authors' programs counted is not known.",
    )
