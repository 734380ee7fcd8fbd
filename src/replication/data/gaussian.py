"""Synthetic tables of ordered values: Gaussian noise around the centres of classes."""

import numpy as np


def gaussian_classes(
    objects: int,
    attributes: int,
    values: int,
    classes: int,
    spread: float,
    rng: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray]:
    """Table of ordinal codes drawn around one centre per class and attribute.

    Classes have equal sizes; the first ones get one more object if the division leaves a remainder.
    Per class and attribute, a centre is drawn uniformly from the ranks 0..values-1. A value is a
    Gaussian around it with standard deviation ``values / spread``, rounded and clipped.

    Parameters
    ----------
    objects, attributes, values, classes : int
        Sizes; every attribute declares `values` values.
    spread : float
        Number of standard deviations that make up the range of the values.
    rng : numpy.random.Generator
        Source of randomness.

    Returns
    -------
    codes : ndarray of int64, shape (objects, attributes)
    labels : ndarray of int64, shape (objects,)
    """
    labels = np.sort(np.arange(objects) % classes)
    centres = rng.integers(0, values, size=(classes, attributes))
    noise = rng.normal(0.0, values / spread, size=(objects, attributes))
    codes = np.clip(np.rint(centres[labels] + noise), 0, values - 1).astype(np.int64)
    return codes, labels
