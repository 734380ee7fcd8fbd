"""What the eye tells apart on the two-dimensional maps of Figs 2 and 3."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pandas as pd


def map_points(points: pd.DataFrame, distance: str) -> int:
    """Points of a map that differ on a grid of 1 % of its larger half extent."""
    return len(np.unique(_steps(points, distance), axis=0))


def strange_neighbours(points: pd.DataFrame, distance: str) -> float:
    """Share of the objects whose nearest other object on a map is in another cluster."""
    from scipy.spatial import KDTree

    mine = points[points["distance"] == distance]
    places = mine[["x", "y"]].to_numpy(dtype=float)
    first, second = KDTree(places).query(places, k=2)[1].T
    # where objects lie on each other, the nearest may be another one than the object itself
    nearest = np.where(first == np.arange(len(mine)), second, first)
    clusters = mine["cluster"].to_numpy()
    return float((clusters[nearest] != clusters).mean())


def _steps(points: pd.DataFrame, distance: str) -> np.ndarray:
    places = points.loc[points["distance"] == distance, ["x", "y"]].to_numpy(dtype=float)
    return np.round(100 * places / np.abs(places).max())
