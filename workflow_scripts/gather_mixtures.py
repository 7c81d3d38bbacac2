"""Entry script of rule gather_mixtures."""

from earnest import io
from earnest.studies.joblog import job_log

with job_log(snakemake.log[0]):
    stamp = snakemake.params.stamp
    mixtures = io.read_shards("mixtures", snakemake.input.shards, stamp=stamp)
    io.write_frame("mixtures", mixtures, snakemake.output.mixtures, stamp=stamp)
