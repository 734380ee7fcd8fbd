"""Seeds by name: the same random numbers whatever the order, the batch or the number of cores."""

from __future__ import annotations

import zlib

import numpy as np


def generator(root: int, *names: str, trial: int = 0) -> np.random.Generator:
    """Random generator for one trial of one named piece of work.

    Parameters
    ----------
    root : int
        Seed of the study (`seed` in config/config.yaml).
    *names : str
        What the numbers are for: paper, data set, method, algorithm, ...
    trial : int
        Number of the repetition, from 0.

    Returns
    -------
    numpy.random.Generator
    """
    words = [root, *(zlib.crc32(name.encode()) for name in names), trial]
    return np.random.default_rng(np.random.SeedSequence(words))
