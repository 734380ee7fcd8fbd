"""Kinds of tables in ``config/papers/cde.yaml``: from records to sheets with their verdicts.

Tables 1 and 2 and what follows from them have a module of their own.
"""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from replication.judge.times import HOW, HOW_MEMORY
from replication.judge.verdicts import Reproduced, equals_printed, parse_printed, within_noise
from replication.papers.cde.analysis import (
    STABLE,
    decreasing_from,
    slowdowns,
    stable_from,
    thresholds,
)
from replication.papers.cde.runs import collect, gain, one_table, paired_p, table_of_runs, wins
from replication.papers.cde.tables_scores import embeddings as embeddings
from replication.papers.cde.tables_scores import labels_of
from replication.papers.cde.tables_scores import similarities as similarities
from replication.papers.cde.tables_scores import spread as spread
from replication.papers.cde.tables_scores import statements as statements
from replication.show.job import Job
from replication.show.kinds import MEMORY
from replication.show.sheet import Column, Sheet, across, grouped, number, pivot, words

if TYPE_CHECKING:
    import pandas as pd

# --- Fig. 1: the framework ----------------------------------------------------------------------

_STAGES = {
    "table": ("information table", "objects", "attributes"),
    "influence, co-occurrence": ("Mc, influence by co-occurrence", "values", "values"),
    "influence, occurrence": ("Mo, influence by occurrence", "values", "values"),
    "clusters, co-occurrence": ("value clusters on Mc", "values", "clusters"),
    "clusters, occurrence": ("value clusters on Mo", "values", "clusters"),
    "indicator": ("I, both side by side", "values", "clusters"),
    "values": ("N, principal components of I", "values", "dimensions"),
    "objects": ("objects, their values side by side", "objects", "dimensions"),
}


def pipeline(job: Job, cells: pd.DataFrame) -> Sheet:
    """Stages of the framework with their sizes on one data set: Fig. 1."""
    (dataset,) = job.datasets
    data = []
    for row in job.rows("pipeline"):
        what, of_rows, of_columns = _STAGES[row["stage"]]
        data.append(
            {"dataset": job.printed(dataset), "stage": row["stage"], "what": what}
            | {"rows": row["rows"], "of_rows": of_rows}
            | {"columns": row["columns"], "of_columns": of_columns}
            | {"last_k": "" if math.isnan(row["last_k"]) else int(row["last_k"])}
        )
    return Sheet.of(
        job,
        "the CURE framework, as CDE fills it",
        f"What passes from stage to stage on {job.printed(dataset)}: rows and columns of every "
        "matrix. The object embedding is the concatenation of its embedded values.",
        [
            Column("what", "Stage", text=True),
            Column("rows", "rows"),
            Column("of_rows", "of", text=True),
            Column("columns", "columns"),
            Column("of_columns", "of", text=True),
            Column("last_k", "last k"),
        ],
        data,
    )


# --- theorem 1 ----------------------------------------------------------------------------------


def theorem(job: Job, cells: pd.DataFrame) -> Sheet:
    """Pairs of values that neither influence matrix tells apart, on data and on random tables."""
    columns = [
        Column("pairs", "pairs of values"),
        Column("undistinguished", "Mo printed", "equal in both matrices"),
        Column("undistinguished_code", "Mo of the program", "equal in both matrices"),
        Column("same_extents", "same extents"),
        Column("siblings", "pairs in one attribute"),
        Column("occurrence_mismatches", "equal in Mo, other frequency"),
    ]
    counted = [column.key for column in columns]
    data = [
        {"source": job.printed(row["dataset"]), "tables": 1, **{key: row[key] for key in counted}}
        for row in job.rows("factors")
    ]
    sources = {"random": "random tables", "duplicated": "the same, first attribute twice"}
    random = job.records("random_tables")
    for kind, source in sources.items():
        some = random.loc[random["kind"] == kind, counted]
        data.append({"source": source, "tables": len(some), **some.sum().astype(int).to_dict()})
    *sets, drawn, duplicated = (row["undistinguished"] for row in data)
    return Sheet.of(
        job,
        "values that neither matrix tells apart",
        "Pairs of different values with equal rows in the printed Mo and in Mc. Theorem 1 says "
        f"there are none; {sum(n > 0 for n in sets)} of {len(sets)} data sets have {sum(sets)}, "
        f"random tables {drawn}, and a duplicated attribute makes {duplicated}.",
        [Column("source", "Data", text=True), Column("tables", "tables"), *columns],
        data,
        legend=[
            "same extents: values of two attributes that occur in exactly the same objects. "
            "The proof's last case assumes that there are none.",
            "equal in Mo, other frequency: pairs of one attribute for which equal rows of the "
            "printed Mo and equal frequencies do not go together (case 1 of the proof).",
        ],
        data_columns=[
            *("source", "tables", "pairs", "siblings", "undistinguished", "undistinguished_code"),
            *("same_extents", "occurrence_mismatches"),
        ],
    )


