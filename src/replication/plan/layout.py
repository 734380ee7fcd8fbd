"""List the paths of all files, and the module of every rule and step."""

from pathlib import Path

RAW = "data/raw"
BUNDLED = "data/bundled"
PUBLISHED = "data/published"

FILES = {
    "raw_table": RAW + "/{dataset}/table.csv",
    "raw_source": RAW + "/{dataset}/source.json",
    "partitions": RAW + "/independent/partitions.parquet",
    "partitions_source": RAW + "/independent/source.json",
    "independent": "{results}/independent/scores.csv",
    "prepared": "{results}/prepared/{paper}/{dataset}.csv",
    "facts": "{results}/prepared/{paper}/{dataset}.json",
    "tables": "{results}/tables/{paper}/{dataset}.npz",
    "similarity": "{results}/similarity/{paper}/{dataset}.npz",
    "trials": "{results}/trials/{paper}/{dataset}.{batch}",
    "labels": "{results}/labels/{paper}/{dataset}.{batch}.parquet",
    "experiments": "{results}/experiments/{paper}/{dataset}",
    "timings": "{results}/timings/{paper}/{dataset}",
    "journal": "{results}/journals/{rule}/{paper}/{dataset}.{part}",
    "tests": "{results}/tests/{paper}.parquet",
    "claims": "{results}/claims/{paper}.csv",
    "cases": "{figures}/{paper}/claims",
    "verdicts": "{results}/verdicts/{paper}/{artefact}.csv",
    "table": "{figures}/{paper}/{artefact}.csv",
    "markdown": "{figures}/{paper}/{artefact}.md",
    "latex": "{figures}/{paper}/{artefact}.tex",
    "sheet": "{figures}/{paper}/{artefact}.json",
    "svg": "{figures}/{paper}/{artefact}.svg",
    "pdf": "{figures}/{paper}/{artefact}.pdf",
    "ledger": "{results}/ledger/verdicts.csv",
    "unavailable": "{results}/ledger/unavailable.csv",
    "ledger_claims": "{results}/ledger/claims.csv",
    "notebook": "{results}/notebooks/{notebook}.html",
    "granularity": "{figures}/granularity.md",
    "rollup": "{figures}/rollup.md",
    "findings": "{figures}/findings.md",
    "report": "{results}/report.html",
    "crate": "{results}/ro-crate-metadata.json",
    "crate_workflow": "{results}/Snakefile",
    "crate_page": "{results}/README.md",
}
"""Path of every file, by its name in the plan."""

STEPS = {
    "download": "replication.data.fetch",
    "partitions": "replication.data.partitions",
    "discretize": "replication.data.discretize",
    "similarity": "replication.run.similarity",
    "trials": "replication.run.trials",
    "tests": "replication.run.statistics",
    "others": "replication.run.independent",
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
    "report": "replication.report.pages",
    "provenance": "replication.report.provenance",
    "kernels": "replication.kernels",
    "check": "replication.plan.configuration",
    "available": "replication.judge.availability",
}
"""Module of every step of the command line."""
RULES = STEPS | {"timing": STEPS["experiment"], "notebook": "replication.report.results"}
"""Module of every rule; the digest of its code starts there."""
NO_DATASET = "none"
"""Name used in place of a data set by experiments without one."""


def roots(effort: str, question: str = "") -> dict[str, str]:
    """Return the folders of results and figures, of its own for every effort and what-if file."""
    results = f"results/whatif-{Path(question).stem}/{effort}" if question else f"results/{effort}"
    return {
        "results": results,
        "figures": "figures" if results == "results/full" else f"{results}/figures",
    }
