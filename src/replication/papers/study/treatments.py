"""What the treatment of missing cells changes in the study."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Unpack

from replication.papers.study.cells import cell, clustered
from replication.papers.study.data import TREATMENTS, Protocol, prepared
from replication.papers.study.spaces import fit, left_out

if TYPE_CHECKING:
    from replication.run.experiment import Experiment


def treatments(experiment: Experiment, **protocol: Unpack[Protocol]) -> Iterator[dict[str, Any]]:
    """One measure under three treatments of missing cells.

    Everything is scored on the complete rows, so that all treatments are judged on the same
    objects; only `drop` has clustered nothing else.
    """
    (name,) = experiment.measures
    for treatment in TREATMENTS:
        common = {
            "measure": name,
            "label": experiment.measures[name]["label"],
            "treatment": treatment,
            "kind": "cell",
        }
        share = float(prepared(experiment, "value").complete.mean())
        if share < 0.5:
            yield {**common, **left_out("few rows", f"{share:.0%} of the rows are complete")}
            continue
        made = prepared(experiment, treatment)
        fitted, refused = fit(experiment, name, made)
        for algorithm in experiment.parameters["algorithms"]:
            if refused:
                yield {**common, "algorithm": algorithm, **refused}
                continue
            record = cell(
                experiment,
                made,
                algorithm,
                lambda a=algorithm, m=made, f=fitted: clustered(experiment, m, f, a),
                among=made.complete,
                measure=name,
                setting=f"missing={treatment}",
            )
            yield {**common, **record}
