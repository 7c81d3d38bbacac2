"""The report says how networks were trained, and how sure the classifiers are."""

import re
from dataclasses import replace

from earnest.reports.pages.subsets import build_report
from earnest.reports.sections import trainings
from tests.made_report import made_inputs, made_training


def section(html: str) -> str:
    found = re.search(r'<section id="models".*?</section>', html, re.S)
    return found[0] if found else ""


def test_training_is_told_in_words_and_two_figures() -> None:
    text = section(build_report(made_inputs()))
    training = made_training()
    assert "cnn was trained on 1,185 items of 194 recordings to tell 8 sounds apart" in text
    assert "576 items of 74 recordings that it was not trained on" in text
    assert f"those of epoch {training['best_epoch']} of 60" in text
    assert f"{training['validation_accuracy']:.3f}: the best of many" in text
    assert "Training ended early" in text
    assert "Of a single recording, and so not judged there: flute" in text
    assert text.count('<svg class="panel"') == 2
    assert text.count("<polyline") == 3
    assert f"<title>Epoch {training['best_epoch']}, whose weights are used</title>" in text
    assert "log loss over 60 epochs. training part: 2.068 in the first epoch" in text


def test_lines_go_up_where_values_do() -> None:
    training = made_training(epochs=3)
    for row, accuracy in zip(training["curve"], (0.2, 0.8, 0.5), strict=True):
        row["validation_accuracy"] = accuracy
    figure = str(trainings.described({"cnn": training | {"best_epoch": 2}}, [])["networks"][0][
        "panels"
    ][0]["figure"])  # fmt: skip
    points = re.search(r'points="([^"]+)"', figure)[1].split()
    across, down = zip(*(map(float, point.split(",")) for point in points), strict=True)
    assert list(across) == sorted(across)
    assert down[1] < down[2] < down[0]
    dotted = re.search(r'class="truth" x1="([\d.]+)"', figure)[1]
    assert float(dotted) == across[1]


def test_calibration_of_every_task_is_tabled() -> None:
    text = section(build_report(made_inputs()))
    rows = re.findall(r"<tr><th scope=\"row\">.*?</tr>", text)
    assert len(rows) == 3
    assert "the network’s own last layer" in rows[0]
    for value in ("0.064", "1.37", "120", "0.021"):
        assert f">{value}</td>" in rows[0]
    assert "not calibrated" in rows[2]
    assert ">0.021</td>" not in rows[2]


def test_study_without_networks_has_no_figures_and_an_old_pool_no_section() -> None:
    inputs = replace(made_inputs(), trainings={})
    assert "polyline" not in section(build_report(inputs))
    assert "The classifiers, and how sure they are" in section(build_report(inputs))
    old = {
        name: ({k: v for k, v in parts[0].items() if k != "calibration"}, *parts[1:])
        for name, parts in inputs.pools.items()
    }
    html = build_report(replace(inputs, pools=old))
    assert section(html) == ""
    assert 'href="#models"' not in html


def test_single_epoch_is_drawn() -> None:
    training = made_training(epochs=1)
    found = trainings.described({"cnn": training}, [])["networks"][0]["panels"]
    assert all("nan" not in str(panel["figure"]).lower() for panel in found)
