"""Entry script of rule summarise."""

import pandas as pd

from earnest import io
from earnest.io import shards
from earnest.protocols.subsets import comparisons
from earnest.protocols.subsets import summary as assessment
from earnest.studies.joblog import job_log

with job_log(snakemake.log[0]):
    given, params = snakemake.input, snakemake.params
    found = [
        (
            part := assessment.summarise(estimates, level=params.level),
            comparisons.compare(estimates, part, level=params.level),
        )
        for estimates in shards.read_parts(
            "estimates", given.shards, stamps=params.estimates_stamps, by="task"
        )
    ]
    summary, compared = (pd.concat(parts, ignore_index=True) for parts in zip(*found, strict=True))
    io.write_frame("summary", summary, snakemake.output.summary)
    io.write_frame("comparisons", compared, snakemake.output.comparisons)
    io.write_csv("comparisons", compared, snakemake.output.comparison_list)
    io.write_csv("curves", assessment.curves(summary), snakemake.output.curves)
    metrics = assessment.metrics(summary, measures=params.measures, **params.headline)
    io.write_json(metrics, snakemake.output.metrics, checksum=False)
