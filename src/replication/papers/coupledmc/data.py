"""Mixed tables of the data sets, from what the step `prepare` wrote."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from couplings.mixed import MixedTable
from couplings.table import CategoricalTable
from replication.files import CLASS
from replication.run.runner import Objects

if TYPE_CHECKING:
    import pandas as pd

    from replication.run.experiment import Experiment


def mixed(experiment: Experiment) -> Objects:
    """Mixed table and classes of the data set of an experiment, as objects to be clustered.

    The parameter ``smallest_class`` leaves out classes with fewer objects, a rule for all data
    sets: it makes the 21 classes and 4168 objects that Table 5 prints for abalone.

    Parameters
    ----------
    experiment : Experiment
        With the parameter ``smallest_class``.

    Returns
    -------
    Objects
        The values of each categorical attribute in increasing order; classes 0, 1, ...
    """
    frame = experiment.prepared
    rows = kept(frame[CLASS].to_numpy(dtype=str), experiment.parameters["smallest_class"])
    part = frame[rows]
    names = experiment.facts["numeric"]
    discrete = part.drop(columns=[*names, CLASS])
    domains = {name: in_order(discrete[name]) for name in discrete.columns}
    table = MixedTable(
        CategoricalTable.from_pandas(discrete.reset_index(drop=True), domains),
        part[names].to_numpy(dtype=np.float64),
        tuple(names),
    )
    classes = np.unique(part[CLASS].to_numpy(dtype=str), return_inverse=True)[1]
    return Objects(table, classes, np.flatnonzero(rows), len(frame))


def kept(labels: np.ndarray, smallest_class: int) -> np.ndarray:
    """Which objects are in a class of at least so many objects; bool of shape (n,)."""
    _, codes, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    return sizes[codes] >= smallest_class


def in_order(values: pd.Series) -> list[str]:
    """Different texts of a column: by their number if all are numbers, else alphabetically."""
    different = sorted(values.unique())
    try:
        return sorted(different, key=float)
    except ValueError:
        return different
