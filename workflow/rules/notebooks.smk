"""Notebooks: they read the results of a run, and readers can change them."""


rule notebook:
    """Execute one notebook on the results of this run."""
    input:
        notebook="notebooks/{notebook}.ipynb",
        files=inputs("notebook", "files"),
    output:
        "<results>/notebooks/{notebook}.html",
    log:
        "<results>/logs/notebook/{notebook}.txt",
    benchmark:
        "<results>/benchmarks/notebook/{notebook}.tsv"
    conda:
        "../../environment.yml"
    params:
        spec=spec("notebook"),
        code=code("notebook"),
        folder=subpath(output[0], parent=True),
    message:
        "Execute the notebook {wildcards.notebook}"
    shell:
        "REPLICATION_RUN={params.spec:q} python -m nbconvert --execute --to html --log-level WARN"
        " --HTMLExporter.require_js_url="
        " {input.notebook:q} --output-dir {params.folder:q} --output {wildcards.notebook} > {log:q} 2>&1"
