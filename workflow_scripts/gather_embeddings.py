"""Entry script of rule gather_embeddings."""

from earnest import embeddings, io
from earnest.embeddings import joining, store
from earnest.studies.joblog import job_log

with job_log(snakemake.log[0]):
    given, params = snakemake.input, snakemake.params
    sounds = io.read_shards(params.table, given.sounds, stamp=params.sounds_stamp)
    items, places = joining.arrange(
        [store.items_of(params.table, sounds, shard) for shard in range(params.shards)],
        order=store.identifiers(io.read_frame(params.plan, given.plan)),
        rejected=store.rejected(sounds),
    )
    meta = joining.check_same_meta([io.read_json(path) for path in given.meta])
    blocks = joining.joined_blocks([io.read_array(path) for path in given.shards], items, places)
    io.write_array_blocks(
        blocks, snakemake.output.embeddings, rows=len(items), columns=meta["dimension"]
    )
    variant = snakemake.wildcards.variant
    print(embeddings.leftovers(**params.embedding, items=items["item_id"], variant=variant))
    io.write_frame("items", items, snakemake.output.item_table, stamp=params.stamp)
    io.write_json(meta, snakemake.output.meta)
