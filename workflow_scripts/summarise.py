"""Entry script of rule summarise."""

from earnest import assessment, comparisons, io
from earnest.joblog import job_log

with job_log(snakemake.log[0]):
    estimates = io.read_shards(
        "estimates", snakemake.input.shards, stamp=snakemake.params.estimates_stamps
    )
    summary = assessment.summarise(estimates, level=snakemake.params.level)
    io.write_frame("summary", summary, snakemake.output.summary)
    compared = comparisons.compare(estimates, summary, level=snakemake.params.level)
    io.write_frame("comparisons", compared, snakemake.output.comparisons)
    io.write_csv("comparisons", compared, snakemake.output.comparison_list)
    io.write_csv("curves", assessment.curves(summary), snakemake.output.curves)
    metrics = assessment.metrics(summary, **snakemake.params.headline)
    io.write_json(metrics, snakemake.output.metrics)
