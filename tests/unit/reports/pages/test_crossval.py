"""The report on tables: its numbers, its reasons, its figures, and that it needs nothing else."""

import html
import re
import xml.etree.ElementTree as ElementTree

import pytest

from earnest.protocols.crossval import correlations, published, splitting, weight_quality
from earnest.reports import subconcept_figures as drawings
from earnest.reports.pages import crossval
from earnest.reports.sections import beside, left_out, optimism
from earnest.reports.sections import correlations as correlations_section
from tests.made_tables import CORRECTIONS, OPTIONS, made_inputs


@pytest.fixture(scope="module")
def inputs():
    return made_inputs()


@pytest.fixture(scope="module")
def page(inputs):
    return crossval.build_report(inputs)


def text_of(page):
    return html.unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page)))


def test_the_page_loads_nothing(page):
    assert not re.search(r'(?:src|href)="(?!#|data:)', page)
    assert "http" not in re.sub(r"<meta http-equiv", "", page)
    assert "Made &amp; tested" in page


def test_no_python_objects_and_no_missing_numbers_are_shown(page):
    text = text_of(page)
    for word in ("built-in method", "object at 0x", "None", "nan", "NaN", "Undefined"):
        assert word not in text, word


def test_every_value_of_the_correlation_table_is_there(inputs, page):
    for name in CORRECTIONS:
        for row in correlations_section.correlation_rows(inputs.correlations, name):
            for part in ("largest", "smallest"):
                assert f'data-v="{row[part]["value"]}"' in page


def test_printed_numbers_are_compared_with_our_intervals():
    row = {"printed": 0.5, "low": 0.4, "high": 0.6}
    assert beside.inside(row) == "inside"
    assert beside.inside(row | {"printed": 0.61}) == "outside"
    assert beside.inside(row | {"low": None}) == "no interval"
    assert beside.inside(row | {"printed": None}) == ""


def test_the_reasons_are_there(page):
    text = text_of(page)
    assert "data set gone is missing: put it <here>" in text
    assert "made1, SMOTE, F1 (30 cells) not run: 1 member" in text
    assert published.REMARKS["keel"] in text
    assert "c<i> (12)" in text


def test_the_counts_of_the_header(page):
    text = text_of(page)
    assert "5 data sets used, 1 not run" in text
    assert "2 corrections of imbalance" in text
    assert "500 items, each tested in every repeat" in text


def test_distances_are_means_over_sets(inputs):
    found = optimism.distance_rows(inputs.distances)
    mine = inputs.distances[
        (inputs.distances["correction"] == "none")
        & (inputs.distances["measure"] == "f1")
        & (inputs.distances["utility"] == "conditional")
    ]
    row = next(
        r
        for r in found
        if (r["correction"], r["measure"], r["utility"]) == ("no correction", "F1", "conditional")
    )
    assert row["distance"] == pytest.approx(mine["distance"].mean())
    assert row["flatters"] == (mine["optimism"] > 0).sum()
    # made1 has no SMOTE scores
    assert {r["datasets"] for r in found if r["correction"] == "SMOTE"} == {4}


def test_every_figure_is_well_formed(page):
    pictures = re.findall(r'<svg class="panel".*?</svg>', page, re.S)
    # 3 gaps, 6 scatters, 5 sets x 3 measures without correction and as many (no lines in one) with
    assert len(pictures) == 3 + 6 + 15 + 15
    for picture in pictures:
        ElementTree.fromstring(picture)


def test_a_panel_shows_sizes_scores_and_lines():
    groups = [
        drawings.Group("a", "majority", 50, 1.0, 0.5),
        drawings.Group("a very long name", "minority", 10, 0.2, 1.0),
    ]
    svg = ElementTree.fromstring(drawings.dataset_panel(groups, [("true", 0.25)], "said"))
    heights = [float(r.get("height")) for r in svg.iter("rect")]
    full = heights[0]
    assert heights == pytest.approx([full, 0.5 * full, 0.2 * full, full], abs=0.06)
    line = next(n for n in svg.iter("line") if n.get("stroke") == "#111111")
    base = float(next(r for r in svg.iter("rect")).get("y")) + full
    assert base - float(line.get("y1")) == pytest.approx(0.25 * full, abs=0.1)
    assert "a very lo…"[:8] in "".join(svg.itertext())


def test_a_negative_gap_hangs_below_zero():
    bars = [drawings.Bar("none", 0.4, 0.1, 5.0, "n"), drawings.Bar("true", -0.2, None, None, "t")]
    svg = ElementTree.fromstring(drawings.gap_panel([("no correction", bars)], (-0.5, 0.5), "said"))
    up, down = svg.iter("rect")
    assert float(up.get("height")) == pytest.approx(2 * float(down.get("height")), abs=0.11)
    assert float(up.get("y")) + float(up.get("height")) == pytest.approx(
        float(down.get("y")), abs=0.11
    )
    # a whisker beyond the panel is cut at its edge
    whisker = next(n for n in svg.iter("line") if n.get("x1") == n.get("x2"))
    assert float(whisker.get("y2")) == pytest.approx(drawings.FRAME.top)


def test_a_study_without_any_score_has_a_page(inputs):
    from dataclasses import replace

    from earnest.io import schemas

    empty = correlations.assess(
        correlations.dataset_means(schemas.frame_of("fold_scores", [])), **OPTIONS
    )
    quality = schemas.frame_of("weight_quality", [])
    page = crossval.build_report(
        replace(
            inputs,
            datasets=[splitting.not_run("gone", "nowhere").description],
            scores=schemas.frame_of("fold_scores", []),
            recalls=schemas.frame_of("fold_recalls", []),
            correlations=empty["table_correlations"],
            gaps=empty["table_gaps"],
            differences=empty["table_gap_differences"],
            quality=quality,
            recognition=weight_quality.correlate_quality(quality, **OPTIONS),
            distances=schemas.frame_of("table_distances", []),
            weights=schemas.frame_of("table_weights", []),
        )
    )
    assert "Too few data sets have scores" in page
    assert "nowhere" in page


def test_the_same_inputs_give_the_same_page(inputs, page):
    assert crossval.build_report(inputs) == page


@pytest.mark.parametrize(
    ("p", "text"), [(0.0123, "0.012"), (3.75e-47, "3.75e−47"), (4e-5, "4.00e−5"), (None, "–")]
)
def test_p_values_in_words(p, text):
    assert beside.p_text(p) == text


def test_training_items_are_counted_by_subconcept(inputs):
    found = left_out.trained_rows(inputs.recalls, ["none", "smote"])
    mine = {r["subconcept"]: r["cells"] for r in found if r["dataset"] == "made0"}
    assert mine["a"] == ["30.0", "30.0"]
    assert [mine["b"][0], mine["c<i>"][0]] == ["14.0", "6.0"]
    # 30 minority items in all after SMOTE
    assert float(mine["b"][1]) + float(mine["c<i>"][1]) == pytest.approx(30)


def test_few_neighbours_of_smote_are_said(inputs):
    recalls = inputs.recalls.copy()
    assert left_out.few_neighbours(recalls) == []
    chosen = (recalls["dataset"] == "made2") & (recalls["correction"] == "smote")
    recalls.loc[chosen, "neighbours"] = 3
    assert left_out.few_neighbours(recalls) == ["made2 (3)"]
