"""Tilt of the papers' own columns, and cells that are printed twice."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import pandas as pd

from replication.judge.cells import VERDICT_COLUMNS
from replication.judge.ledger import read_ledger
from replication.judge.published import load, numbers
from replication.judge.tilt import (
    INDICES,
    Tilt,
    comparable,
    noise_is_equal,
    score_cells,
    under,
)
from replication.judge.tilt import tilt as tilt_of
from replication.run.paired import correct
from replication.show.job import Job
from replication.show.sheet import Column, Sheet, words

PRIMARY = "primary"
COUNTED = "reconciled"
CANNOT = (
    "What it cannot show: an incomplete repetition of the own method looks the same. DILCA_M with "
    "a sigma that was not chosen by the classes (reading fixed) has a tilt of its own. Runs of "
    "others exclude this as the whole cause for CDE alone. No motive can be read from a tilt.",
    "Registration: the definition was made after these numbers were known, so this page is a "
    "description. The protocol (docs/protocols/tilt.md, {protocol}) waits for the next paper.",
)


def tilt(job: Job, cells: pd.DataFrame, *, draws: int, papers: Mapping[str, Any]) -> Sheet:
    """Tilt of every paper with own columns, by reading and choice of cells."""
    known = score_cells(read_ledger(VERDICT_COLUMNS, job.file("ledger")))
    data = []
    for paper, entry in papers.items():
        own = known[(known["paper"] == paper) & known["artefact"].isin(entry["artefacts"])]
        for label, methods in entry["own"].items():
            others = {name for one in entry["own"].values() for name in one} - {*methods}
            rivals = own[~own["method"].isin(others)]
            for reading in entry["readings"]:
                chosen = under(rivals, reading, entry.get("counted", COUNTED))
                for case, part in _cases(chosen, entry):
                    rng = job.rng(paper, label, reading, case)
                    joined = entry.get("joined", False)
                    found = tilt_of(part, methods, rng, joined=joined, draws=draws)
                    if found:
                        data.append(_row(paper, label, reading, case, found))
    primary = {
        paper: (next(iter(entry["own"])), entry["readings"][0]) for paper, entry in papers.items()
    }
    first = [
        row
        for row in data
        if row["case"] == PRIMARY and (row["own"], row["reading"]) == primary[row["paper"]]
    ]
    correct(first)
    for row in first:
        # the counted row of a paper is worded by its corrected p-value
        row["says"] = row["found"].says(row["p_holm"])
    said = "; ".join(
        f"{row['own']} ({row['paper']}, {row['reading']}) {row['tilt']:.2f}: {row['says']}"
        for row in first
    )
    protocol = job.need("history")[-1]["protocol"] if job.spec.get("history") else "not stated"
    return Sheet.of(
        job,
        "",
        f"{said}." if data else "Not run: the ledger has no cells of these papers.",
        [
            *words(paper="Paper", own="own column", reading="reading", case="cells"),
            Column("own_signs", "own +:−:0", text=True, of=lambda row: _signs(row, "own")),
            Column("rival_signs", "rivals +:−:0", text=True, of=lambda row: _signs(row, "rivals")),
            Column("tilt", "tilt", digits=2, main=True),
            Column("p", "p", digits=_p_text, main=True),
            Column("p_holm", "Holm", digits=_p_text),
            Column("own_difference", "own", "mean of printed − ours", digits="+.3f"),
            Column("rivals_difference", "rivals", "mean of printed − ours", digits="+.3f"),
            Column("p_difference", "p", "mean of printed − ours", digits=_p_text),
            *words(says="says"),
        ],
        data,
        title="Tilt: is the own column printed above the repetition more often than its rivals?",
        legend=[
            "Tilt: mean sign of printed minus ours over the cells of the own column, minus that of "
            "its rivals, from −2 to 2; a sign is 0 within half a unit of the last digit. Signs "
            "also count differences of .0002, so the mean differences stand beside it.",
            f"p: {draws:,} draws that give *own* to a random method within each table and data "
            "set, with all its indices together; two-sided. Holm: over the papers, one row each: "
            "the first reading of the first own column.",
            "primary: cells that could be compared. A method without a reading keeps the counted "
            "one. Data sets without a rival take no part.",
            "Controls: DISC under *released* has the random numbers of its program, under "
            "*literal* and *repaired* it has others; DILCA under *reconciled* is deterministic.",
            "Rivals on one data set share our preparation. Rivals are those that we could run.",
            *(line.format(protocol=protocol) for line in CANNOT),
        ],
        data_columns=[
            *("paper", "own", "reading", "case", "strata", "methods"),
            *("own_above", "own_below", "own_equal"),
            *("rivals_above", "rivals_below", "rivals_equal", "own_difference"),
            *("rivals_difference", "tilt", "p", "p_holm", "tilt_difference", "p_difference"),
            "says",
        ],
    )


def _cases(cells: pd.DataFrame, entry: Mapping[str, Any]) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield names and cells of the primary choice, and of those of the sensitivity."""
    counted = comparable(cells)
    yield PRIMARY, counted
    if len(counted) < len(cells):
        yield "all cells", cells
    metrics = [name for name in INDICES if name in set(counted["metric"])]
    for name in metrics if len(metrics) > 1 else ():
        yield name, counted[counted["metric"] == name]
    for name in entry["artefacts"] if not entry.get("joined") else ():
        if len(entry["artefacts"]) > 1:
            yield name, counted[counted["artefact"] == name]
    for name, left_out in entry.get("without", {}).items():
        yield f"without {name}", counted[~counted["method"].isin(left_out)]
    yield "within noise as 0", noise_is_equal(counted)


