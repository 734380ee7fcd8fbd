"""Repeated clustering, experiments, and statistical tests over data sets."""


rule trials:
    """Cluster one data set by one batch of methods and score the results; can be resumed."""
    input:
        files=inputs("trials", "files"),
    output:
        trials=directory("<results>/trials/{paper}/{dataset}.{batch}"),
        labels="<results>/labels/{paper}/{dataset}.{batch}.parquet",
    log:
        "<results>/logs/trials/{paper}/{dataset}.{batch}.txt",
    benchmark:
        "<results>/benchmarks/trials/{paper}.{dataset}.{batch}.tsv"
    conda:
        "../../environment.yml"
    params:
        spec=spec("trials"),
        code=code("trials"),
    message:
        "Cluster {wildcards.dataset} by {wildcards.batch} ({wildcards.paper})"
    shell:
        "NUMBA_NUM_THREADS={threads} python -m replication trials --spec {params.spec:q}"
        " --code {params.code:q} --output {output.trials:q} --labels {output.labels:q} > {log:q} 2>&1"


rule experiment:
    """Run the experiments of one paper on one data set that do not cluster; can be resumed."""
    input:
        files=inputs("experiment", "files"),
    output:
        directory("<results>/experiments/{paper}/{dataset}"),
    log:
        "<results>/logs/experiments/{paper}/{dataset}.txt",
    benchmark:
        "<results>/benchmarks/experiments/{paper}.{dataset}.tsv"
    conda:
        "../../environment.yml"
    params:
        spec=spec("experiment"),
        code=code("experiment"),
    message:
        "Run the experiments of {wildcards.paper} ({wildcards.dataset})"
    shell:
        "NUMBA_NUM_THREADS={threads} python -m replication experiment --spec {params.spec:q}"
        " --code {params.code:q} --output {output:q} > {log:q} 2>&1"


rule timing:
    """Run the experiments that measure time or memory, with no other job at the same time."""
    input:
        files=inputs("timing", "files"),
    output:
        directory("<results>/timings/{paper}/{dataset}"),
    log:
        "<results>/logs/timings/{paper}/{dataset}.txt",
    benchmark:
        "<results>/benchmarks/timings/{paper}.{dataset}.tsv"
    conda:
        "../../environment.yml"
    threads: workflow.cores
    params:
        spec=spec("timing"),
        code=code("timing"),
    message:
        "Measure the costs of {wildcards.paper} ({wildcards.dataset})"
    shell:
        "NUMBA_NUM_THREADS={threads} python -m replication experiment --spec {params.spec:q}"
        " --code {params.code:q} --output {output:q} > {log:q} 2>&1"


rule tests:
    """Test differences between the methods of one paper over its data sets."""
    input:
        records=inputs("tests", "records"),
    output:
        "<results>/tests/{paper}.parquet",
    log:
        "<results>/logs/tests/{paper}.txt",
    benchmark:
        "<results>/benchmarks/tests/{paper}.tsv"
    conda:
        "../../environment.yml"
    params:
        spec=spec("tests"),
        code=code("tests"),
    message:
        "Test differences between the methods of {wildcards.paper}"
    shell:
        "python -m replication tests --spec {params.spec:q} --output {output:q} > {log:q} 2>&1"


rule others:
    """Score the label vectors that others published."""
    input:
        labels="data/raw/independent/partitions.parquet",
        prepared=inputs("others", "prepared"),
        facts=inputs("others", "facts"),
    output:
        "<results>/independent/scores.csv",
    log:
        "<results>/logs/others.txt",
    benchmark:
        "<results>/benchmarks/others/others.tsv"
    conda:
        "../../environment.yml"
    params:
        spec=spec("others"),
        code=code("others"),
    message:
        "Score label vectors of others"
    shell:
        "python -m replication others --spec {params.spec:q} --labels {input.labels:q}"
        " --prepared {input.prepared:q} --facts {input.facts:q} --output {output:q} > {log:q} 2>&1"
