"""Step `leaderboard`: what was handed in beside what this project computed, as a page and a table.

The page is part of the report too. Its filters, ranks and critical differences are computed in the
browser (`assets/leaderboard.js`), from the scores of every cell; nothing here computes a score.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean, median
from typing import Any

from replication.errors import UserError
from replication.files import check_seals, read_rows, write_rows, write_text
from replication.papers.study.analysis import ALGORITHMS, FACTORS
from replication.papers.study.handed_files import LABELS, check
from replication.papers.study.handed_in import NOT_HANDED_IN
from replication.papers.study.spaces import RULES
from replication.papers.study.tables_leaderboard import BASE, COLUMNS, key_of, ranked
from replication.steps import OK, specification

Row = dict[str, str]

HERE, THERE = "computed here", "handed in"
"""Origins of a cell."""
HANDED = {
    "measure": "code, a measure: run here",
    "clustering": "code, a clustering: run here",
    "labels": "label vectors: scored here",
}
"""What was handed in, by the word of the records."""
SHOWN = {"ari": "ARI", "nmi_arithmetic": "NMI", "accuracy": "accuracy", "purity": "purity"}
"""Scores that the page can rank by."""
COSTS = ("fit_seconds", "memory_mib")
_RULES = RULES | {NOT_HANDED_IN: "the file that was handed in has no labels of this data set"}
_DIGITS = 10


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the step."""
    parser.add_argument("--spec", required=True, help="tables, records, names (JSON)")
    parser.add_argument("--page", type=Path, required=True, help="output (HTML)")
    parser.add_argument("--table", type=Path, required=True, help="output (CSV)")


def run(args: argparse.Namespace) -> int:
    """Run the step."""
    from replication.report.board_page import render_board

    spec = specification(args.spec)
    for file in spec["files"]:
        if file.endswith(".parquet"):
            check(Path(file), list(spec["datasets"]))
    rows = board_rows(spec)
    costs = costs_of(spec)
    table = [{**row, **costs.get(row["measure"], {})} for row in rows]
    write_rows(args.table, (*COLUMNS, "origin", "handed", *COSTS), table)
    write_text(args.page, render_board(board(spec, rows, args.page.parent)))
    methods = {key_of(row) for row in rows if row["origin"] == THERE}
    print(f"{args.page}: {len(methods)} methods handed in")
    return 0


def board_rows(spec: Mapping[str, Any]) -> list[dict[str, Any]]:
    """All cells: those of the study's table, and those of what was handed in, ranked together.

    Parameters
    ----------
    spec : mapping
        See `replication.plan.handed_in.board_spec`.

    Returns
    -------
    list of dict
        By `COLUMNS`, numbers as numbers, with ``origin`` and ``handed``.

    Raises
    ------
    UserError
        If the study has no table.
    """
    path = Path(spec["tables"]["leaderboard"])
    if not path.is_file():
        raise UserError(
            f"{path}: there is none, so nothing to stand beside; `snakemake study` makes it "
            "(with the same --configfile)"
        )
    rows = [_cell(row) | {"origin": HERE, "handed": ""} for row in read_rows(path, COLUMNS)]
    files = [Path(one["file"]) for one in spec["records"]]
    check_seals(files)
    for file in files:
        rows += [
            _cell(row) | {"origin": THERE, "handed": row["handed"]}
            for row in read_rows(file)
            if row["status"] == OK
        ]
    rows = [row for row in rows if row["dataset"] in spec["datasets"]]
    return ranked([{**row, "rank": None} for row in rows])


def _cell(row: Mapping[str, str]) -> dict[str, Any]:
    """One cell by `COLUMNS` from its texts."""
    words, numbers = COLUMNS[:6], COLUMNS[6:]
    found: dict[str, Any] = {key: row.get(key, "") for key in words}
    for key in numbers:
        text = row.get(key, "")
        if not text:
            found[key] = None
        else:
            found[key] = int(float(text)) if key == "trials" else round(float(text), _DIGITS)
    return found


def costs_of(spec: Mapping[str, Any]) -> dict[str, dict[str, float | None]]:
    """Seconds of learning and memory by measure, where this machine has measured them.

    Of what was handed in as code too, the mean seconds and the greatest memory as in the study's
    table; of label vectors nothing is known.
    """
    path = Path(spec["tables"]["cost"])
    found: dict[str, dict[str, float | None]] = {}
    for row in read_rows(path) if path.is_file() else ():
        found[row["measure"]] = {key: float(row[key]) if row[key] else None for key in COSTS}
    files = [Path(one["file"]) for one in spec["costs"]]
    check_seals(files)
    timed: dict[str, list[Row]] = {}
    for row in (row for file in files for row in read_rows(file)):
        if row["status"] == OK and row["outcome"] == OK:
            timed.setdefault(row["measure"], []).append(row)
    for name, rows in timed.items():
        seconds = [float(row["fit_seconds"]) for row in rows]
        grown = [float(row["peak_mib"]) - float(row["before_mib"]) for row in rows]
        found[name] = dict(zip(COSTS, (fmean(seconds), max(grown)), strict=True))
    return found


