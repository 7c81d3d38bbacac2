"""Entry script of rule estimate_scores."""

from earnest import io
from earnest.protocols.subsets import estimating
from earnest.studies.joblog import job_log
from earnest.tasks import pools

with job_log(snakemake.log[0]):
    names = snakemake.wildcards
    frame = io.read_frame("pool", snakemake.input.pool)
    embeddings = io.read_array(snakemake.input.embeddings)
    estimates, weights = estimating.estimate_block(
        pools.as_pool(frame, embeddings, io.read_json(snakemake.input.description)),
        frame["label"].to_numpy(dtype=str),
        io.read_shards("draws", [snakemake.input.draws], stamp=snakemake.params.draws_stamp),
        study=names.study,
        task=names.task,
        sampler=names.sampler,
        estimator=names.estimator,
        **snakemake.params.estimate,
    )
    stamp = snakemake.params.stamp
    io.write_frame("estimates", estimates, snakemake.output.estimates, stamp=stamp)
    io.write_frame("weights", weights, snakemake.output.weights, stamp=stamp)
