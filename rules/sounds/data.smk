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
        code=provenance.code_version("datasets.demo"),
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
        mirror=config["mirror"],
        found=get_mirror,
        destination="data/raw",
        registry="config/datasets.tsv",
        code=provenance.code_version("datasets.verification"),
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
        path=config["folder"]["path"],
        contents=get_folder_contents,
        code=provenance.code_version("datasets.folder"),
    message:
        "Looking through the folder of the study"
    script:
        "../../workflow_scripts/locate_folder.py"


rule list_clips:
    input:
        root=get_root,
    output:
        listing="results/{study}/clips/{dataset}/listing.parquet",
    log:
        "logs/{study}/list_clips/{dataset}.log",
    params:
        code=provenance.code_version("datasets"),
        records="data/checksums",
        options=get_listing_options,
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
        prepare={
            "quality": config["clips"]["resampler"],
            "sample_rate": config["clips"]["sample_rate"],
            "length": LENGTH,
            "root_seed": config["root_seed"],
            "labels": get_wanted_labels(),
        },
        code=code_version("clips"),
        stamp=get_stamp("clips"),
    message:
        "Decoding and screening {wildcards.dataset}, part {wildcards.part}"
    script:
        "../../workflow_scripts/prepare_clips.py"


rule gather_clips:
    input:
        parts=get_clip_parts,
    output:
        clips="results/{study}/clips.parquet",
    log:
        "logs/{study}/gather_clips.log",
    params:
        stamp=get_stamp("clips"),
    message:
        "Joining the clips tables"
    script:
        "../../workflow_scripts/gather_clips.py"
