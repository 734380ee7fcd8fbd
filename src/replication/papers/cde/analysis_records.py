""""""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from replication.errors import UserError
from replication.judge.cells import not_run, tally
from replication.judge.published import numbers
from replication.judge.times import HOW, HOW_MEMORY
from replication.judge.verdicts import (
    DIFFERS,
    EXACT,
    MARKS,
    NOT_COMPARABLE,
    NOT_RUN,
    WITHIN_NOISE,
    Reproduced,
)
from replication.papers.cde import reasons
from replication.papers.cde.analysis import (
    STABLE,
    decreasing_from,
    empty_shares,
    slowdowns,
    stable_from,
)
from replication.papers.cde.derived import DERIVED, TABLES, Derived
from replication.papers.cde.runs import (
    Columns,
    Runs,
    average,
    collect,
    complete,
    gain,
    paired_p,
    table_of_runs,
    wins,
)
from replication.papers.cde.tables_common import (
    MARK_LEGEND,
    PRINT,
    counted,
    facts,
    sources_of_chance,
    why,
    why_absent,
)
from replication.show.job import Job
from replication.show.sheet import Column, Sheet, number

if TYPE_CHECKING:
    import pandas as pd

    from replication.papers.cde.runs import Statistic


def empty_shares(records: pd.DataFrame) -> dict[tuple[str, str], float]:
    """Share of embeddings without a dimension, by data set and measure."""
    if records.empty:
        return {}
    done = records[records["status"] == "ok"]
    shares = (done["dimension"] == 0).groupby([done["dataset"], done["measure"]]).mean()
    return {(str(dataset), str(name)): float(x) for (dataset, name), x in shares.items()}


# --- numbers in the text ------------------------------------------------------------------------

STABLE = 0.05
"""A dimension is stable from where it stays within this share of its value at the largest alpha."""


def stable_from(records: pd.DataFrame) -> float:
    """Smallest alpha from which on the number of value clusters is stable, see `STABLE`."""
    means = records.groupby("alpha")["clusters"].mean().sort_index()
    limit = STABLE * means.iloc[-1]
    unstable = means.index[(means - means.iloc[-1]).abs() > limit]
    later = means.index[means.index > unstable.max()] if len(unstable) else means.index
    return float(later[0])


def decreasing_from(records: pd.DataFrame) -> float:
    """Smallest beta at which the mean dimension is lower than at the smallest beta.

    Raises
    ------
    UserError
        If there is none.
    """
    means = records.groupby("beta")["dimension"].mean().sort_index()
    lower = means.index[means < means.iloc[0]]
    if not len(lower):
        raise UserError(
            "config/papers/cde.yaml: experiments.beta.parameters.beta: the dimension is the same "
            "for every beta; add larger ones"
        )
    return float(lower[0])


def slowdowns(records: pd.DataFrame) -> list[float]:
    """Decimal logarithm, per data set, of the time of CDE over the mean of other embeddings."""
    if records.empty:
        return []
    done = records[(records["status"] == "ok") & (records["kind"] == "embedding")]
    found = []
    for _, group in done.groupby("dataset", sort=False):
        seconds = group.set_index("method")["seconds"]
        found.append(math.log10(seconds["cde"] / seconds.drop("cde").mean()))
    return found
