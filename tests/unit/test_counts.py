"""Counts of values that occur together, of whole tables and of parts."""

import itertools
import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from couplings import (
    CategoricalTable,
    CooccurrenceCounts,
    CouplingsError,
    MissingValuesError,
    TableError,
    cooccurrence,
)

# --- counts --------------------------------------------------------------------------------------


def test_small_table():
    table = CategoricalTable.from_codes([[0, 1], [1, 1], [0, 0]], [2, 3])
    counts = cooccurrence(table)
    assert counts.matrix.tolist() == [
        [2, 0, 1, 1, 0],
        [0, 1, 0, 1, 0],
        [1, 0, 1, 0, 0],
        [1, 1, 0, 2, 0],
        [0, 0, 0, 0, 0],
    ]
    assert counts.block(0, 1).tolist() == [[1, 1, 0], [0, 1, 0]]
    assert counts.marginals.tolist() == [2, 1, 1, 2, 0]
    assert counts.n_values.tolist() == [2, 3]
    assert (counts.n_objects, counts.n_attributes) == (3, 2)


@pytest.mark.parametrize("n", [511, 512, 513, 5000])
def test_both_ways_to_count_agree(n):
    """Weights of one take the increments, plain rows may take the bit columns."""
    rng = np.random.default_rng(n)
    table = CategoricalTable.from_codes(rng.integers(0, 4, (n, 5)))
    np.testing.assert_array_equal(
        cooccurrence(table).matrix, cooccurrence(table, np.ones(n, dtype=int)).matrix
    )


def test_missing_cells():
    table = CategoricalTable.from_codes([[0, 0], [1, -1]], [2, 2], attributes=["p", "q"])
    with pytest.raises(MissingValuesError, match=r"'q' \(1\).*fill_missing"):
        cooccurrence(table)


def test_too_many_values():
    table = CategoricalTable.from_codes([[0, 0], [1, 1]], [5, 20_000], attributes=["p", "q"])
    with pytest.raises(TableError, match=r"20005 values.*3 GB.*'q' has 20000"):
        cooccurrence(table)


@pytest.mark.parametrize("weights", [[1], [1, -1], [0, 0], [np.nan, 1], [[1, 1]], ["1", "1"]])
def test_bad_weights(weights):
    table = CategoricalTable.from_codes([[0], [1]])
    with pytest.raises(CouplingsError, match="sample_weight must be 2 numbers of at least 0"):
        cooccurrence(table, weights)


def test_fractions_as_weights(tmp_path):
    table = CategoricalTable.from_codes([[0, 1], [1, 0], [1, 1]])
    counts = cooccurrence(table, [0.5, 0.0, 1.25])
    assert counts.matrix.tolist() == [
        [0.5, 0, 0, 0.5],
        [0, 1.25, 0, 1.25],
        [0] * 4,
        [0.5, 1.25, 0, 1.75],
    ]
    assert counts.n_objects == 1.75
    counts.save(tmp_path / "counts.npz")
    assert np.array_equal(CooccurrenceCounts.load(tmp_path / "counts.npz").matrix, counts.matrix)
    both = counts + cooccurrence(table)
    assert both.matrix.dtype == float
    assert both.n_objects == 4.75


# --- Counts of parts add up to the counts of the whole, to the bit -------------------------------


def same(counts, other):
    np.testing.assert_array_equal(counts.matrix, other.matrix)
    assert counts.matrix.dtype == np.int64
    np.testing.assert_array_equal(counts.offsets, other.offsets)
    assert counts.n_objects == other.n_objects
    assert counts.categories == other.categories
    assert counts.attributes == other.attributes


def random_frame(seed, n=400):
    """Labels of which the rare ones are in few rows, so that parts differ in their domains."""
    rng = np.random.default_rng(seed)
    pool = np.array(["b", "a", "zz", "", "é", "10", "9"])
    shares = np.array([0.5, 0.3, 0.1, 0.06, 0.02, 0.01, 0.01])
    return pd.DataFrame({f"c{j}": rng.choice(pool, n, p=shares) for j in range(4)})


