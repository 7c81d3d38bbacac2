"""Entry script of rule fetch_dataset."""

from earnest import io
from earnest.datasets import verification
from earnest.studies.joblog import job_log

with job_log(snakemake.log[0]):
    located = verification.locate(
        snakemake.wildcards.dataset,
        mirror=snakemake.params.mirror,
        destination=snakemake.params.destination,
        registry=snakemake.params.registry,
    )
    io.write_json(located, snakemake.output.root)
