"""Tables of DILCA's scores: Figs 3 to 11, cells that are not exact, exact cells by preparation."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pandas as pd

from replication.judge.cells import (
    COMPARABLE,
    ORACLE,
    Ours,
    counting,
    enumerated,
    listed,
    not_run_lines,
    reasons,
)
from replication.judge.published import numbers
from replication.judge.verdicts import (
    EXACT,
    Reproduced,
    applying,
    printed_number,
    window,
    within_noise,
)
from replication.papers.dilca.records import (
    COUNTED,
    ERRORS,
    FIXED,
    MARK_LEGEND,
    NMI_COLUMNS,
    PAPER,
    PURITY_COLUMNS,
    SCORES,
    Picked,
    against_first,
    clustered,
    ends,
    gives,
    in_order_of,
    is_oracle,
    kinds_met,
    pick,
    settings_met,
)
from replication.show.job import Job
from replication.show.sheet import Cell, Column, Sheet, across, grouped, pivot
from replication.steps import setting_text

PURITY_WORDS = {
    "inverse": "inverse purity (for each class the objects in its largest cluster)",
    "eq5": "eq. (5) (for each cluster the objects of its largest class)",
    "matching": "one-to-one matching of clusters and classes",
}
KIND_WORDS = {
    "inverse": "inverse purity",
    "eq5": "eq. (5)",
    "matching": "the best one-to-one matching of clusters and classes",
}
BESIDE_WORDS = {
    "at_least": (
        "≥ theta",
        "its own paper defines it: a similarity of exactly theta makes two objects neighbours, and "
        "a merged cluster takes the place of the earlier one",
    )
}
"""Heading and meaning of the readings that only single methods have."""
KINDS: dict[str, dict[str, str]] = {
    "purity": PURITY_COLUMNS,
    "nmi": {name: name for name in (NMI_COLUMNS["arithmetic"], NMI_COLUMNS["max"])},
    "ari": {},
}
"""Columns of the other definitions of each score."""


def quality(job: Job, cells: pd.DataFrame) -> Sheet:
    """Build Figs 3 to 11: purity, NMI or ARI by data set and method.

    Readings are those of the specification, those that the configuration adds for single methods
    (``beside``), and ``fixed``: the first reading at the method's fixed setting, which needs no
    class labels.
    """
    index, first = job.need("score"), job.readings[0]
    score, purity = SCORES[index], index == "purity"

    def ours(cell: Mapping[str, str], reading: str) -> Ours:
        picked = pick(job, cell["dataset_id"], cell["method_id"], reading)

        def differs(verdict: str) -> str:
            ways = _other_ways(job, cell, picked, reading)
            return "; ".join(filter(None, [*ways, against_first(first, verdict)]))

        more: dict[str, Any] = {
            **{kind: picked.reproduced(name).value for kind, name in KINDS[index].items()},
            **{"compared": score.column(job, reading), "label_cuts": picked.label_cuts},
            "settings": picked.settings,
        }
        if purity and not picked.absent:
            more["any_kind"] = bool(kinds_met(cell["printed"], picked))
        made = picked.ours(job, cell, reading, **more)
        return replace(made, if_differs=differs, reason=seeds_said(job, cell, reading, made))

    def readings(cell: Mapping[str, str]) -> list[str]:
        method = job.methods[cell["method_id"]]
        return [*job.readings, *method.get("beside", ()), *([FIXED] if method["fixed"] else [])]

    data = job.judged(cells, ours, readings)
    labels = enumerated([method["label"] for method in job.methods.values()])
    unit = " in %" if score.scale == 100 else ""
    said = counting(one for one in data if one["reading"] == first)
    columns = [
        column for method in job.methods.items() for column in _columns_of(job, index, *method)
    ]
    return Sheet.of(
        job,
        f"{score.name} of {labels}",
        f"{score.name}{unit} of as many clusters as there are classes: as printed, and ours. "
        f"Under the {first} reading, {said}.",
        [Column("dataset", "Data set", text=True, of="printed_name"), *columns],
        data,
        by=["dataset"],
        legend=[MARK_LEGEND, *_legend(job, data if purity else []), *reasons(cells, data)],
        data_columns=[
            *("dataset", "printed_name", "method", "label", "reading", "oracle", "label_cuts"),
            *("setting", "compared", "printed", "printed_value", "reproduced", "sd", "spread_min"),
            *("spread_max", "orders", "samples", "verdict", "difference"),
            *(*KINDS[index], *(["any_kind"] if purity else []), "reason"),
        ],
        verdicts=data,
    )


def seeds_said(job: Job, cell: Mapping[str, str], reading: str, made: Ours) -> str:
    """Say whether a printed number lies in the range over seeds of either setting, if there is one.

    The settings were chosen with the printed numbers in sight, so this is no verdict.
    """
    dataset, method = cell["dataset_id"], cell["method_id"]
    others = clustered(job, dataset, method, ERRORS)
    if reading not in (job.readings[0], FIXED) or others.empty or isinstance(made.values, str):
        return ""
    column = SCORES[cell["metric"]].column(job, reading)
    ranges = {
        COUNTED: made.values,
        ERRORS: pick(job, dataset, method, reading, ERRORS).reproduced(column),
    }
    said = (
        f"{'inside' if inside(cell['printed'], one) else 'outside'} the range over {one.runs} "
        f"tables {VARIANT_WORDS[variant]}"
        for variant, one in ranges.items()
    )
    return ", ".join(said)


def inside(printed: str, ours: Reproduced) -> bool:
    """Tell whether a printed number lies in our range, up to half a unit of its last digit."""
    return within_noise(printed_number(printed), window(printed_number(printed), ours))


VARIANT_WORDS = {COUNTED: "without errors", ERRORS: "with errors"}


def _other_ways(job: Job, cell: Mapping[str, str], picked: Picked, reading: str) -> list[str]:
    """Name other scores and settings that give the printed digits; no verdict uses them."""
    column, found = SCORES[cell["metric"]].column(job, reading), []
    where = job, cell["dataset_id"], cell["method_id"], cell["printed"]
    if cell["metric"] == "purity":
        kinds = kinds_met(cell["printed"], picked)
        found += [KIND_WORDS[kind] for kind in kinds if PURITY_COLUMNS[kind] != column]
        worse = 1 - picked.reproduced("accuracy").number
        if (picked.records["n_clusters_found"] == 2).all() and gives(cell["printed"], worse):
            found.append("the worse of the two matchings")
    found += settings_met(*where, column, reading)
    return [f"{one} gives the printed digits" for one in found]


def _columns_of(job: Job, index: str, name: str, method: Mapping[str, Any]) -> list[Column]:
    """Return the columns of one method: printed, ours, its setting, our other readings."""
    first, *others = job.readings
    group, score, where = method["label"], SCORES[index], {"method": name}
    heads = {first: "ours"} | dict.fromkeys(others, "text")
    heads |= {reading: BESIDE_WORDS[reading][0] for reading in method.get("beside", ())}
    heads |= {FIXED: text} if (text := _fixed(method)) else {}
    ours, *rest = across("reading", heads, group, name=f"{name}.{{}}", where=where, **score.shown)
    if method["select"]:
        (parameter,) = method["grid"]
        # samples may differ in their setting
        taken: dict[str, Any] = {"of": lambda one: ends(one["settings"] or [""])}
        rest.insert(0, Column(f"{name}.setting", parameter, group, **taken, where=ours.where))
    printed = Column(
        f"{name}.{PAPER}", "printed", group, of=_without_percent, where=where, main=True
    )
    return [printed, replace(ours, main=True), *rest]


def _without_percent(row: Mapping[str, Any]) -> str:
    """Return the printed text without the percent sign, which the heading has."""
    return row["printed"].rstrip("%")


def _fixed(method: Mapping[str, Any]) -> str:
    """Return the fixed setting of a method, such as ``sigma 0.5``; empty if it has none."""
    return " ".join(f"{name} {setting_text(x)}" for name, x in (method["fixed"] or {}).items())


def _legend(job: Job, purities: list[dict[str, Any]]) -> list[str]:
    """Return the lines that explain the columns; with `purities` also which purity is compared."""
    first, *others = job.readings
    methods = job.methods.values()
    chosen = [next(iter(one["grid"])) for one in methods if is_oracle(one)]
    fixed = [text for one in methods if (text := _fixed(one))]
    oracle = (
        f"{enumerated(chosen)}: chosen for the column ours with the class labels "
        "(highest eq. (5) purity, then highest NMI, then the smallest value)."
    )
    one_for_all = (
        f"{enumerated(fixed)}: the pipeline of ours with this one setting for all data sets, "
        "chosen without labels."
    )
    return [
        f"ours: the {first} reading.",
        *([oracle] if chosen else []),
        *([one_for_all] if fixed else []),
        *(
            f"{BESIDE_WORDS[reading][0]}: {method['label']} as {BESIDE_WORDS[reading][1]}."
            for method in methods
            for reading in method.get("beside", ())
        ),
        *(
            f"text: the {reading} reading, the wording of the paper taken literally; numeric "
            "attributes are discretised with the class labels."
            for reading in others
        ),
        "Brackets: lowest and highest number over row orders, and over random samples or generated "
        "tables where the number is their mean.",
        *([_purity_line(job, purities)] if purities else []),
    ]


def _purity_line(job: Job, purities: list[dict[str, Any]]) -> str:
    """State which purity is compared, and how many cells would be exact with the best of three."""
    first = job.readings[0]
    compared = "; ".join(
        f"{'ours' if reading == first else 'text'} is "
        f"{PURITY_WORDS[job.choice('dilca.purity', reading)]}"
        for reading in job.readings
    )
    judged = [one for one in purities if one["reading"] == first and one["verdict"] in COMPARABLE]
    exact = sum(one["verdict"] == EXACT for one in judged)
    return (
        f"Purity: {compared}. If every cell could take the best of three kinds (these two, and "
        f"{PURITY_WORDS['matching']}), {sum(one['any_kind'] for one in judged)} instead of {exact} "
        f"of {len(judged)} would be exact; no verdict uses this."
    )


ONE_POINT = 0.01
"""Largest difference of a number that is near the printed one: a point of purity, NMI or ARI."""
KEYS = ["dataset", "method", "metric"]

HEADS = {"purity": "purity, %", "nmi": "NMI", "ari": "ARI"}
GIVER_WORDS = {"inverse": "inverse", "eq5": "eq. (5)", "matching": "best matching"}


def unexplained(job: Job, cells: pd.DataFrame) -> Sheet:
    """Build the table of cells that are not exact, with settings and methods that would give them.

    Each number counts once, also if several figures print it. The verdicts are those of the
    figures; this table adds none.
    """
    first, ids = job.readings[0], ["dataset_id", "method_id", "metric"]
    shown = numbers(cells).drop_duplicates(ids)
    shown = in_order_of(shown, [*job.datasets, *job.methods, *SCORES], *ids)
    shown = shown[shown["dataset_id"].isin([*job.datasets])]
    printed = {
        key: dict(zip(rows["metric"], rows["printed"], strict=True))
        for key, rows in shown.groupby(ids[:2])
    }
    picked = {
        (dataset, method): pick(job, dataset, method, first)
        for dataset in job.datasets
        for method in job.methods
    }

    def ours(cell: Mapping[str, str], reading: str) -> Ours:
        return picked[cell["dataset_id"], cell["method_id"]].ours(job, cell, reading)

    data = [one for one in job.judged(shown, ours, [first]) if one["verdict"] in COMPARABLE]
    used: dict[str, int] = {}
    for one in data:
        exact = one["verdict"] == EXACT
        one["near"] = exact or abs(one["difference"]) <= ONE_POINT
        head = one["metric"] if one["metric"] == "purity" else one["metric"].upper()
        row = printed[one["dataset"], one["method"]]
        givers = [] if exact else _givers(job, row, picked, one)
        one["givers"] = "; ".join(givers)
        # words about the whole row appear once, without the name of a score
        one["said"] = [word if word.startswith("all") else f"{head}: {word}" for word in givers]
        asked = {key: one[key] for key in (*KEYS, "reading")}
        notes = [] if exact else applying(job.need("notes"), **asked)
        one["notes"] = [f"({used.setdefault(note['text'], len(used) + 1)})" for note in notes]
    others = [one for one in data if one["verdict"] != EXACT]
    total, differing = (Counter(one["method"] for one in some) for some in (data, others))
    said = ", ".join(
        f"{one['label']} {total[name] - differing[name]} of {total[name]}"
        for name, one in job.methods.items()
    )

    def of_row(key: str, gap: str) -> Callable[[Mapping[str, Any]], str]:
        """Return a function that joins the words about the cells of a row, each once."""
        words: dict[Any, dict[str, None]] = {}
        for one in others:
            words.setdefault((one["dataset"], one["method"]), {}).update(dict.fromkeys(one[key]))
        return lambda row: gap.join(words[row["dataset"], row["method"]])

    columns = [
        Column("dataset", "Data set", text=True, of="printed_name"),
        Column("method", "Method", text=True, of="label"),
        *(
            Column(f"{metric}.{key}", key, head, where={"metric": metric}, **shown)
            for metric, head in HEADS.items()
            for key, shown in (
                ("printed", {"of": _without_percent}),
                ("ours", SCORES[metric].shown),
            )
        ),
        Column("givers", "what else gives printed digits", text=True, of=of_row("said", "; ")),
        Column("notes", "notes", text=True, of=of_row("notes", " ")),
    ]
    return Sheet.of(
        job,
        f"{len(others)} of {len(data)}",
        f"{len(data) - len(others)} of {len(data)} cells are exact, "
        f"{sum(one['near'] for one in data)} within {ONE_POINT:g}, under one kind of "
        f"purity and one rule for sigma, theta and phi ({first} reading; data sets whose file "
        "and preparation are known, cells that can fail). The table lists the others.",
        columns,
        data,
        rows=pivot(columns, others, KEYS[:2]),
        legend=[
            MARK_LEGEND,
            f"Exact cells by method: {said}.",
            "What else gives the printed digits (no verdict uses it): another kind of purity, "
            "another setting, or another method whose three numbers are all printed here.",
            *(f"({i}) {text}." for text, i in used.items()),
            *not_run_lines({job.printed(name): why for name, why in job.left_out.items()}),
        ],
        data_columns=[
            *("dataset", "printed_name", "method", "label", "metric", "oracle", "setting"),
            *("printed", "reproduced", "spread_min", "spread_max", "verdict", "difference"),
            *("near", "givers", "reason"),
        ],
    )


def _givers(
    job: Job,
    printed: Mapping[str, str],
    picked: Mapping[tuple[str, str], Picked],
    one: Mapping[str, Any],
) -> list[str]:
    """Name what gives a cell that is not exact; another method must give all of its row."""
    dataset, method, metric = (one[key] for key in KEYS)
    columns = {name: score.column(job) for name, score in SCORES.items()}
    mine = kinds_met(one["printed"], picked[dataset, method]) if metric == "purity" else []
    found = [GIVER_WORDS[kind] for kind in mine]
    found += settings_met(job, dataset, method, one["printed"], columns[metric])
    others = [
        entry["label"]
        for name, entry in job.methods.items()
        if name != method
        and printed.keys() == SCORES.keys()
        and all(
            gives(text, picked[dataset, name].reproduced(columns[key]).number)
            for key, text in printed.items()
        )
    ]
    return [*found, *([f"all three numbers are ours of {', '.join(others)}"] if others else [])]


WAYS = {"bins": "ten bins", "mdl": "MDL", "mdl_or_bins": "MDL or ten bins"}
"""Preparations of the numeric attributes."""


def preparations(job: Job, cells: pd.DataFrame) -> Sheet:
    """Build the table of exact cells by method and preparation. No verdict uses it."""
    shown = numbers(cells)[["dataset_id", "method_id", "metric", "method", "printed"]]
    shown = shown.set_axis([*KEYS, "label", "printed"], axis=1).drop_duplicates(KEYS)
    columns = {score.column(job): metric for metric, score in SCORES.items()}
    used = [*KEYS[:2], "way", "setting", "label_cuts"]
    records = job.ok("preparations")[[*used, *columns]].rename(columns=columns)
    # one row per record and score
    data = (
        records.melt(used, var_name="metric", value_name="reproduced", ignore_index=False)
        .sort_index(kind="stable")
        .merge(shown, on=KEYS)
        .fillna({"setting": "", "label_cuts": ""})
    )
    data["oracle"] = (data["setting"] != "") | (data["label_cuts"] != "")
    data["exact"] = [*map(gives, data["printed"], data["reproduced"])]
    data["met"] = data.groupby([*KEYS[:2], "way"])["exact"].transform("sum").astype(str)
    by_method = in_order_of(data, [*shown["method"].unique(), *job.datasets], "method", "dataset")
    totals = by_method.pivot_table("exact", "label", "way", "sum", sort=False).reindex(
        columns=[*WAYS], fill_value=0
    )
    sizes = data.drop_duplicates(KEYS)["label"].value_counts()
    better = listed(
        f"{label} ({exact['mdl']} of {sizes[label]}, with ten bins {exact['bins']})"
        for label, exact in totals.iterrows()
        if exact["mdl"] > exact["bins"]
    )

    def ours(one: Mapping[str, Any]) -> Cell:
        score, exact = SCORES[one["metric"]], EXACT if one["exact"] else ""
        mark = ORACLE if one["oracle"] else ""
        return Cell(one["reproduced"], score.digits, score.scale, verdict=exact, aside=mark)

    metrics = {metric: metric for metric in SCORES}
    by_way = [*across("metric", metrics, of=ours), Column(EXACT, EXACT, of="met")]
    columns_shown = [
        Column("method", "Method", text=True, of="label"),
        Column("dataset", "Data set", text=True, of=lambda one: job.printed(one["dataset"])),
        *across("metric", metrics, "printed", name="printed.{}", of=_without_percent),
        *grouped("way", WAYS, by_way),
    ]
    return Sheet.of(
        job,
        "exact cells by column",
        "Exact cells of purity, NMI and ARI on the data sets with numeric attributes. "
        f"MDL gives more of them in: {better}.",
        columns_shown,
        data.to_dict("records"),
        rows=pivot(columns_shown, by_method.to_dict("records"), ["method", "dataset"]),
        legend=[
            MARK_LEGEND,
            f"exact: number of the three cells that match. {ORACLE} MDL finds the cuts with the "
            "class labels; parameters are chosen with them under every preparation. MDL or ten "
            "bins: ten bins where MDL finds no cut. ROCK has three classes on Post-operative, the "
            "others four.",
            f"Met in all, under {', '.join(WAYS.values())}: "
            + ", ".join(
                f"{label} {' '.join(str(exact[way]) for way in WAYS)}"
                for label, exact in totals.iterrows()
            )
            + ".",
        ],
        data_columns=[
            *("dataset", "method", "label", "way", "setting", "oracle", "label_cuts", "metric"),
            *("printed", "reproduced", "exact"),
        ],
    )
