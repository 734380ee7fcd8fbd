"""Clusterings of authors and venues in tables of papers: section VIII-C of CASO.

The 720 papers of the original were never published. Two kinds of tables replace them: papers drawn
from dblp, and papers of planted communities. Both have the attributes of the original: first
author, second author (the first author again if there is no other), venue and year. The class is
the field.
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
from replication.files import CLASS
from replication.run.experiment import Experiment
from replication.run.runner import Clusterings, Objects
from replication.run.scores import MATCHED
from replication.steps import call

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
"""Methods in the order of the tables: CLIMBO as its text says, and with two repairs of ours."""

_DISTANCES = {"climbo": "literal", "climbo_mass": "mass", "climbo_mass_full": "mass-full"}
MERGED, ASSIGNED = "merged", "assigned"
"""Stages: clusters after merging, and after every value has joined its nearest cluster."""

PARTITIONS = tuple(
    (attribute, method, stage)
    for attribute in CLUSTERED
    for method in METHODS
    for stage in ((MERGED,) if method == "stirr" else (MERGED, ASSIGNED))
)
"""Attribute, method and stage of the clusterings of one table, see `value_labels`."""
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
    """Cluster first authors and venues: all runs on the first table, one run on each other table.

    Runs differ in the start of STIRR and in the order of the values, which breaks ties in the other
    methods.

    STIRR has `configurations` and `iterations`. On `naming_draws` tables of dblp, authors also have
    full names, and sole authors no second author. `drawn` are the parameters of `planted_papers`;
    of dblp those of `fitting_records`, and ``papers``.

    Records: ``attribute``, ``method``, ``setting``, ``stage``, ``draw`` (number of the table),
    ``run``, ``names``, ``sole``, ``papers``, ``papers_database``, ``values`` and ``smaller``
    (number of values, and of those in the smaller cluster), and `SCORES`.
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
            setting = f"M = {configurations}, N = {iterations}" if method == "stirr" else "phi = 0"
            yield {
                **{"attribute": attribute, "method": method, "setting": setting, "stage": stage},
                **{"draw": number, "run": run, "names": names, "sole": sole, "papers": len(papers)},
                "papers_database": int((papers["field"] == FIELDS[0]).sum()),
                **made.facts,
                **scores,
            }


def venue_map(
    experiment: Experiment, *, configurations: int, iterations: int, **drawn: Any
) -> Iterator[dict[str, Any]]:
    """List the papers of one table with the cluster of their venue by every method.

    Parameters are those of `value_clusters`.

    Records, one per paper: ``position`` (1 to n, database papers first), ``field``, ``venue``, and
    the cluster (0 or 1) by each of `METHODS`.
    """
    papers = _draws(experiment, drawn)(0)
    made = _labelled(experiment, papers, (configurations, iterations), "draw=0", 0, 0)
    for i, (field, venue) in enumerate(zip(papers["field"], papers["venue"], strict=True)):
        clusters = {m: int(made["venue", m, MERGED].labels[0, i]) for m in METHODS}
        yield {"position": i + 1, "field": field, "venue": venue, **clusters}


def _draws(experiment: Experiment, parameters: Mapping[str, Any]) -> Callable[..., pd.DataFrame]:
    """Return a function that draws a table by number: of dblp, or planted without a data set."""

    def rng(number: int) -> np.random.Generator:
        return experiment.rng("papers", trial=number)

    if not experiment.dataset:
        return lambda number, **_: call(planted_papers, rng(number), **parameters)
    rules = dict(parameters)
    papers = rules.pop("papers")
    records = call(fitting_records, experiment.prepared, **rules)
    return lambda number, **known: dblp_papers(records, rng(number), papers, **known)


def _labelled(
    experiment: Experiment,
    papers: pd.DataFrame,
    stirred: tuple[int, int],
    table: str,
    draw: int,
    run: int,
) -> dict[tuple[str, str, str], Clusterings]:
    """Cluster papers as their author or venue; facts: ``values``, and those in ``smaller``."""
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
    """Return table and counts of papers, with the values of each attribute in random order."""
    domains = {
        name: [str(value) for value in rng.permutation(sorted(papers[name].unique()))]
        for name in ATTRIBUTES
    }
    table = CategoricalTable.from_pandas(papers[list(ATTRIBUTES)], domains)
    return table, cooccurrence(table)


def value_labels(
    counts: CooccurrenceCounts, stirred: tuple[int, int], start: int
) -> dict[tuple[str, str, str], np.ndarray]:
    """Return the labels 0 and 1 of all values, by attribute, method and stage.

    `counts` are those of `ATTRIBUTES`. `stirred` are configurations and iterations of STIRR,
    `start` is its seed. STIRR splits the values by the sign of its second configuration; its only
    stage is `MERGED`.
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
    """Select the records of dblp (``venue``, ``year``, ``title`` and more) that may be drawn.

    Left out are later years than `until`, some venues, and titles with one of the words
    `without_titles` in any case, such as notes of editors.
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
    """Draw papers of both fields from records of dblp, without replacement.

    `records` have `ATTRIBUTES`, and the field as `CLASS`; the result has `ATTRIBUTES` and
    ``field``, database first and in the order of the records. `papers` gives the number by field.
    Authors have ``last`` names, as in the paper, or ``full`` ones. The second author of a sole
    author is ``repeated`` as in the paper, or ``none``.

    Raises `UserError` if a field has fewer records than `papers` asks for.
    """
    parts = []
    for field in FIELDS:
        own = records[records[CLASS] == field]
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
    return drawn.rename(columns={CLASS: "field"})[[*ATTRIBUTES, "field"]]


def last_name(name: str) -> str:
    """Return the last word of a name, without numbers of dblp and suffixes such as Jr.

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
    """Draw papers of two fields whose authors form planted communities, called cells.

    The first author of a paper belongs to a cell of its field. The second author is the first one
    again, another author of the cell or, rarely, an author of the other field. The venue belongs to
    the field, to both fields or, rarely, to the other field. Authors and venues occur with
    frequencies by Zipf's law. The year is independent of all else.

    By field are given the numbers of `papers`, `venues` and `authors` (of a cell). `cells` is the
    number in a field, `shared_venues` that of both fields. Shares of the papers are
    `in_shared_venues`, `across` (with a venue, or a second author, of the other field) and `sole`.
    `zipf` is the exponent of the frequencies, `years` the first and last year. The result has
    `ATTRIBUTES` and ``field``, database first.
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
