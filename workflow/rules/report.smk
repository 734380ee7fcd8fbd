"""The whole run: one page for readers, one record for programs."""


rule findings:
    """Write the main findings, each in one sentence with a picture and a link."""
    input:
        verdicts="<results>/ledger/verdicts.csv",
        claims="<results>/ledger/claims.csv",
        tables=inputs("findings", "tables"),
        published=inputs("findings", "published"),
    output:
        findings="<figures>/findings.md",
        findings_pictures=directory("<figures>/findings"),
    log:
        "<results>/logs/findings.txt",
    benchmark:
        "<results>/benchmarks/findings/findings.tsv"
    conda:
        "../../environment.yml"
    params:
        spec=spec("findings"),
        code=code("findings"),
    message:
        "Write the findings"
    shell:
        "python -m replication findings --spec {params.spec:q} --verdicts {input.verdicts:q}"
        " --claims {input.claims:q} --published data/published --folder {output.findings_pictures:q}"
        " > {log:q} 2>&1"


rule report:
    """Make the report: one HTML file with every table, figure, verdict and claim."""
    input:
        verdicts="<results>/ledger/verdicts.csv",
        claims="<results>/ledger/claims.csv",
        unavailable="<results>/ledger/unavailable.csv",
        findings="<figures>/findings.md",
        artefacts=inputs("report", "artefacts"),
        cases=inputs("report", "cases"),
        sources=inputs("report", "sources"),
        assets=inputs("report", "assets"),
        gains="data/record/readings.csv",
        project="pyproject.toml",
    output:
        "<results>/report.html",
    log:
        "<results>/logs/report.txt",
    benchmark:
        "<results>/benchmarks/report/report.tsv"
    conda:
        "../../environment.yml"
    params:
        spec=spec("report"),
        code=code("report"),
    message:
        "Make the report"
    shell:
        "python -m replication report --spec {params.spec:q} --project {input.project:q}"
        " --output {output:q} > {log:q} 2>&1"


rule provenance:
    """Record the run as an RO-Crate: files with hashes, versions, parameters."""
    input:
        verdicts="<results>/ledger/verdicts.csv",
        claims="<results>/ledger/claims.csv",
        unavailable="<results>/ledger/unavailable.csv",
        artefacts=inputs("provenance", "artefacts"),
        sources=inputs("provenance", "sources"),
        data=inputs("provenance", "data"),
        published=inputs("provenance", "published"),
        workflow=inputs("provenance", "workflow"),
        project="pyproject.toml",
    output:
        crate="<results>/ro-crate-metadata.json",
        crate_workflow="<results>/Snakefile",
        crate_page="<results>/README.md",
    log:
        "<results>/logs/provenance.txt",
    benchmark:
        "<results>/benchmarks/provenance/provenance.tsv"
    conda:
        "../../environment.yml"
    params:
        spec=spec("provenance"),
        code=code("provenance"),
    message:
        "Record the run"
    shell:
        "python -m replication provenance --spec {params.spec:q} --project {input.project:q}"
        " --inputs {input.workflow:q} {input.published:q} {input.data:q} {input.sources:q}"
        " --outputs {input.verdicts:q} {input.claims:q} {input.unavailable:q}"
        " {input.artefacts:q} --output {output.crate:q}"
        " > {log:q} 2>&1"
