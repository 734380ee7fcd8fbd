"""DILCA beside its rivals in Figs 3 to 11, data set by data set: the cases that claims count.

A case takes the better of DILCA_M and DILCA_RR and the best of the rivals. It is looked at from
four sides: ours, where DILCA_M, ROCK and LIMBO take the setting that the paper's rule picks with
the class labels (oracle); fixed settings, which need no labels; ours on the sets of this project's
own generator, which are not the paper's and decide nothing about them; and the printed numbers.
Measured times are below: whole methods, phases, and who is faster.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from replication.judge.claims import Count, Evidence, MissingEvidenceError, count
from replication.judge.times import Seconds, faster
from replication.papers.dilca.records import FIXED

if TYPE_CHECKING:
    import pandas as pd

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
