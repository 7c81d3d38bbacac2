"""The report: statements follow the numbers, text is escaped, nothing is loaded, bytes repeat."""

import base64
import dataclasses
import hashlib
import io
import re
import subprocess
import sys
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

from earnest.reports import audio, charts, figures, findings, view, words
from earnest.reports.pages.subsets import build_report
from earnest.reports.sections import (
    backgrounds,
    errors,
    headline,
    listen,
    provenance,
    sources,
    support,
    weights,
)
from tests import made_report

VOID = {"meta", "link", "img", "br", "hr", "input", "image"}


@pytest.fixture(scope="module")
def inputs():
    return made_report.made_inputs()


@pytest.fixture(scope="module")
def page(inputs):
    return build_report(inputs)


class Outline(HTMLParser):
    """Every start tag with its attributes, and whether tags are nested correctly."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.open, self.headings = [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(int(tag[1]))

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, f"</{tag}> closes another element"


def outline(page):
    return Outline(re.sub(r"<script>.*?</script>", "", page, flags=re.S))


def row(**changed):
    """A row of the summary with plain values; keyword arguments replace them."""
    values = {
        "study": "s",
        "task": "t",
        "sampler": "farthest",
        "size": 100,
        "estimator": "unweighted",
        "measure": "accuracy",
        "utility": "none",
        "truth": 0.7,
        "seeds": 20,
        "distinct_subsets": 20,
        "undefined": 0,
        "mean": 0.8,
        "sd": 0.02,
        "bias": 0.1,
        "rmse": 0.102,
        "coverage": 0.95,
        "mean_width": 0.1,
        "interval": "valid",
        "ess": None,
        "largest": None,
        "pareto_k": None,
        "outside_confidence": None,
        "outside_distance": None,
        "flags": [],
        "reason": None,
    }
    return values | changed


def one_task(rows, **headline):
    empty = made_report.frame("pool", []), made_report.frame("subconcepts", [])
    return view.task_view("t", {"kind": "classes"}, *empty, rows, headline)


# --- the page as a whole


def test_same_inputs_give_the_same_bytes(page):
    assert build_report(made_report.made_inputs()) == page
    assert len(page.encode()) < 10_000_000


def test_elements_are_closed_and_ids_are_unique(page):
    found = outline(page)
    assert found.open == []
    ids = [attributes["id"] for _, attributes in found.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    referred = {a["href"][1:] for t, a in found.tags if t == "a"}
    referred |= {a["aria-labelledby"] for _, a in found.tags if "aria-labelledby" in a}
    assert referred <= set(ids)


def test_headings_never_skip_a_level_and_tables_say_what_they_are(page):
    found = outline(page)
    assert found.headings[0] == 1
    assert found.headings.count(1) == 1
    assert all(b <= a + 1 for a, b in zip(found.headings, found.headings[1:], strict=False))
    assert page.count("<table") == page.count("<thead>") == page.count("<caption")
    pictures = [a for t, a in found.tags if t == "svg"]
    assert all(
        a.get("aria-label") or a.get("aria-hidden") == "true"
        for a in pictures
        if "mark" not in a.get("class", "")
    )


def test_nothing_is_loaded_from_anywhere(page):
    for tag, attributes in outline(page).tags:
        for name in ("src", "href", "xlink:href", "srcset", "poster", "action"):
            target = attributes.get(name)
            assert target is None or target.startswith(("data:", "#")), (tag, name, target[:60])
    assert "@import" not in page
    assert not re.search(r"url\(", page)


def test_only_the_two_scripts_may_run(page):
    scripts = re.findall(r"<script>(.*?)</script>", page, flags=re.S)
    assert len(scripts) == 2
    digests = [
        base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts
    ]
    assert f"script-src 'sha256-{digests[0]}' 'sha256-{digests[1]}'" in page
    assert "default-src 'none'" in page


def test_names_with_markup_are_text(page):
    assert made_report.HOSTILE not in page
    assert "<img" not in page
    assert "&lt;img src=x onerror=&#34;alert(1)&#34;&gt; &amp; &#34;quoted&#34;" in page


def test_missing_numbers_are_dashes_never_nan(page):
    text = re.sub(r'(src|href)="data:[^"]*"', "", page)
    assert not re.search(r"\b(nan|NaN|inf|Infinity|None|NaT)\b|&lt;NA&gt;", text)


def test_hostile_names_everywhere_stay_text(inputs):
    bad = "</script><script>alert(1)</script>\n\U0001f415'\""
    summary = inputs.summary.assign(task=bad, sampler=bad, estimator=bad, reason=bad)
    summary = summary.drop_duplicates(["size", "measure", "utility"])
    parts = inputs.pools["foregrounds"]
    description = dict.fromkeys(("name", "title", "question"), bad)
    clips = inputs.clips.assign(clip_id=bad, label=bad, dataset=bad, warning=bad)
    example, samples = inputs.examples[0]
    changed = dataclasses.replace(
        inputs,
        study=bad,
        title=bad,
        pools={bad: (description, *parts[1:])},
        summary=summary,
        clips=clips,
        examples=[(example | {"foreground": bad, "background": bad}, samples)],
        provenance={bad: {bad: [bad]}},
    )
    page = build_report(changed)
    assert page.count("<script>") == 2
    assert page.count("</script>") == 2
    assert "\U0001f415" in page
    assert outline(page).open == []


def test_a_pool_without_sound_gives_a_page(inputs):
    changed = dataclasses.replace(
        inputs,
        clips=inputs.clips[:0],
        mixtures=inputs.mixtures[:0],
        dropped=inputs.dropped[:0],
        examples=[],
    )
    page = build_report(changed)
    assert "This study was not made from sound clips." in page
    assert 'id="listen"' not in page


def test_a_pool_without_summary_is_an_error(inputs):
    changed = dataclasses.replace(
        inputs, summary=inputs.summary[inputs.summary.task != "dog_context"]
    )
    with pytest.raises(ValueError, match="no row for task dog_context"):
        build_report(changed)


def test_import_is_light():
    code = (
        "import sys, earnest.reports.pages.subsets;"
        "heavy = ('torch', 'matplotlib', 'jinja2', 'markupsafe', 'pandas', 'soundfile', 'scipy');"
        "print([name for name in heavy if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# --- statements


def test_headline_states_measured_corrected_and_true():
    better = row(estimator="difference", mean=0.71, sd=0.03, bias=0.01, rmse=0.0316)
    task = one_task([row(), better])
    assert findings.headline(task).replace("\u00a0", " ") == (
        "With 100 items chosen farthest first: measured accuracy on the labelled part"
        " 0.800 ± 0.020; corrected (Difference estimator) 0.710 ± 0.030;"
        " true, on the whole pool, 0.700."
    )
    assert findings.verdict(task) == (
        "The correction helped: its typical error (RMSE) fell from 0.102 to 0.032."
    )


def test_verdict_says_when_the_correction_hurts_or_cannot_be_judged():
    worse = row(estimator="kde", rmse=0.2)
    assert "made it worse: its typical error (RMSE) rose from 0.102 to 0.200" in findings.verdict(
        one_task([row(), worse])
    )
    assert "changed nothing" in findings.verdict(one_task([row(), row(estimator="kde")]))
    missing = row(estimator="kde", mean=None, rmse=None)
    assert "cannot be said" in findings.verdict(one_task([row(), missing]))


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({}, "95 % interval, on average ±0.050; held the truth in 95 % of the subsets"),
        (
            {"interval": "no valid interval", "reason": "covers 40% of 20 subsets"},
            "no valid interval: covers 40% of 20 subsets",
        ),
    ],
)
def test_interval_or_the_reason_why_there_is_none(changed, expected):
    assert findings.interval(row(**changed), 0.95).replace("\u00a0", " ") == expected


def test_the_best_estimator_is_computed_and_ties_are_all_named():
    kde, knn = row(estimator="kde", rmse=0.05), row(estimator="knn", rmse=0.04)
    assert [r["estimator"] for r in findings.best([row(), kde, knn])] == ["knn"]
    assert [r["estimator"] for r in findings.best([row(), kde | {"rmse": 0.04}, knn])] == [
        "kde",
        "knn",
    ]
    assert findings.best([row(rmse=None)]) == []
    said = " ".join(findings.statements(one_task([row(), kde, knn])))
    assert (
        "Neighbour distances (k-NN), where items were chosen farthest first (0.040 against" in said
    )
    said = " ".join(findings.statements(one_task([row(rmse=0.01), kde, knn])))
    assert "Unweighted, where items were chosen farthest first (0.010)" in said


def test_counts_of_combinations_where_weighting_helped():
    rows = [
        row(size=n, estimator=e, rmse=r)
        for n, e, r in [
            (50, "unweighted", 0.2),
            (50, "kde", 0.1),
            (50, "knn", 0.3),
            (100, "unweighted", 0.1),
            (100, "kde", 0.1),
            (100, "knn", 0.05),
        ]
    ]
    said = " ".join(findings.statements(one_task(rows)))
    assert "Density weights (KDE) in 1 of 2, Neighbour distances (k-NN) in 1 of 2" in said
    assert "6 of 6 combinations of sampler, size and estimator have an interval" in said


def test_uncertainty_sampling_is_said_to_be_beyond_correction():
    none = {"interval": "no valid interval", "reason": "deterministic"}
    said = " ".join(findings.statements(one_task([row(sampler="uncertainty", **none)])))
    assert "no weighting can correct that, and none of its estimates carries an interval" in said
    said = " ".join(findings.statements(one_task([row()])))
    assert "no weighting can correct" not in said


def test_weights_are_listed_with_their_largest_one_and_tail():
    rows = [
        row(),
        row(estimator="kde", ess=40.0, largest=7.25, pareto_k=0.71),
        row(estimator="knn", ess=90.0, largest=1.5, pareto_k=None, flags=["no_correction"]),
    ]
    kde, knn = weights.weight_rows(one_task(rows, size=100))
    assert (kde["largest_text"], kde["pareto_text"], kde["unreliable"]) == ("7.2", "0.71", True)
    assert (knn["largest_text"], knn["pareto_text"], knn["unreliable"]) == ("1.5", "–", False)
    assert knn["flags"] == ["no correction"]


def test_coverage_stands_per_estimator_and_sampler_with_the_reason():
    bad = {"interval": "no valid interval", "reason": "covers 70% of 90 subsets, not 95%"}
    rows = [
        row(sampler="random", coverage=0.96),
        row(sampler="random", size=50, **bad, coverage=0.7),
        row(sampler="farthest", coverage=0.7, **bad),
        row(sampler="random", estimator="atc", coverage=None, **(bad | {"reason": None})),
    ]
    found = support.coverage_rows(one_task(rows, size=100, sampler="random"))
    assert found["samplers"] == ["Random", "Farthest first"]
    unweighted, atc = found["rows"]
    assert unweighted["estimator"] == "Unweighted"
    assert [cell["text"] for cell in unweighted["cells"]] == ["96\u00a0%", "70\u00a0%"]
    assert [cell["valid"] for cell in unweighted["cells"]] == [True, False]
    assert [cell["sizes"] for cell in unweighted["cells"]] == ["1 of 2", "0 of 2"]
    assert unweighted["cells"][0]["why"] is None
    assert unweighted["cells"][1]["why"] == "covers 70% of 90 subsets, not 95%"
    assert [cell["why"] for cell in atc["cells"]] == ["no reason recorded", "not computed"]
    assert atc["cells"][0]["text"] == "none"


def test_shares_outside_the_labelled_range_are_those_of_the_unweighted_rows():
    rows = [
        row(outside_confidence=0.04, outside_distance=0.5),
        row(size=50, outside_confidence=0.1),
        row(size=25),
        row(estimator="kde"),
    ]
    found = support.outside_rows(one_task(rows, size=100))
    assert [(r["size"], r["confidence_text"], r["distance_text"]) for r in found] == [
        (50, "10\u00a0%", "–"),
        (100, "4\u00a0%", "50\u00a0%"),
    ]


def test_every_estimator_measure_sampler_and_flag_has_words():
    from earnest.estimates import ESTIMATORS
    from earnest.measures import MEASURES
    from earnest.samplers import SAMPLERS

    assert set(words.STYLES) == set(ESTIMATORS)
    assert set(words.SAMPLERS) == set(SAMPLERS)
    assert set(words.MEASURES) == set(MEASURES)
    assert all(style.meaning for style in words.STYLES.values())
    looks = [(s.colour, s.dash, s.marker) for s in words.STYLES.values()]
    assert len({colour for colour, *_ in looks}) == len(looks)
    assert words.measure("recall:dog_bark") == "recall of dog bark"
    assert "fewer than five labelled items" in words.flag("joined_strata")
    assert "no labelled item" in words.flag("class_without_label")


def test_the_nearest_weighting_is_computed():
    def rows(plain, predicted, conditional):
        pairs = {"none": plain, "true": 0.6, "predicted": predicted, "conditional": conditional}
        return [row(utility=name, truth=truth) for name, truth in pairs.items()]

    near = findings.hidden(one_task(rows(0.8, 0.65, 0.61)))[-1]
    assert near.endswith("Nearest to it without knowing any subconcept: conditional-weighted.")
    near = findings.hidden(one_task(rows(0.8, 0.59, 0.62)))[-1]
    assert near.endswith("Nearest to it without knowing any subconcept: predicted-weighted.")


def test_headline_follows_the_wishes_that_the_summary_can_meet():
    rows = [
        row(size=n, sampler=s, estimator=e, measure=m)
        for n in (25, 100, 400)
        for s in ("random", "kmedoids")
        for e in ("unweighted", "kde")
        for m in ("accuracy", "f1")
    ]
    assert one_task(rows).chosen == view.Chosen("accuracy", "kmedoids", 100, "kde")
    wished = one_task(rows, size=30, sampler="random", measure="f1", estimator="difference")
    assert wished.chosen == view.Chosen("f1", "random", 25, "kde")


@pytest.mark.parametrize(
    ("value", "plain", "with_sign"),
    [
        (0.12345, "0.123", "+0.123"),
        (-0.0204, "−0.020", "−0.020"),
        (-0.0001, "0.000", "0.000"),
        (0.0, "0.000", "0.000"),
        (None, "–", "–"),
    ],
)
def test_numbers_for_people(value, plain, with_sign):
    assert findings.number(value) == plain
    assert findings.signed(value) == with_sign


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0.5, "50 %"),
        (1, "100 %"),
        (0.999, "99.9 %"),
        (0.001, "0.1 %"),
        (0, "0 %"),
        (0.9999, "99.99 %"),
    ],
)
def test_percentages_never_falsely_read_0_or_100(share, text):
    assert findings.percent(share).replace("\u00a0", " ") == text


# --- tables


def test_errors_mark_the_lowest_rmse_of_each_cell():
    rows = [
        row(size=n, estimator=e, rmse=r)
        for n, e, r in [
            (50, "unweighted", 0.2),
            (50, "kde", 0.1),
            (100, "unweighted", 0.1),
            (100, "kde", None),
        ]
    ]
    marked = [
        (r["size"], r["estimator"]) for r in errors.error_table(one_task(rows))["rows"] if r["best"]
    ]
    assert marked == [(50, "kde"), (100, "unweighted")]


def test_long_reasons_become_lettered_notes():
    long = "the sampler is deterministic and leaves regions without any chance of selection"
    none = {"interval": "no valid interval"}
    rows = [row(), row(estimator="kde", reason=long, **none)]
    rows += [row(estimator="knn", reason="covers 40% of 20 subsets", **none)]
    rows += [row(estimator="logistic", reason=long, **none)]
    table = errors.error_table(one_task(rows))
    assert table["notes"] == [("a", long)]
    assert {r["estimator"]: r["interval_text"] for r in table["rows"]} == {
        "unweighted": "valid",
        "kde": "none (a)",
        "logistic": "none (a)",
        "knn": "covers 40% of 20 subsets",
    }
    assert [errors._letters(place) for place in (0, 25, 26, 52)] == ["a", "z", "aa", "ba"]


def test_distinct_subsets_stand_beside_seeds_when_they_differ():
    assert headline.subsets(row()) == "20"
    assert headline.subsets(row(distinct_subsets=17)) == "17 from 20 seeds"
    assert headline.subsets(row(undefined=3)) == "20, 3 without a value"


def test_scores_over_usual_and_rare_backgrounds():
    # dog: usual 2 of 2, rare 0 of 1; bell: usual 1 of 2, no rare items
    known = [
        ("dog", True, 1),
        ("dog", True, 1),
        ("dog", False, 0),
        ("bell", True, 1),
        ("bell", True, 0),
    ]
    pool = pd.DataFrame(
        [
            {"subconcept": s, "is_primary": p, "label": "a", "prediction": "ab"[1 - r]}
            for s, p, r in known
        ]
    )
    task = dataclasses.replace(one_task([row()]), pool=pool)
    found = backgrounds.rows_of(task)
    keys = ("name", "primary", "primary_count", "rare", "rare_count", "gap")
    assert [tuple(r[k] for k in keys) for r in found["rows"]] == [
        ("dog", 1.0, 2, 0.0, 1, 1.0),
        ("bell", 0.5, 2, None, 0, None),
    ]
    assert tuple(found["overall"][k] for k in keys) == ("", 0.75, 4, 0.0, 1, 0.75)


def test_in_a_context_task_the_foreground_is_taken_together():
    known = [("a + x", True, "m", 1), ("a + y", False, "m", 0), ("b", True, "o", 1)]
    pool = pd.DataFrame(
        [
            {"subconcept": s, "is_primary": p, "label": side, "prediction": side if r else "?"}
            for s, p, side, r in known
        ]
    )
    about = {"kind": "context", "foreground": "a", "positive": "m"}
    task = dataclasses.replace(one_task([row()]), pool=pool, description=about)
    found = backgrounds.rows_of(task)
    assert [(r["name"], r["gap"]) for r in found["rows"]] == [("a", 1.0), ("b", None)]
    assert found["focus"]["name"] == "a"
    assert findings.aside(task, found["focus"])[0].replace("\u00a0", " ") == (
        "A: right over usual backgrounds: 100 %, over rare ones: 0 %."
    )


def without_backgrounds(inputs):
    pools = {
        name: (about, pool.assign(is_primary=None), subconcepts)
        for name, (about, pool, subconcepts) in inputs.pools.items()
    }
    return dataclasses.replace(inputs, pools=pools)


def test_sounds_as_they_are_have_no_section_on_backgrounds(inputs):
    heading = "Usual against unusual backgrounds"
    page = build_report(inputs)
    assert page.count(heading) == len(inputs.pools)
    assert "lean on the background" in page
    bare = build_report(without_backgrounds(inputs))
    assert heading not in bare
    assert "lean on the background" not in bare
    assert "over rare ones" not in bare


def test_an_item_without_a_background_is_over_neither():
    pool = pd.DataFrame(
        {
            "subconcept": ["dog"] * 3,
            "is_primary": pd.array([True, False, None], dtype="boolean"),
            "label": ["a"] * 3,
            "prediction": ["a", "b", "a"],
        }
    )
    task = dataclasses.replace(one_task([row()]), pool=pool)
    found = backgrounds.rows_of(task)["overall"]
    assert (found["primary_count"], found["rare_count"]) == (1, 1)


@pytest.mark.parametrize(
    ("share", "said"), [(0.75, "75\u00a0%"), (0.5, "50\u00a0%"), (0.25, "25\u00a0%")]
)
def test_the_page_says_how_often_the_usual_background_was_planned(inputs, share, said):
    about = dict(inputs.provenance) | {"config": {"mixtures": {"primary_share": share}}}
    page = build_report(dataclasses.replace(inputs, provenance=about))
    assert page.count(f"As the study plans it, {said} of each sound’s mixtures") == len(
        inputs.pools
    )
    assert ("mostly heard over one usual" in page) == (share > 0.5)
    assert (f"background in {said} of its mixtures, as planned" in page) == (share <= 0.5)


def test_clip_counts_per_data_set(inputs):
    # silence can be decoded, so four of the five rejected clips cannot
    (counts,) = sources.clip_counts(inputs.clips, sources.sides_of(inputs.mixtures))
    assert counts["dataset"] == "demo"
    names = ("listed", "found", "decodable", "used")
    assert [counts[name] for name in names] == [120, 119, 116, 115]
    assert (counts["rejected"], counts["warned"]) == (5, 1)
    assert [r["clip"] for r in sources.warned_rows(inputs.clips)] == ["demo/knock-7"]


def test_rejected_clips_and_dropped_parts_keep_their_reasons(inputs):
    rejected = {
        row["clip"]: (row["reason"], row["meaning"], row["detail"])
        for row in sources.rejected_rows(inputs.clips)
    }
    assert len(rejected) == 5
    assert rejected["demo/dog-0"] == ("silent", "contains only silence", "")
    assert rejected["demo/whistle-20"] == (
        "truncated",
        "ends before its declared length",
        "9000 of 16000 declared frames are there",
    )
    dropped = sources.dropped_rows(inputs.dropped, inputs.mixtures)
    assert [(r["kind"], r["reason"]) for r in dropped] == [
        ("pair", made_report.HOSTILE),
        ("mixture", "the background is silent"),
    ]


def test_settings_are_flattened():
    tree = {"a": {"b": 1, "c": [1, 2]}, "d": None, "e": True, "f": [{"g": 0.5}], "h": {}}
    assert provenance.settings_rows(tree) == [
        ("a.b", "1"),
        ("a.c", "1, 2"),
        ("d", "none"),
        ("e", "yes"),
        ("f[0].g", "0.5"),
        ("h", "none"),
    ]
    assert provenance.settings_rows(7) == [("", "7")]


def test_every_flag_has_a_meaning_and_unknown_names_stay_readable():
    known = {
        "no_correction",
        "degenerate",
        "outside_range",
        "deterministic_sampler",
        "whole_pool",
        "undefined_resamples",
    }
    assert known <= set(words.FLAGS)
    assert "no explanation" in words.flag("surprising")
    assert words.style("my_estimator").label == "My estimator"
    assert words.sampler("my_sampler") == "My sampler"
    assert words.chosen("my_sampler") == "by my sampler"


def test_missing_values_of_all_kinds_become_none():
    frame = pd.DataFrame(
        {
            "a": pd.array([1, None], dtype="Int64"),
            "b": [np.nan, 0.5],
            "c": [None, "x"],
            "d": [np.array(["f"]), np.array([])],
        }
    )
    assert view.records(frame) == [
        {"a": 1, "b": None, "c": None, "d": ["f"]},
        {"a": None, "b": 0.5, "c": "x", "d": []},
    ]


# --- figures


def test_ticks_are_round_and_inside():
    assert charts.ticks(0.5, 1.0) == [0.5, 0.6, 0.7, 0.8, 0.9, 1.0]
    assert charts.ticks(0.71, 0.79, 4) == [0.72, 0.74, 0.76, 0.78]
    assert charts.ticks(-0.11, 0.11, 3) == [-0.1, 0.0, 0.1]


def test_a_range_holds_means_bands_and_truth():
    curve = figures.Curve(
        "kde", (figures.Point(10, 0.5, 0.2, ""), figures.Point(20, 0.6, None, ""))
    )
    low, high = figures.value_range([curve], 0.9)
    assert low == pytest.approx(0.3 - 0.06 * 0.6)
    assert high == pytest.approx(0.9 + 0.06 * 0.6)
    assert figures.value_range([], None) == (0.0, 1.0)


def test_a_panel_places_values_on_its_axis():
    # axis from 10 (top) to 186 (bottom): the middle value of [0, 1] lies at 98
    curve = figures.Curve(
        "kde", (figures.Point(10, 0.5, 0.25, "a & b"), figures.Point(20, 1.0, 0.0, ""))
    )
    svg = figures.curve_panel([curve], 0.0, (0.0, 1.0), [10, 20], "what it shows")
    assert '<polyline class="line" points="58.0,98.0 304.0,10.0"' in svg
    assert 'points="58.0,54.0 304.0,10.0 304.0,10.0 58.0,142.0"' in svg
    assert 'class="truth" x1="44.0" x2="318.0" y1="186.0" y2="186.0"' in svg
    assert "<title>a &amp; b</title>" in svg
    assert 'aria-label="what it shows"' in svg


def test_one_size_gives_a_point_and_no_band():
    curve = figures.Curve("kde", (figures.Point(10, 0.5, 0.1, ""),))
    svg = figures.curve_panel([curve], None, (0.0, 1.0), [10], "")
    assert "polygon" not in svg
    assert 'cx="181.0"' in svg


def test_bars_and_strips_use_percentages():
    assert 'width="25.00%"' in figures.bar(0.25)
    assert 'class="ref true" x1="80.00%"' in figures.bar(None, [("true", 0.8)])
    assert "<rect" not in figures.bar(None)
    svg = figures.strip([("circle", "#000", 0.6)], 0.7, (0.5, 0.9))
    assert 'x="25.00%"' in svg
    assert 'class="truth" x1="50.00%"' in svg


# --- sound


def test_sound_survives_to_sixteen_bits():
    import soundfile

    samples = np.linspace(-1, 1, 1001, dtype=np.float32)
    uri = audio.sound_uri(samples)
    head, data = uri.split(",")
    assert head == "data:audio/flac;base64"
    back, rate = soundfile.read(io.BytesIO(base64.b64decode(data)), dtype="float32")
    assert rate == 16_000
    assert np.abs(back - samples).max() <= 1 / 32768
    assert audio.sound_uri(samples) == uri


@pytest.mark.parametrize("bad", [[0.0, np.nan], [0.0, 1.5], [[0.0, 0.1]]])
def test_what_cannot_be_played_is_refused(bad):
    with pytest.raises(ValueError, match="one finite channel within -1 and 1"):
        audio.sound_uri(np.array(bad))


def test_a_tone_is_brightest_at_its_frequency():
    tone = np.sin(2 * np.pi * 1000 * np.arange(16_000) / 16_000)
    shades = audio.spectrogram(tone)
    assert shades.shape == (96, 101)
    row_of_tone = int(shades[:, 50].argmax())
    assert shades[row_of_tone, 50] >= 250
    # rows lie about 30 mel apart, a bin of the transform is 31 Hz wide
    assert audio.row_frequencies()[row_of_tone] == pytest.approx(1000, abs=40)
    assert audio.position(8000) == 0
    assert audio.position(50) == 1


def test_pictures_decode_to_their_shades():
    import matplotlib
    from matplotlib import image

    shades = np.array([[0, 255, 128], [7, 8, 9]], dtype=np.uint8)
    data = base64.b64decode(audio.picture_uri(shades).split(",")[1])
    colours = image.imread(io.BytesIO(data))[:, :, :3]
    expected = matplotlib.colormaps["magma"](np.arange(256))[shades][:, :, :3]
    assert np.abs(colours - expected).max() <= 0.5 / 255 + 1e-6


def test_silence_has_a_picture():
    assert audio.spectrogram(np.zeros(1600)).shape == (96, 11)


def test_examples_alternate_usual_and_rare_backgrounds(inputs):
    chosen = listen.choose_examples(inputs.mixtures, 4)
    shuffled = inputs.mixtures.sample(frac=1, random_state=1)
    assert chosen == listen.choose_examples(shuffled, 4)
    assert len(chosen) == 4
    assert [r["foreground"] for r in chosen] == sorted(r["foreground"] for r in chosen)


@pytest.mark.parametrize("subconcepts", [None, {"trees": 50}])
def test_the_page_on_rare_subconcepts_is_named_where_there_is_one(inputs, subconcepts):
    about = inputs.provenance | {"config": {"subconcepts": subconcepts}}
    text = build_report(dataclasses.replace(inputs, provenance=about))
    assert ("subconcepts/report.html" in text) == (subconcepts is not None)
