"""Entry script of rule write_report."""

from earnest import io
from earnest.io import provenance
from earnest.reports import reading
from earnest.reports.pages import subsets
from earnest.reports.sections import listen
from earnest.studies.joblog import job_log

with job_log(snakemake.log[0]):
    given, params = snakemake.input, snakemake.params
    mixtures = io.read_shards("mixtures", [*given.mixtures], stamp=params.mixtures_stamp)
    mixtures = mixtures[mixtures["variant"] == params.variant]
    chosen = listen.choose_examples(mixtures, params.examples)
    doses = io.read_shards("dose_response", [*given.doses], stamp=[*params.doses_stamps])
    about = params.provenance | {
        "versions": provenance.library_versions(*params.libraries),
        "embeddings": io.read_named_json(params.embeddings, given.embeddings),
    }
    html = subsets.build_report(
        subsets.ReportInputs(
            study=snakemake.wildcards.study,
            title=params.title,
            pools=reading.read_pools(given.descriptions, given.pools, given.subconcepts),
            mixtures=mixtures,
            items=io.read_shards("items", [*given.item_table], stamp=params.plan_stamp),
            examples=reading.read_sounds(chosen, given.audio, params.length),
            trainings=io.read_named_json(params.trained, given.trainings),
            embeddings=params.task_embeddings,
            provenance=about,
            headline=params.headline,
            level=params.level,
            sample_rate=params.sample_rate,
            dose_response=doses,
            **reading.read_frames(subsets.TABLES, dict(given.items())),
        )
    )
    io.write_text(html, snakemake.output.report)
    io.write_json(about, snakemake.output.provenance)
