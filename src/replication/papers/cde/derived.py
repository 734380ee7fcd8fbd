"""Numbers of CDE that follow from whole columns: averages, tests, gains, counts of wins."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from replication.judge.cells import Ours
from replication.papers.cde import reasons
from replication.papers.cde.runs import Columns, Runs, average, complete, paired_p
from replication.show.job import Job

if TYPE_CHECKING:
    import pandas as pd

    from replication.papers.cde.runs import Statistic


PRINT = "print"
"""Reading id of what follows from the printed columns alone."""
TABLES = 2000
"""Tables that are drawn to see what chance does to averages and tests."""

Table = dict[str, dict[str, float]]
"""F-scores by method and data set."""

TEST = "p_paired_t_two_tailed"
DERIVED = ("average", "p_value")


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

    def ours(self, cell: Mapping[str, str], reading: str) -> Ours:
        """Average or p-value of ours under a reading, or from the printed columns."""
        if cell["metric"] == TEST:
            datasets = list(self._job.datasets)[: self._parameters.get("tested")]
            pair = (self.methods[0], cell["method_id"])

            def of_test(ours: Table) -> str:
                printed = self._table(self.printed(datasets), datasets)
                return reasons.of_test(
                    (ours[pair[0]], ours[pair[1]]), (printed[pair[0]], printed[pair[1]])
                )

            return self.of(reading, paired_p(*pair), datasets, of_test)
        # the printed averages are taken over what explains them
        source = self._job.readings[0] if reading == PRINT else reading
        datasets, method = self.averaged(source), cell["method_id"]

        def of_average(ours: Table) -> str:
            printed = self._table(self.printed(datasets), datasets)
            return reasons.of_average(ours[method], printed[method], float(cell["value"]))

        return self.of(reading, average(method), datasets, of_average)

    def of(
        self,
        reading: str,
        statistic: Statistic,
        datasets: Sequence[str],
        explain: Callable[[Table], str],
    ) -> Ours:
        """What a statistic of the columns gives.

        Parameters
        ----------
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
            values = self.printed(datasets).reproduced(statistic)
            return Ours(values, reason=f"from the printed F-scores, {reason}")
        if absent := complete(self._runs, self.sources(reading).values(), datasets):
            return Ours(f"needs {', '.join(absent)}, which this run lacks")
        columns = self.columns(reading, datasets)
        return Ours(
            columns.reproduced(statistic),
            setting=self._parameters.get("selected", ""),
            reason=f"{reason}; {explain(self._table(columns, datasets))}",
        )

    @staticmethod
    def _table(columns: Columns, datasets: Sequence[str]) -> Table:
        return {
            method: dict(zip(datasets, map(float, column), strict=True))
            for method, column in columns.means.items()
        }

    def columns(self, reading: str, datasets: Sequence[str]) -> Columns:
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
