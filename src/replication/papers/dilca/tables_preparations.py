"""Every column of DILCA's tables on every preparation of the numeric attributes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from replication.judge.cells import ORACLE
from replication.judge.published import numbers
from replication.judge.verdicts import EXACT, equals_printed, parse_printed
from replication.papers.dilca.records import MARK_LEGEND, SCORES
from replication.show.job import Job
from replication.show.sheet import Cell, Column, Sheet

if TYPE_CHECKING:
    import pandas as pd

WAYS = {
    "bins": "ten bins",
    "mdl": "MDL",
    "mdl_or_bins": "MDL or ten bins",
}
"""Preparations of the numeric attributes."""


def preparations(job: Job, cells: pd.DataFrame) -> Sheet:
    """Which cells are exact under each preparation, column by column. No verdict uses this."""
    ran = job.ok("preparations").fillna("").to_dict("records")
    first = job.readings[0]
    shown = numbers(cells).to_dict("records")
    labels = {cell["method_id"]: cell["method"] for cell in shown}
    printed = {
        (cell["dataset_id"], cell["method_id"], cell["metric"]): cell["printed"] for cell in shown
    }
    data = []
    for one in ran:
        for metric, score in SCORES.items():
            text = printed.get((one["dataset"], one["method"], metric))
            if text is None:
                continue
            value = one[score.column(job, first)]
            data.append(
                {
                    "dataset": one["dataset"],
                    "method": one["method"],
                    "label": labels[one["method"]],
                    "way": one["way"],
                    "setting": one["setting"],
                    "oracle": "yes" if one["setting"] or one["label_cuts"] else "no",
                    "label_cuts": one["label_cuts"],
                    "metric": metric,
                    "printed": text,
                    "reproduced": value,
                    "exact": "yes" if equals_printed(parse_printed(text), value) else "no",
                }
            )
    methods = [name for name in labels if any(one["method"] == name for one in data)]
    rows = [
        {"method": labels[method], "dataset": job.datasets[dataset]["printed"]}
        | _row(data, method, dataset)
        for method in methods
        for dataset in job.datasets
    ]
    totals = _totals(data)
    better = [
        f"{labels[method]} ({totals[method, 'mdl']} of {_cells(data, method)}, with ten bins "
        f"{totals[method, 'bins']})"
        for method in methods
        if totals[method, "mdl"] > totals[method, "bins"]
    ]
    return Sheet.of(
        job,
        "exact cells by column",
        caption=(
            "Cells of the data sets with numeric attributes whose printed digits are met, of "
            f"purity, NMI and ARI each. With MDL they are more in: {', '.join(better) or 'none'}."
        ),
        columns=[
            Column("method", "Method", text=True),
            Column("dataset", "Data set", text=True),
            *(Column(f"printed.{metric}", metric, "printed") for metric in SCORES),
            *(
                Column(f"{way}.{key}", head, words)
                for way, words in WAYS.items()
                for key, head in (*((metric, metric) for metric in SCORES), ("exact", EXACT))
            ),
        ],
        rows=rows,
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
        data=data,
    )


def _row(data: list[dict[str, Any]], method: str, dataset: str) -> dict[str, Cell | str]:
    """Readable cells of one column and data set."""
    row: dict[str, Cell | str] = {}
    own = [one for one in data if (one["method"], one["dataset"]) == (method, dataset)]
    for one in own:
        score = SCORES[one["metric"]]
        row[f"printed.{one['metric']}"] = one["printed"].rstrip("%")
        row[f"{one['way']}.{one['metric']}"] = Cell(
            one["reproduced"],
            score.digits,
            score.scale,
            verdict=EXACT if one["exact"] == "yes" else "",
            oracle=one["oracle"] == "yes",
        )
    for way in WAYS:
        row[f"{way}.exact"] = str(sum(one["exact"] == "yes" for one in own if one["way"] == way))
    return row


def _totals(data: list[Mapping[str, Any]]) -> Counter[tuple[str, str]]:
    """Exact cells by column and preparation."""
    return Counter((one["method"], one["way"]) for one in data if one["exact"] == "yes")


def _cells(data: list[Mapping[str, Any]], method: str) -> int:
    """Printed cells of a column."""
    return len({(one["dataset"], one["metric"]) for one in data if one["method"] == method})
