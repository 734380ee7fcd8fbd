"""DILCA beside its rivals in Figs 3 to 11, data set by data set: the cases that claims count.

A case takes the better of DILCA_M and DILCA_RR and the best of the rivals. It is looked at from
four sides: ours, where DILCA_M, ROCK and LIMBO take the setting that the paper's rule picks with
the class labels (oracle); fixed settings, which need no labels; ours on the sets of this project's
own generator, which are not the paper's and decide nothing about them; and the printed numbers.
Below are what the claims say of printed numbers, distances and settings, and measured times.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from statistics import fmean
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

import pandas as pd

from replication.judge.cells import COMPARABLE
from replication.judge.claims import EQUAL, Count, Evidence, MissingEvidenceError, count
from replication.judge.times import Power, Seconds, faster, power
from replication.judge.verdicts import EXACT
from replication.papers.dilca.records import (
    FIXED,
    PURITY_COLUMNS,
    SCORES,
    in_file_order,
    pick_for,
    sweep,
)

if TYPE_CHECKING:
    from replication.show.job import Job

RECONCILED = "reconciled"

DILCA = ("dilca_m", "dilca_rr")
ALGORITHMS = ("delta", "rock", "limbo")
MEASURES = ("lin", "of", "goodall3")
BASELINES = ("jaccard", "pearson")
GROUPS = {
    ALGORITHMS: ("fig03", "fig04", "fig05"),
    MEASURES: ("fig06", "fig07", "fig08"),
    BASELINES: ("fig09", "fig10", "fig11"),
}
"""Rivals, and their tables of purity, NMI and ARI."""
INDICES = {"purity": "purity", "nmi": "NMI", "ari": "ARI"}
"""Indices of the tables, and their names."""
TABLES = {
    artefact: (index, rivals)
    for rivals, artefacts in GROUPS.items()
    for index, artefact in zip(INDICES, artefacts, strict=True)
}
"""Index and rivals of each table."""
SYNTHETIC = ("syn_a", "syn_b", "syn_c", "syn_d")
"""Data sets of which the generator was never published."""


class Duel(NamedTuple):
    """DILCA and its rivals on one data set, by one index.

    Attributes
    ----------
    dataset, artefact, index : str
        Where the scores stand.
    dilca, rival : float
        Score of the better DILCA variant, and of the best rival.
    """

    dataset: str
    artefact: str
    index: str
    dilca: float
    rival: float

    @property
    def lead(self) -> float:
        """What DILCA is ahead by; negative where it is behind."""
        return self.dilca - self.rival


T = TypeVar("T")


class Sides(NamedTuple, Generic[T]):
    """The same from four sides, see the module: the duels, or in how many something holds.

    Ours and those at fixed settings are on the data sets that the paper did not generate, those on
    generated ones are apart and may be none; the printed ones are on all.
    """

    ours: T
    fixed: T
    generated: T
    printed: T


def public(datasets: Iterable[str]) -> list[str]:
    """Data sets that the paper did not generate."""
    return [name for name in datasets if name not in SYNTHETIC]


def duels(
    evidence: Evidence,
    artefacts: Iterable[str],
    datasets: Collection[str] = (),
    rivals: Collection[str] = (),
) -> Sides[list[Duel]]:
    """Duels on some data sets in some tables of `TABLES`, against some rivals; on all if empty.

    Raises
    ------
    MissingEvidenceError
        If a table has no number of ours for a data set that the paper did not generate.
    """
    sides: Sides[list[Duel]] = Sides([], [], [], [])
    for artefact in artefacts:
        index, every = TABLES[artefact]
        against = tuple(rivals or every)
        ours, fixed, printed = _scores(evidence, artefact)
        for name in datasets or evidence.datasets(artefact):
            place = (name, artefact, index)
            sides.printed.append(_duel(place, printed[name], against))
            ran = ours.get(name, {})
            if not {*DILCA, *against} <= ran.keys():
                if name not in SYNTHETIC:
                    raise MissingEvidenceError(
                        f"not part of this run (effort {evidence.effort}): {artefact}, {name}"
                    )
            elif name in SYNTHETIC:
                sides.generated.append(_duel(place, ran, against))
            else:
                sides.ours.append(_duel(place, ran, against))
                sides.fixed.append(_duel(place, ran | fixed.get(name, {}), against))
    return sides


def _duel(place: tuple[str, str, str], scores: Mapping[str, float], rivals: Iterable[str]) -> Duel:
    return Duel(*place, max(scores[one] for one in DILCA), max(scores[one] for one in rivals))


def _scores(evidence: Evidence, artefact: str) -> list[dict[str, dict[str, float]]]:
    """Data set to method to score: reconciled, at the fixed settings, and as printed."""
    ours = evidence.table(artefact).dropna(subset="reproduced").set_index(["dataset", "method"])
    cells = evidence.printed
    cells = cells[(cells["artefact"] == artefact) & (cells["value"] != "")]
    parts = [ours.loc[ours["reading"] == one, "reproduced"] for one in (RECONCILED, FIXED)]
    parts.append(cells.set_index(["dataset_id", "method_id"])["value"].astype(float))
    return [
        {name: rows.droplevel(0).to_dict() for name, rows in part.groupby(level=0)}
        for part in parts
    ]


def tally(sides: Sides[list[Duel]], holds: Callable[[Duel], bool]) -> Sides[Count | None]:
    """In how many duels something holds; None where there is none."""
    return Sides(*(count(map(holds, side)) if side else None for side in sides))


def tally_datasets(sides: Iterable[Mapping[str, bool]]) -> Sides[Count | None]:
    """On how many data sets something holds; None where there is none."""
    return Sides(*(count(side.values()) if side else None for side in sides))


def by_dataset(side: Iterable[Duel]) -> dict[str, list[Duel]]:
    """Duels of each data set."""
    found: dict[str, list[Duel]] = {}
    for duel in side:
        found.setdefault(duel.dataset, []).append(duel)
    return found


def unbeaten(evidence: Evidence, side: Iterable[Duel]) -> dict[str, bool]:
    """By data set: no rival is ahead in NMI, or none in ARI; purity misleads, the paper says."""
    return {
        name: any(d.index != "purity" and not evidence.ahead(d.rival, d.dilca) for d in some)
        for name, some in by_dataset(side).items()
    }


def nearest(evidence: Evidence, side: Sequence[Duel]) -> list[Duel]:
    """Duels with the highest lead on each data set where DILCA is neither best nor tied."""
    held = unbeaten(evidence, side)
    return [
        max(some, key=lambda duel: duel.lead)
        for name, some in by_dataset(side).items()
        if not held[name]
    ]


def ahead_in_one(evidence: Evidence, side: Iterable[Duel]) -> dict[str, bool]:
    """By data set: DILCA is ahead of all rivals in at least one index."""
    return {
        name: any(
            all(evidence.ahead(duel.dilca, duel.rival) for duel in some if duel.index == index)
            for index in INDICES
        )
        for name, some in by_dataset(side).items()
    }


def highest(side: Iterable[Duel], index: str) -> float:
    """Best score of all methods by one index."""
    return max(max(duel.dilca, duel.rival) for duel in side if duel.index == index)


def corrected_p(evidence: Evidence) -> pd.Series:
    """Corrected p of the run's tests of NMI and ARI, a DILCA variant against a competitor."""
    rows = evidence.tests()
    rows = rows[~rows["score"].isin(PURITY_COLUMNS.values()) & rows["p_holm"].notna()]
    return rows[rows["method_a"].isin(DILCA) & ~rows["method_b"].isin(DILCA)]["p_holm"]