# --- Figs 2 and 3: alpha and beta ---------------------------------------------------------------


def alpha(job: Job, cells: pd.DataFrame) -> Sheet:
    """Dimension before the component analysis, and F-score, against alpha: Fig. 2."""
    return _sweep(
        job,
        "alpha",
        "Mean number of value clusters (dimension before the component analysis) and mean "
        f"F-score. Under the {job.readings[0]} reading the dimension stays within "
        f"{STABLE:.0%} of its last value: "
        f"{_thresholds(job, 'alpha', stable_from, '{} from {:g}')}.",
        [Column("dimension", "clusters", digits=0, of="clusters")],
    )


def beta(job: Job, cells: pd.DataFrame) -> Sheet:
    """Dimension after the component analysis, and F-score, against beta: Fig. 3."""
    return _sweep(
        job,
        "beta",
        "Mean dimension of the value embedding and mean F-score. Under the "
        f"{job.readings[0]} reading the dimension first falls where rounding noise is cut "
        f"off: {_thresholds(job, 'beta', decreasing_from, '{} at {:.0e}')}.",
        [
            Column("dimension", "dimension", digits=0, of="dimension"),
            Column("dimension_svd", "by SVD", digits=0, of="dimension_svd"),
        ],
    )


def _thresholds(job: Job, parameter: str, rule: Callable[[pd.DataFrame], float], form: str) -> str:
    """Threshold of each data set under the first reading."""
    measure = job.need("parameters")["measures"][job.readings[0]]
    found = thresholds(job.ok(parameter), rule, measure)
    return "; ".join(form.format(job.printed(dataset), one) for dataset, one in found.items())


def _sweep(job: Job, parameter: str, caption: str, dimensions: Sequence[Column]) -> Sheet:
    """Means per data set, reading and value of a parameter; of each dimension those of a record."""
    records = job.ok(parameter)
    data = []
    for reading, dataset in itertools.product(job.readings, job.datasets):
        measure = job.need("parameters")["measures"][reading]
        mine = records[(records["dataset"] == dataset) & (records["measure"] == measure)]
        for value, group in mine.groupby(parameter, sort=True):
            runs = table_of_runs(group)
            sizes = group.drop_duplicates("embedding")
            data.append(
                {"dataset": dataset, "printed_name": job.printed(dataset), "reading": reading}
                | {parameter: float(value)}
                | {column.key: float(sizes[column.of].mean()) for column in dimensions}
                | {"dimension_sd": float(sizes[dimensions[0].of].std(ddof=0))}
                | {"fscore": runs.mean, "standard_error": runs.standard_error}
                | {"embeddings": len(runs.scores)}
            )
    shown = [Column(column.key, column.head, digits=column.digits) for column in dimensions]
    return Sheet.of(
        job,
        f"dimension and F-score against {parameter}",
        caption,
        [
            Column("reading", "Reading", text=True),
            Column(parameter, parameter),
            *grouped(
                "dataset",
                {row["dataset"]: row["printed_name"] for row in data},
                [*shown, Column("fscore", "F", digits=3)],
            ),
        ],
        data,
        by=("reading", parameter),
        legend=[
            "The paper draws curves and prints no numbers. Means over embeddings; F-scores are "
            "those of k-means with as many clusters as classes.",
            *(f"{job.printed(name)}: {reason}." for name, reason in job.left_out.items()),
        ],
    )


