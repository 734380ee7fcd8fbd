"""Notebooks: they read what the run has written, and what is in them can be changed."""


rule notebook:
    """One notebook, executed; it keeps the folders of this run apart from those of others."""
    input:
        notebook="notebooks/{notebook}.ipynb",
        files=inputs("notebook", "files"),
    output:
        file("notebook"),
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
        " --HTMLExporter.mathjax_url= --HTMLExporter.require_js_url="
        " --HTMLExporter.preprocessors=replication.report.formulas.DrawnFormulas"
        " {input.notebook:q} --output-dir {params.folder:q} --output {wildcards.notebook} > {log:q} 2>&1"
