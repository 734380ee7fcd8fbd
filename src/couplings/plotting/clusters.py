"""Pictures of clusterings: merges, profiles, the number of clusters."""

from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from couplings.errors import CouplingsError

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


def plot_dendrogram(linkage: Any, ax: "Axes | None" = None, **options: Any) -> "Axes":
    """Draw the merges of Ward's method.

    Parameters
    ----------
    linkage : Ward or ndarray of float64, shape (n - 1, 4)
        A clustering fitted on objects, or what `ward_linkage` returns. The lines are coloured up
        to the clusters of the former.
    ax : matplotlib Axes, optional
        Where to draw. Default: new ones.
    **options
        Of `scipy.cluster.hierarchy.dendrogram`, such as ``labels`` or ``truncate_mode``.

    Returns
    -------
    Axes

    Raises
    ------
    CouplingsError
        If matplotlib is not installed, or the clustering was fitted on dissimilarities.
    """
    from scipy.cluster.hierarchy import dendrogram

    ax = _axes(ax)
    merges = linkage
    if hasattr(linkage, "linkage_"):
        merges = linkage.linkage_
        if linkage.n_clusters > 1:
            heights = np.sort(merges[:, 2])
            options.setdefault("color_threshold", heights[len(heights) - linkage.n_clusters + 1])
    with np.errstate(invalid="ignore"):
        dendrogram(merges, ax=ax, **{"no_labels": len(merges) > 60, **options})
    ax.set_ylabel("dissimilarity of the merged clusters")
    return ax


def plot_profiles(
    profiles: "pd.DataFrame", most: int = 8, axes: "np.ndarray | None" = None
) -> "np.ndarray":
    """Draw the values that mark each cluster: their share inside and outside.

    Parameters
    ----------
    profiles : DataFrame
        What `cluster_profiles` returns.
    most : int, default 8
        Most values per cluster.
    axes : ndarray of Axes, shape (k,), optional
        Where to draw, one per cluster. Default: new ones.

    Returns
    -------
    ndarray of Axes, shape (k,)

    Raises
    ------
    CouplingsError
        If matplotlib is not installed.
    """
    shown = profiles[profiles["kind"] == "value"]
    clusters = list(dict.fromkeys(shown["cluster"]))
    if axes is None:
        plt = _pyplot()
        size = (5.0, 0.35 * most * len(clusters) + 1.0)
        figure, grid = plt.subplots(
            len(clusters), 1, figsize=size, squeeze=False, layout="constrained", sharex=True
        )
        figure.supxlabel("share of the objects")
        axes = grid[:, 0]
        legend, place = figure.legend, "outside upper right"
    else:
        legend, place = axes[0].legend, "lower right"
    for cluster, ax in zip(clusters, axes, strict=True):
        rows = shown[shown["cluster"] == cluster].head(most).iloc[::-1]
        at = np.arange(len(rows))
        ax.barh(at, rows["inside"], height=0.6, color="tab:blue", label="in the cluster")
        ax.plot(rows["outside"], at, "|", color="black", markersize=12, label="elsewhere")
        ax.set_yticks(at, rows["attribute"].astype(str) + " = " + rows["value"].astype(str))
        ax.set_xlim(0, 1)
        ax.set_title(f"cluster {cluster}, {rows['size'].iloc[0]} objects", loc="left")
    legend(*axes[0].get_legend_handles_labels(), loc=place, ncols=2, fontsize="small")
    return axes


def plot_choose_k(table: "pd.DataFrame", ax: "Axes | None" = None) -> "Axes":
    """Draw silhouette and stability over the number of clusters.

    Parameters
    ----------
    table : DataFrame
        What `choose_k` returns.
    ax : matplotlib Axes, optional
        Where to draw. Default: new ones.

    Returns
    -------
    Axes

    Raises
    ------
    CouplingsError
        If matplotlib is not installed.
    """
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
    ax.set_xlabel("number of clusters")
    ax.set_xticks(table.index)
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
