"""Prepare all data sets of the study in the same way.

Numbers are cut into bins of equal width. A missing cell is a value of its own, or it is filled in,
or its row is dropped. Attributes that do not vary are left out. Rows get one random order: many
algorithms break ties by the order of the rows, and files are often sorted by class.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self, TypedDict

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


class Replicates(TypedDict):
    """Rule for the number of replicates of a cell, see `cells.replicated`."""

    least: int
    """Replicates of a round."""
    most: int
    """Most replicates."""
    error: float
    """Standard error of the mean ARI below which no further round is needed."""
    objects: int
    """Most objects in all replicates together, beyond the first round."""


class Protocol(TypedDict):
    """Parameters of all experiments of the study, as `Experiment.parameters` holds them."""

    missing: str
    """Treatment of missing cells, one of `TREATMENTS`."""
    bins: int
    """Intervals of equal width."""
    restarts: int
    """Starts of every algorithm with random starts."""
    replicates: Replicates
    """Number of replicates of a cell."""
    limit: int
    """Most objects for which all pairs are computed."""
    theta: float
    """Threshold of ROCK and CROCK."""
    pairs: int
    """Sampled pairs of objects."""
    algorithms: list[str]
    """Algorithms that every measure is combined with."""


class Comparison(Protocol):
    """The protocol, with the numbers of bins to compare."""

    compared_bins: list[int]
    """Numbers of bins."""


@dataclass(frozen=True)
class Prepared:
    """One data set, ready to be clustered.

    Attributes
    ----------
    table : CategoricalTable
        n objects over the values that occur, in random order.
    labels : ndarray of int64, shape (n,)
        Class of each object, 0, 1, ...
    rows : ndarray of int64, shape (n,)
        Position of each object in the file.
    complete : ndarray of bool, shape (n,)
        Whether none of its cells was missing.
    size : int
        Rows of the file.
    """

    table: CategoricalTable
    labels: np.ndarray
    rows: np.ndarray
    complete: np.ndarray
    size: int

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return int(self.labels.max()) + 1

    @cached_property
    def objects(self) -> Objects:
        """The objects in the form that `replication.run.runner` clusters."""
        return Objects(self.table, self.labels, self.rows, self.size)

    def ordered(self, order: np.ndarray) -> Self:
        """Return the same objects in another order (indices, or a part of them)."""
        labels = np.unique(self.labels[order], return_inverse=True)[1]
        return replace(
            self,
            table=self.table.take(order),
            labels=labels,
            rows=self.rows[order],
            complete=self.complete[order],
        )


def prepared(
    experiment: Experiment, missing: str | None = None, bins: int | None = None
) -> Prepared:
    """Return a data set under the common preparation; arguments override the parameters."""
    tables, parameters = experiment.tables(PREPARATION), experiment.parameters
    treatment = (missing or parameters["missing"], bins or parameters["bins"])
    made = coded(tables.tables[0], tables.labels[0], experiment.facts["numeric"], *treatment)
    return made.ordered(experiment.shared("rows").permutation(len(made.labels)))


def coded(
    table: CategoricalTable,
    labels: np.ndarray,
    numeric: list[str],
    missing: str,
    bins: int,
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
    holes = np.column_stack(
        [
            column == (domain.index(MISSING) if MISSING in domain else -1)
            for column, domain in zip(table.codes.T, table.categories, strict=True)
        ]
    )
    complete = np.logical_not(holes.any(axis=1))
    kept = np.flatnonzero(complete) if missing == "drop" else np.arange(len(complete))
    if len(kept) < 2:
        raise UserError("no two rows without a missing cell are left")
    columns = {}
    for j, name in enumerate(table.attributes):
        column = np.array(table.categories[j])[table.codes[kept, j]]
        texts = _binned(column, bins) if name in numeric else column
        absent = column == MISSING
        if missing == "impute" and absent.any():
            texts = np.where(absent, _filling(column, texts, name in numeric, bins), texts)
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
    return Prepared(made, classes, kept, complete[kept], len(complete))


def _binned(column: np.ndarray, bins: int) -> np.ndarray:
    """Return the number of the bin of each number, as text; missing cells are unchanged."""
    present = column != MISSING
    if not present.any():
        return column
    numbers = column[present].astype(float)
    width = len(str(bins - 1))
    result = np.full(len(column), MISSING, dtype=f"<U{width}")
    codes = apply_cuts(numbers, equal_width_cuts(numbers, bins))
    result[present] = [f"{code:0{width}d}" for code in codes]
    return result


def _filling(column: np.ndarray, texts: np.ndarray, numeric: bool, bins: int) -> str:
    """Return the text that fills in a missing cell."""
    present = column != MISSING
    if numeric:
        numbers = column[present].astype(float)
        return str(texts[present][np.argmin(np.abs(numbers - numbers.mean()))])
    values, counts = np.unique(texts[present], return_counts=True)
    return str(values[np.argmax(counts)])


def profile(made: Prepared) -> dict[str, Any]:
    """Describe a data set.

    Returns
    -------
    dict
        ``objects``, ``attributes``, ``values`` (mean number of values of an attribute),
        ``classes``, ``majority`` (share of the largest class), ``imbalance`` (1 minus the
        entropy of the classes over its maximum), ``coupling`` (feature correlation index),
        ``distinct`` (share of different rows).
    """
    from couplings.counts import cooccurrence
    from couplings.metrics.factors import feature_correlation

    n = made.table.n_objects
    share = np.bincount(made.labels) / n
    entropy = float(-(share * np.log(share)).sum() / np.log(len(share)))
    several = made.table.n_attributes > 1
    return {
        "objects": n,
        "attributes": made.table.n_attributes,
        "values": float(made.table.n_values.mean()),
        "classes": made.n_classes,
        "majority": float(share.max()),
        "imbalance": 1.0 - entropy,
        "coupling": feature_correlation(cooccurrence(made.table)) if several else 0.0,
        "distinct": made.table.distinct()[0].n_objects / n,
    }