# --- time and memory ----------------------------------------------------------------------------

_COST = ("seconds", "slowest", "repeats", "fit_seconds", "before_mib", "peak_mib", "matrix_mib")


def cost(job: Job, cells: pd.DataFrame) -> Sheet:
    """Time and memory of the similarities of Table 2 on Adult, with the F-scores they lead to."""
    scores = collect(job.records("similarities"), "pipeline")
    done = {row["pipeline"]: row for row in job.rows("adult_cost")}
    data = []
    for name, label in labels_of(job).items() if done else ():
        row = done[name]
        runs = scores.get((row["dataset"], name))
        data.append(
            {"method": name, "label": label}
            | {key: int(row[key]) for key in ("objects", "distinct")}
            | {key: row[key] for key in _COST}
            | {"fscore": runs.mean if runs else None, "sd": runs.run_sd if runs else None}
        )
    said = "Not run: Adult is not part of this run."
    if data:
        most = max(data, key=lambda row: row["peak_mib"])
        said = (
            f"All {len(data)} run in at most {most['peak_mib']:.0f} MiB ({most['label']}), where a "
            f"matrix over all pairs of the {most['objects']} objects alone takes "
            f"{most['matrix_mib']:.0f} MiB."
        )
    return Sheet.of(
        job,
        "spectral embedding without a matrix over all pairs",
        said,
        [
            Column("label", "Method", text=True),
            Column("seconds", "embedding (s)", digits=2),
            Column("fit_seconds", "measure (s)", digits=2),
            *MEMORY,
            Column("matrix_mib", "all pairs (MiB)", digits=0),
            Column("fscore", "F-score", digits=3),
        ],
        data,
        legend=[
            HOW,
            HOW_MEMORY,
            "COS and ALGO are sums over the attributes: their problem reduces to one "
            "over the values. DILCA and the Gaussian of CDE are decomposed over distinct objects.",
        ],
    )


def times(job: Job, cells: pd.DataFrame) -> Sheet:
    """Seconds until the objects are represented, by data set and method."""
    labels = labels_of(job)
    data = [
        {"dataset": row["dataset"], "printed_name": job.printed(row["dataset"])}
        | {"objects": row["objects"], "method": row["method"], "label": labels[row["method"]]}
        | {key: row[key] for key in ("kind", "seconds", "slowest")}
        for row in job.rows("embedding_times")
    ]
    orders = slowdowns(job.records("embedding_times"))
    return Sheet.of(
        job,
        "time to represent the objects",
        "Milliseconds from the table to the representation. CDE takes "
        f"10^{statistics.median(orders):.1f} times as long as the mean of the other embeddings "
        f"(median; 10^{min(orders):.1f} to 10^{max(orders):.1f}).",
        [
            Column("dataset", "Data set", text=True, of="printed_name"),
            Column("objects", "objects"),
            *across("method", labels, of="seconds", digits=2, scale=1000),
        ],
        data,
        by=("dataset",),
        legend=[
            "Embeddings yield a matrix of objects and dimensions, similarities one over all pairs "
            "of objects (left out where it has more than 10^8 entries).",
            HOW,
        ],
    )


# --- Table 2 under settings of the spectral clustering that the paper does not name -------------

_SETTING = ("affinity", "variant", "init")
"""Affinity, rows, start of k-means."""


def _printed(cells: pd.DataFrame) -> dict[tuple[str, str], str]:
    """Printed F-scores by data set and method."""
    scores = cells[cells["metric"] == "fscore"].to_dict("records")
    return {(cell["dataset_id"], cell["method_id"]): cell["printed"] for cell in scores}


