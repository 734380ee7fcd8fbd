"""CASO, section VIII-C: clusters of authors and of venues in a table of papers.

The 720 papers of the original were never published. Two tables take their place: papers drawn from
dblp, and papers of planted communities. Both have the attributes of the original: first author,
second author (the first one again if there is no other), venue and year; the class is the field.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from typing import Any

import numpy as np
import pandas as pd

from couplings.cluster.climbo import assign_coupled, coupled_agglomeration, value_items
from couplings.cluster.limbo import agglomerative_information_bottleneck, assign
from couplings.cluster.stirr import stirr
from couplings.counts import CooccurrenceCounts, cooccurrence
from couplings.table import CategoricalTable
from replication.errors import UserError
from replication.run.experiment import Experiment
from replication.run.runner import Clusterings, Objects
from replication.run.scores import MATCHED
from replication.steps import called

FIELDS = ("database", "theory")
ATTRIBUTES = ("first_author", "second_author", "venue", "year")
CLUSTERED = ("first_author", "venue")
METHODS = {
    "stirr": "STIRR",
    "limbo": "LIMBO",
    "climbo": "CLIMBO (as printed)",
    "climbo_mass": "CLIMBO (mass)",
    "climbo_mass_full": "CLIMBO (mass and CADO)",
}
"""Methods in the order of the tables; CLIMBO is the text taken literally and two repairs."""

_DISTANCES = {"climbo": "literal", "climbo_mass": "mass", "climbo_mass_full": "mass-full"}
MERGED, ASSIGNED = "merged", "assigned"
"""Clusters as they were merged, and after every value joined the nearest of them."""

PARTITIONS = tuple(
    (attribute, method, stage)
    for attribute in CLUSTERED
    for method in METHODS
    for stage in ((MERGED,) if method == "stirr" else (MERGED, ASSIGNED))
)
"""Attribute, method and stage of the clusterings of one table, as `value_labels` makes them."""
SCORES = (*MATCHED, "accuracy")

NO_SECOND = "(none)"
_SUFFIXES = frozenset({"Jr", "Sr", "II", "III", "IV"})


def value_clusters(
    experiment: Experiment,
    *,
    configurations: int,
    iterations: int,
    naming_draws: int = 0,
    **drawn: Any,
) -> Iterator[dict[str, Any]]:
    """Clusters of the first authors and of the venues: all runs on one table, one on each other.

    The runs differ in the start of STIRR and in the order of the values, which decides ties in
    the other methods. STIRR has `configurations` and `iterations`. For papers of dblp
    `naming_draws` is the number of draws for which authors are also told apart by their full
    names, and sole authors also left without a second author. The other parameters draw a table:
    of dblp see `fitting_records`, of planted papers `planted_papers`.

    Records: ``attribute``, ``method``, ``setting``, ``stage``, ``draw`` (of the table), ``run``,
    ``names``, ``sole``, ``papers``, ``papers_database``, ``values`` and ``smaller`` (sizes of all
    and of the smaller cluster), and `SCORES`.
    """
    draw, every = _draws(experiment, drawn), range(experiment.trials)
    wanted = [(0, run, "last", "repeated") for run in every]
    wanted += [(number, 0, "last", "repeated") for number in every[1:]]
    for names, sole in (("full", "repeated"), ("last", "none"), ("full", "none")):
        wanted += [(number, 0, names, sole) for number in every[:naming_draws]]
    for number, run, names, sole in wanted:
        papers = draw(number, names=names, sole=sole)
        table = f"names={names} sole={sole} draw={number}"
        labelled = _labelled(experiment, papers, (configurations, iterations), table, number, run)
        for (attribute, method, stage), made in labelled.items():
            (scores,) = made.scores(SCORES)
            yield {
                "attribute": attribute,
                "method": method,
                "setting": f"M = {configurations}, N = {iterations}"
                if method == "stirr"
                else "phi = 0",
                "stage": stage,
                "draw": number,
                "run": run,
                "names": names,
                "sole": sole,
                "papers": len(papers),
                "papers_database": int((papers["field"] == FIELDS[0]).sum()),
                **made.facts,
                **scores,
            }


def venue_map(
    experiment: Experiment, *, configurations: int, iterations: int, **drawn: Any
) -> Iterator[dict[str, Any]]:
    """Every paper of one table, with the cluster of its venue by every method.

    Records: ``position`` (of the paper, 1 to n, database first), ``field``, ``venue``, and one
    column per method of `METHODS` with the cluster, 0 or 1.
    """
    papers = _draws(experiment, drawn)(0)
    made = _labelled(experiment, papers, (configurations, iterations), "draw=0", 0, 0)
    for i, (field, venue) in enumerate(zip(papers["field"], papers["venue"], strict=True)):
        clusters = {m: int(made["venue", m, MERGED].labels[0, i]) for m in METHODS}
        yield {"position": i + 1, "field": field, "venue": venue, **clusters}


def _draws(experiment: Experiment, parameters: Mapping[str, Any]) -> Callable[..., pd.DataFrame]:
    """Draw of a table by its number: of dblp where there is a data set, else of planted papers."""

    def rng(number: int) -> np.random.Generator:
        return experiment.rng("papers", trial=number)

    if not experiment.dataset:
        return lambda number, **_: called(planted_papers, rng(number), **parameters)
    rules = dict(parameters)
    papers = rules.pop("papers")
    records = called(fitting_records, experiment.prepared, **rules)
    return lambda number, **known: dblp_papers(records, rng(number), papers, **known)


def _labelled(
    experiment: Experiment,
    papers: pd.DataFrame,
    stirred: tuple[int, int],
    table: str,
    draw: int,
    run: int,
) -> dict[tuple[str, str, str], Clusterings]:
    """Papers by the clusters of their values, as `value_labels` finds them.

    Facts of each are the number of ``values`` and that of the ``smaller`` cluster.
    """
    coded, counts = counted_papers(papers, experiment.rng("order", str(draw), trial=run))
    start = experiment.seed("stirr", str(draw), trial=run)
    objects = Objects(coded, np.unique(papers["field"], return_inverse=True)[1])
    found = cache(lambda: value_labels(counts, stirred, start))

    def make(attribute: str, method: str, stage: str) -> Clusterings:
        values = found()[attribute, method, stage]
        ones = int(values.sum())
        facts = {"values": len(values), "smaller": min(ones, len(values) - ones)}
        of_papers = values[coded.codes[:, ATTRIBUTES.index(attribute)]]
        return Clusterings(objects, of_papers[np.newaxis], facts)

    return {
        (attribute, method, stage): experiment.runner.clusterings(
            objects,
            partial(make, attribute, method, stage),
            algorithm=method,
            setting=f"{table} attribute={attribute} stage={stage}",
            order=run,
        )
        for attribute, method, stage in PARTITIONS
    }


def counted_papers(
    papers: pd.DataFrame, rng: np.random.Generator
) -> tuple[Any, CooccurrenceCounts]:
    """Table and counts of papers, the values of each attribute in random order."""
    domains = {
        name: [str(value) for value in rng.permutation(sorted(papers[name].unique()))]
        for name in ATTRIBUTES
    }
    table = CategoricalTable.from_pandas(papers[list(ATTRIBUTES)], domains)
    return table, cooccurrence(table)


def value_labels(
    counts: CooccurrenceCounts, stirred: tuple[int, int], start: int
) -> dict[tuple[str, str, str], np.ndarray]:
    """Labels 0 and 1 of the values by attribute, method and stage, from counts of `ATTRIBUTES`.

    `stirred` are configurations and iterations of STIRR, `start` is its seed. STIRR, which splits
    the values by the sign of its second configuration, has one stage, `MERGED`.
    """
    weights = stirr(counts, *stirred, start)
    found = {}
    for attribute in CLUSTERED:
        j = ATTRIBUTES.index(attribute)
        own = weights[counts.offsets[j] : counts.offsets[j + 1], 1]
        found[attribute, "stirr", MERGED] = (own < 0).astype("int64")
        items = value_items(counts, j)
        labels, _ = agglomerative_information_bottleneck(items, 2)
        found[attribute, "limbo", MERGED] = labels
        found[attribute, "limbo", ASSIGNED] = assign(items, items.pooled(labels))
        for method, distance in _DISTANCES.items():
            labels, _ = coupled_agglomeration(items, 2, counts.n_attributes - 1, distance)
            found[attribute, method, MERGED] = labels
            nearest = assign_coupled(items, items.pooled(labels), distance)
            found[attribute, method, ASSIGNED] = nearest
    return found


def fitting_records(
    records: pd.DataFrame,
    *,
    until: int,
    without_venues: Sequence[str],
    without_titles: Sequence[str],
) -> pd.DataFrame:
    """Records of dblp (``venue``, ``year``, ``title`` and more) that may be drawn.

    Not after `until`, without some venues, and without titles that have words which tell notes of
    editors and the like; case does not matter.
    """
    notes = "|".join(without_titles)
    return records[
        (records["year"].astype(int) <= until)
        & ~records["venue"].isin(without_venues)
        & ~records["title"].str.contains(rf"\b(?:{notes})", case=False, regex=True)
    ]


def dblp_papers(
    records: pd.DataFrame,
    rng: np.random.Generator,
    papers: Mapping[str, int],
    names: str = "last",
    sole: str = "repeated",
) -> pd.DataFrame:
    """Draw papers of both fields from records of dblp: `ATTRIBUTES` and ``field``.

    Database comes first, and in each field the order of the records, which have the field under
    ``class_label``. Authors are known by their `names`, the last as in the paper or the full ones;
    a sole author is the second one too, as in the paper, or there is none. A UserError says that a
    field has fewer records than `papers` wants.
    """
    parts = []
    for field in FIELDS:
        own = records[records["class_label"] == field]
        if len(own) < papers[field]:
            raise UserError(
                f"{papers[field]} papers of the field {field!r} are wanted, and there are "
                f"{len(own)}; change `papers` or what is left out in config/papers/caso.yaml"
            )
        parts.append(own.iloc[sorted(rng.choice(len(own), papers[field], replace=False))])
    drawn = pd.concat(parts, ignore_index=True)
    authors = ["first_author", "second_author"]
    alone = drawn["first_author"] == drawn["second_author"]
    if names == "last":
        drawn[authors] = drawn[authors].map(last_name)
    if sole == "none":
        drawn.loc[alone, "second_author"] = NO_SECOND
    return drawn.rename(columns={"class_label": "field"})[[*ATTRIBUTES, "field"]]


def last_name(name: str) -> str:
    """Last word of a name, without the numbers of dblp and generational suffixes.

    Examples
    --------
    >>> last_name("Douglas Stott Parker Jr.")
    'Parker'
    >>> last_name("Wei Wang 0010")
    'Wang'
    """
    words = name.split()
    kept = [w for w in words if not w.isdigit() and w.rstrip(".") not in _SUFFIXES]
    return (kept or words)[-1]


def planted_papers(
    rng: np.random.Generator,
    *,
    papers: Mapping[str, int],
    venues: Mapping[str, int],
    authors: Mapping[str, int],
    cells: int,
    shared_venues: int,
    in_shared_venues: float,
    across: float,
    sole: float,
    zipf: float,
    years: Sequence[int],
) -> pd.DataFrame:
    """Papers of two fields, each with cells of authors who write together, and venues of its own.

    A paper belongs to a cell of its field. Its first author is one of the cell, its second author
    the first one again, another one of the cell, or seldom one of a cell of the other field. Its
    venue is one of its field, one that both fields share, or seldom one of the other field. Some
    authors and venues occur more often than others, by Zipf's law; the year means nothing.

    By field are given `papers`, `venues` and `authors` (of a cell); for both `cells` (of a field),
    `shared_venues`, `in_shared_venues`, `across` and `sole` (shares of the papers), `zipf`
    (exponent) and `years` (first and last). The result has `ATTRIBUTES` and ``field``; database
    comes first.
    """

    def ranked(size: int) -> int:
        weights = [(rank + 1.0) ** -zipf for rank in range(size)]
        total = sum(weights)
        return int(rng.choice(size, p=[weight / total for weight in weights]))

    def author(field: str, cell: int) -> str:
        return f"{field} {cell:02d} {ranked(authors[field]):02d}"

    def place(field: str, other: str) -> str:
        kind = rng.random() - in_shared_venues
        if kind < 0:
            return f"both {ranked(shared_venues):02d}"
        own = other if kind < across else field
        return f"{own} {ranked(venues[own]):02d}"

    def paper(field: str, other: str) -> tuple[str, ...]:
        cell = int(rng.integers(cells))
        second = first = author(field, cell)
        if rng.random() >= sole:
            if rng.random() < across:
                second = author(other, int(rng.integers(cells)))
            while second == first:
                second = author(field, cell)
        where, (low, high) = place(field, other), years
        return first, second, where, str(int(rng.integers(low, high + 1))), field

    rows = [
        paper(field, other) for field, other in (FIELDS, FIELDS[::-1]) for _ in range(papers[field])
    ]
    return pd.DataFrame(rows, columns=[*ATTRIBUTES, "field"])
