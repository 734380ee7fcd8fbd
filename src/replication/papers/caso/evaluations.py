"""Experiments on the cost of CASO's four relative similarities: evaluations and seconds."""

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from couplings.counts import CooccurrenceCounts, cooccurrence
from couplings.measures.contexts import AhmadDey
from couplings.measures.coupled import Cado
from couplings.table import CategoricalTable
from replication.data.gaussian import gaussian_classes
from replication.papers.caso.examples import POWER, PREPARATION, RELATIONS, RELATIVE
from replication.run.cost import Work, durations
from replication.run.experiment import Experiment
from replication.steps import call

_CLASSES = 3
"""Number of classes of the synthetic tables."""
_SPREAD = 8.0
"""Range of an attribute in standard deviations of a class: classes are so narrow that many values
of two attributes never occur together, as in real tables."""


def evaluations(
    experiment: Experiment, *, sample: int, largest_power_set: int
) -> Iterator[dict[str, Any]]:
    """Count the evaluations of a conditional probability over all pairs of values of a data set.

    A comparison is a pair of values with respect to another attribute. Its evaluations follow from
    the values that occur together (Table IX). On a sample of the comparisons, the reference code of
    the library counts them as well, and the four similarities are compared as fractions.

    One record: ``objects``, ``attributes``, ``most_values``; ``comparisons``; the total of each of
    `RELATIONS`; ``disordered`` (comparisons in which the evaluations are not in the order of
    `RELATIONS`); ``counted`` and ``power_counted`` (comparisons in the sample, and with IRSP);
    ``miscounted`` (counts that differ); ``unequal`` (comparisons whose similarities differ).
    """
    table = experiment.tables(PREPARATION).tables[0]
    counts = cooccurrence(table)
    parts = []
    for j, k in itertools.permutations(range(table.n_attributes), 2):
        meets = (counts.block(j, k) > 0).astype(np.int64)
        x, y = np.triu_indices(len(meets), 1)
        both = (meets @ meets.T)[x, y]
        either = meets.sum(axis=1)[x] + meets.sum(axis=1)[y] - both
        v = meets.shape[1]
        spent = ([2 * 2**v] * len(x), 2 * v, 2 * either, 2 * both)
        place = {"attribute": j, "x": x, "y": y, "context": k}
        part = {**place, **dict(zip(RELATIONS, spent, strict=True))}
        # Python integers, because the size of a power set exceeds 64 bits
        parts.append(pd.DataFrame(part, dtype=object))
    found = pd.concat(parts, ignore_index=True)
    rng = experiment.rng("sample")
    chosen = found.loc[sorted(rng.choice(len(found), min(sample, len(found)), replace=False))]

    def asked(row: Mapping[str, Any]) -> dict[str, Any]:
        """Return value and evaluations of one comparison by the library, by relation."""
        case = [row[name] for name in ("attribute", "x", "y", "context")]
        return {
            relation: measure(counts, *case)
            for relation, measure in RELATIVE.items()
            if relation != POWER or counts.n_values[row["context"]] <= largest_power_set
        }

    answers = [(row, asked(row)) for row in chosen.to_dict("records")]
    spent = found[list(RELATIONS)]
    yield {
        "objects": table.n_objects,
        "attributes": table.n_attributes,
        "most_values": int(table.n_values.max()),
        "comparisons": len(found),
        **spent.sum().map(str),
        "disordered": sum(list(one) != sorted(one, reverse=True) for one in spent.to_numpy()),
        "counted": len(chosen),
        "power_counted": sum(POWER in one for _, one in answers),
        "miscounted": sum(
            any(told.evaluations != row[relation] for relation, told in one.items())
            for row, one in answers
        ),
        "unequal": sum(len({told.value for told in one.values()}) != 1 for _, one in answers),
    }


def growth(
    experiment: Experiment, *, pairs: int, largest_power_set: int, **synthetic: Any
) -> Iterator[dict[str, Any]]:
    """Count evaluations on synthetic tables of growing numbers of values R and of attributes n.

    Records: ``axis`` (the number that grows), ``values`` (R), ``attributes`` (n), ``relation``,
    ``steps`` (pairs of values), ``per_comparison`` (mean over sampled comparisons), ``total``
    (``steps (n - 1) per_comparison``), ``counted`` (False if the power set is too large to
    enumerate, so that its size stands in).
    """
    for axis, values, attributes, table in call(_synthetic, experiment, **synthetic):
        counts, cases = _sampled(experiment, table, axis, pairs)
        steps = attributes * values * (values - 1) // 2
        for relation, measure in RELATIVE.items():
            enumerated = relation != POWER or values <= largest_power_set
            asked = cases if enumerated else []
            numbers = [measure(counts, *case).evaluations for case in asked] or [2 * 2**values]
            mean = sum(numbers) / len(numbers)
            yield {
                **{"axis": axis, "values": values, "attributes": attributes, "relation": relation},
                **{"steps": steps, "per_comparison": mean},
                **{"total": mean * steps * (attributes - 1), "counted": enumerated},
            }


