"""Density peaks on mixed and on coupled distances: Figs 2 and 3 of coupledMC."""

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np

from couplings.cluster.density_peaks import DensityPeaks
from couplings.mixed import MixedSpace, MixedTable
from replication.papers.coupledmc.internal_indices import PREPARATION
from replication.run.experiment import Experiment
from replication.run.runner import Objects, cluster
from replication.run.scores import score

SCORES = {"accuracy": "accuracy", "nmi": "nmi_max", "ari": "ari"}
VISIBLE = 100
"""Steps of an axis that the eye tells apart: values nearer than 1 % of the largest coincide."""


def peaks(
    experiment: Experiment, *, distances: Sequence[str], power: int, percent: float, kernel: str
) -> Iterator[dict[str, Any]]:
    """Every object in the decision graph and on the two-dimensional map.

    `percent` and `kernel` are those of the density peaks, `power` that of the coupled
    representation.

    Records: ``distance``, ``object``, ``class``, ``cluster``, ``center``, ``halo`` (0 or 1),
    ``rho``, ``delta``, and the place ``x``, ``y`` on the map.
    """
    from scipy.spatial.distance import cdist

    objects = experiment.objects(PREPARATION)
    for name in distances:
        similarity = represented(experiment, objects.table, name, power)
        (labels,), found = _clustered(
            experiment, objects, name, similarity, percent=percent, kernel=kernel
        )
        if isinstance(similarity, np.ndarray):
            apart = cdist(similarity, similarity)
        else:
            apart = similarity.pairwise(objects.table)
        places = scaling(apart)
        for i in range(objects.n_objects):
            yield {
                **{"distance": name, "object": i, "class": int(objects.classes[i])},
                **{"cluster": int(labels[i]), "center": int(i in found["centers"])},
                **{"halo": int(found["halo"][i]), "rho": found["rho"][i]},
                **{"delta": found["delta"][i], "x": float(places[i, 0]), "y": float(places[i, 1])},
            }


def _clustered(
    experiment: Experiment, objects: Objects, name: str, similarity: Any, **settings: Any
) -> tuple[np.ndarray, dict[str, Any]]:
    """Labels of shape (1, n); and centres, halo, rho and delta of the objects."""
    algorithm = DensityPeaks(objects.n_classes, halo=True, **settings)
    made = experiment.runner.clusterings(
        objects,
        lambda: cluster(
            objects,
            similarity,
            algorithm,
            observe=lambda fitted: {
                name: getattr(fitted, f"{name}_").tolist()
                for name in ("centers", "halo", "rho", "delta")
            },
        ),
        measure=name,
        algorithm="density_peaks",
        setting=" ".join(f"{key}={value}" for key, value in settings.items()),
    )
    return made.labels, made.facts


def sensitivity(
    experiment: Experiment,
    *,
    distances: Sequence[str],
    power: int,
    percents: Sequence[float],
    kernels: Sequence[str],
) -> Iterator[dict[str, Any]]:
    """Density peaks under several cutoffs and kernels.

    Records: ``distance``, ``percent``, ``kernel``, ``accuracy``, ``nmi``, ``ari``, ``rho_levels``
    and ``delta_levels`` (distinct on a grid of 1 %), ``rho_values``, ``delta_values`` and ``pairs``
    (distinct numbers, and pairs of them), ``pairs_visible``, ``gap`` (rho delta of the last centre
    over that of the first object that is none), ``halo`` (share), ``objects``.
    """
    objects = experiment.objects(PREPARATION)
    k = objects.n_classes
    for name in distances:
        similarity = represented(experiment, objects.table, name, power)
        for percent, kernel in product(percents, kernels):
            (labels,), found = _clustered(
                experiment, objects, name, similarity, percent=percent, kernel=kernel
            )
            rho, delta = np.array(found["rho"]), np.array(found["delta"])
            products = np.sort(rho * delta)[::-1]
            yield {
                "distance": name,
                "percent": percent,
                "kernel": kernel,
                **score(objects.classes, labels, SCORES),
                "rho_levels": levels(rho),
                "delta_levels": levels(delta),
                "rho_values": len(np.unique(rho)),
                "delta_values": len(np.unique(delta)),
                "pairs": len(np.unique(np.column_stack([rho, delta]), axis=0)),
                "pairs_visible": levels(rho, delta),
                "gap": float(products[k - 1] / products[k]),
                "halo": float(np.mean(found["halo"])),
                "objects": objects.n_objects,
            }


def represented(
    experiment: Experiment, table: MixedTable, name: str, power: int
) -> np.ndarray | MixedSpace:
    """What density peaks compare the objects with: vectors, or a distance of the mixed table.

    The name is ``coupled``, for the representation with L = `power`, or the gamma of the mixed
    distance: ``raw`` or ``scaled``.
    """
    if name == "coupled":
        return experiment.similarity("coupled_mixed", PREPARATION, max_power=power)
    return MixedSpace.weighted(table, name)


def scaling(matrix: np.ndarray) -> np.ndarray:
    """Two-dimensional map that keeps the distances as well as it can (metric stress).

    The program of Rodriguez and Laio, whose words the paper uses, calls this non-classical
    multidimensional scaling and starts it from the classical solution, as is done here, so that
    nothing is random. From distances of shape (n, n) follow centred places of shape (n, 2); the
    larger variance is horizontal.
    """
    from sklearn.manifold import smacof

    places = smacof(matrix, n_components=2, init=classical(matrix), n_init=1)[0]
    places = places - places.mean(axis=0)
    # turned to its principal axes, each with its largest entry positive
    places = places @ np.linalg.svd(places, full_matrices=False)[2].T
    return places * np.sign(places[np.abs(places).argmax(axis=0), [0, 1]])


def classical(matrix: np.ndarray) -> np.ndarray:
    """Two-dimensional classical scaling, float64 of shape (n, 2)."""
    squares = matrix**2
    means = squares.mean(axis=0)
    values, vectors = np.linalg.eigh(-(squares - means - means[:, np.newaxis] + squares.mean()) / 2)
    return vectors[:, [-1, -2]] * np.sqrt(np.maximum(values[[-1, -2]], 0.0))


def levels(*columns: np.ndarray) -> int:
    """Number of values, or of points, that differ on a grid of 1 % of the largest size."""
    steps = [np.round(VISIBLE * column / np.abs(column).max()) for column in columns]
    return len(np.unique(np.column_stack(steps), axis=0))
