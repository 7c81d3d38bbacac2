"""The command `earnest`: what it prints and writes, and how it refuses."""

import re
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from earnest import io
from earnest.commands import main, terminal
from earnest.protocols import ownpool
from tests.made_own import made_pool, some_labels, write
from tests.unit.protocols.ownpool.test_comparing import estimates


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Paths of a pool and its labels, as text."""
    folder = tmp_path_factory.mktemp("own")
    frame, truth, _ = made_pool(120)
    return [str(path) for path in write(folder, frame, some_labels(truth, 40))]


def always_cat(frame):
    """Return the pool of a model that always says cat, about as sure of it."""
    probabilities = {"posterior_cat": 0.5, "posterior_dog": 0.3, "posterior_owl": 0.2}
    return frame.assign(prediction="cat", **probabilities)


def test_the_module_is_the_command(root, made):
    command = [sys.executable, "-m", "earnest", "estimate", *made, "--estimators", "ppi"]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("120 items, 40 labelled, of 3 classes\n\n- Report an accuracy of")
    broken = [*command[:4], made[0], made[0]]
    done = subprocess.run(broken, cwd=root, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert "no column 'label'" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_project_installs_the_command(root):
    import tomllib

    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    assert project["scripts"] == {"earnest": "earnest.commands:main"}


def test_the_summary(made, capsys):
    given = ["--sampler", "farthest", "--budget", "7", "--estimators", "unweighted", "calibrated"]
    assert main(["estimate", *made, *given]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 100
    text = "\n".join(lines)
    assert re.search(r"^unweighted +0\.\d{3}  0\.\d{3} to 0\.\d{3}\* +0\.\d{3}", text, re.M)
    assert re.search(r"^owl +[01]\.\d{3}", text, re.M)
    assert "* This interval holds only under an assumption" in text
    assert "With the 7 items listed to label next" in " ".join(line.strip() for line in lines)


def test_nothing_of_the_user_is_overwritten(made, tmp_path, capsys):
    out = tmp_path / "out"
    assert main(["estimate", *made, "--estimators", "ppi", "--output", str(out)]) == 0
    names = {"estimates.csv", "next_labels.csv", "evaluation.json", "report.html"}
    assert {path.name for path in out.iterdir()} == names
    (out / "next_labels.csv").write_text("filled in by hand")
    before = {path: path.read_bytes() for path in out.iterdir()}
    assert main(["estimate", *made, "--output", str(out)]) == 2
    assert "is not overwritten; name another folder" in capsys.readouterr().err
    assert {path: path.read_bytes() for path in out.iterdir()} == before
    assert main(["estimate", *made, "--output", made[0]]) == 2
    assert "is a file; name a folder" in capsys.readouterr().err


HOSTILE = {
    "binary": b"\x00\xff\xfe\x00",
    "empty": b"",
    "nul": b"item_id,label\na\x00b,cat\n",
    "quote": b'item_id,label\n"item-0001,cat\nitem-0002,cat\n',
    "page": b"<html><body>404</body></html>",
    "huge": b"item_id,label\n" + b"x" * 200_000 + b",cat\n",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_end_in_one_sentence(made, tmp_path, capsys, name):
    path = tmp_path / "hostile.csv"
    path.write_bytes(HOSTILE[name])
    for given in ([str(path), made[1]], [made[0], str(path)]):
        assert main(["estimate", *given]) == 2
        said = capsys.readouterr()
        assert said.out == ""
        assert said.err.startswith("earnest: ")
        assert "hostile.csv" in said.err
        assert len(said.err) < 2000


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (["--audio", "x"], "--audio and --backend go together"),
        (["--audio", "x", "--backend", "logmel", "--embeddings", "e"], "both give vectors"),
        (["--audio", "gone", "--backend", "logmel"], "there is no folder gone"),
        (["--audio", ".", "--backend", "resnet12"], "embeds no sound by itself"),
        (["--embeddings", "gone.npy"], "there is no file gone.npy"),
        (["--estimators", "best"], "no estimator 'best'"),
        (["--level", "2"], "level must be"),
    ],
)
def test_arguments_that_make_no_sense(made, capsys, given, words):
    assert main(["estimate", *made, *given]) == 2
    assert words in capsys.readouterr().err


def test_names_cannot_command_the_terminal(tmp_path, capsys):
    frame, truth, _ = made_pool(60)
    name = "\x1b[31mred\x07"
    frame = frame.rename(columns={"posterior_cat": f"posterior_{name}"})
    frame["prediction"] = frame["prediction"].replace("cat", name)
    truth = np.where(truth == "cat", name, truth)
    paths = write(tmp_path, frame, some_labels(truth, 30))
    assert main(["estimate", *map(str, paths)]) == 0
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert "\ufffd[31mred\ufffd" in out
    frame.loc[0, "prediction"] = "\x1b[2J"
    frame.to_csv(paths[0], index=False)
    assert main(["estimate", *map(str, paths)]) == 2
    assert "\x1b" not in capsys.readouterr().err


def test_two_models_on_one_pool(made, tmp_path, capsys):
    frame = pd.read_csv(made[0])
    always_cat(frame).to_csv(tmp_path / "cat.csv", index=False)
    out = tmp_path / "out"
    given = [made[0], str(tmp_path / "cat.csv"), "--labels", made[1], "--output", str(out)]
    assert main(["compare", *given]) == 0
    text = capsys.readouterr().out
    assert "moved beyond the noise of labelled items" in text
    assert re.search(r"^accuracy by unweighted +0\.\d{3} +0\.\d{3} +-0\.\d{3}", text, re.M)
    assert {path.name for path in out.iterdir()} == {"comparison.csv", "report.html"}
    assert main(["compare", *given]) == 2
    assert main(["compare", *given[:2]]) == 2
    assert "give them with --labels" in capsys.readouterr().err


def test_two_runs_of_a_study(tmp_path, capsys):
    rng = np.random.default_rng(0)
    values = rng.uniform(0.4, 0.6, 20)
    for name, shift in (("before", 0.0), ("after", 0.1)):
        for block, seeds in enumerate((slice(0, 10), slice(10, 20))):
            rows = estimates(values + shift)[seeds]
            path = tmp_path / name / "estimates" / "t" / "random" / f"seeds-{block}.parquet"
            io.write_frame("estimates", rows, path)
    runs = [str(tmp_path / name) for name in ("before", "after")]
    assert main(["compare", *runs]) == 0
    text = capsys.readouterr().out
    assert "Of 1 estimates in both, 1 moved" in text
    assert "accuracy by ppi, t, 10 items by random" in text
    assert main(["compare", runs[0], str(tmp_path / "gone")]) == 2
    assert "there is no file or folder" in capsys.readouterr().err
    assert main(["compare", str(path), str(path)]) == 0
    assert "1 are the same" in capsys.readouterr().out
    (tmp_path / "empty").mkdir()
    assert main(["compare", runs[0], str(tmp_path / "empty")]) == 2
    assert "holds no estimates" in capsys.readouterr().err


@pytest.fixture
def studies(tmp_path):
    """Folders of results of two models on one pool, as the workflow leaves them."""
    frame, truth, _ = made_pool(120)
    labels, folders = some_labels(truth, 40), []
    for name, model in (("old", frame), ("new", always_cat(frame))):
        table = model.sample(frac=1, random_state=len(folders))
        by_row = {row: labels[item] for row, item in enumerate(table.index) if item in labels}
        pool, labelled = write(tmp_path, table, by_row, f"{name} pool.csv", f"{name}.csv")
        config = {"pool": pool.name, "labels": labelled.name, "sampler": "random"}
        config |= dict.fromkeys(("embeddings", "subconcepts", "drawn", "positive", "audio"))
        folders.append(tmp_path / "results" / name)
        found = ownpool.evaluate(ownpool.read(pool, labelled, sampler="random"))
        io.write_json(found.document(), folders[-1] / "evaluation.json")
        io.write_json({"config": config}, folders[-1] / "provenance.json")
    return folders


def test_two_studies_of_own_pools(studies, tmp_path, capsys):
    assert main(["compare", *map(str, studies)]) == 0
    text = capsys.readouterr().out
    pools = [str(tmp_path / f"{name} pool.csv") for name in ("old", "new")]
    given = ["--labels", str(tmp_path / "old.csv"), "--sampler", "random"]
    assert main(["compare", *pools, *given]) == 0
    assert capsys.readouterr().out == text
    assert "moved beyond the noise of labelled items" in text


def spoil_labels(folder, keep=slice(None), **changes):
    path = folder.parent.parent / f"{folder.name}.csv"
    table = pd.read_csv(path)[keep].assign(**changes)
    table.to_csv(path, index=False)
    plain = (
        table.merge(pd.read_csv(path.with_name(f"{folder.name} pool.csv")), on="item_id")
        .eval("label == prediction")
        .mean()
    )
    known = io.read_json(folder / "evaluation.json")
    known |= {"labelled": len(table), "plain_accuracy": float(plain)}
    io.write_json(known, folder / "evaluation.json")


def test_studies_of_own_pools_that_cannot_be_compared_say_why(studies, tmp_path, capsys):
    def refused(*given):
        assert main(["compare", *map(str, given)]) == 2
        return capsys.readouterr().err

    old, new = studies
    assert "--sampler: each study says it itself" in refused(old, new, "--sampler", "random")
    (tmp_path / "tables").mkdir()
    assert "is of an own pool, and" in refused(tmp_path / "tables", old)
    io.write_json([], tmp_path / "tables" / "datasets.json")
    assert "is of a study on tables" in refused(tmp_path / "tables", tmp_path / "tables")
    spoil_labels(new, keep=slice(2, None))
    assert "2 items are labelled for one model only: 'item-" in refused(old, new)
    spoil_labels(old, keep=slice(None), label="owl")
    assert "on the same labels" in refused(old, new)
    (new.parent.parent / "new pool.csv").rename(tmp_path / "elsewhere.csv")
    assert "made from files that are gone" in refused(old, new)
    labels = pd.read_csv(tmp_path / "old.csv")
    labels[:20].to_csv(tmp_path / "old.csv", index=False)
    said = refused(old, old)
    assert "have changed since: labelled 20 instead of 40; run the study again" in said
    (old / "provenance.json").unlink()
    assert "compare the two pool tables" in refused(old, old)


def test_a_table_for_the_terminal():
    text = terminal.table(["name", "n"], [["a", "1"], ["long", "10"]], right=[1])
    assert text.splitlines() == ["name   n", "----  --", "a      1", "long  10"]


def test_the_example_of_the_documentation(root, tmp_path, monkeypatch, capsys):
    page = (root / "docs/own-data.md").read_text(encoding="utf-8")
    (command,) = re.findall(r"<!-- a test runs this -->\n +earnest (.*)\n", page)
    (code,) = re.findall(r"```python\n(.*?)```", page, re.S)
    (said,) = re.findall(r"```text\n(.*?)```", page, re.S)
    (tmp_path / "config").symlink_to(root / "config")
    monkeypatch.chdir(tmp_path)
    assert main(command.split()) == 0
    assert said in capsys.readouterr().out
    assert (tmp_path / "birds" / "report.html").exists()
    exec(compile(code, "own-data.md", "exec"), {})
    first, second = capsys.readouterr().out.splitlines()
    assert " ".join(said.split())[2:] == first
    assert second.startswith("Estimate(value=0.77")


def test_sounds_of_a_folder_are_embedded(tmp_path, capsys):
    """A folder of clips and a backend are enough, and a broken clip is named."""
    rng = np.random.default_rng(1)
    names = [f"night/clip {i}.wav" for i in range(12)]
    for place, name in enumerate(names):
        tone = np.sin(np.arange(16_000) * (0.05 + 0.1 * (place % 2))) * 8_000
        samples = (tone + rng.normal(0, 500, 16_000)).astype(np.int16)
        io.write_audio(samples, tmp_path / "clips" / name)
    frame = pd.DataFrame({"item_id": names, "prediction": ["low", "high"] * 6, "confidence": 0.8})
    paths = write(tmp_path, frame, {0: "low", 1: "high", 2: "high", 5: "high", 8: "low"})
    given = [*map(str, paths), "--audio", str(tmp_path / "clips"), "--backend", "logmel"]
    out = tmp_path / "out"
    assert main(["estimate", *given, "--estimators", "logistic", "--output", str(out)]) == 0
    sheet = pd.read_csv(out / "estimates.csv")
    assert sheet["value"].notna().all()
    (tmp_path / "clips" / names[3]).write_bytes(b"no sound")
    frame.loc[4, "item_id"] = "../secret.wav"
    capsys.readouterr()
    assert main(["estimate", *given]) == 2
    assert "1 of 12 sounds cannot be used: night/clip 3.wav (unreadable)" in capsys.readouterr().err
    frame.to_csv(paths[0], index=False)
    assert main(["estimate", *given]) == 2
    assert "'../secret.wav' is no path below the folder" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["estimate", "compare"])
def test_the_help_names_every_method(command, capsys):
    from earnest.estimates import ESTIMATORS
    from earnest.samplers import SAMPLERS

    with pytest.raises(SystemExit):
        main([command, "--help"])
    text = capsys.readouterr().out.replace("\n", " ")
    assert all(name in text for name in (*ESTIMATORS, *SAMPLERS))


@pytest.mark.parametrize("command", ["estimate", "compare"])
def test_a_broken_pipe_loses_nothing_and_ends_quietly(root, tmp_path, command):
    folder = tmp_path / "made"
    pool, labels = "config/own/pool.csv", "config/own/labels.csv"
    files = [pool, labels] if command == "estimate" else [pool, pool, "--labels", labels]
    arguments = [sys.executable, "-m", "earnest", command, *files, "--output", str(folder)]
    with subprocess.Popen(
        arguments, cwd=root, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as running:
        running.stdout.close()
        said = running.stderr.read()
    assert (said, running.returncode) == (b"", 0)
    main = {"estimate": "next_labels.csv", "compare": "comparison.csv"}
    assert {path.name for path in folder.iterdir()} >= {main[command], "report.html"}
