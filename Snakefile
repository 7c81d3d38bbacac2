# Contents page: configuration, stages, named targets. All code is in earnest/.
from snakemake.utils import min_version

min_version("9.0")


if "study" not in config:

    configfile: "config/config.yaml"


include: "rules/common.smk"
include: "rules/data.smk"
include: "rules/mixtures.smk"
include: "rules/embeddings.smk"
include: "rules/tasks.smk"
include: "rules/draws.smk"
include: "rules/estimates.smk"
include: "rules/reports.smk"


localrules:
    all,
    clips,
    mixtures,
    embeddings,
    pools,
    draws,
    estimates,
    reports,


rule all:
    default_target: True
    input:
        get_result("report.html"),
        get_result("checks.json"),


rule clips:
    input:
        get_result("clips.parquet"),


rule mixtures:
    input:
        get_result("mixtures.parquet"),


rule embeddings:
    input:
        get_result("embeddings/embeddings.npy"),


rule pools:
    input:
        get_all_pools,


rule draws:
    input:
        get_all_draws,


rule estimates:
    input:
        get_all_estimates,


rule reports:
    input:
        get_result("report.html"),
