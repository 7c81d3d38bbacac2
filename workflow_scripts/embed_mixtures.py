"""Entry script of rule embed_mixtures."""

from earnest import embeddings, io
from earnest.embeddings import store
from earnest.joblog import job_log

with job_log(snakemake.log[0]):
    backend = embeddings.get_backend(snakemake.params.backend)
    mixtures = io.read_frame("mixtures", snakemake.input.mixtures)
    vectors = store.embed_shard(snakemake.input.audio, mixtures, backend)
    io.write_array(vectors, snakemake.output.embeddings)
    description = backend.describe() | {"stamp": snakemake.params.stamp}
    io.write_json(description, snakemake.output.meta)
