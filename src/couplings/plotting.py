"""Plots, drawn with matplotlib (``pip install couplings[plot]``).

All functions return the Axes that they draw into, new ones unless given, and raise
`CouplingsError` if matplotlib is not installed.
"""

from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from couplings._checks import check_positive, is_integer, label_codes
from couplings._labels import elements
from couplings.embedding import principal_coordinates
from couplings.errors import CouplingsError
from couplings.mixed import rows_of_any

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from couplings.intervals import ValueIntervals
    from couplings.measures.base import ValueMeasure
    from couplings.measures.mixed_distance import MixedDistance

# Maximum number of values for which the cells of a heat map are labelled.
_MOST_NUMBERS = 12
# Maximum number of characters of a name or label; a page of text takes gigabytes to draw.
_LONGEST = 30


def plot_value_distances(
    measure: "ValueMeasure",
    attribute: str | int,
    ax: "Axes | None" = None,
    intervals: "ValueIntervals | None" = None,
) -> "Axes":
    """Draw the distances of the values of one attribute as a heat map.

    Values are in the order of a hierarchical clustering (average linkage), so that similar ones
    are adjacent. Errors are those of `ValueMeasure.value_distances`.

    Parameters
    ----------
    measure : ValueMeasure
        Fitted.
    attribute : str or int
        Name or position.
    ax : Axes, optional
    intervals : ValueIntervals, optional
        Result of `couplings.intervals.value_intervals` for the same measure and data; unstable
        pairs are grey.
    """
    _check_measure("plot_value_distances", measure)
    frame = measure.value_distances(attribute)
    ax = _axes(ax)
    name = measure._domains.attributes[measure._domains.position(attribute)]
    unstable = None if intervals is None else intervals.unstable(name)
    image = _heat_map(ax, frame, f"{_text(name)}: distances of values", unstable=unstable)
    _label_cells(ax, np.ma.filled(image.get_array(), np.nan), frame.to_numpy().max())
    ax.figure.colorbar(image, ax=ax, label="distance")
    return ax


def _heat_map(
    ax: "Axes",
    frame: "pd.DataFrame",
    title: str,
    top: float | None = None,
    unstable: np.ndarray | None = None,
) -> Any:
    """Draw distances of values in the order of a clustering, similar ones adjacent."""
    from scipy.cluster.hierarchy import leaves_list, linkage
    from scipy.spatial.distance import squareform

    if len(frame) > 2:
        order = leaves_list(linkage(squareform(frame.to_numpy(), checks=False), method="average"))
        frame = frame.iloc[order, order]
        unstable = None if unstable is None else unstable[np.ix_(order, order)]
    top = frame.to_numpy().max() if top is None else top
    if unstable is not None:
        frame = frame.mask(unstable)
        ax.set_facecolor("0.75")
    size = 8 if len(frame) <= _MOST_NUMBERS else 6
    ax.set_xticks(range(len(frame)), map(_text, frame.columns), rotation=90, fontsize=size)
    ax.set_yticks(range(len(frame)), map(_text, frame.index), fontsize=size)
    ax.set_title(title)
    return ax.imshow(frame, cmap="Blues", vmin=0, vmax=top)


def plot_values(
    measure: "ValueMeasure",
    most: int = 12,
    labels: int = 25,
    intervals: "ValueIntervals | None" = None,
) -> "np.ndarray":
    """Draw the distances of the values of several attributes, one heat map each.

    Errors are those of `plot_value_distances`.

    Parameters
    ----------
    measure : ValueMeasure
        Fitted.
    most : int, default 12
        Maximum number of attributes, those with the largest distances. Attributes of two values
        have only one distance and are skipped, unless all are such.
    labels : int, default 25
        Maximum number of values of an attribute, the most frequent ones.
    intervals : ValueIntervals, optional
        As in `plot_value_distances`.

    Returns
    -------
    ndarray of Axes
        One per attribute, in the order of the table. Similar values are adjacent.
    """
    _check_measure("plot_values", measure)
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
        left = len(shares) - len(kept)
        title = _text(name) + (f" (without {left} rare values)" if left else "")
        unstable = None if intervals is None else intervals.unstable(name)[np.ix_(kept, kept)]
        image = _heat_map(ax, frames[name].iloc[kept, kept], title, top, unstable)
    figure.colorbar(image, ax=grid, label="distance", shrink=0.6, aspect=30)
    return grid.ravel()[: len(shown)]


