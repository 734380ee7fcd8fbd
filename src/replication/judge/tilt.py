"""Measure whether a paper's own column lies above our numbers more often than its rivals' columns.

Tilt is the mean sign of printed minus ours over the cells of the own method, minus the same mean
over the cells of its rivals; it lies from -2 to 2. A sign is 0 within half a unit of the last
printed digit. The test gives "own" to a random method within each table and data set, with all its
indices together. The protocol is docs/protocols/tilt.md.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from replication.judge.cells import COMPARABLE
from replication.judge.verdicts import EXACT, WITHIN_NOISE, parse_printed

INDICES = ("purity", "nmi", "ari", "accuracy", "fscore")
"""Metrics of the cells: scores of a clustering. Averages, ranks and tests are no cells."""
DERIVED = ("average", "p_value", "all")
"""Data sets that stand for rows below the data sets."""
LEVEL = 0.05
"""Level of the sentence about a tilt."""
ABOVE = "printed above the repetition more often than its rivals"
BELOW = "printed below the repetition more often than its rivals"
NEITHER = "no lean beyond chance"
_TIE = 1e-12


@dataclass(frozen=True)
class Tilt:
    """Tilt of one own method, or of the own methods of several tables, with its test."""

    # tables and data sets, and methods in each of them on average
    strata: int
    methods: float
    # cells of the own method, and of its rivals: printed above, below and equal to ours
    own: tuple[int, int, int]
    rivals: tuple[int, int, int]
    # mean of printed minus ours
    own_difference: float
    rivals_difference: float
    # difference of mean signs and of mean differences, with p-values, two-sided
    tilt: float
    p: float
    tilt_difference: float
    p_difference: float

    def says(self, p: float | None = None) -> str:
        """Return the sentence about the tilt, by its p-value or a corrected one."""
        if (self.p if p is None else p) >= LEVEL:
            return NEITHER
        return ABOVE if self.tilt > 0 else BELOW


def score_cells(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the cells of verdict rows: printed scores of methods on data sets, with ours.

    `rows` are texts by `VERDICT_COLUMNS`. The result has paper, artefact, dataset, method, metric,
    reading, verdict, ``difference`` (printed minus ours) and ``sign``.
    """
    wanted = rows["metric"].isin(INDICES) & (rows["reproduced"] != "") & (rows["method"] != "")
    found = rows[wanted & ~rows["dataset"].isin(DERIVED)]
    printed = found["printed"].map(parse_printed)
    found, printed = found[printed.notna()], printed[printed.notna()]
    ours = found["reproduced"].astype(float)
    values = np.array([float(one.value) for one in printed])
    half = np.array([one.half_unit for one in printed])
    difference = values - ours.to_numpy()
    sign = np.where(np.abs(difference) <= half + _TIE, 0, np.sign(difference))
    kept = ["paper", "artefact", "dataset", "method", "metric", "reading", "verdict"]
    return found[kept].assign(difference=difference, sign=sign.astype(int))


def under(cells: pd.DataFrame, reading: str, counted: str) -> pd.DataFrame:
    """Return the cells under a reading; a method without it keeps the counted one."""
    own = cells["reading"] == reading
    has = cells["method"].isin(cells.loc[own, "method"])
    return cells[own | ((cells["reading"] == counted) & ~has)]


def comparable(cells: pd.DataFrame) -> pd.DataFrame:
    """Return the cells whose verdict is exact, within noise or differs."""
    return cells[cells["verdict"].isin(COMPARABLE)]


def noise_is_equal(cells: pd.DataFrame) -> pd.DataFrame:
    """Return cells with sign 0 where the printed number is exact or within noise."""
    met = cells["verdict"].isin([EXACT, WITHIN_NOISE])
    return cells.assign(sign=cells["sign"].mask(met, 0))


def tilt(
    cells: pd.DataFrame,
    own: Iterable[str],
    rng: np.random.Generator,
    *,
    joined: bool = False,
    draws: int = 20_000,
) -> Tilt | None:
    """Return the tilt of own methods against all others in the same table and data set.

    Parameters
    ----------
    cells : DataFrame
        Cells of `score_cells`, one per printed place.
    own : iterable of str
        Own method, one of them in each stratum.
    rng : Generator
        Draws the owners.
    joined : bool, default False
        Whether the artefacts are parts of one table, so that a stratum is a data set. The same
        cell printed again in another part counts once. Otherwise a stratum is an artefact and a
        data set.
    draws : int, default 20_000
        Number of random owners.

    Returns
    -------
    Tilt or None
        None without a stratum that has an own method and a rival. Strata without both take no
        part.
    """
    place = ["dataset"] if joined else ["artefact", "dataset"]
    cells = cells.drop_duplicates([*place, "method", "metric"])
    if cells.empty:
        return None
    cells = cells.assign(
        own=cells["method"].isin(list(own)), stratum=cells[place].agg(" ".join, axis=1)
    )
    groups = cells.groupby("stratum")["own"]
    cells = cells[groups.transform("any") & ~groups.transform("all")]
    if cells.empty:
        return None
    sums = cells.groupby(["stratum", "method", "own"], sort=False).agg(
        sign=("sign", "sum"), difference=("difference", "sum"), n=("sign", "size")
    )
    sums = sums.reset_index()
    drawn = _drawn(sums, rng, draws)
    value, p = _tested(sums, "sign", drawn)
    value_difference, p_difference = _tested(sums, "difference", drawn)
    mine, theirs = cells[cells["own"]], cells[~cells["own"]]
    return Tilt(
        strata=sums["stratum"].nunique(),
        methods=len(sums) / sums["stratum"].nunique(),
        own=_signs(mine),
        rivals=_signs(theirs),
        own_difference=float(mine["difference"].mean()),
        rivals_difference=float(theirs["difference"].mean()),
        tilt=value,
        p=p,
        tilt_difference=value_difference,
        p_difference=p_difference,
    )


def _signs(cells: pd.DataFrame) -> tuple[int, int, int]:
    """Return the number of cells printed above ours, below, and equal."""
    signs = cells["sign"]
    return int((signs > 0).sum()), int((signs < 0).sum()), int((signs == 0).sum())


def _drawn(sums: pd.DataFrame, rng: np.random.Generator, draws: int) -> list[np.ndarray]:
    """Return for each stratum the rows of `sums` that random owners pick."""
    return [
        rows.index.to_numpy()[rng.integers(len(rows), size=draws)]
        for _, rows in sums.groupby("stratum", sort=False)
    ]


def _tested(sums: pd.DataFrame, column: str, drawn: Sequence[np.ndarray]) -> tuple[float, float]:
    """Return own minus rivals of the mean of a column, and its two-sided p-value."""
    values, sizes = sums[column].to_numpy(float), sums["n"].to_numpy(float)

    def contrast(total: Any, n: Any) -> Any:
        return total / n - (values.sum() - total) / (sizes.sum() - n)

    mine = sums["own"].to_numpy()
    seen = float(contrast(values[mine].sum(), sizes[mine].sum()))
    null = contrast(sum(values[rows] for rows in drawn), sum(sizes[rows] for rows in drawn))
    tails = (null >= seen - _TIE).sum(), (null <= seen + _TIE).sum()
    return seen, min(1.0, 2 * (1 + min(tails)) / (1 + len(null)))
