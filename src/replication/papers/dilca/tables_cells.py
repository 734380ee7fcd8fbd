"""Tables of DILCA across its figures: what differs, what the text says, what settings do."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter
from statistics import fmean
from typing import Any

import pandas as pd

from replication.judge.cells import COMPARABLE, ORACLE, Ours, counting, not_run_lines, reasons
from replication.judge.claims import EQUAL, listed
from replication.judge.published import numbers
from replication.judge.verdicts import EXACT, Reproduced, applying, equals_printed, parse_printed
from replication.papers.dilca import analysis
from replication.papers.dilca.analysis import ALGORITHMS, DILCA
from replication.papers.dilca.records import (
    FIXED,
    MARK_LEGEND,
    SCORES,
    Picked,
    ends,
    in_file_order,
    is_oracle,
    kinds_met,
    methods_met,
    pick_for,
    settings_with,
    sweep,
    sweeps,
)
from replication.show.job import Job
from replication.show.kinds import number_table, without_percent
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
from replication.steps import setting_text

NEAR = 0.01
"""A number off by less than this is called near: one point of purity, NMI or ARI."""

GIVER_WORDS = {"inverse": "inverse", "eq5": "eq. (5)", "matching": "best matching"}

# --- what differs ---------------------------------------------------------------------------------


def unexplained(job: Job, cells: pd.DataFrame) -> Sheet:
    """Cells of the data sets that can be had that are not exact, and what would give them.

    A number that is printed in several figures counts once. Nothing here is a verdict: those are
    in the figures themselves.
    """
    printed: dict[tuple[str, str], dict[str, Mapping[str, str]]] = {}
    for cell in reversed(numbers(cells).to_dict("records")):
        printed.setdefault((cell["dataset_id"], cell["method_id"]), {})[cell["metric"]] = cell
    ours = {
        dataset: {
            name: pick_for(job, dataset, method, job.readings[0])
            for name, method in job.methods.items()
        }
        for dataset in job.datasets
    }
    data = []
    for dataset, method, metric in itertools.product(ours, job.methods, SCORES):
        row_printed = printed.get((dataset, method), {})
        if not (cell := row_printed.get(metric)):
            continue
        picked, score = ours[dataset][method], SCORES[metric]
        found = Ours(
            picked.reproduced(score.column(job)),
            oracle=is_oracle(job.methods[method]) or bool(picked.label_cuts),
            setting=picked.setting,
            possible=picked.possible(score),
        )
        row = job.judge(cell, found, job.readings[0])
        if row["verdict"] in COMPARABLE:
            exact = row["verdict"] == EXACT
            texts = {name: one["printed"] for name, one in row_printed.items()}
            givers = [] if exact else _givers(job, texts, ours[dataset], dataset, method, metric)
            row |= {"printed_name": cell["dataset"], "label": job.methods[method]["label"]}
            row |= {"near": "yes" if exact or abs(row["difference"]) <= NEAR else "no"}
            data.append({**row, "givers": "; ".join(givers)})
    others = [one for one in data if one["verdict"] != EXACT]
    rows, notes = _by_method(others, job.need("notes"))
    total = Counter(one["method"] for one in data)
    differing = Counter(one["method"] for one in others)
    said = ", ".join(
        f"{one['label']} {total[name] - differing[name]} of {total[name]}"
        for name, one in job.methods.items()
    )
    return Sheet.of(
        job,
        f"{len(others)} of {len(data)}",
        f"{len(data) - len(others)} of {len(data)} cells are exact, "
        f"{sum(one['near'] == 'yes' for one in data)} within {NEAR:g}, under one kind of purity "
        f"and one rule for sigma, theta and phi ({job.readings[0]} reading; data sets whose file "
        "and preparation are known, cells that can fail). These are the others.",
        [
            *words(dataset="Data set", method="Method"),
            *(
                Column(f"{metric}.{which}", which, head)
                for metric, head in (("purity", "purity, %"), ("nmi", "NMI"), ("ari", "ARI"))
                for which in ("printed", "ours")
            ),
            *words(givers="what else gives printed digits", notes="notes"),
        ],
        data,
        rows=rows,
        legend=[
            MARK_LEGEND,
            f"Exact cells by method: {said}.",
            "What else gives the printed digits is computed, never used: another kind of purity, "
            "another setting of the method, or another method whose numbers of ours are all those "
            "printed here.",
            *(f"({i}) {text}." for i, text in enumerate(notes, 1)),
            *not_run_lines({job.printed(name): why for name, why in job.left_out.items()}),
        ],
        data_columns=[
            *("dataset", "printed_name", "method", "label", "metric", "oracle", "setting"),
            *("printed", "reproduced", "spread_min", "spread_max", "verdict", "difference"),
            *("near", "givers", "reason"),
        ],
    )


def _by_method(
    data: Iterable[Mapping[str, Any]], notes: Sequence[Mapping[str, str]]
) -> tuple[list[dict[str, Any]], list[str]]:
    """One row per data set and method, with the cells that differ; and the notes they refer to."""
    rows: list[dict[str, Any]] = []
    used: dict[str, int] = {}
    for (dataset, method), group in itertools.groupby(data, itemgetter("dataset", "method")):
        row: dict[str, Any] = {}
        said: list[str] = []
        referred: dict[str, None] = {}
        for one in group:
            metric = one["metric"]
            row |= {"dataset": one["printed_name"], "method": one["label"]}
            row[f"{metric}.printed"] = one["printed"].rstrip("%")
            row[f"{metric}.ours"] = judged_cell(one, SCORES[metric].digits, SCORES[metric].scale)
            head = metric if metric == "purity" else metric.upper()
            # what gives the whole row is said once
            for giver in filter(None, one["givers"].split("; ")):
                sentence = giver if giver.startswith("all") else f"{head}: {giver}"
                if sentence not in "; ".join(said):
                    said.append(sentence)
            where = {"dataset": dataset, "method": method, "metric": metric}
            for note in applying(notes, **where, reading=one["reading"]):
                referred[f"({used.setdefault(note['text'], len(used) + 1)})"] = None
        rows.append({**row, "givers": "; ".join(said), "notes": " ".join(referred)})
    return rows, list(used)


def _givers(
    job: Job,
    printed: Mapping[str, str],
    ours: Mapping[str, Picked],
    dataset: str,
    method: str,
    metric: str,
) -> list[str]:
    """What gives the digits of a cell that ours does not give."""
    number, column = parse_printed(printed[metric]), SCORES[metric].column(job)
    kinds = kinds_met(printed[metric], ours[method]) if metric == "purity" else []
    found = [GIVER_WORDS[kind] for kind in kinds]
    found += settings_with(job, dataset, method, lambda row: equals_printed(number, row[column]))
    others = ", ".join(
        job.methods[one]["label"] for one in methods_met(job, printed, ours) if one != method
    )
    return [*found, *([f"all three numbers are ours of {others}"] if others else [])]


# --- every column on every preparation ------------------------------------------------------------

WAYS = {
    "bins": "ten bins",
    "mdl": "MDL",
    "mdl_or_bins": "MDL or ten bins",
}
"""Preparations of the numeric attributes."""
_ROW = ("method", "dataset")


def preparations(job: Job, cells: pd.DataFrame) -> Sheet:
    """Which cells are exact under each preparation, column by column. No verdict uses this."""
    shown = numbers(cells).to_dict("records")
    labels = {cell["method_id"]: cell["method"] for cell in shown}
    printed = {
        (cell["dataset_id"], cell["method_id"], cell["metric"]): cell["printed"] for cell in shown
    }
    data = []
    for one in job.ok("preparations").astype(object).fillna("").to_dict("records"):
        for metric, score in SCORES.items():
            if not (text := printed.get((one["dataset"], one["method"], metric))):
                continue
            value = one[score.column(job)]
            data.append(
                {"dataset": one["dataset"], "method": one["method"], "label": labels[one["method"]]}
                | {"way": one["way"], "setting": one["setting"]}
                | {"oracle": "yes" if one["setting"] or one["label_cuts"] else "no"}
                | {"label_cuts": one["label_cuts"], "metric": metric}
                | {"printed": text, "reproduced": value}
                | {"exact": "yes" if equals_printed(parse_printed(text), value) else "no"}
            )
    methods = [name for name in labels if any(one["method"] == name for one in data)]
    met = [one for one in data if one["exact"] == "yes"]
    totals = Counter((one["method"], one["way"]) for one in met)
    by_row = Counter((one["method"], one["dataset"], one["way"]) for one in met)
    number_of = Counter(
        method for method, *_ in {(one["method"], one["dataset"], one["metric"]) for one in data}
    )
    better = listed(
        f"{labels[method]} ({totals[method, 'mdl']} of {number_of[method]}, with ten bins "
        f"{totals[method, 'bins']})"
        for method in methods
        if totals[method, "mdl"] > totals[method, "bins"]
    )

    def ours(one: Mapping[str, Any]) -> Cell:
        score, exact = SCORES[one["metric"]], EXACT if one["exact"] == "yes" else ""
        oracle = one["oracle"] == "yes"
        return Cell(one["reproduced"], score.digits, score.scale, verdict=exact, oracle=oracle)

    def met_in_row(one: Mapping[str, Any]) -> str:
        return str(by_row[one["method"], one["dataset"], one["way"]])

    metrics = {metric: metric for metric in SCORES}
    by_way = [*across("metric", metrics, of=ours), Column(EXACT, EXACT, of=met_in_row)]
    columns = [
        Column("method", "Method", text=True, of="label"),
        Column("dataset", "Data set", text=True, of=lambda one: job.printed(one["dataset"])),
        *across("metric", metrics, "printed", name="printed.{}", of=without_percent),
        *grouped("way", WAYS, by_way),
    ]
    order = [*methods, *job.datasets]
    by_method = sorted(data, key=lambda one: [order.index(one[key]) for key in _ROW])
    return Sheet.of(
        job,
        "exact cells by column",
        "Cells of the data sets with numeric attributes whose printed digits are met, of "
        f"purity, NMI and ARI each. With MDL they are more in: {better}.",
        columns,
        data,
        rows=pivot(columns, by_method, _ROW),
        legend=[
            MARK_LEGEND,
            f"exact: cells of three whose printed digits are met. {ORACLE} MDL finds the cuts with "
            "the class labels; parameters are chosen with them under every preparation. MDL or ten "
            "bins: ten bins where MDL finds no cut. ROCK has three classes on Post-operative, the "
            "others four.",
            f"Met in all, under {', '.join(WAYS.values())}: "
            + ", ".join(
                f"{labels[method]} {' '.join(str(totals[method, way]) for way in WAYS)}"
                for method in methods
            )
            + ".",
        ],
    )


# --- what settings do -----------------------------------------------------------------------------

INDEX_WORDS = {"eq5": "purity, eq. (5)", "inverse": "inverse purity", "nmi": "NMI", "ari": "ARI"}
"""Heads of `SWEPT`."""


def sensitivity(job: Job, cells: pd.DataFrame) -> Sheet:
    """Range of every score over the parameter of a method, in file order; best settings."""
    swept, absent = sweeps(job)
    data = [
        {"dataset": dataset, "printed_name": job.printed(dataset)}
        | {"method": method, "label": job.methods[method]["label"]}
        | {"parameter": next(iter(job.methods[method]["grid"])), "index": index}
        | {"low": one.low, "high": one.high, "range": one.range}
        | {"settings": len(one.scores), "best": " ".join(map(setting_text, one.best))}
        for (dataset, method), by_index in swept.items()
        for index, one in by_index.items()
    ]
    ranges: dict[str, list[float]] = {}
    for row in data:
        if row["index"] == "nmi":
            ranges.setdefault(row["label"], []).append(row["range"])
    said = ", ".join(f"{label} {number(fmean(some), 3)}" for label, some in ranges.items())
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
            *grouped("index", INDEX_WORDS, [range_of, best_of]),
        ],
        data,
        by=["dataset", "method"],
        legend=[
            "best: settings with the highest score; a dash joins the first and the last of "
            "several. Choosing them needs the class labels (oracle).",
            *not_run_lines(absent),
        ],
    )


# --- what the text says ---------------------------------------------------------------------------


def text_numbers(job: Job, cells: pd.DataFrame) -> Sheet:
    """Numbers in section 5.5 that stand in no table."""
    absent = next(iter(job.left_out.values()), "")
    computed = {
        "datasets_where_best": _where_best,
        "best_sigma_above": _best_sigma,
        "max_instances_processed": _largest_rock,
    }

    def ours(cell: Mapping[str, str], reading: str) -> Ours:
        every = cell["metric"] != "max_instances_processed"
        how = {"oracle": reading != FIXED and every, "more": {"note": cell["note"]}}
        if every and absent:
            return Ours(absent, reason=absent, **how)
        value, said = computed[cell["metric"]](job, reading)
        return Ours(Reproduced(value), reason=said, **how)

    def readings(cell: Mapping[str, str]) -> list[str]:
        return [job.readings[0], *([FIXED] if cell["metric"] == "datasets_where_best" else [])]

    data = job.judged(cells, ours, readings)
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


def best_or_tied(scores: Mapping[str, float], ours: Iterable[str], rivals: Iterable[str]) -> bool:
    """Whether the best score of some methods is at least that of every rival, to four digits."""
    mine, theirs = (round(max(scores[name] for name in some), 4) for some in (ours, rivals))
    return mine >= theirs


def where_best(job: Job, reading: str) -> list[str]:
    """Data sets on which a DILCA variant is best or tied in NMI or in ARI.

    Methods without a fixed setting keep their only one under the reading `FIXED`.
    """
    found = []
    for dataset in job.datasets:
        picked = {
            name: pick_for(job, dataset, method, reading if method["fixed"] else job.readings[0])
            for name, method in job.methods.items()
        }
        for column in (SCORES[index].column(job) for index in ("nmi", "ari")):
            scores = {name: one.reproduced(column).value for name, one in picked.items()}
            if dataset not in found and best_or_tied(scores, DILCA, ALGORITHMS):
                found.append(dataset)
    return found


def _where_best(job: Job, reading: str) -> tuple[float, str]:
    """Data sets on which a DILCA variant is best or tied in NMI or in ARI."""
    won = where_best(job, reading)
    words = (
        f"of {len(job.datasets)} data sets, ours of SynA to SynD and of Adult among them: the "
        "better variant is best or tied in NMI or ARI against ROCK, LIMBO and DELTA"
    )
    if reading == FIXED:
        words += "; sigma, theta and phi fixed, no labels used"
    return float(len(won)), words


def best_sigmas(job: Job) -> dict[str, float]:
    """Sigma of the highest NMI of DILCA_M, by data set where sigma changes NMI.

    The largest of several best ones: it favours the claim.
    """
    column = SCORES["nmi"].column(job)
    swept = {name: sweep(in_file_order(job, name, "dilca_m"), column) for name in job.datasets}
    return {name: one.best[-1] for name, one in swept.items() if one.range > EQUAL}


def _best_sigma(job: Job, reading: str) -> tuple[float, str]:
    """Smallest of the sigmas that are best, over the data sets where sigma matters."""
    best = best_sigmas(job)
    above = [job.printed(name) for name, sigma in best.items() if sigma > 0.5]
    label = job.methods["dilca_m"]["label"]
    words = (
        f"smallest best sigma of {label} by NMI over the {len(best)} data sets where "
        f"sigma changes NMI; above 0.5 on {len(above)}: {', '.join(above) or 'none'}"
    )
    return min(best.values()), words


_WITHIN = ((60, "less than a minute"), (3600, "less than an hour"))


def _largest_rock(job: Job, reading: str) -> tuple[float, str]:
    """Largest number of objects that our ROCK clustered."""
    table = analysis.totals(job.records("scalability"), "instances")
    done = {size: one["rock"] for size, one in table.items() if "rock" in one}
    largest = max(done)
    # roughly: this text is kept, and every run takes its own time
    within = next((words for s, words in _WITHIN if done[largest].least < s), "more than an hour")
    return float(largest), f"our ROCK clusters {largest:,} objects in {within}; more was not tried"


# --- ROCK's clusters ------------------------------------------------------------------------------


def rock_clusters(job: Job, cells: pd.DataFrame) -> Sheet:
    """Sizes of ROCK's clusters at the theta that is reported."""
    bookkeeping = ["paper", "experiment", "status", "reason"]
    ran = job.ok("rock_clusters").drop(columns=bookkeeping, errors="ignore").to_dict("records")
    chosen = [one for one in ran if one["chosen"] == "yes"]
    huge = sum(float(number(one["largest_share"], 2, 100)) > 90 for one in chosen)
    columns = [
        Column("dataset", "Data set", text=True, of=lambda one: one["dataset"].replace("_", "-")),
        Column("algorithm", "rule", text=True, of=lambda one: ROCK_RULES[one["algorithm"]]),
        Column("theta", "theta", of=lambda one: setting_text(one["theta"])),
        Column("clusters", "clusters"),
        Column("sizes", "sizes", text=True),
        Column("largest_share", "largest, %", digits=2, scale=100),
        Column("small_pure", "small pure ones"),
        Column("majority_share", "largest class, %", digits=2, scale=100),
        Column("purity", "eq. (5), %", digits=2, scale=100),
        Column("inverse_purity", "inverse purity, %", digits=2, scale=100),
        Column("nmi_sqrt", "NMI", digits=4),
        Column("ari", "ARI", digits=4),
    ]
    return Sheet.of(
        job,
        "sizes at the theta that is reported",
        f"In {huge} of {len(chosen)} partitions one cluster holds more than 90 % of the objects. "
        "The theta is chosen with the class labels (oracle).",
        columns,
        ran,
        rows=pivot(columns, chosen),
        legend=["small pure ones: clusters of one class with less than 5 % of the objects."],
    )


ROCK_RULES = {
    "rock_last": "above theta, merged on, named by the last object",
    "rock_merge": "at least theta, merged on, named by the first object",
    "rock_keep": "at least theta, leftovers kept, named by the first object",
}
