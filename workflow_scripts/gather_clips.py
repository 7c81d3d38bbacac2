"""Entry script of rule gather_clips."""

from earnest import io
from earnest.datasets import parts
from earnest.studies.joblog import job_log

with job_log(snakemake.log[0]):
    params = snakemake.params
    shards = zip(snakemake.input.parts, params.stamps, strict=True)
    frames = [io.read_shards("clips", [path], stamp=stamp) for path, stamp in shards]
    io.write_frame("clips", parts.join_parts(frames), snakemake.output.clips, stamp=params.stamp)
