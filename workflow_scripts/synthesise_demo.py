"""Entry script of rule synthesise_demo."""

from earnest import io
from earnest.datasets import demo
from earnest.studies.joblog import job_log

with job_log(snakemake.log[0]):
    demo.synthesise(
        snakemake.output.corpus,
        clips_per_kind=int(snakemake.wildcards.clips_per_kind),
        root_seed=0,
    )
    root = {"root": snakemake.output.corpus, "origin": "synthesised"}
    io.write_json(root, snakemake.output.root)
