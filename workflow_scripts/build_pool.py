"""Entry script of rule build_pool."""

from earnest import io
from earnest.studies.joblog import job_log
from earnest.tasks import pools

with job_log(snakemake.log[0]):
    built = pools.build_pool(
        io.read_frame("items", snakemake.input.item_table),
        io.read_array(snakemake.input.embeddings),
        pools.TaskSettings(
            root_seed=snakemake.params.root_seed,
            classifier=snakemake.params.classifier["name"],
            classifier_options=snakemake.params.classifier["options"],
            network=io.read_optional_json(snakemake.input.network),
            **snakemake.params.task,
        ),
    )
    io.write_frame("pool", built.frame, snakemake.output.pool, stamp=snakemake.params.stamp)
    io.write_array(built.embeddings, snakemake.output.embeddings)
    io.write_frame("subconcepts", built.subconcepts, snakemake.output.subconcepts)
    io.write_json(built.description, snakemake.output.description)