def bandwidths(job: Job, cells: pd.DataFrame) -> Sheet:
    """F-scores of Table 2 under every affinity, normalisation and start that was tried."""
    import pandas as pd

    methods = {method["id"]: method for method in job.need("parameters")["methods"]}
    printed = _printed(cells)
    data = []
    for row in sorted(job.rows("bandwidths"), key=lambda row: list(methods).index(row["method"])):
        method = methods[row["method"]]
        setting = {key: row[key] for key in _SETTING}
        data.append(
            {"dataset": row["dataset"], "printed_name": job.printed(row["dataset"])}
            | {"method": row["method"], "label": method["label"], **setting}
            | {"fscore": row["fscore"], "sd": row["sd"], "runs": int(row["runs"])}
            | {"chosen": "yes" if list(setting.values()) == method["chosen"] else "no"}
            | {"printed_value": float(printed[row["dataset"], row["method"]])}
        )
    scores = pd.DataFrame(data)
    scores["gap"] = (scores["fscore"] - scores["printed_value"]).abs()
    scores["setting"] = scores[list(_SETTING)].agg(", ".join, axis=1)
    scores["marked"] = scores["chosen"].replace("no", "")
    tried = scores.groupby(["method", "label", "setting"], sort=False).agg(
        gap=("gap", statistics.fmean),
        low=("fscore", "min"),
        high=("fscore", "max"),
        chosen=("marked", "first"),
    )
    nearest = pd.concat(
        group.sort_values("gap", kind="stable")
        for _, group in tried.reset_index().groupby("method", sort=False)
    )
    said = "; ".join(
        f"{row.label} {row.setting} ({number(row.gap, 3)})"
        for row in nearest.drop_duplicates("method").itertuples()
    )
    columns = [
        *words(label="Method", setting="affinity, rows, start"),
        Column("gap", "mean distance from print", digits=3),
        Column("low", "lowest F", digits=3),
        Column("high", "highest F", digits=3),
        Column("chosen", "in Table 2", text=True),
    ]
    return Sheet.of(
        job,
        "what affinity, normalisation and start change",
        "Mean distance of our F-scores from the printed ones, over "
        f"{scores['dataset'].nunique()} data sets, for every setting of the "
        f"spectral clustering; the paper names none. Nearest: {said}. "
        "Table 2 takes the marked ones, which were chosen for each column by its printed "
        "numbers.",
        columns,
        data,
        rows=pivot(columns, nearest.to_dict("records")),
        legend=[
            "Affinity of CDE-G: Gaussian whose width is the mean or median distance, or the root "
            "of the number of value clusters (dim). Of the others: 1 - D / max D, exp(-D / mean), "
            "a Gaussian of the mean, 1 / (1 + D). Rows: njw of length 1, sym as they are. Start "
            "of k-means: sample, random objects; plus, k-means++."
        ],
    )


# --- one setting for all columns ----------------------------------------------------------------


