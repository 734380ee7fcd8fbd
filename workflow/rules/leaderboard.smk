"""The leaderboard: what others hand in beside what the study computed."""


rule leaderboard:
    """Methods of data/user/methods, scored beside those of the study (docs/leaderboard.md)."""
    input:
        records=inputs("leaderboard", "records"),
        handed_in=inputs("leaderboard", "handed_in"),
    output:
        page=file("board"),
        table=file("board_table"),
    log:
        "<results>/logs/leaderboard.txt",
    benchmark:
        "<results>/benchmarks/leaderboard/leaderboard.tsv"
    conda:
        "../../environment.yml"
    params:
        spec=spec("leaderboard"),
        code=code("leaderboard"),
    message:
        "Make the leaderboard"
    shell:
        "python -m replication leaderboard --spec {params.spec:q} --page {output.page:q}"
        " --table {output.table:q} > {log:q} 2>&1"


rule leaderboard_tables:
    """The study's tables as files, to cluster them elsewhere and hand in the labels."""
    input:
        inputs("hand_out", "files"),
    output:
        file("handed_out"),
    log:
        "<results>/logs/hand_out.txt",
    benchmark:
        "<results>/benchmarks/hand_out/hand_out.tsv"
    conda:
        "../../environment.yml"
    params:
        spec=spec("hand_out"),
        code=code("hand_out"),
    message:
        "Write the tables of the study"
    shell:
        "python -m replication hand_out --spec {params.spec:q} --output {output:q} > {log:q} 2>&1"
