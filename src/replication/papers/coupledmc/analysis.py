"""What the claims of coupledMC compare: places, improvements, tests, indices, centres, maps."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import numpy as np
import pandas as pd

from replication.judge.claims import Count, Evidence, MissingEvidenceError, count, met
from replication.papers.coupledmc.runs import BEST, METHODS, RECONCILED
from replication.papers.coupledmc.significance import OURS, TESTED

LEVEL = 0.05
PEAKS = {name: (name, 2.0, "cut") for name in ("heart", "mpg")}
"""Data set, cutoff in percent and kernel that Figs 2 and 3 are drawn with."""
STATISTICS = {
    "largest": "the largest runs of all (oracle)",
    "mixed": "the largest run of coupledMC beside the means of the others",
}
"""How the methods of Table 6 are compared besides by means: as its last column is."""


# --- rows of tables -----------------------------------------------------------------------------


def in_text(evidence: Evidence, start: str) -> pd.DataFrame:
    """Numbers of the text whose quantity starts with some words.

    Raises
    ------
    MissingEvidenceError
        If none of them was computed.
    """
    rows = evidence.table("text", RECONCILED).dropna(subset=["reproduced"])
    rows = rows[rows["quantity"].str.startswith(start)]
    if rows.empty:
        raise MissingEvidenceError(f"text: {start} was not computed (effort {evidence.effort})")
    return rows


def by_place(records: pd.DataFrame) -> dict[tuple[str, ...], dict[str, float]]:
    """Value and range of the numbers of the worked example by quantity, reading, scale and place.

    A place is a row and a column; reading and scale are empty where a number has none.
    """
    if records.empty:
        return {}
    places = records[["quantity", "reading", "scale", "row", "column"]].fillna("").astype(str)
    numbers = records[["value", "low", "high"]].to_dict("records")
    return dict(zip(places.itertuples(index=False, name=None), numbers, strict=True))


def example_numbers(evidence: Evidence) -> dict[tuple[str, ...], float]:
    """Numbers of the worked example, see `by_place`."""
    found = by_place(evidence.experiment("example", ["table1"]))
    return {place: one["value"] for place, one in found.items()}


def printed_text(evidence: Evidence, method: str) -> dict[str, float]:
    """Printed numbers of the text by metric."""
    cells = evidence.printed
    cells = cells[(cells["artefact"] == "text") & (cells["method_id"] == method)]
    return dict(zip(cells["metric"], cells["value"].astype(float), strict=True))


def unmet(rows: pd.DataFrame, words: str) -> str:
    """Clause on the printed values that are not met; empty if all are."""
    odd = rows[[not held for held in met(rows)]].to_dict("records")
    return "; ".join(["", *(words.format(**one) for one in odd)])


# --- Table 6 ------------------------------------------------------------------------------------


def accuracies(evidence: Evidence) -> pd.DataFrame:
    """Rows of Table 6 that were computed, without the averages; all data sets are there."""
    rows = evidence.table("table06").query("dataset != 'average'")
    return evidence.need(rows, "dataset", evidence.datasets("table05"))


def column_of(rows: pd.DataFrame, method: str, reading: str, key: str) -> pd.Series:
    """What a method has under a reading, by data set."""
    mine = rows[(rows["method"] == method) & (rows["reading"] == reading)]
    return mine.set_index("dataset")[key]


def grid(rows: pd.DataFrame, statistic: str = "means", **other: str) -> pd.DataFrame:
    """Accuracies, data sets by methods.

    Parameters
    ----------
    rows : DataFrame
        See `accuracies`.
    statistic : str
        ``means``, one of `STATISTICS`, or ``printed`` for the printed ones.
    **other : str
        Methods that take another reading, such as ``spectralcat="collapsed"``.
    """
    columns = {"largest": "largest_run", "printed": "printed_value"}
    column = columns.get(statistic, "mean")
    taken = dict.fromkeys(METHODS, RECONCILED) | other
    values = {method: column_of(rows, method, reading, column) for method, reading in taken.items()}
    if statistic in STATISTICS:
        values[OURS] = column_of(rows, OURS, BEST, "largest_run")
    return pd.DataFrame(values)


def places(accuracies: pd.DataFrame, ahead: Callable[[float, float], bool]) -> dict[str, int]:
    """Place of coupledMC on each data set: one more than the methods that are ahead of it."""
    return {
        str(name): 1 + sum(ahead(value, row[OURS]) for value in row.drop(OURS))
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
    cells = evidence.printed.query("artefact == 'table06'").astype({"value": float})
    average = cells["dataset_id"] == "average"
    said = cells[average].set_index("method_id")["value"].to_dict()
    means = cells[~average].groupby("method_id")["value"].mean()
    return said, means[list(said)].to_dict()


def improvements(means: Mapping[str, float]) -> tuple[float, float]:
    """Least and greatest improvement of the average of coupledMC over another method."""
    every = [means[OURS] / value - 1 for name, value in means.items() if name != OURS]
    return min(every), max(every)


def clustering_tests(
    evidence: Evidence, statistic: str = "means"
) -> dict[str, tuple[float, float]]:
    """Paired t test of coupledMC with each other method: p value and mean difference."""
    tests = evidence.tests()
    rows = tests[(tests["of"] == "accuracy") & (tests["by"] == statistic)].set_index("second")
    return dict(zip(rows.index, zip(rows["p"], rows["difference"], strict=True), strict=True))


def significant(tests: Iterable[tuple[float, float]]) -> Count:
    """Mean differences above 0 with a p value below the level of the paper."""
    return count(p < LEVEL and gain > 0 for p, gain in tests)


# --- Fig. 1 -------------------------------------------------------------------------------------


def indices(evidence: Evidence) -> pd.DataFrame:
    """Rows of Fig. 1; all data sets are there."""
    return evidence.need(evidence.table("fig01"), "dataset", evidence.datasets("table05"))


def but(held: pd.Series) -> str:
    """Names for which something does not hold, in brackets; none if it always or never does."""
    return f" (not {', '.join(held.index[~held])})" if 0 < held.sum() < len(held) else ""


def structure_tests(evidence: Evidence) -> dict[str, tuple[float, bool]]:
    """Paired t test over data sets for each index: p value, and whether coupled is better."""
    indices(evidence)
    rows = evidence.tests().query("of == 'structure'")
    return {
        row.by: (row.p, TESTED[row.by] * row.difference > 0) for row in rows.itertuples(index=False)
    }


# --- Figs 2 and 3 -------------------------------------------------------------------------------


def peak_settings(evidence: Evidence) -> dict[str, pd.DataFrame]:
    """Density peaks by distance, indexed by data set, cutoff and kernel."""
    rows = evidence.experiment("sensitivity", PEAKS).set_index(["dataset", "percent", "kernel"])
    return {name: rows[rows["distance"] == name] for name in ("raw", "scaled", "coupled")}


def map_points(points: pd.DataFrame) -> int:
    """Points of a map that differ on a grid of 1 % of its larger half extent."""
    places = points[["x", "y"]].to_numpy(dtype=float)
    return len(np.unique(np.round(100 * places / np.abs(places).max()), axis=0))


def strange_neighbours(points: pd.DataFrame) -> float:
    """Share of the objects whose nearest other object on a map is in another cluster."""
    from scipy.spatial import KDTree

    places = points[["x", "y"]].to_numpy(dtype=float)
    first, second = KDTree(places).query(places, k=2)[1].T
    # where objects lie on each other, the nearest may be another one than the object itself
    nearest = np.where(first == np.arange(len(places)), second, first)
    clusters = points["cluster"].to_numpy()
    return float((clusters[nearest] != clusters).mean())
