"""Split the variance of the ARI into parts due to data sets, methods, and random draws."""

import pandas as pd

from replication.papers.study.analysis import by_setting, complete, matrix
from replication.show.job import Job

ORDERS = ("ward", "average", "rock", "limbo")
"""Algorithms without starts: their replicates differ in the order of the rows."""


def components(found: pd.DataFrame) -> dict[str, float]:
    """Return components of the variance of one run's ARI, by two-way analysis of cell means.

    ``data set``, ``method`` and ``data set x method`` follow from the expected mean squares of the
    block of cells without gaps, the interaction less the error of the cell means. ``draw`` and
    ``row order`` are mean variances over replicates, of methods with and without random starts.
    """
    block = complete(matrix(found))
    n, k = block.shape
    if min(n, k) < 2:
        return {}
    rows, columns, grand = block.mean(axis=1), block.mean(), block.to_numpy().mean()
    rest = block.sub(rows, axis=0).sub(columns, axis=1) + grand
    interaction = float((rest**2).to_numpy().sum() / ((n - 1) * (k - 1)))
    cells = found[found["method"].isin(block.columns) & found["dataset"].isin(block.index)]
    spread = cells["ari_sd"].fillna(0.0) ** 2
    noise = float((spread / cells["replicates"].astype(float)).mean())
    orders = cells["algorithm"].isin(ORDERS)
    return {
        "data set": max(float(rows.var()) - interaction / k, 0.0),
        "method": max(float(columns.var()) - interaction / n, 0.0),
        "data set x method": max(interaction - noise, 0.0),
        "draw": float(spread[~orders].mean()),
        "row order": float(spread[orders].mean()) if orders.any() else 0.0,
    }


def of_bins(job: Job) -> float | None:
    """Return the mean variance of a cell's ARI over numbers of bins; None for one number."""
    table = by_setting(job, "bins").sort_index().sort_index(axis=1)
    return float(table.var(axis=1).mean()) if table.shape[1] > 1 and len(table) else None
