"""Records of the step `trials`, one setting of them, and how its numbers are shown."""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from operator import methodcaller
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from replication.errors import UserError
from replication.files import read_json
from replication.judge.cells import legend_of_marks, mean_moved
from replication.judge.verdicts import Reproduced, equals_printed, parse_printed
from replication.run.records import record_rows
from replication.run.selection import FIXED as TAKES_FIXED
from replication.run.selection import select
from replication.show.job import Job
from replication.steps import OK, setting_text

if TYPE_CHECKING:
    import numpy as np

    Row = dict[str, Any]

FIXED = "fixed"
"""Reading id of the first reading's pipeline at a setting that needs no labels."""

PAPER = "paper"
"""Column key of the printed numbers; ``printed`` is the id of a reading."""

NMI_COLUMNS = {"sqrt": "nmi_sqrt", "arithmetic": "nmi_arithmetic", "max": "nmi_max"}
PURITY_COLUMNS = {"inverse": "inverse_purity", "eq5": "purity", "matching": "accuracy"}
KIND_WORDS = {
    "inverse": "inverse purity",
    "eq5": "eq. (5)",
    "matching": "the best one-to-one matching of clusters and classes",
}


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
        """Column that is compared under a reading of the job; what is beside takes the first."""
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
    several = len(values) > 1
    return Reproduced(
        statistics.fmean(values) if several else values[0],
        sd=statistics.stdev(values) if several else None,
        runs=len(values),
        spread=(min(values), max(values)) if several else None,
        sampled=several,
    )


@dataclass(frozen=True)
class Picked:
    """Records of one data set, method and reading, at one parameter setting per sample.

    Attributes
    ----------
    records : list of dict
        Clusterings at the setting, over samples and row orders.
    parameter : str
        What is varied, such as ``sigma``; empty if nothing is.
    settings : list of str
        Values of the parameter; several if samples took different ones.
    absent : str
        Why there are no records.
    """

    records: list[Row]
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
        return self.records[0]["label_cuts"] or "" if self.records else ""

    def possible(self, score: Score) -> tuple[float, float] | None:
        """Lowest and highest number that a clustering into as many clusters can have."""
        if not self.records:
            return None
        clusters = max(row["n_clusters_found"] for row in self.records)
        return (1 / clusters if score.lowest is None else score.lowest), 1.0

    def reproduced(self, column: str) -> Reproduced:
        """Numbers of one score column: file order is the value, everything is the spread."""
        if not self.records:
            return Reproduced(None, absent=self.absent)
        in_file_order = [row for row in self.records if row["order"] == 0]
        every = [row[column] for row in self.records]
        return replace(
            over_samples([row[column] for row in in_file_order]),
            spread=(min(every), max(every)),
            orders=len({row["order"] for row in self.records}),
            rounding=mean_moved(row.get("moved") for row in in_file_order),
        )


def pick(
    records: Sequence[Row],
    rule: str | None = None,
    fixed: Mapping[str, float] | None = None,
) -> Picked:
    """Choose the parameter setting of every sample.

    Parameters
    ----------
    records : sequence of dict
        Records of the step `trials` for one data set, method and reading.
    rule : str or None
        Rule of `replication.run.selection`, applied to every sample in file order.
    fixed : mapping or None
        Parameter and value to take instead.

    Raises
    ------
    UserError
        If several settings were run and nothing decides, or `fixed` was not run.
    """
    if records[0]["status"] != OK:
        return Picked([], absent=records[0]["reason"])
    parameter = records[0]["parameter"]
    chosen: dict[int, float | None] = {}
    for sample in dict.fromkeys(row["sample"] for row in records):
        tried = [row for row in records if row["sample"] == sample and row["order"] == 0]
        settings = [row["setting"] for row in tried]
        if fixed is not None:
            chosen[sample] = float(fixed[parameter])
        elif rule is not None:
            names = (*PURITY_COLUMNS.values(), "nmi_sqrt", "ari")
            scores = {name: [row[name] for row in tried] for name in names}
            chosen[sample] = select(settings, scores, rule)
        elif len(tried) == 1:
            chosen[sample] = settings[0]
        else:
            raise UserError(
                f"{len(tried)} settings of {parameter} were run on {tried[0]['dataset']}, and no "
                "rule selects one; add `select` to the method"
            )
        if chosen[sample] not in settings:
            raise UserError(
                f"{parameter} {setting_text(chosen[sample])} was not run on "
                f"{tried[0]['dataset']}; add it to the grid of the method"
            )
    kept = [row for row in records if row["setting"] == chosen[row["sample"]]]
    return Picked(kept, parameter or "", sorted({setting_text(one) for one in chosen.values()}))


