"""Inputs and specification of the jobs of every rule."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from replication.plan import computing, judging, presenting


class JobPlan(NamedTuple):
    """How a rule learns what one of its jobs needs; both take the catalogue and the wildcards."""

    spec: Callable[..., dict[str, Any]]
    inputs: Callable[..., dict[str, list[str]]] | None = None


JOBS = {
    "download": JobPlan(computing.download_spec),
    "discretize": JobPlan(computing.discretize_spec, computing.discretize_inputs),
    "similarity": JobPlan(computing.similarity_spec, computing.similarity_inputs),
    "trials": JobPlan(computing.trials_spec, computing.trials_inputs),
    "experiment": JobPlan(computing.experiments_spec, computing.experiment_inputs),
    "timing": JobPlan(computing.timing_spec, computing.timing_inputs),
    "tests": JobPlan(computing.tests_spec, computing.tests_inputs),
    "claims": JobPlan(judging.claims_spec, judging.claims_inputs),
    "table": JobPlan(judging.table_spec, judging.table_inputs),
    "figure": JobPlan(judging.figure_spec, judging.figure_inputs),
    "ledger": JobPlan(judging.ledger_spec, judging.ledger_inputs),
    "granularity": JobPlan(judging.granularity_spec, judging.granularity_inputs),
    "rollup": JobPlan(judging.rollup_spec),
    "findings": JobPlan(presenting.findings_spec, presenting.findings_inputs),
    "report": JobPlan(presenting.report_spec, presenting.report_inputs),
    "provenance": JobPlan(presenting.provenance_spec, presenting.provenance_inputs),
    "notebook": JobPlan(presenting.notebook_spec, presenting.notebook_inputs),
}
