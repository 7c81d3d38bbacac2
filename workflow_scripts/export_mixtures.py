"""Entry script of rule export_mixtures."""

from earnest import io
from earnest.mixing import exporting
from earnest.studies.joblog import job_log

with job_log(snakemake.log[0]):
    given, params = snakemake.input, snakemake.params
    exporting.export(
        io.read_shards("mixtures", [given.mixtures], stamp=params.mixtures_stamp),
        dict(zip(map(tuple, params.shards), given.audio, strict=True)),
        snakemake.output.folder,
        length=params.length,
        sample_rate=params.sample_rate,
    )
