# A pool of one's own: embeddings of its sounds, where it has any, and the evaluation.
rule embed_own_sounds:
    output:
        array="results/{study}/embeddings.npy",
    log:
        "logs/{study}/embed_own_sounds.log",
    benchmark:
        "benchmarks/runs/{study}/embed_own_sounds.tsv"
    resources:
        mem_mb=grow_memory,
        runtime=120,
    params:
        pool=STUDY.file("pool"),
        audio=STUDY.given("audio"),
        code=STUDY.code_of("embeddings"),
        stamp=STUDY.stamp_of("embeddings"),
    message:
        "Embedding the sounds of the pool"
    script:
        "../../workflow_scripts/embed_own_sounds.py"


rule evaluate_own_pool:
    input:
        STUDY.embedded_sounds,
    output:
        estimates="results/{study}/estimates.parquet",
        sheet="results/{study}/estimates.csv",
        unseen="results/{study}/unseen.parquet",
        plans="results/{study}/plans.parquet",
        chosen="results/{study}/next_labels.csv",
        evaluation="results/{study}/evaluation.json",
        metrics="results/{study}/metrics.json",
        provenance="results/{study}/provenance.json",
        report=report(
            "results/{study}/report.html",
            caption="../captions/own.rst",
            category="Reports",
            labels={"study": "{study}"},
        ),
    log:
        "logs/{study}/evaluate_own_pool.log",
    benchmark:
        "benchmarks/runs/{study}/evaluate_own_pool.tsv"
    resources:
        mem_mb=grow_memory,
        runtime=30,
    params:
        title=STUDY.given("title"),
        files=STUDY.pool_files,
        reading=STUDY.reading_options(),
        evaluation=STUDY.evaluation_options(),
        provenance=STUDY.provenance,
        libraries=STUDY.LIBRARIES,
        code=STUDY.code_of("evaluation"),
        report_code=STUDY.code_of("report"),
        stamp=STUDY.stamp_of("evaluation"),
    message:
        "Evaluating the pool"
    script:
        "../../workflow_scripts/evaluate_own_pool.py"
