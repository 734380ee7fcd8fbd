"""Object spaces: the dissimilarity of objects as a function of value matrices."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import DTypeLike

from couplings._checks import check_memory
from couplings._kernels import objects
from couplings._params import check_choice
from couplings.errors import MeasureError
from couplings.table import CategoricalTable, require_complete
from couplings.values import ValueMatrices

_LINKS = {
    "sum": objects.SUM,
    "rss": objects.RSS,
    "inverse": objects.INVERSE,
    "jaccard": objects.JACCARD,
    "ratio": objects.RATIO,
}
# The spread columns of one block, and the sums of one row, have to stay in a 512 KB cache.
_SPREAD_BYTES = 384 * 1024
_WIDEST, _NARROWEST = 2048, 64
_STRIP = 1024


@dataclass(frozen=True, eq=False)
class ObjectSpace:
    """The dissimilarity ``D(u, v) = link(S)`` with ``S = sum_j A_j[x_uj, x_vj]``.

    Parameters
    ----------
    matrices : ValueMatrices
        The A_j.
    link : {"sum", "rss", "inverse", "jaccard", "ratio"}
        "sum": D = S. "rss": D = sqrt(S), where the A_j hold squares. "inverse": D = 1 / (1 + S),
        S a similarity. "jaccard": D = 1 - (m - S) / (m + S), S the number of differing attributes.
        "ratio": D = 1 / (1 + R), R = S / (t_u + t_v), t_u the sum of `value_terms` over the
        values of u; R is 1 where the denominator is 0.
    value_terms : ndarray of float64, shape (L,), optional
        For "ratio" only.

    Raises
    ------
    CouplingsError
        If the link is unknown or lacks its terms.

    Notes
    -----
    The sum over the attributes runs from first to last in the type of the result, so equal
    sums come out equal: what clusterings do with ties depends on it.
    """

    matrices: ValueMatrices
    link: str
    value_terms: np.ndarray | None = None

    def __post_init__(self) -> None:
        """Check the link and its terms."""
        check_choice("ObjectSpace", "link", self.link, tuple(_LINKS))
        if (self.value_terms is not None) != (self.link == "ratio"):
            raise MeasureError("value_terms belong to the link 'ratio', and only to it")

    def pairwise(
        self,
        table: CategoricalTable,
        out: np.ndarray | None = None,
        dtype: DTypeLike = np.float64,
    ) -> np.ndarray:
        """Return the dissimilarities of all objects of a table.

        Parameters
        ----------
        table : CategoricalTable
            n objects without missing cells, over the domains of the value matrices.
        out : ndarray of float32 or float64, C-contiguous, shape (n, n), optional
            Buffer to write into.
        dtype : {float64, float32}, default float64
            Type of the result, and of the sums, if there is no `out`.

        Returns
        -------
        ndarray of `dtype`, shape (n, n)
            Symmetric.

        Raises
        ------
        MissingValuesError
            If a cell is missing.
        MeasureError
            If the domains or the buffer do not fit, or the result does not fit into memory.
        """
        return self.between(table, table, out, dtype)

    def condensed(
        self,
        table: CategoricalTable,
        out: np.ndarray | None = None,
        dtype: DTypeLike = np.float64,
    ) -> np.ndarray:
        """Return the dissimilarities of the pairs u < v, row by row as scipy orders them.

        Parameters and errors are those of `pairwise`; the result has shape (n (n - 1) / 2,).
        """
        n = table.n_objects
        out = _buffer(out, (n * (n - 1) // 2,), dtype)
        self._write(table, table, True, out)
        return out

    def between(
        self,
        table_a: CategoricalTable,
        table_b: CategoricalTable,
        out: np.ndarray | None = None,
        dtype: DTypeLike = np.float64,
    ) -> np.ndarray:
        """Return the dissimilarities of the objects of two tables over the same domains.

        Parameters and errors are those of `pairwise`; the result has shape (n_a, n_b).
        """
        out = _buffer(out, (table_a.n_objects, table_b.n_objects), dtype)
        self._write(table_a, table_b, False, out.reshape(-1))
        return out

    def self_dissimilarities(
        self, table: CategoricalTable, dtype: DTypeLike = np.float64
    ) -> np.ndarray:
        """Return the dissimilarity of each object with itself, `dtype` of shape (n,).

        Bit by bit the diagonal of `pairwise`. Errors are those of `pairwise`.
        """
        self._check(table)
        matrices = self.matrices
        total = np.zeros(table.n_objects, dtype=dtype)
        for j, column in enumerate(table.codes.T):
            total += matrices.block(j).diagonal().astype(dtype)[column]
        if self.link == "rss":
            return np.sqrt(total)
        wide = total.astype(np.float64)
        if self.link == "inverse":
            wide = 1.0 / (1.0 + wide)
        elif self.link == "jaccard":
            wide = 1.0 - (table.n_attributes - wide) / (table.n_attributes + wide)
        elif self.link == "ratio":
            whole = 2.0 * self._terms(table.codes)
            similarity = np.divide(wide, whole, out=np.ones_like(wide), where=whole != 0)
            wide = 1.0 / (1.0 + similarity)
        return wide.astype(dtype)

    def _write(
        self, table_a: CategoricalTable, table_b: CategoricalTable, condensed: bool, out: np.ndarray
    ) -> None:
        self._check(table_a)
        if table_b is not table_a:
            self._check(table_b)
        # One code type keeps one compiled kernel; the copy is small beside the result.
        codes_a = np.asfortranarray(table_a.codes, dtype=np.int32)
        codes_b = codes_a
        if table_b is not table_a:
            codes_b = np.asfortranarray(table_b.codes, dtype=np.int32)
        offsets = self.matrices.offsets
        row_bytes = (int(offsets[-1]) + 1) * out.itemsize
        width = int(np.clip(_SPREAD_BYTES // row_bytes // 16 * 16, _NARROWEST, _WIDEST))
        objects.dissimilarities(
            codes_a,
            codes_b,
            self.matrices.data,
            self.matrices.starts,
            offsets,
            self._terms(codes_a),
            self._terms(codes_b),
            _LINKS[self.link],
            condensed,
            width,
            _STRIP,
            out,
        )

    def _terms(self, codes: np.ndarray) -> np.ndarray:
        """Return the sum of the value terms of each object, (0,) where there are none."""
        if self.value_terms is None:
            return np.zeros(0)
        total = np.zeros(len(codes))
        for column, offset in zip(codes.T, self.matrices.offsets[:-1], strict=True):
            total += self.value_terms[offset + column]
        return total

    def _check(self, table: CategoricalTable) -> None:
        require_complete(table)
        expected = self.matrices.n_values
        if not np.array_equal(table.n_values, expected):
            raise MeasureError(
                f"the table declares {table.n_values.tolist()} values per attribute, the value "
                f"matrices have {expected.tolist()}; encode both with the same domains"
            )


def _buffer(out: np.ndarray | None, shape: tuple[int, ...], dtype: DTypeLike) -> np.ndarray:
    """Return `out` after checking it, or a new array."""
    if out is None:
        if np.dtype(dtype) not in (np.float32, np.float64):
            raise MeasureError(f"dtype must be float32 or float64, not {np.dtype(dtype)}")
        check_memory(
            "pairwise",
            float(math.prod(shape)) * np.dtype(dtype).itemsize,
            f"an array of {' x '.join(map(str, shape))} {np.dtype(dtype)}",
            "use kneighbors, a sample, or an algorithm that needs no matrix of all pairs: KModes, "
            "CategoricalSpectral, or a sample that others join (couplings.large.SampleAndAssign)",
        )
        return np.empty(shape, dtype=dtype)
    if out.shape != shape or out.dtype not in (np.float32, np.float64):
        raise MeasureError(
            f"out must be float32 or float64 of shape {shape}, not {out.dtype} of {out.shape}"
        )
    if not out.flags.c_contiguous or not out.flags.writeable:
        raise MeasureError("out must be C-contiguous and writeable")
    return out
