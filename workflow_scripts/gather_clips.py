"""Entry script of rule gather_clips."""

from earnest import io
from earnest.datasets import parts
from earnest.studies.joblog import job_log

with job_log(snakemake.log[0]):
    stamp = snakemake.params.stamp
    frames = [io.read_shards("clips", [path], stamp=stamp) for path in snakemake.input.parts]
    io.write_frame("clips", parts.join_parts(frames), snakemake.output.clips, stamp=stamp)
