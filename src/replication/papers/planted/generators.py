"""Generate tables with known clusters: latent classes, dependent attributes, ordered values.

A generator takes a random generator and its settings, and returns a `Planted` table with rows in
random order.
"""

from typing import Any, NamedTuple

import numpy as np

from replication.data.prepare import gaussian_classes


class Planted(NamedTuple):
    """A table with its clusters.

    Attributes
    ----------
    codes : ndarray of int64, shape (objects, attributes)
        Values from 0 to values - 1.
    labels : ndarray of int64, shape (objects,)
        Cluster of each object.
    ordered : bool
        Whether the true distance of two values is the difference of their codes.
    """

    codes: np.ndarray
    labels: np.ndarray
    ordered: bool = False


def cluster_labels(
    objects: int, clusters: int, ratio: float, rng: np.random.Generator
) -> np.ndarray:
    """Return labels in random order; sizes rise geometrically, the last `ratio` times the first."""
    shares = float(ratio) ** np.linspace(0, 1, clusters)
    ends = np.rint(objects * np.cumsum(shares) / shares.sum())
    return rng.permutation(np.searchsorted(ends, np.arange(objects), side="right"))


def latent_classes(
    rng: np.random.Generator,
    *,
    objects: int,
    attributes: int,
    values: int,
    clusters: int,
    noise: float,
    ratio: float,
    irrelevant: float,
) -> Planted:
    """Generate attributes that are independent of each other within a cluster.

    In a relevant attribute each cluster has its own distribution of values, drawn uniformly from
    all distributions; in an irrelevant attribute all clusters share one.

    Parameters
    ----------
    objects, attributes, values, clusters : int
        Sizes.
    noise : float
        Share of the cells that a uniformly drawn value replaces.
    ratio : float
        Size of the largest cluster over that of the smallest.
    irrelevant : float
        Share of irrelevant attributes; they come last.
    """
    labels = cluster_labels(objects, clusters, ratio, rng)
    codes = np.empty((objects, attributes), dtype=np.int64)
    for j in range(attributes):
        relevant = j < attributes - round(irrelevant * attributes)
        shares = rng.dirichlet(np.ones(values), size=clusters if relevant else 1)
        below = shares.cumsum(axis=1)[labels if relevant else 0 * labels, :-1]
        codes[:, j] = (rng.random(objects)[:, None] > below).sum(axis=1)
    replaced = rng.random(codes.shape) < noise
    return Planted(np.where(replaced, rng.integers(values, size=codes.shape), codes), labels)


def dependent_attributes(
    rng: np.random.Generator, *, relevant: float, among: float, **settings: Any
) -> Planted:
    """Generate latent classes whose attributes also depend on each other within every cluster.

    Parameters
    ----------
    relevant, among : float
        Strength of the dependence between relevant attributes and between irrelevant ones, see
        `chained`.
    **settings
        Settings of `latent_classes`.
    """
    codes, labels, _ = latent_classes(rng, **settings)
    first = codes.shape[1] - round(settings["irrelevant"] * codes.shape[1])
    parts = [
        chained(codes[:, :first], settings["values"], relevant, rng),
        chained(codes[:, first:], settings["values"], among, rng),
    ]
    return Planted(np.hstack(parts), labels)


def chained(
    codes: np.ndarray, values: int, strength: float, rng: np.random.Generator
) -> np.ndarray:
    """Make each attribute depend on the one before it, in a share `strength` of the objects.

    There its value is a one-to-one function of the value before; elsewhere it does not change.
    """
    codes = codes.copy()
    for j in range(1, codes.shape[1]):
        follows = rng.random(len(codes)) < strength
        renamed = rng.permutation(values)[codes[:, j - 1]]
        codes[follows, j] = renamed[follows]
    return codes


def ordered_values(
    rng: np.random.Generator,
    *,
    objects: int,
    attributes: int,
    values: int,
    clusters: int,
    noise: float,
) -> Planted:
    """Generate positions on a line and cut them into values, like DILCA's synthetic tables.

    Each cluster has a centre per attribute; `noise` is the standard deviation around it, as a share
    of the range of the values.
    """
    codes, labels = gaussian_classes(objects, attributes, values, clusters, 1 / noise, rng)
    order = rng.permutation(objects)
    return Planted(codes[order], labels[order], ordered=True)