def _synthetic(
    experiment: Experiment,
    *,
    values: Sequence[int],
    attributes: Sequence[int],
    fixed_values: int,
    fixed_attributes: int,
    objects: int,
) -> Iterator[tuple[str, int, int, CategoricalTable]]:
    """Yield the axis that grows, R, n and the table, for every synthetic table."""
    sizes = [("values", size, fixed_attributes) for size in values]
    sizes += [("attributes", fixed_values, size) for size in attributes]
    for axis, v, m in sizes:
        rng = experiment.rng(axis, str(v), str(m))
        codes, _ = gaussian_classes(objects, m, v, _CLASSES, _SPREAD, rng)
        # the first rows have every value once, so that all R values occur
        codes[:v] = np.column_stack([rng.permutation(v) for _ in range(m)])
        yield axis, v, m, CategoricalTable.from_codes(codes, [v] * m)


def _sampled(
    experiment: Experiment, table: CategoricalTable, axis: str, pairs: int
) -> tuple[CooccurrenceCounts, list[tuple[int, int, int, int]]]:
    """Return the counts of a table, and random comparisons: attribute, two values, context."""
    sizes = table.n_values
    rng = experiment.rng("comparisons", axis, str(sizes.max()), str(table.n_attributes))
    cases: list[tuple[int, int, int, int]] = []
    while len(cases) < pairs:
        j, k = rng.choice(table.n_attributes, 2, replace=False).tolist()
        if sizes[j] >= 2:
            cases.append((j, *rng.choice(int(sizes[j]), 2, replace=False).tolist(), k))
    return cooccurrence(table), cases


def seconds(
    experiment: Experiment,
    *,
    pairs: int,
    largest_power_set: int,
    reuse_objects: int = 0,
    **synthetic: Any,
) -> Iterator[dict[str, Any]]:
    """Measure processor seconds on a data set or, without one, on synthetic tables.

    Timed are the four relative similarities, by reference code that enumerates as the paper words
    it, and the compiled measures ADD and CADO. On data, the value similarities of pairs of objects
    are timed as well, with and without storing them.

    Records: ``axis``, ``values`` and ``attributes`` of a synthetic table; ``what``; the times of
    `replication.run.cost`, scaled from a sample of comparisons to all those of the table;
    ``evaluations`` (number of value similarities computed, for objects only).
    """
    yield from durations(
        work, experiment, pairs, largest_power_set, reuse_objects, synthetic, once=experiment.once
    )


def work(
    experiment: Experiment, pairs: int, largest: int, reused: int, synthetic: dict[str, Any]
) -> Iterator[Work]:
    """Yield the work of `seconds`; its label ``share`` is the factor from the sample to all."""
    if experiment.dataset:
        table = experiment.tables(PREPARATION).tables[0]
        yield from _comparisons(experiment, table, "data", {}, pairs, largest)
        yield from _reuse(table, reused)
        return
    for axis, values, attributes, table in call(_synthetic, experiment, **synthetic):
        labels = {"axis": axis, "values": values, "attributes": attributes}
        yield from _comparisons(experiment, table, axis, labels, pairs, largest)


def _comparisons(
    experiment: Experiment,
    table: CategoricalTable,
    axis: str,
    labels: dict[str, Any],
    sampled: int,
    largest: int,
) -> Iterator[Work]:
    """Yield the same comparisons by each relation, and the fits of the compiled measures."""
    counts, cases = _sampled(experiment, table, axis, sampled)
    comparisons = sum(int(v) * (int(v) - 1) // 2 for v in table.n_values) * (table.n_attributes - 1)

    def compare(measure: Callable[..., object], chosen: Sequence[tuple[int, ...]]) -> None:
        for case in chosen:
            measure(counts, *case)

    # a few comparisons are enough for the power set, which takes long to enumerate
    few = cases[:3] if all(counts.n_values[case[3]] <= largest for case in cases) else []
    for relation, measure in RELATIVE.items():
        if chosen := few if relation == POWER else cases:
            named = {**labels, "what": relation, "share": comparisons / len(chosen)}
            yield Work(named, partial(compare, measure, chosen))
    for what, compiled in (("add", AhmadDey()), ("cado", Cado())):
        fit = partial(compiled.fit, counts)
        yield Work({**labels, "what": what, "share": 1}, fit, fit)


def _reuse(table: CategoricalTable, n_objects: int) -> Iterator[Work]:
    """Yield the value similarities of pairs of the first objects, with and without storing them."""
    counts, shared = cooccurrence(table), RELATIVE["intersection"]
    wanted = [
        (j, *sorted(values))
        for objects in itertools.combinations(table.codes[:n_objects].tolist(), 2)
        for j, values in enumerate(zip(*objects, strict=True))
    ]

    def compare(keep: bool) -> int:
        computed = dict.fromkeys(wanted) if keep else wanted
        for j, x, y in computed:
            for k in range(table.n_attributes):
                if k != j:
                    shared(counts, j, x, y, k)
        return len(computed)

    for what, keep in (("values kept", True), ("values computed again", False)):
        yield Work({"what": what, "share": 1, "evaluations": compare(keep)}, partial(compare, keep))
