"""Compute the worked example of coupledMC: Tables 1 to 4 and the distances of the text."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations
from typing import Any

import numpy as np

from couplings.counts import cooccurrence, symmetric_uncertainty
from couplings.measures.coupled_mixed import CoupledMixed, partially_coupled_distances
from couplings.mixed import MixedSpace, MixedTable, scaled
from couplings.table import CategoricalTable
from replication.run.experiment import Experiment

SCALES = ("minmax", "z", "raw")
"""Scales of the columns of Table 4 for the distances of the text, which names none."""

KEY = ("quantity", "reading", "scale", "row", "column")
"""Names of the parts of a `Key`, which identifies a number of the example; some may be empty."""
Key = tuple[str, str, str, str, str]


def worked_example(
    experiment: Experiment, *, measures: Mapping[str, str], draws: int, rounding: float
) -> Iterator[dict[str, Any]]:
    """Compute every number of Tables 1 to 4 and of the text about them.

    Table 1 prints rounded numbers. Each result has a range over `draws` tables that round to the
    printed one: their numbers differ from it by at most `rounding`.

    Records: ``quantity`` (a table, or a measured quantity), ``reading``, ``scale``, ``row``,
    ``column``, ``value``, ``low``, ``high``.
    """
    objects = experiment.objects("example")
    table, classes = objects.table, objects.classes
    names = [f"u{i + 1}" for i in range(table.n_objects)]
    found = results(experiment, measures, table, names)
    lowest, highest = dict(found), dict(found)
    for draw in range(draws):
        noise = experiment.rng("rounding", trial=draw).uniform(
            -rounding, rounding, table.numeric.shape
        )
        nearby = MixedTable(table.categorical, table.numeric + noise, table.names)
        for key, value in results(experiment, measures, nearby, names, found).items():
            lowest[key] = min(lowest[key], value)
            highest[key] = max(highest[key], value)
    inputs = _matrix("table01", "", names, list(table.names), table.numeric)
    inputs |= _pairs("same_class", "", "", names, np.equal.outer(classes, classes).astype(float))
    inputs |= _matrix("uncertainty", "", ["SU"], *_uncertainties())
    for key, value in (inputs | found).items():
        place = dict(zip(KEY, key, strict=True))
        ends = {"low": lowest.get(key, value), "high": highest.get(key, value)}
        yield {**place, "value": value, **ends}


def results(
    experiment: Experiment,
    measures: Mapping[str, str],
    table: MixedTable,
    names: list[str],
    like: dict[Key, float] | None = None,
) -> dict[Key, float]:
    """Return all results for a table, under the measure of each reading.

    `names` are the names of the objects. The signs of components are arbitrary; they are turned to
    those of the earlier results `like`, if given.
    """
    found = _pairs("wmm", "", "", names, MixedSpace.weighted(table).pairwise(table))
    found |= _pairs("pcd", "", "", names, partially_coupled_distances(table))
    values = [value for domain in table.categorical.categories for value in domain]
    targets, sources = list(table.categorical.attributes), list(table.attributes)
    for reading, measure in measures.items():
        coupled: CoupledMixed = experiment.measure(
            measure, max_power=2, base="raw", components="all"
        ).fit(table)
        powers = [f"{column}^{p + 1}" for column in [*values, *table.names] for p in range(2)]
        scores = coupled.fshat_ @ coupled.components_.T
        components = [f"a{c + 1}" for c in range(scores.shape[1])]
        if like is not None:
            old = [
                [like.get(("table04", reading, "", row, column), 0.0) for column in components]
                for row in names
            ]
            scores *= np.where((scores * np.array(old)).sum(axis=0) < 0, -1.0, 1.0)
        shape = np.array([[coupled.fshat_.shape[1], scores.shape[1]]])
        for quantity, rows, columns, matrix in (
            ("table02", names, values, coupled.fsd_),
            ("table03", names, powers, coupled.fshat_),
            ("table04", names, components, scores),
            ("weight", targets, sources, coupled.weights_),
            ("context", targets, sources, coupled.context_),
            ("variance", ["share"], components, coupled.explained_variance_ratio_[np.newaxis]),
            ("shape", ["number"], ["n_columns", "n_components"], shape),
        ):
            found |= _matrix(quantity, reading, rows, columns, matrix)
        for scale in SCALES:
            placed = scaled(scores, scale)
            distances = np.sqrt(((placed[:, np.newaxis] - placed) ** 2).sum(axis=2))
            found |= _pairs("rfs_distance", reading, scale, names, distances)
    return found


def _matrix(
    quantity: str, reading: str, rows: Sequence[str], columns: Sequence[str], values: np.ndarray
) -> dict[Key, float]:
    return {
        (quantity, reading, "", row, column): float(values[i, j])
        for i, row in enumerate(rows)
        for j, column in enumerate(columns)
    }


def _pairs(
    quantity: str, reading: str, scale: str, names: Sequence[str], values: np.ndarray
) -> dict[Key, float]:
    """Return the values of all pairs of different objects, each pair in both orders."""
    return {
        (quantity, reading, scale, names[i], names[j]): float(values[i, j])
        for i, j in permutations(range(len(names)), 2)
    }


def _uncertainties() -> tuple[list[str], np.ndarray]:
    """Return SU of two independent attributes, and of two that predict each other."""
    first, second = np.divmod(np.arange(12), 3)
    codes = np.column_stack([first, second, (second + 1) % 3])
    uncertainty = symmetric_uncertainty(cooccurrence(CategoricalTable.from_codes(codes)))
    return ["independent", "predicted"], np.array([[uncertainty[0, 1], uncertainty[1, 2]]])
