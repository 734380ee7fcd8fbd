"""Claims of DILCA about cost; times are compared by `replication.judge.times`."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from replication.judge.claims import ClaimBook, Evidence, Finding, MissingEvidenceError, count, span
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


def _learning(evidence: Evidence) -> list[dict[str, Seconds]]:
    """Times of learning from the counts, of every table of Fig. 14."""
    records = _times(evidence)
    return [times for axis in SIZES for times in analysis.learning_times(records, axis).values()]


def _told(cases: Sequence[bool | None]) -> str:
    """Text such as ``faster in 10, slower in 1 and cannot be told in 1 of 12 comparisons``."""
    return (
        f"faster in {cases.count(True)}, slower in {cases.count(False)} and cannot be told in "
        f"{cases.count(None)} of {len(cases)} comparisons"
    )


@TIMES.about("dilca-38", "instances", ("delta", "limbo", "rock"))
@TIMES.about("dilca-40", "attributes", ("limbo", "delta"))
def orders(evidence: Evidence, axis: str, rivals: Sequence[str]) -> Finding:
    """Both variants beside every rival: Fig. 14 (a) and (b)."""
    records = _times(evidence)
    cases = {rival: analysis.compared(records, rival, (axis,)) for rival in rivals}
    said = "; ".join(f"{METHODS[rival]}: {_told(found)}" for rival, found in cases.items())
    last = analysis.totals(records, axis)[SIZES[axis]]
    seconds = ", ".join(f"{METHODS[one]} {last[one].least:.2f} s" for one in (*DILCA, *rivals))
    return Finding(
        count(answer for found in cases.values() for answer in found),
        f"The two DILCA variants beside {said}. An order is told from a ratio of {MARGIN:g} on; "
        "DELTA shares counts, object distances and dendrogram with DILCA, so that the learning of "
        f"value distances alone is compared. In all, at {SIZES[axis]:,} {axis}: {seconds}.",
        "fig14",
    )


@TIMES.about("dilca-39")
def rock_gives_up(evidence: Evidence) -> Finding:
    """ROCK on more objects than the authors' could process."""
    (limit,) = evidence.stated("max_instances_processed")
    table = analysis.totals(_times(evidence), "instances")
    beyond = {size: one["rock"].least for size, one in table.items() if size > limit}
    said = ", ".join(f"{size:,} objects in {seconds:.1f} s" for size, seconds in beyond.items())
    return Finding(
        None,
        "The limit is one of the authors' program on their machine, and they do not say what time "
        f"is reasonable. The algorithm has no such limit: ours, theta 0, clusters {said}.",
        "fig14",
        value=said,
    )


@TIMES.about("dilca-41")
def redundancy_rule_faster(evidence: Evidence) -> Finding:
    """Learning times of the two variants, from the counts that they share."""
    tables = _learning(evidence)
    cases = [faster(times["dilca_rr"], times["dilca_m"]) for times in tables]
    return Finding(
        count(cases),
        "DILCA_RR learns its distances from the counts in "
        f"{span(analysis.ratios(tables, 'dilca_rr', ['dilca_m']))} times the time of DILCA_M at "
        f"sigma 0: {_told(cases)}. It compares attributes to spare distances.",
        "fig16",
    )


@TIMES.about("dilca-42")
def exponents(evidence: Evidence) -> Finding:
    """Exponents of the counted operations of one scan and of learning."""
    records = evidence.experiment("operations")
    found = {name: [analysis.operations(records, name, axis) for axis in SIZES] for name in DILCA}
    said = ", ".join(f"{METHODS[name]} n^({n}) and m^({m})" for name, (n, m) in found.items())
    return Finding(
        count(
            answer
            for n, m in found.values()
            # a logarithm beside the square is no power: it is within the slack
            for answer in (n.at_most(1), m.at_most(2))
        ),
        "Operations of counting and learning, counted, grow with objects (up to "
        f"{records['objects'].max():,}) and attributes (up to {records['attributes'].max():,}) as "
        f"{said}. The measures see only the counts, which one scan of the data gives.",
        "operations",
        value=said,
    )


@TIMES.about("dilca-43")
def thousands_of_attributes(evidence: Evidence) -> Finding:
    """Time and memory on tables of thousands of attributes."""
    _times(evidence)
    records = evidence.experiment("scalability")
    limit, room = MANAGED
    peaks = analysis.peak_memory(records, "beyond")
    cases, said = [], []
    for size, times in analysis.totals(records, "beyond").items():
        for name in DILCA:
            cases.append(False if peaks[size] > room else faster(times[name], limit))
            said.append(f"{METHODS[name]} {times[name].least:.1f} s")
        said[-1] += f" and at most {peaks[size]:.0f} MiB at {size:,} attributes"
    return Finding(
        count(cases),
        f"From coded data to clusters: {', '.join(said)}. A minute and {room / 1024:g} GiB "
        "are allowed.",
        "fig14",
        value=f"{max(peaks):,}",
    )


@TIMES.about("dilca-46")
def learning_is_smallest(evidence: Evidence) -> Finding:
    """Learning, counts included, beside the other phases, together and each."""
    table = analysis.phase_times(_times(evidence), "instances")
    rest, single = [], []
    for times in table.values():
        for name in DILCA:
            learning = times[f"values.{name}"]
            rest.append(faster(learning, times["objects"] + times["dendrogram"]))
            single += [faster(learning, times[phase]) for phase in ("objects", "dendrogram")]
    last = table[max(table)]
    said = ", ".join(f"{PHASES[phase]} {last[phase].least:.3f} s" for phase in PHASES)
    return Finding(
        [count(rest), count(single)],
        f"Learning the value distances beside object distances and dendrogram together: "
        f"{_told(rest)}; beside each: {_told(single)}. At {max(table):,} objects: {said}.",
        "fig16",
    )


@TIMES.about("dilca-47")
def delta_slower(evidence: Evidence) -> Finding:
    """Learning of DELTA beside that of both variants."""
    tables = _learning(evidence)
    cases = [faster(MUCH * times[name], times["delta"]) for times in tables for name in DILCA]
    return Finding(
        count(cases),
        "In our code DELTA learns its distances, from the same counts, in "
        f"{span(analysis.ratios(tables, 'delta', DILCA))} times the time of a DILCA variant, at "
        f"least {MUCH:g} times as long in {cases.count(True)} of {len(cases)} comparisons and not "
        f"so in {cases.count(False)}. How "
        "the authors' programs counted is not known.",
        "fig16",
    )
