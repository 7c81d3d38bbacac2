"""Entry script of rule check_clips."""

from earnest import io
from earnest.datasets import acceptance
from earnest.studies.joblog import job_log

with job_log(snakemake.log[0]):
    clips = io.read_frame("clips", snakemake.input.clips)
    counts = acceptance.check_rejections(clips, snakemake.params.accepted_reasons)
    io.write_json(counts, snakemake.output.checks)
