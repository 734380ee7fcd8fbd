"""Kinds of tables in ``config/papers/cde.yaml``: from records to sheets with their verdicts.

Tables 1 and 2 and what follows from them have a module of their own.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pandas as pd

from replication.judge.times import HOW, HOW_MEMORY
from replication.papers.cde import analysis
from replication.papers.cde.derived import SETTING, compared, nearest_first, overall
from replication.papers.cde.runs import collect, printed_table
from replication.papers.cde.tables_scores import embeddings as embeddings
from replication.papers.cde.tables_scores import labels_of
from replication.papers.cde.tables_scores import similarities as similarities
from replication.papers.cde.tables_scores import spread as spread
from replication.papers.cde.tables_scores import statements as statements
from replication.show.job import Job
from replication.show.kinds import MEMORY
from replication.show.sheet import Column, Sheet, across, grouped, number, pivot, words

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
        some = random[random["kind"] == kind]
        data.append({"source": source, "tables": len(some), **analysis.pair_totals(some, *counted)})
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


def alpha(job: Job, cells: pd.DataFrame, *, measures: Mapping[str, str]) -> Sheet:
    """Dimension before the component analysis, and F-score, against alpha: Fig. 2."""
    return _sweep(
        job,
        measures,
        "alpha",
        "Mean number of value clusters (dimension before the component analysis) and mean "
        f"F-score. Under the {job.readings[0]} reading the dimension stays within "
        f"{analysis.STABLE:.0%} of its last value: "
        f"{_thresholds(job, measures, 'alpha', analysis.stable_from, '{} from {:g}')}.",
        [Column("dimension", "clusters", digits=0, of="clusters")],
    )


def beta(job: Job, cells: pd.DataFrame, *, measures: Mapping[str, str]) -> Sheet:
    """Dimension after the component analysis, and F-score, against beta: Fig. 3."""
    return _sweep(
        job,
        measures,
        "beta",
        "Mean dimension of the value embedding and mean F-score. Under the "
        f"{job.readings[0]} reading the dimension first falls where rounding noise is cut "
        f"off: {_thresholds(job, measures, 'beta', analysis.decreasing_from, '{} at {:.0e}')}.",
        [
            Column("dimension", "dimension", digits=0, of="dimension"),
            Column("dimension_svd", "by SVD", digits=0, of="dimension_svd"),
        ],
    )


def _thresholds(
    job: Job,
    measures: Mapping[str, str],
    parameter: str,
    rule: Callable[[pd.DataFrame], float],
    form: str,
) -> str:
    """Threshold of each data set under the first reading."""
    found = analysis.thresholds(job.ok(parameter), rule, measures[job.readings[0]])
    return "; ".join(form.format(job.printed(dataset), one) for dataset, one in found.items())


def _sweep(
    job: Job,
    measures: Mapping[str, str],
    parameter: str,
    caption: str,
    dimensions: Sequence[Column],
) -> Sheet:
    """Means per data set, reading and value of a parameter; of each dimension those of a record."""
    of = {one.key: one.of for one in dimensions}
    means = analysis.means_along(job.ok(parameter), parameter, of)
    data = [
        {"dataset": dataset, "printed_name": job.printed(dataset), "reading": reading} | row
        for reading, dataset in itertools.product(job.readings, job.datasets)
        for row in means.get((dataset, measures[reading]), ())
    ]
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


def cost(job: Job, cells: pd.DataFrame, *, methods: Sequence[Mapping[str, Any]]) -> Sheet:
    """Time and memory of the similarities of Table 2 on Adult, with the F-scores they lead to."""
    scores = collect(job.records("similarities"), "pipeline")
    done = {row["pipeline"]: row for row in job.rows("adult_cost")}
    data = []
    for name, label in labels_of(methods).items() if done else ():
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


def times(job: Job, cells: pd.DataFrame, *, methods: Sequence[Mapping[str, Any]]) -> Sheet:
    """Seconds until the objects are represented, by data set and method."""
    labels = labels_of(methods)
    data = [
        {"dataset": row["dataset"], "printed_name": job.printed(row["dataset"])}
        | {"objects": row["objects"], "method": row["method"], "label": labels[row["method"]]}
        | {key: row[key] for key in ("kind", "seconds", "slowest")}
        for row in job.rows("embedding_times")
    ]
    orders = analysis.slowdown(job.records("embedding_times"), math.log10)
    return Sheet.of(
        job,
        "time to represent the objects",
        "Milliseconds from the table to the representation. CDE takes "
        f"10^{orders['median']:.1f} times as long as the mean of the other embeddings "
        f"(median; 10^{orders['min']:.1f} to 10^{orders['max']:.1f}).",
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


def bandwidths(job: Job, cells: pd.DataFrame, *, methods: Sequence[Mapping[str, Any]]) -> Sheet:
    """F-scores of Table 2 under every affinity, normalisation and start that was tried."""
    by_id = {method["id"]: method for method in methods}
    printed = printed_table(cells, "printed")
    data = []
    for row in sorted(job.rows("bandwidths"), key=lambda row: list(by_id).index(row["method"])):
        method = by_id[row["method"]]
        setting = {key: row[key] for key in SETTING}
        data.append(
            {"dataset": row["dataset"], "printed_name": job.printed(row["dataset"])}
            | {"method": row["method"], "label": method["label"], **setting}
            | {"fscore": row["fscore"], "sd": row["sd"], "runs": int(row["runs"])}
            | {"chosen": "yes" if list(setting.values()) == method["chosen"] else "no"}
            | {"printed_value": float(printed.loc[row["dataset"], row["method"]])}
        )
    tried = nearest_first(data)
    said = "; ".join(
        f"{row.label} {row.setting} ({number(row.gap, 3)})"
        for row in tried.drop_duplicates("method").itertuples()
    )
    columns = [
        *words(label="Method", setting="affinity, rows, start"),
        Column("gap", "mean distance from print", digits=3),
        Column("low", "lowest F", digits=3),
        Column("high", "highest F", digits=3),
        Column("chosen", "in Table 2", text=True, of=lambda row: row["chosen"].replace("no", "")),
    ]
    return Sheet.of(
        job,
        "what affinity, normalisation and start change",
        "Mean distance of our F-scores from the printed ones, over "
        f"{len({row['dataset'] for row in data})} data sets, for every setting of the "
        f"spectral clustering; the paper names none. Nearest: {said}. "
        "Table 2 takes the marked ones, which were chosen for each column by its printed "
        "numbers.",
        columns,
        data,
        rows=pivot(columns, tried.to_dict("records")),
        legend=[
            "Affinity of CDE-G: Gaussian whose width is the mean or median distance, or the root "
            "of the number of value clusters (dim). Of the others: 1 - D / max D, exp(-D / mean), "
            "a Gaussian of the mean, 1 / (1 + D). Rows: njw of length 1, sym as they are. Start "
            "of k-means: sample, random objects; plus, k-means++."
        ],
    )


# --- one setting for all columns ----------------------------------------------------------------


def common_settings(
    job: Job,
    cells: pd.DataFrame,
    *,
    printed_runs: int,
    averaged: Sequence[str],
    methods: Sequence[Mapping[str, Any]],
    affinities: Sequence[Mapping[str, str]],
    variants: Sequence[str],
    inits: Sequence[str],
) -> Sheet:
    """Table 2 with settings fitted to each printed column, and with one setting for all of them."""
    labels = labels_of(methods)
    first, *rest = labels
    others = {method: labels[method] for method in rest}
    runs = {
        tuple(row[key] for key in ("dataset", "method", *SETTING)): row
        for row in job.rows("bandwidths")
    }
    computed = {dataset for dataset, *_ in runs}
    datasets = [name for name in job.datasets if name in computed]
    averaged = [name for name in datasets if name in averaged]
    printed = printed_table(cells, "printed").loc[datasets, list(labels)]
    choices = {"fitted to each column": {one["id"]: one["chosen"] for one in methods}}
    for affinity, *setting in itertools.product(affinities, variants, inits):
        choices[", ".join([affinity["label"], *setting])] = {
            method: [affinity["embedded" if method == first else "others"], *setting]
            for method in labels
        }
    settings = {
        name: pd.DataFrame({m: {d: runs[d, m, *one] for d in datasets} for m, one in some.items()})
        for name, some in choices.items()
        if datasets
    }
    found = {
        name: compared(rows, printed, averaged, printed_runs) for name, rows in settings.items()
    }
    in_all, nearest = overall(found)
    if datasets:
        itself = printed.map(lambda text: {"fscore": float(text), "sd": None, "runs": 1})
        columns = compared(itself, printed, averaged, 1)
        found["printed"] = [row | {"met": None} for row in columns]
    data = [{"setting": name} | row for name, columns in found.items() for row in columns]
    total = printed.size

    def whole(key: str, digits: int = 0) -> dict[str, Any]:
        """Of all columns of a setting together; nothing of the printed ones."""
        return {"of": lambda row: in_all.get(row["setting"], {}).get(key), "digits": digits}

    return Sheet.of(
        job,
        "one setting for all columns",
        _common_caption(in_all, nearest, total),
        [
            Column("setting", "affinity, rows, start", text=True),
            *across(
                *("method", labels, "mean distance from print"),
                name="{}.gap",
                of=lambda row: None if row["setting"] == "printed" else row["gap"],
                digits=3,
            ),
            Column("gap", "all", "mean distance from print", **whole("gap", 3)),
            Column("met", f"met of {total}", **whole("met")),
            Column("first", f"{labels[first]} first of {len(datasets)}"),
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
            f"met: rounded to the printed digits, or within noise of {printed_runs} "
            f"printed runs. Gains in the average over {len(averaged)} data sets, paired two-tailed "
            f"t-tests over {len(datasets)}.",
            "These runs are other ones than those of Table 2, and fewer.",
        ],
    )


def _common_caption(in_all: Mapping[str, Mapping[str, float]], nearest: str, total: int) -> str:
    if not in_all:
        return "Not run: none of the data sets is part of this run."
    fitted = next(iter(in_all))
    return (
        f"With settings fitted to each column our F-scores lie {in_all[fitted]['gap']:.3f} from "
        f"the printed ones on average, and {in_all[fitted]['met']} of {total} are met; "
        f"with one setting for all at best ({nearest}) {in_all[nearest]['gap']:.3f} and "
        f"{in_all[nearest]['met']}."
    )
