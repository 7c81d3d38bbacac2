"""The workflow on the tiny study: complete, repeatable, and nothing run twice."""

import re

import pandas as pd
import pytest
import yaml

pytestmark = pytest.mark.workflow

STAGES = {
    "synthesise_demo": 1,
    "list_clips": 1,
    "prepare_clips": 2,
    "gather_clips": 1,
    "plan_mixtures": 1,
    "render_mixtures": 2,
    "gather_mixtures": 1,
    "embed_items": 2,
    "gather_embeddings": 1,
    "build_pool": 2,
    "draw_subsets": 6,
    "estimate_scores": 18,
    "summarise": 1,
    "compare_weights": 1,
    "write_report": 1,
    "write_listening_page": 1,
    "check_clips": 1,
}
END = {"summarise": 1, "compare_weights": 1, "write_report": 1, "check_clips": 1}


def times(project, pattern):
    return {path: path.stat().st_mtime_ns for path in project.result(".").rglob(pattern)}


def test_a_dry_run_names_every_job(empty_project):
    assert empty_project.planned() == STAGES


def test_the_run_is_complete(finished):
    for name in (
        "report.html",
        "summary.parquet",
        "metrics.json",
        "provenance.json",
        "checks.json",
        "listening.html",
    ):
        assert finished.result(name).stat().st_size > 0
    summary = pd.read_parquet(finished.result("summary.parquet"))
    cells = summary.groupby(["task", "sampler", "size", "estimator"]).ngroups
    assert cells == 2 * 3 * 2 * 3
    assert not list(finished.folder.rglob(".*.parquet"))


@pytest.mark.parametrize("seed", ["0", "1", "2"])
def test_a_second_run_does_nothing_whatever_the_hash_seed(finished, seed):
    assert finished.planned(PYTHONHASHSEED=seed) == {}


def test_a_grown_grid_adds_only_new_shards(project):
    before = times(project, "seeds-*.parquet")
    config = project.changed_config(draws={"seeds": 4})
    # two tasks x two random samplers x one new block; the deterministic sampler has one draw
    expected = {"draw_subsets": 4, "estimate_scores": 12, **END}
    assert project.planned(config=config) == expected
    project.snakemake(config=config)
    after = times(project, "seeds-*.parquet")
    assert {path: after[path] for path in before} == before
    assert len(after) - len(before) == 4 + 12 + 12
    summary = pd.read_parquet(project.result("summary.parquet"))
    assert summary.groupby("sampler")["seeds"].unique().map(list).to_dict() == {
        "farthest": [4],
        "random": [4],
        "uncertainty": [1],
    }


def test_another_estimator_adds_only_its_own_shards(project):
    before = times(project, "seeds-*.parquet")
    estimators = ["unweighted", "kde", "difference", "calibrated"]
    config = project.changed_config(estimates={"estimators": estimators})
    # two tasks x three samplers, and not one draw
    assert project.planned(config=config) == {"estimate_scores": 6, **END}
    project.snakemake(config=config)
    after = times(project, "seeds-*.parquet")
    assert {path: after[path] for path in before} == before
    assert {path.parent.name for path in after.keys() - before.keys()} == {"calibrated"}
    compared = pd.read_csv(project.result("comparisons.csv"))
    assert set(compared["estimator"]) == set(estimators)


def test_a_shrunk_grid_drops_the_old_rows(project):
    config = project.changed_config(
        draws={"samplers": ["random"]}, estimates={"estimators": ["unweighted", "kde"]}
    )
    assert project.planned(config=config) == END
    project.snakemake(config=config)
    summary = pd.read_parquet(project.result("summary.parquet"))
    assert set(summary["sampler"]) == {"random"}
    assert set(summary["estimator"]) == {"unweighted", "kde"}
    assert "farthest" not in project.result("metrics.json").read_text()


def test_an_edit_in_the_library_runs_its_dependants_again(project):
    project.edit(
        "earnest/weights/importance.py",
        "def importance_weights(",
        "EDITED = 1\n\n\ndef importance_weights(",
    )
    assert project.planned() == {"estimate_scores": 18, **END}


def test_an_edit_of_a_sampler_runs_the_draws_and_what_follows(project):
    project.edit("earnest/samplers/rules.py", "def random(", "EDITED = 1\n\n\ndef random(")
    planned = project.planned()
    assert planned["draw_subsets"] == 6
    assert planned["estimate_scores"] == 18
    assert "build_pool" not in planned


def test_an_edit_of_a_comment_runs_nothing(project):
    project.edit(
        "earnest/weights/importance.py",
        "def importance_weights(",
        "# a remark\ndef importance_weights(",
    )
    assert project.planned() == {}


def test_an_edit_of_an_entry_script_runs_its_rule_and_what_follows(project):
    script = "workflow_scripts/estimate_scores.py"
    project.edit(
        script, "    names = snakemake.wildcards", "    # remark\n    names = (snakemake.wildcards)"
    )
    assert project.planned() == {}
    project.edit(script, "names = (snakemake.wildcards)", "names, edited = snakemake.wildcards, 1")
    assert project.planned() == {"estimate_scores": 18, **END}


def test_two_runs_give_the_same_bytes(finished, empty_project):
    empty_project.snakemake()
    for path in sorted(finished.result(".").rglob("*.*")):
        if path.is_file():
            other = empty_project.result(path.relative_to(finished.result(".")))
            assert path.read_bytes() == other.read_bytes(), path.name


