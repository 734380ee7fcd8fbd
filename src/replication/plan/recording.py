"""What is kept of a run to compare others with: its files, and which of their cells are times."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from replication.plan.computing import experiment_files
from replication.plan.judging import artefact_inputs
from replication.plan.layout import FILES

if TYPE_CHECKING:
    from replication.plan.catalog import Catalog

_MEASURED_OF_A_CLAIM = ("verdict", "ours", "evidence", "value")
LABELS = ".parquet"
"""Ending of the files of label vectors."""
_PLAIN_ROOTS = {"results": "results", "figures": "figures"}


def receipt_records(catalog: Catalog, paper: str) -> list[dict[str, Any]]:
    """Files of a paper that two runs must have in common, one record per file.

    A record has ``name``, the same for every effort and machine; ``file``; and ``measured``, a list
    of ``columns`` (with ``where``, if not in every row) that hold times or memory. A new kind of
    file is compared as soon as it is listed here. Of label vectors the digest alone is kept.
    """
    content = catalog.papers[paper]
    measured = content.get("measured", {})
    records = []

    def add(pattern: str, cells: list[dict[str, Any]], **ids: str) -> None:
        records.append(
            {
                "name": FILES[pattern].format(**_PLAIN_ROOTS, **ids),
                "file": catalog.file(pattern, **ids),
                "measured": cells,
            }
        )

    for artefact in catalog.artefacts(paper):
        cells = measured.get("tables", {}).get(artefact, [])
        for pattern in ("table", "verdicts"):
            add(pattern, cells, paper=paper, artefact=artefact)
    for pattern, *ids in label_files(catalog, paper):
        add(pattern, [], paper=paper, **dict(ids))
    if content.get("comparisons"):
        add("tests", [], paper=paper)
    if content.get("prints", True):
        claims = measured.get("claims", [])
        cells = [{"columns": list(_MEASURED_OF_A_CLAIM), "where": {"id": claims}}] if claims else []
        add("claims", cells, paper=paper)
    return records


def label_files(catalog: Catalog, paper: str) -> list[tuple]:
    """Label vectors that a run keeps: name of the file in the layout, and its wildcards."""
    experiments = catalog.papers[paper]["experiments"]
    wanted = [
        {"role": "experiment", "experiment": experiment, **one}
        for experiment in experiments
        for one in experiment_files(catalog, paper, experiment)
    ]
    for artefact in catalog.artefacts(paper):
        wanted += artefact_inputs(catalog, paper, artefact)
    found: dict[tuple, None] = {}
    for one in wanted:
        if one["role"] == "trials":
            names = ("dataset", "method", "reading")
            found["trial_labels", *((name, one[name]) for name in names)] = None
        elif one["role"] == "experiment" and experiments[one["experiment"]].get("labels"):
            names = ("experiment", "dataset")
            found["experiment_labels", *((name, one[name]) for name in names)] = None
    return list(found)


def receipt_inputs(catalog: Catalog, paper: str) -> dict[str, list[str]]:
    """Inputs of `receipt`: the files that it is about."""
    return {"files": [record["file"] for record in receipt_records(catalog, paper)]}


def receipt_spec(catalog: Catalog, paper: str) -> dict[str, Any]:
    """Specification of `receipt`: files."""
    return {"files": receipt_records(catalog, paper)}
