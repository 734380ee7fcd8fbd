"""Where every file is, and which module stands behind every rule and step."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

RAW = "data/raw"
BUNDLED = "data/bundled"
PUBLISHED = "data/published"

FILES = {
    "raw_table": RAW + "/{dataset}/table.csv",
    "raw_source": RAW + "/{dataset}/source.json",
    "prepared": "{results}/prepared/{paper}/{dataset}.csv",
    "facts": "{results}/prepared/{paper}/{dataset}.json",
    "tables": "{results}/tables/{paper}/{dataset}.{preparation}.npz",
    "similarity": "{results}/similarity/{paper}/{dataset}.{preparation}.{measure}.npz",
    "trials": "{results}/trials/{paper}/{dataset}.{method}.{reading}.csv",
    "trial_labels": "{results}/labels/{paper}/trials/{dataset}.{method}.{reading}.parquet",
    "tests": "{results}/tests/{paper}.csv",
    "experiment": "{results}/experiments/{paper}/{experiment}.{dataset}.csv",
    "experiment_labels": "{results}/labels/{paper}/experiments/{experiment}.{dataset}.parquet",
    "claims": "{results}/claims/{paper}.csv",
    "verdicts": "{results}/verdicts/{paper}/{artefact}.csv",
    "table": "{figures}/{paper}/{artefact}.csv",
    "table_seal": "{results}/verdicts/{paper}/{artefact}.table.sha256",
    "markdown": "{figures}/{paper}/{artefact}.md",
    "latex": "{figures}/{paper}/{artefact}.tex",
    "sheet": "{figures}/{paper}/{artefact}.json",
    "svg": "{figures}/{paper}/{artefact}.svg",
    "pdf": "{figures}/{paper}/{artefact}.pdf",
    "ledger": "{results}/ledger/verdicts.csv",
    "summary": "{results}/ledger/summary.csv",
    "unavailable": "{results}/ledger/unavailable.csv",
    "ledger_claims": "{results}/ledger/claims.csv",
    "notebook": "{results}/notebooks/{notebook}.html",
    "coverage": "{results}/ledger/coverage.csv",
    "deviations": "{results}/ledger/deviations.csv",
    "granularity": "{figures}/granularity.md",
    "rollup": "{figures}/rollup.md",
    "findings": "{figures}/findings.md",
    "report": "{results}/report.html",
    "crate": "{results}/ro-crate-metadata.json",
    "crate_workflow": "{results}/Snakefile",
    "crate_page": "{results}/README.md",
}
"""Where every file is, by the name that the plan uses."""

STEPS = {
    "download": "replication.data.fetch",
    "prepare": "replication.data.prepare",
    "discretize": "replication.data.discretize",
    "similarity": "replication.run.similarity",
    "trials": "replication.run.trials",
    "tests": "replication.run.statistics",
    "experiment": "replication.run.experiment",
    "claims": "replication.judge.claims",
    "table": "replication.show.tables",
    "figure": "replication.show.figures",
    "ledger": "replication.judge.ledger",
    "granularity": "replication.judge.granularity",
    "rollup": "replication.show.rollup",
    "findings": "replication.show.findings",
    "explain": "replication.plan.lineage",
    "diff": "replication.judge.compare",
    "report": "replication.report",
    "score_labels": "replication.papers.study.score_labels",
    "provenance": "replication.report.provenance",
    "retry": "replication.data.retry",
    "describe": "replication.data.describe",
    "check": "replication.plan.configuration",
}
"""Module behind every step of the command line."""
EXPERIMENTS = ("experiment", "clustering", "timing")
"""Rules that run experiments, see `experiment_rule`."""
RULES = STEPS | dict.fromkeys(EXPERIMENTS, STEPS["experiment"])
RULES |= {"notebook": "replication.report.results"}
"""Module behind every rule, and so behind the digest of its code."""
NO_DATASET = "none"
"""Stands for the data set in the name of an experiment that needs none."""


def experiment_rule(entry: Mapping[str, Any]) -> str:
    """Rule of an experiment: its labels are kept, or it runs alone, or neither."""
    if entry.get("alone"):
        return "timing"
    return "clustering" if entry.get("labels") else "experiment"
