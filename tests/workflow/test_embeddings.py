"""Embedding again what is known, and the self-check, in a whole study."""

import json

import pytest

pytestmark = pytest.mark.workflow

FOLDER = "embeddings/logmel/8-lu"


def test_known_sounds_are_not_embedded_again_and_a_broken_backend_is_named(project):
    shard = project.result(f"{FOLDER}/shard-0.npy")
    before = shard.read_bytes()
    shard.unlink()
    project.snakemake("--", f"results/tiny/{FOLDER}/shard-0.npy", "check_embedding")
    assert shard.read_bytes() == before
    log = (project.folder / "logs/tiny/embed_items/logmel/8-lu/shard-0.log").read_text()
    assert log.splitlines()[-1] == "0 sounds embedded, 240 known from before"
    report = json.loads(project.result("embeddings/logmel/check.json").read_text())
    assert report["passed"] is True
    assert {"batch size", "silence", "determinism"} <= {one["name"] for one in report["checks"]}

    # a vector that depends on its neighbours
    project.edit(
        "earnest/embeddings/backends/logmel.py",
        "        return vectors\n",
        "        return vectors - vectors.mean()\n",
    )
    failed = project.snakemake("--", "check_embedding", check=False)
    assert failed.returncode != 0
    assert "backend logmel fails" in failed.stdout
    assert "one by one, vectors differ by" in failed.stdout
    log = (project.folder / "logs/tiny/check_backend/logmel.log").read_text()
    assert "batch size         FAILED" in log
