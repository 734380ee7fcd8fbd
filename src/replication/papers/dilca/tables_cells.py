"""Tables of DILCA across its figures: what differs, what the text says, what settings do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from replication.judge.cells import COMPARABLE, Ours, counting, not_run_lines, reasons
from replication.judge.published import numbers
from replication.judge.verdicts import (
    EXACT,
    Reproduced,
    applying,
    equals_printed,
    parse_printed,
)
from replication.papers.dilca.analysis_times import totals
from replication.papers.dilca.records import (
    FIXED,
    MARK_LEGEND,
    PURITY_COLUMNS,
    SCORES,
    in_file_order,
    is_oracle,
    pick_for,
    read_records,
)
from replication.show.job import Job
from replication.show.sheet import Column, Sheet, judged_cell, number, pivot
from replication.steps import OK, setting_text

if TYPE_CHECKING:
    import pandas as pd

NEAR = 0.01
"""A number off by less than this is called near: one point of purity, NMI or ARI."""

GIVER_WORDS = {"inverse": "inverse", "eq5": "eq. (5)", "matching": "best matching"}

# --- what differs ---------------------------------------------------------------------------------


def unexplained(job: Job, cells: pd.DataFrame) -> Sheet:
    """Cells of the data sets that can be had that are not exact, and what would give them.

    A number that is printed in several figures counts once. Nothing here is a verdict: those are
    in the figures themselves.
    """
    first = job.readings[0]
    printed = {
        (cell["dataset_id"], cell["method_id"], cell["metric"]): cell
        for cell in reversed(numbers(cells).to_dict("records"))
        if cell["dataset_id"] in job.datasets and cell["method_id"] in job.methods
    }
    keys = [
        (dataset, method, metric)
        for dataset in job.datasets
        for method in job.methods
        for metric in SCORES
        if (dataset, method, metric) in printed
    ]
    ours = {
        (dataset, method): pick_for(job, dataset, job.methods[method], first)
        for dataset in job.datasets
        for method in job.methods
    }
    data, counts = [], {method: [0, 0] for method in job.methods}
    for dataset, method, metric in keys:
        cell, picked = printed[dataset, method, metric], ours[dataset, method]
        score = SCORES[metric]
        row = job.judge(
            cell,
            picked.reproduced(score.column(job, first)),
            reading=first,
            oracle=is_oracle(job.methods[method]) or bool(picked.label_cuts),
            setting=picked.setting,
            possible=picked.possible(score),
        )
        if row["verdict"] not in COMPARABLE:
            continue
        exact = row["verdict"] == EXACT
        counts[method][0] += exact
        counts[method][1] += 1
        givers = [] if exact else _givers(job, printed, ours, dataset, method, metric)
        data.append(
            {
                **row,
                "printed_name": cell["dataset"],
                "label": job.methods[method]["label"],
                "near": "yes" if exact or abs(row["difference"]) <= NEAR else "no",
                "givers": "; ".join(givers),
            }
        )
    held, total = (sum(pair[i] for pair in counts.values()) for i in (0, 1))
    near = sum(one["near"] == "yes" for one in data)
    rows, notes = _by_method([one for one in data if one["verdict"] != EXACT], job.need("notes"))
    said = ", ".join(
        f"{job.methods[method]['label']} {exact} of {count}"
        for method, (exact, count) in counts.items()
    )
    return Sheet.of(
        job,
        f"{total - held} of {total}",
        caption=(
            f"{held} of {total} cells are exact, {near} within {NEAR:g}, under one kind of purity "
            f"and one rule for sigma, theta and phi ({first} reading; data sets whose file and "
            "preparation are known, cells that can fail). These are the others."
        ),
        columns=[
            Column("dataset", "Data set", text=True),
            Column("method", "Method", text=True),
            *(
                Column(
                    f"{metric}.{which}",
                    which,
                    metric.upper() if metric != "purity" else "purity, %",
                )
                for metric in SCORES
                for which in ("printed", "ours")
            ),
            Column("givers", "what else gives printed digits", text=True),
            Column("notes", "notes", text=True),
        ],
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
        data=data,
        data_columns=[
            *("dataset", "printed_name", "method", "label", "metric", "oracle", "setting"),
            "printed",
            *("reproduced", "spread_min", "spread_max", "verdict", "difference", "near"),
            *("givers", "reason"),
        ],
    )


def _by_method(
    data: Sequence[Mapping[str, Any]], notes: Iterable[Mapping[str, str]]
) -> tuple[list[dict[str, Any]], list[str]]:
    """One row per data set and method, with the cells that differ; and the notes they refer to."""
    heads = {"purity": "purity", "nmi": "NMI", "ari": "ARI"}
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    used: dict[str, None] = {}
    notes = list(notes)
    for one in data:
        key, metric = (one["dataset"], one["method"]), one["metric"]
        row = rows.setdefault(key, {"dataset": one["printed_name"], "method": one["label"]})
        row[f"{metric}.printed"] = one["printed"].rstrip("%")
        row[f"{metric}.ours"] = judged_cell(one, SCORES[metric].digits, SCORES[metric].scale)
        # what gives the whole row is said once
        said = row.setdefault("givers", "")
        for giver in filter(None, one["givers"].split("; ")):
            words = giver if giver.startswith("all") else f"{heads[metric]}: {giver}"
            if words not in said:
                said = f"{said}; {words}" if said else words
        row["givers"] = said
        own = applying(notes, dataset=key[0], method=key[1], metric=metric, reading=one["reading"])
        used |= dict.fromkeys(note["text"] for note in own)
        numbered = list(used)
        row.setdefault("notes", "")
        for note in own:
            number_of = f"({numbered.index(note['text']) + 1})"
            if number_of not in row["notes"]:
                row["notes"] = f"{row['notes']} {number_of}".strip()
    return list(rows.values()), list(used)


def _givers(
    job: Job,
    printed: Mapping[tuple[str, str, str], Mapping[str, str]],
    ours: Mapping[tuple[str, str], Any],
    dataset: str,
    method: str,
    metric: str,
) -> list[str]:
    """What gives the digits of a cell that ours does not give."""
    first, target = job.readings[0], parse_printed(printed[dataset, method, metric]["printed"])
    found = []
    if metric == "purity":
        found += [
            GIVER_WORDS[kind]
            for kind, name in PURITY_COLUMNS.items()
            if equals_printed(target, ours[dataset, method].reproduced(name).value)
        ]
    if job.methods[method]["grid"]:
        column = SCORES[metric].column(job, first)
        records = read_records(job.file("trials", dataset=dataset, method=method, reading=first))
        settings = [
            row["setting"]
            for row in records
            if row["order"] == "0" and equals_printed(target, float(row[column]))
        ]
        if settings:
            found.append(f"{next(iter(job.methods[method]['grid']))} {', '.join(settings)}")
    others = [
        job.methods[other]["label"]
        for other in job.methods
        if other != method and _gives_all(job, printed, ours, dataset, method, other)
    ]
    if others:
        found.append(f"all three numbers are ours of {', '.join(others)}")
    return found


def _gives_all(
    job: Job,
    printed: Mapping[tuple[str, str, str], Mapping[str, str]],
    ours: Mapping[tuple[str, str], Any],
    dataset: str,
    method: str,
    other: str,
) -> bool:
    """Whether our three numbers of another method are those printed for this one."""
    for metric, score in SCORES.items():
        cell = printed.get((dataset, method, metric))
        value = ours[dataset, other].reproduced(score.column(job, job.readings[0])).value
        if cell is None or not equals_printed(parse_printed(cell["printed"]), value):
            return False
    return True


# --- what settings do -----------------------------------------------------------------------------

INDICES = {
    "eq5": "purity",
    "inverse": "inverse_purity",
    "nmi": "",  # as the reading dilca.nmi has it
    "ari": "ari",
}
INDEX_WORDS = {"eq5": "purity, eq. (5)", "inverse": "inverse purity", "nmi": "NMI", "ari": "ARI"}


def sensitivity(job: Job, cells: pd.DataFrame) -> Sheet:
    """Range of every score over the parameter of a method, in file order; best settings."""
    first = job.readings[0]
    data, absent = [], {job.printed(name): why for name, why in job.left_out.items()}
    for dataset, entry in job.datasets.items():
        if dataset in job.left_out:
            continue
        for method, one in job.methods.items():
            tried = in_file_order(job, dataset, method)
            if tried[0]["status"] != OK:
                absent[entry["printed"]] = tried[0]["reason"]
                continue
            for index, fixed in INDICES.items():
                column = fixed or SCORES[index].column(job, first)
                scores = {row["setting"]: float(row[column]) for row in tried}
                low, high = min(scores.values()), max(scores.values())
                best = [name for name, value in scores.items() if value >= high - 1e-9]
                data.append(
                    {
                        "dataset": dataset,
                        "printed_name": entry["printed"],
                        "method": method,
                        "label": one["label"],
                        "parameter": next(iter(one["grid"])),
                        "index": index,
                        "low": low,
                        "high": high,
                        "range": high - low,
                        "settings": len(scores),
                        "best": " ".join(best),
                    }
                )
    means = {
        method: [one["range"] for one in data if (one["method"], one["index"]) == (method, "nmi")]
        for method in job.methods
    }
    said = ", ".join(
        f"{job.methods[method]['label']} {number(sum(values) / len(values), 3)}"
        for method, values in means.items()
        if values
    )
    return Sheet.of(
        job,
        "ranges of the scores",
        f"Highest less lowest score over the settings, file order, {first} reading. Mean "
        f"range of NMI: {said}.",
        [
            Column("dataset", "Data set", text=True, of="printed_name"),
            Column("method", "Method", text=True, of="label"),
            Column("parameter", "parameter", text=True),
            *(
                Column(f"{index}.{key}", key, head, digits=3, of=of, where={"index": index})
                for index, head in INDEX_WORDS.items()
                for key, of in (("range", "range"), ("best", _ends))
            ),
        ],
        data,
        by=["dataset", "method"],
        legend=[
            "best: settings with the highest score; a dash joins the first and the last of "
            "several. Choosing them needs the class labels (oracle).",
            *not_run_lines(absent),
        ],
    )


def _ends(one: Mapping[str, Any]) -> str:
    """The best setting, or the first and the last of several."""
    best = one["best"].split(" ")
    return f"{best[0]}–{best[-1]}" if len(best) > 1 else best[0]


# --- what the text says ---------------------------------------------------------------------------


def best_or_tied(
    scores: Mapping[str, float], ours: Iterable[str], rivals: Iterable[str], digits: int = 4
) -> bool:
    """Whether the best of some methods is at least as good as every rival, to printed digits.

    Parameters
    ----------
    scores : mapping of str to float
        Score by method.
    ours, rivals : iterable of str
        Methods.
    digits : int
        Decimals that are compared.
    """
    return round(max(scores[name] for name in ours), digits) >= round(
        max(scores[name] for name in rivals), digits
    )


OURS = ("dilca_m", "dilca_rr")
RIVALS = ("delta", "rock", "limbo")


def text_numbers(job: Job, cells: pd.DataFrame) -> Sheet:
    """Numbers in section 5.5 that stand in no table."""
    computed = {
        "datasets_where_best": _where_best,
        "best_sigma_above": _best_sigma,
        "max_instances_processed": _largest_rock,
    }

    def ours(cell: Mapping[str, str], reading: str) -> Ours:
        value, words = computed[cell["metric"]](job, reading)
        return Ours(
            words if value is None else Reproduced(value),
            oracle=reading != FIXED and cell["metric"] != "max_instances_processed",
            reason=words,
            more={"note": cell["note"]},
        )

    def readings(cell: Mapping[str, str]) -> list[str]:
        return [job.readings[0], *([FIXED] if cell["metric"] == "datasets_where_best" else [])]

    data = job.judged(cells, ours, readings)
    return Sheet.of(
        job,
        "numbers in the text",
        f"Numbers that stand in no table; {counting(data)}.",
        [
            Column("metric", "Number", text=True, of=lambda one: one["metric"].replace("_", " ")),
            Column("reading", "reading", text=True),
            Column("printed", "printed"),
            Column("ours", "ours", judged=True),
            Column("words", "how it is counted", text=True, of="reason"),
        ],
        data,
        legend=[MARK_LEGEND, *reasons(cells, data)],
        data_columns=[
            *("metric", "reading", "oracle", "printed", "reproduced", "verdict", "difference"),
            *("reason", "note"),
        ],
        verdicts=data,
    )


def _absent(job: Job) -> str:
    """Why a count over all data sets is not possible; empty if it is."""
    return next(iter(job.left_out.values()), "")


def _where_best(job: Job, reading: str) -> tuple[float | None, str]:
    """Data sets on which a DILCA variant is best or tied in NMI or in ARI."""
    if absent := _absent(job):
        return None, absent
    columns = [SCORES[index].column(job, job.readings[0]) for index in ("nmi", "ari")]
    won = [
        dataset
        for dataset in job.datasets
        if any(
            best_or_tied(_scores(job, dataset, reading, column), OURS, RIVALS) for column in columns
        )
    ]
    words = (
        f"of {len(job.datasets)} data sets, ours of SynA to SynD and of Adult among them: the "
        "better variant is best or tied in NMI or ARI against ROCK, LIMBO and DELTA"
    )
    if reading == FIXED:
        words += "; sigma, theta and phi fixed, no labels used"
    return float(len(won)), words


def _scores(job: Job, dataset: str, reading: str, column: str) -> dict[str, float]:
    """Score of every method; methods without a fixed setting keep their only one."""
    return {
        name: pick_for(job, dataset, method, reading if method["fixed"] else job.readings[0])
        .reproduced(column)
        .value
        for name, method in job.methods.items()
    }


def _best_sigma(job: Job, reading: str) -> tuple[float | None, str]:
    """Smallest of the sigmas that are best, over the data sets where sigma matters."""
    if absent := _absent(job):
        return None, absent
    best: dict[str, float] = {}
    column = SCORES["nmi"].column(job, reading)
    for dataset, entry in job.datasets.items():
        tried = in_file_order(job, dataset, "dilca_m")
        scores = {float(row["setting"]): float(row[column]) for row in tried}
        highest = max(scores.values())
        if highest - min(scores.values()) > 1e-9:
            # the largest of several best ones favours the claim
            best[entry["printed"]] = max(s for s, v in scores.items() if v >= highest - 1e-9)
    above = [name for name, sigma in best.items() if sigma > 0.5]
    label = job.methods["dilca_m"]["label"]
    words = (
        f"smallest best sigma of {label} by NMI over the {len(best)} data sets where "
        f"sigma changes NMI; above 0.5 on {len(above)}: {', '.join(above) or 'none'}"
    )
    return min(best.values()), words


_WITHIN = ((60, "less than a minute"), (3600, "less than an hour"))


def _largest_rock(job: Job, reading: str) -> tuple[float | None, str]:
    """Largest number of objects that our ROCK clustered."""
    table = totals(job.records("scalability"), "instances")
    done = {size: one["rock"] for size, one in table.items() if "rock" in one}
    largest = max(done)
    # roughly: this text is kept, and every run takes its own time
    within = next((words for s, words in _WITHIN if done[largest].least < s), "more than an hour")
    return float(largest), f"our ROCK clusters {largest:,} objects in {within}; more was not tried"


# --- ROCK's clusters ------------------------------------------------------------------------------


def rock_clusters(job: Job, cells: pd.DataFrame) -> Sheet:
    """Sizes of ROCK's clusters at the theta that is reported."""
    ran = [
        {key: value for key, value in one.items() if key not in _BOOKKEEPING}
        for one in job.rows("rock_clusters")
    ]
    chosen = [one for one in ran if one["chosen"] == "yes"]
    huge = sum(float(number(one["largest_share"], 2, 100)) > 90 for one in chosen)
    columns = [
        Column("dataset", "Data set", text=True, of=lambda one: one["dataset"].replace("_", "-")),
        Column("algorithm", "rule", text=True, of=lambda one: ALGORITHMS[one["algorithm"]]),
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


_BOOKKEEPING = ("paper", "experiment", "status", "reason")
ALGORITHMS = {
    "rock_last": "above theta, merged on, named by the last object",
    "rock_merge": "at least theta, merged on, named by the first object",
    "rock_keep": "at least theta, leftovers kept, named by the first object",
}
