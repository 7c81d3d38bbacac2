"""Entry script of rule assess_tables."""

from earnest import io
from earnest.protocols.crossval import correlations, weight_quality
from earnest.studies.joblog import job_log

with job_log(snakemake.log[0]):
    given, made, options = snakemake.input, snakemake.output, snakemake.params.assessment
    splits, shards = snakemake.params.splits_stamps, snakemake.params.scores_stamps
    scores = io.read_shards("fold_scores", given.scores, stamp=shards)
    recalls = io.read_shards("fold_recalls", given.recalls, stamp=shards)
    quality = weight_quality.weight_quality(
        io.read_shards("fold_subconcepts", given.subconcepts, stamp=splits),
        io.read_shards("recognition", given.recognition, stamp=splits),
    )
    means = correlations.dataset_means(scores)
    found = correlations.assess(means, **options)
    recognition = weight_quality.correlate_quality(quality, **options)
    distances = weight_quality.distances(means)
    io.write_json([io.read_json(path) for path in given.descriptions], made.datasets)
    io.write_frame("fold_scores", scores, made.scores)
    io.write_frame("fold_recalls", recalls, made.recalls)
    io.write_frame("table_correlations", found["table_correlations"], made.correlations)
    io.write_frame("table_gaps", found["table_gaps"], made.gaps)
    io.write_frame("table_gap_differences", found["table_gap_differences"], made.differences)
    io.write_frame("weight_quality", quality, made.quality)
    io.write_frame("recognition_correlations", recognition, made.recognition)
    io.write_frame("table_distances", distances, made.distances)
    io.write_frame("table_weights", weight_quality.missed_and_hit(recalls), made.weights)
    io.write_json(correlations.metrics(found, recognition, distances), made.metrics, checksum=False)
