"""Entry script of rule train_backbone."""

from earnest import io
from earnest.embeddings import backbones, store
from earnest.embeddings.networks import checkpoints
from earnest.studies.joblog import job_log

with job_log(snakemake.log[0]):
    given, params = snakemake.input, snakemake.params
    sounds = io.read_shards(params.table, given.sounds, stamp=params.sounds_stamp)
    shards = [
        backbones.Sounds(path, store.items_of(params.table, sounds, shard))
        for shard, path in enumerate(given.audio)
    ]
    checkpoint, report = backbones.train_backbone(
        shards, folder=params.unfinished, **params.training
    )
    checkpoints.save(checkpoint, snakemake.output.model)
    io.write_json(checkpoints.head(checkpoint), snakemake.output.head)
    io.write_json(report, snakemake.output.training)
    io.remove_folder(params.unfinished)
