# Cross-validation by recordings: halves and subconcept forests of each task, a binary forest per correction.
rule split_sounds:
    input:
        clips="results/{study}/clips.parquet",
        item_table=get_crossed_items("items.parquet"),
        embeddings=get_crossed_items("embeddings.npy"),
    output:
        description="results/{study}/subconcepts/splits/{topic}/task.json",
        item_table="results/{study}/subconcepts/splits/{topic}/items.parquet",
        subconcepts="results/{study}/subconcepts/splits/{topic}/subconcepts.parquet",
        recognition="results/{study}/subconcepts/splits/{topic}/recognition.parquet",
    log:
        "logs/{study}/split_sounds/{topic}.log",
    benchmark:
        "benchmarks/runs/{study}/split_sounds/{topic}.tsv"
    resources:
        mem_mb=grow_memory,
        runtime=60,
    params:
        task=get_topic,
        split=get_split(),
        code=CROSSED_CODE["splits"],
        stamp=get_splits_stamp(),
    message:
        "Halving the items by recordings and predicting their subconcepts: {wildcards.topic}"
    script:
        "../../../workflow_scripts/split_sounds.py"


rule score_correction:
    input:
        description="results/{study}/subconcepts/splits/{topic}/task.json",
        features=get_crossed_items("embeddings.npy"),
        item_table="results/{study}/subconcepts/splits/{topic}/items.parquet",
    output:
        scores="results/{study}/subconcepts/scores/{topic}/{correction}/scores.parquet",
        recalls="results/{study}/subconcepts/scores/{topic}/{correction}/recalls.parquet",
    log:
        "logs/{study}/score_correction/{topic}/{correction}.log",
    benchmark:
        "benchmarks/runs/{study}/score_correction/{topic}/{correction}.tsv"
    resources:
        mem_mb=grow_memory,
        runtime=60,
    params:
        score=get_forests(),
        code=CROSSED_CODE["scores"],
        stamp=get_scores_stamp(),
        splits_stamp=get_splits_stamp(),
    message:
        "Scoring {wildcards.topic}, correction {wildcards.correction}"
    script:
        "../../../workflow_scripts/score_correction.py"
