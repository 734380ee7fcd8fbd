"""The steps of the workflow, each with the files that it reads and writes.

A rule of Snakemake is one row of `STEPS`. Its patterns stand in the rule, too, where a reader looks
for them; a test compares both. Everything else that asks for the path of a file, the job that makes
it or the module of a step reads `STEPS`.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from replication.plan.layout import RAW


@dataclass(frozen=True)
class Step:
    """One step, which is a rule of the workflow.

    Patterns have the wildcards of the rule, ``{results}`` and ``{figures}``, see `layout.roots`; a
    folder ends in ``/``.
    """

    # module with the function `run`; the digest of the code starts there
    module: str
    # pattern of each output; a name is an output of one step only
    outputs: Mapping[str, str]
    # pattern of each input that is one file
    reads: Mapping[str, str] = field(default_factory=dict)
    # inputs of which a job can have several files, or none; `plan.JOBS` lists them
    gathers: tuple[str, ...] = ()
    # name on the command line, if it is not the rule's; empty if the rule runs another program
    command: str | None = None

    @property
    def wildcards(self) -> tuple[str, ...]:
        """Wildcards of the rule, in the order in which a path names them."""
        found = re.findall(r"\{(\w+)\}", next(iter(self.outputs.values())))
        return tuple(name for name in found if name not in ("results", "figures"))


_TABLE = "{figures}/{paper}/{artefact}"
_LEDGER = {
    "verdicts": "{results}/ledger/verdicts.csv",
    "claims": "{results}/ledger/claims.csv",
}

STEPS: dict[str, Step] = {
    "download": Step(
        "replication.data.fetch",
        outputs={
            "raw_table": RAW + "/{dataset}/table.csv",
            "raw_source": RAW + "/{dataset}/source.json",
        },
    ),
    "partitions": Step(
        "replication.data.partitions",
        outputs={
            "partitions": RAW + "/independent/partitions.parquet",
            "partitions_source": RAW + "/independent/source.json",
        },
    ),
    "discretize": Step(
        "replication.data.discretize",
        gathers=("table", "source"),
        outputs={
            "prepared": "{results}/prepared/{paper}/{dataset}.csv",
            "facts": "{results}/prepared/{paper}/{dataset}.json",
            "tables": "{results}/tables/{paper}/{dataset}.npz",
        },
    ),
    "similarity": Step(
        "replication.run.similarity",
        reads={"tables": "{results}/tables/{paper}/{dataset}.npz"},
        outputs={"similarity": "{results}/similarity/{paper}/{dataset}.npz"},
    ),
    "trials": Step(
        "replication.run.trials",
        gathers=("files",),
        outputs={
            "trials": "{results}/trials/{paper}/{dataset}.{batch}/",
            "labels": "{results}/labels/{paper}/{dataset}.{batch}.parquet",
        },
    ),
    "experiment": Step(
        "replication.run.experiment",
        gathers=("files",),
        outputs={"experiments": "{results}/experiments/{paper}/{dataset}/"},
    ),
    "timing": Step(
        "replication.run.experiment",
        gathers=("files",),
        outputs={"timings": "{results}/timings/{paper}/{dataset}/"},
        command="experiment",
    ),
    "tests": Step(
        "replication.run.statistics",
        gathers=("records",),
        outputs={"tests": "{results}/tests/{paper}.parquet"},
    ),
    "others": Step(
        "replication.run.independent",
        reads={"labels": RAW + "/independent/partitions.parquet"},
        gathers=("prepared", "facts"),
        outputs={"independent": "{results}/independent/scores.csv"},
    ),
    "table": Step(
        "replication.show.tables",
        gathers=("files", "published"),
        outputs={
            "table": _TABLE + ".csv",
            "markdown": _TABLE + ".md",
            "latex": _TABLE + ".tex",
            "sheet": _TABLE + ".json",
            "verdicts": "{results}/verdicts/{paper}/{artefact}.csv",
        },
    ),
    "figure": Step(
        "replication.show.figures",
        reads={"table": _TABLE + ".csv"},
        outputs={"svg": _TABLE + ".svg", "pdf": _TABLE + ".pdf"},
    ),
    "claims": Step(
        "replication.judge.claims",
        gathers=("files", "published"),
        outputs={
            "claims": "{results}/claims/{paper}.csv",
            "cases": "{figures}/{paper}/claims/",
        },
    ),
    "ledger": Step(
        "replication.judge.ledger",
        gathers=("verdicts", "claims", "sources", "published"),
        outputs={
            "ledger": _LEDGER["verdicts"],
            "unavailable": "{results}/ledger/unavailable.csv",
            "ledger_claims": _LEDGER["claims"],
        },
    ),
    "granularity": Step(
        "replication.judge.granularity",
        # not read; a clone has the table, which is older than this and so made again
        reads={"ledger": _LEDGER["verdicts"]},
        gathers=("published",),
        outputs={
            "granularity": "{figures}/granularity.md",
            "granularity_table": "{figures}/granularity.csv",
        },
    ),
    "rollup": Step(
        "replication.show.rollup",
        reads=_LEDGER,
        gathers=("published",),
        outputs={
            "rollup": "{figures}/rollup.md",
            "claims_list": "{figures}/claims.md",
            "breakdown": "{figures}/breakdown.md",
            "deviations": "{figures}/deviations.md",
            "rollup_svg": "{figures}/rollup.svg",
            "rollup_pdf": "{figures}/rollup.pdf",
        },
    ),
    "findings": Step(
        "replication.show.findings",
        reads=_LEDGER,
        gathers=("tables", "published"),
        outputs={
            "findings": "{figures}/findings.md",
            "findings_pictures": "{figures}/findings/",
        },
    ),
    "report": Step(
        "replication.report.pages",
        reads={
            **_LEDGER,
            "unavailable": "{results}/ledger/unavailable.csv",
            "findings": "{figures}/findings.md",
            "gains": "data/record/readings.csv",
            "project": "pyproject.toml",
        },
        gathers=("artefacts", "cases", "sources", "assets"),
        outputs={"report": "{results}/report.html"},
    ),
    "provenance": Step(
        "replication.report.provenance",
        reads={
            **_LEDGER,
            "unavailable": "{results}/ledger/unavailable.csv",
            "project": "pyproject.toml",
        },
        gathers=("artefacts", "sources", "data", "published", "workflow"),
        outputs={
            "crate": "{results}/ro-crate-metadata.json",
            "crate_workflow": "{results}/Snakefile",
            "crate_page": "{results}/README.md",
        },
    ),
    "notebook": Step(
        "replication.report.results",
        reads={"notebook": "notebooks/{notebook}.ipynb"},
        gathers=("files",),
        outputs={"notebook": "{results}/notebooks/{notebook}.html"},
        command="",
    ),
}
"""Every rule of the workflow that makes files, in the order of the flow."""

FILES = {
    "journal": "{results}/journals/{rule}/{paper}/{dataset}.{part}",
    **{
        name: pattern.removesuffix("/")
        for step in STEPS.values()
        for name, pattern in step.outputs.items()
    },
}
"""Pattern of every file and folder, by its name in the plan."""
FOLDERS = {
    name for step in STEPS.values() for name, pattern in step.outputs.items() if pattern[-1] == "/"
}
"""Names in `FILES` of folders."""
MADE_BY = {name: rule for rule, step in STEPS.items() for name in step.outputs}
"""Rule that makes a file, by its name in `FILES`."""

COMMANDS = {
    rule if step.command is None else step.command: step.module
    for rule, step in STEPS.items()
    if step.command != ""
} | {
    "explain": "replication.plan.lineage",
    "diff": "replication.judge.compare",
    "kernels": "replication.kernels",
    "check": "replication.plan.configuration",
    "available": "replication.judge.availability",
}
"""Module of every step of the command line."""
