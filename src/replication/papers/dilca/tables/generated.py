"""Tables of SynA to SynD: printed scores beside the ranges over seeds, and ROCK by threshold."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from replication.judge.cells import NO_DATASET
from replication.judge.published import numbers
from replication.papers.dilca.records import (
    PAPER,
    SCORES,
    VARIANTS,
    in_order_of,
    made_tables,
    over_samples,
    pick,
)
from replication.papers.dilca.tables.scores import HEADS, VARIANT_WORDS, inside
from replication.show.job import Job
from replication.show.sheet import Cell, Column, Sheet, across, number, pivot
from replication.steps import setting_text

KEYS = ["dataset_id", "method_id", "metric"]
LOW = 0.05
"""Threshold of ROCK, below those that the paper states, at which some objects are neighbours."""


def _printed(job: Job, cells: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the printed scores of the job's data sets and methods, each once."""
    shown = numbers(cells).drop_duplicates(KEYS)
    shown = in_order_of(shown, [*job.datasets, *job.methods, *SCORES], *KEYS)
    there = shown["dataset_id"].isin([*job.datasets]) & shown["method_id"].isin([*job.methods])
    return shown[there].to_dict("records")


def _range(one: Mapping[str, Any]) -> Cell:
    """Show lowest and highest number of a row, with a mark if the printed one is inside."""
    score = SCORES[one["metric"]]
    ends = (number(one[key], score.digits, score.scale) for key in ("low", "high"))
    return Cell("–".join(ends), sign=" *" * one["inside"])


def generated(job: Job, cells: pd.DataFrame) -> Sheet:
    """Build the table of printed scores and of ours on generated tables, by setting."""
    first, data = job.readings[0], []
    for cell in _printed(job, cells):
        for variant in VARIANTS:
            picked = pick(job, cell["dataset_id"], cell["method_id"], first, variant)
            ours = picked.reproduced(SCORES[cell["metric"]].column(job))
            low, high = ours.spread or (ours.number, ours.number)
            data.append(
                {"dataset": cell["dataset_id"], "printed_name": cell["dataset"]}
                | {"method": cell["method_id"], "label": cell["method"], "metric": cell["metric"]}
                | {"printed": cell["printed"], "variant": variant, "tables": ours.runs}
                | {"mean": ours.number, "sd": ours.sd, "low": low, "high": high}
                | {"inside": inside(cell["printed"], ours)}
            )
    caption = f"Not run: {NO_DATASET}."
    if data:
        inside_of = {
            variant: {
                (one["dataset"], one["method"], one["metric"])
                for one in data
                if one["variant"] == variant and one["inside"]
            }
            for variant in VARIANTS
        }
        said = ", ".join(f"{len(inside_of[name])} {VARIANT_WORDS[name]}" for name in VARIANTS)
        either = len(set.union(*inside_of.values()))
        caption = (
            f"Lowest and highest score over {data[0]['tables']} tables of DatGen, {first} reading, "
            "without errors (rules of one to three attributes) and with errors (three attributes, "
            f"a fifth of the cells drawn anew). Of {len(data) // len(VARIANTS)} printed scores, "
            f"each counted once, the range holds {said}, one of the two {either}."
        )
    columns = [
        Column("dataset", "Data set", text=True, of="printed_name"),
        Column("method", "Method", text=True, of="label"),
        *(
            column
            for metric, head in HEADS.items()
            for column in (
                Column(
                    f"{metric}.{PAPER}", "printed", head, of="printed", where={"metric": metric}
                ),
                *across(
                    "variant", VARIANT_WORDS, head, name=metric + ".{}", of=_range,
                    where={"metric": metric},
                ),
            )
        ),
    ]  # fmt: skip
    return Sheet.of(
        job,
        "printed scores and ranges over seeds",
        caption,
        columns,
        data,
        rows=pivot(columns, data, ["dataset", "method"]),
        legend=[
            "*: the printed number lies in the range. The settings were chosen with these numbers "
            "in sight, so this is no verdict; all of these numbers are not comparable.",
            "DatGen options: -R5 -r0 with -C0/2, and with -C2 -e.2.",
        ],
        data_columns=[
            *("dataset", "printed_name", "method", "label", "metric", "printed", "variant"),
            *("tables", "mean", "sd", "low", "high", "inside"),
        ],
    )


def rock_thresholds(job: Job, cells: pd.DataFrame) -> Sheet:
    """Build the table of ROCK's scores by threshold, with the largest similarity of objects."""
    records = made_tables(job)
    stated = job.methods["rock"]["grid"]["theta"]
    least = min(stated)
    data: list[dict[str, Any]] = []
    similar = {}
    for dataset in job.datasets:
        name = {"dataset": dataset, "printed_name": job.printed(dataset)}
        texts = {
            one["metric"]: one["printed"]
            for one in _printed(job, cells)
            if one["dataset_id"] == dataset
        }
        for variant in VARIANTS:
            rows = records[(records["dataset"] == dataset) & (records["variant"] == variant)]
            similar[dataset, variant] = float(rows["similarity"].max())
            rock = rows[rows["method"] == "rock"]
            for theta in (LOW, least):
                at = rock[rock["setting"] == theta]
                for metric, score in SCORES.items():
                    ours = over_samples(at[score.column(job)].tolist())
                    low, high = ours.spread or (ours.number, ours.number)
                    data.append(
                        {**name, "variant": variant, "theta": theta, "metric": metric}
                        | {"printed": texts[metric], "tables": ours.runs, "mean": ours.number}
                        | {"low": low, "high": high, "inside": inside(texts[metric], ours)}
                        | {"similarity": similar[dataset, variant]}
                    )
    caption = f"Not run: {NO_DATASET}."
    if data:
        met = {
            theta: sum(one["inside"] for one in data if one["theta"] == theta)
            for theta in (LOW, least)
        }
        caption = (
            f"The paper states thresholds from {setting_text(least)} on. No two objects of these "
            f"tables have a Jaccard similarity above {number(max(similar.values()), 3)}, so at "
            f"{setting_text(least)} no object has a neighbour; {met[least]} of {len(data) // 2} "
            f"ranges hold the printed number. At {setting_text(LOW)} {met[LOW]} do."
        )
    columns = [
        Column("dataset", "Data set", text=True, of="printed_name"),
        Column("variant", "tables", text=True, of=lambda one: VARIANT_WORDS[one["variant"]]),
        Column("similarity", "largest similarity", digits=3),
        *(
            column
            for metric, head in HEADS.items()
            for column in (
                Column(
                    f"{metric}.{PAPER}", "printed", head, of="printed", where={"metric": metric}
                ),
                *across(
                    "theta",
                    {theta: f"theta {setting_text(theta)}" for theta in (LOW, least)},
                    head,
                    name=metric + ".{}",
                    of=_range,
                    where={"metric": metric},
                ),
            )
        ),
    ]
    return Sheet.of(
        job,
        "scores on the synthetic tables",
        caption,
        columns,
        data,
        rows=pivot(columns, data, ["dataset", "variant"]),
        legend=[
            "*: the printed number lies in the range over the tables. Largest similarity: Jaccard, "
            "of any two objects of any table.",
        ],
        data_columns=[
            *("dataset", "printed_name", "variant", "theta", "metric", "printed", "tables"),
            *("mean", "low", "high", "inside", "similarity"),
        ],
    )