def best_or_tied(scores: Mapping[str, float], ours: Iterable[str], rivals: Iterable[str]) -> bool:
    """Whether the best score of some methods is at least that of every rival, to four digits."""
    mine, theirs = (round(max(scores[name] for name in some), 4) for some in (ours, rivals))
    return mine >= theirs


def where_best(job: Job, reading: str) -> list[str]:
    """Data sets on which a DILCA variant is best or tied in NMI or in ARI.

    Methods without a fixed setting keep their only one under the reading `FIXED`.
    """
    found = []
    for dataset in job.datasets:
        picked = {
            name: pick_for(job, dataset, method, reading if method["fixed"] else job.readings[0])
            for name, method in job.methods.items()
        }
        for column in (SCORES[index].column(job) for index in ("nmi", "ari")):
            scores = {name: one.reproduced(column).value for name, one in picked.items()}
            if dataset not in found and best_or_tied(scores, DILCA, ALGORITHMS):
                found.append(dataset)
    return found


# --- printed numbers, contexts and distances ------------------------------------------------------

DIGIT = 1.01e-4
"""One unit of the last printed digit: printed numbers are truncated in places."""


def _settled(evidence: Evidence, artefact: str) -> pd.DataFrame:
    """Cells of a table that ran, under the first reading, of what can be compared."""
    rows = evidence.table(artefact, RECONCILED)
    rows = rows[rows["verdict"].isin(COMPARABLE)]
    evidence.need(rows, "dataset", ("titanic", "balloons"))
    return rows.set_index(["dataset", "method"])


