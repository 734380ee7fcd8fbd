"""Tables of DILCA by setting and by size: Figs 12 to 14 and 16, numbers in the text, costs."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import pandas as pd

from replication.judge.cells import NO_DATASET, Ours, counting, listed, not_run_lines, reasons
from replication.judge.claims import EQUAL
from replication.judge.times import HOW, MARGIN, power, seconds_text
from replication.judge.verdicts import Reproduced
from replication.papers.dilca.records import (
    ALGORITHMS,
    COUNTED,
    DILCA,
    FIXED,
    MARK_LEGEND,
    PURITY_COLUMNS,
    SCORES,
    ends,
    in_file_order,
    in_order_of,
    made_tables,
    pick,
)
from replication.papers.dilca.times import AXES, METHODS, PHASES, compared, ratios, times
from replication.show.job import Job
from replication.show.kinds import cost_table, number_table
from replication.show.sheet import (
    Cell,
    Column,
    Sheet,
    across,
    grouped,
    judged_cell,
    number,
    pivot,
    words,
)
from replication.steps import OK, setting_text

INDICES = {"eq5": "purity, eq. (5)", "inverse": "inverse purity", "nmi": "NMI", "ari": "ARI"}
"""Two kinds of purity (keys of `PURITY_COLUMNS`) and the other `SCORES`, with their headings."""
CURVES = {"eq5": "Purity, eq. (5)", "inverse": "Inverse purity", "nmi": "NMI"}
"""Scores of Figs 12 and 13."""
MIN_RANGE = 0.05
"""Least range over sigma of a curve that the paper plots in Fig. 12."""


def _swept(job: Job) -> tuple[pd.DataFrame, dict[str, str]]:
    """Return `INDICES` by setting, and why data sets are absent.

    They are of the first sample in file order, and means over the tables of generated data sets.
    """
    columns = {PURITY_COLUMNS.get(one) or SCORES[one].column(job): one for one in INDICES}
    keys = ["dataset", "method", "setting"]
    used = [*keys, "reading", "sample", "order", "status", "reason", *columns]
    records = job.frame("trials").reindex(columns=used)
    failed = records[records["status"] != OK]
    absent = {job.printed(name): why for name, why in job.left_out.items()}
    absent |= dict(zip(failed["dataset"].map(job.printed), failed["reason"], strict=True))
    first = in_file_order(
        records[(records["reading"] == job.readings[0]) & (records["sample"] == 0)]
    )
    tables = made_tables(job)
    if len(tables):
        made = tables[(tables["variant"] == COUNTED) & (tables["stated"] == True)]  # noqa: E712
        made = made[made["method"].isin([*job.methods]) & made["dataset"].isin([*job.datasets])]
        mean = made.groupby(keys, sort=False)[[*columns]].mean().reset_index()
        kept = ~first["dataset"].isin(made["dataset"].unique())
        first = pd.concat([first[kept], mean.dropna(subset="setting")])
    scores = in_order_of(first.rename(columns=columns), [*job.datasets, *job.methods], *keys)
    return scores[[*keys, *INDICES]], absent


def _ranges(job: Job, scores: pd.DataFrame) -> list[dict[str, Any]]:
    """Return lowest and highest score, their difference, and the best settings."""
    return [
        {"dataset": dataset, "printed_name": job.printed(dataset), "method": method}
        | {"label": job.methods[method]["label"], "parameter": parameter, "index": index}
        | {"low": low, "high": high, "range": high - low, "settings": len(rows)}
        | {"best": " ".join(map(setting_text, rows.loc[rows[index] >= high - EQUAL, "setting"]))}
        for (dataset, method), rows in scores.groupby(["dataset", "method"], sort=False)
        for parameter in job.methods[method]["grid"]
        for index in INDICES
        for low, high in [(float(rows[index].min()), float(rows[index].max()))]
    ]


def _how(job: Job) -> str:
    """Say of which tables the scores by setting are."""
    tables = made_tables(job)
    samples = tables.loc[tables["variant"] == COUNTED, "sample"].nunique() if len(tables) else 0
    return f"means over {samples} generated tables" if samples else "in file order"


def sigma_curves(job: Job, cells: pd.DataFrame) -> Sheet:
    """Build Figs 12 and 13: purity and NMI against sigma. The paper prints no numbers here."""
    (method,) = job.methods.values()
    scores, absent = _swept(job)
    # rounding may put a difference that equals the limit just below it
    ranges = [
        one | {"plotted": one["range"] >= MIN_RANGE - EQUAL}
        for one in _ranges(job, scores)
        if one["index"] in CURVES
    ]
    plotted = {(one["dataset"], one["index"]): one["plotted"] for one in ranges}
    varying = Counter(one["index"] for one in ranges if one["plotted"])
    caption = f"Not run: {NO_DATASET}."
    if ranges:
        caption = (
            f"Lowest and highest score of {method['label']} over {scores['setting'].nunique()} "
            f"values of sigma, {_how(job)}, {job.readings[0]} reading. Of "
            f"{scores['dataset'].nunique()} data sets {varying['eq5']} vary by {MIN_RANGE:g} or "
            f"more in purity (eq. 5), {varying['inverse']} in inverse purity, {varying['nmi']} in "
            "NMI. Picking the best sigma from such curves needs the class labels. The "
            "paper draws its curves and prints no number, so there are no verdicts."
        )

    columns = [
        Column("dataset", "Data set", text=True, of="printed_name"),
        *grouped(
            "index",
            CURVES,
            [
                Column("low", "low", digits=4),
                Column("high", "high", digits=4),
                Column(
                    "range",
                    "range",
                    of=lambda one: Cell(one["range"], 4, sign=" *" * one["plotted"]),
                ),
            ],
        ),
    ]
    return Sheet.of(
        job,
        "how much sigma matters",
        caption,
        columns,
        [
            {"dataset": one["dataset"], "printed_name": job.printed(one["dataset"])}
            | {"sigma": one["setting"]}
            | {key: one[key] for key in CURVES}
            | {f"{key}_plotted": plotted[one["dataset"], key] for key in CURVES}
            for one in scores.to_dict("records")
        ],
        rows=pivot(columns, ranges, ["dataset"]),
        legend=[
            f"Star: a range of at least {MIN_RANGE:g}; by its rule the paper plots these curves.",
            *not_run_lines(absent),
        ],
    )


def sensitivity(job: Job, cells: pd.DataFrame) -> Sheet:
    """Build the table of ranges of every score over the settings, with the best settings."""
    scores, absent = _swept(job)
    data = _ranges(job, scores)
    frame = pd.DataFrame(data, columns=["label", "index", "range"])
    means = frame[frame["index"] == "nmi"].groupby("label", sort=False)["range"].mean()
    said = ", ".join(f"{label} {number(mean, 3)}" for label, mean in means.items())
    range_of = Column("range", "range", digits=3)
    best_of = Column("best", "best", of=lambda one: ends(one["best"].split()))
    return Sheet.of(
        job,
        "ranges of the scores",
        f"Highest less lowest score over the settings, file order, {job.readings[0]} reading. Mean "
        f"range of NMI: {said}.",
        [
            Column("dataset", "Data set", text=True, of="printed_name"),
            Column("method", "Method", text=True, of="label"),
            Column("parameter", "parameter", text=True),
            *grouped("index", INDICES, [range_of, best_of]),
        ],
        data,
        by=["dataset", "method"],
        legend=[
            "best: settings with the highest score; a dash joins the first and the last of "
            "several. Choosing them needs the class labels.",
            *not_run_lines(absent),
        ],
    )


def text_numbers(job: Job, cells: pd.DataFrame) -> Sheet:
    """Build the table of the numbers that section 5.5 states outside its tables."""
    absent = next(iter(job.left_out.values()), "")
    computed = {
        "datasets_where_best": _where_best,
        "best_sigma_above": _best_sigma,
        "max_instances_processed": _largest_rock,
    }

    def ours(cell: Mapping[str, str], reading: str) -> Ours:
        every = cell["metric"] != "max_instances_processed"
        how: dict[str, Any] = {"oracle": reading != FIXED and every, "more": {"note": cell["note"]}}
        if every and absent:
            return Ours(absent, reason=absent, **how)
        value, said = computed[cell["metric"]](job, reading)
        return Ours(Reproduced(float(value)), reason=said, **how)

    data = job.judged(
        cells,
        ours,
        lambda cell: [job.readings[0], *([FIXED] * (cell["metric"] == "datasets_where_best"))],
    )
    name = Column("metric", "Number", text=True, of=lambda one: one["metric"].replace("_", " "))
    return number_table(
        job,
        "numbers in the text",
        f"Numbers that stand in no table; {counting(data)}.",
        data,
        [name, *words(reading="reading")],
        judged_cell,
        words(reason="how it is counted"),
        legend=[MARK_LEGEND, *reasons(cells, data)],
        data_columns=[
            *("metric", "reading", "oracle", "printed", "reproduced", "verdict", "difference"),
            *("reason", "note"),
        ],
    )


def _where_best(job: Job, reading: str) -> tuple[float, str]:
    """Count data sets on which DILCA is best; under `FIXED` others keep their only pipeline."""
    won = 0
    for dataset in job.datasets:
        picked = {
            name: pick(job, dataset, name, reading if method["fixed"] else job.readings[0])
            for name, method in job.methods.items()
        }
        for column in (SCORES[index].column(job) for index in ("nmi", "ari")):
            # rounded to four digits, as printed
            ours, rivals = (
                max(round(picked[name].reproduced(column).number, 4) for name in names)
                for names in (DILCA, ALGORITHMS)
            )
            if ours >= rivals:
                won += 1
                break
    said = (
        f"of {len(job.datasets)} data sets, ours of SynA to SynD and of Adult among them: the "
        "better variant is best or tied in NMI or ARI against ROCK, LIMBO and DELTA"
    )
    return won, said + ("; sigma, theta and phi fixed, no labels used" if reading == FIXED else "")


def _best_sigma(job: Job, reading: str) -> tuple[float, str]:
    """Return the smallest best sigma by NMI; of several on a data set the largest counts."""
    scores, _ = _swept(job)
    best = {
        one["printed_name"]: float(one["best"].split()[-1])
        for one in _ranges(job, scores[scores["method"] == "dilca_m"])
        if one["index"] == "nmi" and one["range"] > EQUAL
    }
    above = [name for name, sigma in best.items() if sigma > 0.5]
    return min(best.values()), (
        f"smallest best sigma of {job.methods['dilca_m']['label']} by NMI over the {len(best)} "
        f"data sets where sigma changes NMI; above 0.5 on {len(above)}: {listed(above)}"
    )


def _largest_rock(job: Job, reading: str) -> tuple[float, str]:
    """Return the largest number of objects that our ROCK clustered."""
    table = times(job.records("scalability"), "instances")
    largest = max(size for size, one in table.items() if "rock" in one)
    # in rough words, because runs differ in their times and this text is compared
    limits = {60: "less than a minute", 3600: "less than an hour"}
    taken = table[largest]["rock"].least
    within = next((said for most, said in limits.items() if taken < most), "more than an hour")
    return largest, f"our ROCK clusters {largest:,} objects in {within}; more was not tried"


PARTS = {
    "instances": "(a) objects",
    "attributes": "(b) attributes",
    "beyond": "more attributes",
    "long": "more objects, value distances only",
}

COMPILED = f"{HOW} They are not comparable with other hardware."


def scalability(job: Job, cells: pd.DataFrame) -> Sheet:
    """Build Fig. 14: seconds of whole methods against objects and attributes."""
    records = job.records("scalability")
    shapes = {axis: rows.set_index(AXES[axis]) for axis, rows in records.groupby("axis")}
    data = [
        {"axis": axis, "size": size, "method": method, "label": METHODS[method]}
        | {"values": int(shapes[axis].loc[[size], "values"].iloc[0])}
        | {"seconds": found[method].least, "slowest": found[method].largest}
        for axis in PARTS
        for size, found in times(records, axis).items()
        for method in METHODS
        if method in found
    ]
    columns = [
        Column("part", "Part", text=True, of=lambda one: PARTS[one["axis"]]),
        Column("size", "size", digits=","),
        Column("values", "values each"),
        *across("method", METHODS, of="seconds", digits=seconds_text),
    ]
    exponents = [
        {"part": f"growth exponent, {PARTS[axis][:3]}"}
        | {
            name: str(power({size: one[name] for size, one in table.items() if name in one}))
            for name in METHODS
            if sum(name in one for one in table.values()) > 1
        }
        for axis in ("instances", "attributes")
        for table in [times(records, axis)]
    ]
    attributes, objects = (
        int(shapes[axis][fixed].iloc[0])
        for axis, fixed in (("instances", "attributes"), ("attributes", "objects"))
    )
    compared_with = "; ".join(
        f"{METHODS[rival]}: {answers.count(True)} of {len(answers)} faster, "
        f"{answers.count(None)} undecided"
        for rival in ("delta", "limbo", "rock")
        for answers in [[*compared(records, rival).values()]]
    )
    return Sheet.of(
        job,
        "seconds against objects and attributes",
        "Seconds from coded data to clusters, all phases together; the paper draws curves and "
        f"prints no number. DILCA, either variant at every size, against {compared_with} "
        f"(undecided: ratio below {MARGIN:g} or within the repetitions; of DELTA the learning of "
        "value distances is compared, the only part that differs).",
        columns,
        data,
        rows=[*pivot(columns, data, ["axis", "size"]), *exponents],
        legend=[
            COMPILED,
            f"(a) and more objects: {attributes:,} attributes. (b) and more attributes: "
            f"{objects:,} objects. More objects: counts and value distances only, on rows drawn "
            "with replacement. More attributes have fewer values each: no growth can be read off.",
            "Synthetic classes of our own: times depend on the sizes, hardly on the values. sigma, "
            "theta and phi are 0, the worst case of the paper.",
            "one-hot Ward: scikit-learn on indicator columns. plain DILCA_M: value distances only, "
            "written with pandas.crosstab; timed at small sizes only. The paper has neither.",
            "Growth exponent: slope of log seconds against log size, between the bounds that the "
            "repetitions leave; 1 is linear, 2 quadratic.",
        ],
    )


def phases(job: Job, cells: pd.DataFrame) -> Sheet:
    """Build Fig. 16: seconds of the phases of DILCA and DELTA."""
    table = times(job.records("scalability"), "instances")
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
    longest = sorted(PHASES, key=lambda phase: -seconds[phase])
    return Sheet.of(
        job,
        "seconds of the phases",
        f"At {last:,} objects the phases take, longest first: "
        f"{', '.join(f'{PHASES[p]} {seconds_text(seconds[p])} s' for p in longest)}. Learning "
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
            "Tables of Fig. 14 (a). Value distances include the counts, the only scan "
            "of the data. Distances of objects and dendrogram are measured on those of DILCA_M; "
            "they are the same code for all three.",
        ],
    )


def cost(job: Job, cells: pd.DataFrame) -> Sheet:
    """Build the table of seconds and memory of single methods on one data set."""
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
