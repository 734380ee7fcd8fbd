"""Data structure analysis of CASO (Fig. 2): given classes under four dissimilarities."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from replication.papers.caso.examples import PREPARATION

if TYPE_CHECKING:
    from replication.run.experiment import Experiment

ALL_ROWS = "all"
SAMPLE = "sample"


def structure(experiment: Experiment, *, sample: int = 0) -> Iterator[dict[str, Any]]:
    """Internal indices of the classes of one data set under every dissimilarity.

    Yields
    ------
    dict
        ``rows`` (`ALL_ROWS`, or `SAMPLE` for a random part of `sample` rows), ``objects``,
        ``measure``, and the indices of `couplings.internal_indices`.
    """
    import numpy as np

    from couplings.metrics.internal import internal_indices

    tables = experiment.tables(PREPARATION)
    table, labels = tables.tables[0], tables.labels[0]
    parts = {ALL_ROWS: np.arange(table.n_objects)}
    if sample:
        parts[SAMPLE] = np.sort(
            experiment.rng("sample").choice(table.n_objects, sample, replace=False)
        )
    for rows, chosen in parts.items():
        part, classes = table.take(chosen), labels[chosen]
        for name in experiment.similarities:

            def indices(
                rows: str = rows, name: str = name, part: Any = part, classes: Any = classes
            ) -> dict:
                # the sample has counts of its own
                space = (
                    experiment.similarity(name, PREPARATION)
                    if rows == ALL_ROWS
                    else experiment.measure(name).fit(part).space_
                )
                found = internal_indices(part, classes, space)
                # JSON holds no NaN; an undefined index is an empty cell
                return {key: None if np.isnan(one) else one for key, one in found.items()}

            yield {
                "rows": rows,
                "objects": len(chosen),
                "measure": name,
                **experiment.once(f"{rows} {name}", indices),
            }


def rare_values(
    experiment: Experiment, *, shares: Sequence[float], rare: float
) -> Iterator[dict[str, Any]]:
    """How much of the summed dissimilarity of all pairs of objects comes from rare values.

    A value is rare at a share s if it occurs at most ``max(1, s n)`` times. A comparison is a
    pair of objects in one attribute; it is rare if its values differ and one of them is rare.

    Yields
    ------
    dict
        ``measure``, ``share`` (s), ``comparisons`` (part of all comparisons that are rare),
        ``distance`` (part of the total dissimilarity that they carry).
    """
    import numpy as np

    table = experiment.tables(PREPARATION).tables[0]
    n = table.n_objects
    frequencies = [
        np.bincount(column, minlength=v)
        for column, v in zip(table.codes.T, table.n_values, strict=True)
    ]
    every = table.n_attributes * (n * (n - 1) // 2)
    for name in experiment.similarities:
        matrices = experiment.similarity(name, PREPARATION).matrices
        rarer, pairs, distances = [], [], []
        for j, f in enumerate(frequencies):
            x, y = np.triu_indices(len(f), 1)
            rarer.append(np.minimum(f[x], f[y]))
            pairs.append(f[x] * f[y])
            distances.append(f[x] * f[y] * matrices.block(j)[x, y])
        rarer, pairs, distances = (np.concatenate(one) for one in (rarer, pairs, distances))
        total = float(distances.sum())
        for share in sorted({*shares, rare}):
            counts = rarer <= max(1.0, share * n)
            yield {
                "measure": name,
                "share": share,
                "comparisons": float(pairs[counts].sum()) / every,
                "distance": float(distances[counts].sum()) / total if total > 0 else None,
            }
