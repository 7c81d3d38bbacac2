"""Entry script of rule render_mixtures."""

from earnest import io, mixing
from earnest.joblog import job_log

with job_log(snakemake.log[0]):
    shard = {"shard": int(snakemake.wildcards.shard)}
    samples, mixtures = mixing.render(
        io.read_frame("mixture_plan", snakemake.input.plan, only=shard),
        io.read_frame("clips", snakemake.input.clips),
        dict(enumerate(map(io.read_array, snakemake.input.prepared))),
        margin_lu=snakemake.params.margin_lu,
        variant=snakemake.wildcards.variant,
    )
    io.write_audio(samples, snakemake.output.audio, sample_rate=snakemake.params.sample_rate)
    io.write_frame("mixtures", mixtures, snakemake.output.mixtures, stamp=snakemake.params.stamp)
