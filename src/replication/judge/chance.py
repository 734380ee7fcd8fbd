"""Measure agreement by chance: our number of one method against a printed one of another.

If our numbers of another method agree with a printed column as often as those of its own method,
the agreement shows nothing about the method. Methods resemble each other on a data set, so the
share of agreements among such mismatched pairs is an upper bound of chance.
"""

import numpy as np
import pandas as pd

from replication.judge.cells import COMPARABLE
from replication.judge.verdicts import EXACT, WITHIN_NOISE, equals_printed, printed_number

COLUMNS = (
    *("paper", "artefact", "method", "compared", "pairs"),
    *("exact", "exact_rate", "exact_by_chance"),
    *("within_noise", "within_noise_rate", "within_noise_by_chance"),
)
ALL = "all methods"
_PLACE = ["paper", "artefact", "dataset", "metric"]


def base_rates(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the verdicts of each artefact, compared with those of mismatched pairs.

    `rows` are those of the ledger under one reading. The result has `COLUMNS`; a row per artefact
    for `ALL` and a row per method. ``pairs`` counts pairs of a printed number of the method and our
    number of another method, for the same data set and metric; pairs whose printed or reproduced
    numbers are equal are left out. The rates are shares of pairs. ``…_by_chance`` is the rate times
    the numbers compared: the number that would agree if ours were of another method. Artefacts
    without such a pair have no row.
    """
    found = rows[rows["verdict"].isin(COMPARABLE)].copy()
    names = ["reproduced", "noise_min", "noise_max"]
    found[names] = found[names].apply(pd.to_numeric)
    pairs = found.merge(found, on=_PLACE, suffixes=("", "_other"))
    pairs = pairs[
        (pairs["method"] != pairs["method_other"])
        & (pairs["printed"] != pairs["printed_other"])
        & (pairs["reproduced"] != pairs["reproduced_other"])
    ]
    if pairs.empty:
        return pd.DataFrame(columns=list(COLUMNS))
    targets = pairs["printed"].map(printed_number)
    exact = [*map(equals_printed, targets, pairs["reproduced_other"])]
    place = targets.map(lambda target: float(target.value))
    inside = place.between(pairs["noise_min_other"], pairs["noise_max_other"])
    sides = found, pairs.assign(verdict=np.select([np.array(exact), inside], COMPARABLE[:2], ""))
    parts = [_rates(*(side.assign(method=ALL) for side in sides)), _rates(*sides)]
    return pd.concat(parts).sort_values(["paper", "artefact"], kind="stable")


def _rates(own: pd.DataFrame, mismatched: pd.DataFrame) -> pd.DataFrame:
    """Counts and rates by artefact and method."""
    by = ["paper", "artefact", "method"]
    counts = own.groupby(by, sort=False)["verdict"]
    others = mismatched.groupby(by, sort=False)["verdict"]
    table = pd.DataFrame({"compared": counts.size(), "pairs": others.size()}).dropna()
    for name in (EXACT, WITHIN_NOISE):
        column = name.replace(" ", "_")
        table[column] = counts.agg(lambda one, name=name: (one == name).sum())
        table[f"{column}_rate"] = others.agg(lambda one, name=name: (one == name).mean())
        table[f"{column}_by_chance"] = table[f"{column}_rate"] * table["compared"]
    return table.astype({"pairs": int}).reset_index()[list(COLUMNS)]
