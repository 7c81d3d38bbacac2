"""Entry script of rule contrast_contexts."""

from earnest import io
from earnest.protocols.crossval import contrasts, correlations
from earnest.studies.joblog import job_log

with job_log(snakemake.log[0]):
    given = snakemake.input
    found = contrasts.contrasts(
        io.read_json(given.datasets),
        io.read_frame("fold_recalls", given.recalls),
        correlations.dataset_means(io.read_frame("fold_scores", given.scores)),
    )
    statistics = contrasts.contrast_statistics(found, **snakemake.params.assessment)
    io.write_frame("sound_contrasts", found, snakemake.output.contrasts)
    io.write_frame("sound_statistics", statistics, snakemake.output.statistics)
