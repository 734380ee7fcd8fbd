"""Tables of measured times: Figs 14 and 16, and the cost on Mushroom. Times belong to a machine."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from replication.sheet import Column, Job, Sheet, number

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

PARTS = {
    "instances": "(a) objects",
    "attributes": "(b) attributes",
    "beyond": "more attributes",
    "long": "more objects, value distances only",
}

PHASES = {
    "values.dilca_m": "value distances, DILCA_M",
    "values.dilca_rr": "value distances, DILCA_RR",
    "values.delta": "value distances, DELTA",
    "objects": "object distance matrix",
    "dendrogram": "Ward dendrogram",
}
"""The five curves of Fig. 16. Value distances include the counts."""

MACHINE = (
    "Median seconds of processor time on the machine of this run, one thread; they are not "
    "comparable with other hardware, orderings and growth are. Everything is compiled before it is "
    "timed."
)


def totals(records: pd.DataFrame, axis: str) -> dict[int, dict[str, float]]:
    """Seconds of whole methods by size.

    Parameters
    ----------
    records : DataFrame
        Of the experiment ``scalability``.
    axis : str
        Key of `AXES`.

    Returns
    -------
    dict of int to dict of str to float
        Size to method to seconds. For `LEARNT` the sum of the phases counts, values, objects and
        dendrogram, as far as the axis has them.
    """
    table: dict[int, dict[str, float]] = {}
    for size, rows in _by_size(records, axis).items():
        seconds = {(row["method"], row["phase"]): row["seconds"] for row in rows}
        shared = sum(value for (method, _), value in seconds.items() if method == "all")
        table[size] = {
            method: value + (shared if method in LEARNT else 0.0)
            for (method, _), value in seconds.items()
            if method != "all"
        }
    return table


def phase_times(records: pd.DataFrame, axis: str) -> dict[int, dict[str, float]]:
    """Seconds of the phases by size, keyed as in `PHASES`.

    Parameters
    ----------
    records : DataFrame
        Of the experiment ``scalability``.
    axis : str
        Key of `AXES`.

    Returns
    -------
    dict of int to dict of str to float
    """
    table = {}
    for size, rows in _by_size(records, axis).items():
        seconds = {(row["method"], row["phase"]): row["seconds"] for row in rows}
        counts = seconds["all", "counts"]
        table[size] = {
            **{f"values.{name}": counts + seconds[name, "values"] for name in LEARNT},
            **{
                phase: seconds["all", phase]
                for phase in ("objects", "dendrogram")
                if ("all", phase) in seconds
            },
        }
    return table


def slope(times: Mapping[int, float]) -> float:
    """Growth exponent: the least-squares slope of log seconds against log size.

    Parameters
    ----------
    times : mapping of int to float
        Seconds by size, at least two sizes.

    Returns
    -------
    float
        1 for linear growth, 2 for quadratic.

    Raises
    ------
    ValueError
        If there are fewer than two sizes.
    """
    if len(times) < 2:
        raise ValueError("growth needs two sizes")
    x = [math.log(size) for size in times]
    y = [math.log(seconds) for seconds in times.values()]
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    over = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True))
    return over / sum((a - mean_x) ** 2 for a in x)


def _by_size(records: pd.DataFrame, axis: str) -> dict[int, list[dict[str, Any]]]:
    table: dict[int, list[dict[str, Any]]] = {}
    for row in records[records["axis"] == axis].to_dict("records"):
        table.setdefault(int(row[AXES[axis]]), []).append(row)
    return table


def scalability(job: Job, cells: pd.DataFrame) -> Sheet:
    """Seconds of whole methods against objects and attributes: Fig. 14."""
    records = job.records("scalability")
    data, rows, growth = [], [], {}
    for axis, part in PARTS.items():
        table = totals(records, axis)
        for size, seconds in table.items():
            row = {"part": part, "size": f"{size:,}"}
            for method in METHODS:
                if method not in seconds:
                    continue
                row[method] = seconds_text(seconds[method])
                data.append(
                    {
                        "axis": axis,
                        "size": size,
                        "method": method,
                        "label": METHODS[method],
                        "seconds": seconds[method],
                    }
                )
            rows.append(row)
        if axis not in ("instances", "attributes"):
            continue
        for method in METHODS:
            times = {size: one[method] for size, one in table.items() if method in one}
            if len(times) > 1:
                growth[axis, method] = slope(times)
    slower = _slower_than_dilca(records)
    return Sheet(
        name=f"{job.paper}-{job.artefact}",
        title=f"{job.label}: seconds against objects and attributes",
        caption=(
            "Seconds from coded data to clusters, all phases together; the paper draws curves and "
            f"prints no number. The slower DILCA variant is faster than {slower}."
        ),
        columns=[
            Column("part", "Part", text=True),
            Column("size", "size"),
            *(Column(method, label) for method, label in METHODS.items()),
        ],
        rows=[
            *rows,
            *(
                {
                    "part": f"growth exponent, {PARTS[axis][:3]}",
                    **{
                        method: number(value, 2)
                        for (where, method), value in growth.items()
                        if where == axis
                    },
                }
                for axis in ("instances", "attributes")
            ),
        ],
        legend=[
            MACHINE,
            f"(a): {_sizes(records, 'instances')}. (b): {_sizes(records, 'attributes')}. more "
            f"attributes: {_sizes(records, 'beyond')}. more objects: {_sizes(records, 'long')}; "
            "counts and value distances only, on rows drawn with replacement.",
            "Synthetic classes of our own generator; the authors' is gone. sigma, theta and phi "
            "are 0, the worst case of the paper.",
            "one-hot Ward: scikit-learn on indicator columns. plain DILCA_M: value distances only, "
            "written with pandas.crosstab; timed at small sizes only. The paper has neither.",
            "Growth exponent: slope of log seconds against log size; 1 is linear, 2 quadratic.",
        ],
        data=data,
        data_columns=["axis", "size", "method", "label", "seconds"],
    )


def _slower_than_dilca(records: pd.DataFrame) -> str:
    """How often the slower DILCA variant beats each competitor, as a clause."""
    parts = []
    for rival in ("delta", "limbo", "rock"):
        held, total = faster(records, ("dilca_m", "dilca_rr"), rival)
        parts.append(f"{METHODS[rival]} at {held} of {total} sizes")
    return ", ".join(parts)


def faster(
    records: pd.DataFrame,
    methods: Iterable[str],
    rival: str,
    axes: Sequence[str] = ("instances", "attributes"),
) -> tuple[int, int]:
    """Number of sizes at which all of `methods` take less time than `rival`, and of all sizes."""
    pairs = [
        (max(one[method] for method in methods), one[rival])
        for axis in axes
        for one in totals(records, axis).values()
        if rival in one
    ]
    return sum(ours < theirs for ours, theirs in pairs), len(pairs)


def _sizes(records: pd.DataFrame, axis: str) -> str:
    """What is held fixed on an axis."""
    rows = records[records["axis"] == axis]
    fixed = "attributes" if AXES[axis] == "objects" else "objects"
    return f"{int(rows[fixed].iloc[0]):,} {fixed}, {int(rows['values'].iloc[0])} values each"


def seconds_text(seconds: float) -> str:
    """Seconds with three significant digits."""
    return f"{seconds:.{max(0, 2 - math.floor(math.log10(seconds)))}f}" if seconds > 0 else "0"


def phases(job: Job, cells: pd.DataFrame) -> Sheet:
    """Seconds of the parts of a hierarchical clustering: Fig. 16."""
    records = job.records("scalability")
    data, rows = [], []
    table = phase_times(records, "instances")
    for size, seconds in table.items():
        total = seconds["values.dilca_m"] + seconds["objects"] + seconds["dendrogram"]
        rows.append(
            {
                "size": f"{size:,}",
                **{phase: seconds_text(seconds[phase]) for phase in PHASES},
                "share": number(seconds["values.dilca_m"] / total, 1, 100),
            }
        )
        data += [
            {"size": size, "phase": phase, "label": label, "seconds": seconds[phase]}
            for phase, label in PHASES.items()
        ]
    last = max(table)
    seconds = table[last]
    ratio = seconds["values.delta"] / max(seconds["values.dilca_m"], seconds["values.dilca_rr"])
    order = sorted(PHASES, key=lambda phase: -seconds[phase])
    return Sheet(
        name=f"{job.paper}-{job.artefact}",
        title=f"{job.label}: seconds of the phases",
        caption=(
            f"At {last:,} objects the phases take, longest first: "
            f"{', '.join(f'{PHASES[p]} {seconds_text(seconds[p])} s' for p in order)}. Learning "
            f"by DELTA takes {ratio:.1f} times as long as by the slower DILCA variant. The paper "
            "draws curves and prints no number; it does not say what its horizontal axis is, ours "
            "is the number of objects."
        ),
        columns=[
            Column("size", "objects"),
            *(Column(phase, label) for phase, label in PHASES.items()),
            Column("share", "DILCA_M's learning, % of its total"),
        ],
        rows=rows,
        legend=[
            MACHINE,
            f"{_sizes(records, 'instances')}. Value distances include the counts, the only scan "
            "of the data. Distances of objects and dendrogram are measured on those of DILCA_M; "
            "they are the same code for all three.",
        ],
        data=data,
        data_columns=["size", "phase", "label", "seconds"],
    )


def cost(job: Job, cells: pd.DataFrame) -> Sheet:
    """Seconds and memory of single methods on one data set."""
    from replication.verdicts import MARKS, NOT_RUN

    records = job.records("mushroom_cost")
    ran = records[records["status"] == "ok"].to_dict("records")
    rows = [
        {
            "method": METHODS[one["method"]],
            "setting": one["setting"],
            "seconds": seconds_text(one["seconds"]),
            "range": f"{seconds_text(one['fastest'])} to {seconds_text(one['slowest'])}",
            "peak": number(one["peak_mb"], 0),
            "base": number(one["base_mb"], 0),
        }
        for one in ran
    ]
    said = "; ".join(
        f"{row['method']} {row['setting']} {row['seconds']} s and {row['peak']} MiB" for row in rows
    )
    sizes = f"{ran[0]['objects']} objects, {ran[0]['attributes']} attributes" if ran else ""
    return Sheet(
        name=f"{job.paper}-{job.artefact}",
        title=f"{job.label}: ROCK and LIMBO",
        caption=f"{sizes}: {said}." if ran else f"{MARKS[NOT_RUN]} not run with this effort.",
        columns=[
            Column("method", "Method", text=True),
            Column("setting", "setting", text=True),
            Column("seconds", "seconds"),
            Column("range", "fastest to slowest"),
            Column("peak", "peak MiB"),
            Column("base", "of it before the run, MiB"),
        ],
        rows=rows,
        legend=[
            MACHINE,
            "Peak: highest resident memory of a process that does nothing else, with the "
            "interpreter, the compiled code and the table.",
        ],
        data=ran,
        data_columns=[
            *("method", "setting", "objects", "attributes", "seconds", "fastest", "slowest"),
            *("wall", "repeats", "base_mb", "peak_mb"),
        ],
    )
