"""How the classifiers came about: learning curves of trained networks, and calibration."""

from collections.abc import Mapping, Sequence
from typing import Any

from earnest.reports import charts, findings
from earnest.reports.charts import Look
from earnest.reports.inputs import StudyPage
from earnest.reports.view import TaskView

# The validation part is the one that decides.
TRAINED = Look("training part", charts.VERMILION, "9 3 2 3")
HELD_OUT = Look("validation part", charts.BLUE)
FRAME = charts.Frame()
NAMES = {
    "logistic": "logistic regression",
    "forest": "random forest",
    "probe": "linear layer (torch)",
    "head": "the network’s own last layer",
}


def shows(page: StudyPage) -> dict[str, Any] | None:
    """Return how networks and classifiers of a study came about, None if nothing is known."""
    return described(page.inputs.trainings, page.views)


def described(
    trainings: Mapping[str, Mapping[str, Any]], views: Sequence[TaskView]
) -> dict[str, Any] | None:
    """Return what the page shows of networks and classifiers, or None if nothing is known.

    Parameters
    ----------
    trainings : mapping of str to mapping
        training.json of every network that the study trained, by the name of its embedding.
    views : sequence of TaskView
        Their descriptions say which classifier each task has, and how sure it is.
    """
    classifiers = [_classifier_row(view) for view in views if "calibration" in view.description]
    networks = [_network(name, training) for name, training in trainings.items()]
    if not classifiers and not networks:
        return None
    return {"classifiers": classifiers, "networks": networks}


def _classifier_row(view: TaskView) -> dict[str, Any]:
    calibration = view.description["calibration"]
    name = view.description["classifier"]["name"]
    temperature = calibration["temperature"]
    return {
        "title": view.title,
        "anchor": view.anchor,
        "classifier": NAMES.get(name, name),
        "items": view.description["train_size"],
        "error_before": findings.number(calibration["error_before"]),
        "error": "–" if temperature is None else findings.number(calibration["error"]),
        "temperature": "not calibrated" if temperature is None else f"{temperature:.2f}",
        "validation": calibration["validation_items"] or "–",
    }


def _network(name: str, training: Mapping[str, Any]) -> dict[str, Any]:
    curve = training["curve"]
    accuracy = [row["validation_accuracy"] for row in curve]
    best = training["best_epoch"]
    losses = [
        (TRAINED, [row["loss"] for row in curve]),
        (HELD_OUT, [row["validation_loss"] for row in curve]),
    ]
    return {
        "name": name,
        "statement": _statement(training),
        "panels": [
            {
                "title": "Accuracy on the validation part",
                "figure": _panel([(HELD_OUT, accuracy)], best, "accuracy"),
                "legend": [],
            },
            {
                "title": "Log loss",
                "figure": _panel(losses, best, "log loss"),
                "legend": [charts.key(look) for look, _ in losses],
            },
        ],
    }


def _statement(training: Mapping[str, Any]) -> str:
    parts = [training["training_part"], training["validation_part"]]
    counts = [f"{part['items']:,} items of {part['recordings']:,} recordings" for part in parts]
    alone = training["classes_without_validation"]
    sentences = [
        f"{training['architecture']} was trained on {counts[0]} to tell"
        f" {len(training['classes'])} sounds apart, and judged after every epoch on {counts[1]}"
        " that it was not trained on",
        f"The weights are those of epoch {training['best_epoch']} of {training['epochs']}, with"
        f" the highest accuracy on that validation part, {training['validation_accuracy']:.3f}:"
        " the best of many, and so a little flattering",
    ]
    if training["stopped_early"]:
        sentences.append("Training ended early, because nothing better came for long enough")
    if alone:
        sentences.append(f"Of a single recording, and so not judged there: {', '.join(alone)}")
    return ". ".join(sentences) + "."


def _panel(lines: Sequence[tuple[Look, list[float]]], best: int, measure: str) -> Any:
    """Draw lines over the epochs, a dotted line at the best one."""
    values = charts.value_span([value for _, drawn in lines for value in drawn])
    epochs = len(lines[0][1])
    across, up = FRAME.across((1, max(epochs, 2)), inset=8), FRAME.up(values)
    told = sorted({int(tick) for tick in charts.ticks(1, max(epochs, 2))} | {1})
    shown = ((across(epoch), str(epoch)) for epoch in told if 1 <= epoch <= epochs)
    parts = [FRAME.levels(values), FRAME.floor(), FRAME.places(shown), FRAME.named("epoch")]
    note, x = f"Epoch {best}, whose weights are used", across(best)
    parts.append(charts.rule("truth", (x, x), (FRAME.top, FRAME.base), note))
    for look, drawn in lines:
        points = " ".join(f"{across(n):.1f},{up(v):.1f}" for n, v in enumerate(drawn, start=1))
        parts.append(
            f'<polyline class="line" points="{points}" {charts.stroke(look)}>'
            f"<title>{look.label}</title></polyline>"
        )
    ends = "; ".join(
        f"{look.label}: {drawn[0]:.3f} in the first epoch, {drawn[best - 1]:.3f} in epoch {best},"
        f" {drawn[-1]:.3f} in the last"
        for look, drawn in lines
    )
    return charts.safe(FRAME.drawn(parts, f"{measure} over {epochs} epochs. {ends}."))
