"""Tables of measured times: Figs 14 and 16, and the cost on Mushroom. Times belong to a machine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from replication.judge.times import HOW, HOW_MEMORY, MARGIN, Seconds, power, seconds_text
from replication.judge.verdicts import MARKS, NOT_RUN
from replication.papers.dilca.analysis_times import (
    AXES,
    METHODS,
    PHASES,
    compared,
    phase_times,
    totals,
)
from replication.show.job import Job
from replication.show.kinds import COST, COST_DATA
from replication.show.sheet import Cell, Column, Sheet, number, pivot

if TYPE_CHECKING:
    import pandas as pd

PARTS = {
    "instances": "(a) objects",
    "attributes": "(b) attributes",
    "beyond": "more attributes",
    "long": "more objects, value distances only",
}

COMPILED = f"{HOW} They are not comparable with other hardware."


def scalability(job: Job, cells: pd.DataFrame) -> Sheet:
    """Seconds of whole methods against objects and attributes: Fig. 14."""
    records = job.records("scalability")
    tables = {axis: totals(records, axis) for axis in PARTS}
    data = [
        {"axis": axis, "size": size, "method": method, "label": METHODS[method]}
        | {"seconds": times[method].least, "slowest": times[method].largest}
        for axis, table in tables.items()
        for size, times in table.items()
        for method in METHODS
        if method in times
    ]
    columns = [
        Column("part", "Part", text=True, of=lambda one: PARTS[one["axis"]]),
        Column("size", "size", digits=","),
        *(
            Column(method, label, of="seconds", digits=seconds_text, where={"method": method})
            for method, label in METHODS.items()
        ),
    ]
    growth = [
        {"part": Cell(f"growth exponent, {PARTS[axis][:3]}")} | _growth(tables[axis])
        for axis in ("instances", "attributes")
    ]
    return Sheet.of(
        job,
        "seconds against objects and attributes",
        "Seconds from coded data to clusters, all phases together; the paper draws curves and "
        f"prints no number. {_beside_dilca(records)}",
        columns,
        data,
        rows=[*pivot(columns, data, ["axis", "size"]), *growth],
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
    )


def _growth(table: Mapping[int, Mapping[str, Seconds]]) -> dict[str, Cell]:
    """Growth exponents of the methods that were timed at several sizes."""
    found = {}
    for method in METHODS:
        by_size = {size: times[method] for size, times in table.items() if method in times}
        if len(by_size) > 1:
            found[method] = Cell(str(power(by_size)))
    return found


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


def _sizes(records: pd.DataFrame, axis: str) -> str:
    """What is held fixed on an axis."""
    rows = records[records["axis"] == axis]
    fixed = "attributes" if AXES[axis] == "objects" else "objects"
    return f"{int(rows[fixed].iloc[0]):,} {fixed}, {int(rows['values'].iloc[0])} values each"


def phases(job: Job, cells: pd.DataFrame) -> Sheet:
    """Seconds of the parts of a hierarchical clustering: Fig. 16."""
    records = job.records("scalability")
    table = phase_times(records, "instances")
    data = [
        {"size": size, "phase": phase, "label": label}
        | {"seconds": times[phase].least, "slowest": times[phase].largest}
        for size, times in table.items()
        for phase, label in PHASES.items()
    ]

    def share(one: Mapping[str, Any]) -> float:
        parts = ("values.dilca_m", "objects", "dendrogram")
        learning, *others = (table[one["size"]][phase].least for phase in parts)
        return learning / sum(others, learning)

    last = max(table)
    seconds = {phase: one.least for phase, one in table[last].items()}
    ratio = seconds["values.delta"] / max(seconds["values.dilca_m"], seconds["values.dilca_rr"])
    order = sorted(PHASES, key=lambda phase: -seconds[phase])
    return Sheet.of(
        job,
        "seconds of the phases",
        f"At {last:,} objects the phases take, longest first: "
        f"{', '.join(f'{PHASES[p]} {seconds_text(seconds[p])} s' for p in order)}. Learning "
        f"by DELTA takes {ratio:.1f} times as long as by the slower DILCA variant. The paper "
        "draws curves and prints no number; it does not say what its horizontal axis is, ours "
        "is the number of objects.",
        [
            Column("size", "objects", digits=","),
            *(
                Column(phase, label, of="seconds", digits=seconds_text, where={"phase": phase})
                for phase, label in PHASES.items()
            ),
            Column("share", "DILCA_M's learning, % of its total", of=share, digits=1, scale=100),
        ],
        data,
        by=["size"],
        legend=[
            COMPILED,
            f"{_sizes(records, 'instances')}. Value distances include the counts, the only scan "
            "of the data. Distances of objects and dendrogram are measured on those of DILCA_M; "
            "they are the same code for all three.",
        ],
    )


def cost(job: Job, cells: pd.DataFrame) -> Sheet:
    """Seconds and memory of single methods on one data set."""
    ran = job.rows("mushroom_cost")
    said = "; ".join(
        f"{METHODS[one['method']]} {one['setting']} {seconds_text(one['seconds'])} s and "
        f"{number(one['peak_mib'], 0)} MiB"
        for one in ran
    )
    sizes = f"{ran[0]['objects']} objects, {ran[0]['attributes']} attributes" if ran else ""
    return Sheet.of(
        job,
        "ROCK and LIMBO",
        f"{sizes}: {said}." if ran else f"{MARKS[NOT_RUN]} not run with this effort.",
        [
            Column("method", "Method", text=True, of=lambda one: METHODS[one["method"]]),
            Column("setting", "setting", text=True),
            *COST,
        ],
        ran,
        legend=[COMPILED, HOW_MEMORY],
        data_columns=["method", "setting", "objects", "attributes", *COST_DATA],
    )