def _gives(rows: pd.DataFrame, kinds: Sequence[str]) -> pd.DataFrame:
    """Whether the numbers in some columns are the printed ones, cell by cell."""
    return rows[list(kinds)].sub(rows["printed_value"], axis=0).abs() < DIGIT


def purities_printed(evidence: Evidence) -> pd.DataFrame:
    """Which kinds of purity are printed, where NMI and ARI say that the partition is the paper's.

    Returns
    -------
    DataFrame of bool
        Columns by `PURITY_COLUMNS`, one row per cell in which eq. (5) and its transpose differ.
    """
    parts = []
    for artefacts in GROUPS.values():
        purity, nmi, ari = (_settled(evidence, artefact) for artefact in artefacts)
        same = [purity.index.isin(one.index[one["verdict"] == EXACT]) for one in (nmi, ari)]
        parts.append(purity[same[0] & same[1]])
    rows = pd.concat(parts)
    rows = rows[(rows["eq5"] - rows["inverse"]).abs() > EQUAL]
    # both DILCA columns are printed in all three groups, and count once
    return _gives(rows[~rows.index.duplicated()], [*PURITY_COLUMNS])


def roots_printed(evidence: Evidence) -> pd.Series:
    """Whether NMI by the root of the product of the entropies is printed, as bool by cell.

    Only cells that either the root or the arithmetic mean gives, not both.
    """
    rows = pd.concat([_settled(evidence, nmi) for _, nmi, _ in GROUPS.values()])
    found = _gives(rows, ["reproduced", "nmi_arithmetic"])
    root = found.loc[found["reproduced"] != found["nmi_arithmetic"], "reproduced"]
    return root[~root.index.duplicated()]


def _by_metric(rows: pd.DataFrame, column: str, metrics: Sequence[str]) -> pd.DataFrame:
    """Numbers of data sets, one column per metric."""
    wide = rows.pivot_table(index="dataset_id", columns="metric", values=column, aggfunc="first")
    return wide[list(metrics)].astype(float)


def values_per_attribute(evidence: Evidence) -> pd.Series:
    """Printed number of values over that of attributes, by data set of Fig. 2."""
    cells = evidence.printed[evidence.printed["artefact"] == "fig02"]
    wide = _by_metric(cells, "value", ["values", "features"])
    return wide["values"] / wide["features"]


