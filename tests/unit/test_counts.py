"""Counts of values that occur together, of whole tables and of parts."""

import itertools
import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from kit import assert_same_counts as same
from kit import refused_calls

from couplings import (
    CategoricalTable,
    CooccurrenceCounts,
    CouplingsError,
    MissingValuesError,
    TableError,
    cooccurrence,
)


def test_small_table():
    table = CategoricalTable.from_codes([[0, 1], [1, 1], [0, 0]], [2, 3])
    counts = cooccurrence(table)
    assert counts.block(0, 1).tolist() == [[1, 1, 0], [0, 1, 0]]
    assert counts.marginals.tolist() == [2, 1, 1, 2, 0]
    assert counts.n_values.tolist() == [2, 3]
    assert (counts.n_objects, counts.n_attributes) == (3, 2)


@pytest.mark.parametrize("weights", [[1], [1, -1], [0, 0], [np.nan, 1], [[1, 1]], ["1", "1"]])
def test_bad_weights(weights):
    table = CategoricalTable.from_codes([[0], [1]])
    with pytest.raises(CouplingsError, match="must be 2 finite numbers of at least 0"):
        cooccurrence(table, weights)


def test_fractions_as_weights(tmp_path):
    table = CategoricalTable.from_codes([[0, 1], [1, 0], [1, 1]])
    counts = cooccurrence(table, [0.5, 0.0, 1.25])
    expected = [[0.5, 0, 0, 0.5], [0, 1.25, 0, 1.25], [0] * 4, [0.5, 1.25, 0, 1.75]]
    assert counts.matrix.tolist() == expected
    assert counts.n_objects == 1.75
    counts.save(tmp_path / "counts.npz")
    assert CooccurrenceCounts.load(tmp_path / "counts.npz").matrix.tolist() == expected
    both = counts + cooccurrence(table)
    assert both.matrix.dtype == float
    assert both.n_objects == 4.75


def counted(frame):
    return cooccurrence(CategoricalTable.from_any(pd.DataFrame(frame)))


def random_frame(seed, n=400):
    """Labels of which the rare ones are in few rows, so that parts differ in their domains."""
    rng = np.random.default_rng(seed)
    pool = np.array(["b", "a", "zz", "", "é", "10", "9"])
    shares = np.array([0.5, 0.3, 0.1, 0.06, 0.02, 0.01, 0.01])
    return pd.DataFrame({f"c{j}": rng.choice(pool, n, p=shares) for j in range(4)})


@pytest.mark.parametrize("seed", range(5))
def test_federated_counts_are_the_central_ones_in_any_order(seed):
    df = random_frame(seed)
    sites = [counted(df.iloc[i::5]) for i in range(5)]
    assert len({site.categories for site in sites}) > 1
    for order in itertools.islice(itertools.permutations(sites), 0, 120, 17):
        same(sum(order), counted(df))
        same((order[0] + order[1]) + ((order[2] + order[3]) + order[4]), counted(df))


def test_different_domains_are_united_and_sorted():
    ours = cooccurrence(CategoricalTable.from_codes([[0], [1]], categories=[["b", "a"]]))
    theirs = cooccurrence(CategoricalTable.from_codes([[0], [0]], categories=[["c"]]))
    total = ours + theirs
    assert total.categories == (("a", "b", "c"),)
    assert total.marginals.tolist() == [1, 1, 2]
    same(theirs + ours, total)
    assert ours.marginals.tolist() == [1, 1]


PLAIN = CooccurrenceCounts(np.diag([2, 1]), np.array([0, 2]), 3)
WIDER = CooccurrenceCounts(np.diag([2, 1, 0]), np.array([0, 3]), 3)
ONE = counted({"a": ["x"], "b": ["y"]})
LETTERS = counted({"p": list("aab"), "q": list("xyx")})


def test_counts_without_labels_add_up_by_position():
    assert (PLAIN + PLAIN).matrix.tolist() == [[4, 0], [0, 2]]


def test_domains_are_reordered_by_name_and_by_position():
    by_name = LETTERS.reorder({"p": ["b", "new", "a"]})
    assert by_name.block(0, 1).tolist() == [[1, 0], [0, 0], [1, 1]]
    same(LETTERS.reorder([["b", "new", "a"], ["x", "y"]]), by_name)
    same(by_name.reorder(LETTERS.categories), LETTERS)


