"""Entry script of rule embed_items."""

from earnest import embeddings, io
from earnest.embeddings import reuse, store
from earnest.studies.joblog import job_log

with job_log(snakemake.log[0]):
    given, params = snakemake.input, snakemake.params
    backend = embeddings.get_backend(params.embedding["backend"], **params.embedding["options"])
    sounds = io.read_frame(params.table, given.sounds)
    items = store.items_of(params.table, sounds, int(snakemake.wildcards.shard))
    kept = reuse.KeptVectors(params.kept, description=backend.describe(), code=params.code)
    vectors = store.embed_shard(
        given.audio,
        items,
        backend,
        sample_rate=params.sample_rate,
        length=params.length,
        variant=snakemake.wildcards.variant,
        kept=kept,
    )
    print(kept.summary())
    io.write_array(vectors, snakemake.output.embeddings)
    io.write_json(backend.describe() | {"stamp": params.stamp}, snakemake.output.meta)
