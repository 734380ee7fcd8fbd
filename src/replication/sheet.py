"""What every table of a paper is made of: its job, its columns, its verdicts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from replication.errors import UserError
from replication.inputs import expand
from replication.published import numbers
from replication.status import OK
from replication.steps import load_class
from replication.verdicts import NOT_RUN, Reproduced, Verdict, applying, verdict

if TYPE_CHECKING:
    import pandas as pd

VERDICT_COLUMNS = (
    "id",
    "paper",
    "artefact",
    "dataset",
    "method",
    "metric",
    "reading",
    "oracle",
    "setting",
    "printed",
    "reproduced",
    "sd",
    "spread_min",
    "spread_max",
    "orders",
    "samples",
    "trials",
    "verdict",
    "difference",
    "reason",
)
ABSENT_METHOD = "method not part of this workflow yet"
ABSENT_DATASET = "data set not part of this workflow yet"
ABSENT_ARTEFACT = "artefact not part of this workflow yet"
NO_DATASET = "none of its data sets was computed"


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


class Job:
    """Specification and inputs of the step that builds one artefact.

    Parameters
    ----------
    spec : dict
        ``paper``, ``artefact``, ``kind``, ``label``, ``readings``, ``datasets``, ``left_out``,
        ``inputs``, and what the kind of artefact needs besides.

    Raises
    ------
    UserError
        If a key is missing.
    """

    def __init__(self, spec: Mapping[str, Any]) -> None:
        self.spec = spec
        self.paper: str = self.need("paper")
        self.artefact: str = self.need("artefact")
        self.label: str = self.need("label")
        self.readings: list[str] = self.need("readings")
        self.datasets: dict[str, dict[str, Any]] = {one["id"]: one for one in self.need("datasets")}
        self.methods: dict[str, dict[str, Any]] = {one["id"]: one for one in self.need("methods")}
        self.left_out: dict[str, str] = {
            one["dataset"]: one["reason"] for one in self.need("left_out")
        }
        self.inputs: list[dict[str, str]] = expand(self.need("inputs"))

    def need(self, key: str) -> Any:
        """Value under a key of the specification; `UserError` if it is missing."""
        if key not in self.spec:
            place = "/".join(str(self.spec.get(name, "?")) for name in ("paper", "artefact"))
            raise UserError(f"--spec of {place} lacks {key!r}")
        return self.spec[key]

    def missing(self, dataset: str) -> str:
        """Why a data set was not computed; empty if it was."""
        if dataset in self.left_out:
            return self.left_out[dataset]
        return "" if dataset in self.datasets else ABSENT_DATASET

    def file(self, role: str, **wanted: str) -> Path:
        """Input file of a role.

        Parameters
        ----------
        role : str
            ``trials``, ``similarity``, ``tables``, ``facts`` or ``experiment``.
        **wanted : str
            Any of ``dataset``, ``method``, ``reading``, ``preparation``, ``measure``,
            ``experiment``.

        Raises
        ------
        UserError
            If not exactly one input fits.
        """
        fitting = {
            one["file"]
            for one in self.inputs
            if one["role"] == role and all(one.get(key) == value for key, value in wanted.items())
        }
        if len(fitting) != 1:
            asked = ", ".join(f"{key} {value}" for key, value in wanted.items())
            raise UserError(
                f"--spec of {self.paper}/{self.artefact}: {len(fitting)} inputs with role {role!r} "
                f"for {asked}; want 1"
            )
        return Path(fitting.pop())

    def records(self, experiment: str) -> pd.DataFrame:
        """Records of an experiment over all data sets that were computed.

        Columns that hold numbers are numbers; rows of data sets that could not be had carry
        another ``status`` than ``ok``.

        Raises
        ------
        UserError
            If the artefact has no such input.
        """
        import pandas as pd

        files = [
            one["file"]
            for one in self.inputs
            if one["role"] == "experiment" and one["experiment"] == experiment
        ]
        if not files:
            if experiment in self.spec.get("experiments", ()):
                return pd.DataFrame(columns=["dataset", "status", "reason"])
            raise UserError(
                f"--spec of {self.paper}/{self.artefact}: no input of experiment {experiment!r}; "
                "name it under `experiments` of the artefact"
            )
        frames = [pd.read_csv(file, keep_default_na=False, na_values=[""]) for file in files]
        return pd.concat(frames, ignore_index=True)

    def choice(self, question: str, reading: str) -> str:
        """Choice that a reading takes on a question of the catalogue of readings.

        Raises
        ------
        UserError
            If the specification does not say.
        """
        try:
            return self.need("choices")[reading][question]
        except KeyError as error:
            raise UserError(
                f"--spec of {self.paper}/{self.artefact}: choices lack {reading}.{question}"
            ) from error

    def judge(
        self,
        cell: Mapping[str, str],
        values: Reproduced,
        *,
        reading: str,
        oracle: bool = False,
        setting: str = "",
        trials: int = 0,
        printed_runs: int = 1,
        reason: str = "",
    ) -> dict[str, Any]:
        """Verdict row of one printed cell.

        Parameters
        ----------
        cell : mapping
            Row of the published numbers.
        values : Reproduced
            What was computed for it.
        reading : str
            Reading that the number belongs to.
        oracle : bool
            Whether class labels took part in the choice of the setting.
        setting : str
            Parameter setting, such as ``sigma=0.4``.
        trials : int
            Clusterings behind the number.
        printed_runs : int
            Runs behind the printed number.
        reason : str
            What the builder has to say.
        """
        notes = applying(
            self.spec.get("notes", ()),
            artefact=self.artefact,
            dataset=cell["dataset_id"],
            method=cell["method_id"],
            metric=cell["metric"],
            reading=reading,
        )
        judged = verdict(
            cell["printed"],
            values,
            notes=notes,
            printed_sd=float(cell["std"]) if cell["std"] else None,
            printed_runs=printed_runs,
            reason=reason,
        )
        return verdict_row(
            cell,
            judged,
            values,
            reading=reading,
            oracle=oracle,
            setting=setting,
            trials=trials,
        )


def verdict_row(
    cell: Mapping[str, str],
    judged: Verdict,
    values: Reproduced,
    *,
    reading: str,
    oracle: bool = False,
    setting: str = "",
    trials: int = 0,
) -> dict[str, Any]:
    """Row of the ledger, by `VERDICT_COLUMNS`."""
    low, high = values.spread if values.spread is not None else (None, None)
    ran = values.value is not None
    return {
        "id": cell["id"],
        "paper": cell["paper"],
        "artefact": cell["artefact"],
        "dataset": cell["dataset_id"],
        "method": cell["method_id"],
        "metric": cell["metric"],
        "reading": reading,
        "oracle": "yes" if oracle else "no",
        "setting": setting,
        "printed": cell["printed"],
        "reproduced": values.value,
        "sd": values.sd,
        "spread_min": low,
        "spread_max": high,
        "orders": values.orders if ran else None,
        "samples": values.runs if ran else None,
        "trials": trials if ran else None,
        "verdict": judged.verdict,
        "difference": judged.difference,
        "reason": judged.reason,
    }


def not_run(cell: Mapping[str, str], reason: str, *, reading: str) -> dict[str, Any]:
    """Verdict row of a cell for which nothing was computed."""
    return verdict_row(cell, Verdict(NOT_RUN, reason, None), Reproduced(None), reading=reading)


def number(value: float | None, digits: int, scale: int = 1) -> str:
    """Text of a number in a readable table, without a sign on zero; empty for None."""
    if value is None:
        return ""
    text = f"{value * scale:.{digits}f}"
    return text.removeprefix("-") if float(text) == 0 else text


def tally(rows: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """Number of rows per verdict."""
    counts: dict[str, int] = {}
    for row in rows:
        counts[row["verdict"]] = counts.get(row["verdict"], 0) + 1
    return counts


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
