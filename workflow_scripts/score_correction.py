"""Entry script of rule score_correction."""

from earnest import io
from earnest.protocols.crossval import scoring
from earnest.studies.joblog import job_log

with job_log(snakemake.log[0]):
    scores, recalls = scoring.score_correction(
        io.read_json(snakemake.input.description),
        io.read_array(snakemake.input.features),
        io.read_shards(
            "fold_items", [snakemake.input.item_table], stamp=snakemake.params.splits_stamp
        ),
        correction=snakemake.wildcards.correction,
        **snakemake.params.score,
    )
    stamp = snakemake.params.stamp
    io.write_frame("fold_scores", scores, snakemake.output.scores, stamp=stamp)
    io.write_frame("fold_recalls", recalls, snakemake.output.recalls, stamp=stamp)
