"""Figures: each is drawn from the table of the same name."""


rule figure:
    """Draw one figure as SVG and PDF."""
    input:
        table="<figures>/{paper}/{artefact}.csv",
    output:
        svg=report(
            "<figures>/{paper}/{artefact}.svg",
            caption="../report/figure.rst",
            category="{paper}",
            labels={"artefact": "{artefact}", "as": "figure"},
        ),
        pdf="<figures>/{paper}/{artefact}.pdf",
    log:
        "<results>/logs/figure/{paper}/{artefact}.txt",
    benchmark:
        "<results>/benchmarks/figure/{paper}.{artefact}.tsv"
    conda:
        "../../environment.yml"
    params:
        spec=spec("figure"),
        code=code("figure"),
    message:
        "Draw figure {wildcards.artefact} of {wildcards.paper}"
    shell:
        "python -m replication figure --spec {params.spec:q} --table {input.table:q}"
        " --svg {output.svg:q} > {log:q} 2>&1"
