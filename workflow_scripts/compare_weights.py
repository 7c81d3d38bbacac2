"""Entry script of rule compare_weights."""

import pandas as pd

from earnest import io
from earnest.io import shards
from earnest.protocols.subsets import joint
from earnest.studies.joblog import job_log

with job_log(snakemake.log[0]):
    given, params = snakemake.input, snakemake.params
    parts = [
        joint.compare(estimates, **params.comparison)
        for estimates in shards.read_parts(
            "estimates", given.shards, stamps=params.estimates_stamps, by="task"
        )
    ]
    io.write_frame("joint", pd.concat(parts, ignore_index=True), snakemake.output.joint)
