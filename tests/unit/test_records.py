"""Records lack nothing, and other packages add theirs without harm to those who do not ask."""

import subprocess
import sys

import numpy as np
import pytest

from earnest import estimates, measures, records, samplers, weights
from earnest.embeddings import BACKENDS, BackendRecord, find_problems, get_backend
from earnest.estimates import Method, Pool, estimate
from earnest.io import provenance
from earnest.records import Choice, PluginError, Style, Words
from earnest.samplers import Sampler
from earnest.studies import documents, stages

LOOK = {"colour": "#0072B2", "dash": "", "marker": "circle"}
STYLE = Style(label="Some", meaning="something", **LOOK)
SAMPLER = """
import numpy as np
from earnest.records import Choice
from earnest.samplers import Sampler

def last(pool, n, *, posteriors=None, rng):
    return np.arange(len(pool) - n, len(pool))

LAST = Sampler(
    last,
    is_deterministic=True,
    words=Choice(label="Last", meaning="the last of the list", chosen="from the end"),
)
FUNCTION = last
"""
LACKING = """
from earnest.estimates import Method
from earnest.records import Style

RECORD = Method(
    print,
    words=Style(label="L", meaning="m", colour="#000000", dash="", marker="circle"),
)
"""


@pytest.fixture
def last(install):
    install("tiny_last", SAMPLER, "[earnest.samplers]\nlast = tiny_last:LAST\n")


@pytest.mark.parametrize("kind", records.ROOMS)
def test_every_registry_is_found_by_its_kind(kind):
    methods = records.registry(kind)
    assert (methods.kind, len(methods) >= 5) == (kind, True)
    assert methods.names() == list(methods)
    assert all(isinstance(record, methods.of) for record in methods.values())


@pytest.mark.parametrize(
    ("make", "what"),
    [
        (lambda: Sampler(len), "words"),
        (
            lambda: Sampler(len, words=Words(label="a", meaning="b")),
            "Sampler needs words .* Choice",
        ),
        (lambda: Choice(label="a", meaning="b"), "chosen"),
        (lambda: Choice(label="a", meaning="b", chosen=None), "its chosen is no text"),
        (
            lambda: measures.Measure(len, words=Words(label="a", meaning="")),
            "a label and a meaning",
        ),
        (lambda: Style(label="a", meaning="b", **LOOK | {"colour": "red"}), "colour must be like"),
        (lambda: Style(label="a", meaning="b", **LOOK | {"marker": "star"}), "marker must be one"),
        (lambda: Method(len, words=STYLE), "needs holds_if"),
        (lambda: Method(len, words=STYLE, holds_if="x", holds_by="luck"), "holds_by must be"),
        (lambda: Method(len, words=STYLE, holds_if="x", interval="wide"), "interval must be one"),
        (lambda: BackendRecord("x.y", words=Words(label="a", meaning="b")), "module:class"),
    ],
)
def test_a_record_that_lacks_something_says_what(make, what):
    with pytest.raises((TypeError, ValueError), match=what):
        make()


def test_options_are_those_of_the_signature():
    assert samplers.SAMPLERS["density_farthest"].options == {
        "metric": "euclidean",
        "density": "neighbours",
        "k": 10,
    }
    assert weights.WEIGHTS["logistic"].options == {"C": 1.0}
    assert estimates.ESTIMATORS["post_stratified"].options == {"strata": 4}
    assert BACKENDS["logmel"].options == {"bands": 40, "floor": 1e-5}


def test_names_with_a_trait_work_as_sets():
    assert {"uncertainty"} == samplers.DETERMINISTIC
    assert {
        *("random", "uncertainty", "density_farthest_sampled", "uncertainty_mixed")
    } == samplers.PREFIX_SAMPLERS - samplers.TRAVERSALS
    assert "nothing" not in samplers.DETERMINISTIC
    assert None not in samplers.DETERMINISTIC


def test_a_sampler_of_another_package_works_like_one_of_the_library(last):
    assert samplers.SAMPLERS.names()[-1] == "last"
    assert "last" not in list(samplers.SAMPLERS)
    embeddings = np.random.default_rng(0).normal(size=(9, 2))
    assert samplers.select("last", embeddings, 3).tolist() == [6, 7, 8]
    assert "last" in samplers.DETERMINISTIC
    assert "last" not in samplers.PREFIX_SAMPLERS
    pool = Pool(None, np.full((9, 2), 0.5))
    found = estimate("unweighted", pool, [6, 7, 8], [True, True, False], sampler="last")
    assert "deterministic_sampler" in found.flags
    from earnest.reports import words

    assert (words.sampler("last"), words.chosen("last")) == ("Last", "from the end")
    assert words.entry("sampler", "last") == ("Last", "the last of the list")


SCHEMA = {
    "type": "object",
    "properties": {"sampler": {"type": "string", "x-method": "samplers"}},
    "additionalProperties": False,
}


