# SpurAudio mixtures: a plan (cheap, deterministic), then rendering in shards.
localrules:
    plan_mixtures,
    gather_mixtures,


rule plan_mixtures:
    input:
        clips="results/{study}/clips.parquet",
    output:
        plan="results/{study}/plan/mixtures.parquet",
        dropped="results/{study}/plan/dropped.parquet",
    log:
        "logs/{study}/plan_mixtures.log",
    params:
        pairs=STUDY.file("mixtures", "pairs"),
        rejected=STUDY.file("mixtures", "rejected"),
        plan=STUDY.plan_options(),
        code=STUDY.code_of("plan"),
        stamp=STUDY.stamp_of("plan"),
    message:
        "Planning the mixtures"
    script:
        "../../workflow_scripts/plan_mixtures.py"


rule render_mixtures:
    input:
        plan="results/{study}/plan/mixtures.parquet",
        clips="results/{study}/clips.parquet",
        parts=STUDY.clip_parts,
        prepared=STUDY.clip_audio,
    output:
        mixtures="results/{study}/mixtures/{variant}/shard-{shard}.parquet",
        audio=f"results/{{study}}/mixtures/{{variant}}/shard-{{shard}}.{config['mixtures']['format']}",
    log:
        "logs/{study}/render_mixtures/{variant}/shard-{shard}.log",
    benchmark:
        "benchmarks/runs/{study}/render_mixtures/{variant}/shard-{shard}.tsv"
    resources:
        mem_mb=grow_memory,
        runtime=60,
    params:
        margin_lu=STUDY.margin,
        sample_rate=config["clips"]["sample_rate"],
        code=STUDY.code_of("mixtures"),
        stamp=STUDY.stamp_of("mixtures"),
    message:
        "Rendering mixtures, {wildcards.variant}, shard {wildcards.shard}"
    script:
        "../../workflow_scripts/render_mixtures.py"


rule gather_mixtures:
    input:
        shards=STUDY.all_mixture_shards,
    output:
        mixtures="results/{study}/mixtures.parquet",
    log:
        "logs/{study}/gather_mixtures.log",
    params:
        stamp=STUDY.stamp_of("mixtures"),
    message:
        "Joining the mixture tables"
    script:
        "../../workflow_scripts/gather_mixtures.py"
