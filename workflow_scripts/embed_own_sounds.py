"""Entry script of rule embed_own_sounds."""

from earnest import io
from earnest.deployment import reading, sounds
from earnest.joblog import job_log

with job_log(snakemake.log[0]):
    given = dict(snakemake.params.audio)
    items = reading.read_table(snakemake.input.pool, "item_id", ())
    vectors = sounds.embed(items.names, given.pop("path"), given.pop("backend"), **given)
    io.write_array(vectors, snakemake.output.array)
