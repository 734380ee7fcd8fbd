"""The four distances that coupledMC's text gives between rows of its Table 4.

Columns (all of Table 4 or some, or Table 3), their scale, the rows (as they are, of length 1,
centred) and distances, in all combinations. They start from the printed tables: no run is needed.
"""

from collections.abc import Iterator
from itertools import product

import numpy as np
from _search import ROOT, Found, close, printed, report
from scipy.spatial.distance import cdist

from couplings.mixed import scaled
from replication.judge.published import load

SCALES = ("raw", "minmax", "z", "symmetric", "largest 1", "length 1", "rank", "sum 1", "centred")
ROWS = ("as they are", "length 1", "centred", "centred, length 1", "sum 1")
DISTANCES = ("euclidean", "sqeuclidean", "cityblock", "chebyshev", "cosine", "correlation")
DISTANCES += ("canberra", "braycurtis")
DIVISORS = {"": 0.0, " / root of columns": 0.5, " / columns": 1.0}


def columns(artefact: str) -> np.ndarray:
    """Numbers of a printed table, one row per object."""
    cells = load("coupledmc", ROOT / "data" / "published")
    cells = cells[(cells["artefact"] == artefact) & (cells["metric"] != "class")]
    numbers = cells.assign(value=cells["value"].astype(float))
    return numbers.pivot_table("value", "dataset", "metric").to_numpy()


def on_scale(matrix: np.ndarray, scale: str) -> np.ndarray:
    """Columns on a scale; of the transposed matrix, its rows."""
    centred = matrix - matrix.mean(axis=0)
    if scale in ("raw", "minmax", "z", "symmetric"):
        return scaled(matrix, scale)
    return {
        "as they are": matrix,
        "centred": centred,
        "largest 1": matrix / np.abs(matrix).max(axis=0),
        "length 1": matrix / np.linalg.norm(matrix, axis=0),
        "sum 1": matrix / np.abs(matrix).sum(axis=0),
        "rank": matrix.argsort(axis=0).argsort(axis=0).astype(float),
        "centred, length 1": centred / np.maximum(np.linalg.norm(centred, axis=0), 1e-12),
    }[scale]


def settings(pairs: list[str]) -> Iterator[Found]:
    """Distances of the printed pairs under every combination."""
    scores, powers = columns("table04"), columns("table03")
    parts = {f"first {c} of Table 4": scores[:, :c] for c in (2, 3, 4, 5)}
    parts |= {"Table 4 without the first": scores[:, 1:], "Table 3": powers}
    for (part, x), scale, row, name in product(parts.items(), SCALES, ROWS, DISTANCES):
        placed = on_scale(on_scale(x, scale).T, row).T
        distances = cdist(placed, placed, name)
        for divisor, power in DIVISORS.items():
            found = {p: distances[int(p[3]) - 1, int(p[6]) - 1] for p in pairs}
            by = x.shape[1] ** power
            yield (
                f"{part}, {scale}; rows {row}; {name}{divisor}",
                {p: v / by for p, v in found.items()},
            )


TEXTS = printed("coupledmc", "table4", "rfs_distance")
close({"distances of Table 4": report("Table 4", TEXTS, settings(list(TEXTS)))})
