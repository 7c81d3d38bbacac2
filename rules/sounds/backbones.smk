# Backbones: networks trained on the training items of the main variant, before anything is embedded by them.
rule train_backbone:
    input:
        sounds=get_all_training_sounds,
        audio=get_all_training_audio,
    output:
        model="results/{study}/embeddings/{embedding}/backbone/model.pt",
        head="results/{study}/embeddings/{embedding}/backbone/head.json",
        training="results/{study}/embeddings/{embedding}/backbone/training.json",
    log:
        "logs/{study}/train_backbone/{embedding}.log",
    benchmark:
        "benchmarks/runs/{study}/train_backbone/{embedding}.tsv"
    threads: get_training_threads
    resources:
        mem_mb=grow_memory,
        runtime=600,
    params:
        table="mixtures" if MIXED else "items",
        sounds_stamp=get_stamp("mixtures" if MIXED else "plan"),
        training=get_training,
        unfinished=get_unfinished,
        code=code_version("backbones"),
    message:
        "Training the network of embedding {wildcards.embedding}"
    script:
        "../../workflow_scripts/train_backbone.py"
