"""Entry script of rule compare_weights."""

from earnest import io, joint
from earnest.joblog import job_log

with job_log(snakemake.log[0]):
    estimates = io.read_shards(
        "estimates", snakemake.input.shards, stamp=snakemake.params.estimates_stamps
    )
    compared = joint.compare(estimates, **snakemake.params.comparison)
    io.write_frame("joint", compared, snakemake.output.joint)
