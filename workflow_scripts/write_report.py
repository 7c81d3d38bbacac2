"""Entry script of rule write_report."""

from earnest import io, provenance
from earnest.joblog import job_log
from earnest.reports import examples, page

with job_log(snakemake.log[0]):
    given, params = snakemake.input, snakemake.params
    stamp = params.mixtures_stamp
    mixtures = io.read_shards("mixtures", [*given.mixtures], stamp=stamp)
    mixtures = mixtures[mixtures["variant"] == params.variant]
    files = zip(given.descriptions, given.pools, given.subconcepts, strict=True)
    about = params.provenance | {
        "versions": provenance.library_versions(*params.libraries),
        "embeddings": io.read_named_json(params.embeddings, given.embeddings),
    }
    html = page.build_report(
        page.ReportInputs(
            study=snakemake.wildcards.study,
            title=params.title,
            pools=io.read_pools(files),
            summary=io.read_frame("summary", given.summary),
            comparisons=io.read_frame("comparisons", given.comparisons),
            joint=io.read_frame("joint", given.joint),
            clips=io.read_frame("clips", given.clips),
            dropped=io.read_frame("dropped", given.dropped),
            mixtures=mixtures,
            items=io.read_shards("items", [*given.item_table], stamp=params.plan_stamp),
            examples=[
                (row, io.read_item(given.audio[row["shard"]], row["row"], params.length))
                for row in examples.choose_examples(mixtures, params.examples)
            ],
            trainings=io.read_named_json(params.trained, given.trainings),
            provenance=about,
            headline=params.headline,
            level=params.level,
            sample_rate=params.sample_rate,
            dose_response=io.read_shards(
                "dose_response", [*given.doses], stamp=[*params.doses_stamps]
            ),
        )
    )
    io.write_text(html, snakemake.output.report)
    io.write_json(about, snakemake.output.provenance)
