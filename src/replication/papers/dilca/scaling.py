"""Tables of measured times: Figs 14 and 16, and the cost on Mushroom. Times belong to a machine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from replication.judge.times import (
    HOW,
    HOW_MEMORY,
    MARGIN,
    Seconds,
    faster,
    power,
    range_text,
    seconds_text,
)
from replication.show.job import Job
from replication.show.sheet import Column, Sheet, number

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

COMPILED = f"{HOW} They are not comparable with other hardware."


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


def scalability(job: Job, cells: pd.DataFrame) -> Sheet:
    """Seconds of whole methods against objects and attributes: Fig. 14."""
    records = job.records("scalability")
    data, rows, growth = [], [], {}
    for axis, part in PARTS.items():
        table = totals(records, axis)
        for size, times in table.items():
            row = {"part": part, "size": f"{size:,}"}
            for method in METHODS:
                if method not in times:
                    continue
                row[method] = seconds_text(times[method].least)
                data.append(
                    {
                        "axis": axis,
                        "size": size,
                        "method": method,
                        "label": METHODS[method],
                        "seconds": times[method].least,
                        "slowest": times[method].largest,
                    }
                )
            rows.append(row)
        if axis not in ("instances", "attributes"):
            continue
        for method in METHODS:
            by_size = {size: one[method] for size, one in table.items() if method in one}
            if len(by_size) > 1:
                growth[axis, method] = power(by_size)
    return Sheet(
        name=f"{job.paper}-{job.artefact}",
        title=f"{job.label}: seconds against objects and attributes",
        caption=(
            "Seconds from coded data to clusters, all phases together; the paper draws curves and "
            f"prints no number. {_beside_dilca(records)}"
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
                        method: str(value)
                        for (where, method), value in growth.items()
                        if where == axis
                    },
                }
                for axis in ("instances", "attributes")
            ),
        ],
        legend=[
            COMPILED,
            f"(a): {_sizes(records, 'instances')}. (b): {_sizes(records, 'attributes')}. more "
            f"attributes: {_sizes(records, 'beyond')}. more objects: {_sizes(records, 'long')}; "
            "counts and value distances only, on rows drawn with replacement.",
            "Synthetic classes of our own generator; the authors' is gone. sigma, theta and phi "
            "are 0, the worst case of the paper.",
            "one-hot Ward: scikit-learn on indicator columns. plain DILCA_M: value distances only, "
            "written with pandas.crosstab; timed at small sizes only. The paper has neither.",
            "Growth exponent: slope of log seconds against log size, between the bounds that the "
            "repetitions leave; 1 is linear, 2 quadratic.",
        ],
        data=data,
        data_columns=["axis", "size", "method", "label", "seconds", "slowest"],
    )


def _beside_dilca(records: pd.DataFrame) -> str:
    """How often DILCA, in both variants, takes less time than each competitor."""
    parts = []
    for rival in ("delta", "limbo", "rock"):
        answers = compared(records, rival)
        told = [one for one in answers if one is not None]
        parts.append(
            f"{METHODS[rival]}: {sum(told)} of {len(answers)} faster, "
            f"{len(answers) - len(told)} cannot be told"
        )
    return (
        f"DILCA, either variant at every size, beside {'; '.join(parts)} (ratio below {MARGIN:g} "
        "or within the repetitions; DELTA differs by the learning of value distances alone, which "
        "is what is compared with it)."
    )


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


def _sizes(records: pd.DataFrame, axis: str) -> str:
    """What is held fixed on an axis."""
    rows = records[records["axis"] == axis]
    fixed = "attributes" if AXES[axis] == "objects" else "objects"
    return f"{int(rows[fixed].iloc[0]):,} {fixed}, {int(rows['values'].iloc[0])} values each"


def phases(job: Job, cells: pd.DataFrame) -> Sheet:
    """Seconds of the parts of a hierarchical clustering: Fig. 16."""
    records = job.records("scalability")
    data, rows = [], []
    table = phase_times(records, "instances")
    for size, times in table.items():
        learning = times["values.dilca_m"].least
        total = learning + times["objects"].least + times["dendrogram"].least
        rows.append(
            {
                "size": f"{size:,}",
                **{phase: seconds_text(times[phase].least) for phase in PHASES},
                "share": number(learning / total, 1, 100),
            }
        )
        data += [
            {
                "size": size,
                "phase": phase,
                "label": label,
                "seconds": times[phase].least,
                "slowest": times[phase].largest,
            }
            for phase, label in PHASES.items()
        ]
    last = max(table)
    seconds = {phase: one.least for phase, one in table[last].items()}
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
            COMPILED,
            f"{_sizes(records, 'instances')}. Value distances include the counts, the only scan "
            "of the data. Distances of objects and dendrogram are measured on those of DILCA_M; "
            "they are the same code for all three.",
        ],
        data=data,
        data_columns=["size", "phase", "label", "seconds", "slowest"],
    )


def cost(job: Job, cells: pd.DataFrame) -> Sheet:
    """Seconds and memory of single methods on one data set."""
    from replication.judge.verdicts import MARKS, NOT_RUN

    records = job.records("mushroom_cost")
    ran = records[records["status"] == "ok"].to_dict("records")
    rows = [
        {
            "method": METHODS[one["method"]],
            "setting": one["setting"],
            "seconds": seconds_text(one["seconds"]),
            "range": range_text(one),
            "peak": number(one["peak_mib"], 0),
            "before": number(one["before_mib"], 0),
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
            Column("range", "least to largest"),
            Column("before", "before", "memory, MiB"),
            Column("peak", "peak", "memory, MiB"),
        ],
        rows=rows,
        legend=[
            COMPILED,
            HOW_MEMORY,
        ],
        data=ran,
        data_columns=[
            *("method", "setting", "objects", "attributes", "seconds", "slowest", "repeats"),
            *("before_mib", "peak_mib"),
        ],
    )