def _row(paper: str, own: str, reading: str, case: str, found: Tilt) -> dict[str, Any]:
    sides = ("above", "below", "equal")
    return {
        **{"paper": paper, "own": own, "reading": reading, "case": case, "found": found},
        **{"strata": found.strata, "methods": found.methods},
        **dict(zip((f"own_{side}" for side in sides), found.own, strict=True)),
        **dict(zip((f"rivals_{side}" for side in sides), found.rivals, strict=True)),
        "own_difference": found.own_difference,
        "rivals_difference": found.rivals_difference,
        **{"tilt": found.tilt, "p": found.p, "p_holm": None},
        **{"tilt_difference": found.tilt_difference, "p_difference": found.p_difference},
        "says": found.says(),
    }


def _signs(row: Mapping[str, Any], side: str) -> str:
    return ":".join(str(row[f"{side}_{kind}"]) for kind in ("above", "below", "equal"))


def _p_text(p: float) -> str:
    return f"{p:.2f}" if p >= 0.1 else f"{p:.2g}"


def same_print(job: Job, cells: pd.DataFrame, *, same: Mapping[str, Mapping[str, str]]) -> Sheet:
    """Cells of one method, data set and score that are printed in two places.

    `same` gives methods that several papers compare with: their ids by paper, by name.
    """
    printed = _printed_cells(job, same)
    rows: dict[tuple[str, ...], list[tuple[str, float]]] = {}
    for (source, method, metric), found in printed.groupby(["source", "name", "metric"]):
        for one, other in combinations(found.to_dict("records"), 2):
            places = f"{one['paper']} {one['artefact']}", f"{other['paper']} {other['artefact']}"
            if places[0] != places[1]:
                gap = float(one["value"]) - float(other["value"])
                rows.setdefault((method, metric, *places), []).append((source, gap))
    data = [
        {
            **dict(zip(("method", "metric", "first", "second"), key, strict=True)),
            "across": "yes" if key[2].split()[0] != key[3].split()[0] else "no",
            **{"cells": len(gaps), "identical": sum(abs(gap) < _SAME for _, gap in gaps)},
            "largest": max(abs(gap) for _, gap in gaps),
            "different": ", ".join(
                f"{source} {gap:+.4g}" for source, gap in gaps if abs(gap) >= _SAME
            ),
        }
        for key, gaps in rows.items()
    ]
    data.sort(key=lambda row: (row["across"] == "no", row["first"], row["second"]))
    between = [row for row in data if row["across"] == "yes"]
    inside = [row for row in data if row["across"] == "no"]
    return Sheet.of(
        job,
        "",
        f"Between papers: {_identical(between)}. Between tables of one paper: "
        f"{_identical(inside)}.",
        [
            *words(method="Method", metric="score", first="printed in", second="and in"),
            Column("cells", "cells"),
            Column("identical", "identical"),
            Column("largest", "largest difference", digits=4),
            *words(different="first minus second, where different"),
        ],
        data,
        title="Cells that are printed twice",
        legend=[
            "Identical: equal to six digits. The same data set of two papers may be prepared "
            "differently. Methods of two papers are taken as the same if both name them alike: "
            + ", ".join(same)
            + ".",
        ],
    )


_SAME = 5e-7
"""Smallest difference of numbers that differ in six digits."""


def _printed_cells(job: Job, same: Mapping[str, Mapping[str, str]]) -> pd.DataFrame:
    """Return the printed scores with the source of their data set, and a name of the method."""
    parts = []
    for paper, sources in job.need("papers").items():
        found = numbers(load(paper, Path(job.need("published"))))
        found = found[found["metric"].isin(INDICES)]
        shared = {ids[paper]: name for name, ids in same.items() if paper in ids}
        names = found["method_id"].map(lambda one, shared=shared: shared.get(one, ""))
        own = paper + " " + found["method"]
        parts.append(
            found.assign(
                source=found["dataset_id"].map(sources), name=names.where(names != "", own)
            )
        )
    cells = pd.concat(parts)
    return cells[cells["source"].notna() & (cells["method_id"] != "")]


def _identical(rows: Sequence[Mapping[str, Any]]) -> str:
    total, same = (sum(row[key] for row in rows) for key in ("cells", "identical"))
    return f"{same} of {total} pairs of cells are identical" if total else "no cell twice"
