"""Repeated clustering, and statistical tests over data sets."""


rule trials:
    """All clusterings of one data set by one method in one reading, scored; resumes if cut off."""
    input:
        tables=inputs("trials", "tables"),
        similarity=inputs("trials", "similarity"),
        known=inputs("trials", "known"),
    output:
        records=file("trials"),
        labels=file("trial_labels"),
    log:
        "<results>/logs/trials/{paper}/{dataset}.{method}.{reading}.txt",
    benchmark:
        "<results>/benchmarks/trials/{paper}/{dataset}.{method}.{reading}.tsv"
    conda:
        "../../environment.yml"
    params:
        spec=spec("trials"),
        similarity=option("--similarity", "similarity"),
        known=option("--known", "known"),
        code=code("trials"),
    message:
        "Cluster {wildcards.dataset} by {wildcards.method}, {wildcards.reading} reading"
    shell:
        "python -m replication trials --threads {threads} --spec {params.spec:q}"
        " --code {params.code:q} --tables {input.tables:q} {params.similarity:q}"
        " {params.known:q} --output {output.records:q} --labels {output.labels:q} > {log:q} 2>&1"


rule experiment:
    """What one paper computes on one data set beside the common grid; resumes if cut off."""
    input:
        files=inputs("experiment", "files"),
    output:
        file("experiment"),
    log:
        "<results>/logs/experiments/{paper}/{experiment}.{dataset}.txt",
    benchmark:
        "<results>/benchmarks/experiments/{paper}/{experiment}.{dataset}.tsv"
    wildcard_constraints:
        experiment=one_of("experiment"),
    conda:
        "../../environment.yml"
    threads: 1
    params:
        spec=spec("experiment"),
        code=code("experiment"),
    message:
        "Run {wildcards.experiment} of {wildcards.paper} ({wildcards.dataset})"
    shell:
        "python -m replication experiment --threads {threads} --spec {params.spec:q}"
        " --code {params.code:q} --inputs {input.files:q} --output {output:q} > {log:q} 2>&1"


rule clustering:
    """Clusterings of one paper on one data set beside the common grid; resumes if cut off."""
    input:
        files=inputs("clustering", "files"),
    output:
        records=file("experiment"),
        labels=file("experiment_labels"),
    log:
        "<results>/logs/experiments/{paper}/{experiment}.{dataset}.txt",
    benchmark:
        "<results>/benchmarks/experiments/{paper}/{experiment}.{dataset}.tsv"
    wildcard_constraints:
        experiment=one_of("clustering"),
    conda:
        "../../environment.yml"
    threads: 1
    params:
        spec=spec("clustering"),
        code=code("clustering"),
    message:
        "Cluster for {wildcards.experiment} of {wildcards.paper} ({wildcards.dataset})"
    shell:
        "python -m replication experiment --threads {threads} --spec {params.spec:q}"
        " --code {params.code:q} --inputs {input.files:q} --output {output.records:q}"
        " --labels {output.labels:q} > {log:q} 2>&1"


rule timing:
    """An experiment that measures times: nothing else runs beside it, and in no copy of a process."""
    input:
        files=inputs("timing", "files"),
    output:
        file("experiment"),
    log:
        "<results>/logs/experiments/{paper}/{experiment}.{dataset}.txt",
    benchmark:
        "<results>/benchmarks/experiments/{paper}/{experiment}.{dataset}.tsv"
    wildcard_constraints:
        experiment=one_of("timing"),
    conda:
        "../../environment.yml"
    threads: workflow.cores
    params:
        spec=spec("timing"),
        code=code("timing"),
    message:
        "Time {wildcards.experiment} of {wildcards.paper} ({wildcards.dataset})"
    shell:
        "REPLICATION_WARM= python -m replication experiment --threads {threads} --spec {params.spec:q}"
        " --code {params.code:q} --inputs {input.files:q} --output {output:q} > {log:q} 2>&1"


rule tests:
    """Statistical tests between the methods of one paper, over its data sets."""
    input:
        inputs("tests", "records"),
    output:
        file("tests"),
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
        "python -m replication tests --spec {params.spec:q} --records {input:q}"
        " --output {output:q} > {log:q} 2>&1"
