"""Claims of CASO about cost: operations are counted, times are compared by `judge.times`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from replication.judge.claims import ClaimBook, Count, Evidence, Finding, count
from replication.judge.times import MARGIN, MUCH, Seconds, faster
from replication.papers.caso import theory
from replication.papers.caso.examples import RELATIONS, SHORT

TIMES = ClaimBook()

POWER, *OTHERS = RELATIONS
*RIVALS, LEAST = RELATIONS
"""The relation that enumerates all subsets comes first, the one of the intersection last."""

Table = tuple[str | int, ...]
"""What tells a table: axis, values R and attributes n if it is synthetic, else its data set."""


def _synthetic(evidence: Evidence) -> dict[Table, dict[str, float]]:
    """Evaluations on synthetic tables, as far as the reference code counted them, by relation."""
    totals: dict[Table, dict[str, float]] = {}
    for row in evidence.experiment("growth").to_dict("records"):
        if row["counted"] == "yes":
            key = (row["axis"], int(row["values"]), int(row["attributes"]))
            totals.setdefault(key, {})[row["relation"]] = float(row["total"])
    return totals


def _evaluations(evidence: Evidence) -> dict[Table, dict[str, float]]:
    """Evaluations by table and relation, on data sets too."""
    totals = _synthetic(evidence)
    for row in evidence.experiment("evaluations").to_dict("records"):
        # whole numbers of up to a million digits
        totals[(row["dataset"],)] = {name: int(row[name]) for name in RELATIONS}
    return totals


def _times(evidence: Evidence) -> dict[Table, dict[str, Seconds]]:
    """Times of the reference code and of the compiled measures, by table."""
    times: dict[Table, dict[str, Seconds]] = {}
    for row in evidence.experiment("seconds").to_dict("records"):
        if row["axis"] in ("values", "attributes"):
            key = (row["axis"], int(row["values"]), int(row["attributes"]))
            times.setdefault(key, {})[row["what"]] = Seconds.of(row)
    for row in evidence.experiment("seconds_data").to_dict("records"):
        times.setdefault((row["dataset"],), {})[row["what"]] = Seconds.of(row)
    return times


def _ratios(times: Mapping[Table, Mapping[str, Seconds]], one: str, other: str) -> list[float]:
    """How many times as long one thing takes as another, by table."""
    return [
        table[one].least / table[other].least
        for table in times.values()
        if one in table and other in table
    ]


def _span(values: list[float]) -> str:
    return f"{min(values):.2f} to {max(values):.3g}"


@TIMES.about("caso-30")
def operations(evidence: Evidence) -> Finding:
    """Counted evaluations beside the printed orders, and among each other."""
    synthetic, everywhere = _synthetic(evidence), _evaluations(evidence)
    multiples: dict[str, list[float]] = {}
    for (_, values, attributes), totals in synthetic.items():
        for relation, total in totals.items():
            size = 2**values if relation == POWER else values
            multiples.setdefault(relation, []).append(total / (attributes**2 * values**2 * size))
    fewest = [
        totals[LEAST] <= totals[rival]
        for totals in everywhere.values()
        for rival in RIVALS
        if rival in totals
    ]
    said = ", ".join(f"{SHORT[name]} {max(found):.2f}" for name, found in multiples.items())
    return Finding(
        [count(value <= 1 for found in multiples.values() for value in found), count(fewest)],
        f"Evaluations of a conditional probability on {len(synthetic)} synthetic tables are at "
        f"most these multiples of n^2 R^2 2^R (IRSP) and n^2 R^3 (the others): {said}. On them and "
        f"{len(everywhere) - len(synthetic)} data sets IRSI takes no more than any other in "
        f"{sum(fewest)} of {len(fewest)} comparisons.",
        "table10",
    )


@TIMES.about("caso-31")
def fastest(evidence: Evidence) -> Finding:
    """Times of the reference code."""
    times = _times(evidence)
    cases = [
        faster(table[LEAST], table[rival])
        for table in times.values()
        for rival in RIVALS
        if rival in table
    ]
    said = ", ".join(f"{SHORT[name]} {_span(_ratios(times, name, LEAST))}" for name in RIVALS)
    return Finding(
        count(cases),
        f"Times relative to IRSI, reference code, {len(times)} tables: {said}. IRSI is the faster "
        f"one in {cases.count(True)} of {len(cases)} comparisons and the slower one in "
        f"{cases.count(False)}; the others differ by less than a factor of {MARGIN:g} or than the "
        "repetitions. Most of a comparison is not the evaluations, which IRSI has the fewest of.",
        "table10",
    )


@TIMES.about("caso-32")
def power_set(evidence: Evidence) -> Finding:
    """ADD is one minus IRSP, whose evaluations are counted."""
    theorem = evidence.table("theory").set_index("statement").loc[theory.POWER_SET]
    cases, exceptions = int(theorem["cases"]), int(theorem["exceptions"])
    costlier = [
        totals[POWER] > totals[other]
        for totals in _evaluations(evidence).values()
        for other in OTHERS
        if POWER in totals
    ]
    ratios = _ratios(_times(evidence), "add", "cado")
    return Finding(
        [Count(cases - exceptions, cases), count(costlier)],
        f"{theory.POWER_SET}: {exceptions} exceptions in {cases} cases ({theorem['tried_on']}). "
        f"IRSP takes more evaluations in {sum(costlier)} of {len(costlier)} comparisons. That is "
        "the cost of IRSP as it is worded, not of ADD: as half a sum of absolute differences, "
        f"compiled, ADD takes {_span(ratios)} times as long as CADO by IRSI.",
        "theory",
    )


@TIMES.about("caso-63")
def costly(evidence: Evidence) -> Finding:
    """Compiled ADD beside compiled CADO."""
    times = _times(evidence)
    cases = [faster(MUCH * table["cado"], table["add"]) for table in times.values()]
    longest = max(table["add"].least for table in times.values())
    return Finding(
        count(cases),
        f"Compiled, ADD takes {_span(_ratios(times, 'add', 'cado'))} times as long as CADO on "
        f"{len(cases)} tables, and at most {longest:.2g} s: it is costly beside CADO (more than "
        f"{MUCH:g} times as long) on {cases.count(True)}, not so on {cases.count(False)}. What "
        f"costs is the enumeration of all subsets: up to {max(_ratios(times, POWER, LEAST)):.3g} "
        "times the time of IRSI in the reference code.",
        "table10",
    )


@TIMES.about("caso-64")
def kept_values(evidence: Evidence) -> Finding:
    """Value similarities that are computed with and without keeping them: counted work."""
    found = evidence.experiment("seconds_data")
    pairs: list[tuple[dict[str, Any], dict[str, Any]]] = []
    for _, part in found[found["what"].str.startswith("values ")].groupby("dataset"):
        runs = {row["what"]: row for row in part.to_dict("records")}
        pairs.append((runs["values kept"], runs["values computed again"]))
    cases = [kept["evaluations"] < again["evaluations"] for kept, again in pairs]
    saved = [again["evaluations"] / kept["evaluations"] for kept, again in pairs]
    quicker = [faster(Seconds.of(kept), Seconds.of(again)) for kept, again in pairs]
    return Finding(
        count(cases),
        f"Among the first objects of {len(pairs)} data sets, similarities of values that are not "
        f"kept are computed {min(saved):.1f} to {max(saved):.1f} times as often; keeping them is "
        f"faster on {quicker.count(True)} of {len(pairs)}, and on {quicker.count(None)} that "
        "cannot be told.",
        "seconds_data",
    )
