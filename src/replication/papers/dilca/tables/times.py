"""Seconds and memory of DILCA and its competitors: Figs 14 and 16, and the cost on Mushroom."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from replication.judge.times import HOW, MARGIN, Seconds, power, seconds_text
from replication.papers.dilca.records import DILCA
from replication.papers.dilca.times import AXES, METHODS, PHASES, compared, ratios, times
from replication.show.job import Job
from replication.show.kinds import cost_table
from replication.show.sheet import Cell, Column, Sheet, across, number, pivot, words

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
    data = [
        {"axis": axis, "size": size, "method": method, "label": METHODS[method]}
        | {"seconds": found[method].least, "slowest": found[method].largest}
        for axis in PARTS
        for size, found in times(records, axis).items()
        for method in METHODS
        if method in found
    ]
    columns = [
        Column("part", "Part", text=True, of=lambda one: PARTS[one["axis"]]),
        Column("size", "size", digits=","),
        *across("method", METHODS, of="seconds", digits=seconds_text),
    ]
    exponents = [
        {"part": Cell(f"growth exponent, {PARTS[axis][:3]}"), **_growth(times(records, axis))}
        for axis in ("instances", "attributes")
    ]
    fixed = {axis: _fixed(records, axis) for axis in PARTS}
    beside = "; ".join(_beside_dilca(records, rival) for rival in ("delta", "limbo", "rock"))
    return Sheet.of(
        job,
        "seconds against objects and attributes",
        "Seconds from coded data to clusters, all phases together; the paper draws curves and "
        f"prints no number. DILCA, either variant at every size, beside {beside} (ratio below "
        f"{MARGIN:g} or within the repetitions; DELTA differs by the learning of value distances "
        "alone, which is what is compared with it).",
        columns,
        data,
        rows=[*pivot(columns, data, ["axis", "size"]), *exponents],
        legend=[
            COMPILED,
            f"(a): {fixed['instances']}. (b): {fixed['attributes']}. more attributes: "
            f"{fixed['beyond']}. more objects: {fixed['long']}; counts and value distances only, "
            "on rows drawn with replacement.",
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
    timed = {name: {n: one[name] for n, one in table.items() if name in one} for name in METHODS}
    return {name: Cell(str(power(sizes))) for name, sizes in timed.items() if len(sizes) > 1}


def _beside_dilca(records: pd.DataFrame, rival: str) -> str:
    """How often DILCA, in both variants, takes less time than a competitor."""
    answers = [*compared(records, rival).values()]
    return (
        f"{METHODS[rival]}: {answers.count(True)} of {len(answers)} faster, "
        f"{answers.count(None)} cannot be told"
    )


def _fixed(records: pd.DataFrame, axis: str) -> str:
    """What is held fixed on an axis."""
    row = records[records["axis"] == axis].iloc[0]
    fixed = "attributes" if AXES[axis] == "objects" else "objects"
    return f"{int(row[fixed]):,} {fixed}, {int(row['values'])} values each"


def phases(job: Job, cells: pd.DataFrame) -> Sheet:
    """Seconds of the parts of a hierarchical clustering: Fig. 16."""
    records = job.records("scalability")
    table = times(records, "instances")
    data = [
        {"size": size, "phase": phase, "label": label}
        | {"seconds": found[phase].least, "slowest": found[phase].largest}
        for size, found in table.items()
        for phase, label in PHASES.items()
    ]

    def share(one: Mapping[str, Any]) -> float:
        found = table[one["size"]]
        parts = [found[name].least for name in ("values.dilca_m", "objects", "dendrogram")]
        return parts[0] / sum(parts)

    last = max(table)
    seconds = {phase: table[last][phase].least for phase in PHASES}
    ratio = min(ratios([table[last]], "values.delta", [f"values.{one}" for one in DILCA]))
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
            *across("phase", PHASES, of="seconds", digits=seconds_text),
            Column("share", "DILCA_M's learning, % of its total", of=share, digits=1, scale=100),
        ],
        data,
        by=["size"],
        legend=[
            COMPILED,
            f"{_fixed(records, 'instances')}. Value distances include the counts, the only scan "
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
    return cost_table(
        job,
        "ROCK and LIMBO",
        f"{ran[0]['objects']} objects, {ran[0]['attributes']} attributes: {said}.",
        "mushroom_cost",
        METHODS,
        [COMPILED],
        settings=words(setting="setting"),
    )