@pytest.mark.parametrize("seed", range(5))
def test_federated_counts_are_the_central_ones_in_any_order(seed):
    df = random_frame(seed)
    central = cooccurrence(CategoricalTable.from_any(df))
    sites = [cooccurrence(CategoricalTable.from_any(df.iloc[i::5])) for i in range(5)]
    assert len({site.categories for site in sites}) > 1
    for order in itertools.islice(itertools.permutations(sites), 0, 120, 17):
        same(sum(order), central)
        same((order[0] + order[1]) + ((order[2] + order[3]) + order[4]), central)


def test_different_domains_are_united_and_sorted():
    ours = cooccurrence(CategoricalTable.from_codes([[0], [1]], categories=[["b", "a"]]))
    theirs = cooccurrence(CategoricalTable.from_codes([[0], [0]], categories=[["c"]]))
    total = ours + theirs
    assert total.categories == (("a", "b", "c"),)
    assert total.marginals.tolist() == [1, 1, 2]
    same(theirs + ours, total)
    assert ours.marginals.tolist() == [1, 1]


def test_counts_without_labels_add_up_by_position():
    matrix = np.diag([2, 1])
    plain = CooccurrenceCounts(matrix, np.array([0, 2]), 3)
    assert (plain + plain).matrix.tolist() == [[4, 0], [0, 2]]
    wider = CooccurrenceCounts(np.diag([2, 1, 0]), np.array([0, 3]), 3)
    with pytest.raises(TableError, match=r"\[2\] and of \[3\] values cannot be added without"):
        plain + wider


def test_other_attributes_cannot_be_added():
    one = cooccurrence(CategoricalTable.from_any(pd.DataFrame({"a": ["x"], "b": ["y"]})))
    other = cooccurrence(CategoricalTable.from_any(pd.DataFrame({"a": ["x"], "c": ["y"]})))
    with pytest.raises(TableError, match="number 1 is 'b' here and 'c' there"):
        one + other
    short = cooccurrence(CategoricalTable.from_any(pd.DataFrame({"a": ["x"]})))
    with pytest.raises(TableError, match="2 and of 1 attributes"):
        one + short
    with pytest.raises(TypeError):
        one + 1
    with pytest.raises(TypeError):
        1 + one


class TestReorder:
    @pytest.fixture
    def counts(self):
        return cooccurrence(
            CategoricalTable.from_any(pd.DataFrame({"p": list("aab"), "q": list("xyx")}))
        )

    def test_by_name_and_by_position(self, counts):
        by_name = counts.reorder({"p": ["b", "new", "a"]})
        assert by_name.block(0, 1).tolist() == [[1, 0], [0, 0], [1, 1]]
        same(counts.reorder([["b", "new", "a"], ["x", "y"]]), by_name)
        same(by_name.reorder(counts.categories), counts)

    @pytest.mark.parametrize(
        ("domains", "message"),
        [
            ({"p": ["b"]}, "'p': 'a' was counted 2 times and is not in the new domain"),
            ({"r": ["b"]}, "no column 'r'"),
            ({"p": ["a", "a"]}, "'p': a label occurs twice"),
            ([["a", "b"]], "1 domains for 2 attributes"),
            ({"p": ["a", "b", *map(str, range(20_000))]}, "limit is 20000 values"),
        ],
    )
    def test_errors(self, counts, domains, message):
        with pytest.raises(TableError, match=message):
            counts.reorder(domains)

    def test_counts_without_labels(self):
        plain = CooccurrenceCounts(np.diag([2, 1]), np.array([0, 2]), 3)
        with pytest.raises(TableError, match="have no labels"):
            plain.reorder([["a", "b"]])