def table_of(codes, sizes):
    return CategoricalTable.from_codes(codes, sizes, attributes=["p", "q"])


HOLED = random_frame(14).mask(np.random.default_rng(1).random((400, 4)) < 0.05)
QUESTION = [pd.DataFrame({"s": ["?", "S"]}), pd.DataFrame({"s": ["S", None]})]
MANY = list(map(str, range(20_000)))
batched = CooccurrenceCounts.from_batches
test_what_cannot_be_counted_is_refused = refused_calls(
    TableError,
    [
        (
            lambda: cooccurrence(table_of([[0, 0], [1, 1]], [5, 20_000])),
            r"20005 values.*3 GB.*'q' has 20000",
        ),
        (lambda: PLAIN + WIDER, r"\[2\] and of \[3\] values cannot be added without"),
        (lambda: ONE + counted({"a": ["x"], "c": ["y"]}), "number 1 is 'b' here and 'c' there"),
        (lambda: ONE + counted({"a": ["x"]}), "2 and of 1 attributes"),
        (
            lambda: LETTERS.reorder({"p": ["b"]}),
            "'p': 'a' was counted 2 times and is not in the new domain",
        ),
        (lambda: LETTERS.reorder({"r": ["b"]}), "no column 'r'"),
        (lambda: LETTERS.reorder({"p": ["a", "a"]}), "'p': a label occurs twice"),
        (lambda: LETTERS.reorder([["a", "b"]]), "1 domains for 2 attributes"),
        (lambda: LETTERS.reorder({"p": ["a", "b", *MANY]}), "limit is 20000 values"),
        (lambda: PLAIN.reorder([["a", "b"]]), "have no labels"),
        (lambda: batched([]), "no objects to count"),
        (
            lambda: batched([HOLED[HOLED.isna().any(axis=1)]], incomplete="drop"),
            "every one has a missing cell",
        ),
        (
            lambda: batched(QUESTION, incomplete="value"),
            r"'s' already has a value '\?'; list it in",
        ),
    ],
)
test_missing_cells_are_refused = refused_calls(
    MissingValuesError,
    [
        (lambda: cooccurrence(table_of([[0, 0], [1, -1]], [2, 2])), r"'q' \(1\).*fill_missing"),
        (lambda: batched([HOLED[:200], HOLED[200:]]), "missing cells in"),
    ],
)


@pytest.mark.parametrize("pair", [(ONE, 1), (1, ONE)])
def test_other_objects_cannot_be_added(pair):
    with pytest.raises(TypeError):
        pair[0] + pair[1]


@pytest.mark.parametrize("size", [1, 7, 400])
def test_batches_of_any_size_and_kind(size):
    df = random_frame(11)
    forms = (
        lambda x: x,
        lambda x: pa.Table.from_pandas(x, preserve_index=False),
        CategoricalTable.from_any,
    )
    pieces = [df.iloc[i : i + size] for i in range(0, len(df), size)]
    batches = [df.iloc[:0], *(forms[i % 3](piece) for i, piece in enumerate(pieces)), df.iloc[:0]]
    same(batched(iter(batches)), counted(df))


def test_batches_with_missing_cells():
    pieces = [HOLED.iloc[i : i + 9] for i in range(0, 400, 9)]
    as_values = batched(pieces, incomplete="value")
    same(as_values, cooccurrence(CategoricalTable.from_any(HOLED).missing_as_value()))
    assert all(domain[-1] == "?" for domain in as_values.categories)
    same(batched(pieces, incomplete="drop"), counted(HOLED.dropna()))
    assert batched(QUESTION, missing=["?"], incomplete="value").marginals.tolist() == [2, 2]


def test_declared_domains_keep_their_order_with_missing_cells():
    parts = [pd.DataFrame({"s": ["L", "S"]}), pd.DataFrame({"s": ["S", None]})]
    counts = batched(parts, {"s": ["S", "M", "L"]}, incomplete="value")
    assert counts.categories == (("S", "M", "L", "?"),)
    assert counts.marginals.tolist() == [2, 0, 1, 1]


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
