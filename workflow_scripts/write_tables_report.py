"""Entry script of rule write_tables_report."""

from earnest import io
from earnest.io import provenance
from earnest.protocols.crossval import published
from earnest.reports import inputs, reading
from earnest.reports.pages import crossval
from earnest.studies.joblog import job_log

with job_log(snakemake.log[0]):
    given, params = snakemake.input, snakemake.params
    about = params.provenance | {"versions": provenance.library_versions(*params.libraries)}
    html = crossval.build_report(
        inputs.TableReportInputs(
            study=snakemake.wildcards.study,
            title=params.title,
            collection=params.collection,
            level=params.level,
            datasets=io.read_json(given.datasets),
            remark=published.REMARKS.get(params.collection),
            provenance=about,
            **reading.read_frames(inputs.CROSSVAL_TABLES, dict(given.items())),
        )
    )
    io.write_text(html, snakemake.output.report)
    io.write_json(about, snakemake.output.provenance)
