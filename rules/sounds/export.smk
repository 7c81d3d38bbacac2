# Mixtures as single files, for other programs: one folder per foreground, as SpurAudio is published.
rule export_mixtures:
    input:
        mixtures="results/{study}/mixtures.parquet",
        audio=list(get_all_mixture_audio().values()),
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
        shards=list(get_all_mixture_audio()),
        length=LENGTH,
        sample_rate=config["clips"]["sample_rate"],
        mixtures_stamp=get_stamp("mixtures"),
        code=provenance.code_version("mixing.exporting"),
    message:
        "Exporting the mixtures as single files"
    script:
        "../../workflow_scripts/export_mixtures.py"