def test_more_margins_add_only_their_own_mixtures_and_the_scores_at_all_of_them(project):
    config = project.changed_config(mixtures={"margin_lu": [8, 0], "clean": True})
    # two new variants x two shards; one table of scores a task
    assert project.planned(config=config) == {
        "render_mixtures": 4,
        "gather_mixtures": 1,
        "embed_items": 4,
        "gather_embeddings": 2,
        "score_variants": 2,
        "write_listening_page": 1,
        "write_report": 1,
        "check_clips": 1,
    }


def test_a_mixture_rejected_on_the_listening_page_is_gone_from_the_next_plan(project):
    listening = project.result("listening.html").read_text()
    name = re.search(r'data-kind="mixture" data-name="([^"]+)"', listening)[1]
    plan = project.result("plan/mixtures.parquet")
    before = set(pd.read_parquet(plan)["mixture_id"])
    assert name in before
    rejected = project.folder / "config/spuraudio/rejected.tsv"
    with rejected.open("a", encoding="utf-8") as file:
        file.write(f"mixture\t{name}\tthe foreground is not heard\n")
    project.snakemake("--", "results/tiny/plan/mixtures.parquet")
    after = set(pd.read_parquet(plan)["mixture_id"])
    assert name not in after
    assert len(after) == len(before)  # another mixture stands in


def test_the_index_links_what_the_run_made(finished):
    index = (finished.folder / "results/index.html").read_text()
    assert 'href="tiny/report.html"' in index
    assert 'href="tiny/listening.html"' in index
    assert "Tiny - the demo, made small" in index


def test_the_report_of_snakemake_holds_ours_in_one_file(project):
    # a proxy that refuses at once: nothing may be fetched for it
    project.snakemake("--report", "all.html", https_proxy="http://127.0.0.1:9/")
    page = (project.folder / "all.html").read_text(encoding="utf-8")
    assert "results/tiny/report.html" in page
    assert len(page) < 10_000_000
    assert not re.search(r"<(script|link)[^>]+(src|href)=.https?:", page)


def test_a_misspelt_key_stops_before_any_job(empty_project):
    path = empty_project.folder / "config/bad.yaml"
    study = yaml.safe_load((empty_project.folder / "config/tiny.yaml").read_text())
    study["mixtures"]["primary_shar"] = 0.5
    path.write_text(yaml.safe_dump(study))
    result = empty_project.snakemake(config="config/bad.yaml", check=False)
    assert result.returncode != 0
    assert "unknown key 'primary_shar' at mixtures; did you mean 'primary_share'?" in result.stdout
    assert not (empty_project.folder / "results").exists()


def test_a_pairs_file_that_is_not_there_is_named(empty_project):
    config = empty_project.changed_config(mixtures={"pairs": "config/pears.tsv"})
    result = empty_project.snakemake(config=config, check=False)
    assert result.returncode != 0
    assert "mixtures.pairs: there is no file config/pears.tsv" in result.stdout


def test_a_context_task_of_an_unknown_foreground_stops_before_any_job(empty_project):
    tasks = [{"name": "context", "kind": "context", "foreground": "dog_barks"}]
    result = empty_project.snakemake(config=empty_project.changed_config(tasks=tasks), check=False)
    assert result.returncode != 0
    assert "tasks: 'context': no foreground 'dog_barks'; there are bell, cough" in result.stdout
    assert not (empty_project.folder / "results").exists()


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("train\tdog_bark\trian\t0", "unknown class 'rian'; did you mean 'rain'?"),
        ("train\tdog_bark\tdog_bark\t0", "dog_bark is paired with itself"),
    ],
)
def test_a_bad_line_of_the_pairs_stops_before_any_job(empty_project, line, reason):
    path = empty_project.folder / "config/demo/pairs.tsv"
    lines = path.read_text().splitlines()
    (empty_project.folder / "config/pairs.tsv").write_text("\n".join([*lines, line]) + "\n")
    config = empty_project.changed_config(mixtures={"pairs": "config/pairs.tsv"})
    result = empty_project.snakemake(config=config, check=False)
    assert result.returncode != 0
    where = f"mixtures.pairs: config/pairs.tsv, line {len(lines) + 1}"
    assert f"{where}: {reason}" in result.stdout
    assert not (empty_project.folder / "results").exists()


def test_a_missing_data_set_says_what_to_put_where(empty_project):
    config = empty_project.changed_config(
        datasets=["esc50"],
        mirror=None,
        mixtures={"pairs": "config/spuraudio/pairs.tsv"},
        tasks=[{"name": "foregrounds", "kind": "classes"}],
    )
    registry = empty_project.folder / "config/datasets.tsv"
    # an address that refuses at once, so that the test does not depend on the network
    registry.write_text(registry.read_text().replace("https://github.com/", "http://127.0.0.1:9/"))
    result = empty_project.snakemake(config=config, check=False)
    assert result.returncode != 0
    assert "ESC-50-33c8ce9eb2cf0b1c2f8bcf322eb349b6be34dbb6.zip" in result.stdout
    assert "mirror:" in result.stdout


def test_a_size_larger_than_the_pool_is_named(project):
    config = project.changed_config(draws={"sizes": [20, 100000]})
    result = project.snakemake(config=config, check=False)
    assert result.returncode != 0
    assert "100000" in result.stdout


def test_unexpected_damage_is_reported_and_told_by_the_exit_code(project):
    config = project.changed_config(clips={"accepted_reasons": ["silent"]})
    result = project.snakemake(config=config, check=False)
    assert result.returncode != 0
    assert "clips could not be used" in result.stdout
    assert project.result("report.html").stat().st_size > 0
    assert "truncated" in project.result("report.html").read_text()