def plot_associations(frame: "pd.DataFrame", ax: "Axes | None" = None) -> "Axes":
    """Draw the association of all pairs of attributes as a heat map from 0 to 1.

    Parameters
    ----------
    frame : DataFrame
        Result of `couplings.associations.associations`.
    ax : Axes, optional

    Returns
    -------
    Axes
        Cells are labelled in tables of up to twelve attributes; NaN cells are grey.
    """
    _check_result("plot_associations", frame, (), "associations(X)")
    if not hasattr(frame, "index") or list(frame.index) != list(frame.columns):
        raise CouplingsError("plot_associations shows the result of associations(X)")
    ax = _axes(ax)
    ax.set_facecolor("0.85")
    image = ax.imshow(frame, cmap="Blues", vmin=0, vmax=1)
    ax.set_xticks(range(len(frame)), map(_text, frame.columns), rotation=90)
    ax.set_yticks(range(len(frame)), map(_text, frame.index))
    _label_cells(ax, frame.to_numpy(), 1.0)
    ax.figure.colorbar(image, ax=ax, label="association")
    return ax


def _text(label: object) -> str:
    """Return a name or label as matplotlib is to show it: cut, and no formula."""
    text = str(label)
    text = text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
    return text.replace("$", r"\$")


def _label_cells(ax: "Axes", cells: np.ndarray, top: float) -> None:
    """Write the numbers of a small heat map into its cells."""
    if len(cells) > _MOST_NUMBERS:
        return
    for (i, j), value in np.ndenumerate(cells):
        if np.isfinite(value):
            colour = "white" if value > top / 2 else "black"
            ax.text(j, i, f"{value:.2f}", ha="center", va="center", color=colour, fontsize="small")


def _positions(mark: Any, n: int) -> np.ndarray:
    """Return positions of objects, or raise `CouplingsError`; one number is one position."""
    found = elements("mark", mark)
    if not all(is_integer(one) and 0 <= one < n for one in found):
        raise CouplingsError(f"mark={mark!r}: give positions of objects from 0 to {n - 1}")
    return np.array(found, dtype=np.int64)


def _check_measure(owner: str, measure: Any) -> None:
    """Raise `CouplingsError` unless a measure of values is given."""
    if not hasattr(measure, "value_distances"):
        raise CouplingsError(
            f"{owner} needs a fitted measure of values, such as DilcaRR().fit(X), not "
            f"{type(measure).__name__}"
        )
    measure._require_fit()


def _check_result(owner: str, frame: Any, columns: tuple[str, ...], maker: str) -> None:
    """Raise `CouplingsError` unless a frame has the columns of the result that a plot shows."""
    if not set(columns) <= set(getattr(frame, "columns", ())):
        raise CouplingsError(f"{owner} shows the result of {maker}, not a {type(frame).__name__}")


_MARKERS = "os^Dv<>pP*"


