"""Pictures of what a measure has learned; they need matplotlib."""

from typing import TYPE_CHECKING, Any

import numpy as np

from couplings.embedding import principal_coordinates
from couplings.plotting.clusters import _axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from couplings.measures.base import ValueMeasure

# Up to so many values the cells of a heat map are labelled.
_MOST_NUMBERS = 12


def plot_value_distances(
    measure: "ValueMeasure", attribute: str | int, ax: "Axes | None" = None
) -> "Axes":
    """Draw the distances of the values of one attribute as a heat map.

    Values are in the order of a hierarchical clustering (average linkage), so that alike ones are
    side by side.

    Parameters
    ----------
    measure : ValueMeasure
        Fitted.
    attribute : str or int
        Name or position.
    ax : Axes, optional
        Where to draw. Default: a new figure.

    Returns
    -------
    Axes

    Raises
    ------
    CouplingsError
        If matplotlib is not installed, and as `ValueMeasure.value_distances`.
    """
    from scipy.cluster.hierarchy import leaves_list, linkage
    from scipy.spatial.distance import squareform

    frame = measure.value_distances(attribute)
    ax = _axes(ax)
    if len(frame) > 2:
        tree = linkage(squareform(frame.to_numpy(), checks=False), method="average")
        order = leaves_list(tree)
        frame = frame.iloc[order, order]
    size = len(frame)
    image = ax.imshow(frame, cmap="Blues", vmin=0)
    ax.set_xticks(range(size), frame.columns, rotation=90 if size > _MOST_NUMBERS else 0)
    ax.set_yticks(range(size), frame.index)
    if size <= _MOST_NUMBERS:
        dark = frame.to_numpy().max() / 2
        for (i, j), value in np.ndenumerate(frame.to_numpy()):
            colour = "white" if value > dark else "black"
            ax.text(j, i, f"{value:.2f}", ha="center", va="center", color=colour, fontsize="small")
    ax.set_title(f"{_name(measure, attribute)}: distances of values")
    ax.figure.colorbar(image, ax=ax, label="distance")
    return ax


def plot_value_map(
    measure: "ValueMeasure", attribute: str | int, ax: "Axes | None" = None
) -> "Axes":
    """Draw the values of one attribute as points in the plane, near if they are alike.

    The first two principal coordinates of the distances; the area of a point is the share of the
    objects that have the value. The title says how much of the distances the plane shows.

    Parameters and errors are those of `plot_value_distances`.
    """
    frame = measure.value_distances(attribute)
    ax = _axes(ax)
    points = principal_coordinates(frame.to_numpy() ** 2)[0]
    spread = (points**2).sum(axis=0)
    shown = spread[:2].sum() / spread.sum() if spread.sum() else 1.0
    points = np.pad(points, ((0, 0), (0, max(0, 2 - points.shape[1]))))
    shares = measure.value_frequencies(attribute)
    ax.scatter(points[:, 0], points[:, 1], s=30 + 900 * shares.to_numpy(), alpha=0.5)
    for (x, y), label in zip(points[:, :2], frame.index, strict=True):
        ax.annotate(label, (x, y), xytext=(5, 5), textcoords="offset points")
    ax.set_aspect("equal", adjustable="datalim")
    ax.margins(0.2)
    ax.set_xlabel("first coordinate")
    ax.set_ylabel("second coordinate")
    ax.set_title(f"{_name(measure, attribute)}: map of values ({shown:.0%} of the spread)")
    return ax


def _name(measure: Any, attribute: str | int) -> str:
    return measure._domains.attributes[measure._domains.position(attribute)]
