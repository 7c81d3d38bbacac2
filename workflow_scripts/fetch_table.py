"""Entry script of rule fetch_table."""

from earnest import io
from earnest.datasets import table_downloads
from earnest.studies.joblog import job_log

with job_log(snakemake.log[0]):
    fetched = table_downloads.fetch_table(
        snakemake.wildcards.collection,
        snakemake.wildcards.dataset,
        table=snakemake.params.registry,
        destination=snakemake.params.destination,
        records=snakemake.params.records,
    )
    io.write_json(fetched, snakemake.output.fetched)
