"""Entry script of rule check_backend."""

from earnest import embeddings, io
from earnest.embeddings import checking
from earnest.studies.joblog import job_log

with job_log(snakemake.log[0]):
    chosen = snakemake.params.embedding
    backend = embeddings.get_backend(chosen["backend"], **chosen["options"])
    checks = checking.check_backend(backend)
    print(checking.table(checks))
    checking.demand(checks, chosen["backend"])
    io.write_json(checking.report(backend, checks), snakemake.output.checks)
