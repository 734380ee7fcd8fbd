"""Tables: printed and reproduced numbers, with a verdict on each."""


rule table:
    """Compare one printed table, or the numbers of one figure, with ours."""
    input:
        files=inputs("table", "files"),
        published=inputs("table", "published"),
    output:
        table="<figures>/{paper}/{artefact}.csv",
        markdown="<figures>/{paper}/{artefact}.md",
        latex="<figures>/{paper}/{artefact}.tex",
        sheet="<figures>/{paper}/{artefact}.json",
        verdicts="<results>/verdicts/{paper}/{artefact}.csv",
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
        " --csv {output.table:q} --verdicts {output.verdicts:q} > {log:q} 2>&1"
