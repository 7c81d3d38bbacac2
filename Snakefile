# Contents page: what every study shares, then the stages and named targets of its kind. All code is in earnest/.
from snakemake.utils import min_version

min_version("9.0")


if "study" not in config:

    configfile: "config/config.yaml"


include: "rules/common.smk"
# Studies on mixtures of sounds, on clips as they are, on tables or predictions, and on a pool of one's own.
include: f"rules/{STUDY.RULES}/workflow.smk"


rule all:
    default_target: True
    input:
        STUDY.targets(),
    localrule: True
