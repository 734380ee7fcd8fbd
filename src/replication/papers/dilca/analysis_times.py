"""Measured times of DILCA: whole methods, phases, and who is faster. Times belong to a machine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from replication.judge.times import Seconds, faster

if TYPE_CHECKING:
    import pandas as pd

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

LEARNT = ("dilca_m", "dilca_rr", "delta")
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

    Parameters
    ----------
    records : DataFrame
        Of the experiment ``scalability``.
    axis : str
        Key of `AXES`.

    Returns
    -------
    dict of int to dict of str to Seconds
    """
    return {
        size: {method: times[method, "values"] for method in LEARNT}
        for size, times in _by_size(records, axis).items()
    }


def phase_times(records: pd.DataFrame, axis: str) -> dict[int, dict[str, Seconds]]:
    """Times of the phases by size, keyed as in `PHASES`.

    Parameters
    ----------
    records : DataFrame
        Of the experiment ``scalability``.
    axis : str
        Key of `AXES`.

    Returns
    -------
    dict of int to dict of str to Seconds
    """
    table = {}
    for size, times in _by_size(records, axis).items():
        counts = times["all", "counts"]
        table[size] = {
            **{f"values.{name}": counts + times[name, "values"] for name in LEARNT},
            **{
                phase: times["all", phase]
                for phase in ("objects", "dendrogram")
                if ("all", phase) in times
            },
        }
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
) -> list[bool | None]:
    """Whether each variant of DILCA is faster than a rival, at every size of some axes.

    DELTA shares counts, object distances and dendrogram with DILCA; what differs is compared.
    """
    table = learning_times if rival in LEARNT else totals
    return [
        faster(times[variant], times[rival])
        for axis in axes
        for times in table(records, axis).values()
        if rival in times
        for variant in ("dilca_m", "dilca_rr")
    ]
