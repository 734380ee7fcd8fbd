"""What every table of a paper is made of: its job, its columns, its verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from replication.judge.cells import NO_DATASET, not_run
from replication.judge.published import numbers
from replication.steps import OK, load_class

if TYPE_CHECKING:
    import pandas as pd

    from replication.show.job import Job


@dataclass(frozen=True)
class Column:
    """One column of a readable table.

    Attributes
    ----------
    key : str
        Key of the cell in the rows.
    head : str
        Heading.
    group : str
        Heading over several neighbouring columns; empty for none.
    text : bool
        Whether the cells are words (set flush left) and not numbers.
    """

    key: str
    head: str
    group: str = ""
    text: bool = False


@dataclass(frozen=True)
class Sheet:
    """One reproduced artefact: readable table, data behind it, verdicts.

    Attributes
    ----------
    name : str
        Paper and artefact, such as ``dilca-fig03``.
    title, caption : str
        Heading, and what to see.
    columns : sequence of Column
        Columns of the readable table; the first one names the row.
    rows : list of dict
        Cells of the readable table by column key; missing ones are empty.
    legend : sequence of str
        Lines below the table.
    data : list of dict
        Everything that the table and its figure show, one number a row.
    data_columns : sequence of str
        Keys of `data`, in order.
    verdicts : list of dict
        One row per printed number and reading, by `VERDICT_COLUMNS`.
    """

    name: str
    title: str
    caption: str
    columns: Sequence[Column]
    rows: list[dict[str, str]]
    data: list[dict[str, Any]]
    data_columns: Sequence[str]
    legend: Sequence[str] = ()
    verdicts: list[dict[str, Any]] = field(default_factory=list)


def number(value: float | None, digits: int, scale: int = 1) -> str:
    """Text of a number in a readable table, without a sign on zero; empty for None."""
    if value is None:
        return ""
    text = f"{value * scale:.{digits}f}"
    return text.removeprefix("-") if float(text) == 0 else text


def build(job: Job, cells: pd.DataFrame) -> Sheet:
    """Build one artefact.

    Parameters
    ----------
    job : Job
        Specification of the step; its ``kind`` names a function of
        ``replication.papers.<paper>.tables``.
    cells : DataFrame
        Printed cells of the paper.

    Raises
    ------
    UserError
        If there is no such function, or an input is missing.
    """
    kind = load_class(f"replication.papers.{job.paper}.tables:{job.need('kind')}")
    # an artefact of ours may look at what others print, without judging it again
    wanted = [job.artefact, *job.spec.get("parameters", {}).get("printed_in", [])]
    shown = cells[cells["artefact"].isin(wanted)]
    experiments = job.spec.get("experiments", ())
    if experiments and not any((job.records(name)["status"] == OK).any() for name in experiments):
        return _nothing_computed(job, cells[cells["artefact"] == job.artefact])
    return kind(job, shown)


def _nothing_computed(job: Job, cells: pd.DataFrame) -> Sheet:
    """Sheet of an artefact none of whose data sets was computed: every number is not run."""
    reasons = {job.spec["left_out"][0]["reason"]} if job.left_out else set()
    for name in job.spec["experiments"]:
        reasons |= set(job.records(name)["reason"].dropna())
    reason = "; ".join(sorted(reasons)) or NO_DATASET
    return Sheet(
        name=f"{job.paper}-{job.artefact}",
        title=f"{job.label}: not run",
        caption=f"Not run: {reason}.",
        columns=[
            Column("artefact", "Artefact", text=True),
            Column("status", "status", text=True),
        ],
        rows=[],
        data=[],
        data_columns=["artefact"],
        verdicts=[
            not_run(cell, reason, reading=job.readings[0])
            for cell in numbers(cells).to_dict("records")
        ],
    )
