# The report of all data sets for people.
rule write_tables_report:
    input:
        unpack(STUDY.assessed),
    output:
        report=report(
            "results/{study}/report.html",
            caption="../captions/report.rst",
            category="Reports",
            labels={"study": "{study}"},
        ),
        provenance="results/{study}/provenance.json",
    log:
        "logs/{study}/write_tables_report.log",
    resources:
        mem_mb=grow_memory,
        runtime=30,
    params:
        title=STUDY.given("title"),
        collection=STUDY.collection,
        level=config["level"],
        provenance=STUDY.provenance,
        libraries=STUDY.LIBRARIES,
        code=STUDY.code_of("report"),
    message:
        "Writing the report"
    script:
        "../../workflow_scripts/write_tables_report.py"
