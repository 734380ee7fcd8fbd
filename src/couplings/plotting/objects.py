"""A map of the objects: near ones are alike."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from couplings._checks import check_positive
from couplings.embedding import principal_coordinates
from couplings.errors import CouplingsError
from couplings.plotting.clusters import _axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from couplings.measures.base import ValueMeasure
    from couplings.table import CategoricalTable

_MARKERS = "os^Dv<>pP*"


def plot_objects(
    measure: "ValueMeasure",
    table: "CategoricalTable",
    labels: ArrayLike,
    mark: ArrayLike = (),
    most: int = 1500,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw objects as points in the plane, near if they are alike, in the colours of clusters.

    The first two principal coordinates of the dissimilarities. The title says how much of the
    spread the plane shows.

    Parameters
    ----------
    measure : ValueMeasure
        Fitted.
    table : CategoricalTable
        n objects.
    labels : array_like of int, shape (n,)
        Cluster of each object.
    mark : array_like of int, default ()
        Positions of objects, from 0, that are shown in any case and named by their position.
    most : int, default 1500
        Most objects that are shown besides, drawn at random (seed 0).
    ax : matplotlib Axes, optional
        Where to draw. Default: new ones.

    Returns
    -------
    Axes

    Raises
    ------
    CouplingsError
        If matplotlib is not installed, if there is not one label per object, and as `pairwise`.
    """
    check_positive("plot_objects", "most", most)
    clusters = np.asarray(labels)
    n = table.n_objects
    if clusters.shape != (n,):
        raise CouplingsError(f"labels must be a vector of {n} clusters, not {clusters.shape}")
    ax = _axes(ax)
    marked = np.asarray(mark, dtype=np.int64)
    drawn = np.random.default_rng(0).permutation(n)[:most]
    rows = np.unique(np.concatenate([drawn, marked]))
    distances = measure.pairwise(table.take(rows))
    points, kept, _ = principal_coordinates(distances**2)
    shown = (points[:, :2] ** 2).sum() / kept if kept else 1.0
    points = np.pad(points, ((0, 0), (0, max(0, 2 - points.shape[1]))))
    for i, cluster in enumerate(np.unique(clusters)):
        here = clusters[rows] == cluster
        ax.plot(
            *points[here, :2].T,
            _MARKERS[i % len(_MARKERS)],
            color=f"C{i % 10}",
            markersize=6,
            alpha=0.7,
            markeredgewidth=0,
            label=f"{cluster} ({np.count_nonzero(clusters == cluster)})",
        )
    for position, at in zip(marked, points[np.searchsorted(rows, marked), :2], strict=True):
        ax.annotate(str(position), at, xytext=(4, 4), textcoords="offset points", fontsize=8)
    ax.set_aspect("equal", adjustable="datalim")
    ax.set_xlabel("first coordinate")
    ax.set_ylabel("second coordinate")
    ax.set_title(f"map of {len(rows)} of {n} objects ({shown:.0%} of the spread)")
    ax.legend(title="cluster (objects)", loc="best")
    return ax
