"""Describe the data sets and representations of coupledMC: counts, indices, density peaks."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from couplings.cluster.density_peaks import DensityPeaks
from couplings.mixed import MixedSpace, MixedTable, scaled
from replication.papers.coupledmc import PREPARATION
from replication.run.experiment import Experiment
from replication.run.runner import Objects, cluster
from replication.run.scores import score

_BLOCK = 2_000_000
"""Most distances in memory at once."""

Distances = Callable[[slice], np.ndarray]
"""Function from a slice of b objects to their distances from all, float64 of shape (b, n)."""


def description(experiment: Experiment, *, powers: Sequence[int]) -> Iterator[dict[str, Any]]:
    """Count what Table 5 counts, and describe the coupled representation.

    One record: the counts; ``base_rate``, the share of the largest class; ``values``, the number T
    of values of all discrete attributes; range of FS^d, of the ones per row of the 0/1 matrix and
    of SU; for each L of `powers` the number of columns of the expanded matrix.
    """
    objects = experiment.objects(PREPARATION)
    table, classes = objects.table, objects.classes
    sizes = np.bincount(classes)
    ones = one_hot(table).sum(axis=1)
    record: dict[str, Any] = {
        "objects": table.n_objects,
        "attributes": len(table.attributes),
        "discrete_attributes": table.categorical.n_attributes,
        "classes": len(sizes),
        "base_rate": float(sizes.max() / sizes.sum()),
        "values": int(table.categorical.n_values.sum()),
        "numeric_attributes": table.n_numeric,
        "ones_min": int(ones.min()),
        "ones_max": int(ones.max()),
    }
    for power in powers:
        coupled = experiment.measure("coupled_mixed", max_power=power).fit(table)
        su = coupled.symmetric_uncertainty_
        record |= {
            f"columns_{power}": coupled.fshat_.shape[1],
            **{"fsd_min": float(coupled.fsd_.min()), "fsd_max": float(coupled.fsd_.max())},
            **{"su_min": float(su.min()), "su_max": float(su.max())},
        }
    yield record


def structure(experiment: Experiment, *, powers: Sequence[int]) -> Iterator[dict[str, Any]]:
    """Compute internal indices of the classes, on original and coupled representations.

    Records: ``representation``, ``family`` (``original`` or ``coupled``) and the indices of
    `internal`.
    """
    objects = experiment.objects(PREPARATION)
    table, classes = objects.table, objects.classes
    codes = table.categorical.codes.astype(np.float64)
    gamma = float(MixedSpace.weighted(table).matrices.data.max())
    numbers, ones = scaled(table.numeric, "minmax"), one_hot(table)
    originals = {
        "codes": euclidean(scaled(np.column_stack([codes, table.numeric]), "z")),
        "one-hot": euclidean(np.column_stack([ones, numbers])),
        "mixed": added(euclidean(numbers), ones, gamma),
    }
    coupled = {
        f"L={power}": euclidean(
            experiment.similarity("coupled_mixed", PREPARATION, max_power=power)
        )
        for power in powers
    }
    for family, members in (("original", originals), ("coupled", coupled)):
        for name, distances in members.items():
            yield {
                "family": family,
                "representation": name,
                **experiment.once(name, partial(internal, distances, classes)),
            }


def one_hot(table: MixedTable) -> np.ndarray:
    """Return the 0/1 matrix S^d of the discrete attributes, float64 of shape (n, T)."""
    offsets = table.categorical.offsets
    ones = np.zeros((table.n_objects, offsets[-1]))
    np.put_along_axis(ones, table.categorical.codes + offsets[:-1], 1.0, axis=1)
    return ones


def euclidean(rows: np.ndarray) -> Distances:
    """Return the Euclidean distances between rows of numbers."""
    from scipy.spatial.distance import cdist

    return lambda part: cdist(rows[part], rows)


def added(numeric: Distances, ones: np.ndarray, gamma: float) -> Distances:
    """Return the distances of the numbers, plus gamma for every mismatch of the 0/1 rows."""
    n_attributes = ones[0].sum()
    return lambda part: numeric(part) + gamma * (n_attributes - ones[part] @ ones.T)


def internal(distances: Distances, classes: np.ndarray) -> dict[str, float]:
    """Compute internal indices of given classes, without an n x n matrix.

    W_a is the mean distance of pairs within class a (0 for a class of one object), B_ab that of
    pairs between classes a and b.

    Parameters
    ----------
    distances : callable
        Distances of a slice of the objects to all of them.
    classes : ndarray of int64, shape (n,)
        From 0 to c - 1, with c > 1; every class occurs.

    Returns
    -------
    dict of str to float
        ``rd``: mean between / mean within; ``dbi``: mean over a of the greatest
        (W_a + W_b) / B_ab; ``di``: least distance between classes / greatest within one;
        ``di_mean``: least B_ab / greatest W_a; ``sd_max`` and ``sd_mean``: sum of the distances
        within classes, relative to the largest and to the mean distance; ``max_over_mean``.
    """
    n, sizes = len(classes), np.bincount(classes)
    members = np.eye(len(sizes))[classes]
    sums = np.zeros((len(sizes), len(sizes)))
    low, high, top = np.inf, 0.0, 0.0
    step = max(1, _BLOCK // n)
    for first in range(0, n, step):
        part = slice(first, min(n, first + step))
        block = distances(part)
        sums += members[part].T @ block @ members
        same = classes[part, np.newaxis] == classes
        low = min(low, float(block[~same].min(initial=np.inf)))
        high = max(high, float(block[same].max(initial=0.0)))
        top = max(top, float(block.max()))
    # ordered pairs; self pairs are at distance 0
    pairs = np.outer(sizes, sizes) - np.diag(sizes)
    means = sums / np.maximum(pairs, 1)
    within, between = means.diagonal(), means[~np.eye(len(sizes), dtype=bool)]
    inside, n_inside = float(sums.trace()), int(pairs.trace())
    outside, n_outside = float(sums.sum()) - inside, int(pairs.sum()) - n_inside
    mean = (inside + outside) / (n_inside + n_outside)
    ratios = np.add.outer(within, within)
    np.fill_diagonal(ratios, -np.inf)
    ratios /= np.where(np.eye(len(sizes)) > 0, 1.0, means)
    return {
        "rd": (outside / n_outside) / (inside / n_inside),
        "dbi": float(ratios.max(axis=1).mean()),
        "di": low / high,
        "di_mean": float(between.min() / within.max()),
        "sd_max": inside / 2 / top,
        "sd_mean": inside / 2 / mean,
        "max_over_mean": top / mean,
    }


SCORES = {"accuracy": "accuracy", "nmi": "nmi_max", "ari": "ari"}
VISIBLE = 100
"""Visible steps of an axis: values nearer than 1 % of the largest coincide."""


def peaks(
    experiment: Experiment, *, distances: Sequence[str], power: int, percent: float, kernel: str
) -> Iterator[dict[str, Any]]:
    """Place every object in the decision graph and on the two-dimensional map.

    Density peaks have the cutoff `percent` and the `kernel`; the coupled representation has the
    largest `power` L.

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
        places = scaling(
            cdist(similarity, similarity)
            if isinstance(similarity, np.ndarray)
            else similarity.pairwise(objects.table)
        )
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
    """Return labels of shape (1, n), and centres, halo, rho and delta of the objects."""
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
    """Cluster by density peaks under several cutoffs and kernels.

    Records: ``distance``, ``percent``, ``kernel``, ``accuracy``, ``nmi``, ``ari``; ``rho_levels``,
    ``delta_levels`` and ``pairs_visible``, the number of `levels`; ``gap``, rho times delta of the
    last centre over that of the next object; ``halo``, the share of such objects; ``objects``.
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
                "pairs_visible": levels(rho, delta),
                "gap": float(products[k - 1] / products[k]),
                "halo": float(np.mean(found["halo"])),
                "objects": objects.n_objects,
            }


def represented(
    experiment: Experiment, table: MixedTable, name: str, power: int
) -> np.ndarray | MixedSpace:
    """Return the input of density peaks: vectors, or a distance of the mixed table.

    The name is ``coupled`` for the representation with L = `power`; else it is the gamma of the
    mixed distance, ``raw`` or ``scaled``.
    """
    if name == "coupled":
        return experiment.similarity("coupled_mixed", PREPARATION, max_power=power)
    return MixedSpace.weighted(table, name)


def scaling(matrix: np.ndarray) -> np.ndarray:
    """Return a two-dimensional map of distances, shape (n, n), by metric stress.

    The start is the classical solution, as in the program of Rodriguez and Laio ("non-classical
    multidimensional scaling", the paper's words), so nothing is random. Places of shape (n, 2) are
    centred, with the larger variance horizontal.
    """
    from sklearn.manifold import smacof

    places = smacof(matrix, n_components=2, init=classical(matrix), n_init=1)[0]
    places = places - places.mean(axis=0)
    # turned to its principal axes, each with its largest entry positive
    places = places @ np.linalg.svd(places, full_matrices=False)[2].T
    return places * np.sign(places[np.abs(places).argmax(axis=0), [0, 1]])


def classical(matrix: np.ndarray) -> np.ndarray:
    """Return the map by classical scaling, float64 of shape (n, 2)."""
    squares = matrix**2
    means = squares.mean(axis=0)
    values, vectors = np.linalg.eigh(-(squares - means - means[:, np.newaxis] + squares.mean()) / 2)
    return vectors[:, [-1, -2]] * np.sqrt(np.maximum(values[[-1, -2]], 0.0))


def levels(*columns: np.ndarray) -> int:
    """Count the values, or points, that differ on a grid of 1 % of the largest absolute value."""
    steps = [np.round(VISIBLE * column / np.abs(column).max()) for column in columns]
    return len(np.unique(np.column_stack(steps), axis=0))
