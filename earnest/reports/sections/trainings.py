"""How the classifiers came about: learning curves of trained networks, and calibration."""

from collections.abc import Mapping, Sequence
from typing import Any

from earnest.reports import figures, findings
from earnest.reports.inputs import StudyPage
from earnest.reports.view import TaskView

# Colour and dashes of a line; the validation part is the one that decides.
TRAINED, HELD_OUT = ("#D55E00", "9 3 2 3"), ("#0072B2", "")
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
    losses = {
        "training part": ([row["loss"] for row in curve], TRAINED),
        "validation part": ([row["validation_loss"] for row in curve], HELD_OUT),
    }
    return {
        "name": name,
        "statement": _statement(training),
        "panels": [
            {
                "title": "Accuracy on the validation part",
                "figure": _panel({"validation part": (accuracy, HELD_OUT)}, best, "accuracy"),
                "legend": [],
            },
            {
                "title": "Log loss",
                "figure": _panel(losses, best, "log loss"),
                "legend": [_legend_entry(part, style) for part, (_, style) in losses.items()],
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


def _legend_entry(name: str, style: tuple[str, str]) -> dict[str, Any]:
    colour, dash = style
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    mark = (
        '<svg width="30" height="12" aria-hidden="true"><line class="line" x1="1" x2="29" y1="6"'
        f' y2="6" stroke="{colour}"{dashed}/></svg>'
    )
    return {"name": name, "mark": figures.safe(mark)}


def _panel(
    lines: Mapping[str, tuple[list[float], tuple[str, str]]], best: int, measure: str
) -> Any:
    """Draw lines over the epochs, a dotted line at the best one."""
    values = [value for drawn, _ in lines.values() for value in drawn]
    pad = max(0.06 * (max(values) - min(values)), 0.01)
    low, high = min(values) - pad, max(values) + pad
    epochs = len(values) // len(lines)
    start, end = figures.LEFT + 8, figures.WIDTH - figures.RIGHT - 8

    def across(epoch: int) -> float:
        return start + (end - start) * (epoch - 1) / max(epochs - 1, 1)

    def up(value: float) -> float:
        height = figures.HEIGHT - figures.TOP - figures.BOTTOM
        return figures.TOP + height * (high - value) / (high - low)

    parts = [_axes(epochs, across, up, (low, high))]
    x, base = f"{across(best):.1f}", figures.HEIGHT - figures.BOTTOM
    parts.append(
        f'<line class="truth" x1="{x}" x2="{x}" y1="{figures.TOP:g}" y2="{base:g}">'
        f"<title>Epoch {best}, whose weights are used</title></line>"
    )
    for name, (drawn, (colour, dash)) in lines.items():
        points = " ".join(f"{across(n):.1f},{up(v):.1f}" for n, v in enumerate(drawn, start=1))
        dashed = f' stroke-dasharray="{dash}"' if dash else ""
        parts.append(
            f'<polyline class="line" points="{points}" stroke="{colour}"{dashed}>'
            f"<title>{name}</title></polyline>"
        )
    ends = "; ".join(
        f"{name}: {drawn[0]:.3f} in the first epoch, {drawn[best - 1]:.3f} in epoch {best},"
        f" {drawn[-1]:.3f} in the last"
        for name, (drawn, _) in lines.items()
    )
    label = figures.escape(f"{measure} over {epochs} epochs. {ends}.")
    box = f"0 0 {figures.WIDTH:g} {figures.HEIGHT:g}"
    return figures.safe(
        f'<svg class="panel" viewBox="{box}" role="img" aria-label="{label}">{"".join(parts)}</svg>'
    )


def _axes(epochs: int, across: Any, up: Any, values: tuple[float, float]) -> str:
    left, right = figures.LEFT, figures.WIDTH - figures.RIGHT
    base = figures.HEIGHT - figures.BOTTOM
    parts = []
    for tick in figures.ticks(*values, most=8):
        y = up(tick)
        parts.append(f'<line class="grid" x1="{left:g}" x2="{right:g}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(f'<text x="{left - 7:g}" y="{y + 4:.1f}" text-anchor="end">{tick:.4g}</text>')
    parts.append(f'<line class="axis" x1="{left:g}" x2="{right:g}" y1="{base:g}" y2="{base:g}"/>')
    for epoch in sorted({int(tick) for tick in figures.ticks(1, max(epochs, 2))} | {1}):
        if 1 <= epoch <= epochs:
            x, y = f"{across(epoch):.1f}", f"{base + 16:g}"
            parts.append(f'<text x="{x}" y="{y}" text-anchor="middle">{epoch}</text>')
    middle, bottom = (left + right) / 2, figures.HEIGHT - 5
    parts.append(f'<text x="{middle:g}" y="{bottom:g}" text-anchor="middle">epoch</text>')
    return "".join(parts)
