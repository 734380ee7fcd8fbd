"""The exact embedding: sums of value dissimilarities as squared Euclidean distances.

If the matrix of an attribute of v values is of negative type, there are v points in v - 1
dimensions whose squared distances are its entries (Schoenberg). Concatenated over all
attributes they give ``sum(v - 1)`` columns, in which the squared Euclidean distance of two objects
is the sum of their value dissimilarities, for unseen objects too.

References
----------
Schoenberg, Annals of Mathematics 36 (1935); Gower, Biometrika 53 (1966).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from couplings.spaces import farthest
from couplings.values import ValueMatrices

# Eigenvalues below this share of the largest are rounding noise.
_NOISE = 1e-12


def principal_coordinates(block: np.ndarray) -> tuple[np.ndarray, float, float]:
    """Return points whose squared distances equal or approximate a symmetric matrix.

    The points, (v, r) with r < v, have mean 0 and columns by decreasing variance; the entry of
    largest magnitude in each column is positive. Also returns the sum of the positive eigenvalues
    of ``-J block J / 2`` (J centres), and the sum of the magnitudes of the negative ones, which are
    cut off. Without negative ones the matrix is of negative type and the points are exact.
    """
    means = block.mean(axis=0)
    inner = -0.5 * (block - means - means[:, np.newaxis] + means.mean())
    sizes, axes = np.linalg.eigh(inner)
    sizes, axes = sizes[::-1], axes[:, ::-1]
    noise = _NOISE * np.abs(sizes).max(initial=0.0) * len(block)
    kept = sizes > noise
    points = axes[:, kept] * np.sqrt(sizes[kept])
    if points.size:
        largest = np.abs(points).argmax(axis=0)
        points *= np.sign(points[largest, np.arange(points.shape[1])])
    return points, float(sizes[kept].sum()), float(-sizes[sizes < -noise].sum())


def with_further_points(
    points: np.ndarray,
    squares: np.ndarray,
    share: np.ndarray,
    rules: Sequence[str],
    far: float | None = None,
) -> np.ndarray:
    """Add a point, with its own column, for each rule of unseen values.

    `points` (v, r) are the values, `squares` (v, v) their squared distances, `share` (v,) the
    shares of the objects that have them. "typical": the squared distance to a value is the mean of
    its squared distances to all values, weighted by `share`; exact. "mismatch": `far`, by
    default the largest squared distance of two values, to all values and to the points before;
    exact if such a point exists, else the nearest height. "mean", only as the first: at the mean of
    the values, weighted by `share`, without a column.
    """
    far = squares.max() if far is None else far
    if rules and rules[0] == "mean":
        further = with_further_points(points, squares, share, rules[1:], far)
        return np.insert(further, len(points), share @ further[: len(points)], axis=0)
    for rule in rules:
        if rule == "typical":
            weights = np.append(share, np.zeros(len(points) - len(share)))
            square = 0.5 * weights @ squares @ weights
        else:
            weights = np.linalg.lstsq(squares, np.ones(len(squares)), rcond=None)[0]
            total = weights.sum()
            # The values coincide: any of them will do.
            weights = weights / total if total > 0 else np.full(len(squares), 1 / len(squares))
            square = max(0.0, far - 0.5 * weights @ squares @ weights)
        height = np.sqrt(square)
        point = np.append(weights @ points, height)
        points = np.vstack([np.column_stack([points, np.zeros(len(points))]), point])
        gaps = ((points - point) ** 2).sum(axis=1)
        squares = np.block([[squares, gaps[:-1, np.newaxis]], [gaps[np.newaxis, :-1], 0.0]])
    return points


@dataclass(eq=False)
class Embedding:
    """Columns for the values of all attributes, computed on first access.

    Parameters
    ----------
    matrices : ValueMatrices
        Squared distances of the values; 0 on the diagonals.
    shares : list of m ndarrays of float64
        Shares of the values; values with share 0 get no point.
    rules : sequence of {"mismatch", "typical", "mean"}
        Rules of the additional points of every attribute.
    """

    matrices: ValueMatrices
    shares: list[np.ndarray]
    rules: tuple[str, ...]

    @cached_property
    def _parts(self) -> tuple[list[np.ndarray], float]:
        tables, kept, cut = [], 0.0, 0.0
        blocks = self.matrices.blocks
        apart = farthest(blocks, self.shares)
        for block, share, far in zip(blocks, self.shares, apart, strict=True):
            seen = np.flatnonzero(share > 0)
            inner = block[np.ix_(seen, seen)]
            points, positive, negative = principal_coordinates(inner)
            kept += positive
            cut += negative
            weights = share[seen] / share[seen].sum()
            points = with_further_points(points, inner, weights, self.rules, far)
            table = np.full((len(share) + len(self.rules), points.shape[1]), np.nan)
            table[np.append(seen, np.arange(len(share), len(table)))] = points
            tables.append(table)
        return tables, cut / (kept + cut) if cut else 0.0

    @property
    def tables(self) -> list[np.ndarray]:
        """Coordinates of the values of each attribute, (v_j + e, r_j); NaN for unseen ones."""
        return self._parts[0]

    @property
    def defect(self) -> float:
        """Share of the eigenvalues of all attributes that is cut off, in [0, 1]."""
        return self._parts[1]

    def rows(self, codes: np.ndarray, dtype: type = np.float64) -> np.ndarray:
        """Return the coordinates of objects, side by side for all attributes."""
        pairs = zip(self.tables, codes.T, strict=True)
        return np.hstack([table.astype(dtype)[column] for table, column in pairs])
