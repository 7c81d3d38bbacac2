"""Entry script of rule write_subconcepts_report."""

from earnest import io, provenance
from earnest.joblog import job_log
from earnest.reports import subconcepts

with job_log(snakemake.log[0]):
    given = snakemake.input
    about = snakemake.params.provenance | {
        "versions": provenance.library_versions(*snakemake.params.libraries),
    }
    html = subconcepts.build_report(
        subconcepts.TableReportInputs(
            study=snakemake.wildcards.study,
            title=snakemake.params.title,
            collection="sounds",
            level=snakemake.params.level,
            datasets=io.read_json(given.datasets),
            scores=io.read_frame("fold_scores", given.scores),
            recalls=io.read_frame("fold_recalls", given.recalls),
            correlations=io.read_frame("table_correlations", given.correlations),
            gaps=io.read_frame("table_gaps", given.gaps),
            differences=io.read_frame("table_gap_differences", given.differences),
            quality=io.read_frame("weight_quality", given.quality),
            recognition=io.read_frame("recognition_correlations", given.recognition),
            distances=io.read_frame("table_distances", given.distances),
            weights=io.read_frame("table_weights", given.weights),
            remark=None,
            provenance=about,
            contrasts=io.read_frame("sound_contrasts", given.contrasts),
            statistics=io.read_frame("sound_statistics", given.statistics),
        )
    )
    io.write_text(html, snakemake.output.report)
    io.write_json(about, snakemake.output.provenance)