def context_shares(evidence: Evidence) -> tuple[pd.Series, float, pd.Series]:
    """Mean context size over the number of other attributes, by data set of Fig. 15.

    Returns
    -------
    ours, median, printed : Series, float, Series
        Ours and their median are on the data sets that the paper did not generate.
    """
    datasets = public(evidence.datasets("fig15"))
    rows = evidence.table("fig15", RECONCILED).dropna(subset="reproduced")
    rows = evidence.need(rows, "dataset", datasets).rename(columns={"dataset": "dataset_id"})
    cells = evidence.printed[evidence.printed["artefact"] == "fig15"]
    wide = (
        _by_metric(some, column, ["mean_context_size", "orig_attributes"])
        for some, column in ((rows, "reproduced"), (cells, "value"))
    )
    ours, printed = (one["mean_context_size"] / (one["orig_attributes"] - 1) for one in wide)
    ours = ours.loc[public(ours.index)]
    return ours, ours.median(), printed


def deviations(frame: pd.DataFrame) -> pd.DataFrame:
    """How far records of ``theorems`` are from what the paper states of every table.

    Columns: ``determined`` (uncertainty from 1), ``independent`` (from 0), ``gain`` and ``vdm``
    (from their reverse), ``identical`` (the farther of ARI and NMI from 1).
    """
    ones = (frame[["ari_identical", "nmi_identical"]] - 1).abs()
    return frame.assign(
        determined=(frame["su_determined"] - 1).abs(),
        independent=frame["su_independent"].abs(),
        gain=(frame["gain"] - frame["gain_reversed"]).abs(),
        vdm=(frame["vdm"] - frame["vdm_reversed"]).abs(),
        identical=ones.max(axis=1),
    )


# --- settings -------------------------------------------------------------------------------------


def mean_ranges(rows: Iterable[Mapping[str, Any]]) -> dict[str, float]:
    """Mean range of the scores by method, of rows of the table ``sensitivity``."""
    ranges: dict[str, list[float]] = {}
    for one in rows:
        ranges.setdefault(one["method"], []).append(one["range"])
    return {method: fmean(some) for method, some in ranges.items()}


def best_sigmas(job: Job) -> dict[str, float]:
    """Sigma of the highest NMI of DILCA_M, by data set where sigma changes NMI.

    The largest of several best ones: it favours the claim.
    """
    column = SCORES["nmi"].column(job)
    swept = {name: sweep(in_file_order(job, name, "dilca_m"), column) for name in job.datasets}
    return {name: one.best[-1] for name, one in swept.items() if one.range > EQUAL}


def score_ranges(frame: pd.DataFrame, scores: Sequence[str]) -> pd.DataFrame:
    """Highest less lowest score of every data set, one column per score."""
    groups = frame.groupby("dataset")[list(scores)]
    return groups.max() - groups.min()


def rank_correlations(frame: pd.DataFrame, scores: Sequence[str]) -> pd.DataFrame:
    """Spearman's correlation of scores with sigma, by data set; 0 where a score never changes."""
    found = {
        name: rows[["sigma", *scores]].rank().corr()["sigma"]
        for name, rows in frame.groupby("dataset")
    }
    return pd.DataFrame(found).T.fillna(0.0)


# --- times: they belong to a machine --------------------------------------------------------------

METHODS = {
    "dilca_m": "DILCA_M",
    "dilca_rr": "DILCA_RR",
    "delta": "DELTA",
    "limbo": "LIMBO",
    "rock": "ROCK",
    "one_hot_ward": "one-hot Ward",
    "plain": "plain DILCA_M",
}
"""Methods in the order of the columns; the last two are peers that the paper does not have."""

LEARNT = (*DILCA, "delta")
"""Methods that learn value distances and share the phases after that."""

AXES = {
    "instances": "objects",
    "attributes": "attributes",
    "beyond": "attributes",
    "long": "objects",
}
"""Parts of the experiment, and the size that varies in each."""

PHASES = {
    "values.dilca_m": "value distances, DILCA_M",
    "values.dilca_rr": "value distances, DILCA_RR",
    "values.delta": "value distances, DELTA",
    "objects": "object distance matrix",
    "dendrogram": "Ward dendrogram",
}
"""The five curves of Fig. 16. Value distances include the counts."""