def board(spec: Mapping[str, Any], rows: Sequence[dict[str, Any]], place: Path) -> dict[str, Any]:
    """What the page holds: data sets, kinds of them, methods with their cells, base rates.

    Parameters
    ----------
    spec : mapping
        See `replication.plan.handed_in.board_spec`.
    rows : sequence of dict
        As `board_rows`.
    place : Path
        Folder of the page, for links to label vectors.
    """
    there = {row["dataset"] for row in rows}
    datasets = [name for name in spec["datasets"] if name in there]
    at = {name: i for i, name in enumerate(datasets)}
    costs = costs_of(spec)
    methods: dict[str, dict[str, Any]] = {}
    used: dict[str, str] = {}
    for row in rows:
        one = methods.setdefault(key_of(row), _method(row, len(datasets), costs))
        one["cells"][at[row["dataset"]]] = (
            [row["rule"]]
            if row["ari"] is None
            else [*(row[name] for name in SHOWN), row["trials"], row["ari_sd"]]
        )
        if row["rule"]:
            used[row["rule"]] = _RULES.get(row["rule"], row["rule"])
    # what a rule leaves out everywhere, such as ROCK with most measures, has no place here
    found = [
        one for one in methods.values() if any(cell and len(cell) > 1 for cell in one["cells"])
    ]
    algorithms = dict.fromkeys(one["algorithm"] for one in found if not one["base"])
    return {
        "datasets": [[name, spec["datasets"][name]] for name in datasets],
        "kinds": kinds_of(Path(spec["tables"]["data"]), datasets),
        "algorithms": [[one, ALGORITHMS.get(one, one)] for one in algorithms if one],
        "origins": [HERE, THERE],
        "scores": list(SHOWN.items()),
        "rules": used,
        "methods": [one for one in found if not one["base"]],
        "base": [one for one in found if one["base"]],
        "q": quantiles(len(found)),
        "labels": kept_labels(spec["labels"], found, datasets, place),
    }


def _method(
    row: Mapping[str, Any], size: int, costs: Mapping[str, Mapping[str, float | None]]
) -> dict[str, Any]:
    own = row["algorithm"] == row["measure"]
    cost = costs.get(row["measure"], {})
    return {
        "id": row["measure"],
        "label": row["label"],
        "algorithm": "" if own else row["algorithm"],
        "origin": row["origin"],
        "handed": HANDED.get(row["handed"], ""),
        "experiment": row["experiment"],
        "cost": [cost.get(key) for key in COSTS],
        "unknown": row["handed"] == LABELS,
        "base": row["algorithm"] == BASE,
        "cells": [None] * size,
    }


def kinds_of(path: Path, datasets: Sequence[str]) -> list[list[Any]]:
    """Kinds of data: name, positions of the data sets; halves by the median of each factor.

    Parameters
    ----------
    path : Path
        Table of the data sets of the study.
    datasets : sequence of str
        Ids.
    """
    if not path.is_file():
        return []
    known = {row["dataset"]: row for row in read_rows(path)}
    found: list[list[Any]] = []
    for factor, (_, low, high) in FACTORS.items():
        values = {name: float(row[factor]) for name, row in known.items()}
        middle = median(values.values()) if values else 0.0
        upper = [i for i, name in enumerate(datasets) if values.get(name, middle) > middle]
        lower = [i for i, name in enumerate(datasets) if name in values and i not in upper]
        found += [[low, lower], [high, upper]]
    return found


def quantiles(most: int) -> list[float | None]:
    """Factor of Nemenyi's critical difference at 5 %, by the number of methods from 0 on."""
    from replication.papers.study.statistics import critical_difference

    # critical_difference is q sqrt(k (k + 1) / 6 N)
    return [
        None if k < 2 else round(critical_difference(k, 1) / (k * (k + 1) / 6) ** 0.5, 6)
        for k in range(most + 1)
    ]


def kept_labels(
    pattern: str, methods: Sequence[Mapping[str, Any]], datasets: Sequence[str], place: Path
) -> dict[str, Any]:
    """Where the label vectors are that this machine keeps: address, data sets by experiment."""
    names = dict.fromkeys(one["experiment"] for one in methods)
    kept = {}
    for name in names:
        there = [
            i
            for i, dataset in enumerate(datasets)
            if Path(pattern.format(experiment=name, dataset=dataset)).is_file()
        ]
        if there:
            kept[name] = there
    address = os.path.relpath(pattern, place).replace(os.sep, "/")
    return {"address": address, "kept": kept}
