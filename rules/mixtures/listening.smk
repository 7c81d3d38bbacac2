# Some mixtures of every pair to listen to, and what a listener rejects.
rule write_listening_page:
    input:
        mixtures="results/{study}/mixtures.parquet",
        audio=STUDY.all_mixture_audio,
    output:
        page="results/{study}/listening.html",
        sounds=directory("results/{study}/listening"),
    log:
        "logs/{study}/write_listening_page.log",
    benchmark:
        "benchmarks/runs/{study}/write_listening_page.tsv"
    resources:
        mem_mb=grow_memory,
        runtime=30,
    params:
        title=STUDY.given("title"),
        rejected=STUDY.file("mixtures", "rejected"),
        variants=list(STUDY.variants),
        shards=STUDY.audio_shards(),
        per_pair=config["report"]["listening_per_pair"],
        length=STUDY.length,
        sample_rate=config["clips"]["sample_rate"],
        mixtures_stamp=STUDY.stamp_of("mixtures"),
        stamp=STUDY.stamp_of("listening"),
    message:
        "Writing the listening page"
    script:
        "../../workflow_scripts/write_listening_page.py"
