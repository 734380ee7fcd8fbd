"""k-modes against a plain twin of its definition."""

import numpy as np
import pytest

from couplings import CategoricalTable, cooccurrence
from couplings.cluster.kmodes import kmodes, random_starts
from couplings.measures.coupled import Cado
from couplings.values import ValueMatrices


def overlap(table):
    return ValueMatrices.from_blocks([1.0 - np.eye(v) for v in table.n_values])


def twin(table, matrices, start, update, max_iter=100):
    codes = table.codes.astype(int)
    n, m = codes.shape
    k = len(start)
    blocks = [matrices.block(j) for j in range(m)]
    modes = codes[start].copy()
    labels = np.full(n, -1)

    def distance(u, c):
        total = 0.0
        for j in range(m):
            total += blocks[j][codes[u, j], modes[c, j]]
        return total

    for passes in range(1, max_iter + 1):  # noqa: B007
        previous = labels
        table_of = [[distance(u, c) for c in range(k)] for u in range(n)]
        labels = np.array([row.index(min(row)) for row in table_of])
        nearest = [min(row) for row in table_of]
        for c in range(k):
            if (labels == c).any():
                continue
            crowded = [u for u in range(n) if nearest[u] > 0 and (labels == labels[u]).sum() > 1]
            if not crowded:
                continue
            labels[max(crowded, key=lambda u: (nearest[u], -u))] = c
        if (labels == previous).all():
            break
        for c in np.unique(labels):
            for j in range(m):
                counts = np.bincount(codes[labels == c, j], minlength=len(blocks[j]))
                if update == "frequency":
                    modes[c, j] = np.argmax(counts)
                else:
                    occurring = np.unique(codes[:, j])
                    costs = [
                        sum(a * d for a, d in zip(counts, blocks[j][:, y], strict=True))
                        for y in occurring
                    ]
                    modes[c, j] = occurring[costs.index(min(costs))]
    objective = sum(distance(u, labels[u]) for u in range(n))
    return labels, modes, objective, passes


@pytest.mark.twin_of("KModes")
@pytest.mark.parametrize("update", ["frequency", "minimiser"])
@pytest.mark.parametrize("measure", ["smd", "cado"])
@pytest.mark.parametrize("seed", range(12))
def test_twin(seed, measure, update):
    rng = np.random.default_rng(seed)
    m = int(rng.integers(2, 8))
    n_values = rng.integers(1, 5, m)
    n = int(rng.integers(6, 60))
    table = CategoricalTable.from_codes(rng.integers(0, n_values, (n, m)), (n_values + 1).tolist())
    matrices = (
        overlap(table) if measure == "smd" else Cado().fit(cooccurrence(table)).value_matrices_
    )
    starts = random_starts(n, int(rng.integers(1, 7)), 4, seed)
    runs = kmodes(table, matrices, starts, update)
    for s, start in enumerate(starts):
        labels, modes, objective, passes = twin(table, matrices, start, update)
        np.testing.assert_array_equal(runs.labels[s], labels)
        np.testing.assert_array_equal(runs.modes[s], modes)
        assert runs.objective[s] == pytest.approx(objective, abs=1e-12, rel=1e-12)
        assert runs.n_iter[s] == passes


@pytest.mark.parametrize("k", [1, 4, 7])
def test_many_chunks(k):
    """More rows than one chunk of the parallel loop holds."""
    rng = np.random.default_rng(k)
    table = CategoricalTable.from_codes(rng.integers(0, 3, (20_000, 4)))
    start = random_starts(20_000, k, 1, 0)[0]
    labels, modes, objective, passes = twin(table, overlap(table), start, "frequency", 2)
    runs = kmodes(table, overlap(table), start, max_iter=2)
    np.testing.assert_array_equal(runs.labels[0], labels)
    np.testing.assert_array_equal(runs.modes[0], modes)
    assert (runs.objective[0], runs.n_iter[0]) == (objective, passes)
