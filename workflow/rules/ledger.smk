"""The ledger: a verdict on every printed number and claim."""


rule claims:
    """Judge the claims of one paper, each with its evidence."""
    input:
        files=inputs("claims", "files"),
        published=inputs("claims", "published"),
    output:
        claims="<results>/claims/{paper}.csv",
        cases=directory("<figures>/{paper}/claims"),
    log:
        "<results>/logs/claims/{paper}.txt",
    benchmark:
        "<results>/benchmarks/claims/{paper}.tsv"
    conda:
        "../../environment.yml"
    params:
        spec=spec("claims"),
        code=code("claims"),
    message:
        "Judge the claims of {wildcards.paper}"
    shell:
        "python -m replication claims --spec {params.spec:q} --published data/published"
        " --output {output.claims:q} --cases {output.cases:q} > {log:q} 2>&1"


rule ledger:
    """Collect all verdicts and claims, and list data sets that could not be downloaded."""
    input:
        verdicts=inputs("ledger", "verdicts"),
        claims=inputs("ledger", "claims"),
        sources=inputs("ledger", "sources"),
        published=inputs("ledger", "published"),
    output:
        ledger=report(
            "<results>/ledger/verdicts.csv",
            caption="../report/ledger.rst",
            category="ledger",
            labels={"artefact": "all", "as": "verdicts"},
        ),
        unavailable="<results>/ledger/unavailable.csv",
        ledger_claims=report(
            "<results>/ledger/claims.csv",
            caption="../report/claims.rst",
            category="ledger",
            labels={"artefact": "all", "as": "claims"},
        ),
    log:
        "<results>/logs/ledger.txt",
    benchmark:
        "<results>/benchmarks/ledger/ledger.tsv"
    conda:
        "../../environment.yml"
    params:
        spec=spec("ledger"),
        code=code("ledger"),
    message:
        "Collect the verdicts"
    shell:
        "python -m replication ledger --spec {params.spec:q} --verdicts {input.verdicts:q}"
        " --claims {input.claims:q} --sources {input.sources:q} --published data/published"
        " --output {output.ledger:q} > {log:q} 2>&1"


rule granularity:
    """Find printed shares that are no possible share of the objects."""
    input:
        # not read; a clone has the table, which is older than this and so made again
        ledger="<results>/ledger/verdicts.csv",
        published=inputs("granularity", "published"),
    output:
        granularity_table="<figures>/granularity.csv",
        granularity="<figures>/granularity.md",
    log:
        "<results>/logs/granularity.txt",
    benchmark:
        "<results>/benchmarks/granularity/granularity.tsv"
    conda:
        "../../environment.yml"
    params:
        spec=spec("granularity"),
        code=code("granularity"),
    message:
        "Check printed shares for possible counts"
    shell:
        "python -m replication granularity --spec {params.spec:q} --published data/published"
        " --output {output.granularity_table:q} > {log:q} 2>&1"


rule rollup:
    """Summarise the verdicts in small tables and one figure."""
    input:
        verdicts="<results>/ledger/verdicts.csv",
        claims="<results>/ledger/claims.csv",
        published=inputs("rollup", "published"),
    output:
        rollup="<figures>/rollup.md",
        claims_list="<figures>/claims.md",
        breakdown="<figures>/breakdown.md",
        deviations="<figures>/deviations.md",
        rollup_svg=report(
            "<figures>/rollup.svg",
            caption="../report/ledger.rst",
            category="ledger",
            labels={"artefact": "all", "as": "figure"},
        ),
        rollup_pdf="<figures>/rollup.pdf",
    log:
        "<results>/logs/rollup.txt",
    benchmark:
        "<results>/benchmarks/rollup/rollup.tsv"
    conda:
        "../../environment.yml"
    params:
        spec=spec("rollup"),
        code=code("rollup"),
    message:
        "Summarise the verdicts"
    shell:
        "python -m replication rollup --spec {params.spec:q} --verdicts {input.verdicts:q}"
        " --claims {input.claims:q} --published data/published --output {output.rollup:q}"
        " > {log:q} 2>&1"
