"""Tables: printed and reproduced numbers, with a verdict on each."""


rule table:
    """Compare one printed table, or the numbers of one figure, with ours."""
    input:
        files=inputs("table", "files"),
        published=inputs("table", "published"),
    output:
        csv=file("table"),
        markdown=file("markdown"),
        latex=file("latex"),
        sheet=file("sheet"),
        verdicts=file("verdicts"),
    log:
        "<results>/logs/table/{paper}/{artefact}.txt",
    benchmark:
        "<results>/benchmarks/table/{paper}.{artefact}.tsv"
    conda:
        "../../environment.yml"
    params:
        spec=spec("table"),
        code=code("table"),
    message:
        "Make table {wildcards.artefact} of {wildcards.paper}"
    shell:
        "python -m replication table --spec {params.spec:q} --published data/published"
        " --csv {output.csv:q} --verdicts {output.verdicts:q} > {log:q} 2>&1"
