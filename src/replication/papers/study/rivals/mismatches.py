"""k-modes by mismatches, in the two forms with which programs of learnt distances start."""

from dataclasses import dataclass

import numpy as np

from couplings._checks import check_choice
from couplings.learned.clustering import Data, Run
from replication.papers.study.rivals import kernels
from replication.papers.study.rivals.clustering import (
    MOST_ROUNDS,
    CountedRows,
    Random,
    StartedClustering,
)


@dataclass(eq=False, repr=False)
class MismatchKModes(StartedClustering):
    """Cluster by k-modes with plain mismatches, updating all modes at once or after each row.

    Unlike in `KModes`, an empty cluster stays empty and keeps its mode, as in the programs that
    start with this method.

    Parameters
    ----------
    n_clusters, random_state
        See `StartedClustering`.
    update : {"batch", "online"}, default "batch"
        "batch": assign all rows, then compute all modes, until no label changes, at most 51 times;
        the start is drawn from different rows. "online": assign rows in order, and after each
        compute the mode of the cluster that receives it, but not of the cluster that loses it,
        until a pass changes nothing, at most 51 times; the start may hold equal rows, and their
        order matters.

    Attributes
    ----------
    modes_ : ndarray of int64, shape (k, m)
        Modes, positions in the values that occur, in code order.
    labels_, n_iter_, empty_clusters_
        As for every `LearnedClustering`.
    objective_ : float
        Number of mismatches of all objects with the modes of their clusters.

    Notes
    -----
    Ties of clusters go to the first, ties of values to the lowest code, so results depend on the
    coding and on the order of the rows.

    References
    ----------
    Huang, Data Mining and Knowledge Discovery 2 (1998).
    """

    update: str = "batch"

    def _check(self, owner: str, rows: CountedRows) -> None:
        super()._check(owner, rows)
        check_choice(owner, "update", self.update, ("batch", "online"))

    @property
    def equal_rows(self) -> bool:
        """Whether objects to start from may be equal in all attributes."""
        return self.update == "online"

    def _rows(self, X: Data) -> CountedRows:
        return CountedRows.of(X, collapse=self.update != "online")

    def _run(self, rows: CountedRows, rng: Random) -> Run:
        start = self._start(rows, rng)
        if self.update == "batch":
            labels, modes, n_iter = batch_kmodes(rows, rows.inverse[start])
        else:
            modes = rows.values[start].astype(np.int64)
            labels = np.full(rows.n_objects, -1, dtype=np.int64)
            counts = np.zeros((rows.n_values, self.n_clusters), dtype=np.int64)
            n_iter, changed = 0, True
            while changed and n_iter < MOST_ROUNDS:
                n_iter += 1
                changed = kernels.online_pass(rows.values, rows.offsets, modes, counts, labels)
        mismatches = (rows.values != modes[labels]).sum(axis=1)
        return Run(
            labels[rows.inverse],
            float((rows.weights * mismatches).sum()),
            n_iter,
            {"modes_": modes - rows.offsets[:-1]},
        )


def batch_kmodes(rows: CountedRows, start: np.ndarray) -> tuple[np.ndarray, np.ndarray, int]:
    """Run k-modes by mismatches, updating all modes at once, from rows as the first modes.

    Returns
    -------
    labels : ndarray of int64, shape (g,)
        Ties go to the first cluster.
    modes : ndarray of int64, shape (k, m)
        Global value indices, ties to the lowest; an emptied cluster keeps its mode.
    n_iter : int
        Rounds.
    """
    k = len(start)
    modes = rows.values[start].astype(np.int64)
    labels = np.full(len(rows.values), -1, dtype=np.int64)
    own = np.empty(len(rows.values))
    n_iter, changed = 0, True
    while changed and n_iter < MOST_ROUNDS:
        n_iter += 1
        table = np.ones((rows.n_values, k))
        table[modes.ravel(), np.repeat(np.arange(k), rows.n_attributes)] = 0.0
        new = np.empty_like(labels)
        kernels.nearest(rows.values, table, False, new, own)
        changed = not np.array_equal(new, labels)
        labels = new
        modes = rows.modes(rows.counts(labels, k), modes)
    return labels, modes, n_iter
