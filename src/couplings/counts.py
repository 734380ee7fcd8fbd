"""Co-occurrence counts: the sufficient statistic of every measure here."""

from dataclasses import dataclass

import numpy as np

from couplings._kernels import counting
from couplings.errors import TableError
from couplings.table import CategoricalTable, require_complete

MAX_VALUES = 20_000

# Bit columns cost (v_j - 1)(v_k - 1) / 64 words per row, an increment costs the same for any
# domain; the two meet at about 22 values each.
_WIDEST_PACKED = 22
_FEWEST_PACKED_ROWS = 512
_TILE = 36
_LONGEST_STEP = 64


@dataclass(frozen=True, eq=False)
class CooccurrenceCounts:
    """How often each two values occur in one object.

    Parameters
    ----------
    matrix : ndarray of int64, shape (L, L)
        Symmetric; L is the total number of declared values. The block of one attribute with
        itself is diagonal and holds the frequencies of its values.
    offsets : ndarray of int64, shape (m + 1,)
        The values of attribute j are the rows ``offsets[j]`` to ``offsets[j + 1] - 1``.
    n_objects : int
        Number of objects counted (the sum of the weights, if there were any).
    """

    matrix: np.ndarray
    offsets: np.ndarray
    n_objects: int

    @property
    def n_values(self) -> np.ndarray:
        """Declared number of values of each attribute, int64 of shape (m,)."""
        return np.diff(self.offsets)

    @property
    def n_attributes(self) -> int:
        """Number of attributes, m."""
        return len(self.offsets) - 1

    @property
    def marginals(self) -> np.ndarray:
        """Frequency of each value, int64 of shape (L,)."""
        return self.matrix.diagonal()

    def block(self, j: int, k: int) -> np.ndarray:
        """Contingency table of attributes `j` and `k`: a view, int64 of shape (v_j, v_k)."""
        offsets = self.offsets
        return self.matrix[offsets[j] : offsets[j + 1], offsets[k] : offsets[k + 1]]


def cooccurrence(table: CategoricalTable, weights: np.ndarray | None = None) -> CooccurrenceCounts:
    """Count the objects that have each two values.

    Parameters
    ----------
    table : CategoricalTable
        Without missing cells.
    weights : array_like of non-negative integers, shape (n,), optional
        Multiplicity of each row, as `CategoricalTable.distinct` returns it.

    Returns
    -------
    CooccurrenceCounts
        With one-hot matrix Z: ``Z.T @ Z``, or ``Z.T @ diag(weights) @ Z``.

    Raises
    ------
    MissingValuesError
        If a cell is missing.
    TableError
        If the attributes declare more than 20,000 values altogether, or if the weights are not
        one non-negative integer per row.
    """
    require_complete(table)
    offsets = table.offsets
    n_values = int(offsets[-1])
    if n_values > MAX_VALUES:
        widest = int(np.argmax(table.n_values))
        raise TableError(
            f"the attributes declare {n_values} values, and their counts would take "
            f"{8 * n_values**2 / 1e9:.0f} GB; the limit is {MAX_VALUES} values: merge rare values "
            f"or leave out wide attributes ({table.attributes[widest]!r} has "
            f"{table.n_values[widest]})"
        )
    matrix = np.zeros((n_values, n_values), dtype=np.int64)
    if weights is None:
        packed = np.flatnonzero(table.n_values <= _WIDEST_PACKED)
        if table.n_objects < _FEWEST_PACKED_ROWS or len(packed) < 2:
            packed = packed[:0]
        weights = np.ones(table.n_objects, dtype=np.int64)
        n_objects = table.n_objects
    else:
        weights = _checked_weights(weights, table.n_objects)
        packed = np.zeros(0, dtype=np.int64)
        n_objects = int(weights.sum())
    if len(packed):
        _count_packed(table.codes, packed, offsets, matrix)
    is_packed = np.isin(np.arange(table.n_attributes), packed)
    first, second = np.triu_indices(table.n_attributes)
    rest = ~(is_packed[first] & is_packed[second])
    if rest.any():
        pairs = np.column_stack([first[rest], second[rest]])
        counting.scatter(table.codes, weights, pairs, offsets, matrix)
    counting.mirror(matrix)
    return CooccurrenceCounts(matrix, offsets, n_objects)


def _count_packed(
    codes: np.ndarray, attributes: np.ndarray, offsets: np.ndarray, matrix: np.ndarray
) -> None:
    """Fill the upper triangle for the pairs of `attributes`, by bit columns."""
    n_columns = np.diff(offsets)[attributes] - 1
    first = np.concatenate([[0], np.cumsum(n_columns)])
    values = np.concatenate(
        [offsets[j] + np.arange(c) for j, c in zip(attributes, n_columns, strict=True)]
    )
    n_words = -(-len(codes) // 64)
    step = min(_LONGEST_STEP, -(-n_words // 7))
    n_words = -(-n_words // (7 * step)) * 7 * step
    bits = np.zeros((len(values), n_words), dtype=np.uint64)
    marginals = np.zeros(len(matrix), dtype=np.int64)
    counting.pack(codes, attributes, first, bits, marginals, offsets)
    n_tiles = -(-len(values) // _TILE)
    tasks = np.column_stack(np.triu_indices(n_tiles))
    counting.count_bits(bits, step, _TILE, tasks, values, matrix)
    counting.complete_last_values(attributes, offsets, marginals, matrix)


def _checked_weights(weights: np.ndarray, n_objects: int) -> np.ndarray:
    array = np.asarray(weights)
    if array.shape != (n_objects,) or array.dtype.kind not in "iu" or (array < 0).any():
        raise TableError(
            f"weights must be {n_objects} non-negative integers, one per row, "
            f"not {array.dtype} of shape {array.shape}"
        )
    return array.astype(np.int64)
