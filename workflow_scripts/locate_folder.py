"""Entry script of rule locate_folder."""

from earnest import io
from earnest.datasets import verification
from earnest.studies.joblog import job_log

with job_log(snakemake.log[0]):
    located = verification.locate_own(snakemake.params.path, snakemake.params.contents)
    io.write_json(located, snakemake.output.root)
