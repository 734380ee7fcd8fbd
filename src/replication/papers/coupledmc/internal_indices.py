"""Data sets, representations and internal indices of coupledMC: Table 5 and Fig. 1."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from couplings.mixed import MixedSpace, MixedTable, scaled
from replication.run.experiment import Experiment

PREPARATION = "mixed"
"""Of all experiments but the worked example."""
_BLOCK = 2_000_000
"""Distances that are held at once."""

Distances = Callable[[slice], np.ndarray]
"""Distances of some objects to all, float64 of shape (b, n)."""


def description(experiment: Experiment, *, powers: Sequence[int]) -> Iterator[dict[str, Any]]:
    """Counts of Table 5, and the shape and range of the coupled representation.

    One record: counts, ``base_rate`` (share of the largest class), ``values`` (T, the values of all
    discrete attributes), range of FS^d, of the rows of the 0/1 matrix and of SU, and for each L of
    `powers` the columns of the expanded matrix and the components kept.
    """
    objects = experiment.objects(PREPARATION)
    table, classes = objects.table, objects.classes
    sizes = np.bincount(classes)
    ones = one_hot(table).sum(axis=1)
    record: dict[str, Any] = {
        "objects": table.n_objects,
        "objects_file": experiment.facts["objects"],
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
            f"components_{power}": len(coupled.components_),
            **{"fsd_min": float(coupled.fsd_.min()), "fsd_max": float(coupled.fsd_.max())},
            **{"su_min": float(su.min()), "su_max": float(su.max())},
            "empty_contexts": int((~coupled.context_.any(axis=1)).sum()),
        }
    yield record


def structure(experiment: Experiment, *, powers: Sequence[int]) -> Iterator[dict[str, Any]]:
    """Internal indices of the classes, on original and coupled representations.

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
    """0/1 matrix S^d of the discrete attributes, float64 of shape (n, T)."""
    offsets = table.categorical.offsets
    ones = np.zeros((table.n_objects, offsets[-1]))
    np.put_along_axis(ones, table.categorical.codes + offsets[:-1], 1.0, axis=1)
    return ones


def euclidean(rows: np.ndarray) -> Distances:
    """Euclidean distances between rows of numbers."""
    from scipy.spatial.distance import cdist

    return lambda part: cdist(rows[part], rows)


def added(numeric: Distances, ones: np.ndarray, gamma: float) -> Distances:
    """Distances of the numbers, plus gamma for every mismatch of the 0/1 rows."""
    n_attributes = ones[0].sum()
    return lambda part: numeric(part) + gamma * (n_attributes - ones[part] @ ones.T)


def internal(distances: Distances, classes: np.ndarray) -> dict[str, float]:
    """Internal indices of given classes, without an n x n matrix.

    W_a is the mean distance of the pairs within class a (0 for a class of one), B_ab that between
    classes a and b.

    Parameters
    ----------
    distances : callable
        Distances of a slice of the objects to all of them.
    classes : ndarray of int64, shape (n,)
        0 to c - 1, c > 1, each of them present.

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
