"""Entry script of rule split_table."""

from earnest import io
from earnest.datasets import table_downloads
from earnest.protocols.crossval import splitting
from earnest.studies.joblog import job_log

with job_log(snakemake.log[0]):
    folders, tried = table_downloads.found_by(snakemake.input.files, snakemake.params.folders)
    split = splitting.split_file(
        snakemake.params.collection,
        snakemake.wildcards.dataset,
        folders,
        tried=tried,
        **snakemake.params.split,
    )
    stamp = snakemake.params.stamp
    io.write_json(split.description, snakemake.output.description)
    io.write_array(split.features, snakemake.output.features)
    io.write_frame("fold_items", split.items, snakemake.output.item_table, stamp=stamp)
    io.write_frame("fold_subconcepts", split.subconcepts, snakemake.output.subconcepts, stamp=stamp)
    io.write_frame("recognition", split.recognition, snakemake.output.recognition, stamp=stamp)
