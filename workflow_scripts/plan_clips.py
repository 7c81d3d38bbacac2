"""Entry script of rule plan_clips."""

from earnest import io
from earnest.mixing import plan
from earnest.studies.joblog import job_log

with job_log(snakemake.log[0]):
    planned = plan.plan_clips(
        io.read_frame("clips", snakemake.input.clips), **snakemake.params.plan
    )
    io.write_frame("items", planned.items, snakemake.output.plan, stamp=snakemake.params.stamp)
    io.write_frame("dropped", planned.dropped, snakemake.output.dropped)
