"""Similarity of values, learned once per data set and paper."""


rule similarity:
    """Learn all measures that one paper uses on one data set, at every setting."""
    input:
        inputs("similarity", "tables"),
    output:
        file("similarity"),
    log:
        "<results>/logs/similarity/{paper}/{dataset}.txt",
    benchmark:
        "<results>/benchmarks/similarity/{paper}.{dataset}.tsv"
    conda:
        "../../environment.yml"
    params:
        spec=spec("similarity"),
        code=code("similarity"),
    message:
        "Learn the measures of {wildcards.paper} on {wildcards.dataset}"
    shell:
        "NUMBA_NUM_THREADS={threads} python -m replication similarity --spec {params.spec:q}"
        " --tables {input:q} --output {output:q} > {log:q} 2>&1"
