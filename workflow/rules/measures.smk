"""Similarity of values, learned once per data set and paper."""


rule similarity:
    """Learn all measures that one paper uses on one data set, at every setting."""
    input:
        tables="<results>/tables/{paper}/{dataset}.npz",
    output:
        "<results>/similarity/{paper}/{dataset}.npz",
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
        " --tables {input.tables:q} --output {output:q} > {log:q} 2>&1"
