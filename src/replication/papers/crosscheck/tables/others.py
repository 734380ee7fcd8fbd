"""Printed, ours and independent; our code against runs of others; sets of runs."""

from collections.abc import Mapping, Sequence
from math import erfc, inf, sqrt
from pathlib import Path
from typing import Any

import pandas as pd

from replication.data.label_sets import SCORE_COLUMNS
from replication.files import read_rows
from replication.judge.cells import VERDICT_COLUMNS, enumerated, listed
from replication.judge.claims import Count, grade
from replication.judge.independent import (
    EQUAL,
    OTHER_PREPARATION,
    OURS_ALONE,
    SAID,
    SUPPORTED,
    Pooled,
    pool,
    stouffer,
    z_between,
)
from replication.judge.verdicts import Reproduced, printed_number
from replication.show.job import Job
from replication.show.sheet import Column, Sheet, across, grouped, number, words

GROUP = (
    "All sources are repositories of one group, which ran the authors' own programs: independent "
    "of the authors and of this project, not of each other."
)
NONE = "no label vectors of others could be obtained"


def two_sided(z: float) -> float:
    """Return the two-sided p-value of a z-score."""
    return erfc(abs(z) / sqrt(2))


def compared(job: Job, cells: pd.DataFrame, *, nothing_for: Sequence[str]) -> Sheet:
    """Printed numbers next to ours and to the runs of others, with one sentence each."""
    about = job.need("independent")
    counted: dict[str, dict[str, str]] = {}
    for row in read_rows(job.file("ledger"), VERDICT_COLUMNS):
        # the first row of a number is that of the counted reading
        if row["independent_says"]:
            counted.setdefault(row["id"], row)
    data = [_compared(job, row, about) for row in counted.values()]
    shown = [
        *words(table="Table", dataset="Data set", label="method", metric="score"),
        Column("printed", "printed", main=True),
        Column("ours", "ours", digits=4, main=True),
        *(
            Column(name, title, "means of others", digits=4)
            for name, title in about["sources"].items()
        ),
        Column("pooled", "pooled ± SE", digits=4, sd="se", main=True),
        Column("runs", "runs"),
        Column("z", "printed − pooled, in SE", of=_z_text),
        *words(says="says"),
        *words(preparation="other preparation"),
    ]
    return Sheet.of(
        job,
        "",
        _counted(data) if data else f"Not run: {NONE}.",
        shown,
        data,
        title="Printed, ours, independent",
        legend=[
            GROUP,
            "Pooled: every run counts once. SE: standard error, from the deviation of one pooled "
            "run for both sides.",
            *(_distances(data) if data else []),
            *(f"{name}: {rule}." for name, rule in SAID.items()),
            f"Nothing independent was found for {enumerated(nothing_for)}.",
        ],
        data_columns=[
            *("id", "table", "dataset", "method", "label", "metric", "printed", "ours"),
            "verdict",
            *about["sources"],
            *("pooled", "se", "sd", "runs", "z", "says", "preparation"),
        ],
    )


def _z_text(row: Mapping[str, Any]) -> str:
    """Return a z-score; without any deviation, whether the digits are equal."""
    if row["z"] is not None:
        return f"{row['z']:.2f}"
    return "no deviation, equal" if row["says"] == SUPPORTED else "no deviation, differs"


def _compared(job: Job, row: Mapping[str, str], about: Mapping[str, Any]) -> dict[str, Any]:
    """Return the row of one printed number."""
    entry = next(
        one
        for one in about["compared"]
        if (one["paper"], one["artefact"]) == (row["paper"], row["artefact"])
    )
    method, dataset = entry["methods"][row["method"]], entry["datasets"][row["dataset"]]
    sets = sets_of(job, method, dataset, entry["metrics"][row["metric"]])
    pooled = pool(sets, about["sources"])
    if pooled is None:
        raise ValueError(f"{row['id']} has runs of others in the ledger and none in the scores")
    difference = entry.get("other", {}).get(row["dataset"], "")
    z = pooled.z(float(printed_number(row["printed"]).value), entry["runs"])
    return {
        "id": row["id"],
        "table": f"{row['paper']} {row['artefact']}",
        "label": about["methods"][method]["label"],
        **{name: row[name] for name in ("dataset", "method", "metric", "printed", "verdict")},
        "ours": float(row["reproduced"]) if row["reproduced"] else None,
        **{one["source"]: float(one["mean"]) for one in sets},
        **{"pooled": pooled.mean, "se": pooled.error, "sd": pooled.sd, "runs": pooled.runs},
        # without any deviation there is no standard error
        **{"z": z if pooled.sd > EQUAL else None, "says": row["independent_says"]},
        "preparation": difference,
    }


def sets_of(job: Job, method: str, dataset: str, index: str) -> list[dict[str, str]]:
    """Return the scores of the sets of runs of a method that are pooled."""
    pooled = job.need("independent")["methods"][method]["sources"]
    return [
        row
        for row in job.scores_of_others
        if (row["method"], row["dataset"], row["index"]) == (method, dataset, index)
        and row["source"] in pooled
    ]


