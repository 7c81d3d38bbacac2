"""Entry script of rule score_predictions."""

from earnest import io
from earnest.protocols.crossval import predictions
from earnest.studies.joblog import job_log

with job_log(snakemake.log[0]):
    model, made, stamp = snakemake.params.model, snakemake.output, snakemake.params.stamp
    scored = predictions.score_file(model["name"], model["predictions"], model["subconcepts"])
    io.write_json(scored.description, made.description)
    io.write_frame("fold_subconcepts", scored.subconcepts, made.subconcepts, stamp=stamp)
    io.write_frame("recognition", scored.recognition, made.recognition, stamp=stamp)
    io.write_frame("fold_scores", scored.scores, made.scores, stamp=stamp)
    io.write_frame("fold_recalls", scored.recalls, made.recalls, stamp=stamp)
