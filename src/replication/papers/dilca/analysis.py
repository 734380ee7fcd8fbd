"""DILCA beside its rivals in Figs 3 to 11, data set by data set: the cases that claims count.

A case takes the better of DILCA_M and DILCA_RR and the best of the rivals. It is looked at from
four sides: ours, where DILCA_M, ROCK and LIMBO take the setting that the paper's rule picks with
the class labels (oracle); fixed settings, which need no labels; ours on the sets of this project's
own generator, which are not the paper's and decide nothing about them; and the printed numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from replication.judge.claims import Count, Evidence, MissingEvidenceError, count
from replication.papers.dilca.records import FIXED

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


@dataclass(frozen=True)
class Duel:
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


@dataclass(frozen=True)
class Sides:
    """The same duels from four sides; see the module.

    Attributes
    ----------
    ours, fixed : list of Duel
        On the data sets that the paper did not generate.
    generated : list of Duel
        Ours on the generated ones; may be empty.
    printed : list of Duel
        On all data sets, as printed.
    """

    ours: list[Duel]
    fixed: list[Duel]
    generated: list[Duel]
    printed: list[Duel]


@dataclass(frozen=True)
class Tally:
    """In how many duels, or data sets, something holds, by side; None where there is no case."""

    ours: Count | None
    fixed: Count | None
    generated: Count | None
    printed: Count | None


def public(datasets: Iterable[str]) -> list[str]:
    """Data sets that the paper did not generate."""
    return [name for name in datasets if name not in SYNTHETIC]


def duels(
    evidence: Evidence,
    artefacts: Sequence[str],
    datasets: Collection[str] = (),
    rivals: Collection[str] = (),
) -> Sides:
    """Duels on some data sets in some tables.

    Parameters
    ----------
    evidence : Evidence
        Of DILCA.
    artefacts : sequence of str
        Keys of `TABLES`.
    datasets : collection of str
        All that the tables print if empty.
    rivals : collection of str
        All of the table if empty.

    Raises
    ------
    MissingEvidenceError
        If a table has no number of ours for a data set that the paper did not generate.
    """
    sides = Sides([], [], [], [])
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


Scores = dict[str, dict[str, float]]


def _scores(evidence: Evidence, artefact: str) -> tuple[Scores, Scores, Scores]:
    """Data set to method to score: reconciled, at the fixed settings, and as printed."""
    frame = evidence.table(artefact)
    frame = frame[frame["reproduced"].notna()]
    readings = [
        frame.loc[frame["reading"] == reading, ["dataset", "method", "reproduced"]]
        for reading in (RECONCILED, FIXED)
    ]
    cells = evidence.printed
    cells = cells[(cells["artefact"] == artefact) & (cells["value"] != "")]
    found: list[Scores] = []
    for rows in (*readings, cells[["dataset_id", "method_id", "value"]]):
        scores: Scores = {}
        for dataset, method, value in rows.itertuples(index=False):
            scores.setdefault(dataset, {})[method] = float(value)
        found.append(scores)
    ours, fixed, printed = found
    return ours, fixed, printed


def _duel(place: tuple[str, str, str], scores: Mapping[str, float], rivals: Iterable[str]) -> Duel:
    return Duel(*place, max(scores[one] for one in DILCA), max(scores[one] for one in rivals))


def tally(sides: Sides, holds: Callable[[Duel], bool]) -> Tally:
    """In how many duels something holds."""
    return _tally(sides, lambda side: [holds(duel) for duel in side])


def tally_datasets(sides: Sides, holds: Callable[[list[Duel]], bool]) -> Tally:
    """On how many data sets something holds of their duels."""
    return _tally(sides, lambda side: [holds(some) for some in by_dataset(side).values()])


def by_dataset(side: Iterable[Duel]) -> dict[str, list[Duel]]:
    """Duels of each data set."""
    found: dict[str, list[Duel]] = {}
    for duel in side:
        found.setdefault(duel.dataset, []).append(duel)
    return found


def _tally(sides: Sides, cases: Callable[[list[Duel]], list[bool]]) -> Tally:
    every = [cases(side) for side in (sides.ours, sides.fixed, sides.generated, sides.printed)]
    return Tally(*(count(some) if some else None for some in every))