def _counted(data: Sequence[Mapping[str, Any]]) -> str:
    """Return how many numbers of each table and method are supported by others."""
    said = []
    for (table, method), rows in pd.DataFrame(data).groupby(["table", "label"], sort=False):
        equal = rows[rows["says"] != OTHER_PREPARATION]
        supported = int(equal["says"].isin([SUPPORTED, OURS_ALONE]).sum())
        said.append(f"{method} ({table}) {supported} of {len(equal)}")
    return f"Numbers of equal preparation that others support: {'; '.join(said)}."


def _distances(data: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return a line per table, method and score: how far print is from the runs of others."""
    frame, lines = pd.DataFrame(data), []
    known = frame[(frame["says"] != OTHER_PREPARATION) & frame["z"].notna()]
    for (table, method, metric), rows in known.groupby(["table", "label", "metric"], sort=False):
        if len(rows) > 1:
            gaps, z = rows["printed"].astype(float) - rows["pooled"], stouffer(rows["z"].tolist())
            lines.append(
                f"{method}, {metric} ({table}): printed is above the pooled runs on "
                f"{(gaps > 0).sum()} of {len(gaps)}, by {number(float(gaps.mean()), 4)} on "
                f"average; Stouffer's z {number(z, 2)}, p {number(two_sided(z), '.2g')}."
            )
    return lines


def validation(job: Job, cells: pd.DataFrame, *, claimed: Mapping[str, str]) -> Sheet:
    """Our code against the pooled runs of others, under their preparation."""
    about = job.need("independent")
    methods = {name: one["ours"] for name, one in about["methods"].items() if "ours" in one}
    known = job.ok("runs")
    data = []
    for ids, records in job.each("runs"):
        for method, ours in methods.items():
            own = records[records["method"] == ours]
            for index in ("macro_f1", "accuracy", "ari", "nmi_arithmetic"):
                others = pool(sets_of(job, method, ids["dataset"], index), about["sources"])
                if others is not None and len(own):
                    label = about["methods"][method]["label"]
                    row = _validated(ids, method, label, index, own, others)
                    if method == "cde" and (records["equal"] == 1).any():
                        row |= {"reason": TIES, "counts": False}
                    data.append(row)
    rotated = {row["dataset"]: row for row in known.to_dict("records") if row["method"] == ROTATED}
    claims = [_claim(data, method, index) for method, index in claimed.items()]
    said = "; ".join(filter(None, claims))
    return Sheet.of(
        job,
        "",
        f"{said}." if said else f"Not run: {NONE}.",
        [
            *words(printed_name="Data set", label="method"),
            *grouped(
                "index",
                {"macro_f1": "macro F", "accuracy": "accuracy", "ari": "ARI"},
                [
                    Column("pooled", "others", digits=3),
                    Column("ours", "ours", digits=3),
                    Column("z", "z", digits=2),
                ],
            ),
            *words(reason="reason"),
        ],
        data,
        title="Our code against runs of others, under their preparation",
        by=["dataset", "method"],
        legend=[
            "Others: mean of the pooled runs of the authors' program. Ours: mean of single runs "
            "of this project on the same rows and attributes. z: ours minus others, in standard "
            "errors of the difference.",
            "Claim: our implementation has the mean of the authors' program, within two standard "
            "errors. It is graded as *almost*, because about 5 % of true cases are farther apart. "
            f"Not counted: data sets without a number of ours, and those on which {TIES}.",
            *_printed_sets(data, about),
            GROUP,
            *_rotations(rotated, data),
        ],
        data_columns=[
            *("dataset", "printed_name", "method", "label", "index", "pooled", "se", "runs"),
            *("ours", "sd", "samples", "failed", "z", "counts", "reason"),
        ],
    )


ROTATED = "cdc_dr_rotated"
"""Runs with random bases of equal eigenvalues."""
TIES = "all values of an attribute have equal influence; starts and ties decide"
"""Why a run of CDE on a full factorial table says nothing about the code."""


def _validated(
    ids: Mapping[str, str],
    method: str,
    label: str,
    index: str,
    own: pd.DataFrame,
    others: Pooled,
) -> dict[str, Any]:
    """Return the row of one method, data set and score."""
    values = own[index].dropna().to_numpy(float)
    reason = next(iter(own["absent"].dropna()), "") if "absent" in own else ""
    row = {
        **{**ids, "method": method, "label": label, "index": index, "pooled": others.mean},
        **{"se": others.error, "runs": others.runs, "failed": len(own) - len(values)},
        **{"ours": None, "sd": None, "samples": len(values), "z": None, "reason": reason},
        "counts": True,
    }
    if not len(values):
        return row
    sd = float(values.std(ddof=1)) if len(values) > 1 else None
    mean = Reproduced(float(values.mean()), sd=sd, runs=len(values))
    z = z_between(mean, others)
    # without any deviation, equality is decided by the printed digits of a mean
    return (
        row
        | {"ours": mean.value, "sd": sd, "z": z if abs(z) != inf else None}
        | ({"reason": "without deviation on both sides"} if abs(z) == inf else {})
    )


def _claim(data: Sequence[Mapping[str, Any]], method: str, index: str) -> str:
    """Return verdict and counts of the claim that our code has the mean of the program."""
    rows = [row for row in data if (row["method"], row["index"]) == (method, index)]
    rows = [row for row in rows if row["ours"] is not None and row["counts"]]
    if not rows:
        return ""
    scores = [row["z"] for row in rows if row["z"] is not None]
    held = sum(abs(z) <= 2 for z in scores)
    verdict = grade("almost", Count(held, len(rows)))
    z = stouffer(scores)
    off = [row["printed_name"] for row in rows if row["z"] is None or abs(row["z"]) > 2]
    return (
        f"{rows[0]['label']} ({index}): {verdict}, {held} of {len(rows)} data sets, Stouffer's z "
        f"{number(z, 2)}, p {number(two_sided(z), '.2g')}" + (f", not {listed(off)}" if off else "")
    )


def _printed_sets(data: Sequence[Mapping[str, Any]], about: Mapping[str, Any]) -> list[str]:
    """Return a line per printed table, method and score: our code on the data sets of the table."""
    lines = []
    for entry in about["compared"]:
        for method in entry["methods"].values():
            for index in entry["metrics"].values():
                scores = [
                    row["z"]
                    for row in data
                    if (row["method"], row["index"]) == (method, index)
                    and row["dataset"] in entry["datasets"].values()
                    and row["z"] is not None
                    and row["counts"]
                ]
                if len(scores) > 1:
                    z = stouffer(scores)
                    lines.append(
                        f"{about['methods'][method]['label']}, {index}, on the {len(scores)} data "
                        f"sets of {entry['paper']} {entry['artefact']}: Stouffer's z "
                        f"{number(z, 2)}, p {number(two_sided(z), '.2g')}."
                    )
    return lines


def _rotations(
    rotated: Mapping[str, Mapping[str, Any]], data: Sequence[Mapping[str, Any]]
) -> list[str]:
    """Return lines on embeddings that are undefined, and the scores that their bases give."""
    lines = []
    for dataset, row in rotated.items():
        pooled = {
            one["index"]: one["pooled"]
            for one in data
            if one["dataset"] == dataset and one["method"] == "cdc_dr"
        }
        if pooled:
            lines.append(
                f"CDC-DR on {dataset}: eigenvalue k equals the next, so the embedding is not "
                f"defined. Over {row['bases']:.0f} random bases of the equal eigenvalues the mean "
                f"ARI is {row['ari_low']:.4f} to {row['ari_high']:.4f} (95 %), mean "
                f"{row['ari']:.4f}; the pooled runs of others have {pooled['ari']:.4f}."
            )
    return lines


def label_sets(job: Job, cells: pd.DataFrame) -> Sheet:
    """Sets of runs of others: source, method, data set, runs, and their scores."""
    about = job.need("independent")
    rows = job.scores_of_others
    committed = _keyed(read_rows(Path(job.need("published"), "independent.csv"), SCORE_COLUMNS))
    found = _keyed(rows)
    equal = sum(_same(row, committed[key]) for key, row in found.items() if key in committed)
    data = [
        {**row, "label": about["methods"][row["method"]]["label"]}
        | {name: float(row[name]) if row[name] else None for name in ("mean", "sd")}
        | {"title": about["sources"][row["source"]]}
        for row in rows
    ]
    sets = {(row["source"], row["method"], row["dataset"]): int(row["runs"]) for row in rows}
    heads = {"accuracy": "accuracy", "ari": "ARI", "macro_f1": "macro F"}
    return Sheet.of(
        job,
        "",
        f"{sum(sets.values())} label vectors in {len(sets)} sets of runs, scored by this project. "
        f"{equal} of {len(found)} means equal those of data/published/independent.csv."
        if rows
        else f"Not run: {NONE}.",
        [
            *words(title="Source", label="method", dataset="data set"),
            Column("runs", "runs"),
            Column("distinct", "different"),
            *across("index", heads, name="{}", of="mean", digits=3),
        ],
        data,
        title="Sets of runs that others published",
        by=["source", "method", "dataset"],
        legend=[
            GROUP,
            "Scores come from the label vectors. The means that are stored next to them are not "
            "used: on mushroom (12 methods) and nursery (6) those of MHTC 2025 are exactly 1.02 "
            "times too high, and in the table of chess of 2022 all columns are shifted by one.",
            *(f"{one['label']}: {one['program']}." for one in about["methods"].values()),
        ],
        data_columns=SCORE_COLUMNS,
    )


def _keyed(rows: Sequence[Mapping[str, str]]) -> dict[tuple[str, ...], Mapping[str, str]]:
    return {
        tuple(row[key] for key in ("source", "method", "dataset", "index")): row for row in rows
    }


def _same(one: Mapping[str, str], other: Mapping[str, str]) -> bool:
    """Return whether two sets have the same mean up to rounding."""
    return abs(float(one["mean"]) - float(other["mean"])) <= 1e-8
