"""What the eye tells apart on the two-dimensional maps of Figs 2 and 3."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pandas as pd


def map_points(points: pd.DataFrame, distance: str) -> int:
    """Points of a map that differ on a grid of 1 % of its larger half extent."""
    return len(np.unique(_steps(points, distance), axis=0))


def shared_points(points: pd.DataFrame, distance: str) -> float:
    """Share of the visible points of a map that hold objects of more than one cluster."""
    steps = _steps(points, distance)
    clusters = points.loc[points["distance"] == distance, "cluster"].to_numpy()
    place = np.unique(steps, axis=0, return_inverse=True)[1].ravel()
    pairs = np.unique(np.column_stack([place, clusters]), axis=0)
    return float((np.bincount(pairs[:, 0].astype(int)) > 1).mean())


def _steps(points: pd.DataFrame, distance: str) -> np.ndarray:
    places = points.loc[points["distance"] == distance, ["x", "y"]].to_numpy(dtype=float)
    return np.round(100 * places / np.abs(places).max())
