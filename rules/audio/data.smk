# Sources: where each data set lies, which clips it lists, decoded once and screened.
localrules:
    fetch_dataset,
    locate_folder,
    gather_clips,


rule synthesise_demo:
    output:
        corpus=directory("data/demo/clips-{clips_per_kind}/corpus"),
        root="data/demo/clips-{clips_per_kind}/root.json",
    log:
        "logs/synthesise_demo/clips-{clips_per_kind}.log",
    benchmark:
        "benchmarks/runs/synthesise_demo/clips-{clips_per_kind}.tsv"
    wildcard_constraints:
        clips_per_kind=r"\d+",
    params:
        code=STUDY.code_of("synthesis"),
    message:
        "Synthesising the demo corpus"
    script:
        "../../workflow_scripts/synthesise_demo.py"


rule fetch_dataset:
    output:
        root="data/raw/{dataset}.json",
    log:
        "logs/fetch_dataset/{dataset}.log",
    params:
        mirror=STUDY.given("mirror"),
        found=STUDY.has_mirror,
        contents=STUDY.source_contents,
        destination="data/raw",
        registry=STUDY.registry,
        code=STUDY.code_of("downloads"),
    message:
        "Locating {wildcards.dataset}; a download shows its progress in {log}"
    script:
        "../../workflow_scripts/fetch_dataset.py"


rule locate_folder:
    output:
        root="data/folders/{study}.json",
    log:
        "logs/{study}/locate_folder.log",
    params:
        path=STUDY.given("folder", "path"),
        contents=STUDY.folder_contents,
        code=STUDY.code_of("folder"),
    message:
        "Looking through the folder of the study"
    script:
        "../../workflow_scripts/locate_folder.py"


rule list_clips:
    input:
        root=STUDY.root,
    output:
        listing="results/{study}/clips/{dataset}/listing.parquet",
    log:
        "logs/{study}/list_clips/{dataset}.log",
    params:
        code=STUDY.code_of("listing"),
        stamp=STUDY.stamp_of("listing"),
        records="data/checksums",
        options=STUDY.listing_options,
    message:
        "Listing the clips of {wildcards.dataset}"
    script:
        "../../workflow_scripts/list_clips.py"


rule prepare_clips:
    input:
        listing="results/{study}/clips/{dataset}/listing.parquet",
    output:
        clips="results/{study}/clips/{dataset}/part-{part}.parquet",
        samples="results/{study}/clips/{dataset}/part-{part}.npy",
    log:
        "logs/{study}/prepare_clips/{dataset}/part-{part}.log",
    benchmark:
        "benchmarks/runs/{study}/prepare_clips/{dataset}/part-{part}.tsv"
    resources:
        mem_mb=grow_memory,
        runtime=60,
    params:
        parts=config["clips"]["parts"],
        prepare=STUDY.clip_options,
        code=STUDY.code_of("clips"),
        stamp=STUDY.stamp_of("clips"),
    message:
        "Decoding and screening {wildcards.dataset}, part {wildcards.part}"
    script:
        "../../workflow_scripts/prepare_clips.py"


rule gather_clips:
    input:
        parts=STUDY.clip_parts,
    output:
        clips="results/{study}/clips.parquet",
    log:
        "logs/{study}/gather_clips.log",
    params:
        stamps=STUDY.clip_stamps,
        stamp=STUDY.stamp_of("clips"),
    message:
        "Joining the clips tables"
    script:
        "../../workflow_scripts/gather_clips.py"
