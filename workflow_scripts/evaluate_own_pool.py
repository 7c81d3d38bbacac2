"""Entry script of rule evaluate_own_pool."""

from earnest import io
from earnest.io import provenance
from earnest.protocols import ownpool
from earnest.reports.pages.ownpool import build_page
from earnest.studies.joblog import job_log

with job_log(snakemake.log[0]):
    made = snakemake.output
    inputs = ownpool.read(**snakemake.params.files, **snakemake.params.reading)
    found = ownpool.evaluate(inputs, **snakemake.params.evaluation)
    about = snakemake.params.provenance | {
        "versions": provenance.library_versions(*snakemake.params.libraries),
    }
    io.write_frame("own_estimates", found.estimates, made.estimates)
    io.write_csv("own_estimates", found.estimates, made.sheet)
    io.write_frame("own_unseen", found.unseen, made.unseen)
    io.write_frame("own_plans", found.plans, made.plans)
    io.write_csv("next_labels", found.next_labels, made.chosen)
    io.write_json(found.document(), made.evaluation)
    io.write_json(found.metrics(), made.metrics, checksum=False)
    io.write_json(about, made.provenance)
    io.write_text(build_page(found, snakemake.params.title, about), made.report)
