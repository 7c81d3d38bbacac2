"""dvc.yaml leaves nothing out: what a stage reads, by the rules, stands in its params and deps."""

import importlib.metadata
import json
import re
import shutil
import subprocess
from types import SimpleNamespace

import pytest
import yaml

from earnest.studies import kinds
from earnest.studies.study import REGISTRY

# Stage: files of rules.
RULES = {
    "clips": ["audio/data"],
    "mixtures": ["mixtures/mixtures"],
    "embeddings": ["audio/backbones", "audio/embeddings"],
    "pools": ["audio/tasks"],
    "draws": ["audio/draws"],
    "estimates": ["audio/estimates"],
    "reports": ["audio/reports", "mixtures/listening"],
}
CODE = {"Snakefile", "rules", "workflow_scripts", "earnest", "config/schemas"}
# What a rule takes from its study, perhaps called, as in STUDY.stamp_of("clips").
TAKEN = r"""\b(?:STUDY|config)(?:\.\w+|\["\w+"\])+(?:\([^()]*\))?"""
WILDCARDS = {
    "dataset": "demo",
    "part": "0",
    "shard": "0",
    "variant": "8-lu",
    "embedding": "logmel",
    "task": "context",
    "sampler": "random",
    "estimator": "kde",
    "first": "0",
    "last": "1",
}


def rules_of(root, stage):
    """The text of a stage's files of rules."""
    files = [root / f"rules/{name}.smk" for name in RULES[stage]]
    return "".join(file.read_text(encoding="utf-8") for file in files)


def target_of(root, stage):
    """The text of the rule that a stage calls."""
    files = [root / name for name in ("Snakefile", "rules/audio/workflow.smk")]
    text = "".join(path.read_text() for path in [*files, root / "rules/mixtures/workflow.smk"])
    name = "all" if stage == "reports" else stage
    return re.search(rf"rule {name}:\n(?: .+\n)+", text)[0]


