"""Entropy criteria and the searches that lower them."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit import examples
from rivals_toy import TOY, tables

from couplings import CategoricalTable, CouplingsError, EntropyClusters

Y = [0, 0, 0, 1, 1, 1]
BEST = {"attributes": (Y, 9.54771252), "values": ([0, 0, 0, 1, 1, 0], 3.17353682)}
CRITERIA = ["attributes", "values"]


def in_loops(codes, labels, criterion):
    n, m = len(codes), len(codes[0])
    total = 0.0
    for c in set(labels):
        members = [row for row, label in zip(codes, labels, strict=True) if label == c]
        for j in range(m):
            # Values outside the cluster have f = 0 and add nothing to either criterion.
            for x in {row[j] for row in members}:
                f, size = sum(row[j] == x for row in members), len(members)
                total -= f * math.log(f / size)
                if criterion == "values" and f < size:
                    total -= (size - f) * math.log((size - f) / size)
    return total if criterion == "attributes" else total / n


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("search", ["sweep", "random"])
def test_restarts_find_the_best_partition(criterion, search):
    found = EntropyClusters(2, criterion, search, n_init=20, random_state=0).fit(TOY)
    labels, value = BEST[criterion]
    assert (found.labels_ == found.labels_[0]).tolist() == [c == labels[0] for c in labels]
    assert found.objective_ == pytest.approx(value, abs=1e-8)


def swept(codes, labels, k, criterion):
    """The sweep by its definition: the criterion anew for every move."""
    labels = list(labels)
    moved = True
    while moved:
        moved = False
        for u in range(len(codes)):
            if criterion == "attributes" and labels.count(labels[u]) == 1:
                continue
            costs = [
                in_loops(codes, [*labels[:u], c, *labels[u + 1 :]], criterion) for c in range(k)
            ]
            if min(costs) < costs[labels[u]] - 1e-9:
                labels[u] = next(c for c in range(k) if costs[c] < min(costs) + 1e-9)
                moved = True
    return labels


@pytest.mark.twin_of("EntropyClusters")
@examples(40)
@given(tables(least_rows=4, most_rows=12), st.integers(1, 3), st.sampled_from(CRITERIA), st.data())
def test_the_sweep_in_loops_gives_the_same(t, k, criterion, data):
    n = t.n_objects
    init = data.draw(st.lists(st.integers(0, k - 1), min_size=n, max_size=n))
    one = EntropyClusters(k, criterion, init=init).fit(t)
    assert one.labels_.tolist() == swept(t.codes.tolist(), init, k, criterion)
    assert one.objective_ == pytest.approx(
        in_loops(t.codes.tolist(), one.labels_.tolist(), criterion), rel=1e-12, abs=1e-12
    )


@examples(25)
@given(tables(least_rows=4), st.integers(1, 3), st.sampled_from(CRITERIA), st.integers(0, 99))
def test_the_random_search_keeps_its_counts_right_and_never_climbs(t, k, criterion, seed):
    one = EntropyClusters(k, criterion, "random", random_state=seed).fit(t)
    codes = t.codes.tolist()
    assert one.objective_ == pytest.approx(
        in_loops(codes, one.labels_.tolist(), criterion), rel=1e-12, abs=1e-12
    )
    start = in_loops(codes, [0] * len(codes), criterion)
    assert one.objective_ <= start + 1e-9
    assert one.n_iter_ > (k - 1) * t.n_objects * (k > 1) - 1


def test_the_random_search_stops_after_as_many_failures_as_there_are_moves():
    equal = CategoricalTable.from_codes(np.zeros((5, 2), dtype=int))
    assert EntropyClusters(3, search="random").fit(equal).n_iter_ == 2 * 5 + 1


def test_clusters_are_emptied_by_one_criterion_only():
    t = CategoricalTable.from_codes(np.array([[0, 0], [0, 0], [0, 0], [0, 1]]))
    init = [0, 0, 0, 1]
    assert EntropyClusters(2, init=init).fit(t).empty_clusters_.tolist() == []
    equal = t.take(np.array([0, 1, 2]))
    kept = EntropyClusters(2, init=[0, 0, 1]).fit(equal)
    assert kept.labels_.tolist() == [0, 0, 1]
    alone = EntropyClusters(3, "values", init=[0, 0, 0, 1]).fit(t)
    assert alone.empty_clusters_.tolist() == [2]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_clusters": 9}, "n_clusters=9 is not an integer from 1 to 6 objects"),
        ({"criterion": "SRS"}, "criterion='SRS' is not known"),
        ({"search": "greedy"}, "search='greedy' is not known"),
        ({"max_iter": 0}, "max_iter=0 is not a positive integer"),
        ({"init": [0, 1]}, "init must be 6 labels from 0 to 1"),
        ({"init": [0, 1, 2, 0, 0, 0]}, "init must be 6 labels from 0 to 1"),
    ],
)
def test_parameters_out_of_range_are_refused(parameters, message):
    with pytest.raises(CouplingsError, match=message):
        EntropyClusters(**parameters).fit(TOY)


@pytest.mark.parametrize("criterion", CRITERIA)
@given(table=tables())
@examples(30)
def test_a_new_object_joins_the_cluster_where_the_criterion_grows_least(criterion, table):
    found = EntropyClusters(2, criterion, random_state=0).fit(table)
    labels, codes = found.labels_.tolist(), table.codes.tolist()
    for new in (codes[0], [9, *codes[0][1:]]):
        costs = [in_loops([*codes, new], [*labels, c], criterion) for c in range(2)]
        domains = [[str(x)] for x in new]
        one = CategoricalTable.from_codes(np.zeros((1, len(new)), int), categories=domains)
        assert costs[found.predict(one)[0]] == pytest.approx(min(costs), abs=1e-9)