def common_settings(job: Job, cells: pd.DataFrame) -> Sheet:
    """Table 2 with settings fitted to each printed column, and with one setting for all of them."""
    import pandas as pd

    parameters = job.need("parameters")
    methods = labels_of(job)
    first, *rest = methods
    others = {method: methods[method] for method in rest}
    runs = {
        (row["dataset"], row["method"], *(row[key] for key in _SETTING)): row
        for row in job.rows("bandwidths")
    }
    printed = _printed(cells)
    computed = {dataset for dataset, *_ in runs}
    datasets = [name for name in job.datasets if name in computed]
    averaged = [name for name in datasets if name in parameters["averaged"]]
    texts = pd.DataFrame({m: {name: printed[name, m] for name in datasets} for m in methods})
    choices = {"fitted to each column": {one["id"]: one["chosen"] for one in parameters["methods"]}}
    for affinity, *setting in itertools.product(
        *(parameters[key] for key in ("affinities", "variants", "inits"))
    ):
        choices[", ".join([affinity["label"], *setting])] = {
            method: [affinity["embedded" if method == first else "others"], *setting]
            for method in methods
        }
    data, in_all = [], {}
    for name, chosen in choices.items() if datasets else ():
        ours = pd.DataFrame(
            {m: {one: runs[one, m, *setting] for one in datasets} for m, setting in chosen.items()}
        )
        met = {
            method: sum(
                map(_met, texts[method], rows, itertools.repeat(parameters["printed_runs"]))
            )
            for method, rows in ours.items()
        }
        compared = _compared(name, ours.map(itemgetter("fscore")), texts, averaged, met)
        gap = statistics.fmean(row["gap"] for row in compared)
        in_all[name] = {"gap": gap, "met": sum(met.values())}
        data += compared
    if datasets:
        data += _compared("printed", texts.astype(float), texts, averaged, {})
    total = texts.size

    def whole(key: str, digits: int = 0) -> dict[str, Any]:
        """Of all columns of a setting together; nothing of the printed ones."""
        return {"of": lambda row: in_all.get(row["setting"], {}).get(key), "digits": digits}

    return Sheet.of(
        job,
        "one setting for all columns",
        _common_caption(in_all, total),
        [
            Column("setting", "affinity, rows, start", text=True),
            *across(
                *("method", methods, "mean distance from print"),
                name="{}.gap",
                of=lambda row: None if row["setting"] == "printed" else row["gap"],
                digits=3,
            ),
            Column("gap", "all", "mean distance from print", **whole("gap", 3)),
            Column("met", f"met of {total}", **whole("met")),
            Column("first", f"{methods[first]} first of {len(datasets)}"),
            *across(
                *("method", others, "gain over (%)"), name="{}.gain", of="gain", digits=1, scale=100
            ),
            *across("method", others, "p", name="{}.p", of="p", digits=3),
        ],
        data,
        by=("setting",),
        legend=[
            "fitted: for each column the setting that was chosen by its printed numbers, as in "
            "Table 2. Below, rows and start are the same for all columns; CDE-G is Gaussian of the "
            "mean distance, the others as the name says.",
            f"met: rounded to the printed digits, or within noise of {parameters['printed_runs']} "
            f"printed runs. Gains in the average over {len(averaged)} data sets, paired two-tailed "
            f"t-tests over {len(datasets)}.",
            "These runs are other ones than those of Table 2, and fewer.",
        ],
    )


def _met(text: str, row: Mapping[str, Any], printed_runs: int) -> bool:
    """Whether a printed F-score is exact or within noise of our runs."""
    printed = parse_printed(text)
    ours = Reproduced(row["fscore"], sd=row["sd"], runs=int(row["runs"]))
    return equals_printed(printed, row["fscore"]) or within_noise(
        printed, ours, printed_runs=printed_runs
    )


def _compared(
    setting: str,
    columns: pd.DataFrame,
    printed: pd.DataFrame,
    averaged: Sequence[str],
    met: Mapping[str, int],
) -> list[dict[str, Any]]:
    """One record per method: how near its column is, and how the first method stands to it."""
    means, some = one_table(columns), one_table(columns.loc[averaged])
    first, *_ = columns
    found = []
    for method, gaps in (columns - printed.astype(float)).abs().items():
        compared = method != first
        p = paired_p(first, method)(means)[0] if compared and len(gaps) > 1 else math.nan
        found.append(
            {"setting": setting, "method": method}
            | {"gap": statistics.fmean(gaps), "met": met.get(method), "cells": len(gaps)}
            | {"average": float(some[method].mean()) if averaged else None}
            | {"gain": float(gain(first, method)(some)[0]) if compared and averaged else None}
            # equal columns have no p
            | {"p": float(p) if math.isfinite(p) else None}
            | {"first": None if compared else int(wins(first)(means)[0])}
        )
    return found


def _common_caption(in_all: Mapping[str, Mapping[str, float]], total: int) -> str:
    if not in_all:
        return "Not run: none of the data sets is part of this run."
    fitted, *common = in_all
    nearest = min(common, key=lambda setting: in_all[setting]["gap"])
    return (
        f"With settings fitted to each column our F-scores lie {in_all[fitted]['gap']:.3f} from "
        f"the printed ones on average, and {in_all[fitted]['met']} of {total} are met; "
        f"with one setting for all at best ({nearest}) {in_all[nearest]['gap']:.3f} and "
        f"{in_all[nearest]['met']}."
    )
