"""The listening page: which mixtures it holds, what it writes beside it, what it says of them."""

import re

import numpy as np
import pytest
import soundfile
from matplotlib import image

from earnest.mixing import plan
from earnest.reports import audio
from earnest.reports.pages import listening
from tests import made_listening


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return made_listening.make(tmp_path_factory.mktemp("study"))


@pytest.fixture(scope="module")
def html(made):
    return made.page.read_text(encoding="utf-8")


def test_each_pair_gives_the_stated_number_whatever_the_order_of_rows(made):
    chosen = listening.choose(made.mixtures, "8-lu", 3)
    assert chosen.groupby(["foreground", "background"]).size().tolist() == [3, 3, 3, 3]
    assert set(chosen["variant"]) == {"8-lu"}
    shuffled = made.mixtures.sample(frac=1, random_state=3)
    assert listening.choose(shuffled, "8-lu", 3).equals(chosen)
    # the primary background of each foreground comes first
    assert chosen["is_primary"].tolist() == [True] * 3 + [False] * 3 + [True] * 3 + [False] * 3
    everything = listening.choose(made.mixtures, "8-lu", 1000)
    assert sorted(everything["mixture_id"]) == sorted(
        made.mixtures.loc[made.mixtures["variant"] == "8-lu", "mixture_id"]
    )


def test_the_hash_in_the_name_chooses_and_not_the_sound(made):
    own = made.mixtures.query("variant == '8-lu' and foreground == 'dog' and background == 'rain'")
    hashes = sorted(name.rsplit("-", 1)[1] for name in own["mixture_id"])
    chosen = listening.choose(made.mixtures, "8-lu", 2)
    first = chosen.query("foreground == 'dog' and background == 'rain'")["mixture_id"]
    assert [name.rsplit("-", 1)[1] for name in first] == hashes[:2]


def test_a_mixture_that_was_not_made_is_not_chosen(made):
    gone = made.mixtures["mixture_id"].iloc[0]
    assert gone not in set(listening.choose(made.mixtures, "0-lu", 1000)["mixture_id"])


def test_sounds_are_those_of_the_shards_and_pictures_those_of_the_sounds(made):
    folder = made.page.parent / "listening"
    assert len(made.words) == 3 * 12 - 1  # one was not made at 0 LU
    assert len(list(folder.rglob("*.flac"))) == len(list(folder.rglob("*.png"))) == 35
    rows = made.mixtures.set_index(["variant", "mixture_id"])
    for (variant, name), said in made.words.items():
        row = rows.loc[(variant, name)]
        shard = made.page.parent / "mixtures" / variant / f"shard-{row['shard']}.wav"
        start = row["row"] * made_listening.LENGTH
        expected, _ = soundfile.read(shard, start=start, frames=16_000, dtype="int16")
        heard, rate = soundfile.read(folder / variant / f"{name}.flac", dtype="int16")
        assert rate == 16_000
        assert np.array_equal(heard, expected)
        assert said.startswith("loudest near")
    assert image.imread(folder / "clean" / f"{name}.png").shape[:2] == (96, 101)


def test_words_name_the_tone():
    seconds = np.arange(16_000) / 16_000
    burst = np.where(np.abs(seconds - 0.6) < 0.05, np.sin(2 * np.pi * 2000 * seconds), 0)
    assert audio.in_words(audio.spectrogram(burst)) == "loudest near 2.0 kHz at 0.6 s"
    low = audio.in_words(audio.spectrogram(np.sin(2 * np.pi * 300 * seconds)))
    assert re.match(r"loudest near (290|300|310) Hz at ", low)


@pytest.mark.parametrize("rate", [8_000, 22_050, 48_000])
def test_other_sample_rates_have_the_axis_that_fits(rate):
    tone = np.sin(2 * np.pi * 1000 * np.arange(rate) / rate)
    shades = audio.spectrogram(tone, rate)
    row = int(shades[:, shades.shape[1] // 2].argmax())
    assert audio.row_frequencies(rate)[row] == pytest.approx(1000, abs=40)
    assert audio.position(audio.highest(rate), rate) == 0
    assert audio.highest(rate) == min(8_000, rate / 2)


def test_labels_reasons_and_titles_are_escaped(html):
    assert made_listening.HOSTILE not in html
    assert "owl&lt;img src=x onerror=&#34;alert(1)&#34;&gt;&amp;" in html
    assert 'data-reason="clipped, &#34;badly&#34;"' in html
    assert "A made study &amp; its sounds" in html


def test_the_page_is_light_and_sounds_are_beside_it(made, html):
    assert "base64" not in html.replace("sha256-", "")
    assert html.count('preload="none"') == 12
    assert html.count('loading="lazy"') == 12
    # 24,000 mixtures in 152 pairs, three of each in one variant: well under a megabyte
    per_mixture = (len(html) - len(empty_page(made))) / 12
    assert per_mixture * 456 < 1_500_000


def empty_page(made):
    return listening.build_page(inputs_of(made, mixtures=made.mixtures.head(0)))


def inputs_of(made, **changes):
    given = {
        "study": "made",
        "title": "t",
        "mixtures": made.mixtures,
        "variants": made_listening.VARIANTS,
        "per_pair": 3,
        "rejections": made_listening.EXISTING,
        "rejected_path": "config/rejected.tsv",
        "words": made.words,
    }
    return listening.ListeningInputs(**(given | changes))


def test_no_mixtures_give_a_page_that_says_so(made):
    assert "No mixture was made." in empty_page(made)


def test_what_was_not_made_in_a_variant_says_why(made, html):
    assert "the background is silent" in html
    assert html.count("no background, then both") == 12


def test_the_same_inputs_give_the_same_page(made):
    assert listening.build_page(inputs_of(made)) == listening.build_page(inputs_of(made))


def test_a_pair_whose_label_has_a_slash_cannot_be_named_in_the_table(made):
    mixtures = made.mixtures.assign(background=made.mixtures["background"].replace("wind", "w/d"))
    html = listening.build_page(inputs_of(made, mixtures=mixtures))
    assert html.count('data-kind="pair"') == 2
    assert html.count("cannot be rejected here") == 2


def test_reasons_are_read_with_the_rejections(made):
    assert plan.read_rejections(made.rejected) == made_listening.EXISTING
