"""Entry script of rule list_clips."""

from earnest import io
from earnest.datasets import verification
from earnest.studies.joblog import job_log

with job_log(snakemake.log[0]):
    located = io.read_json(snakemake.input.root)
    listing = verification.list_verified(
        snakemake.wildcards.dataset,
        located["root"],
        origin=located["origin"],
        records=snakemake.params.records,
        **snakemake.params.options,
    )
    io.write_frame("listing", listing, snakemake.output.listing)
