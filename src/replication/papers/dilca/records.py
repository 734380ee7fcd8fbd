"""Records of the step `trials`, one setting of them, and how their numbers are shown."""

import statistics
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import pandas as pd

from replication.judge.cells import Ours, legend_of_marks, mean_moved
from replication.judge.verdicts import (
    DIFFERS,
    EXACT,
    WITHIN_NOISE,
    Reproduced,
    equals_printed,
    printed_number,
)
from replication.run.selection import FIXED, select
from replication.show.job import Job
from replication.steps import OK, setting_text

RECONCILED = "reconciled"
"""The first reading. `FIXED`, too, is one: its pipeline at a setting that needs no labels."""
PAPER = "paper"
"""Column key of the printed numbers; ``printed`` is the id of a reading."""
DILCA = ("dilca_m", "dilca_rr")
ALGORITHMS = ("delta", "rock", "limbo")

NMI_COLUMNS = {"sqrt": "nmi_sqrt", "arithmetic": "nmi_arithmetic", "max": "nmi_max"}
PURITY_COLUMNS = {"inverse": "inverse_purity", "eq5": "purity", "matching": "accuracy"}


@dataclass(frozen=True)
class Score:
    """One of the three indices of Figs 3 to 11.

    Attributes
    ----------
    name : str
        In words.
    question : str
        Question of the catalogue of readings that decides the column; empty if there is none.
    columns : dict
        Column of the records by the choice taken.
    digits, scale : int
        How it is shown: percent are a scale of 100.
    lowest : float or None
        Lowest possible number; None for 1/k with k clusters. The highest is 1.
    """

    name: str
    question: str
    columns: Mapping[str, str]
    digits: int
    scale: int
    lowest: float | None

    def column(self, job: Job, reading: str = "") -> str:
        """Column that is compared under a reading of the job; other readings take the first."""
        read = reading if reading in job.readings else job.readings[0]
        return self.columns[job.choice(self.question, read) if self.question else ""]


SCORES = {
    "purity": Score("Purity", "dilca.purity", PURITY_COLUMNS, 2, 100, None),
    "nmi": Score("Normalised mutual information", "dilca.nmi", NMI_COLUMNS, 4, 1, 0.0),
    "ari": Score("Adjusted Rand index", "", {"": "ari"}, 4, 1, -0.5),
}

MARK_LEGEND = legend_of_marks(
    "the printed number lies in our range over row orders or samples",
    "class labels took part, in the choice of the setting or in the cuts of numeric attributes",
)


def ends(values: Sequence[str]) -> str:
    """The first and the last of several values with a dash between them, or the only one."""
    return values[0] if len(values) == 1 else f"{values[0]}–{values[-1]}"


def over_samples(values: Sequence[float]) -> Reproduced:
    """One number per random sample: their mean, standard deviation and range; or the only one."""
    if len(values) == 1:
        return Reproduced(values[0])
    return Reproduced(
        statistics.fmean(values),
        sd=statistics.stdev(values),
        runs=len(values),
        spread=(min(values), max(values)),
        sampled=True,
    )


@dataclass(frozen=True)
class Picked:
    """Records of one data set, method and reading, at one parameter setting per sample.

    Attributes
    ----------
    records : DataFrame
        Clusterings at the setting, over samples and row orders.
    parameter : str
        What is varied, such as ``sigma``; empty if nothing is.
    settings : list of str
        Values of the parameter; several if samples took different ones.
    absent : str
        Why there are no records.
    """

    records: pd.DataFrame = field(default_factory=pd.DataFrame)
    parameter: str = ""
    settings: Sequence[str] = ()
    absent: str = ""

    @property
    def setting(self) -> str:
        """Text such as ``sigma=0.4``, or ``sigma=0.1;0.4``; may be empty."""
        return f"{self.parameter}={';'.join(self.settings)}" if self.parameter else ""

    @property
    def label_cuts(self) -> str:
        """Attributes that were cut with the class labels."""
        return "" if self.absent else self.records["label_cuts"].iloc[0]

    def ours(self, job: Job, cell: Mapping[str, str], reading: str, **more: Any) -> Ours:
        """Our number for a printed one under a reading; `more` are columns of the data."""
        method, score, possible = job.methods[cell["method_id"]], SCORES[cell["metric"]], None
        if not self.absent:
            # what a clustering into as many clusters can have
            clusters = int(self.records["n_clusters_found"].max())
            possible = (1 / clusters if score.lowest is None else score.lowest), 1.0
        return Ours(
            self.reproduced(score.column(job, reading)),
            oracle=(is_oracle(method) and reading != FIXED) or bool(self.label_cuts),
            setting=self.setting,
            trials=len(self.records),
            possible=possible,
            more={"label": method["label"], **more},
        )

    def reproduced(self, column: str) -> Reproduced:
        """Numbers of one score column: file order is the value, everything is the spread."""
        if self.absent:
            return Reproduced(None, absent=self.absent)
        first, every = in_file_order(self.records), self.records[column].tolist()
        return replace(
            over_samples(first[column].tolist()),
            spread=(min(every), max(every)),
            orders=self.records["order"].nunique(),
            rounding=mean_moved(first["moved"]),
        )


