"""Entry script of rule split_sounds."""

from earnest import io
from earnest.protocols.crossval import items
from earnest.studies.joblog import job_log

with job_log(snakemake.log[0]):
    split = items.split_items(
        io.read_frame("items", snakemake.input.item_table),
        io.read_array(snakemake.input.embeddings),
        clips=io.read_frame("clips", snakemake.input.clips),
        **snakemake.params.task,
        **snakemake.params.split,
    )
    made, stamp = snakemake.output, snakemake.params.stamp
    io.write_json(split.description, made.description)
    io.write_frame("fold_items", split.items, made.item_table, stamp=stamp)
    io.write_frame("fold_subconcepts", split.subconcepts, made.subconcepts, stamp=stamp)
    io.write_frame("recognition", split.recognition, made.recognition, stamp=stamp)