def totals(records: pd.DataFrame, axis: str) -> dict[int, dict[str, Seconds]]:
    """Times of whole methods by size.

    Parameters
    ----------
    records : DataFrame
        Of the experiment ``scalability``.
    axis : str
        Key of `AXES`.

    Returns
    -------
    dict of int to dict of str to Seconds
        Size to method to time. For `LEARNT` the sum of the phases counts, values, objects and
        dendrogram, as far as the axis has them.
    """
    table: dict[int, dict[str, Seconds]] = {}
    for size, times in _by_size(records, axis).items():
        shared = [one for (method, _), one in times.items() if method == "all"]
        table[size] = {
            method: sum(shared, one) if method in LEARNT else one
            for (method, _), one in times.items()
            if method != "all"
        }
    return table


def learning_times(records: pd.DataFrame, axis: str) -> dict[int, dict[str, Seconds]]:
    """Times by size of what tells the methods of `LEARNT` apart: value distances from the counts.

    Parameters are those of `totals`.
    """
    return {
        size: {method: times[method, "values"] for method in LEARNT}
        for size, times in _by_size(records, axis).items()
    }


def phase_times(records: pd.DataFrame, axis: str) -> dict[int, dict[str, Seconds]]:
    """Times of the phases by size, keyed as in `PHASES`; parameters are those of `totals`."""
    table = {}
    for size, times in _by_size(records, axis).items():
        counts = times["all", "counts"]
        table[size] = {f"values.{name}": counts + times[name, "values"] for name in LEARNT}
        table[size] |= {phase: one for (of, phase), one in times.items() if of == "all"}
        del table[size]["counts"]
    return table


def _by_size(records: pd.DataFrame, axis: str) -> dict[int, dict[tuple[str, str], Seconds]]:
    """Times of an axis by size, method and phase."""
    table: dict[int, dict[tuple[str, str], Seconds]] = {}
    for row in records[records["axis"] == axis].to_dict("records"):
        times = table.setdefault(int(row[AXES[axis]]), {})
        times[row["method"], row["phase"]] = Seconds.of(row)
    return table


def compared(
    records: pd.DataFrame, rival: str, axes: Sequence[str] = ("instances", "attributes")
) -> list[bool | None]:
    """Whether each variant of DILCA is faster than a rival, at every size of some axes.

    DELTA shares counts, object distances and dendrogram with DILCA; what differs is compared.
    """
    table = learning_times if rival in LEARNT else totals
    return [
        faster(times[variant], times[rival])
        for axis in axes
        for times in table(records, axis).values()
        if rival in times
        for variant in DILCA
    ]


def ratios(tables: Iterable[Mapping[str, Seconds]], one: str, others: Sequence[str]) -> list[float]:
    """Seconds of a method over those of others, table by table."""
    return [times[one].least / times[other].least for times in tables for other in others]


def learning_share(times: Mapping[str, Seconds]) -> float:
    """Share of DILCA_M's learning in its total time, of phases as in `phase_times`."""
    parts = [times[phase].least for phase in ("values.dilca_m", "objects", "dendrogram")]
    return parts[0] / sum(parts)


def growth(table: Mapping[int, Mapping[str, Seconds]]) -> dict[str, Power]:
    """Growth exponents of the methods or phases that were timed at several sizes."""
    by_name: dict[str, dict[int, Seconds]] = {}
    for size, times in table.items():
        for name, one in times.items():
            by_name.setdefault(name, {})[size] = one
    return {name: power(by_size) for name, by_size in by_name.items() if len(by_size) > 1}


def operations(records: pd.DataFrame, method: str, axis: str) -> Power:
    """Growth exponent of the counted operations of a method along an axis."""
    rows = records[(records["method"] == method) & (records["axis"] == axis)]
    totals = (rows["scan"] + rows["learning"]).groupby(rows[AXES[axis]]).sum()
    return power({size: Seconds(total, total, 0.0) for size, total in totals.items()})


def peak_memory(records: pd.DataFrame, axis: str) -> dict[int, float]:
    """Highest MiB of any phase by size; parameters are those of `totals`."""
    rows = records[records["axis"] == axis]
    return rows.groupby(AXES[axis])["peak_mib"].max().to_dict()
