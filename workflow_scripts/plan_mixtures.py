"""Entry script of rule plan_mixtures."""

from earnest import io
from earnest.mixing import plan
from earnest.studies.joblog import job_log

with job_log(snakemake.log[0]):
    planned = plan.plan_mixtures(
        plan.read_pairs(snakemake.params.pairs),
        io.read_frame("clips", snakemake.input.clips),
        rejected=plan.read_rejected(snakemake.params.rejected),
        **snakemake.params.plan,
    )
    io.write_frame("mixture_plan", planned.mixtures, snakemake.output.plan)
    io.write_frame("dropped", planned.dropped, snakemake.output.dropped)
