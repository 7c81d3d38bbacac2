"""The two studies as a user runs them: the demo, and real recordings where the mirror is there."""

import json

import numpy as np
import pandas as pd
import pytest

from earnest import audio, io, mixing
from earnest.embeddings import store

pytest.register_assert_rewrite("tests.report_checks")

from tests.report_checks import browser_missing, check_report  # noqa: E402

pytestmark = [pytest.mark.workflow, pytest.mark.slow]


@pytest.fixture(scope="module")
def demo(checkout, tmp_path_factory):
    """Results of the default configuration."""
    project = checkout(tmp_path_factory.mktemp("demo") / "project")
    project.snakemake(config=None)
    return project.folder / "results/demo"


@pytest.fixture(scope="module")
def esc50(mirror, checkout, tmp_path_factory):
    """Results of the study on real recordings, the mirror lying where the study looks for it."""
    folder = tmp_path_factory.mktemp("esc50") / "project"
    (folder.parent / "shared").mkdir()
    (folder.parent / "shared" / "mirror").symlink_to(mirror)
    project = checkout(folder)
    project.snakemake(config="config/studies/esc50.yaml")
    return project.folder / "results/esc50"


def hits(results, task):
    pool = io.read_frame("pool", results / "pools" / task / "pool.parquet")
    return pool.assign(right=pool["label"] == pool["prediction"])


def measured_gap(results, mixtures, clips, row):
    """Take a mixture apart by its stored gains and measure both parts as they lie in it."""
    mixture = mixtures.iloc[row]
    rows = [clips.loc[mixture[f"{role}_clip"]] for role in ("foreground", "background")]
    prepared = dict(enumerate(io.read_array(path) for path in prepared_arrays(results)))
    over, under = mixing.prepared_signals(*(dict(one) for one in rows), prepared)
    under = under * mixing.linear_gain(mixture["background_gain_db"])
    gain = mixture["peak_gain"]
    file = results / "mixtures" / mixture["variant"] / f"shard-{mixture['shard']}.wav"
    written = io.read_item(file, int(mixture["row"]), audio.LENGTH)
    np.testing.assert_allclose(written, (over + under) * gain, atol=1.01 / 32_768)
    assert np.abs(written).max() == pytest.approx(mixing.PCM16_PEAK, abs=1.01 / 32_768)
    loudness = audio.integrated_loudness
    return loudness(over * np.float32(gain)) - loudness((under * gain).astype(np.float32))


def prepared_arrays(results):
    return sorted(results.glob("clips/*/part-*.npy"))


def check_mixtures(results, sample):
    mixtures = io.read_frame("mixtures", results / "mixtures.parquet")
    mixtures = mixtures[mixtures["status"] == "used"].reset_index(drop=True)
    clips = io.read_frame("clips", results / "clips.parquet").set_index("clip_id")
    rows = np.random.default_rng(0).choice(len(mixtures), sample, replace=False)
    for row in rows:
        assert measured_gap(results, mixtures, clips, row) == pytest.approx(8.0, abs=0.05)


def check_sides(results):
    """No recording, of a foreground or a background, lies on both sides of the split."""
    mixtures = io.read_frame("mixtures", results / "mixtures.parquet")
    sides = pd.concat(
        [mixtures[["recording", "split"]], mixtures[["background_recording", "split"]].set_axis(
            ["recording", "split"], axis=1)]
    )  # fmt: skip
    assert sides.groupby("recording")["split"].nunique().max() == 1


def test_the_demo_is_not_a_toy(demo):
    clips = io.read_frame("clips", demo / "clips.parquet")
    mixtures = io.read_frame("mixtures", demo / "mixtures.parquet")
    assert clips.loc[clips["status"] == "used", "label"].nunique() >= 14
    assert (clips["status"] == "used").sum() >= 500
    assert (mixtures["status"] == "used").sum() >= 1_000
    pool = hits(demo, "foregrounds")
    assert 0.5 < pool["right"].mean() < 0.95
    by_context = pool.groupby("is_primary")["right"].mean()
    assert by_context[True] > by_context[False] + 0.1


def test_every_kind_of_damage_of_the_demo_is_listed_with_its_reason(demo):
    clips = io.read_frame("clips", demo / "clips.parquet")
    rejected = clips[clips["status"] == "rejected"]
    assert set(rejected["reason"]) == set(audio.REASONS)
    page = (demo / "report.html").read_text()
    for name in rejected["clip_id"]:
        assert name in page


def test_the_demo_mixtures_are_as_they_say(demo):
    check_mixtures(demo, 25)
    check_sides(demo)


def test_every_estimate_has_an_interval_or_a_reason(demo):
    for path in sorted((demo / "estimates").rglob("*.parquet")):
        rows = io.read_frame("estimates", path)
        without = rows["value"].isna() | rows["low"].isna() | rows["high"].isna()
        assert rows.loc[without, "reason"].notna().all()
        assert rows.loc[~without, "reason"].isna().all()


def test_metrics_are_strict_json_and_hold_every_task(demo):
    metrics = io.read_json(demo / "metrics.json")
    json.dumps(metrics, allow_nan=False)
    assert {"foregrounds", "subconcepts", "context"} <= set(metrics["tasks"])


def test_the_store_and_the_pools_belong_together(demo):
    stored = store.read_store(demo / "embeddings/logmel/8-lu")
    place = {item: row for row, item in enumerate(stored.items["item_id"])}
    for task in ("foregrounds", "subconcepts", "context"):
        pool = hits(demo, task)
        vectors = io.read_array(demo / "pools" / task / "embeddings.npy")
        rows = [place[item] for item in pool["item_id"]]
        np.testing.assert_array_equal(vectors, stored.embeddings[rows])


@pytest.mark.browser
def test_the_report_of_the_demo_opens_without_a_network(demo, tmp_path):
    if missing := browser_missing():
        pytest.skip(missing)
    check_report(demo / "report.html", tmp_path, texts=("measured on the labelled part", "Listen"))


def test_real_recordings_give_real_mixtures(esc50):
    check_mixtures(esc50, 25)
    check_sides(esc50)


def test_real_recordings_lean_on_their_background(esc50):
    pool = hits(esc50, "foregrounds")
    assert pool["label"].nunique() >= 15
    assert 0.3 < pool["right"].mean() < 0.95
    by_context = pool.groupby("is_primary")["right"].mean()
    assert by_context[True] > by_context[False]


def test_what_the_mirror_cannot_build_is_said(esc50):
    dropped = io.read_frame("dropped", esc50 / "plan/dropped.parquet")
    reasons = dropped[dropped["kind"] == "foreground"].set_index("name")["reason"]
    assert "no usable clips of" in reasons["phone"]
    assert "phone" in (esc50 / "report.html").read_text()
