"""Entry script of rule write_listening_page."""

from earnest import io
from earnest.mixing import plan
from earnest.reports.pages import listening
from earnest.studies.joblog import job_log

with job_log(snakemake.log[0]):
    given, params = snakemake.input, snakemake.params
    mixtures = io.read_shards("mixtures", [given.mixtures], stamp=params.mixtures_stamp)
    words = listening.write_sounds(
        mixtures,
        dict(zip(map(tuple, params.shards), given.audio, strict=True)),
        snakemake.output.sounds,
        main=params.variants[0],
        per_pair=params.per_pair,
        length=params.length,
        sample_rate=params.sample_rate,
    )
    html = listening.build_page(
        listening.ListeningInputs(
            study=snakemake.wildcards.study,
            title=params.title,
            mixtures=mixtures,
            variants=params.variants,
            per_pair=params.per_pair,
            rejections=plan.read_rejections(params.rejected),
            rejected_path=params.rejected,
            words=words,
            seconds=params.length / params.sample_rate,
            sample_rate=params.sample_rate,
        )
    )
    io.write_text(html, snakemake.output.page)