@cache
def _by_reading(path: Path) -> dict[str, list[Row]]:
    """Records of the step `trials`, reading by reading."""
    found: dict[str, list[Row]] = {}
    for row in record_rows(path):
        found.setdefault(row["reading"], []).append(row)
    return found


def _trials(job: Job, dataset: str, method: str, reading: str) -> list[Row]:
    """Records of one data set and method under a reading; `FIXED` has those of the first one.

    Raises
    ------
    UserError
        If there is none.
    """
    path = job.file("trials", dataset=dataset, method=method)
    source = job.readings[0] if reading == FIXED else reading
    if source not in _by_reading(path):
        raise UserError(f"{path}: no records of the reading {source}; delete it and run again")
    return _by_reading(path)[source]


def pick_for(job: Job, dataset: str, method: Mapping[str, Any], reading: str) -> Picked:
    """Records of one data set and method under a reading, at the setting that the reading takes."""
    if absent := job.missing(dataset):
        return Picked([], absent=absent)
    records = _trials(job, dataset, method["id"], reading)
    rule = method["select"]["rule"] if method["select"] else None
    if reading == FIXED or rule == TAKES_FIXED:
        return pick(records, fixed=method["fixed"])
    return pick(records, rule=rule)


def in_file_order(job: Job, dataset: str, method: str, reading: str = FIXED) -> list[Row]:
    """Records on the first sample in file order, one per setting; of the first reading by default.

    Records of a data set that could not be had are returned as they are.
    """
    records = _trials(job, dataset, method, reading)
    if records[0]["status"] != OK:
        return records
    return [row for row in records if (row["sample"], row["order"]) == (0, 0)]


def settings_with(
    job: Job,
    dataset: str,
    method: str,
    meets: Callable[[Row], bool],
    reading: str = FIXED,
) -> list[str]:
    """Text such as ``sigma 0.2, 0.5``: settings whose records in file order meet something."""
    for parameter in job.methods[method]["grid"] or ():
        rows = in_file_order(job, dataset, method, reading)
        if found := [setting_text(row["setting"]) for row in rows if meets(row)]:
            return [f"{parameter} {', '.join(found)}"]
    return []


def is_oracle(method: Mapping[str, Any]) -> bool:
    """Whether the setting of a method is chosen with the class labels."""
    return bool(method["select"] and method["select"]["oracle"])


def kinds_met(printed: str, picked: Picked) -> list[str]:
    """Kinds of purity, keys of `PURITY_COLUMNS`, that give the printed digits."""
    number = parse_printed(printed)
    return [
        kind
        for kind, column in PURITY_COLUMNS.items()
        if equals_printed(number, picked.reproduced(column).value)
    ]


def methods_met(job: Job, printed: Mapping[str, str], ours: Mapping[str, Picked]) -> list[str]:
    """Methods whose numbers of ours all have the digits printed in one row, by `SCORES`."""
    if printed.keys() != SCORES.keys():
        return []
    columns = {name: score.column(job) for name, score in SCORES.items()}
    numbers = {columns[name]: parse_printed(text) for name, text in printed.items()}
    return [
        method
        for method, one in ours.items()
        if all(equals_printed(numbers[name], one.reproduced(name).value) for name in numbers)
    ]


def other_ways(job: Job, cell: Mapping[str, str], picked: Picked, reading: str) -> list[str]:
    """What else gives the digits of a cell that a reading does not give; no verdict uses it."""
    printed, score = parse_printed(cell["printed"]), SCORES[cell["metric"]]
    column = score.column(job, reading)
    found = []
    if cell["metric"] == "purity":
        kinds = kinds_met(cell["printed"], picked)
        found += [KIND_WORDS[kind] for kind in kinds if PURITY_COLUMNS[kind] != column]
        two = {row["n_clusters_found"] for row in picked.records} == {2}
        if two and equals_printed(printed, 1 - picked.reproduced("accuracy").value):
            found.append("the worse of the two matchings")

    def meets(row: Row) -> bool:
        return equals_printed(printed, row[column])

    found += settings_with(job, cell["dataset_id"], cell["method_id"], meets, reading)
    return [f"{one} gives the printed digits" for one in found]


class Sweep(NamedTuple):
    """Scores over ascending settings of a method, their ends, and the settings with the highest."""

    scores: Mapping[float, float]
    low: float
    high: float
    best: list[float]

    @property
    def range(self) -> float:
        """Highest less lowest score."""
        return self.high - self.low


def sweep(rows: Iterable[Row], column: str) -> Sweep:
    """Scores in one column of the records that `in_file_order` returns."""
    ordered = sorted(rows, key=lambda row: row["setting"])
    scores = {row["setting"]: row[column] for row in ordered}
    low, high = min(scores.values()), max(scores.values())
    return Sweep(scores, low, high, [one for one in scores if scores[one] >= high - 1e-9])