class TestBatches:
    @pytest.mark.parametrize("size", [1, 7, 400])
    def test_batches_of_any_size_and_kind(self, size):
        df = random_frame(11)
        pieces = [df.iloc[i : i + size] for i in range(0, len(df), size)]
        forms = (
            lambda x: x,
            lambda x: pa.Table.from_pandas(x, preserve_index=False),
            CategoricalTable.from_any,
        )
        batches = (forms[i % 3](piece) for i, piece in enumerate(pieces))
        same(CooccurrenceCounts.from_batches(batches), cooccurrence(CategoricalTable.from_any(df)))

    def test_empty_batches_count_nothing(self):
        df = random_frame(13)
        counts = CooccurrenceCounts.from_batches([df.iloc[:0], df, df.iloc[:0]])
        same(counts, cooccurrence(CategoricalTable.from_any(df)))

    def test_nothing_to_count(self):
        with pytest.raises(TableError, match="no objects to count"):
            CooccurrenceCounts.from_batches([])

    @pytest.fixture
    def holes(self):
        df = random_frame(14).mask(np.random.default_rng(1).random((400, 4)) < 0.05)
        return df, [df.iloc[i : i + 9] for i in range(0, 400, 9)]

    def test_missing_cells_raise(self, holes):
        with pytest.raises(MissingValuesError, match="missing cells in"):
            CooccurrenceCounts.from_batches(holes[1])

    def test_missing_cells_as_a_value(self, holes):
        df, batches = holes
        table = CategoricalTable.from_any(df).missing_as_value()
        counts = CooccurrenceCounts.from_batches(batches, incomplete="value")
        same(counts, cooccurrence(table))
        assert all(domain[-1] == "?" for domain in counts.categories)

    def test_objects_with_missing_cells_dropped(self, holes):
        df, batches = holes
        table = CategoricalTable.from_any(df.dropna())
        same(CooccurrenceCounts.from_batches(batches, incomplete="drop"), cooccurrence(table))
        with pytest.raises(TableError, match="every one has a missing cell"):
            CooccurrenceCounts.from_batches([df[df.isna().any(axis=1)]], incomplete="drop")

    def test_declared_domains_keep_their_order_with_missing_cells(self):
        parts = [pd.DataFrame({"s": ["L", "S"]}), pd.DataFrame({"s": ["S", None]})]
        counts = CooccurrenceCounts.from_batches(parts, {"s": ["S", "M", "L"]}, incomplete="value")
        assert counts.categories == (("S", "M", "L", "?"),)
        assert counts.marginals.tolist() == [2, 0, 1, 1]

    def test_a_value_that_looks_like_the_missing_one(self):
        parts = [pd.DataFrame({"s": ["?", "S"]}), pd.DataFrame({"s": ["S", None]})]
        with pytest.raises(TableError, match=r"'s' already has a value '\?'; list it in"):
            CooccurrenceCounts.from_batches(parts, incomplete="value")
        counts = CooccurrenceCounts.from_batches(parts, missing=["?"], incomplete="value")
        assert counts.marginals.tolist() == [2, 2]


@pytest.fixture
def saved(tmp_path):
    counts = cooccurrence(CategoricalTable.from_codes([[0, 1], [1, 0], [1, 1]]))
    counts.save(tmp_path / "a.npz")
    return counts, tmp_path / "a.npz"


def test_a_file_is_exact_and_repeatable(saved):
    counts, path = saved
    counts.save(path.with_name("b.npz"))
    assert path.read_bytes() == path.with_name("b.npz").read_bytes()
    same(CooccurrenceCounts.load(path), counts)
    assert sorted(path.name for path in path.parent.iterdir()) == ["a.npz", "b.npz"]


@pytest.mark.parametrize(
    "damage",
    [
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(path.read_bytes()[:10]),
        lambda path: path.write_bytes(path.read_bytes()[:-20]),
        lambda path: path.write_text("a,b\n1,2\n"),
        lambda path: np.savez(path, matrix=np.eye(2)),
        lambda path: np.save(path.open("wb"), np.eye(2)),
    ],
)
def test_a_truncated_or_foreign_file_is_refused(saved, damage):
    damage(saved[1])
    with pytest.raises(TableError, match=r"a\.npz: .*does not hold co-occurrence counts"):
        CooccurrenceCounts.load(saved[1])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": 99}, "version 99 of the format"),
        ({"format": "other"}, "does not hold"),
        ({"n_objects": 4}, "contradict each other"),
        ({"attributes": ["a"]}, "contradict each other"),
        ({"categories": [["x"], ["y"]]}, "contradict each other"),
        ("matrix", "contradict each other"),
        ("offsets", "contradict each other"),
    ],
)
def test_a_changed_file_is_refused(saved, change, message):
    _, path = saved
    with np.load(path) as stored:
        arrays = dict(stored)
    if isinstance(change, str):
        arrays[change] = arrays[change].copy()
        arrays[change].flat[1] += 1
    else:
        about = json.dumps(json.loads(bytes(arrays["about"])) | change)
        arrays["about"] = np.frombuffer(about.encode(), dtype=np.uint8)
    np.savez(path, **arrays)
    with pytest.raises(TableError, match=message):
        CooccurrenceCounts.load(path)
