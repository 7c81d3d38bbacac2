"""Entry script of rule write_report."""

from earnest import audio, io, provenance
from earnest.joblog import job_log
from earnest.reports import examples, page

with job_log(snakemake.log[0]):
    given, mixtures = snakemake.input, io.read_frame("mixtures", snakemake.input.mixtures)
    files = zip(given.descriptions, given.pools, given.subconcepts, strict=True)
    about = snakemake.params.provenance | {
        "versions": provenance.library_versions(*snakemake.params.libraries),
        "embedding": io.read_json(given.embedding),
    }
    html = page.build_report(
        page.ReportInputs(
            study=snakemake.wildcards.study,
            title=snakemake.params.title,
            pools=io.read_pools(files),
            summary=io.read_frame("summary", given.summary),
            clips=io.read_frame("clips", given.clips),
            dropped=io.read_frame("dropped", given.dropped),
            mixtures=mixtures,
            examples=[
                (row, io.read_item(given.audio[row["shard"]], row["row"], audio.LENGTH))
                for row in examples.choose_examples(mixtures, snakemake.params.examples)
            ],
            provenance=about,
            headline=snakemake.params.headline,
            level=snakemake.params.level,
        )
    )
    io.write_text(html, snakemake.output.report)
    io.write_json(about, snakemake.output.provenance)
