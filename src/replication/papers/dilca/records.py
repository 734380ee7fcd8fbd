"""Clusterings of DILCA's methods: their scores at the setting that a reading picks."""

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
from replication.run.selection import FIXED, RULES, select
from replication.show.job import Job
from replication.steps import OK, setting_text

RECONCILED = "reconciled"
"""The first reading. The reading `FIXED` is its pipeline at a setting that needs no labels."""
PAPER = "paper"
"""Key of the columns with printed numbers."""
DILCA = ("dilca_m", "dilca_rr")
ALGORITHMS = ("delta", "rock", "limbo")
INDICES = {"purity": "purity", "nmi": "NMI", "ari": "ARI"}
"""Names of the indices of Figs 3 to 11."""

NMI_COLUMNS = {"sqrt": "nmi_sqrt", "arithmetic": "nmi_arithmetic", "max": "nmi_max"}
PURITY_COLUMNS = {"inverse": "inverse_purity", "eq5": "purity", "matching": "accuracy"}


@dataclass(frozen=True)
class Score:
    """One of the three indices of Figs 3 to 11.

    Attributes
    ----------
    name : str
        Name in a sentence.
    question : str
        Question in ``config/readings.yaml`` that decides which column is compared; may be empty.
    columns : dict
        Column of the records, by the answer to the question.
    digits, scale : int
        Decimals in a table, and factor: 100 for percent.
    lowest : float or None
        Lowest possible number; None for 1/k with k clusters. The highest is 1.
    """

    name: str
    question: str
    columns: Mapping[str, str]
    digits: int
    scale: int
    lowest: float | None

    @property
    def shown(self) -> dict[str, Any]:
        """Options of a `Column` that shows our score with its verdict."""
        return {"digits": self.digits, "scale": self.scale, "judged": True}

    def column(self, job: Job, reading: str = "") -> str:
        """Return the column that is compared under a reading.

        A reading that is none of the job's, such as `FIXED`, compares as the first one does.
        """
        read = reading if reading in job.readings else job.readings[0]
        return self.columns[job.choice(self.question, read) if self.question else ""]


SCORES = {
    "purity": Score("Purity", "dilca.purity", PURITY_COLUMNS, 2, 100, None),
    "nmi": Score("Normalised mutual information", "dilca.nmi", NMI_COLUMNS, 4, 1, 0.0),
    "ari": Score("Adjusted Rand index", "", {"": "ari"}, 4, 1, -0.5),
}

MARK_LEGEND = legend_of_marks(
    "the printed number lies in our range over row orders or samples",
    "class labels were used to choose the setting or to discretise numeric attributes",
)


def ends(values: Sequence[str]) -> str:
    """Join the first and the last of several values by a dash; a single value stays as it is."""
    return values[0] if len(values) == 1 else f"{values[0]}–{values[-1]}"


def over_samples(values: Sequence[float]) -> Reproduced:
    """Return mean, standard deviation and range of numbers, one per random sample.

    A single number, of a data set without samples, has neither deviation nor range.
    """
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
    """Records of one data set, method and reading, at the picked parameter setting.

    Attributes
    ----------
    records : DataFrame
        One clustering per random sample and row order.
    parameter : str
        Name of the parameter, such as ``sigma``; empty if the method has none.
    settings : list of str
        Picked values of the parameter; several if they differ between samples.
    absent : str
        Reason for missing records; empty if there are records.
    """

    records: pd.DataFrame = field(default_factory=pd.DataFrame)
    parameter: str = ""
    settings: Sequence[str] = ()
    absent: str = ""

    @property
    def setting(self) -> str:
        """Setting as text: ``sigma=0.4``, ``sigma=0.1;0.4``, or empty without a parameter."""
        return f"{self.parameter}={';'.join(self.settings)}" if self.parameter else ""

    @property
    def label_cuts(self) -> str:
        """Attributes that were cut with the class labels, separated by blanks."""
        return "" if self.absent else self.records["label_cuts"].iloc[0]

    def ours(self, job: Job, cell: Mapping[str, str], reading: str, **more: Any) -> Ours:
        """Return our number for a printed cell; `more` are further columns of the data."""
        method, score, possible = job.methods[cell["method_id"]], SCORES[cell["metric"]], None
        if not self.absent:
            # range of the score for this number of clusters
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
        """Return one score: its value is that of the file order, its spread that of all orders."""
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
    """Group the records of the step `trials` by data set, method and reading."""
    records = job.frame("trials").fillna({"label_cuts": ""})
    return dict(list(records.groupby(["dataset", "method", "reading"], sort=False)))


