"""Tasks: the published Table 3 on its real data, and every rule on small made labels."""

import gzip
from collections import Counter

import numpy as np
import pytest

from earnest.tasks import TaskError, build_task, context_task

# "Correcting Performance Estimation Bias in Imbalanced Classification with Minority
# Subconcepts", Table 3: Maj., Min., Maj. Class, Min. Class, I.R.
TABLE_3 = {
    "abalone": (2377, 454, "8 9 10 11", "6 7 12 13", 5.24),
    "letter": (3217, 745, "D P T U", "A M X Y", 4.32),
    "optdigits": (2277, 529, "1 3 4 7", "2 5 6 9", 4.30),
    "penbased": (4574, 1069, "0 1 2 4", "5 6 7 8", 4.28),
    "satimage": (4399, 1187, "1 3 7", "2 4 5", 3.71),
    "segment": (990, 308, "5 6 7", "1 2 3 4", 3.21),
    "texture": (2000, 468, "6 7 8 9", "2 3 4 10", 4.27),
    "vehicle": (435, 162, "bus saab", "opel van", 2.69),
}


def rows_of(path):
    with gzip.open(path, "rt", encoding="ascii") as lines:
        return [[cell.strip() for cell in line.split(",")] for line in lines if line.strip()]


def keel_labels(folder, name):
    if name != "abalone":
        return [row[-1] for row in rows_of(folder / f"{name}.dat.gz")]
    # KEEL's abalone is the rows of abalone19, whose ring counts only the UCI table has
    rings = {
        (sex, *map(float, numbers)): ring
        for sex, *numbers, ring in rows_of(folder / "abalone.data.gz")[1:]
    }
    inputs = (row[:-1] for row in rows_of(folder / "abalone19.dat.gz"))
    return [rings[sex, *map(float, numbers)] for sex, *numbers in inputs]


@pytest.mark.parametrize("name", TABLE_3)
def test_table_3_is_reproduced(mirror, name):
    majority_size, minority_size, majority, minority, ratio = TABLE_3[name]
    task = build_task(keel_labels(mirror / "keel", name), seed=3)
    assert (~task.is_minority).sum() == majority_size
    assert task.is_minority.sum() == minority_size
    assert sorted(task.majority) == sorted(majority.split())
    assert sorted(task.minority) == sorted(minority.split())
    assert majority_size / minority_size == pytest.approx(ratio, abs=0.005)


def labels_of(**counts):
    return [name for name, count in counts.items() for _ in range(count)]


def test_the_rule_on_made_labels():
    # five classes, so two are majority: e (200) and a (160). The others, largest first and
    # equal ones by label backwards: d min(90, 160 // 2), c min(90, 80 // 2), b min(9, 40 // 2)
    task = build_task(labels_of(a=160, b=9, c=90, d=90, e=200), seed=0)
    assert task.majority == ("e", "a")
    assert task.minority == ("d", "c", "b")
    assert task.sizes == {"e": 200, "a": 160, "d": 80, "c": 40, "b": 9}


def test_halves_are_rounded_down():
    # one majority class of 77: 77 // 2 = 38, 38 // 2 = 19
    assert build_task(labels_of(a=77, b=70, c=60)).sizes == {"a": 77, "b": 38, "c": 19}


def test_task_describes_its_items():
    labels = np.array(labels_of(a=100, b=90, c=80))
    task = build_task(labels, seed=1)
    # three classes: one majority, a; b: min(90, 50); c: min(80, 25)
    assert task.sizes == {"a": 100, "b": 50, "c": 25}
    assert task.items.dtype == np.int64
    assert (np.diff(task.items) > 0).all()
    assert (task.subconcept == labels[task.items]).all()
    assert (task.is_minority == np.isin(task.subconcept, ("b", "c"))).all()
    assert Counter(task.subconcept.tolist()) == task.sizes


def test_seed_moves_the_drawn_rows_and_nothing_else():
    labels = labels_of(a=100, b=90, c=80)
    first, again, other = (build_task(labels, seed=seed) for seed in (1, 1, 2))
    assert (first.items == again.items).all()
    assert (first.items != other.items).any()
    assert first.sizes == other.sizes
    assert set(range(100)) <= set(first.items.tolist())  # the majority is kept whole


def test_only_eight_classes_stay_and_ties_go_to_the_class_seen_first():
    sizes = {f"k{position}": 300 for position in (5, 4, 3, 2, 1, 0)}
    labels = labels_of(**sizes, z=200, y=200, x=200)
    task = build_task(labels)
    kept = {*task.majority, *task.minority}
    assert kept == {*sizes, "z", "y"}


def test_equal_sizes_are_ordered_by_label_as_text():
    # as text "10" < "8" < "9", so 9 and 8 are the larger half
    labels = [name for name in ("8", "9", "10", "7") for _ in range(100)]
    task = build_task([int(label) for label in labels])
    assert task.majority == ("9", "8")
    assert task.minority == ("7", "10")


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        ([], "at least 3 classes, found none"),
        (labels_of(a=30, b=20), r"at least 3 classes, found a \(30\), b \(20\)"),
        # 34 // 2 = 17, 17 // 2 = 8
        (labels_of(a=34, b=30, c=33), "'b' would have 8 of its 30 instances"),
        (labels_of(a=400, b=300, c=8), "'c' would have 8 instances"),
        (["a", "b", None], "row 2 has no label"),
        (["a", float("nan")], "row 1 has no label"),
    ],
)
def test_impossible_tasks_say_why(labels, words):
    with pytest.raises(TaskError, match=words):
        build_task(labels)


def context_data():
    labels = labels_of(dog=40, cat=30, owl=20)
    contexts = ["rain"] * 25 + ["wind"] * 15 + ["rain"] * 50
    return labels, contexts


def test_context_task_keeps_every_row():
    labels, contexts = context_data()
    task = context_task(labels, contexts, "dog")
    assert task.items.tolist() == list(range(90))
    assert task.majority == ("cat", "owl")
    assert task.minority == ("dog + rain", "dog + wind")
    assert task.sizes == {"cat": 30, "owl": 20, "dog + rain": 25, "dog + wind": 15}
    assert (task.is_minority == (np.array(labels) == "dog")).all()
    assert task.subconcept[[0, 30, 80]].tolist() == ["dog + rain", "dog + wind", "owl"]


@pytest.mark.parametrize(
    ("labels", "contexts", "foreground", "words"),
    [
        (*context_data(), "cow", "'cow' against the rest; found only cat, dog, owl"),
        (["dog"] * 20, ["rain"] * 20, "dog", "found only dog"),
        (labels_of(dog=20, cat=20), ["rain"] * 40, "dog", "at least 3 subconcepts"),
        (
            labels_of(dog=20, cat=20),
            ["rain"] * 12 + ["wind"] * 28,
            "dog",
            r"'dog \+ wind' would have 8 instances",
        ),
        (["dog", "cat"], ["rain"], "dog", "2 labels but 1 contexts"),
    ],
)
def test_impossible_context_tasks_say_why(labels, contexts, foreground, words):
    with pytest.raises(TaskError, match=words):
        context_task(labels, contexts, foreground)
