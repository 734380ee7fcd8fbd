"""Tables 1 and 2 of CDE, the sources of their variation, and the numbers in the text."""

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import pandas as pd

from replication.judge import independent
from replication.judge.cells import (
    Ours,
    counting,
    legend_of_marks,
    listed,
    mean_moved,
    reasons,
    valued,
)
from replication.judge.verdicts import IN_WORDS, INPUTS, REPEATED, Reproduced
from replication.papers.cde.repeated_scores import (
    PRINT,
    RUNS,
    TABLES,
    Runs,
    ScoreTable,
    Statistic,
    average,
    collect,
    gain,
    lacking,
    paired_p,
    printed_table,
    slowdown,
    thresholds,
    wins,
    wins_on,
)
from replication.show.job import Job
from replication.show.kinds import in_its_unit, number_table
from replication.show.sheet import (
    Cell,
    Column,
    Sheet,
    across,
    grouped,
    others_cell,
    others_lines,
)

MARK_LEGEND = legend_of_marks(
    f"no farther apart than {IN_WORDS} of the difference of two means, or inside the range of "
    "chance"
)
DERIVED = ("average", "p_value")
"""Ids of the rows below the data sets in Tables 1 and 2."""


def labels_of(methods: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return the labels of methods by id."""
    return {method["id"]: method["label"] for method in methods}


def reproduced(runs: Runs) -> Reproduced:
    """Return the mean with the deviation of a run and the number of independent runs."""
    return Reproduced(
        runs.mean,
        sd=runs.run_sd if runs.scores.size > 1 else None,
        runs=runs.independent,
        spread=(float(runs.scores.min()), float(runs.scores.max())),
        rounding=mean_moved(runs.moved),
    )


class ScoreColumns:
    """Columns of Table 1 or 2, and the averages, tests, gains and wins that follow from them.

    The rows are the data sets of `job`. `cells` holds the printed numbers, `artefact` is the table
    among them. `methods` gives ``id`` and ``label`` of each method; `columns` its ``id`` and, per
    reading, the name of its runs, the paper's own method first. That one is tested against the
    others over the data sets `tested`. A printed number is the mean of `printed_runs` runs.
    `selected` says how the settings were chosen. `averaged` holds the data sets of the averages by
    answer to ``cde.averages`` (default: all data sets).
    """

    def __init__(
        self,
        job: Job,
        artefact: str,
        cells: pd.DataFrame,
        methods: Sequence[Mapping[str, Any]],
        columns: Sequence[Mapping[str, str]],
        tested: Sequence[str],
        printed_runs: int,
        selected: str = "",
        averaged: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        self.job, self.artefact, self.methods, self.columns = job, artefact, methods, columns
        self.tested, self.averaged = tested, averaged
        self.printed_runs, self.selected = printed_runs, selected
        experiment, key = RUNS[artefact]
        self.runs = collect(job.records(experiment), key)
        self.ids = [one["id"] for one in columns]
        self._printed = printed_table(cells[cells["artefact"] == artefact])

    def sources(self, reading: str) -> dict[str, str]:
        """Return the name of each method's runs under a reading."""
        return {one["id"]: one[reading] for one in self.columns}

    def of_average(self, reading: str) -> list[str]:
        """Return the data sets of the averages; the printed columns take those of reading 1."""
        if self.averaged is None:
            return list(self.job.datasets)
        reading = self.job.readings[0] if reading == PRINT else reading
        return list(self.averaged[self.job.choice("cde.averages", reading)])

    def printed(self, datasets: Sequence[str]) -> pd.DataFrame:
        """Return the printed columns of some data sets, each cell of which must hold a number."""
        return self._printed.loc[list(datasets), self.ids].astype(float)

    def average(self, method: str, reading: str, printed: str) -> Ours:
        """Return the average of a column; the reason splits its difference from the printed one."""
        datasets = self.of_average(reading)

        def parts(means: pd.DataFrame) -> str:
            column = self.printed(datasets)[method]
            gaps, sets = means[method] - column, column.mean() - float(printed)
            most = gaps.loc[gaps.abs().sort_values(ascending=False, kind="stable").index[:2]]
            said = f"the cells give {gaps.mean():+.3f}, most by "
            said += " and ".join(f"{name} ({gap:+.3f})" for name, gap in most.items())
            if abs(sets) > 0.001:  # an average is printed with three digits
                said += f"; the choice of data sets gives {sets:+.3f}"
            return said

        return self.of(reading, average(method), datasets, parts)

    def test(self, method: str, reading: str) -> Ours:
        """Return the p-value of the first column against another; ours is that of step `tests`."""
        datasets, first = [one for one in self.job.datasets if one in self.tested], self.ids[0]
        known = {
            (one["artefact"], one["reading"], one["second"]): (one["p"], one["low"], one["high"])
            for one in self.job.tests().to_dict("records")
        }
        p = known.get((self.artefact, reading, method)) or paired_p(first, method)

        def leads(means: pd.DataFrame) -> str:
            found = [table[first] - table[method] for table in (means, self.printed(datasets))]
            said = (f"{lead.mean():+z.3f} ± {lead.std():.3f}" for lead in found)
            return "mean lead and its sd over the data sets: {}, printed {}".format(*said)

        return self.of(reading, p, datasets, leads)

    def gain(self, method: str, other: str, reading: str) -> Ours:
        """Return the gain of an average over another one, with both averages as the reason."""
        said = "our averages are {:.3f} and {:.3f}"
        return self.of(
            reading,
            gain(method, other),
            self.of_average(reading),
            lambda means: said.format(*means[[method, other]].mean()),
        )

    def wins(self, method: str, reading: str, total: int, datasets: Sequence[str]) -> Ours:
        """Return the number of data sets on which a column is the highest, over `total`."""
        return self.of(
            reading,
            lambda means: wins(method)(means) / total,
            datasets,
            lambda means: f"best on {listed(means.index[wins_on(means, method)])}",
        )

    def of(
        self,
        reading: str,
        statistic: Statistic | tuple[float, float, float],
        datasets: Sequence[str],
        explain: Callable[[pd.DataFrame], str],
    ) -> Ours:
        """Return a statistic of our columns under a reading, or of the printed columns.

        In place of a statistic, our number and its range may be given. `explain` turns our means,
        data sets in rows and methods in columns, into a clause of the reason.
        """

        def central(table: ScoreTable, noise: str) -> Reproduced:
            found = statistic if isinstance(statistic, tuple) else table.central(statistic)
            return Reproduced(found[0], spread=found[1:], spread_of=noise)

        reason = f"over {len(datasets)} data sets"
        if reading == PRINT:
            table = ScoreTable.printed(self.printed(datasets), self.job.rng("rounding"))
            return Ours(central(table, INPUTS), reason=f"from the printed F-scores, {reason}")
        sources = self.sources(reading)
        if absent := lacking(self.runs, sources.values(), datasets):
            return Ours(f"needs {', '.join(absent)}, which this run lacks")
        rng = self.job.rng("columns", reading)
        table = ScoreTable.ours(self.runs, sources, datasets, rng, self.printed_runs)
        said = f"{reason}; {explain(table.means)}"
        return Ours(central(table, REPEATED), setting=self.selected, reason=said)


_OF_TABLE = {
    "table01": (
        "F-scores of four embeddings under k-means",
        {"objects": "|O|", "values": "|V|", "FCI": "FCI"},
    ),
    "table02": (
        "F-scores of four similarities under spectral clustering",
        {"classes": "|C|", "VCI": "VCI"},
    ),
}
"""Title, and headings of the data factors."""


def fscores(
    job: Job,
    cells: pd.DataFrame,
    *,
    methods: Sequence[Mapping[str, Any]],
    columns: Sequence[Mapping[str, str]],
    tested: Sequence[str],
    printed_runs: int,
    selected: str = "",
    averaged: Mapping[str, Sequence[str]] | None = None,
) -> Sheet:
    """Tables 1 and 2: data factors and F-scores by data set, averages and p-values."""
    table = ScoreColumns(
        job, job.artefact, cells, methods, columns, tested, printed_runs, selected, averaged
    )
    title, heads = _OF_TABLE[job.artefact]
    labels = labels_of(table.methods)
    settings = {one["id"]: one["setting"] for one in table.methods if "setting" in one}
    facts = {row["dataset"]: row for row in job.rows("factors")}

    def runs(cell: Mapping[str, str], reading: str) -> Any:
        return table.runs.get((cell["dataset_id"], table.sources(reading)[cell["method_id"]]))

    def ours(cell: Mapping[str, str], reading: str) -> Ours:
        dataset, method, metric = cell["dataset_id"], cell["method_id"], cell["metric"]
        label = {"label": labels.get(method, "")}
        if dataset == "average":
            return replace(table.average(method, reading, cell["value"]), more=label)
        if dataset == "p_value":
            return replace(table.test(method, reading), more=label)
        absent = job.missing(dataset) or "the data set was not available"
        if metric == "fscore":
            found = runs(cell, reading)
            return Ours(
                reproduced(found) if found else absent,
                setting=settings.get(method, ""),
                trials=found.scores.size if found else 0,
                printed_runs=table.printed_runs,
                more=label | (found.chance if found else {}),
            )
        printed = metric == "FCI" and job.choice("cde.fci", reading) != "distinct"
        name = "fci_printed" if printed else metric.lower()
        known = dataset in facts
        return Ours(Reproduced(float(facts[dataset][name])) if known else absent, more=label)

    verdicts = job.judged(
        cells, ours, lambda cell: [*job.readings, *([PRINT] * (cell["dataset_id"] in DERIVED))]
    )
    # F-scores of ours where the paper prints NA
    blank = cells[(cells["metric"] == "fscore") & (cells["value"] == "")].to_dict("records")
    unprinted = [
        {"dataset": cell["dataset_id"], "printed_name": cell["dataset"]}
        | {"method": cell["method_id"], "label": labels[cell["method_id"]]}
        | {"metric": "fscore", "reading": reading, "printed": cell["printed"]}
        | ({"reproduced": found.mean, "sd": found.run_sd, **found.chance} if found else {})
        | {"trials": found.scores.size if found else None}
        for cell, reading in itertools.product(blank, job.readings)
        for found in [runs(cell, reading)]
    ]
    first, *others = job.readings
    judged = [row for row in verdicts if row["reading"] == first]
    own = [row for row in judged if row["metric"] == "fscore" and row["dataset"] not in DERIVED]
    facts_of = [row for row in judged if not row["method"]]
    mine, *rest = across(
        "reading",
        {first: "ours"} | dict.fromkeys(others, "text"),
        of=lambda row: Cell(row.get("reproduced"), 3, verdict=row.get("verdict", "")),
    )
    shown = [Column(PRINT, "printed", of="printed", main=True), replace(mine, main=True), *rest]
    scores = grouped("method", labels, shown)
    known = dict.fromkeys(row["method"] for row in own if row["independent"] is not None)
    for method in known:
        # next to the other columns of its method
        last = max(i for i, one in enumerate(scores) if one.where["method"] == method)
        theirs = Column(
            "independent",
            "independent",
            of=lambda row: others_cell(row, 3),
            where={"reading": first},
        )
        scores[last + 1 : last + 1] = grouped("method", {method: labels[method]}, [theirs])
    said = "; ".join(f"{labels[method]} {setting}" for method, setting in settings.items())
    return Sheet.of(
        job,
        title,
        f"Printed numbers and ours. Under the {first} reading, of the data factors "
        f"{counting(facts_of, '', differ=True)}; of the F-scores {counting(own, '', differ=True)}.",
        [
            Column("dataset", "Data set", text=True, of="printed_name"),
            *across(
                "metric",
                heads,
                of=lambda row: Cell(row["printed"], verdict=row["verdict"]),
                where={"method": "", "reading": first},
            ),
            *scores,
        ],
        verdicts + unprinted,
        by=("dataset",),
        legend=[
            MARK_LEGEND,
            f"ours: the {first} reading. text: the wording of the paper taken literally.",
            "F-score: mean over the classes of F1 with the cluster that the best one-to-one "
            "matching assigns (reading cde.fscore). A run whose embedding has no dimension left "
            "scores 0.",
            *([f"Settings, under both readings: {table.selected}: {said}."] if settings else []),
            f"Averages and p-values: noise is the central 95 % over {TABLES} tables of "
            f"{table.printed_runs} runs a cell, drawn from ours.",
            "Averages, then p-values, from the printed columns: "
            + ", ".join(
                f"{row['label']} {Cell(row['reproduced'], 4, verdict=row['verdict']).text}"
                for kind in DERIVED
                for row in verdicts
                if row["reading"] == PRINT and row["dataset"] == kind
            )
            + ".",
            *others_lines(own),
            *reasons(cells, verdicts),
        ],
        data_columns=[
            *("dataset", "printed_name", "method", "label", "metric", "reading", "printed"),
            *("printed_value", "reproduced", "sd", "spread_min", "spread_max", "samples"),
            *("trials", "embedding_sd", "start_sd", "verdict", "difference", "reason"),
            *(independent.COLUMNS if known else ()),
        ],
        verdicts=verdicts,
    )


def spread(job: Job, cells: pd.DataFrame, *, methods: Sequence[Mapping[str, Any]]) -> Sheet:
    """Variation of the F-score due to the embedding, and due to k-means, for random embeddings."""
    records = job.ok("embeddings")
    runs = collect(records, "measure")
    shown = {method["id"]: method["measure"] for method in methods}
    empty = (records["dimension"] == 0).groupby([records["dataset"], records["measure"]]).mean()
    data = [
        {"dataset": dataset, "printed_name": job.printed(dataset), "reading": reading}
        | {"mean": found.mean, **found.chance, "run_sd": found.run_sd}
        | {"embeddings": len(found.scores), "starts": found.scores.shape[1]}
        | {"empty": float(empty[dataset, measure])}
        for dataset in job.datasets
        for reading, measure in shown.items()
        if (found := runs.get((dataset, measure)))
    ]
    total = len({row["dataset"] for row in data})
    larger = [row["reading"] for row in data if row["embedding_sd"] > row["start_sd"]]
    clauses = ", ".join(f"{larger.count(reading)} of {total} ({reading})" for reading in shown)
    return Sheet.of(
        job,
        "random variation of CDE and of k-means",
        "Standard deviation of the F-score over embeddings, without the variation of k-means, "
        "and over starts of k-means on one embedding. The embedding is the larger source on "
        f"{clauses} data sets.",
        [
            Column("dataset", "Data set", text=True, of="printed_name"),
            *grouped(
                "reading",
                labels_of(methods),
                [
                    Column("mean", "mean F", digits=3),
                    Column("embedding_sd", "sd, embedding", digits=3),
                    Column("start_sd", "sd, start", digits=3),
                    Column("empty", "empty (%)", digits=1, scale=100),
                ],
            ),
        ],
        data,
        by=("dataset",),
        legend=[
            "empty: embeddings from which the stopping rule has removed every cluster; their runs "
            "score 0."
        ],
    )


_OF_TABLES = ("improvement_of_average", "datasets_where_best", "share_of_datasets_best")
_STATEMENTS = {
    "improvement_of_average": "gain in the average F-score, {method}",
    "datasets_where_best": "data sets on which {method} is best",
    "share_of_datasets_best": "share of data sets on which {method} is best",
    "alpha_dimension_stable_from": "alpha from which the dimension is stable",
    "beta_dimension_decreasing_from": "beta from which the dimension decreases",
    "slowdown_orders_of_magnitude": "orders of magnitude of time, {method}",
}


def statements(
    job: Job,
    cells: pd.DataFrame,
    *,
    tables: Mapping[str, Mapping[str, Any]],
    na: Sequence[str],
    swept: Sequence[str],
) -> Sheet:
    """Gains, counts and thresholds in the text."""
    derived = {
        method: ScoreColumns(job, name, cells, **tables[method])
        for method, name in (("cde", "table01"), ("cde_g", "table02"))
    }

    def of_columns(cell: Mapping[str, str], reading: str) -> Ours:
        """Return a gain of an average, or the number or share of data sets with the best score."""
        first, _, second = cell["method_id"].partition("_vs_")
        columns, share = derived[first], cell["metric"] == "share_of_datasets_best"
        if cell["metric"] == "improvement_of_average":
            other = {"0_1": "zero_one", "0_1p": "zero_one_p"}.get(second, second)
            return columns.gain(first, other, reading)
        # no method is best where the others have no number
        left_out = na if share and reading == PRINT else ()
        datasets = [name for name in job.datasets if name not in left_out]
        return columns.wins(first, reading, len(job.datasets) if share else 1, datasets)

    def ours(cell: Mapping[str, str], reading: str) -> Ours:
        more = {"statement": _STATEMENTS[cell["metric"]].format(method=cell["method"])}
        if cell["metric"] in _OF_TABLES:
            return replace(of_columns(cell, reading), more=more)
        name = cell["metric"].partition("_")[0]
        if name == "slowdown":
            return replace(_slowdown(job), more=more)
        measure = derived["cde"].sources(reading)["cde"]
        return replace(_threshold(job, name, measure, swept), more=more)

    cells = cells[cells["artefact"] == job.artefact]
    data = job.judged(
        cells, ours, lambda cell: [*job.readings, *([PRINT] * (cell["metric"] in _OF_TABLES))]
    )
    first = job.readings[0]
    said = {
        reading: counting([row for row in data if row["reading"] == reading], "", differ=True)
        for reading in (first, PRINT)
    }
    return number_table(
        job,
        "gains, counts and thresholds",
        f"Numbers in the running text, and ours. Under the {first} reading, {said[first]}. Of "
        f"those computed from the printed Tables 1 and 2, {said[PRINT]}.",
        data,
        [
            Column(
                "statement",
                "Statement",
                text=True,
                of=lambda row: row["statement"] if row["reading"] == first else "",
            ),
            Column(
                "reading",
                "Reading",
                text=True,
                of=lambda row: "printed columns" if row["reading"] == PRINT else row["reading"],
            ),
        ],
        _in_its_unit,
        [Column("range", "range of chance", text=True, of=_range)],
        legend=[
            MARK_LEGEND,
            "printed columns: computed from Tables 1 and 2 as printed, with the range that their "
            "rounding leaves.",
            *reasons(cells, data),
        ],
        data_columns=[
            *("statement", "method", "metric", "reading", "printed", "reproduced", "spread_min"),
            *("spread_max", "verdict", "difference", "reason"),
        ],
    )


_in_its_unit = partial(in_its_unit, digits=".3g", percent=1)


def _range(row: Mapping[str, Any]) -> str:
    low, high = (_in_its_unit(row, key=key).number for key in ("spread_min", "spread_max"))
    return f"{low} to {high}" if low else ""


def _slowdown(job: Job) -> Ours:
    """Return how many orders of magnitude longer CDE takes, rounded to a half: times vary."""
    orders = slowdown(job.records("embedding_times"), math.log10)
    if not orders["count"]:
        return Ours("no data set of this run was timed")
    median = Reproduced(round(2 * orders["median"]) / 2)
    return Ours(median, reason=f"median over {orders['count']:.0f} data sets, to half an order")


def _threshold(job: Job, parameter: str, measure: str, wanted: Sequence[str]) -> Ours:
    """Return the largest threshold of alpha or beta over the wanted data sets."""
    records = job.ok(parameter)
    if absent := [dataset for dataset in wanted if dataset not in set(records["dataset"])]:
        return Ours(f"needs {', '.join(absent)}, which this run lacks")
    found = thresholds(records, parameter, measure)[list(wanted)]
    return Ours(Reproduced(float(found.max())), reason=f"largest over {valued(found, '{} {:g}')}")