SWEPT = ("eq5", "inverse", "nmi", "ari")
"""Kinds of purity by `PURITY_COLUMNS`, and the other `SCORES`."""


def sweeps(job: Job) -> tuple[dict[tuple[str, str], dict[str, Sweep]], dict[str, str]]:
    """Scores over the settings of every method of a job, under the first reading.

    Returns
    -------
    found : dict of (str, str) to dict of str to Sweep
        By data set and method, one sweep by each index of `SWEPT`.
    absent : dict of str to str
        Why data sets, by printed name, have none.
    """
    found, absent = {}, {job.printed(name): why for name, why in job.left_out.items()}
    columns = {index: PURITY_COLUMNS.get(index) or SCORES[index].column(job) for index in SWEPT}
    tested = [name for name in job.datasets if name not in job.left_out]
    for dataset, method in itertools.product(tested, job.methods):
        rows = in_file_order(job, dataset, method)
        if rows[0]["status"] != OK:
            absent[job.printed(dataset)] = rows[0]["reason"]
            continue
        found[dataset, method] = {index: sweep(rows, columns[index]) for index in SWEPT}
    return found, absent


CONTEXT_METRICS: dict[str, Callable[[np.ndarray], float]] = {
    "orig_attributes": len,
    "mean_context_size": methodcaller("mean"),
    "sd_context_size": methodcaller("std"),
}
"""Numbers that follow from the context sizes of all targets, int64 of shape (m,)."""


@cache
def read_contexts(
    path: Path, preparation: str, measure: str
) -> tuple[dict[str, Reproduced], Sequence[str]]:
    """Numbers on the context sizes that a measure chooses, from an archive of `similarity`.

    Returns
    -------
    numbers : dict of str to Reproduced
        By `CONTEXT_METRICS`, a mean over the tables if there are several samples.
    label_cuts : sequence of str
        Attributes that were cut with the class labels.

    Raises
    ------
    UserError
        If the measure chooses no context.
    """
    from replication.data.store import read_similarity

    archive = read_similarity(path, preparation, {measure})
    if archive.facts["status"] != OK:
        return dict.fromkeys(CONTEXT_METRICS, Reproduced(None, absent=archive.facts["reason"])), ()
    contexts = archive.under(measure)[0].contexts
    if not contexts:
        raise UserError(f"{path}: measure {measure!r} chooses no context")
    found = {}
    for metric, measured in CONTEXT_METRICS.items():
        values = [float(measured(context.sum(axis=1))) for context in contexts]
        found[metric] = replace(over_samples(values), spread=(min(values), max(values)))
    return found, archive.facts["label_cuts"]


def read_counts(job: Job, dataset: str) -> tuple[dict[str, list[int]], Sequence[str]] | str:
    """Counts from the facts of `prepare` and two preparations, or why nothing was counted.

    Returns
    -------
    counts : dict of str to list of int
        ``instances``, ``features``, ``classes`` by the choices of ``dilca.postop_classes``, and
        ``values`` by the way of counting: one number per random sample.
    label_cuts : sequence of str
        Attributes that MDL cuts with the class labels.
    """
    from replication.data.store import read_tables

    facts = read_json(job.file("facts", dataset=dataset))
    if facts["status"] != OK:
        return facts["reason"]
    plain, mdl = (
        read_tables(job.file("tables", dataset=dataset), preparation)
        for preparation in job.need("preparations")
    )
    labels = plain.facts["classes"]
    counts = {
        # the rows that are clustered are fewer than the prepared ones where the paper took a sample
        "instances": [len(plain.labels[0])],
        "features": [facts["attributes"]],
        "classes.3": [len({label.strip() for label in labels})],
        "classes.4": [len(labels)],
        "values_observed": [
            sum(len(set(column)) for column in table.codes.T.tolist()) for table in plain.tables
        ],
        # counted before imputation and discretisation, and before a sample is drawn
        "values_with_missing": [facts["values_with_missing"]] * len(plain.tables),
        "values_declared": [int(table.n_values.sum()) for table in plain.tables],
        "values_mdl": [int(table.n_values.sum()) for table in mdl.tables],
    }
    for rule in ("values_observed", "values_declared", "values_mdl"):
        name = f"{rule.removesuffix('_observed')}_with_classes"
        counts[name] = [count + len(labels) for count in counts[rule]]
    return counts, mdl.facts["label_cuts"]


def value_distances(path: Path, preparation: str, measure: str, attribute: int) -> np.ndarray:
    """Distances between the values of an attribute by the first sample of an archive, (v, v)."""
    import numpy as np

    from replication.data.store import read_similarity

    space = read_similarity(path, preparation, {measure}).under(measure)[0].spaces[0]
    matrix = space.matrices.block(attribute)
    # objects are compared by the root of a sum of squares: the matrices hold squares
    return np.sqrt(matrix) if space.link == "rss" else matrix
