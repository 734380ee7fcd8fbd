"""Step `others`: score the label vectors that others published.

Every set of runs is scored against the classes of our own copy of its data set. The scores that
are stored next to the label vectors are never read: some of them are wrong.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from replication.data.label_sets import SCORE_COLUMNS, each_set
from replication.errors import UserError
from replication.files import CLASS, read_json, read_raw, write_rows
from replication.run.scores import score
from replication.steps import OK

SCORES = ("accuracy", "purity", "ari", "nmi_arithmetic", "macro_f1", "pairwise_f")
"""Scores of the label vectors, names of `replication.run.scores.SCORES`."""
_DIGITS = 9


def run(
    spec: dict[str, Any], labels: Path, prepared: list[Path], facts: list[Path], output: Path
) -> None:
    """Run the step; `prepared` and `facts` are files of the data sets of the specification."""
    classes = {
        dataset: read_raw(table)[CLASS].to_numpy(dtype=str)
        for dataset, table, about in zip(spec["datasets"], prepared, facts, strict=True)
        if read_json(about, "status")["status"] == OK
    }
    write_rows(output, SCORE_COLUMNS, scored(spec, each_set(labels), classes))


def scored(
    spec: Mapping[str, Any],
    sets: Iterator[tuple[str, str, str, np.ndarray]],
    classes: Mapping[str, np.ndarray],
) -> Iterator[dict[str, Any]]:
    """Yield mean and deviation of each score of each set of runs on the data sets with classes.

    Raises `UserError` if label vectors and classes have different numbers of objects.
    """
    for source, method, dataset, labels in sets:
        if dataset not in classes:
            continue
        if labels.shape[1] != len(classes[dataset]):
            raise UserError(
                f"label vectors of {source} for {dataset}: {labels.shape[1]} objects, the data "
                f"set has {len(classes[dataset])}; correct its entry in "
                f"config/papers/{spec['tables_of']}.yaml"
            )
        different, inverse = np.unique(labels, axis=0, return_inverse=True)
        codes = np.unique(classes[dataset], return_inverse=True)[1]
        each = [score(codes, one, SCORES) for one in different]
        about = compared(spec["compared"], method, dataset)
        for name in SCORES:
            values = np.array([one[name] for one in each])[inverse.ravel()]
            spread = float(values.std(ddof=1)) if len(values) > 1 else None
            yield {
                **{"source": source, "method": method, "dataset": dataset, **about},
                **{"index": name, "mean": round(float(values.mean()), _DIGITS)},
                "sd": None if spread is None else round(spread, _DIGITS),
                **{"runs": len(values), "distinct": len(different), "n": labels.shape[1]},
            }


def compared(entries: Sequence[Mapping[str, Any]], method: str, dataset: str) -> dict[str, str]:
    """Return the printed table of a method and data set, and whether the preparation is equal."""
    for one in entries:
        for name, theirs in one["datasets"].items():
            if theirs == dataset and method in one["methods"].values():
                difference = one.get("other", {}).get(name, "")
                return {
                    "compared_with": f"{one['paper']}-{one['artefact']}-{name}",
                    "preparation_equal": "no" if difference else "yes",
                    "difference": difference,
                }
    return {"compared_with": "", "preparation_equal": "", "difference": ""}
