"""The index of studies: finished ones with links that lead somewhere, unfinished ones by name."""

import os
import re

import pytest

from earnest import io
from earnest.reports.pages import index

HOSTILE = '<img src=x onerror="alert(1)"> & co'


SOUNDS = {
    "samplers": ["farthest"],
    "size": 100,
    "tasks": {
        "foregrounds": {
            "farthest": {"accuracy": {"truth": 0.8, "kde": 0.75, "unweighted": 0.61}},
        },
        "context": {
            "farthest": {
                "balanced_accuracy": {
                    "truth": 0.8,
                    "kde": 0.9,
                    "difference": None,
                    "unweighted": 0.95,
                }
            }
        },
    },
}
TASKS = [{"name": "foregrounds", "kind": "classes"}, {"name": "context", "kind": "context"}]
TABLES = {
    "gap": {
        "ros": {"balanced_accuracy": {"none": 0.9}},
        "none": {"balanced_accuracy": {"none": 0.644, "predicted": -0.131, "true": None}},
    }
}


def write_study(folder, *, metrics, made, **config):
    io.write_text("<html></html>", folder / "report.html")
    os.utime(folder / "report.html", (made, made))
    io.write_json(metrics, folder / "metrics.json")
    io.write_json({"config": config}, folder / "provenance.json")


@pytest.fixture
def results(tmp_path):
    folder = tmp_path / "results"
    write_study(
        folder / "demo",
        metrics=SOUNDS,
        made=1_700_000_000,
        kind="mixtures",
        title=HOSTILE,
        tasks=TASKS,
    )
    io.write_text("", folder / "demo" / "listening.html")
    io.write_text("", folder / "demo" / "subconcepts" / "report.html")
    write_study(
        folder / "keel", metrics=TABLES, made=1_800_000_000, kind="tables", title="Eight tables"
    )
    (folder / "begun" / "clips").mkdir(parents=True)
    return folder


def test_finished_studies_come_newest_first_and_others_by_name(results):
    studies, unfinished = index.find_studies(results)
    assert [study.name for study in studies] == ["keel", "demo"]
    assert unfinished == ["begun"]
    assert [study.kind for study in studies] == ["tables", "mixtures of sounds"]
    assert studies[1].made.isoformat() == "2023-11-14T22:13:20+00:00"


def test_headlines_are_the_numbers_of_the_metrics(results):
    keel, demo = index.find_studies(results)[0]
    assert demo.headline == [
        (
            "Foregrounds (accuracy, 100 items chosen farthest first;"
            " corrected: Density weights (KDE))",
            "true 0.800, measured on the labelled part 0.610, corrected 0.750",
        ),
        (
            "Context (balanced accuracy, 100 items chosen farthest first)",
            "true 0.800, measured on the labelled part 0.950",
        ),
    ]
    assert keel.headline == [
        ("Gap of correlations, balanced accuracy", "plain +0.64, predicted weights \u22120.13")
    ]


def test_every_link_leads_to_a_file_and_titles_are_text(results):
    path = index.write_index(results)
    html = path.read_text(encoding="utf-8")
    links = [
        link for link in re.findall(r'href="([^"]+)"', html) if not link.startswith(("#", "data:"))
    ]
    assert len(links) == 2 * 3 + 2
    assert all((results / link).is_file() for link in links)
    assert {"demo/listening.html", "demo/subconcepts/report.html"} <= set(links)
    assert "<img" not in html
    assert "&lt;img src=x onerror=&#34;alert(1)&#34;&gt; &amp; co" in html
    assert "<code>begun</code>" in html


def test_a_study_that_is_gone_is_gone_from_the_next_index(results):
    import shutil

    index.write_index(results)
    shutil.rmtree(results / "demo")
    assert "demo" not in index.write_index(results).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"tasks": NaN}', "metrics.json cannot be read"),
        ("{", "metrics.json cannot be read"),
        ("[]", "metrics.json holds no object"),
        ('{"tasks": {"a": 1}, "samplers": ["random"]}', "metrics.json has another form"),
    ],
)
def test_a_broken_file_is_told_and_stops_nothing(results, text, problem):
    io.write_text(text, results / "demo" / "metrics.json")
    html = index.write_index(results).read_text(encoding="utf-8")
    assert problem in html
    assert "Eight tables" in html


def test_without_studies_the_page_says_so(tmp_path):
    assert "No study is finished" in index.write_index(tmp_path / "results").read_text()


def test_the_command_writes_the_page_and_knows_its_arguments(results, capsys):
    assert index.main([str(results)]) == 0
    assert "index.html" in capsys.readouterr().out
    assert index.main(["a", "b"]) == 2
    assert "usage" in capsys.readouterr().err
