"""What the claims of coupledMC compare: places, improvements, tests, indices and centres."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from replication.judge.claims import Evidence, MissingEvidenceError
from replication.papers.coupledmc.runs import BEST, METHODS, RECONCILED
from replication.papers.coupledmc.significance import ORIGINAL, OURS, TESTED
from replication.run.paired import paired_test

if TYPE_CHECKING:
    import pandas as pd

LEVEL = 0.05
PEAKS = ("heart", "mpg")
DRAWN = tuple((name, 2.0, "cut") for name in PEAKS)
"""Data set, cutoff in percent and kernel that each figure is drawn with."""
Tests = dict[str, tuple[float, float]]
"""P value and mean difference, by what is compared."""

STATISTICS = {
    "means": "the means of all",
    "largest": "the largest runs of all (oracle)",
    "mixed": "the largest run of coupledMC beside the means of the others",
}
"""How the methods of Table 6 are compared: as its caption says, and as its last column is."""


# --- rows of tables -----------------------------------------------------------------------------


def table(evidence: Evidence, artefact: str, reading: str = RECONCILED) -> pd.DataFrame:
    """Rows of a table under a reading.

    Raises
    ------
    MissingEvidenceError
        If there are none.
    """
    rows = evidence.table(artefact)
    rows = rows[rows["reading"] == reading]
    if rows.empty:
        raise MissingEvidenceError(f"{artefact} was not computed (effort {evidence.effort})")
    return rows


def in_text(evidence: Evidence, start: str) -> pd.DataFrame:
    """Numbers of the text whose quantity starts with some words.

    Raises
    ------
    MissingEvidenceError
        If none of them was computed.
    """
    rows = table(evidence, "text").dropna(subset=["reproduced"])
    rows = rows[rows["quantity"].str.startswith(start)]
    if rows.empty:
        raise MissingEvidenceError(f"text: {start} was not computed (effort {evidence.effort})")
    return rows


def example_numbers(evidence: Evidence) -> dict[tuple[str, ...], float]:
    """Numbers of the worked example, by quantity, reading, scale, row and column."""
    records = evidence.experiment("example", ["table1"])
    records[["reading", "scale"]] = records[["reading", "scale"]].fillna("")
    names = ("quantity", "reading", "scale", "row", "column")
    keys = zip(*(records[name].astype(str) for name in names), strict=True)
    return dict(zip(keys, records["value"], strict=True))


def printed_text(evidence: Evidence, method: str) -> dict[str, float]:
    """Printed numbers of the text by metric."""
    cells = evidence.printed
    cells = cells[(cells["artefact"] == "text") & (cells["method_id"] == method)]
    return dict(zip(cells["metric"], cells["value"].astype(float), strict=True))


# --- Table 6 ------------------------------------------------------------------------------------


def accuracies(evidence: Evidence) -> pd.DataFrame:
    """Rows of Table 6 that were computed, without the averages; all data sets are there."""
    rows = evidence.table("table06")
    rows = rows[rows["dataset"] != "average"]
    evidence.need(rows, "dataset", evidence.datasets("table05"))
    return rows


def grid(rows: pd.DataFrame, statistic: str = "means", **other: str) -> pd.DataFrame:
    """Accuracies of ours, data sets by methods.

    Parameters
    ----------
    rows : DataFrame
        See `accuracies`.
    statistic : str
        One of `STATISTICS`.
    **other : str
        Methods that take another reading, such as ``spectralcat="collapsed"``.
    """
    column = "largest_run" if statistic == "largest" else "mean"
    taken = dict.fromkeys(METHODS, RECONCILED) | other
    values = {
        method: rows[(rows["method"] == method) & (rows["reading"] == reading)].set_index(
            "dataset"
        )[column]
        for method, reading in taken.items()
    }
    if statistic != "means":
        best = rows[(rows["method"] == OURS) & (rows["reading"] == BEST)]
        values[OURS] = best.set_index("dataset")["largest_run"]
    return _frame(values)


def printed_grid(rows: pd.DataFrame) -> pd.DataFrame:
    """Printed accuracies, data sets by methods."""
    main = rows[rows["reading"] == RECONCILED]
    return _frame(
        {
            method: main[main["method"] == method].set_index("dataset")["printed_value"]
            for method in METHODS
        }
    )


def _frame(columns: Mapping[str, pd.Series]) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame(columns)


def places(accuracies: pd.DataFrame, ahead: Callable[[float, float], bool]) -> dict[str, int]:
    """Place of coupledMC on each data set: one more than the methods that are ahead of it."""
    return {
        str(name): 1 + sum(ahead(row[method], row[OURS]) for method in row.index if method != OURS)
        for name, row in accuracies.iterrows()
    }


def level_with_second(rows: pd.DataFrame, dataset: str) -> bool:
    """Whether chance alone may put the mean of coupledMC behind the second method."""
    mine = rows[(rows["dataset"] == dataset) & (rows["reading"] == RECONCILED)].set_index("method")
    second = mine["mean"].drop(OURS).nlargest(2).index[1]
    error = sum(mine["sd"][name] ** 2 / mine["samples"][name] for name in (second, OURS))
    return mine["mean"][second] - mine["mean"][OURS] <= 2 * error**0.5


def printed_averages(evidence: Evidence) -> tuple[dict[str, float], dict[str, float]]:
    """Printed averages, and the means of the printed columns."""
    cells = evidence.printed
    cells = cells[cells["artefact"] == "table06"]
    average = cells["dataset_id"] == "average"
    said = dict(
        zip(cells["method_id"][average], cells["value"][average].astype(float), strict=True)
    )
    means = cells[~average].astype({"value": float}).groupby("method_id")["value"].mean()
    return said, {method: float(means[method]) for method in said}


def improvements(means: Mapping[str, float]) -> tuple[float, float]:
    """Least and greatest improvement of the average of coupledMC over another method."""
    every = [means[OURS] / value - 1 for name, value in means.items() if name != OURS]
    return min(every), max(every)


def clustering_tests(evidence: Evidence, statistic: str = "means") -> Tests:
    """Paired t test of coupledMC with each other method: p value and mean difference."""
    return _tests(evidence, "accuracy", by=statistic, key="second")


def printed_tests(accuracies: pd.DataFrame) -> Tests:
    """The same tests between printed columns, see `printed_grid`."""
    found = {
        str(method): paired_test(accuracies[OURS], accuracies[method])
        for method in accuracies.columns
        if method != OURS
    }
    return {method: (test["p"], test["difference"]) for method, test in found.items()}


def _tests(evidence: Evidence, of: str, key: str, **wanted: str) -> Tests:
    """What the rule `tests` has found: p value and mean difference, by a column."""
    rows = evidence.tests()
    for column, value in {"of": of, **wanted}.items():
        rows = rows[rows[column] == value]
    pairs = zip(rows["p"], rows["difference"], strict=True)
    return dict(zip(rows[key], pairs, strict=True))


def significant(tests: Mapping[str, tuple[float, float]]) -> list[bool]:
    """Which differences are above 0 with a p value below the level of the paper."""
    return [p < LEVEL and gain > 0 for p, gain in tests.values()]


# --- Fig. 1 -------------------------------------------------------------------------------------


def indices(evidence: Evidence) -> pd.DataFrame:
    """Rows of Fig. 1; all data sets are there."""
    rows = evidence.table("fig01")
    evidence.need(rows, "dataset", evidence.datasets("table05"))
    return rows


def better(rows: pd.DataFrame, index: str, original: str = ORIGINAL) -> dict[str, bool]:
    """On which data sets the coupled representation has the better index."""
    chosen = rows[(rows["index"] == index) & (rows["original"] == original)]
    return dict(zip(chosen["dataset"], chosen["better"] == "yes", strict=True))


def structure_tests(evidence: Evidence) -> dict[str, tuple[float, bool]]:
    """Paired t test over data sets for each index: p value, and whether coupled is better."""
    indices(evidence)
    return {
        index: (p, TESTED[index] * difference > 0)
        for index, (p, difference) in _tests(evidence, "structure", key="by").items()
    }


# --- Figs 2 and 3 -------------------------------------------------------------------------------


def peak_settings(evidence: Evidence) -> dict[str, pd.DataFrame]:
    """Density peaks by distance, indexed by data set, cutoff and kernel."""
    rows = evidence.experiment("sensitivity", PEAKS).set_index(["dataset", "percent", "kernel"])
    return {name: rows[rows["distance"] == name] for name in ("raw", "scaled", "coupled")}


def wider(found: Mapping[str, pd.DataFrame], score: str, gamma: str) -> pd.Series:
    """In which settings the coupled representation has the larger score."""
    return found["coupled"][score] > found[gamma][score]
