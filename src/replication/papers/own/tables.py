"""Tables of the reader's own data: scores of all pipelines, and the cluster of every row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from replication.data.store import read_tables
from replication.errors import UserError
from replication.files import read_json
from replication.papers.own.clusterings import WITHOUT_MEASURE
from replication.papers.own.explanations import clusters as clusters
from replication.papers.own.explanations import kept_rows
from replication.papers.own.explanations import number as number
from replication.papers.own.explanations import objects as objects
from replication.papers.own.explanations import values as values
from replication.show.job import Job
from replication.show.sheet import Column, Sheet
from replication.steps import OK

if TYPE_CHECKING:
    import pandas as pd

SCORES = {
    "ari": "adjusted Rand index",
    "nmi_sqrt": "normalised mutual information",
    "accuracy": "accuracy after matching clusters with classes",
    "purity": "purity",
    "macro_f1": "macro F1",
}
INTERNAL = "rd"
INTERNAL_WORDS = "dissimilarity between clusters over dissimilarity within"
COLUMNS = (
    "dataset",
    "printed_name",
    "measure",
    "measure_label",
    "algorithm",
    "algorithm_label",
    "runs",
    "clusters_asked",
    "clusters_found",
    "shown",
    "value",
    "sd",
    *SCORES,
    INTERNAL,
    "note",
)


def scores(job: Job, cells: pd.DataFrame) -> Sheet:
    """Measures against algorithms: one score in the readable table, all in the CSV.

    The score is ``parameters.score`` for data sets with classes, and the ratio RD for the others.
    """
    wanted = job.spec.get("parameters", {}).get("score", "ari")
    if wanted not in SCORES:
        raise UserError(
            f"config/papers/{job.paper}.yaml: artefacts.{job.artefact}.parameters.score: unknown "
            f"score {wanted!r}; known: {', '.join(SCORES)}"
        )
    data = [_row(job, record, wanted) for record in _records(job)]
    algorithms = {row["algorithm"]: row["algorithm_label"] for row in data}
    rows = []
    for dataset, measure in dict.fromkeys((row["dataset"], row["measure"]) for row in data):
        here = [row for row in data if (row["dataset"], row["measure"]) == (dataset, measure)]
        rows.append(
            {
                "dataset": here[0]["printed_name"],
                "measure": here[0]["measure_label"],
                **{row["algorithm"]: _shown(row) for row in here},
            }
        )
    columns = [
        Column("dataset", "Data", text=True),
        Column("measure", "Measure", text=True),
        *(Column(name, head) for name, head in short_labels(algorithms).items()),
    ]
    legend = [f"{head}: {algorithms[name]}" for name, head in short_labels(algorithms).items()]
    if any(row["measure"] == WITHOUT_MEASURE for row in data):
        legend.append("no measure: the algorithm works on the table itself")
    legend += [
        f"{row['printed_name']}, {row['measure_label']}, {row['algorithm_label']}: {row['note']}"
        for row in data
        if row["note"]
    ]
    return Sheet(
        name=f"{job.paper}-{job.artefact}",
        title=job.label,
        caption=" ".join(_sentence(data, dataset) for dataset in job.datasets),
        columns=columns,
        rows=rows,
        data=data,
        data_columns=COLUMNS,
        legend=legend,
    )


def labels(job: Job, cells: pd.DataFrame) -> Sheet:
    """Cluster of every row under every pipeline; the readable table shows the sizes."""
    records = [record for record in _records(job) if record.get("labels")]
    pipelines = list(dict.fromkeys(_pipeline(record) for record in records))
    heads = short_labels({one["algorithm"]: one["algorithm_label"] for one in records})
    names = {
        _pipeline(one): f"{one['measure_label']}, {heads[one['algorithm']]}" for one in records
    }
    data, rows = [], []
    for dataset, entry in job.datasets.items():
        found = {
            _pipeline(one): one["labels"].split() for one in records if one["dataset"] == dataset
        }
        facts = read_json(job.file("facts", dataset=dataset))
        tables = read_tables(
            job.file("tables", dataset=dataset, preparation=job.need("preparations")[0])
        )
        classes = tables.facts["classes"]
        kept = kept_rows(len(tables.labels[0]), facts["dropped"])
        for i, (row, truth) in enumerate(zip(kept, tables.labels[0], strict=True)):
            clusters = {name: found[name][i] for name in pipelines if name in found}
            data.append(
                {
                    "dataset": dataset,
                    "row": row,
                    "class": "" if classes == ["none"] else classes[truth],
                    **clusters,
                }
            )
        for name, clusters in found.items():
            sizes = Counter(clusters).most_common()
            rows.append(
                {
                    "dataset": entry["printed"],
                    "pipeline": names[name],
                    "sizes": ", ".join(str(size) for _, size in sizes),
                }
            )
    return Sheet(
        name=f"{job.paper}-{job.artefact}",
        title=job.label,
        caption=(
            f"Sizes of the clusters of {len(rows)} clusterings; the cluster of each of the "
            f"{len(data)} rows is in {job.artefact}.csv, one column per measure and algorithm."
        ),
        columns=[
            Column("dataset", "Data", text=True),
            Column("pipeline", "Measure and algorithm", text=True),
            Column("sizes", "Sizes", text=True),
        ],
        rows=rows,
        data=data,
        data_columns=["dataset", "row", "class", *pipelines],
        legend=[
            "row: counted from 1 below the header of the file; rows dropped for a missing cell "
            "are not listed",
            "of randomised algorithms the first run is shown",
        ],
    )


def _records(job: Job) -> list[dict[str, Any]]:
    """Records of all experiments of the artefact, by data set, without their empty cells."""
    rows = [
        {key: value for key, value in row.items() if value == value}  # NaN is an empty cell
        for experiment in job.need("experiments")
        for row in job.records(experiment).to_dict("records")
        if row["status"] == OK
    ]
    order = list(job.datasets)
    return sorted(rows, key=lambda row: order.index(row["dataset"]))


def short_labels(labels: Mapping[str, str]) -> dict[str, str]:
    """Labels up to their first comma, where that still tells them apart."""
    short = {name: label.partition(",")[0] for name, label in labels.items()}
    counts = Counter(short.values())
    return {name: labels[name] if counts[one] > 1 else one for name, one in short.items()}


def _pipeline(record: Mapping[str, Any]) -> str:
    return f"{record['measure']}.{record['algorithm']}"


def _row(job: Job, record: Mapping[str, Any], wanted: str) -> dict[str, Any]:
    shown = wanted if wanted in record else INTERNAL if INTERNAL in record else ""
    return {
        **{name: record.get(name) for name in COLUMNS},
        "printed_name": job.datasets[record["dataset"]]["printed"],
        "clusters_asked": int(record["clusters_asked"]),
        "runs": int(record["runs"]),
        "shown": shown,
        "value": record.get(shown),
        "sd": record.get(f"sd_{shown}"),
        "note": record.get("note", ""),
    }


def _shown(row: Mapping[str, Any]) -> str:
    if row["value"] is None:
        return "–"
    spread = "" if row["sd"] is None else f" ± {row['sd']:.3f}"
    return f"{row['value']:.3f}{spread}"


def _sentence(data: Sequence[Mapping[str, Any]], dataset: str) -> str:
    """What to see of one data set."""
    rows = [row for row in data if row["dataset"] == dataset and row["value"] is not None]
    heads = short_labels({row["algorithm"]: row["algorithm_label"] for row in data})
    if not rows:
        return f"{dataset}: no pipeline could be run."
    low, high = min(row["value"] for row in rows), max(row["value"] for row in rows)
    best = [row for row in rows if row["value"] == high]
    names = [
        heads[row["algorithm"]]
        if row["measure"] == WITHOUT_MEASURE
        else f"{row['measure_label']} with {heads[row['algorithm']]}"
        for row in best
    ]
    return (
        f"{best[0]['printed_name']}, {best[0]['clusters_asked']} clusters, "
        f"{SCORES.get(best[0]['shown'], INTERNAL_WORDS)}: highest for {' and '.join(names)}, "
        f"{high:.3f}; {len(rows)} pipelines lie between {low:.3f} and {high:.3f}."
    )