def test_a_study_may_name_it(last):
    assert documents.completed({"sampler": "last"}, SCHEMA) == {"sampler": "last"}
    with pytest.raises(documents.DocumentError, match=r"'lost' is not one of .*mean 'last'"):
        documents.completed({"sampler": "lost"}, SCHEMA)


def test_its_origin_goes_into_stamps(install):
    points = "[earnest.samplers]\nlast = tiny_last:LAST\n"
    install("tiny_last", SAMPLER, points)
    found = records.origins("samplers", ["random", "last"])
    assert list(found) == ["last"]
    assert (found["last"]["distribution"], found["last"]["version"]) == ("tiny_last", "1.0")
    assert "tiny_last" not in sys.modules
    before = found["last"]["source"]
    path = records.importlib.util.find_spec("tiny_last").origin
    with open(path, "a", encoding="utf-8") as file:
        file.write("EDITED = 1\n")
    after = records.origins("samplers", ["last"])["last"]["source"]
    assert len(after) == 16
    stage = stages.Stage(("rng",), methods=lambda **_: {"samplers": ["random", "last"]})
    origins = {"samplers": records.origins("samplers", ["last"])}
    code = provenance.code_version("rng")
    assert stages.code_version(stage) == provenance.stamp(code, **origins)
    own = stages.Stage(("rng",), methods=lambda **_: {"samplers": ["random"]})
    assert stages.code_version(own) == code
    assert after != before


@pytest.mark.parametrize(
    ("source", "point", "why"),
    [
        ("import no_such_module", "tiny:X", "cannot be loaded: No module named 'no_such_module'"),
        ("raise RuntimeError('no licence')", "tiny:X", "cannot be loaded: no licence"),
        ("X = 1", "tiny:Y", "cannot be loaded: .*has no attribute 'Y'"),
        (SAMPLER, "tiny:FUNCTION", "is a function, no earnest.samplers.registry.Sampler"),
    ],
)
def test_a_broken_sampler_is_one_sentence_for_who_asks(install, source, point, why):
    install("tiny", source, f"[earnest.samplers]\nbroken = {point}\n")
    sentence = rf"^the package tiny 1.0 offers a sampler 'broken',.* {why}$"
    with pytest.raises(PluginError, match=sentence):
        samplers.SAMPLERS["broken"]
    with pytest.raises(documents.DocumentError, match=f"sampler: {sentence[1:]}"):
        documents.completed({"sampler": "broken"}, SCHEMA)
    assert documents.completed({"sampler": "random"}, SCHEMA) == {"sampler": "random"}
    assert len(samplers.SAMPLERS) == len(dict(samplers.SAMPLERS))


def test_an_estimator_that_lacks_a_field_names_its_package(install):
    install("tiny", LACKING, "[earnest.estimators]\nlacking = tiny:RECORD\n")
    with pytest.raises(PluginError, match=r"package tiny 1.0 offers an estimator .*needs holds_if"):
        estimates.ESTIMATORS["lacking"]


def test_a_shadowed_name_stays_the_library_s_and_a_study_that_names_it_stops(install):
    install("tiny", SAMPLER, "[earnest.samplers]\nrandom = tiny:LAST\n")
    assert samplers.SAMPLERS["random"].function is samplers.random
    assert records.origins("samplers", ["random"]) == {}
    with pytest.raises(documents.DocumentError, match=r"package tiny 1.0 .*'random', a name that"):
        documents.completed({"sampler": "random"}, SCHEMA)
    assert documents.completed({"sampler": "farthest"}, SCHEMA) == {"sampler": "farthest"}


def test_two_packages_with_one_name_are_named_both(install):
    for module in ("tiny_one", "tiny_two"):
        install(module, SAMPLER, f"[earnest.samplers]\nlast = {module}:LAST\n")
    for ask in (
        lambda: samplers.SAMPLERS["last"],
        lambda: records.origins("samplers", ["last"]),
    ):
        with pytest.raises(PluginError, match=r"tiny_(one|two) 1.0 and .*tiny_.* both offer"):
            ask()


def test_a_backend_of_another_package_is_made_with_its_options(install):
    source = """
from earnest.embeddings import BackendRecord
from earnest.records import Words

class Level:
    name, sample_rate, dimension = "level", 16_000, 1

    def __init__(self, *, floor=1.0):
        self.floor = floor

LEVEL = BackendRecord("tiny_level:Level", words=Words(label="Level", meaning="loudness"))
"""
    install("tiny_level", source, "[earnest.embeddings]\nlevel = tiny_level:LEVEL\n")
    assert get_backend("level", floor=2.0).floor == 2.0
    assert list(find_problems("level", {"flor": 1})) == [
        "backend level has no option 'flor'; did you mean 'floor'?"
    ]


def test_samplers_import_numpy_only(root):
    code = "import sys, earnest.samplers; print({'scipy', 'importlib.metadata'} & set(sys.modules))"
    result = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True)
    assert result.stdout.strip() == "set()"
