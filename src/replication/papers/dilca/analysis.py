"""Names of the methods and data sets of DILCA, and its measured times, phase by phase."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import pandas as pd

from replication.judge.times import Power, Seconds, faster, power

RECONCILED = "reconciled"

DILCA = ("dilca_m", "dilca_rr")
ALGORITHMS = ("delta", "rock", "limbo")
MEASURES = ("lin", "of", "goodall3")
BASELINES = ("jaccard", "pearson")
INDICES = {"purity": "purity", "nmi": "NMI", "ari": "ARI"}
"""Indices of the tables, and their names."""
SYNTHETIC = ("syn_a", "syn_b", "syn_c", "syn_d")
"""Data sets of which the generator was never published."""

METHODS = {
    "dilca_m": "DILCA_M",
    "dilca_rr": "DILCA_RR",
    "delta": "DELTA",
    "limbo": "LIMBO",
    "rock": "ROCK",
    "one_hot_ward": "one-hot Ward",
    "plain": "plain DILCA_M",
}
"""Methods in the order of the columns; the last two are peers that the paper does not have."""

LEARNT = (*DILCA, "delta")
"""Methods that learn value distances and share the phases after that."""

AXES = {
    "instances": "objects",
    "attributes": "attributes",
    "beyond": "attributes",
    "long": "objects",
}
"""Parts of the experiment, and the size that varies in each."""

PHASES = {
    "values.dilca_m": "value distances, DILCA_M",
    "values.dilca_rr": "value distances, DILCA_RR",
    "values.delta": "value distances, DELTA",
    "objects": "object distance matrix",
    "dendrogram": "Ward dendrogram",
}
"""The five curves of Fig. 16. Value distances include the counts."""


def totals(records: pd.DataFrame, axis: str) -> dict[int, dict[str, Seconds]]:
    """Times of whole methods by size.

    Parameters
    ----------
    records : DataFrame
        Of the experiment ``scalability``.
    axis : str
        Key of `AXES`.

    Returns
    -------
    dict of int to dict of str to Seconds
        Size to method to time. For `LEARNT` the sum of the phases counts, values, objects and
        dendrogram, as far as the axis has them.
    """
    table: dict[int, dict[str, Seconds]] = {}
    for size, times in _by_size(records, axis).items():
        shared = [one for (method, _), one in times.items() if method == "all"]
        table[size] = {
            method: sum(shared, one) if method in LEARNT else one
            for (method, _), one in times.items()
            if method != "all"
        }
    return table


def learning_times(records: pd.DataFrame, axis: str) -> dict[int, dict[str, Seconds]]:
    """Times by size of what tells the methods of `LEARNT` apart: value distances from the counts.

    Parameters are those of `totals`.
    """
    return {
        size: {method: times[method, "values"] for method in LEARNT}
        for size, times in _by_size(records, axis).items()
    }


def phase_times(records: pd.DataFrame, axis: str) -> dict[int, dict[str, Seconds]]:
    """Times of the phases by size, keyed as in `PHASES`; parameters are those of `totals`."""
    table = {}
    for size, times in _by_size(records, axis).items():
        counts = times["all", "counts"]
        table[size] = {f"values.{name}": counts + times[name, "values"] for name in LEARNT}
        table[size] |= {phase: one for (of, phase), one in times.items() if of == "all"}
        del table[size]["counts"]
    return table


def _by_size(records: pd.DataFrame, axis: str) -> dict[int, dict[tuple[str, str], Seconds]]:
    """Times of an axis by size, method and phase."""
    table: dict[int, dict[tuple[str, str], Seconds]] = {}
    for row in records[records["axis"] == axis].to_dict("records"):
        times = table.setdefault(int(row[AXES[axis]]), {})
        times[row["method"], row["phase"]] = Seconds.of(row)
    return table


def compared(
    records: pd.DataFrame, rival: str, axes: Sequence[str] = ("instances", "attributes")
) -> dict[str, bool | None]:
    """Whether each variant of DILCA is faster than a rival, at every size of some axes.

    DELTA shares counts, object distances and dendrogram with DILCA; what differs is compared.
    """
    table = learning_times if rival in LEARNT else totals
    return {
        f"{METHODS[variant]}, {size:,} {axis}": faster(times[variant], times[rival])
        for axis in axes
        for size, times in table(records, axis).items()
        if rival in times
        for variant in DILCA
    }


def ratios(tables: Iterable[Mapping[str, Seconds]], one: str, others: Sequence[str]) -> list[float]:
    """Seconds of a method over those of others, table by table."""
    return [times[one].least / times[other].least for times in tables for other in others]


def learning_share(times: Mapping[str, Seconds]) -> float:
    """Share of DILCA_M's learning in its total time, of phases as in `phase_times`."""
    parts = [times[phase].least for phase in ("values.dilca_m", "objects", "dendrogram")]
    return parts[0] / sum(parts)


def growth(table: Mapping[int, Mapping[str, Seconds]]) -> dict[str, Power]:
    """Growth exponents of the methods or phases that were timed at several sizes."""
    by_name: dict[str, dict[int, Seconds]] = {}
    for size, times in table.items():
        for name, one in times.items():
            by_name.setdefault(name, {})[size] = one
    return {name: power(by_size) for name, by_size in by_name.items() if len(by_size) > 1}


def operations(records: pd.DataFrame, method: str, axis: str) -> Power:
    """Growth exponent of the counted operations of a method along an axis."""
    rows = records[(records["method"] == method) & (records["axis"] == axis)]
    totals = (rows["scan"] + rows["learning"]).groupby(rows[AXES[axis]]).sum()
    return power({size: Seconds(total, total, 0.0) for size, total in totals.items()})


def peak_memory(records: pd.DataFrame, axis: str) -> dict[int, float]:
    """Highest MiB of any phase by size; parameters are those of `totals`."""
    rows = records[records["axis"] == axis]
    return rows.groupby(AXES[axis])["peak_mib"].max().to_dict()
