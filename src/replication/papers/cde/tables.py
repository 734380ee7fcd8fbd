"""CDE: from records to its tables and their verdicts.

One function per kind of artefact in ``config/papers/cde.yaml``.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from replication.errors import UserError
from replication.judge.cells import not_run, tally
from replication.judge.published import numbers
from replication.judge.times import HOW, HOW_MEMORY
from replication.judge.verdicts import (
    DIFFERS,
    EXACT,
    MARKS,
    NOT_COMPARABLE,
    NOT_RUN,
    WITHIN_NOISE,
    Reproduced,
)
from replication.papers.cde import reasons
from replication.papers.cde.runs import (
    Columns,
    Runs,
    average,
    collect,
    complete,
    gain,
    paired_p,
    table_of_runs,
    wins,
)
from replication.papers.cde.tables_settings import bandwidths as bandwidths
from replication.papers.cde.tables_settings import common_settings as common_settings
from replication.show.job import Job
from replication.show.sheet import Column, Sheet, number

if TYPE_CHECKING:
    import pandas as pd

    from replication.papers.cde.runs import Statistic

PRINT = "print"
"""Reading id of what follows from the printed columns alone."""

MARK_LEGEND = (
    "Marks: = the printed digits, rounded or truncated; ~ within noise: no farther apart than two "
    "standard errors of the difference of two means, or inside the range that chance leaves; "
    "≠ differs; – not comparable; ∅ not run."
)
TABLES = 2000
"""Tables that are drawn to see what chance does to averages and tests."""

Table = dict[str, dict[str, float]]
"""F-scores by method and data set."""

_TEST = "p_paired_t_two_tailed"
_DERIVED = ("average", "p_value")
_FACTORS = {"objects": "objects", "values": "values", "classes": "classes", "VCI": "vci"}
_DATA_COLUMNS = (
    *("dataset", "printed_name", "method", "label", "metric", "reading", "printed"),
    *("printed_value", "reproduced", "sd", "spread_min", "spread_max", "samples", "trials"),
    *("embedding_sd", "start_sd", "verdict", "difference", "reason"),
)


# --- Tables 1 and 2 -----------------------------------------------------------------------------


def embeddings(job: Job, cells: pd.DataFrame) -> Sheet:
    """Table 1: sizes, FCI, and F-scores of embeddings under k-means."""
    return _scores(
        job,
        cells,
        runs=collect(job.records("embeddings"), "measure"),
        heads={"objects": "|O|", "values": "|V|", "FCI": "FCI"},
        title="F-scores of four embeddings under k-means",
    )


def similarities(job: Job, cells: pd.DataFrame) -> Sheet:
    """Table 2: classes, VCI, and F-scores of similarities under spectral clustering."""
    return _scores(
        job,
        cells,
        runs=collect(job.records("similarities"), "pipeline"),
        heads={"classes": "|C|", "VCI": "VCI"},
        title="F-scores of four similarities under spectral clustering",
    )


def _scores(
    job: Job,
    cells: pd.DataFrame,
    runs: Mapping[tuple[str, str], Runs],
    heads: Mapping[str, str],
    title: str,
) -> Sheet:
    printed_runs = job.need("parameters")["printed_runs"]
    methods = job.need("parameters")["methods"]
    labels = {one["id"]: one["label"] for one in methods}
    settings = {one["id"]: one.get("setting", "") for one in methods}
    factors = _facts(job.records("factors"))
    derived = Derived(job, runs, job.need("parameters"), cells)
    data, verdicts = [], []

    def add(row: dict[str, Any], cell: Mapping[str, str], extra: Mapping[str, Any]) -> None:
        verdicts.append(row)
        data.append(
            {
                **row,
                "printed_name": cell["dataset"],
                "printed_value": float(cell["value"]) if cell["value"] else None,
                "label": labels.get(cell["method_id"], ""),
                **extra,
            }
        )

    for cell in numbers(cells).to_dict("records"):
        dataset, metric = cell["dataset_id"], cell["metric"]
        for reading in job.readings:
            if dataset in _DERIVED:
                add(derived.judged(cell, reading), cell, {})
            elif metric == "fscore":
                one = runs.get((dataset, derived.sources(reading)[cell["method_id"]]))
                setting = settings[cell["method_id"]]
                row = _judged_runs(job, cell, one, reading, printed_runs, setting)
                add(row, cell, _spread(one))
            else:
                add(_judged_factor(job, cell, factors, reading), cell, {})
        if dataset in _DERIVED:
            add(derived.judged(cell, PRINT), cell, {})
    data += _unprinted(job, cells, runs, derived, labels)
    return _scores_sheet(job, cells, heads, title, labels, data, verdicts)


def _facts(records: pd.DataFrame) -> dict[str, dict[str, Any]]:
    """Records of data sets that were counted, by data set."""
    rows = records.to_dict("records")
    return {row["dataset"]: row for row in rows if row["status"] == "ok"}


def _absent(job: Job, dataset: str) -> str:
    return job.missing(dataset) or "the data set could not be had"


def _spread(one: Runs | None) -> dict[str, float]:
    if one is None:
        return {}
    return {"embedding_sd": one.embedding_sd, "start_sd": one.start_sd}


def _judged_runs(
    job: Job,
    cell: Mapping[str, str],
    one: Runs | None,
    reading: str,
    printed_runs: int,
    setting: str,
) -> dict[str, Any]:
    if one is None:
        return not_run(cell, _absent(job, cell["dataset_id"]), reading=reading)
    return job.judge(
        cell,
        one.reproduced(),
        reading=reading,
        setting=setting,
        trials=one.scores.size,
        printed_runs=printed_runs,
    )


def _judged_factor(
    job: Job, cell: Mapping[str, str], factors: Mapping[str, Mapping[str, Any]], reading: str
) -> dict[str, Any]:
    dataset, metric = cell["dataset_id"], cell["metric"]
    if dataset not in factors:
        return not_run(cell, _absent(job, dataset), reading=reading)
    if metric == "FCI":
        name = "fci" if job.choice("cde.fci", reading) == "distinct" else "fci_printed"
    else:
        name = _FACTORS[metric]
    return job.judge(cell, Reproduced(float(factors[dataset][name])), reading=reading)


class Derived:
    """What follows from whole columns: averages, tests, gains, counts of wins.

    Parameters
    ----------
    job : Job
        The artefact; its data sets are the rows.
    runs : mapping
        What `replication.papers.cde.runs.collect` found.
    parameters : mapping
        ``methods`` (``id``, ``label`` and, per reading, the name of its runs; the first one is
        compared with the others), ``printed_runs``, and for Table 2 ``tested`` (how many rows,
        from the first, are tested), ``averaged`` (rows by answer to ``cde.averages``) and
        ``selected`` (how the settings of the columns were chosen).
    cells : DataFrame or None
        Printed cells of the table, where numbers are recomputed from them.
    """

    def __init__(
        self,
        job: Job,
        runs: Mapping[tuple[str, str], Runs],
        parameters: Mapping[str, Any],
        cells: pd.DataFrame | None = None,
    ) -> None:
        self._job, self._runs, self._parameters, self._cells = job, runs, parameters, cells
        self.methods = [one["id"] for one in parameters["methods"]]

    def sources(self, reading: str) -> dict[str, str]:
        """Name of the runs of each method under a reading."""
        return {one["id"]: one[reading] for one in self._parameters["methods"]}

    def averaged(self, reading: str) -> list[str]:
        """Data sets behind the averages under a reading."""
        rows = self._parameters.get("averaged")
        return rows[self._job.choice("cde.averages", reading)] if rows else list(self._job.datasets)

    def judged(self, cell: Mapping[str, str], reading: str) -> dict[str, Any]:
        """Verdict of an average or a p-value under a reading, or from the printed columns."""
        if cell["metric"] == _TEST:
            datasets = list(self._job.datasets)[: self._parameters.get("tested")]
            pair = (self.methods[0], cell["method_id"])

            def of_test(ours: Table) -> str:
                printed = self._table(self.printed(datasets), datasets)
                return reasons.of_test(
                    (ours[pair[0]], ours[pair[1]]), (printed[pair[0]], printed[pair[1]])
                )

            return self.judge(cell, reading, paired_p(*pair), datasets, of_test)
        # the printed averages are taken over what explains them
        source = self._job.readings[0] if reading == PRINT else reading
        datasets, method = self.averaged(source), cell["method_id"]

        def of_average(ours: Table) -> str:
            printed = self._table(self.printed(datasets), datasets)
            return reasons.of_average(ours[method], printed[method], float(cell["value"]))

        return self.judge(cell, reading, average(method), datasets, of_average)

    def judge(
        self,
        cell: Mapping[str, str],
        reading: str,
        statistic: Statistic,
        datasets: Sequence[str],
        explain: Callable[[Table], str],
    ) -> dict[str, Any]:
        """Verdict of a number that a statistic of the columns gives.

        Parameters
        ----------
        cell : mapping
            The printed number.
        reading : str
            Reading of our columns, or `PRINT` for the printed ones.
        statistic : callable
            What is computed from the columns.
        datasets : sequence of str
            Rows.
        explain : callable
            What our columns say of the number.
        """
        reason = f"over {len(datasets)} data sets"
        if reading == PRINT:
            found = self.printed(datasets).reproduced(statistic)
            reason = f"from the printed F-scores, {reason}"
            return self._job.judge(cell, found, reading=reading, reason=reason)
        if absent := complete(self._runs, self.sources(reading).values(), datasets):
            names = ", ".join(absent)
            return not_run(cell, f"needs {names}, which this run lacks", reading=reading)
        columns = self.ours(reading, datasets)
        return self._job.judge(
            cell,
            columns.reproduced(statistic),
            reading=reading,
            setting=self._parameters.get("selected", ""),
            reason=f"{reason}; {explain(self._table(columns, datasets))}",
        )

    @staticmethod
    def _table(columns: Columns, datasets: Sequence[str]) -> Table:
        return {
            method: dict(zip(datasets, map(float, column), strict=True))
            for method, column in columns.means.items()
        }

    def ours(self, reading: str, datasets: Sequence[str]) -> Columns:
        """Our columns under a reading."""
        rng = self._job.rng("columns", reading)
        runs = self._parameters["printed_runs"]
        return Columns.ours(self._runs, self.sources(reading), datasets, rng, runs, TABLES)

    def printed(self, datasets: Sequence[str]) -> Columns:
        """The printed columns; every cell of these data sets has to hold a number."""
        scores = self._cells[self._cells["metric"] == "fscore"]
        table = scores.pivot_table(
            index="dataset_id", columns="method_id", values="value", aggfunc="first"
        )
        table = table.loc[list(datasets), self.methods].astype(float)
        rng = self._job.rng("rounding")
        return Columns.printed({name: table[name].to_numpy() for name in table}, rng, TABLES)


def _unprinted(
    job: Job,
    cells: pd.DataFrame,
    runs: Mapping[tuple[str, str], Runs],
    derived: Derived,
    labels: Mapping[str, str],
) -> list[dict[str, Any]]:
    """Our numbers for cells that the paper prints as NA."""
    rows = []
    blank = cells[(cells["metric"] == "fscore") & (cells["value"] == "")]
    for cell in blank.to_dict("records"):
        for reading in job.readings:
            one = runs.get((cell["dataset_id"], derived.sources(reading)[cell["method_id"]]))
            rows.append(
                {
                    "dataset": cell["dataset_id"],
                    "printed_name": cell["dataset"],
                    "method": cell["method_id"],
                    "label": labels[cell["method_id"]],
                    "metric": "fscore",
                    "reading": reading,
                    "printed": cell["printed"],
                    "reproduced": one.mean if one else None,
                    "sd": one.run_sd if one else None,
                    "trials": one.scores.size if one else None,
                    **_spread(one),
                }
            )
    return rows


def _scores_sheet(
    job: Job,
    cells: pd.DataFrame,
    heads: Mapping[str, str],
    title: str,
    labels: Mapping[str, str],
    data: list[dict[str, Any]],
    verdicts: list[dict[str, Any]],
) -> Sheet:
    first, *others = job.readings
    columns = [
        Column("dataset", "Data set", text=True),
        *(Column(metric, head) for metric, head in heads.items()),
        *(
            Column(f"{method}.{key}", head, label)
            for method, label in labels.items()
            for key, head in (
                (PRINT, "printed"),
                (first, "ours"),
                *((reading, "text") for reading in others),
            )
        ),
    ]
    rows: dict[str, dict[str, str]] = {}
    for one in data:
        row = rows.setdefault(one["dataset"], {"dataset": one["printed_name"]})
        mark = MARKS[one["verdict"]] if "verdict" in one else ""
        if not one["method"]:
            if one["reading"] == first:
                row[one["metric"]] = f"{one['printed']} {mark}"
            continue
        row[f"{one['method']}.{PRINT}"] = one["printed"]
        if one["reading"] != PRINT:
            ours = f"{number(one['reproduced'], 3)} {mark}".strip()
            row[f"{one['method']}.{one['reading']}"] = ours
    ours = [row for row in verdicts if row["reading"] == first]
    scores = [row for row in ours if row["metric"] == "fscore" and row["dataset"] not in _DERIVED]
    facts = [row for row in ours if not row["method"]]
    return Sheet(
        name=f"{job.paper}-{job.artefact}",
        title=f"{job.label}: {title}",
        caption=(
            f"Printed numbers and ours. Under the {first} reading, of the data factors "
            f"{counted(facts)}; of the F-scores {counted(scores)}."
        ),
        columns=columns,
        rows=list(rows.values()),
        legend=[
            MARK_LEGEND,
            f"ours: the {first} reading. text: the wording of the paper taken literally.",
            "F-score: mean over the classes of F1 with the cluster that the best one-to-one "
            "matching assigns (reading cde.fscore). A run whose embedding has no dimension left "
            "scores 0.",
            *_selection(job.need("parameters")),
            f"Averages and p-values: noise is the central 95 % over {TABLES} tables of "
            f"{job.need('parameters')['printed_runs']} runs a cell, drawn from ours.",
            *_from_print(data),
            *why(cells, verdicts),
        ],
        data=data,
        data_columns=_DATA_COLUMNS,
        verdicts=verdicts,
    )


def _selection(parameters: Mapping[str, Any]) -> list[str]:
    """Line that says how settings were chosen, if they were chosen by the printed numbers."""
    if "selected" not in parameters:
        return []
    settings = "; ".join(f"{one['label']} {one['setting']}" for one in parameters["methods"])
    return [f"Settings, under both readings: {parameters['selected']}: {settings}."]


def _from_print(data: Iterable[Mapping[str, Any]]) -> list[str]:
    """Line that says what the printed columns themselves give."""
    parts = [
        f"{one['label']} {one['reproduced']:.4f} {MARKS[one['verdict']]}"
        for kind in _DERIVED
        for one in data
        if one["reading"] == PRINT and one["dataset"] == kind
    ]
    return [f"Averages, then p-values, from the printed columns: {', '.join(parts)}."]


def counted(rows: Iterable[Mapping[str, Any]]) -> str:
    """Clause that counts verdicts."""
    counts = tally(rows)
    comparable = sum(counts.get(name, 0) for name in (EXACT, WITHIN_NOISE, DIFFERS))
    parts = [f"{counts.get(EXACT, 0)} of {comparable} are exact"]
    parts += [
        f"{counts[name]} {name}"
        for name in (WITHIN_NOISE, DIFFERS, NOT_COMPARABLE, NOT_RUN)
        if counts.get(name)
    ]
    return ", ".join(parts)


def why(cells: pd.DataFrame, verdicts: Iterable[Mapping[str, Any]]) -> list[str]:
    """Lines that say what is not comparable or was not run, and why."""
    printed = cells.set_index("id")
    groups: dict[tuple[str, str], dict[str, None]] = {}
    for row in verdicts:
        if row["verdict"] in (NOT_COMPARABLE, NOT_RUN):
            reason = row["reason"].partition("; ")[0]
            name = str(printed.loc[row["id"], "dataset"] or printed.loc[row["id"], "method"])
            groups.setdefault((row["verdict"], reason), {})[name] = None
    return [
        f"{MARKS[verdict]} {', '.join(names)}: {verdict}, {reason}."
        for (verdict, reason), names in groups.items()
    ]


# --- where the chance is ------------------------------------------------------------------------


def spread(job: Job, cells: pd.DataFrame) -> Sheet:
    """Chance of the embedding apart from that of k-means, for the random embeddings."""
    records = job.records("embeddings")
    runs = collect(records, "measure")
    shown = {one["id"]: one for one in job.need("parameters")["methods"]}
    empty = _empty_shares(records)
    data, rows = [], []
    for dataset in job.datasets:
        row = {"dataset": job.datasets[dataset]["printed"]}
        for reading, entry in shown.items():
            one = runs.get((dataset, entry["measure"]))
            if one is None:
                continue
            share = empty[dataset, entry["measure"]]
            data.append(
                {
                    "dataset": dataset,
                    "printed_name": row["dataset"],
                    "reading": reading,
                    "mean": one.mean,
                    **_spread(one),
                    "run_sd": one.run_sd,
                    "embeddings": len(one.scores),
                    "starts": one.scores.shape[1],
                    "empty": share,
                }
            )
            row |= {
                f"{reading}.mean": number(one.mean, 3),
                f"{reading}.embedding": number(one.embedding_sd, 3),
                f"{reading}.start": number(one.start_sd, 3),
                f"{reading}.empty": number(share, 1, 100),
            }
        rows.append(row)
    larger = {
        reading: sum(
            one["embedding_sd"] > one["start_sd"] for one in data if one["reading"] == reading
        )
        for reading in shown
    }
    total = len({one["dataset"] for one in data})
    clauses = ", ".join(f"{n} of {total} ({reading})" for reading, n in larger.items())
    return Sheet(
        name=f"{job.paper}-{job.artefact}",
        title=f"{job.label}: the chance in CDE and in k-means",
        caption=(
            "Standard deviation of the F-score over embeddings, the chance of k-means taken out, "
            "and over starts of k-means on one embedding. The embedding is the larger source on "
            f"{clauses} data sets."
        ),
        columns=[
            Column("dataset", "Data set", text=True),
            *(
                Column(f"{reading}.{key}", head, entry["label"])
                for reading, entry in shown.items()
                for key, head in (
                    ("mean", "mean F"),
                    ("embedding", "sd, embedding"),
                    ("start", "sd, start"),
                    ("empty", "empty (%)"),
                )
            ),
        ],
        rows=rows,
        legend=[
            "empty: embeddings from which the stopping rule has removed every cluster; their runs "
            "score 0.",
        ],
        data=data,
        data_columns=[
            *("dataset", "printed_name", "reading", "mean", "embedding_sd", "start_sd"),
            *("run_sd", "embeddings", "starts", "empty"),
        ],
    )


def _empty_shares(records: pd.DataFrame) -> dict[tuple[str, str], float]:
    """Share of embeddings without a dimension, by data set and measure."""
    if records.empty:
        return {}
    done = records[records["status"] == "ok"]
    shares = (done["dimension"] == 0).groupby([done["dataset"], done["measure"]]).mean()
    return {(str(dataset), str(name)): float(x) for (dataset, name), x in shares.items()}


# --- numbers in the text ------------------------------------------------------------------------

STABLE = 0.05
"""A dimension is stable from where it stays within this share of its value at the largest alpha."""

_OF_TABLES = ("improvement_of_average", "datasets_where_best", "share_of_datasets_best")
_STATEMENTS = {
    "improvement_of_average": "gain in the average F-score, {method}",
    "datasets_where_best": "data sets on which {method} is best",
    "share_of_datasets_best": "share of data sets on which {method} is best",
    "alpha_dimension_stable_from": "alpha from which the dimension is stable",
    "beta_dimension_decreasing_from": "beta from which the dimension decreases",
    "slowdown_orders_of_magnitude": "orders of magnitude of time, {method}",
}


def statements(job: Job, cells: pd.DataFrame) -> Sheet:
    """Gains, counts and thresholds that stand in the text."""
    derived = {
        method: Derived(
            job,
            collect(job.records(experiment), key),
            job.need("parameters")["tables"][method],
            cells[cells["artefact"] == artefact],
        )
        for method, artefact, experiment, key in (
            ("cde", "table01", "embeddings", "measure"),
            ("cde_g", "table02", "similarities", "pipeline"),
        )
    }
    data, verdicts, rows = [], [], []
    cells = cells[cells["artefact"] == job.artefact]
    for cell in numbers(cells).to_dict("records"):
        statement = _STATEMENTS[cell["metric"]].format(method=cell["method"])
        of_tables = [PRINT] if cell["metric"] in _OF_TABLES else []
        for reading in [*job.readings, *of_tables]:
            row = _stated(job, cell, reading, derived)
            verdicts.append(row)
            data.append({**row, "statement": statement})
            mark = MARKS[row["verdict"]]
            low, high = (_short(row[key], cell) for key in ("spread_min", "spread_max"))
            rows.append(
                {
                    "statement": statement if reading == job.readings[0] else "",
                    "reading": "printed columns" if reading == PRINT else reading,
                    "printed": cell["printed"],
                    "ours": f"{_short(row['reproduced'], cell)} {mark}".strip(),
                    "range": f"{low} to {high}" if low else "",
                }
            )
    ours = [row for row in verdicts if row["reading"] == job.readings[0]]
    from_print = [row for row in verdicts if row["reading"] == PRINT]
    return Sheet(
        name=f"{job.paper}-{job.artefact}",
        title=f"{job.label}: gains, counts and thresholds",
        caption=(
            f"Numbers in the running text beside ours. Under the {job.readings[0]} reading, "
            f"{counted(ours)}. From the printed Tables 1 and 2 themselves, {counted(from_print)}."
        ),
        columns=[
            Column("statement", "Statement", text=True),
            Column("reading", "Reading", text=True),
            Column("printed", "printed"),
            Column("ours", "ours"),
            Column("range", "what chance leaves", text=True),
        ],
        rows=rows,
        legend=[
            MARK_LEGEND,
            "printed columns: what Tables 1 and 2 give as they are printed, and what their "
            "rounding leaves.",
            *why(cells, verdicts),
        ],
        data=data,
        data_columns=[
            *("statement", "method", "metric", "reading", "printed", "reproduced", "spread_min"),
            *("spread_max", "verdict", "difference", "reason"),
        ],
        verdicts=verdicts,
    )


def _stated(
    job: Job, cell: Mapping[str, str], reading: str, derived: Mapping[str, Derived]
) -> dict[str, Any]:
    """Verdict of one number in the text."""
    first, _, second = cell["method_id"].partition("_vs_")
    metric = cell["metric"]
    if metric == "improvement_of_average":
        other = {"0_1": "zero_one", "0_1p": "zero_one_p"}.get(second, second)
        table = derived[first]
        source = job.readings[0] if reading == PRINT else reading
        return table.judge(
            cell,
            reading,
            gain(first, other),
            table.averaged(source),
            lambda ours: reasons.of_gain((ours[first], ours[other])),
        )
    if metric in _OF_TABLES:
        datasets = list(job.datasets)
        count: Statistic = wins(first)
        if metric == "share_of_datasets_best":
            count = _shared(count, len(datasets))
            if reading == PRINT:
                # nobody is best where the others have no number
                datasets = [name for name in datasets if name not in job.need("parameters")["na"]]
        return derived[first].judge(
            cell, reading, count, datasets, lambda ours: reasons.of_wins(ours, first)
        )
    if metric == "slowdown_orders_of_magnitude":
        values = slowdowns(job.records("embedding_times"))
        if not values:
            return not_run(cell, "no data set of this run was timed", reading=reading)
        # to half an order: this number is kept, and every run takes its own times
        found = Reproduced(round(2 * statistics.median(values)) / 2)
        reason = f"median over {len(values)} data sets, to half an order"
        return job.judge(cell, found, reading=reading, reason=reason)
    name, rule = _THRESHOLDS[metric]
    measure = derived["cde"].sources(reading)["cde"]
    records = job.records(name)
    wanted = job.need("parameters")["swept"]
    done = set(records.loc[records["status"] == "ok", "dataset"])
    if absent := [one for one in wanted if one not in done]:
        return not_run(cell, f"needs {', '.join(absent)}, which this run lacks", reading=reading)
    mine = records[records["measure"] == measure]
    values = [rule(mine[mine["dataset"] == dataset]) for dataset in wanted]
    reason = "largest over " + ", ".join(
        f"{dataset} {value:g}" for dataset, value in zip(wanted, values, strict=True)
    )
    return job.judge(
        cell,
        Reproduced(max(values), spread=(min(values), max(values))),
        reading=reading,
        reason=reason,
    )


def _shared(count: Statistic, total: int) -> Statistic:
    return lambda means: count(means) / total


def stable_from(records: pd.DataFrame) -> float:
    """Smallest alpha from which on the number of value clusters is stable, see `STABLE`."""
    means = records.groupby("alpha")["clusters"].mean().sort_index()
    limit = STABLE * means.iloc[-1]
    unstable = means.index[(means - means.iloc[-1]).abs() > limit]
    later = means.index[means.index > unstable.max()] if len(unstable) else means.index
    return float(later[0])


def decreasing_from(records: pd.DataFrame) -> float:
    """Smallest beta at which the mean dimension is lower than at the smallest beta.

    Raises
    ------
    UserError
        If there is none.
    """
    means = records.groupby("beta")["dimension"].mean().sort_index()
    lower = means.index[means < means.iloc[0]]
    if not len(lower):
        raise UserError(
            "config/papers/cde.yaml: experiments.beta.parameters.beta: the dimension is the same "
            "for every beta; add larger ones"
        )
    return float(lower[0])


_THRESHOLDS: dict[str, tuple[str, Callable[[Any], float]]] = {
    "alpha_dimension_stable_from": ("alpha", stable_from),
    "beta_dimension_decreasing_from": ("beta", decreasing_from),
}


def slowdowns(records: pd.DataFrame) -> list[float]:
    """Decimal logarithm, per data set, of the time of CDE over the mean of other embeddings."""
    if records.empty:
        return []
    done = records[(records["status"] == "ok") & (records["kind"] == "embedding")]
    found = []
    for _, group in done.groupby("dataset", sort=False):
        seconds = group.set_index("method")["seconds"]
        found.append(math.log10(seconds["cde"] / seconds.drop("cde").mean()))
    return found


def _short(value: float | None, cell: Mapping[str, str]) -> str:
    if value is None:
        return ""
    if cell["metric"] == "improvement_of_average":
        return f"{number(value, 1, 100)}%"
    return f"{value:.3g}"


# --- Fig. 1: the framework ----------------------------------------------------------------------

_STAGES = {
    "table": ("information table", "objects", "attributes"),
    "influence, co-occurrence": ("Mc, influence by co-occurrence", "values", "values"),
    "influence, occurrence": ("Mo, influence by occurrence", "values", "values"),
    "clusters, co-occurrence": ("value clusters on Mc", "values", "clusters"),
    "clusters, occurrence": ("value clusters on Mo", "values", "clusters"),
    "indicator": ("I, both side by side", "values", "clusters"),
    "values": ("N, principal components of I", "values", "dimensions"),
    "objects": ("objects, their values side by side", "objects", "dimensions"),
}


def pipeline(job: Job, cells: pd.DataFrame) -> Sheet:
    """Stages of the framework with their sizes on one data set: Fig. 1."""
    records = job.records("pipeline")
    (shown,) = job.datasets.values()
    data = [
        {
            "stage": row["stage"],
            "what": _STAGES[row["stage"]][0],
            "rows": row["rows"],
            "columns": row["columns"],
            "of_rows": _STAGES[row["stage"]][1],
            "of_columns": _STAGES[row["stage"]][2],
            "last_k": "" if math.isnan(row["last_k"]) else int(row["last_k"]),
            "dataset": shown["printed"],
        }
        for row in records.to_dict("records")
        if row["status"] == "ok"
    ]
    return Sheet(
        name=f"{job.paper}-{job.artefact}",
        title=f"{job.label}: the CURE framework, as CDE fills it",
        caption=(
            f"What passes from stage to stage on {shown['printed']}: rows and columns of every "
            "matrix. The object embedding is the concatenation of its embedded values."
        ),
        columns=[
            Column("what", "Stage", text=True),
            Column("rows", "rows"),
            Column("of_rows", "of", text=True),
            Column("columns", "columns"),
            Column("of_columns", "of", text=True),
            Column("last_k", "last k"),
        ],
        rows=[{key: str(value) for key, value in one.items()} for one in data],
        data=data,
        data_columns=[
            *("dataset", "stage", "what", "rows", "of_rows", "columns", "of_columns", "last_k"),
        ],
    )


# --- Figs 2 and 3: alpha and beta ---------------------------------------------------------------


def alpha(job: Job, cells: pd.DataFrame) -> Sheet:
    """Dimension before the component analysis, and F-score, against alpha: Fig. 2."""
    data = _sweep(job, "alpha", {"dimension": "clusters"})
    stable = _stable(job, "alpha", stable_from)
    words = "; ".join(f"{name} from {value:g}" for name, value in stable.items())
    return _sweep_sheet(
        job,
        data,
        "alpha",
        (
            "Mean number of value clusters (dimension before the component analysis) and mean "
            f"F-score. Under the {job.readings[0]} reading the dimension stays within "
            f"{STABLE:.0%} of its last value: {words}."
        ),
        {"dimension": ("clusters", 0)},
    )


def beta(job: Job, cells: pd.DataFrame) -> Sheet:
    """Dimension after the component analysis, and F-score, against beta: Fig. 3."""
    data = _sweep(job, "beta", {"dimension": "dimension", "dimension_svd": "dimension_svd"})
    falls = _stable(job, "beta", decreasing_from)
    words = "; ".join(f"{name} at {value:.0e}" for name, value in falls.items())
    return _sweep_sheet(
        job,
        data,
        "beta",
        (
            "Mean dimension of the value embedding and mean F-score. Under the "
            f"{job.readings[0]} reading the dimension first falls where rounding noise is cut "
            f"off: {words}."
        ),
        {"dimension": ("dimension", 0), "dimension_svd": ("by SVD", 0)},
    )


def _sweep(job: Job, parameter: str, dimensions: Mapping[str, str]) -> list[dict[str, Any]]:
    """Means per data set, reading and value of a parameter."""
    records = job.records(parameter)
    if records.empty:
        return []
    done = records[records["status"] == "ok"]
    found = []
    for reading in job.readings:
        measure = job.need("parameters")["measures"][reading]
        for dataset, entry in job.datasets.items():
            mine = done[(done["dataset"] == dataset) & (done["measure"] == measure)]
            for value, group in mine.groupby(parameter, sort=True):
                one = table_of_runs(group)
                per_embedding = group.drop_duplicates("embedding")
                found.append(
                    {
                        "dataset": dataset,
                        "printed_name": entry["printed"],
                        "reading": reading,
                        parameter: float(value),
                        **{
                            key: float(per_embedding[column].mean())
                            for key, column in dimensions.items()
                        },
                        "dimension_sd": float(per_embedding[dimensions["dimension"]].std(ddof=0)),
                        "fscore": one.mean,
                        "standard_error": one.standard_error,
                        "embeddings": len(one.scores),
                    }
                )
    return found


def _stable(job: Job, parameter: str, rule: Callable[[pd.DataFrame], float]) -> dict[str, float]:
    """Threshold of each data set under the first reading, by printed name."""
    records = job.records(parameter)
    if records.empty:
        return {}
    measure = job.need("parameters")["measures"][job.readings[0]]
    done = records[(records["status"] == "ok") & (records["measure"] == measure)]
    return {
        job.datasets[dataset]["printed"]: rule(group)
        for dataset, group in done.groupby("dataset", sort=False)
    }


def _sweep_sheet(
    job: Job,
    data: list[dict[str, Any]],
    parameter: str,
    caption: str,
    heads: Mapping[str, tuple[str, int]],
) -> Sheet:
    rows: dict[tuple[str, float], dict[str, str]] = {}
    for one in data:
        key = (one["reading"], one[parameter])
        row = rows.setdefault(key, {"reading": one["reading"], parameter: f"{one[parameter]:g}"})
        for name, (_, digits) in heads.items():
            row[f"{one['dataset']}.{name}"] = number(one[name], digits)
        row[f"{one['dataset']}.fscore"] = number(one["fscore"], 3)
    computed = dict.fromkeys(one["dataset"] for one in data)
    return Sheet(
        name=f"{job.paper}-{job.artefact}",
        title=f"{job.label}: dimension and F-score against {parameter}",
        caption=caption,
        columns=[
            Column("reading", "Reading", text=True),
            Column(parameter, parameter),
            *(
                Column(f"{dataset}.{key}", head, job.datasets[dataset]["printed"])
                for dataset in computed
                for key, head in (*((k, head) for k, (head, _) in heads.items()), ("fscore", "F"))
            ),
        ],
        rows=list(rows.values()),
        legend=[
            "The paper draws curves and prints no numbers. Means over embeddings; F-scores are "
            "those of k-means with as many clusters as classes.",
            *(
                f"{job.datasets[name]['printed']}: {reason}."
                for name, reason in job.left_out.items()
            ),
        ],
        data=data,
        data_columns=[
            *("dataset", "printed_name", "reading", parameter, *heads, "dimension_sd", "fscore"),
            *("standard_error", "embeddings"),
        ],
    )


# --- theorem 1 ----------------------------------------------------------------------------------


def theorem(job: Job, cells: pd.DataFrame) -> Sheet:
    """Pairs of values that neither influence matrix tells apart, on data and on random tables."""
    found = [
        {**row, "source": job.datasets[name]["printed"], "tables": 1}
        for name, row in _facts(job.records("factors")).items()
    ]
    random = job.records("random_tables")
    words = {
        "random": "random tables",
        "duplicated": "the same, first attribute twice",
    }
    keys = ("pairs", "siblings", "undistinguished", "undistinguished_code", "same_extents")
    keys += ("occurrence_mismatches",)
    for kind, source in words.items():
        some = random[random["kind"] == kind]
        found.append(
            {"source": source, "tables": len(some), **{key: int(some[key].sum()) for key in keys}}
        )
    data = [{key: one[key] for key in ("source", "tables", *keys)} for one in found]
    broken = sum(one["undistinguished"] for one in data[:-2])
    sets = sum(one["undistinguished"] > 0 for one in data[:-2])
    return Sheet(
        name=f"{job.paper}-{job.artefact}",
        title=f"{job.label}: values that neither matrix tells apart",
        caption=(
            "Pairs of different values with equal rows in the printed Mo and in Mc. Theorem 1 says "
            f"there are none; {sets} of {len(data) - 2} data sets have {broken}, random tables "
            f"{data[-2]['undistinguished']}, and a duplicated attribute makes "
            f"{data[-1]['undistinguished']}."
        ),
        columns=[
            Column("source", "Data", text=True),
            Column("tables", "tables"),
            Column("pairs", "pairs of values"),
            Column("undistinguished", "Mo printed", "equal in both matrices"),
            Column("undistinguished_code", "Mo of the program", "equal in both matrices"),
            Column("same_extents", "same extents"),
            Column("siblings", "pairs in one attribute"),
            Column("occurrence_mismatches", "equal in Mo, other frequency"),
        ],
        rows=[{key: str(value) for key, value in one.items()} for one in data],
        legend=[
            "same extents: values of two attributes that occur in exactly the same objects. "
            "The proof's last case assumes that there are none.",
            "equal in Mo, other frequency: pairs of one attribute for which equal rows of the "
            "printed Mo and equal frequencies do not go together (case 1 of the proof).",
        ],
        data=data,
        data_columns=["source", "tables", *keys],
    )


# --- costs --------------------------------------------------------------------------------------


_COST = (*("seconds", "slowest", "repeats", "fit_seconds", "before_mib", "peak_mib", "matrix_mib"),)


def cost(job: Job, cells: pd.DataFrame) -> Sheet:
    """Time and memory of the similarities of Table 2 on Adult, with the F-scores they lead to."""
    records = job.records("adult_cost")
    labels = {one["id"]: one["label"] for one in job.need("parameters")["methods"]}
    scores = collect(job.records("similarities"), "pipeline")
    data = []
    if not records.empty and (records["status"] == "ok").any():
        done = records[records["status"] == "ok"].set_index("pipeline").to_dict("index")
        for name, row in ((name, done[name]) for name in labels):
            one = scores.get((row["dataset"], name))
            data.append(
                {
                    "method": name,
                    "label": labels[name],
                    "objects": int(row["objects"]),
                    "distinct": int(row["distinct"]),
                    **{key: row[key] for key in _COST},
                    "fscore": one.mean if one else None,
                    "sd": one.run_sd if one else None,
                }
            )
    if data:
        most = max(data, key=lambda one: one["peak_mib"])
        said = (
            f"All {len(data)} run in at most {most['peak_mib']:.0f} MiB ({most['label']}), where a "
            f"matrix over all pairs of the {most['objects']} objects alone takes "
            f"{most['matrix_mib']:.0f} MiB."
        )
    else:
        said = "Not run: Adult is not part of this run."
    return Sheet(
        name=f"{job.paper}-{job.artefact}",
        title=f"{job.label}: spectral embedding without a matrix over all pairs",
        caption=said,
        columns=[
            Column("label", "Method", text=True),
            Column("seconds", "embedding (s)"),
            Column("fit_seconds", "measure (s)"),
            Column("before_mib", "before", "memory, MiB"),
            Column("peak_mib", "peak", "memory, MiB"),
            Column("matrix_mib", "all pairs (MiB)"),
            Column("fscore", "F-score"),
        ],
        rows=[
            {
                "label": one["label"],
                "seconds": number(one["seconds"], 2),
                "fit_seconds": number(one["fit_seconds"], 2),
                "before_mib": number(one["before_mib"], 0),
                "peak_mib": number(one["peak_mib"], 0),
                "matrix_mib": number(one["matrix_mib"], 0),
                "fscore": number(one["fscore"], 3),
            }
            for one in data
        ],
        legend=[
            HOW,
            HOW_MEMORY,
            "COS and ALGO are sums over the attributes: their problem reduces to one "
            "over the values. DILCA and the Gaussian of CDE are decomposed over distinct objects.",
        ],
        data=data,
        data_columns=[
            *("method", "label", "objects", "distinct", *_COST, "fscore", "sd"),
        ],
    )


def times(job: Job, cells: pd.DataFrame) -> Sheet:
    """Seconds until the objects are represented, by data set and method."""
    records = job.records("embedding_times")
    labels = {one["id"]: one["label"] for one in job.need("parameters")["methods"]}
    data = [
        {
            "dataset": row["dataset"],
            "printed_name": job.datasets[row["dataset"]]["printed"],
            **{key: row[key] for key in ("method", "kind", "objects", "seconds", "slowest")},
            "label": labels[row["method"]],
        }
        for row in records.to_dict("records")
        if row["status"] == "ok"
    ]
    rows: dict[str, dict[str, str]] = {}
    for one in data:
        row = rows.setdefault(
            one["dataset"], {"dataset": one["printed_name"], "objects": str(one["objects"])}
        )
        row[one["method"]] = number(one["seconds"], 2, 1000)
    orders = slowdowns(records)
    said = (
        f"CDE takes 10^{statistics.median(orders):.1f} times as long as the mean of the other "
        f"embeddings (median; 10^{min(orders):.1f} to 10^{max(orders):.1f})."
        if orders
        else "No data set of this run was timed."
    )
    return Sheet(
        name=f"{job.paper}-{job.artefact}",
        title=f"{job.label}: time to represent the objects",
        caption=f"Milliseconds from the table to the representation. {said}",
        columns=[
            Column("dataset", "Data set", text=True),
            Column("objects", "objects"),
            *(Column(name, label) for name, label in labels.items()),
        ],
        rows=list(rows.values()),
        legend=[
            "Embeddings yield a matrix of objects and dimensions, similarities one over all pairs "
            "of objects (left out where it has more than 10^8 entries).",
            HOW,
        ],
        data=data,
        data_columns=[
            *("dataset", "printed_name", "objects", "method", "label", "kind", "seconds"),
            "slowest",
        ],
    )
