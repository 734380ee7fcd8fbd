"""From the official files to tables of integer codes."""


rule download:
    """Get one data set by the first route that has it; every route is checked."""
    output:
        table=file("raw_table"),
        source=file("raw_source"),
    log:
        "<results>/logs/download/{dataset}.txt",
    benchmark:
        "<results>/benchmarks/download/{dataset}.tsv"
    conda:
        "../../environment.yml"
    params:
        spec=spec("download"),
        policy=policy,
        code=code("download"),
    message:
        "Get the data set {wildcards.dataset}"
    shell:
        "python -m replication download --dataset {wildcards.dataset} --spec {params.spec:q}"
        " --policy {params.policy:q} --raw data/raw --bundled data/bundled"
        " --table {output.table:q} --source {output.source:q} > {log:q} 2>&1"


rule prepare:
    """Rows, attributes and missing values of one data set as one paper used it."""
    input:
        table=inputs("prepare", "table"),
        source=inputs("prepare", "source"),
    output:
        table=file("prepared"),
        facts=file("facts"),
    log:
        "<results>/logs/prepare/{paper}/{dataset}.txt",
    benchmark:
        "<results>/benchmarks/prepare/{paper}.{dataset}.tsv"
    conda:
        "../../environment.yml"
    params:
        spec=spec("prepare"),
        table=option("--table", "table"),
        source=option("--source", "source"),
        code=code("prepare"),
    message:
        "Prepare {wildcards.dataset} as {wildcards.paper} did"
    shell:
        "python -m replication prepare --spec {params.spec:q} {params.table:q} {params.source:q}"
        " --output {output.table:q} --facts {output.facts:q} > {log:q} 2>&1"


rule discretize:
    """Integer codes of one prepared data set; numeric attributes are cut."""
    input:
        table=inputs("discretize", "table"),
        facts=inputs("discretize", "facts"),
    output:
        file("tables"),
    log:
        "<results>/logs/discretize/{paper}/{dataset}.{preparation}.txt",
    benchmark:
        "<results>/benchmarks/discretize/{paper}.{dataset}.{preparation}.tsv"
    conda:
        "../../environment.yml"
    params:
        spec=spec("discretize"),
        code=code("discretize"),
    message:
        "Discretize {wildcards.dataset}, {wildcards.preparation} ({wildcards.paper})"
    shell:
        "python -m replication discretize --threads {threads} --spec {params.spec:q}"
        " --prepared {input.table:q} --facts {input.facts:q} --output {output:q} > {log:q} 2>&1"
