"""Claims of DILCA on running times, from the records of `timings`.

`replication.judge.times` decides which of two times is shorter.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import product

import numpy as np
import pandas as pd

from couplings import CategoricalTable
from couplings.measures.registry import measure_from
from replication.judge.claims import ClaimBook, Evidence, MissingEvidenceError, Outcome, cases
from replication.judge.times import MARGIN, MUCH_LONGER, Power, Seconds, faster, power
from replication.papers.dilca.records import DILCA

METHODS = {
    "dilca_m": "DILCA_M",
    "dilca_rr": "DILCA_RR",
    "delta": "DELTA",
    "limbo": "LIMBO",
    "rock": "ROCK",
    "one_hot_ward": "one-hot Ward",
    "plain": "plain DILCA_M",
}
"""Methods in the order of the columns; the paper does not compare with the last two."""

AXES = {
    "instances": "objects",
    "attributes": "attributes",
    "beyond": "attributes",
    "long": "objects",
}
"""Size that varies in each part of the experiment."""

PHASES = {
    "values.dilca_m": "value distances, DILCA_M",
    "values.dilca_rr": "value distances, DILCA_RR",
    "values.delta": "value distances, DELTA",
    "objects": "object distance matrix",
    "dendrogram": "Ward dendrogram",
}
"""The five curves of Fig. 16. Times of value distances include the counts."""


def times(records: pd.DataFrame, axis: str) -> dict[int, dict[str, Seconds]]:
    """Return the times of methods and of their phases, by size.

    Parameters
    ----------
    records : DataFrame
        Records of the experiment ``scalability``.
    axis : str
        Key of `AXES`.

    Returns
    -------
    dict of int to dict of str to Seconds
        Time by size and name. Names are those of `METHODS` and `PHASES`, and ``learning.<method>``
        for the value distances without counting. The time of DILCA or DELTA is the sum of counts,
        value distances, object distances and dendrogram, as far as the axis has them.
    """
    table = {}
    for size, rows in records[records["axis"] == axis].groupby(AXES[axis], sort=False):
        each = {(row["method"], row["phase"]): Seconds.of(row) for row in rows.to_dict("records")}
        shared = {phase: one for (method, phase), one in each.items() if method == "all"}
        found = {phase: one for phase, one in shared.items() if phase in PHASES}
        for (method, _), own in each.items():
            if f"values.{method}" in PHASES:
                found[f"learning.{method}"] = own
                found[f"values.{method}"] = shared["counts"] + own
                found[method] = sum(shared.values(), own)
            elif method != "all":
                found[method] = own
        table[int(size)] = found
    return table


def compared(
    records: pd.DataFrame, rival: str, axes: Sequence[str] = ("instances", "attributes")
) -> dict[str, bool | None]:
    """Tell whether each variant of DILCA is faster than a rival, at every size of some axes.

    DELTA shares counts, object distances and dendrogram with DILCA. The comparison with DELTA
    therefore takes only the time of learning value distances.
    """
    part = "learning." if rival == "delta" else ""
    return {
        f"{METHODS[variant]}, {size:,} {axis}": faster(found[part + variant], found[part + rival])
        for axis in axes
        for size, found in times(records, axis).items()
        if rival in found
        for variant in DILCA
    }


def ratios(tables: Iterable[Mapping[str, Seconds]], one: str, others: Sequence[str]) -> list[float]:
    """Return the seconds of one name in `times` divided by those of others, table by table."""
    return [found[one].least / found[other].least for found in tables for other in others]


TIMES = ClaimBook()

SIZES = {"instances": 10_000, "attributes": 1_000}
"""Largest sizes of Fig. 14."""
MANAGED = Seconds(60.0, 60.0, 0.0), 2048.0
"""Largest time and MiB for a table that DILCA *manages*; the paper gives no number. Ten thousand
attributes of ten values would need over ten times as much of both."""


def _records(evidence: Evidence) -> pd.DataFrame:
    """Return the timing records, which must reach the sizes of the paper."""
    records = evidence.experiment("scalability")
    for axis, largest in SIZES.items():
        if largest not in times(records, axis):
            raise MissingEvidenceError(
                f"Fig. 14 goes up to {largest:,} {axis}; this run times smaller tables (effort "
                f"{evidence.effort})"
            )
    return records


def _learning(evidence: Evidence) -> dict[str, dict[str, Seconds]]:
    """Return the times of every table of Fig. 14, by its size in words."""
    records = _records(evidence)
    return {
        f"{size:,} {axis}": found for axis in SIZES for size, found in times(records, axis).items()
    }


@TIMES.about("dilca-38", "instances", ("delta", "limbo", "rock"))
@TIMES.about("dilca-40", "attributes", ("limbo", "delta"))
def orders(evidence: Evidence, axis: str, rivals: Sequence[str]) -> Outcome:
    """Both variants against every rival in Fig. 14 (a) or (b)."""
    records = _records(evidence)
    found = {
        f"{METHODS[rival]}, {case}": answer
        for rival in rivals
        for case, answer in compared(records, rival, (axis,)).items()
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
    said = ", ".join(
        f"{size:,} objects in {one['rock'].least:.1f} s"
        for size, one in times(_records(evidence), "instances").items()
        if size > limit
    )
    return Outcome(
        None,
        "fig14",
        "The limit is one of the authors' program on their machine: ours, theta 0, clusters "
        f"{said}.",
        said,
    )


@TIMES.about("dilca-56")
def rock_is_cubic(evidence: Evidence) -> Outcome:
    """Exponent by which the time of ROCK grows with the number of objects."""
    found = power(
        {size: one["rock"] for size, one in times(_records(evidence), "instances").items()}
    )
    return Outcome(
        cases(["n^"], [found.at_most(3)], ours=[str(found)], printed=["3"]),
        "fig14",
        "Ours starts from a table of neighbours and keeps links of clusters in a matrix.",
        f"n^{found}",
    )


@TIMES.about("dilca-41")
def redundancy_rule_faster(evidence: Evidence) -> Outcome:
    """Learning times of the two variants, without the counts that they share."""
    tables, names = _learning(evidence), ("learning.dilca_rr", "learning.dilca_m")
    holds = [faster(*(found[name] for name in names)) for found in tables.values()]
    return Outcome(
        cases(tables, holds, ours=ratios(tables.values(), names[0], names[1:])),
        "fig16",
        "Ours is the time that DILCA_RR takes to learn its distances from the counts, over that of "
        "DILCA_M at sigma 0.",
    )


@TIMES.about("dilca-42")
def exponents(evidence: Evidence) -> Outcome:
    """Exponents of growth of the counted operations of one scan and of learning.

    A bound holds for every table: beside random tables, one has equal attributes.
    """
    groups = dict(list(evidence.experiment("operations").groupby(["method", "axis"])))
    # the claim has m^2 log m: the logarithm stays within the slack of the exponent
    degrees = {"instances": 1, "attributes": 2}
    found = {
        (name, axis): power({size: Seconds(n, n, 0.0) for size, n in totals})
        for name, axis in product(DILCA, degrees)
        for rows in [groups[name, axis]]
        for totals in [zip(rows[AXES[axis]], rows["scan"] + rows["learning"], strict=True)]
    }
    equal = _equal_attributes(evidence.choice("dilca.context", "strict", "algorithm3"))
    names = [f"{METHODS[name]}, {AXES[axis]}" for name, axis in found]
    held = [one.at_most(degrees[axis]) for (_, axis), one in found.items()]
    return Outcome(
        cases(
            [*names, "DILCA_RR, equal attributes"],
            [*held, equal.at_most(2)],
            ours=map(str, [*found.values(), equal]),
        ),
        "operations",
        "Ours is the exponent of counting and learning, in counted operations. Of equal attributes "
        "the strict rule removes none, so that each is compared with all that follow it, for every "
        "target.",
        ", ".join(
            f"{METHODS[name]} n^({found[name, 'instances']}) and m^({found[name, 'attributes']})"
            for name in DILCA
        ),
    )


def _equal_attributes(rule: str) -> Power:
    """Return the growth with m of the comparisons of DILCA_RR on m equal attributes."""
    compared = {}
    for m in (8, 16, 32, 64, 128):
        table = CategoricalTable.from_codes(np.tile([[0], [1]], (4, m)), [2] * m)
        kept = measure_from("dilca_rr", context=rule).fit(table).context_.sum(axis=1)
        # the kept attributes rank first, and each is compared with those that rank below it
        compared[m] = float(sum((m - 1) * k - k * (k + 1) / 2 for k in kept.tolist()))
    return power({m: Seconds(n, n, 0.0) for m, n in compared.items()})


@TIMES.about("dilca-43")
def thousands_of_attributes(evidence: Evidence) -> Outcome:
    """Time and memory on tables with thousands of attributes."""
    records, (limit, room) = _records(evidence), MANAGED
    records = records[records["axis"] == "beyond"]
    peaks = records.groupby("attributes")["peak_mib"].max()
    found = {
        f"{METHODS[name]}, {size:,} attributes, {peaks[size]:.0f} MiB": (
            one[name].least,
            False if peaks[size] > room else faster(one[name], limit),
        )
        for size, one in times(records, "beyond").items()
        for name in DILCA
    }
    seconds, holds = zip(*found.values(), strict=True)
    return Outcome(
        cases(found, holds, ours=seconds),
        "fig14",
        f"Ours is seconds from coded data to clusters; a minute and {room / 1024:g} GiB are "
        "allowed.",
        f"{peaks.index.max():,}",
    )


@TIMES.about("dilca-46")
def learning_is_smallest(evidence: Evidence) -> Outcome:
    """Learning time, counts included, against the other phases, both together and each alone."""
    parts: tuple[dict, dict] = {}, {}
    for size, found in times(_records(evidence), "instances").items():
        for name in DILCA:
            case, learning = f"{METHODS[name]}, {size:,} objects", found[f"values.{name}"]
            parts[0][case] = faster(learning, found["objects"] + found["dendrogram"])
            for phase in ("objects", "dendrogram"):
                parts[1][f"{case}, {PHASES[phase]}"] = faster(learning, found[phase])
    return Outcome(
        pd.concat([cases(one, one.values(), part=part) for part, one in enumerate(parts, 1)]),
        "fig16",
        "Part 1 compares with object distances and dendrogram together, part 2 with each.",
    )


@TIMES.about("dilca-47")
def delta_slower(evidence: Evidence) -> Outcome:
    """Learning time of DELTA against that of both variants."""
    tables, names = _learning(evidence), {f"learning.{name}": METHODS[name] for name in DILCA}
    holds = {
        f"{label}, {case}": faster(MUCH_LONGER * found[name], found["learning.delta"])
        for case, found in tables.items()
        for name, label in names.items()
    }
    ours = ratios(tables.values(), "learning.delta", [*names])
    return Outcome(
        cases(holds, holds.values(), ours=ours),
        "fig16",
        "Ours is the time of DELTA over that of the variant, which should be at least "
        f"{MUCH_LONGER:g}; how the authors' programs counted is not known.",
    )
