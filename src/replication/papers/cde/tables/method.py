"""Tables on CDE itself: its stages, theorem 1, alpha and beta, time and memory."""

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from replication.judge.times import HOW, HOW_MEMORY
from replication.papers.cde.repeated_scores import STABLE, Runs, collect, slowdown, thresholds
from replication.papers.cde.tables.scores import labels_of
from replication.show.job import Job
from replication.show.kinds import MEMORY
from replication.show.sheet import Column, Sheet, across, grouped

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
    random = job.records("random_tables").groupby("kind")
    sources = {"random": "random tables", "duplicated": "the same, first attribute twice"}
    for kind, source in sources.items():
        tables = random.get_group(kind)
        total = tables[counted].sum().astype(int).to_dict()
        data.append({"source": source, "tables": len(tables), **total})
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


def alpha(job: Job, cells: pd.DataFrame, *, measures: Mapping[str, str]) -> Sheet:
    """Dimension before the component analysis, and F-score, against alpha: Fig. 2."""
    return _sweep(
        job,
        measures,
        "alpha",
        "Mean number of value clusters (dimension before the component analysis) and mean "
        f"F-score. Under the {job.readings[0]} reading the dimension stays within "
        f"{STABLE:.0%} of its last value: {{}}.",
        "{} from {:g}",
        {"dimension": ("clusters", "clusters")},
    )


def beta(job: Job, cells: pd.DataFrame, *, measures: Mapping[str, str]) -> Sheet:
    """Dimension after the component analysis, and F-score, against beta: Fig. 3."""
    return _sweep(
        job,
        measures,
        "beta",
        "Mean dimension of the value embedding and mean F-score. Under the "
        f"{job.readings[0]} reading the dimension first falls where rounding noise is cut "
        "off: {}.",
        "{} at {:.0e}",
        {"dimension": ("dimension", "dimension"), "dimension_svd": ("by SVD", "dimension_svd")},
    )


def _sweep(
    job: Job,
    measures: Mapping[str, str],
    parameter: str,
    caption: str,
    threshold: str,
    dimensions: Mapping[str, tuple[str, str]],
) -> Sheet:
    """Means over embeddings per data set, reading and value of a parameter.

    `dimensions` gives of each its heading and the column of the records.
    """
    records = job.ok(parameter)
    found = thresholds(records, parameter, measures[job.readings[0]])
    said = "; ".join(threshold.format(job.printed(name), one) for name, one in found.items())
    groups = dict(list(records.groupby(["measure", "dataset", parameter])))
    values = sorted(records[parameter].unique())
    data = []
    for reading, dataset, value in itertools.product(job.readings, job.datasets, values):
        group = groups.get((measures[reading], dataset, value))
        if group is None:
            continue
        runs, sizes = Runs.of(group), group.drop_duplicates("embedding")
        data.append(
            {"dataset": dataset, "printed_name": job.printed(dataset), "reading": reading}
            | {parameter: float(value)}
            | {name: float(sizes[column].mean()) for name, (_, column) in dimensions.items()}
            | {"dimension_sd": float(sizes[dimensions["dimension"][1]].std(ddof=0))}
            | {"fscore": runs.mean, "standard_error": runs.standard_error}
            | {"embeddings": len(runs.scores)}
        )
    return Sheet.of(
        job,
        f"dimension and F-score against {parameter}",
        caption.format(said),
        [
            Column("reading", "Reading", text=True),
            Column(parameter, parameter),
            *grouped(
                "dataset",
                {row["dataset"]: row["printed_name"] for row in data},
                [
                    *(Column(name, head, digits=0) for name, (head, _) in dimensions.items()),
                    Column("fscore", "F", digits=3),
                ],
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


_COST = (
    *("objects", "distinct", "seconds", "slowest", "repeats", "fit_seconds"),
    *("before_mib", "peak_mib", "matrix_mib"),
)


def cost(job: Job, cells: pd.DataFrame, *, methods: Sequence[Mapping[str, Any]]) -> Sheet:
    """Time and memory of the similarities of Table 2 on Adult, with the F-scores they lead to."""
    (dataset,) = job.datasets
    runs = collect(job.records("similarities"), "pipeline")
    found = job.ok("adult_cost").reindex(columns=["pipeline", *_COST]).set_index("pipeline")
    measured = found.to_dict("index")
    data = [
        {"method": name, "label": label, **measured[name]}
        | {"fscore": runs[dataset, name].mean, "sd": runs[dataset, name].run_sd}
        for name, label in labels_of(methods).items()
        if name in measured
    ]
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
    orders = slowdown(job.records("embedding_times"), math.log10)
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
