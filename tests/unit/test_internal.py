"""Internal indices against twins that read the whole matrix of dissimilarities."""

from itertools import chain, combinations

import numpy as np
import pytest

from couplings import (
    AhmadDey,
    CategoricalTable,
    CouplingsError,
    DilcaM,
    Jaccard,
    Lin,
    MeasureError,
    MissingValuesError,
    OccurrenceFrequency,
    SimpleMatching,
)
from couplings.measures.coupled import Cado
from couplings.metrics import internal
from couplings.metrics.internal import internal_indices

MEASURES = {
    "smd": SimpleMatching(),
    "ofd": OccurrenceFrequency(link="sum"),
    "add": AhmadDey(),
    "cado": Cado(),
    "rss": DilcaM(0.0),
    "inverse": OccurrenceFrequency(),
    "jaccard": Jaccard(),
    "ratio": Lin(),
}


def ratio(a, b):
    return a / b if b and np.isfinite(a) and np.isfinite(b) else np.nan


def davies_bouldin(scatter, between):
    k = len(scatter)
    if k < 2 or any(between[a][b] == 0 for a, b in combinations(range(k), 2)):
        return np.nan
    return np.mean(
        [
            max((scatter[a] + scatter[b]) / between[a][b] for b in range(k) if b != a)
            for a in range(k)
        ]
    )


def twin(table, labels, space):
    D = space.pairwise(table)
    names = sorted(set(labels))
    members = [[u for u, label in enumerate(labels) if label == name] for name in names]
    k = len(names)
    inside = [[D[u, v] for u, v in combinations(rows, 2)] for rows in members]
    across = {
        (a, b): [D[u, v] for u in members[a] for v in members[b]]
        for a, b in combinations(range(k), 2)
    }
    mean_within = [np.mean(pairs) if pairs else 0.0 for pairs in inside]
    between = np.zeros((k, k))
    for (a, b), pairs in across.items():
        between[a, b] = between[b, a] = np.mean(pairs)
    within_pairs = list(chain.from_iterable(inside))
    between_pairs = list(chain.from_iterable(across.values()))
    every = within_pairs + between_pairs
    codes = table.codes.astype(int)
    modes = np.array(
        [
            [np.argmax(np.bincount(codes[rows, j])) for j in range(table.n_attributes)]
            for rows in members
        ]
    )
    mode_table = CategoricalTable.from_codes(modes, categories=table.categories)
    to_mode = space.between(table, mode_table)

    def mean(values):
        return np.mean(values) if values else np.nan

    least, most = min(between_pairs, default=np.nan), max(within_pairs, default=np.nan)
    top = max(every, default=np.nan)
    return {
        "rd": ratio(mean(between_pairs), mean(within_pairs)),
        "dbi": davies_bouldin(mean_within, between),
        "dbi_centroid": davies_bouldin(
            [np.mean(D[np.ix_(rows, rows)]) for rows in members], between
        ),
        "dbi_mode": davies_bouldin(
            [to_mode[rows, a].mean() for a, rows in enumerate(members)], space.pairwise(mode_table)
        ),
        "di": ratio(least, most),
        "di_mean": ratio(min((between[a, b] for a, b in across), default=np.nan), max(mean_within)),
        "sd_max": ratio(sum(within_pairs), top),
        "sd_mean": ratio(sum(within_pairs), mean(every)),
        "max_over_mean": ratio(top, mean(every)),
    }


def assert_same(found, expected):
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        assert found[name] == pytest.approx(value, rel=1e-12, abs=1e-12, nan_ok=True), name


@pytest.mark.parametrize("name", MEASURES)
@pytest.mark.parametrize("seed", range(4))
def test_twin(name, seed, monkeypatch):
    rng = np.random.default_rng(seed)
    m = int(rng.integers(2, 5))
    # Few values: duplicates, within and across classes.
    n_values = rng.integers(1, 5, m)
    n = int(rng.integers(5, 60))
    table = CategoricalTable.from_codes(rng.integers(0, n_values, (n, m)), n_values.tolist())
    labels = rng.choice(["x", "y", "z"], n)
    space = MEASURES[name].fit(table).space_
    assert_same(internal_indices(table, labels, space), twin(table, labels, space))
    # The same in many blocks of rows.
    monkeypatch.setattr(internal, "_BLOCK", 14**2)
    assert_same(internal_indices(table, labels, space), twin(table, labels, space))


def test_undefined():
    # Distinct objects of equal profiles: every dissimilarity is 0.
    table = CategoricalTable.from_codes(np.array([[0, 0], [1, 0], [0, 0], [1, 0]]))
    found = internal_indices(table, [0, 0, 1, 1], Cado().fit(table).space_)
    assert all(np.isnan(value) for value in found.values())


def test_errors():
    table = CategoricalTable.from_codes(np.array([[0, 0], [1, 1]]))
    space = SimpleMatching().fit(table).space_
    for labels in ([0], [[0], [1]], [0, 1, 2]):
        with pytest.raises(CouplingsError, match="vector of 2 labels"):
            internal_indices(table, labels, space)
    with pytest.raises(MissingValuesError):
        internal_indices(CategoricalTable.from_codes(np.array([[0, 0], [1, -1]])), [0, 1], space)
    with pytest.raises(MeasureError, match="same domains"):
        internal_indices(CategoricalTable.from_codes(np.array([[0], [1]])), [0, 1], space)
