# Mixtures as single files, for other programs: one folder per foreground, as SpurAudio is published.
rule export_mixtures:
    input:
        mixtures="results/{study}/mixtures.parquet",
        audio=STUDY.all_mixture_audio,
    output:
        folder=directory("results/{study}/export"),
    log:
        "logs/{study}/export_mixtures.log",
    benchmark:
        "benchmarks/runs/{study}/export_mixtures.tsv"
    resources:
        mem_mb=grow_memory,
        runtime=60,
    params:
        shards=STUDY.audio_shards(),
        length=STUDY.length,
        sample_rate=config["clips"]["sample_rate"],
        mixtures_stamp=STUDY.stamp_of("mixtures"),
        code=STUDY.code_of("export"),
    message:
        "Exporting the mixtures as single files"
    script:
        "../../workflow_scripts/export_mixtures.py"