def plot_objects(
    measure: "ValueMeasure | MixedDistance",
    table: Any,
    labels: ArrayLike,
    mark: ArrayLike = (),
    most: int = 1500,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw objects as points in the plane, close if similar, coloured by cluster.

    The axes are the first two principal coordinates of the dissimilarities. The title gives the
    share of the spread that the plane shows.

    Parameters
    ----------
    measure : ValueMeasure or MixedDistance
        Fitted.
    table : table of any kind that the measure takes
        n objects.
    labels : array_like of int, shape (n,)
        Cluster of each object.
    mark : array_like of int, default ()
        Positions, from 0, of objects that are always shown and labelled by their position.
    most : int, default 1500
        Maximum number of other objects shown, drawn at random (seed 0).
    ax : Axes, optional

    Raises
    ------
    CouplingsError
        If there is not one label per object, and as `pairwise`.
    """
    check_positive("plot_objects", most=most)
    if not hasattr(measure, "pairwise"):
        raise CouplingsError(
            f"plot_objects needs a fitted measure before the table, not {type(measure).__name__}"
        )
    n, taken = rows_of_any(table)
    found, codes = label_codes(labels, n)
    ax = _axes(ax)
    marked = _positions(mark, n)
    drawn = np.random.default_rng(0).permutation(n)[:most]
    rows = np.unique(np.concatenate([drawn, marked]))
    distances = measure.pairwise(taken(rows))
    points, kept, _ = principal_coordinates(distances**2)
    shown = (points[:, :2] ** 2).sum() / kept if kept else 1.0
    points = np.pad(points, ((0, 0), (0, max(0, 2 - points.shape[1]))))
    for i, cluster in enumerate(found):
        here = codes[rows] == i
        ax.plot(
            *points[here, :2].T,
            _MARKERS[i % len(_MARKERS)],
            color=f"C{i % 10}",
            markersize=6,
            alpha=0.7,
            markeredgewidth=0,
            label=f"{cluster} ({np.count_nonzero(codes == i)})",
        )
    for position, at in zip(marked, points[np.searchsorted(rows, marked), :2], strict=True):
        ax.annotate(str(position), at, xytext=(4, 4), textcoords="offset points", fontsize=8)
    ax.set_aspect("equal", adjustable="datalim")
    ax.set(
        xlabel="first coordinate",
        ylabel="second coordinate",
        title=f"map of {len(rows)} of {n} objects ({shown:.0%} of the spread)",
    )
    ax.legend(title="cluster (objects)", loc="best")
    return ax


def plot_profiles(profiles: "pd.DataFrame", most: int = 8) -> "np.ndarray":
    """Draw the shares of characteristic values inside and outside each cluster.

    Parameters
    ----------
    profiles : DataFrame
        Result of `cluster_profiles`, or of `LatentClasses.intervals`, whose intervals are drawn.
    most : int, default 8
        Maximum number of values per cluster.

    Returns
    -------
    ndarray of Axes
        One per cluster.
    """
    _check_result(
        "plot_profiles", profiles, ("kind", "cluster", "inside"), "cluster_profiles(X, labels)"
    )
    check_positive("plot_profiles", most=most)
    shown = profiles[profiles["kind"] == "value"]
    if shown.empty:
        raise CouplingsError("plot_profiles: the profiles have no values of categories")
    clusters = list(dict.fromkeys(shown["cluster"]))
    size = (5.0, 0.35 * most * len(clusters) + 1.0)
    figure, grid = _pyplot().subplots(
        len(clusters), 1, figsize=size, squeeze=False, layout="constrained", sharex=True
    )
    figure.supxlabel("share of the objects")
    axes = grid[:, 0]
    for cluster, ax in zip(clusters, axes, strict=True):
        rows = shown[shown["cluster"] == cluster].head(most).iloc[::-1]
        at = np.arange(len(rows))
        ax.barh(at, rows["inside"], height=0.6, color="tab:blue", label="in the cluster")
        if "low" in rows:
            far = [rows["inside"] - rows["low"], rows["high"] - rows["inside"]]
            ax.errorbar(rows["inside"], at, xerr=far, fmt="none", color="tab:gray", capsize=2)
        ax.plot(rows["outside"], at, "|", color="black", markersize=12, label="elsewhere")
        pairs = zip(rows["attribute"].map(_text), rows["value"].map(_text), strict=True)
        ax.set_yticks(at, [f"{attribute} = {value}" for attribute, value in pairs])
        ax.set_xlim(0, 1)
        ax.set_title(f"cluster {cluster}, {rows['size'].iloc[0]} objects", loc="left")
    handles = axes[0].get_legend_handles_labels()
    figure.legend(*handles, loc="outside upper right", ncols=2, fontsize="small")
    return axes


def plot_choose_k(table: "pd.DataFrame", ax: "Axes | None" = None) -> "Axes":
    """Draw silhouette and stability over the number of clusters.

    Parameters
    ----------
    table : DataFrame
        Result of `choose_k`.
    ax : Axes, optional
    """
    _check_result("plot_choose_k", table, ("silhouette", "stability"), "choose_k(X, estimator)")
    ax = _axes(ax)
    ax.plot(table.index, table["silhouette"], "o-", label="silhouette")
    ax.errorbar(
        table.index,
        table["stability"],
        table["stability_sd"],
        fmt="s--",
        capsize=3,
        label="stability (ARI of bootstrap samples)",
    )
    ax.set(xlabel="number of clusters", xticks=table.index)
    ax.legend()
    return ax


def _axes(ax: "Axes | None") -> "Axes":
    plt = _pyplot()
    return plt.subplots(layout="constrained")[1] if ax is None else ax


def _pyplot() -> ModuleType:
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise CouplingsError(
            "pictures need matplotlib; install it with pip install couplings[plot]"
        ) from error
    return plt
