"""What the treatment of missing cells changes in the study."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Unpack

from replication.papers.study.cells import measured
from replication.papers.study.data import TREATMENTS, Protocol, prepared
from replication.papers.study.spaces import LeftOutError
from replication.run.experiment import Experiment


def treatments(experiment: Experiment, **protocol: Unpack[Protocol]) -> Iterator[dict[str, Any]]:
    """One measure under three treatments of missing cells.

    Everything is scored on the complete rows, so that all treatments are judged on the same
    objects; only `drop` has clustered nothing else.
    """
    (name,) = experiment.measures
    common = {"measure": name, "label": experiment.measures[name]["label"]}
    share = float(prepared(experiment, "value").complete.mean())
    for treatment in TREATMENTS:
        common["treatment"] = treatment
        if share < 0.5:
            error = LeftOutError("few rows", f"{share:.0%} of the rows are complete")
            yield {**common, "kind": "cell", **error.record}
            continue
        made = prepared(experiment, treatment)
        setting = f"missing={treatment}"
        for record in measured(experiment, made, made.complete, setting=setting):
            yield {**common, **record}