@pytest.fixture(scope="module")
def pipeline(root):
    return yaml.safe_load((root / "dvc.yaml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def stages(pipeline):
    return pipeline["stages"]


@pytest.fixture(scope="module")
def schema(root):
    return yaml.safe_load((root / "config/schemas/config.schema.yaml").read_text())


@pytest.fixture
def read_by(root, monkeypatch, tmp_path):
    """The values that the target and the rules of a stage take."""
    monkeypatch.chdir(root)
    checked = kinds.read_study("config/config.yaml").config

    def taken_by(stage):
        config = checked | {"folder": checked["folder"] | {"path": str(tmp_path)}}
        names = {"STUDY": kinds.kind_of(checked)(config), "config": config}
        values = []
        for rule in re.split(r"^rule ", target_of(root, stage) + rules_of(root, stage), flags=re.M):
            used = WILDCARDS.keys() & set(re.findall(r"{{?(\w+)}", rule))
            wildcards = SimpleNamespace(**{name: WILDCARDS[name] for name in used})
            for expression in re.findall(TAKEN, rule):
                value = eval(expression, names)
                values.append(value(wildcards) if callable(value) else value)
        return values

    return taken_by


def strings_in(value):
    """All strings in nested values."""
    if isinstance(value, str):
        return {value}
    inside = value.values() if isinstance(value, dict) else value
    nested = isinstance(value, dict | list | tuple)
    return set().union(*map(strings_in, inside)) if nested else set()


def outs(stage):
    return {path: options for out in stage["outs"] for path, options in as_pair(out)}


def as_pair(out):
    return out.items() if isinstance(out, dict) else [(out, {})]


def test_each_stage_calls_one_target_of_the_rules(root, stages):
    assert list(stages) == list(RULES)
    for name, stage in stages.items():
        target = "all" if name == "reports" else name
        assert stage["cmd"] == f"snakemake {target}"
        assert target_of(root, name).startswith(f"rule {target}:")


def test_every_stage_follows_the_whole_study_file(stages):
    for name, stage in stages.items():
        assert stage["params"] == [{"config/config.yaml": None}], name


def test_only_keys_that_every_study_has_are_variables(root, schema):
    """DVC knows no defaults: with `${mixtures.rejected}` a study without it stops every command."""
    text = (root / "dvc.yaml").read_text(encoding="utf-8")
    used = set(re.findall(r"\$\{([^}]*)\}", text.split("stages:")[1]))
    assert used == {"study"}
    assert used <= set(schema["required"])


@pytest.mark.parametrize("name", RULES)
def test_a_stage_depends_on_all_code_and_on_every_file_that_its_rules_name(
    root, name, stages, read_by
):
    stage = stages[name]
    assert set(stage["deps"]) >= CODE
    values = read_by(name)
    paths = "\n".join(strings_in(values)) + rules_of(root, name)
    named = set(re.findall(r"\bresults/(?:\{\{?study\}?\}|demo)/([\w.]+)", paths))
    assert named
    known = {path.rpartition("/")[2] for path in {*stage["deps"], *outs(stage)}}
    assert named <= known


@pytest.mark.parametrize("name", RULES)
def test_a_stage_depends_on_the_tables_of_config_that_its_rules_read(root, name, stages):
    text = rules_of(root, name)
    needed = {REGISTRY} if "STUDY.registry" in text else set()
    study = yaml.safe_load((root / "config/config.yaml").read_text())
    for section, key in re.findall(r'file\("(\w+)", "(\w+)"\)', text):
        needed.add(study[section][key].rpartition("/")[0])
    expected = {"clips": 1, "mixtures": 2, "reports": 1}.get(name, 0)
    assert len(needed) == expected
    assert needed <= set(stages[name]["deps"])


def test_data_come_from_earlier_stages(stages):
    made = set()
    for name, stage in stages.items():
        data = {path for path in stage["deps"] if path.startswith("results/")}
        assert data <= made, name
        assert data or name == "clips"
        made |= outs(stage).keys()


def test_every_output_says_why_it_persists_or_not(root, stages):
    reasons, comment = {}, ""
    for line in (root / "dvc.yaml").read_text(encoding="utf-8").split("stages:")[1].splitlines():
        if line.strip().startswith("#"):
            comment += line.strip("# ") + " "
        else:
            if comment:
                reasons[re.match(r" +- (\S+?)(: |$)", line)[1]] = comment
            comment = ""
    made = {path: options for stage in stages.values() for path, options in outs(stage).items()}
    assert reasons.keys() == made.keys()
    for path, options in made.items():
        start = "persist: " if options.get("persist") else "no persist: "
        assert reasons[path].startswith(start), path


def test_shards_persist_and_the_report_does_not(stages):
    for name, stage in stages.items():
        for path, options in outs(stage).items():
            end = name == "reports" and not path.endswith("checks.json")
            assert options.get("persist", False) == (not end), path


def test_metrics_and_plots_stand_at_the_top_level(pipeline, stages):
    (metrics,) = pipeline["metrics"]
    (plots,) = pipeline["plots"]
    assert {metrics, *plots} <= outs(stages["reports"]).keys()
    assert not any({"metrics", "plots"} & stage.keys() for stage in stages.values())


def test_the_template_of_the_plots_is_there(root, pipeline):
    (options,) = pipeline["plots"][0].values()
    template = json.loads((root / f".dvc/plots/{options['template']}.json").read_text())
    assert template["data"] == {"values": "<DVC_METRIC_DATA>"}


def test_dvc_is_not_called_inside_rules(root):
    for path in [root / "Snakefile", *(root / "rules").rglob("*.smk")]:
        assert not re.search(r"\bdvc\b", path.read_text()), path


def test_git_keeps_what_describes_results_and_ignores_the_results(root, tmp_path):
    subprocess.run(["git", "init", "--quiet", str(tmp_path)], check=True)
    shutil.copy2(root / ".gitignore", tmp_path)
    kept = ["dvc.yaml", "dvc.lock", "config/config.yaml", ".dvcignore", ".dvc/plots/curves.json"]
    ignored = ["results/demo/metrics.json", "data/demo/clips-40/root.json", ".snakemake/x"]
    found = subprocess.run(
        ["git", "check-ignore", *kept, *ignored],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert found.stdout.split() == ignored


def test_the_lock_is_of_this_pipeline(root, stages):
    """Whether the hashes are those of the present code, `dvc status` says; this costs no study."""
    path = root / "dvc.lock"
    assert path.is_file(), "dvc.lock is not there: make repro, and commit it"
    config = yaml.safe_load((root / "config/config.yaml").read_text())
    locked = yaml.safe_load(path.read_text(encoding="utf-8"))["stages"]
    assert locked.keys() == stages.keys()
    for name, stage in stages.items():
        named = {filled(out, config) for out in outs(stage)}
        assert {out["path"] for out in locked[name]["outs"]} == named
        assert locked[name]["cmd"] == stage["cmd"]
        assert locked[name]["params"]["config/config.yaml"].keys() <= config.keys()


def filled(path, config):
    """Return a path with the values that DVC puts in from the configuration."""
    return path.replace("${study}", config["study"])


def test_remotes_that_are_described_are_extras_of_dvc(root):
    page = (root / "docs/dvc.md").read_text(encoding="utf-8")
    found = re.findall(r'pip install -c requirements.txt "dvc\[(\w+)\]"', page)
    assert found == ["s3", "ssh"]
    assert set(found) <= set(importlib.metadata.metadata("dvc").get_all("Provides-Extra"))
    for name in found:
        assert f"dvc remote add --default store {name}://" in page
