"""From the official files to tables of integer codes."""


rule download:
    """Download one data set by the first route that works, and check its hash."""
    output:
        raw_table="data/raw/{dataset}/table.csv",
        raw_source="data/raw/{dataset}/source.json",
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
        "Download {wildcards.dataset}"
    shell:
        "python -m replication download --dataset {wildcards.dataset} --spec {params.spec:q}"
        " --policy {params.policy:q} --raw data/raw --bundled data/bundled"
        " --table {output.raw_table:q} --source {output.raw_source:q} > {log:q} 2>&1"


rule discretize:
    """Prepare one data set as one paper used it: rows, attributes, missing values, integer codes."""
    input:
        table=inputs("discretize", "table"),
        source=inputs("discretize", "source"),
    output:
        prepared="<results>/prepared/{paper}/{dataset}.csv",
        facts="<results>/prepared/{paper}/{dataset}.json",
        tables="<results>/tables/{paper}/{dataset}.npz",
    log:
        "<results>/logs/discretize/{paper}/{dataset}.txt",
    benchmark:
        "<results>/benchmarks/discretize/{paper}.{dataset}.tsv"
    conda:
        "../../environment.yml"
    params:
        spec=spec("discretize"),
        code=code("discretize"),
    message:
        "Prepare and discretize {wildcards.dataset} as {wildcards.paper} did"
    shell:
        "NUMBA_NUM_THREADS={threads} python -m replication discretize --spec {params.spec:q}"
        " --table {input.table:q} --source {input.source:q} --prepared {output.prepared:q} --facts {output.facts:q}"
        " --output {output.tables:q} > {log:q} 2>&1"


rule partitions:
    """Fetch the label vectors that others published, and check their hashes."""
    output:
        partitions="data/raw/independent/partitions.parquet",
        partitions_source="data/raw/independent/source.json",
    log:
        "<results>/logs/partitions.txt",
    benchmark:
        "<results>/benchmarks/partitions/partitions.tsv"
    conda:
        "../../environment.yml"
    params:
        spec=spec("partitions"),
        policy=policy,
        code=code("partitions"),
    message:
        "Fetch label vectors of others"
    shell:
        "python -m replication partitions --spec {params.spec:q} --policy {params.policy:q}"
        " --raw data/raw --output {output.partitions:q} --source {output.partitions_source:q} > {log:q} 2>&1"
