# Backbones: networks trained on the training items of the main variant, before anything is embedded by them.
rule train_backbone:
    input:
        sounds=STUDY.training_tables,
        audio=STUDY.training_audio,
    output:
        model="results/{study}/embeddings/{embedding}/backbone/model.pt",
        head="results/{study}/embeddings/{embedding}/backbone/head.json",
        training="results/{study}/embeddings/{embedding}/backbone/training.json",
    log:
        "logs/{study}/train_backbone/{embedding}.log",
    benchmark:
        "benchmarks/runs/{study}/train_backbone/{embedding}.tsv"
    threads: STUDY.training_threads
    resources:
        mem_mb=grow_memory,
        runtime=600,
    params:
        table=STUDY.ITEMS,
        sounds_stamp=STUDY.stamp_of(STUDY.ITEM_STAGE),
        training=STUDY.training_options,
        unfinished=STUDY.unfinished,
        code=STUDY.code_of("backbones"),
    message:
        "Training the network of embedding {wildcards.embedding}"
    script:
        "../../workflow_scripts/train_backbone.py"
