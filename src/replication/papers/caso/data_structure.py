"""Experiments of CASO on data structure: separation of classes (Fig. 2), weight of rare values."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from couplings.metrics.internal import internal_indices
from replication.papers.caso.examples import PREPARATION
from replication.run.experiment import Experiment

ALL_ROWS = "all"
SAMPLE = "sample"


def structure(experiment: Experiment, *, sample: int = 0) -> Iterator[dict[str, Any]]:
    """Compute internal indices of the given classes of one data set under every dissimilarity.

    Records: ``rows`` (`ALL_ROWS`, or `SAMPLE` for `sample` random rows), ``objects``, ``measure``,
    and the indices of `couplings.metrics.internal.internal_indices`.
    """
    whole = experiment.objects(PREPARATION)
    # empty for `sample` 0
    chosen = experiment.rng("sample").choice(whole.n_objects, sample, replace=False)
    parts = {ALL_ROWS: np.arange(whole.n_objects)} | ({SAMPLE: np.sort(chosen)} if sample else {})

    def indices(rows: str, measure: str) -> dict[str, float | None]:
        part = whole.ordered(parts[rows])
        if rows == ALL_ROWS:
            space = experiment.similarity(measure, PREPARATION)
        else:
            # the measure is learned again from the sample
            space = experiment.measure(measure).fit(part.table).space_
        found = internal_indices(part.table, part.classes, space)
        # JSON has no NaN: an undefined index is None
        return {key: None if np.isnan(one) else one for key, one in found.items()}

    for rows, chosen in parts.items():
        for measure in experiment.similarities:
            found = experiment.once(f"{rows} {measure}", partial(indices, rows, measure))
            yield {"rows": rows, "objects": len(chosen), "measure": measure, **found}


def rare_values(
    experiment: Experiment, *, shares: Sequence[float], rare: float
) -> Iterator[dict[str, Any]]:
    """Compute the part of the total dissimilarity that comparisons with rare values contribute.

    A value is rare at a share s if it occurs in at most ``max(1, s n)`` of the n objects. A
    comparison is a pair of objects in one attribute. It is rare if its values differ and one of
    them is rare.

    Records: ``measure``, ``share`` (s), ``comparisons`` (fraction of comparisons that are rare),
    ``distance`` (their fraction of the dissimilarity summed over all pairs of objects).
    """
    table = experiment.tables(PREPARATION).tables[0]
    n = table.n_objects
    every = table.n_attributes * (n * (n - 1) // 2)
    columns = list(zip(table.codes.T, table.n_values, strict=True))
    for name in experiment.similarities:
        matrices = experiment.similarity(name, PREPARATION).matrices
        parts = []
        for j, (codes, v) in enumerate(columns):
            f = np.bincount(codes, minlength=v)
            x, y = np.triu_indices(v, 1)
            pairs = f[x] * f[y]
            parts.append((np.minimum(f[x], f[y]), pairs, pairs * matrices.block(j)[x, y]))
        rarer, pairs, distances = map(np.concatenate, zip(*parts, strict=True))
        total = float(distances.sum())
        for share in sorted({*shares, rare}):
            counts = rarer <= max(1.0, share * n)
            yield {
                "measure": name,
                "share": share,
                "comparisons": float(pairs[counts].sum()) / every,
                "distance": float(distances[counts].sum()) / total if total > 0 else None,
            }
