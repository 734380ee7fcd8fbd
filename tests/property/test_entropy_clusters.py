"""Entropy criteria and the searches that lower them."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit import examples
from rivals_toy import TOY, tables

from couplings import CategoricalTable, CouplingsError, EntropyClusters
from couplings.learned.entropy import partition_entropy

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


@pytest.mark.parametrize(
    ("labels", "srs", "ee"),
    [
        ([0] * 6, 16.81898240, 5.07605942),
        (Y, 9.54771252, 3.18257084),
        ([0, 0, 1, 1, 1, 1], 11.95340111, 3.63563494),
    ],
)
def test_both_criteria_on_the_worked_table(labels, srs, ee):
    assert partition_entropy(TOY, labels) == pytest.approx(srs, abs=1e-8)
    assert partition_entropy(TOY, labels, "values") == pytest.approx(ee, abs=1e-8)


def test_mutual_information_on_the_worked_table():
    gain = partition_entropy(TOY, [0] * 6) - partition_entropy(TOY, Y)
    assert gain == pytest.approx(7.27126988, abs=1e-8)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_best_of_all_partitions_of_the_worked_table(criterion):
    partitions = [(0, *rest) for rest in itertools.product([0, 1], repeat=5) if any(rest)]
    labels, value = BEST[criterion]
    best = min(partitions, key=lambda p: partition_entropy(TOY, p, criterion))
    assert list(best) == labels
    assert partition_entropy(TOY, best, criterion) == pytest.approx(value, abs=1e-8)


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("search", ["sweep", "random"])
def test_restarts_find_the_best_partition(criterion, search):
    found = EntropyClusters(2, criterion, search, n_init=20, random_state=0).fit(TOY)
    labels, value = BEST[criterion]
    assert (found.labels_ == found.labels_[0]).tolist() == [c == labels[0] for c in labels]
    assert found.objective_ == pytest.approx(value, abs=1e-8)


@examples(60)
@given(tables(), st.sampled_from(CRITERIA), st.integers(0, 99))
def test_the_definition_in_loops_gives_the_same(t, criterion, seed):
    labels = np.random.default_rng(seed).integers(4, size=t.n_objects)
    assert partition_entropy(t, labels, criterion) == pytest.approx(
        in_loops(t.codes.tolist(), labels.tolist(), criterion), rel=1e-12, abs=1e-12
    )


@examples(40)
@given(tables(most_values=2), st.integers(0, 99))
def test_for_two_values_one_criterion_is_a_multiple_of_the_other(t, seed):
    labels = np.random.default_rng(seed).integers(3, size=t.n_objects)
    full = t.observed()
    binary = full.select([j for j, v in enumerate(full.n_values.tolist()) if v == 2] or [0])
    assert partition_entropy(binary, labels, "values") == pytest.approx(
        2 * partition_entropy(binary, labels) / t.n_objects, abs=1e-12
    )


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
    assert one.objective_ == pytest.approx(
        partition_entropy(t, one.labels_, criterion), rel=1e-12, abs=1e-12
    )
    start = partition_entropy(t, np.zeros(t.n_objects, dtype=int), criterion)
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


def test_labels_that_do_not_fit_are_refused():
    with pytest.raises(CouplingsError, match="labels must be 6 integers of at least 0"):
        partition_entropy(TOY, [0, 1])
    with pytest.raises(CouplingsError, match="criterion='EE' is not known"):
        partition_entropy(TOY, Y, "EE")
