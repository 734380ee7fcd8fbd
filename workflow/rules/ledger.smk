"""The ledger: every printed number with its verdict, and what could not be run."""


rule ledger:
    """All verdicts in one table, their counts, and the data sets that could not be had."""
    input:
        verdicts=inputs("ledger", "verdicts"),
        sources=inputs("ledger", "sources"),
        published=inputs("ledger", "published"),
    output:
        verdicts="<results>/ledger/verdicts.csv",
        summary=report(
            "<results>/ledger/summary.csv",
            caption="../report/ledger.rst",
            category="ledger",
            labels={"artefact": "all", "as": "verdicts"},
        ),
        unavailable="<results>/ledger/unavailable.csv",
    log:
        "<results>/logs/ledger.txt",
    conda:
        "../../environment.yml"
    params:
        spec=spec("ledger"),
        code=code("ledger"),
    message:
        "Gather the verdicts"
    shell:
        "python -m replication ledger --spec {params.spec:q} --verdicts {input.verdicts:q}"
        " --sources {input.sources:q} --published data/published"
        " --output {output.verdicts:q} --summary {output.summary:q}"
        " --unavailable {output.unavailable:q} > {log:q} 2>&1"
