"""Random starts, and the base of the methods that have them."""

import numpy as np
from numpy.typing import ArrayLike

from couplings.errors import CouplingsError
from couplings.learned.clustering import Data, LearnedClustering, NumpySeed
from replication.papers.study.rivals.rows import CountedRows


class OldMatlabRandom:
    """The uniform numbers of MATLAB after ``rand('seed', s)``, continued from call to call.

    The state is ``s 2^16 mod (2^31 - 1)``; every draw multiplies it by 16807, modulo 2^31 - 1, and
    returns its share of the modulus. Programs of several methods here draw their starts from
    it. It was found by trial, and confirmed on starts that were not used to find it.

    Parameters
    ----------
    seed : int
        s, positive and no multiple of 2^31 - 1, where the state would stay 0.

    Raises
    ------
    CouplingsError
        If the seed is not as described.

    References
    ----------
    Park and Miller, Communications of the ACM 31 (1988).
    """

    _MODULUS = 2**31 - 1

    def __init__(self, seed: int) -> None:
        if not isinstance(seed, int | np.integer) or seed < 1 or seed % self._MODULUS == 0:
            raise CouplingsError(
                f"OldMatlabRandom: seed={seed!r} is not a positive integer below {self._MODULUS}"
            )
        self.state = int(seed) * 65536 % self._MODULUS

    def random(self) -> float:
        """Return the next number, in (0, 1)."""
        self.state = self.state * 16807 % self._MODULUS
        return self.state / self._MODULUS


Random = np.random.Generator | OldMatlabRandom
Seed = NumpySeed | OldMatlabRandom


def check_init(owner: str, init: ArrayLike, n_clusters: int, n_objects: int) -> np.ndarray:
    """Return the given start, indices of k different objects, or refuse it."""
    start = np.asarray(init)
    if (
        start.shape != (n_clusters,)
        or start.dtype.kind not in "iu"
        or not ((start >= 0) & (start < n_objects)).all()
        or len(set(start.tolist())) < n_clusters
    ):
        raise CouplingsError(
            f"{owner}: init must be {n_clusters} different objects from 0 to {n_objects - 1}, "
            f"not {init!r}"
        )
    return start.astype(np.int64)


def different_rows(rows: CountedRows, n_clusters: int, rng: Random, owner: str) -> np.ndarray:
    """Draw objects one by one; one that equals an earlier one in all attributes is drawn again.

    Every draw takes one uniform number u, and the object is ``floor(u n)``.

    Parameters
    ----------
    rows : CountedRows
        Collapsed, so that equal objects are one row.
    n_clusters : int
        How many, k.
    rng : Generator or OldMatlabRandom
        Source of randomness.
    owner : str
        Who asks, for the message.

    Returns
    -------
    ndarray of int64, shape (k,)

    Raises
    ------
    CouplingsError
        If there are fewer different rows than clusters.
    """
    if len(rows.values) < n_clusters:
        raise CouplingsError(
            f"{owner}: n_clusters={n_clusters} needs as many different rows to start from, "
            f"the table has {len(rows.values)}; ask for fewer clusters"
        )
    chosen: list[int] = []
    taken: set[int] = set()
    while len(chosen) < n_clusters:
        candidate = int(rng.random() * rows.n_objects)
        row = int(rows.inverse[candidate])
        if row not in taken:
            taken.add(row)
            chosen.append(candidate)
    return np.array(chosen, dtype=np.int64)


def any_rows(n_objects: int, n_clusters: int, rng: Random) -> np.ndarray:
    """Draw k different objects, which may be equal in all attributes; int64 of shape (k,)."""
    chosen: list[int] = []
    while len(chosen) < n_clusters:
        candidate = int(rng.random() * n_objects)
        if candidate not in chosen:
            chosen.append(candidate)
    return np.array(chosen, dtype=np.int64)


class StartedClustering(LearnedClustering):
    """Base of the methods that start from k objects: with random ones, or with those of `init`."""

    equal_rows = True
    """Whether objects to start from may be equal in all attributes."""
    init: ArrayLike | None

    @staticmethod
    def _generator(seed: Seed) -> Random:
        return seed if isinstance(seed, OldMatlabRandom) else np.random.default_rng(seed)

    def _rows(self, X: Data) -> CountedRows:
        return CountedRows.of(X)

    def _start(self, rows: CountedRows, rng: Random) -> np.ndarray:
        """Return the objects that a run starts from, int64 of shape (k,)."""
        owner, k = type(self).__name__, self.n_clusters
        if self.init is not None:
            return check_init(owner, self.init, k, rows.n_objects)
        if self.equal_rows:
            return any_rows(rows.n_objects, k, rng)
        return different_rows(rows, k, rng, owner)
