"""Entry script of rule gather_embeddings."""

from earnest import io
from earnest.embeddings import store
from earnest.joblog import job_log

with job_log(snakemake.log[0]):
    given, params = snakemake.input, snakemake.params
    sounds = io.read_shards(params.table, given.sounds, stamp=params.sounds_stamp)
    items = [store.items_of(params.table, sounds, shard) for shard in range(params.shards)]
    items, vectors = store.gather(
        items,
        [io.read_array(path) for path in given.shards],
        order=store.identifiers(io.read_frame(params.plan, given.plan)),
        rejected=store.rejected(sounds),
    )
    meta = store.check_same_meta([io.read_json(path) for path in given.meta])
    io.write_array(vectors, snakemake.output.embeddings)
    io.write_frame("items", items, snakemake.output.item_table, stamp=params.stamp)
    io.write_json(meta, snakemake.output.meta)