@cache
def _trials(job: Job) -> dict[Hashable, pd.DataFrame]:
    """Records of the step `trials` by data set, method and reading."""
    records = job.frame("trials").fillna({"label_cuts": ""})
    return dict(list(records.groupby(["dataset", "method", "reading"], sort=False)))


def trials(job: Job, dataset: str, method: str, reading: str) -> pd.DataFrame:
    """Records of one data set and method under a reading; `FIXED` has those of the first one."""
    return _trials(job)[dataset, method, job.readings[0] if reading == FIXED else reading]


def in_file_order(records: pd.DataFrame) -> pd.DataFrame:
    """Records of clusterings of the objects in the order of the file."""
    return records[records["order"] == 0]


def pick(job: Job, dataset: str, method: str, reading: str) -> Picked:
    """Records under a reading, at the setting of every sample that the reading takes."""
    if absent := job.missing(dataset):
        return Picked(absent=absent)
    entry, records = job.methods[method], trials(job, dataset, method, reading)
    if records["status"].iloc[0] != OK:
        return Picked(absent=records["reason"].iloc[0])
    if not entry["grid"]:
        return Picked(records)
    (parameter,) = entry["grid"]
    rule = (entry["select"] or {"rule": FIXED})["rule"]
    chosen = {
        sample: float(entry["fixed"][parameter])
        if FIXED in (reading, rule)
        else select(tried["setting"].tolist(), tried.to_dict("list"), rule)
        for sample, tried in in_file_order(records).groupby("sample", sort=False)
    }
    kept = records[records["setting"] == records["sample"].map(chosen)]
    return Picked(kept, parameter, sorted({setting_text(one) for one in chosen.values()}))


def is_oracle(method: Mapping[str, Any]) -> bool:
    """Whether the setting of a method is chosen with the class labels."""
    return bool(method["select"] and method["select"]["oracle"])


def kinds_met(printed: str, picked: Picked) -> list[str]:
    """Kinds of purity, keys of `PURITY_COLUMNS`, that give the printed digits."""
    number = printed_number(printed)
    return [
        kind
        for kind, column in PURITY_COLUMNS.items()
        if equals_printed(number, picked.reproduced(column).number)
    ]


def settings_met(
    job: Job, dataset: str, method: str, printed: str, column: str, reading: str = FIXED
) -> list[str]:
    """Text such as ``sigma 0.2, 0.5``: settings that give the printed digits in file order."""
    rows = in_file_order(trials(job, dataset, method, reading))
    pairs = rows.loc[rows["sample"] == 0, ["setting", column]].itertuples(index=False)
    number = printed_number(printed)
    met = [setting_text(setting) for setting, ours in pairs if equals_printed(number, ours)]
    return [f"{name} {', '.join(met)}" for name in job.methods[method]["grid"] or () if met]


def in_order_of(frame: pd.DataFrame, names: Iterable[str], *columns: str) -> pd.DataFrame:
    """Rows in the order of some columns: that of the names, other values ascending."""
    place = {name: i for i, name in enumerate(names)}
    return frame.sort_values(
        [*columns], key=lambda column: column.map(lambda one: place.get(one, one)), kind="stable"
    )


def against_first(first: str, verdict: str) -> str:
    """Remark on a number of another reading, by the verdict of the first reading."""
    said = {
        EXACT: "gives the printed digits",
        WITHIN_NOISE: "has the printed number within noise",
        DIFFERS: "does not give it either",
    }
    return f"the {first} reading {said[verdict]}" if verdict in said else ""
