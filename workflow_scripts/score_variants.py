"""Entry script of rule score_variants."""

from earnest import io
from earnest.protocols import doses
from earnest.studies.joblog import job_log
from earnest.tasks import pools

with job_log(snakemake.log[0]):
    given, params = snakemake.input, snakemake.params
    items = [io.read_frame("items", path) for path in given.item_tables]
    embeddings = map(io.read_array, given.embeddings)
    pairs = zip(items, embeddings, strict=True)
    rendered = dict(zip(params.margins, pairs, strict=True))
    task = pools.train_task(
        *next(iter(rendered.values())),
        pools.TaskSettings(
            root_seed=params.root_seed,
            classifier=params.classifier["name"],
            classifier_options=params.classifier["options"],
            network=io.read_optional_json(given.network),
            **params.task,
        ),
    )
    scores = doses.score_variants(
        task,
        rendered,
        params.margins,
        name=params.task["name"],
        root_seed=params.root_seed,
        **params.scoring,
    )
    io.write_frame("dose_response", scores, snakemake.output.scores, stamp=params.stamp)
