"""Entry script of rule render_mixtures."""

from earnest import io, mixing
from earnest.studies.joblog import job_log

with job_log(snakemake.log[0]):
    planned = {"shard": int(snakemake.wildcards.shard)}
    shard = mixing.Shard(
        io.read_frame("mixture_plan", snakemake.input.plan, only=planned),
        io.read_frame("clips", snakemake.input.clips),
        # the renderer verifies the clips that it uses, which are few of all
        {k: io.read_array(path, verified=False) for k, path in enumerate(snakemake.input.prepared)},
        margin_lu=snakemake.params.margin_lu,
        variant=snakemake.wildcards.variant,
    )
    rate = snakemake.params.sample_rate
    io.write_audio_blocks(shard.sounds(), snakemake.output.audio, sample_rate=rate)
    io.write_frame(
        "mixtures", shard.mixtures(), snakemake.output.mixtures, stamp=snakemake.params.stamp
    )
