"""Entry script of rule embed_own_sounds."""

from earnest import io
from earnest.io import strict
from earnest.protocols.ownpool import embedding
from earnest.studies.joblog import job_log

with job_log(snakemake.log[0]):
    given = dict(snakemake.params.audio)
    items = strict.read_texts(snakemake.params.pool, key="item_id")
    vectors = embedding.embed(items.names, given.pop("path"), given.pop("backend"), **given)
    io.write_array(vectors, snakemake.output.array)
