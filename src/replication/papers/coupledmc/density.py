"""Density peaks on mixed and on coupled distances: Figs 2 and 3 of coupledMC."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from couplings.cluster.density_peaks import DensityPeaks
from couplings.metrics.external import external_scores
from couplings.mixed import MixedSpace, MixedTable
from replication.papers.coupledmc.data import mixed

if TYPE_CHECKING:
    from replication.run.experiment import Experiment

VISIBLE = 100
"""Steps of an axis that the eye tells apart: values nearer than 1 % of the largest coincide."""


def peaks(experiment: Experiment) -> Iterator[dict[str, Any]]:
    """Every object in the decision graph and on the two-dimensional map.

    Parameters are ``percent`` and ``kernel`` of the density peaks, ``power`` of the coupled
    representation, and ``distances``.

    Yields
    ------
    dict
        ``distance``, ``object``, ``class``, ``cluster``, ``center``, ``halo`` (0 or 1), ``rho``,
        ``delta``, and the place ``x``, ``y`` on the map.
    """
    table, classes = mixed(experiment)
    k = int(classes.max()) + 1
    settings = {key: experiment.parameters[key] for key in ("percent", "kernel")}
    for name in experiment.parameters["distances"]:
        objects, space = represented(experiment, table, name)
        found = DensityPeaks(k, halo=True, **settings).fit(objects, space=space)
        places = scaling(distances(objects, space))
        centers = set(found.centers_.tolist())
        for i in range(table.n_objects):
            yield {
                "distance": name,
                "object": i,
                "class": int(classes[i]),
                "cluster": int(found.labels_[i]),
                "center": int(i in centers),
                "halo": int(found.halo_[i]),
                "rho": float(found.rho_[i]),
                "delta": float(found.delta_[i]),
                "x": float(places[i, 0]),
                "y": float(places[i, 1]),
            }


def sensitivity(experiment: Experiment) -> Iterator[dict[str, Any]]:
    """Density peaks under several cutoffs and kernels.

    Yields
    ------
    dict
        ``distance``, ``percent``, ``kernel``, ``accuracy``, ``nmi``, ``ari``, ``rho_levels`` and
        ``delta_levels`` (distinct on a grid of 1 %), ``rho_values``, ``delta_values`` and
        ``pairs`` (distinct numbers, and pairs of them), ``pairs_visible``, ``gap`` (rho delta of
        the last centre over that of the first object that is none), ``halo`` (share), ``objects``.
    """
    table, classes = mixed(experiment)
    k = int(classes.max()) + 1
    for name in experiment.parameters["distances"]:
        objects, space = represented(experiment, table, name)
        for percent, kernel in product(
            experiment.parameters["percents"], experiment.parameters["kernels"]
        ):
            peaks = DensityPeaks(k, percent=percent, kernel=kernel, halo=True)
            found = peaks.fit(objects, space=space)
            scores = external_scores(classes, found.labels_)
            rho, delta = found.rho_, found.delta_
            products = np.sort(rho * delta)[::-1]
            yield {
                "distance": name,
                "percent": percent,
                "kernel": kernel,
                "accuracy": float(scores["accuracy"]),
                "nmi": float(scores["nmi_max"]),
                "ari": float(scores["ari"]),
                "rho_levels": levels(rho),
                "delta_levels": levels(delta),
                "rho_values": len(np.unique(rho)),
                "delta_values": len(np.unique(delta)),
                "pairs": len(np.unique(np.column_stack([rho, delta]), axis=0)),
                "pairs_visible": levels(rho, delta),
                "gap": float(products[k - 1] / products[k]),
                "halo": float(found.halo_.mean()),
                "objects": table.n_objects,
            }


def represented(
    experiment: Experiment, table: MixedTable, name: str
) -> tuple[MixedTable | np.ndarray, MixedSpace | None]:
    """Objects and their distance, as `DensityPeaks` takes them.

    Parameters
    ----------
    experiment : Experiment
        With the parameter ``power``, L.
    table : MixedTable
        The objects.
    name : str
        ``coupled``, or the gamma of the mixed distance: ``raw`` or ``scaled``.
    """
    if name == "coupled":
        coupled = experiment.measure("coupled_mixed", max_power=experiment.parameters["power"])
        return coupled.fit_transform(table), None
    return table, MixedSpace.weighted(table, name)


def distances(objects: MixedTable | np.ndarray, space: MixedSpace | None) -> np.ndarray:
    """All distances, for the map; float64 of shape (n, n)."""
    from scipy.spatial.distance import cdist

    return cdist(objects, objects) if space is None else space.pairwise(objects)


def scaling(matrix: np.ndarray) -> np.ndarray:
    """Two-dimensional map that keeps the distances as well as it can (metric stress).

    The program of Rodriguez and Laio, whose words the paper uses, calls this non-classical
    multidimensional scaling and starts it from the classical solution, as is done here, so that
    nothing is random.

    Parameters
    ----------
    matrix : ndarray of float64, shape (n, n)
        Distances.

    Returns
    -------
    ndarray of float64, shape (n, 2)
        Centred places; the larger variance is horizontal.
    """
    from sklearn.manifold import smacof

    places = smacof(matrix, n_components=2, init=classical(matrix), n_init=1)[0]
    places = places - places.mean(axis=0)
    # turned to its principal axes, each with its largest entry positive
    axes = np.linalg.svd(places, full_matrices=False)[2]
    places = places @ axes.T
    largest = np.abs(places).argmax(axis=0)
    return places * np.sign(places[largest, [0, 1]])


def classical(matrix: np.ndarray) -> np.ndarray:
    """Two-dimensional classical scaling, float64 of shape (n, 2)."""
    squares = matrix**2
    means = squares.mean(axis=0)
    products = -(squares - means - means[:, np.newaxis] + squares.mean()) / 2
    values, vectors = np.linalg.eigh(products)
    return vectors[:, [-1, -2]] * np.sqrt(np.maximum(values[[-1, -2]], 0.0))


def levels(*columns: np.ndarray) -> int:
    """Number of values, or of points, that differ on a grid of 1 % of the largest size."""
    steps = [np.round(VISIBLE * column / np.abs(column).max()) for column in columns]
    return len(np.unique(np.column_stack(steps), axis=0))
