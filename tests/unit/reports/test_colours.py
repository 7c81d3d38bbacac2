"""Curves are told apart without colour, seen on white, and apart for colour-blind readers."""

from itertools import combinations

import numpy as np
import pytest

from earnest.reports import joint_figures, subconcept_words, words
from earnest.reports.sections import doses

# Machado, Oliveira, Fernandes 2009, severity 1: what linear RGB becomes.
BLINDNESS = {
    "protan": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deutan": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "tritan": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}
DEFAULT = ("unweighted", "kde", "logistic", "knn", "difference")


def linear(colour):
    value = np.array([int(colour[place : place + 2], 16) for place in (1, 3, 5)]) / 255
    return np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)


def contrast_on_white(colour):
    return 1.05 / (linear(colour) @ [0.2126, 0.7152, 0.0722] + 0.05)


def lab(rgb):
    """CIE L*a*b* of linear sRGB, white D65."""
    to_xyz = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    relative = np.array(to_xyz) @ np.clip(rgb, 0, 1) / [0.9505, 1.0, 1.089]
    f = np.where(relative > 0.008856, np.cbrt(relative), 7.787 * relative + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def distance(one, other, blindness=None):
    matrix = np.eye(3) if blindness is None else np.array(BLINDNESS[blindness])
    return float(np.linalg.norm(lab(matrix @ linear(one)) - lab(matrix @ linear(other))))


def test_dash_and_marker_alone_tell_every_two_estimators_apart():
    looks = [(style.dash, style.marker) for style in words.STYLES.values()]
    assert len(looks) == len(set(looks))


@pytest.mark.parametrize(
    "colours",
    [
        [style.colour for style in words.STYLES.values()],
        [colour for _, colour, _ in subconcept_words.UTILITIES.values()],
        [look.colour for look in doses.LINES.values()],
        [look.colour for look in joint_figures.LINES.values()],
    ],
    ids=["estimators", "weightings", "backgrounds", "joint"],
)
def test_every_curve_is_seen_on_white(colours):
    # WCAG 2.1, 1.4.11: graphical objects 3 to 1
    assert min(map(contrast_on_white, colours)) >= 3


@pytest.mark.parametrize("blindness", [None, *BLINDNESS])
def test_the_default_estimators_differ_in_colour_for_everybody(blindness):
    # 10 in L*a*b* is a difference seen at a glance; about 2.3 is one just seen
    colours = [words.STYLES[name].colour for name in DEFAULT]
    apart = [distance(*pair, blindness) for pair in combinations(colours, 2)]
    assert min(apart) >= 10


def test_black_on_white_is_the_scale_of_the_measures():
    assert contrast_on_white("#000000") == pytest.approx(21)
    assert distance("#000000", "#ffffff") == pytest.approx(100, abs=0.1)
    assert distance("#ff0000", "#808000", "deutan") < distance("#ff0000", "#808000") / 2
