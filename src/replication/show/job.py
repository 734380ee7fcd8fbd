"""The specification and the input files of one artefact."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from replication.data.label_sets import SCORE_COLUMNS
from replication.errors import UserError
from replication.files import read_rows
from replication.judge import independent
from replication.judge.cells import ABSENT_DATASET, Ours, not_run, verdict_row
from replication.judge.published import numbers
from replication.judge.verdicts import (
    DIFFERS,
    EXACT,
    WITHIN_NOISE,
    applying,
    printed_number,
    verdict,
)
from replication.plan.layout import NO_DATASET
from replication.run.records import Records, available
from replication.steps import OK, generator


class Job(Records):
    """Specification and inputs of the step that builds one artefact.

    Parameters
    ----------
    spec : dict
        ``paper``, ``artefact``, ``kind``, ``label``, ``readings``, ``datasets``, ``left_out``,
        ``inputs``, ``seed`` if it uses random numbers, and further keys of its kind.

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
        super().__init__(self.need("inputs"), f"--spec of {self.paper}/{self.artefact}")

    def rng(self, *names: str) -> np.random.Generator:
        """Return a random generator, seeded by the study seed, the ids and the names."""
        return generator(self.need("seed"), self.paper, self.artefact, *names)

    def need(self, key: str) -> Any:
        """Return the value of a key of the specification.

        Raises `UserError` if the key is missing.
        """
        if key not in self.spec:
            place = "/".join(str(self.spec.get(name, "?")) for name in ("paper", "artefact"))
            raise UserError(f"--spec of {place} lacks {key!r}")
        return self.spec[key]

    def missing(self, dataset: str) -> str:
        """Return why a data set was not computed; empty if it was."""
        return self.left_out.get(dataset, "" if dataset in self.datasets else ABSENT_DATASET)

    def computed(self) -> bool:
        """Return whether there is anything to show: a data set, and a record of an experiment.

        Of the data sets that the artefact lists, one must be within the limits, unless an
        experiment made tables of its own. If experiments are its only inputs, one of them must have
        computed a data set, if it was run on one of them at all.
        """
        own = {name for name in self.datasets if not self.missing(name)}
        experiments = self.spec.get("experiments", ())
        others = any(one["role"] != "experiment" for one in self.spec["inputs"])
        if self.datasets and not own:
            return not others and any(map(self._made_tables, experiments))
        return others or not experiments or any(map(self._has_records, experiments))

    def _made_tables(self, experiment: str) -> bool:
        """Return whether an experiment has records that belong to no data set."""
        return bool(self.ok(experiment)["dataset"].fillna("").isin(["", NO_DATASET]).any())

    def _has_records(self, experiment: str) -> bool:
        done = self.ok(experiment)
        apart = not {*done["dataset"]} & {*self.datasets}
        shared = {*self.records(experiment)["dataset"]} & {*self.datasets}
        return len(done) > 0 and not (apart and shared)

    def records(self, experiment: str) -> pd.DataFrame:
        """Records of an experiment over all data sets that were computed, see `Records.frame`.

        Raises `UserError` if the artefact has no such input.
        """
        if experiment not in self.spec.get("experiments", ()):
            raise UserError(
                f"{self._place}: no input of experiment {experiment!r}; "
                "name it under `experiments` of the artefact"
            )
        return self.frame("experiment", experiment=experiment)

    def ok(self, experiment: str) -> pd.DataFrame:
        """Return the records of an experiment on the available data sets."""
        return available(self.records(experiment))

    def rows(self, experiment: str) -> list[dict[str, Any]]:
        """Return the records of `ok` as mappings."""
        return self.ok(experiment).to_dict("records")

    def each(self, experiment: str) -> Iterator[tuple[dict[str, str], pd.DataFrame]]:
        """Yield id and printed name of each data set with records, and its part of `ok`."""
        parts = dict(list(self.ok(experiment).groupby("dataset")))
        for dataset in self.datasets:
            if dataset in parts:
                yield {"dataset": dataset, "printed_name": self.printed(dataset)}, parts[dataset]

    def absent(self, experiment: str, *datasets: str) -> str:
        """Return why an experiment lacks some data sets; empty if it has them all."""
        records = self.records(experiment)
        for name in datasets:
            if reason := self.missing(name):
                return reason
            rows = records[records["dataset"] == name]
            if not (rows["status"] == OK).any():
                return rows.iloc[0]["reason"] if len(rows) else "no record of the data set"
        return ""

    def not_run(self, experiment: str) -> list[str]:
        """Return a line for the legend that names the data sets without records, if any."""
        reasons = {self.printed(name): self.absent(experiment, name) for name in self.datasets}
        names = "; ".join(f"{name}: {reason}" for name, reason in reasons.items() if reason)
        return [f"Not run: {names}."] if names else []

    def printed(self, dataset: str) -> str:
        """Return the printed name of a data set."""
        return self.datasets[dataset]["printed"]

    def choice(self, question: str, reading: str) -> str:
        """Return the answer of a reading to a question of the catalogue of readings.

        Raises `UserError` if the specification has no answer.
        """
        try:
            return self.need("choices")[reading][question]
        except KeyError as error:
            raise UserError(f"{self._place}: choices lack {reading}.{question}") from error

    def judge(self, cell: Mapping[str, str], ours: Ours, reading: str) -> dict[str, Any]:
        """Return the verdict row of one printed cell under a reading."""
        row = self._judged(cell, ours, reading)
        return row | self._independent(cell, ours, row["verdict"])

    def _judged(self, cell: Mapping[str, str], ours: Ours, reading: str) -> dict[str, Any]:
        """Return the verdict row without what others found."""
        if isinstance(ours.values, str):
            return not_run(cell, ours.values, reading=reading)
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
            ours.values,
            notes=notes,
            printed_sd=float(cell["std"]) if cell["std"] else ours.printed_sd,
            printed_runs=ours.printed_runs,
            possible=ours.possible,
            reason=ours.reason,
        )
        return verdict_row(cell, judged, ours, reading=reading)

    @cached_property
    def scores_of_others(self) -> list[dict[str, str]]:
        """Scores of sets of runs of others; empty if they could not be obtained."""
        return [row for path in self.files("independent") for row in read_rows(path, SCORE_COLUMNS)]

    def others(self, dataset: str, method: str, metric: str) -> independent.Pooled | None:
        """Return the pooled runs of others for a printed cell; None if there are none."""
        about = self.spec.get("independent", {})
        theirs = about.get("methods", {}).get(method)
        if not theirs or metric not in about["metrics"] or dataset not in about["datasets"]:
            return None
        rows = [
            {**row, "difference": about.get("other", {}).get(dataset, "")}
            for row in self.scores_of_others
            if row["method"] == theirs
            and row["source"] in about["pooled"][theirs]
            and row["dataset"] == about["datasets"][dataset]
            and row["index"] == about["metrics"][metric]
        ]
        return independent.pool(rows, about["sources"])

    def _independent(self, cell: Mapping[str, str], ours: Ours, judged: str) -> dict[str, Any]:
        """Return the cells of a verdict row about the runs of others; empty without any."""
        found = self.others(cell["dataset_id"], cell["method_id"], cell["metric"])
        if found is None:
            return {}
        values = None if isinstance(ours.values, str) else ours.values
        return {
            "independent": found.mean,
            "independent_se": found.error,
            "independent_runs": found.runs,
            "independent_from": found.origin,
            "independent_says": independent.sentence(
                printed_number(cell["printed"]),
                self.spec["independent"]["runs"],
                judged in (EXACT, WITHIN_NOISE),
                values,
                found,
            ),
        }

    def judged(
        self,
        cells: pd.DataFrame,
        ours: Callable[[Mapping[str, str], str], Ours],
        readings: Sequence[str] | Callable[[Mapping[str, str]], Sequence[str]] = (),
    ) -> list[dict[str, Any]]:
        """Return the verdict rows of the printed numbers, with further columns of the table.

        Parameters
        ----------
        cells : DataFrame
            Printed cells; cells without a number are left out.
        ours : callable
            Returns our number for a cell and a reading.
        readings : sequence of str, or callable
            Readings of all cells, or a function from a cell to its readings, the counted one
            first; those of the job if empty.

        Returns
        -------
        list of dict
            Rows of `verdict_row` with ``printed_name``, ``printed_value`` and `Ours.more`, cell by
            cell, and reading by reading in each cell.
        """
        found = []
        for cell in numbers(cells).to_dict("records"):
            first = ""
            # `numbers` leaves out cells without a value
            shown = {"printed_name": cell["dataset"], "printed_value": float(cell["value"])}
            wanted = readings(cell) if callable(readings) else readings
            for reading in wanted or self.readings:
                one = ours(cell, reading)
                row = self.judge(cell, one, reading)
                if row["verdict"] == DIFFERS and one.if_differs:
                    row = self.judge(cell, replace(one, reason=one.if_differs(first)), reading)
                first = first or row["verdict"]
                found.append({**row, **shown, **one.more})
        return found
