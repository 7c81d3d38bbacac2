"""Entry script of rule gather_embeddings."""

from earnest import io
from earnest.embeddings import store
from earnest.joblog import job_log

with job_log(snakemake.log[0]):
    stamp = snakemake.params.mixtures_stamp
    items, vectors = store.gather(
        [io.read_shards("mixtures", [path], stamp=stamp) for path in snakemake.input.mixtures],
        [io.read_array(path) for path in snakemake.input.shards],
        order=io.read_frame("mixture_plan", snakemake.input.plan)["mixture_id"],
    )
    meta = store.check_same_meta([io.read_json(path) for path in snakemake.input.meta])
    io.write_array(vectors, snakemake.output.embeddings)
    io.write_frame("items", items, snakemake.output.item_table, stamp=snakemake.params.stamp)
    io.write_json(meta, snakemake.output.meta)
