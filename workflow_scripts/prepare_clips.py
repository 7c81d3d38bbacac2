"""Entry script of rule prepare_clips."""

from earnest import io
from earnest.datasets import parts, preparing
from earnest.studies.joblog import job_log

with job_log(snakemake.log[0]):
    listing = io.read_frame("listing", snakemake.input.listing)
    part = int(snakemake.wildcards.part)
    clips = preparing.prepare(
        parts.rows_of_part(listing, part=part, parts=snakemake.params.parts),
        part=part,
        array_path=snakemake.output.samples,
        **snakemake.params.prepare,
    )
    io.write_frame("clips", clips, snakemake.output.clips, stamp=snakemake.params.stamp)
