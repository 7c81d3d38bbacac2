"""Entry script of rule draw_subsets."""

from earnest import io
from earnest.protocols.subsets import drawing
from earnest.studies.joblog import job_log
from earnest.tasks import pools

with job_log(snakemake.log[0]):
    draws = drawing.draw_block(
        pools.as_pool(
            io.read_frame("pool", snakemake.input.pool),
            io.read_array(snakemake.input.embeddings),
            io.read_json(snakemake.input.description),
        ),
        task=snakemake.wildcards.task,
        sampler=snakemake.wildcards.sampler,
        seeds=snakemake.params.seeds,
        **snakemake.params.draw,
    )
    io.write_frame("draws", draws, snakemake.output.shard, stamp=snakemake.params.stamp)
