"""Similarity of categorical data: four papers, reproduced number by number.

    snakemake --cores all                             everything
    snakemake --configfile config/quick.yaml          every step, in minutes
    snakemake paper_dilca                             one paper
    snakemake --config what_if=FILE                   another reading, in a place of its own

What is run is in `config` (see config/README.md), how it is run in `profiles/default`; profiles for
clusters are beside it (docs/beyond-one-machine.md).
"""

from snakemake.utils import min_version

min_version("9.20")


include: "workflow/rules/common.smk"


configfile: "config/config.yaml"


CATALOG = load_catalog(config)


pathvars:
    results=CATALOG.config["roots"]["results"],
    figures=CATALOG.config["roots"]["figures"],


wildcard_constraints:
    paper=one_of("paper"),
    dataset=one_of("dataset"),
    batch=one_of("batch"),
    artefact=one_of("artefact"),
    notebook=one_of("notebook"),


report: "workflow/report/workflow.rst"


include: "workflow/rules/data.smk"
include: "workflow/rules/measures.smk"
include: "workflow/rules/trials.smk"
include: "workflow/rules/tables.smk"
include: "workflow/rules/figures.smk"
include: "workflow/rules/ledger.smk"
include: "workflow/rules/report.smk"
include: "workflow/rules/notebooks.smk"


onsuccess:
    print_unavailable()


onerror:
    print_unavailable()
    print_errors()


rule all:
    """Tables and figures of the papers in config/config.yaml, the ledger, report and record."""
    default_target: True
    input:
        [CATALOG.targets(paper) for paper in CATALOG.config["papers"]],
        file("ledger"),
        file("rollup"),
        file("granularity"),
        file("findings"),
        file("report"),
        file("crate"),


for _paper in CATALOG.papers:

    rule:
        name:
            target_name(_paper)
        input:
            targets(_paper),

    describe_target(_paper)


rule notebooks:
    """The notebooks, executed, as HTML."""
    input:
        [CATALOG.file("notebook", notebook=name) for name in CATALOG.ids("notebook")],