COUNTED, ERRORS = VARIANTS = ("counted", "errors")
"""Settings under which the experiment `generated` makes SynA to SynD; the first is counted."""


@cache
def made_tables(job: Job) -> pd.DataFrame:
    """Return the records of the experiment `generated`; without rows if the artefact has none."""
    columns = ["dataset", "variant", "method", "stated"]
    if "generated" not in job.spec.get("experiments", ()):
        return pd.DataFrame(columns=columns)
    made = job.ok("generated")
    # a run without these data sets has no record, and so no further column
    return made if len(made) else pd.DataFrame(columns=columns)


def clustered(job: Job, dataset: str, method: str, variant: str) -> pd.DataFrame:
    """Return the clusterings of generated tables at stated settings, as `trials` has them."""
    rows = made_tables(job)
    rows = rows[(rows["dataset"] == dataset) & (rows["variant"] == variant)]
    rows = rows[(rows["method"] == method) & (rows["stated"] == True)]  # noqa: E712 - may be empty
    return rows.assign(order=0, moved=0.0, label_cuts="")


def trials(job: Job, dataset: str, method: str, reading: str, variant: str = "") -> pd.DataFrame:
    """Return the records of a data set and method; `FIXED` shares those of the first reading.

    Of a generated data set these are the records of all its tables, if the artefact has them, but
    for readings other than the first. `variant` names another setting of the generator.
    """
    if reading in (job.readings[0], FIXED):
        rows = clustered(job, dataset, method, variant or COUNTED)
        if len(rows):
            return rows
    return _trials(job)[dataset, method, job.readings[0] if reading == FIXED else reading]


def in_file_order(records: pd.DataFrame) -> pd.DataFrame:
    """Return the records of clusterings in the row order of the file."""
    return records[records["order"] == 0]


def pick(job: Job, dataset: str, method: str, reading: str, variant: str = "") -> Picked:
    """Return the records at the setting that a reading picks, sample by sample.

    `variant` names another setting of the generator than the counted one.
    """
    if absent := job.missing(dataset):
        return Picked(absent=absent)
    entry, records = job.methods[method], trials(job, dataset, method, reading, variant)
    if records["status"].iloc[0] != OK:
        return Picked(absent=records["reason"].iloc[0])
    if not entry["grid"]:
        return Picked(records)
    (parameter,) = entry["grid"]
    rule = FIXED if reading == FIXED else entry["select"] or FIXED
    chosen = {
        sample: select(tried.to_dict("list"), rule, entry["fixed"])
        for sample, tried in in_file_order(records).groupby("sample", sort=False)
    }
    kept = records[records["setting"] == records["sample"].map(chosen)]
    return Picked(kept, parameter, sorted({setting_text(one) for one in chosen.values()}))


def is_oracle(method: Mapping[str, Any]) -> bool:
    """Tell whether the setting of a method is chosen with the class labels."""
    return method["select"] in RULES


def gives(printed: str, ours: float) -> bool:
    """Tell whether our number has the printed digits."""
    return equals_printed(printed_number(printed), ours)


def kinds_met(printed: str, picked: Picked) -> list[str]:
    """Return the kinds of purity, keys of `PURITY_COLUMNS`, that give the printed digits."""
    return [
        kind
        for kind, column in PURITY_COLUMNS.items()
        if gives(printed, picked.reproduced(column).number)
    ]


def settings_met(
    job: Job, dataset: str, method: str, printed: str, column: str, reading: str = FIXED
) -> list[str]:
    """Return the settings that give the printed digits in file order, as ``sigma 0.2, 0.5``."""
    rows = in_file_order(trials(job, dataset, method, reading))
    pairs = rows.loc[rows["sample"] == 0, ["setting", column]].itertuples(index=False)
    met = [setting_text(setting) for setting, ours in pairs if gives(printed, ours)]
    return [f"{name} {', '.join(met)}" for name in job.methods[method]["grid"] or () if met]


def in_order_of(frame: pd.DataFrame, names: Iterable[str], *columns: str) -> pd.DataFrame:
    """Sort rows by some columns: names in the given order, other values ascending."""
    place = {name: i for i, name in enumerate(names)}
    return frame.sort_values(
        [*columns], key=lambda column: column.map(lambda one: place.get(one, one)), kind="stable"
    )


def against_first(first: str, verdict: str) -> str:
    """Compare a number with the first reading, in words, from the verdict of that reading."""
    said = {
        EXACT: "gives the printed digits",
        WITHIN_NOISE: "has the printed number within noise",
        DIFFERS: "does not give it either",
    }
    return f"the {first} reading {said[verdict]}" if verdict in said else ""
