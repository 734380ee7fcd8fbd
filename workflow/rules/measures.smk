"""Similarity of values, learned once per measure and preparation."""


rule similarity:
    """Value matrices of one measure on one prepared data set, for every setting of its grid."""
    input:
        inputs("similarity", "tables"),
    output:
        file("similarity"),
    log:
        "<results>/logs/similarity/{paper}/{dataset}.{preparation}.{measure}.txt",
    benchmark:
        "<results>/benchmarks/similarity/{paper}/{dataset}.{preparation}.{measure}.tsv"
    conda:
        "../../environment.yml"
    params:
        spec=spec("similarity"),
        code=code("similarity"),
    message:
        "Learn {wildcards.measure} on {wildcards.dataset}, {wildcards.preparation}"
    shell:
        "python -m replication similarity --threads {threads} --spec {params.spec:q}"
        " --tables {input:q} --output {output:q} > {log:q} 2>&1"
