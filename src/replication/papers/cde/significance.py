"""Tests of CDE: its F-scores against those of other methods, over the data sets of a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from replication.papers.cde.runs import Columns, collect, complete, paired_p

if TYPE_CHECKING:
    from replication.run.statistics import Comparison

RUNS = {"table01": ("embeddings", "measure"), "table02": ("similarities", "pipeline")}
"""Experiment behind a table, and the column that tells its methods apart."""


def paired(comparison: Comparison, *, tables: Mapping[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """Paired t-tests of the first method of each table against the others.

    `tables` gives of each artefact its ``datasets`` (of which those that were computed count),
    ``columns`` (``id`` of a method and, per reading, the name of its runs) and ``printed_runs``.

    Returns
    -------
    list of dict
        ``artefact``, ``reading``, ``first``, ``second``, ``n`` data sets, ``p`` of the two-tailed
        test between the means, and ``low`` and ``high``, the central 95 % of it over tables of as
        many runs as the paper had, drawn from ours.
    """
    rows = []
    for artefact, entry in tables.items():
        experiment, key = RUNS[artefact]
        records = comparison.records(experiment)
        runs, present = collect(records, key), set(records["dataset"])
        datasets = [name for name in entry["datasets"] if name in present]
        first, *others = (column["id"] for column in entry["columns"])
        for reading in (key for key in entry["columns"][0] if key != "id"):
            sources = {column["id"]: column[reading] for column in entry["columns"]}
            if not datasets or complete(runs, sources.values(), datasets):
                continue
            rng = comparison.rng(artefact, "columns", reading)
            columns = Columns.ours(runs, sources, datasets, rng, entry["printed_runs"])
            for other in others:
                p, low, high = columns.central(paired_p(first, other))
                owner = {"artefact": artefact, "reading": reading, "first": first, "second": other}
                rows.append({**owner, "n": len(datasets), "p": p, "low": low, "high": high})
    return rows
