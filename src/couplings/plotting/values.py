"""Pictures of what a measure has learned; they need matplotlib."""

from typing import TYPE_CHECKING, Any

import numpy as np

from couplings.embedding import principal_coordinates
from couplings.plotting.clusters import _axes, _pyplot

if TYPE_CHECKING:
    import pandas as pd
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
    frame = _alike_together(measure.value_distances(attribute))
    ax = _axes(ax)
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


def plot_values(measure: "ValueMeasure", most: int = 12, labels: int = 25) -> "np.ndarray":
    """Draw the distances of the values of several attributes, a heat map each.

    Parameters
    ----------
    measure : ValueMeasure
        Fitted.
    most : int, default 12
        Most attributes, those with the farthest values. Attributes of two values have one distance
        only and are left out, unless all are such.
    labels : int, default 25
        Most values of an attribute, the most frequent ones.

    Returns
    -------
    ndarray of Axes
        One per attribute, in the order of the table. Alike values are side by side.

    Raises
    ------
    CouplingsError
        As `plot_value_distances`.
    """
    plt = _pyplot()
    found = {name: measure.value_distances(name) for name in measure._domains.attributes}
    frames = {name: frame for name, frame in found.items() if len(frame) > 2} or found
    far = sorted(frames, key=lambda name: -frames[name].to_numpy().max())[:most]
    shown = [name for name in frames if name in far]
    across = min(3, len(shown))
    down = -(-len(shown) // across)
    figure, grid = plt.subplots(
        down, across, figsize=(3.3 * across, 3.0 * down), squeeze=False, layout="constrained"
    )
    top = max(frames[name].to_numpy().max() for name in shown) or 1.0
    for ax in grid.flat[len(shown) :]:
        ax.set_axis_off()
    for name, ax in zip(shown, grid.flat, strict=False):
        shares = measure.value_frequencies(name).to_numpy()
        kept = np.sort(np.argsort(-shares, kind="stable")[:labels])
        frame = _alike_together(frames[name].iloc[kept, kept])
        image = ax.imshow(frame, cmap="Blues", vmin=0, vmax=top)
        size = 8 if len(frame) <= _MOST_NUMBERS else 6
        ax.set_xticks(range(len(frame)), frame.columns, rotation=90, fontsize=size)
        ax.set_yticks(range(len(frame)), frame.index, fontsize=size)
        left = len(shares) - len(frame)
        ax.set_title(f"{name} (without {left} rare values)" if left else name, fontsize=9)
    figure.colorbar(image, ax=grid, label="distance", shrink=0.6, aspect=30)
    return grid.ravel()[: len(shown)]


def _alike_together(frame: "pd.DataFrame") -> "pd.DataFrame":
    """Return distances in the order of a hierarchical clustering of the values."""
    from scipy.cluster.hierarchy import leaves_list, linkage
    from scipy.spatial.distance import squareform

    if len(frame) <= 2:
        return frame
    order = leaves_list(linkage(squareform(frame.to_numpy(), checks=False), method="average"))
    return frame.iloc[order, order]


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
