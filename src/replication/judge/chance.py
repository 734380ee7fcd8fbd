"""How often a verdict would come about by chance: our number of one method, the print of another.

If our numbers of another method agree with a printed column as often as those of its own method,
the agreement says nothing about the method. Methods resemble each other on a data set, so the
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
    """Verdicts of the numbers of each artefact, beside those of mismatched pairs.

    Parameters
    ----------
    rows : DataFrame
        Rows of the ledger under one reading.

    Returns
    -------
    DataFrame
        By `COLUMNS`, one row per artefact for `ALL` and one per method. ``pairs`` counts pairs of
        a printed number of the method and a number of ours of another method, for the same data
        set and metric; pairs that are equal in print or in ours are left out. The rates are shares
        of pairs, ``…_by_chance`` the rate times the numbers compared: how many would agree if ours
        were of another method. Artefacts without such a pair have no row.
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
    targets = [printed_number(text) for text in pairs["printed"]]
    ours = pairs["reproduced_other"]
    exact = [equals_printed(t, value) for t, value in zip(targets, ours, strict=True)]
    place = np.array([float(target.value) for target in targets])
    inside = place >= pairs["noise_min_other"], place <= pairs["noise_max_other"]
    mismatched = pairs.assign(
        verdict=np.select([np.array(exact, dtype=bool), inside[0] & inside[1]], COMPARABLE[:2], "")
    )
    parts = [
        _rates(found.assign(method=ALL), mismatched.assign(method=ALL)),
        _rates(found, mismatched),
    ]
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
