"""Prepare all data sets of the study in the same way.

Numbers are cut into bins of equal width. A missing cell is a value of its own, or it is filled in,
or its row is dropped. Attributes that do not vary are left out. Rows get one random order: many
algorithms break ties by the order of the rows, and files are often sorted by class.
"""

from dataclasses import dataclass
from typing import TypedDict

import numpy as np

from couplings.discretize import apply_cuts, equal_width_cuts
from couplings.table import CategoricalTable
from replication.errors import UserError
from replication.files import MISSING
from replication.run.experiment import Experiment
from replication.run.runner import Objects

TREATMENTS = {"value": "a value", "impute": "filled in", "drop": "dropped"}
"""Treatments of missing cells."""
PREPARATION = "values"
"""Preparation in the configuration: every text is a value, also ``?`` and numbers."""


class Protocol(TypedDict):
    """Parameters of all experiments of the study, as `Experiment.parameters` holds them."""

    missing: str
    """Treatment of missing cells, one of `TREATMENTS`."""
    bins: int
    """Intervals of equal width."""
    restarts: int
    """Starts of every algorithm with random starts."""
    replicates: dict[str, float]
    """Rule for the number of replicates of a cell, see `cells.replicated`."""
    limit: int
    """Most objects for which all pairs are computed."""
    theta: float
    """Threshold of ROCK and CROCK."""
    pairs: int
    """Sampled pairs of objects."""
    algorithms: list[str]
    """Algorithms that every measure is combined with."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Prepared(Objects):
    """One data set, ready to be clustered: its table holds the values that occur."""

    # whether each row of the file, shape (size,), had no missing cell
    complete: np.ndarray


def prepared(
    experiment: Experiment, missing: str | None = None, bins: int | None = None
) -> Prepared:
    """Return a data set under the common preparation; arguments override the parameters."""
    tables, parameters = experiment.tables(PREPARATION), experiment.parameters
    treatment = (missing or parameters["missing"], bins or parameters["bins"])
    made = coded(tables.tables[0], tables.labels[0], experiment.facts["numeric"], *treatment)
    return made.ordered(experiment.shared("rows").permutation(made.n_objects))


def coded(
    table: CategoricalTable, labels: np.ndarray, numeric: list[str], missing: str, bins: int
) -> Prepared:
    """Prepare a table for the study.

    Parameters
    ----------
    table : CategoricalTable
        Every text is a value; a missing cell holds ``?``.
    labels : ndarray of int64, shape (n,)
        Class codes.
    numeric : list of str
        Attributes whose values are numbers.
    missing : {"value", "impute", "drop"}
        Make a missing cell a value of its own; fill in the most frequent value, or for a number
        the bin of the mean; or drop the row.
    bins : int
        Number of equal-width bins of a numeric attribute, over its observed numbers.

    Returns
    -------
    Prepared
        In the order of the file. Attributes without two different values are left out.

    Raises
    ------
    UserError
        If the treatment is unknown, or nothing is left.
    """
    if missing not in TREATMENTS:
        raise UserError(f"missing: {missing!r} is not known; choose one of {tuple(TREATMENTS)}")
    frame = table.to_pandas().astype(object)
    complete = (frame != MISSING).all(axis=1).to_numpy()
    kept = np.flatnonzero(complete) if missing == "drop" else np.arange(len(complete))
    if len(kept) < 2:
        raise UserError("no two rows without a missing cell are left")
    columns = {}
    for name in table.attributes:
        column = frame[name].to_numpy()[kept]
        texts = _binned(column, bins) if name in numeric else column
        absent = column == MISSING
        if missing == "impute" and absent.any():
            texts = np.where(absent, _filling(column, texts, name in numeric), texts)
        domain, codes = np.unique(texts, return_inverse=True)
        if len(domain) > 1:
            columns[name] = (codes, tuple(map(str, domain)))
    if not columns:
        raise UserError("no attribute has two different values")
    made = CategoricalTable.from_codes(
        np.column_stack([codes for codes, _ in columns.values()]),
        categories=[domain for _, domain in columns.values()],
        attributes=[*columns],
    )
    classes = np.unique(labels[kept], return_inverse=True)[1]
    return Prepared(made, classes, kept, len(complete), complete=complete)


def _binned(column: np.ndarray, bins: int) -> np.ndarray:
    """Return the number of the bin of each number, as text; missing cells are unchanged."""
    present = column != MISSING
    numbers = column[present].astype(float)
    width = len(str(bins - 1))
    result = np.full(len(column), MISSING, dtype=f"<U{width}")
    codes = apply_cuts(numbers, equal_width_cuts(numbers, bins))
    result[present] = [f"{code:0{width}d}" for code in codes]
    return result


def _filling(column: np.ndarray, texts: np.ndarray, numeric: bool) -> str:
    """Return the text that fills in a missing cell."""
    present = column != MISSING
    if numeric:
        numbers = column[present].astype(float)
        return str(texts[present][np.argmin(np.abs(numbers - numbers.mean()))])
    values, counts = np.unique(texts[present], return_counts=True)
    return str(values[np.argmax(counts)])
