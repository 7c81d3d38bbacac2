# Some mixtures of every pair to listen to, and what a listener rejects.
rule write_listening_page:
    input:
        mixtures="results/{study}/mixtures.parquet",
        audio=list(get_all_mixture_audio().values()),
        rejected=config["mixtures"]["rejected"],
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
        title=config["title"],
        variants=list(VARIANTS),
        shards=list(get_all_mixture_audio()),
        per_pair=config["report"]["listening_per_pair"],
        length=LENGTH,
        sample_rate=config["clips"]["sample_rate"],
        mixtures_stamp=get_stamp("mixtures"),
        code=code_version("listening"),
    message:
        "Writing the listening page"
    script:
        "../../workflow_scripts/write_listening_page.py"
