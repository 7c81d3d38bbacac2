import pytest

from earnest.io import provenance

RECORDS = """
SAMPLERS = {"one": Sampler(draw, is_prefix=True, words=Words(label="One", meaning="the first"))}
"""


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A small package in which b imports a, inside a function, and c stands alone."""
    files = {
        "__init__.py": "",
        "a.py": '"""A."""\n\ndef f(x):\n    """Doc."""\n    return x + 1\n',
        "b.py": "def g(x):\n    from earnest.a import f\n    return f(x)\n",
        "c.py": "import earnest.a\n\nVALUE = 1\n",
        "d.py": "VALUE = 1\n",
        "sub/__init__.py": "",
        "sub/e.py": "from earnest import d\n",
        "sub/pages/page.html": "<p>Hello</p>",
        "samplers/__init__.py": "from earnest.samplers.rules import draw\n" + RECORDS,
        "samplers/rules.py": "def draw(n):\n    return n\n",
        "drawing.py": "from earnest.samplers import SAMPLERS\n",
        "page.py": "from earnest import records\n\nLABELS = records.registry('samplers')\n",
        "records.py": "",
        "studies/__init__.py": "",
        "studies/joblog.py": "VALUE = 1\n",
        "scripts/make.py": (
            '"""Make."""\nfrom earnest.a import f\nfrom earnest.studies.joblog import VALUE\nf(1)\n'
        ),
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(provenance, "PACKAGE", tmp_path)
    monkeypatch.setattr(provenance, "SCRIPTS", tmp_path / "scripts")

    def edit(name, old, new):
        path = tmp_path / name
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))
        clear()

    clear()
    yield edit
    clear()


def clear():
    for name in (
        *("code_version", "_reachable", "_tree", "_imports", "_tree_text"),
        *("_rooms_read", "_records_text", "_script_tree"),
    ):
        getattr(provenance, name).cache_clear()


def test_compiled_code_that_appears_during_a_run_does_not_count(package):
    before = provenance.code_version("sub")
    cache = provenance.PACKAGE / "sub" / "__pycache__"
    cache.mkdir()
    for name in ("e.cpython-311.pyc", "e.f-1.py311.nbi", "e.f-1.py311.1.nbc"):
        (cache / name).write_bytes(b"compiled")
    package("d.py", "VALUE", "VALUE")  # forgets what was remembered
    assert provenance.code_version("sub") == before


@pytest.mark.parametrize("module", ["a", "b", "c"])
def test_an_edit_reaches_all_that_import_it(package, module):
    before = provenance.code_version(module)
    package("a.py", "x + 1", "x + 2")
    assert provenance.code_version(module) != before


def test_an_edit_does_not_reach_others(package):
    before = provenance.code_version("d")
    package("a.py", "x + 1", "x + 2")
    assert provenance.code_version("d") == before


def test_a_package_stands_for_its_modules(package):
    before = provenance.code_version("sub")
    package("d.py", "VALUE = 1", "VALUE = 2")
    assert provenance.code_version("sub") != before


def test_a_template_of_a_package_counts(package):
    before = provenance.code_version("sub")
    package("sub/pages/page.html", "Hello", "Good day")
    assert provenance.code_version("sub") != before


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    return x + 1", "    # a comment\n    return x + 1"),
        ('"""Doc."""', '"""Better words."""'),
        ('    """Doc."""\n', ""),
        ("return x + 1", "return (x   +   1)"),
    ],
)
def test_comments_docstrings_and_layout_do_not_count(package, old, new):
    before = provenance.code_version("b")
    package("a.py", old, new)
    assert provenance.code_version("b") == before


def test_rewording_a_record_makes_what_prints_it_again_and_nothing_else(package):
    draws, page = provenance.code_version("drawing"), provenance.code_version("page")
    package("samplers/__init__.py", 'label="One"', 'label="First"')
    assert provenance.code_version("drawing") == draws
    assert provenance.code_version("page") != page


@pytest.mark.parametrize(
    ("old", "new"), [("is_prefix=True", "is_prefix=False"), ('"one"', '"two"')]
)
def test_a_name_or_trait_of_a_record_counts_for_both(package, old, new):
    draws, page = provenance.code_version("drawing"), provenance.code_version("page")
    package("samplers/__init__.py", old, new)
    assert provenance.code_version("drawing") != draws
    assert provenance.code_version("page") != page


def test_code_behind_a_record_does_not_count_for_what_prints_its_words(package):
    draws, page = provenance.code_version("drawing"), provenance.code_version("page")
    package("samplers/rules.py", "return n", "return n + 1")
    assert provenance.code_version("drawing") != draws
    assert provenance.code_version("page") == page


def test_the_report_reads_the_records_of_what_it_names():
    assert provenance._rooms_read("reports.words") == ("estimates", "samplers", "measures")
    text = "".join(map(provenance._records_text, provenance._reachable("estimates")))
    assert "Density weights (KDE)" in text
    assert "PPI++" in text


def test_unknown_module_is_refused(package):
    with pytest.raises(ValueError, match=r"no module earnest\.nothing"):
        provenance.code_version("nothing")


def test_stamp_depends_on_code_and_settings_but_not_on_their_order():
    assert provenance.stamp("c", a=1, b=2) == provenance.stamp("c", b=2, a=1)
    different = {provenance.stamp("c", a=1), provenance.stamp("d", a=1), provenance.stamp("c", a=2)}
    assert len(different) == 3


def test_library_versions_name_python_too():
    versions = provenance.library_versions("numpy")
    assert set(versions) == {"python", "numpy"}


@pytest.mark.parametrize(
    ("stage", "without"),
    [
        ("tasks.pools", {"weights", "samplers", "estimates"}),
        ("protocols.subsets.drawing", {"weights", "estimates"}),
        ("mixing.plan", {"mixing.gains", "embeddings"}),
        ("reports.pages.subsets", {"weights", "estimates"}),
        ("reports.pages.crossval", {"weights", "estimates"}),
    ],
)
def test_a_stage_does_not_depend_on_what_comes_after_it(stage, without):
    reached = set().union(*map(provenance._reachable, provenance._members(stage)))
    packages = {package for name in reached for package in (name, name.split(".")[0])}
    assert packages & without == set()


@pytest.mark.parametrize(
    ("file", "old", "new", "changes"),
    [
        ("scripts/make.py", "f(1)", "# a remark\nf( 1 )", False),
        ("scripts/make.py", "Make.", "Make it.", False),
        ("scripts/make.py", "f(1)", "f(2)", True),
        ("a.py", "x + 1", "x + 2", True),
        ("a.py", "Doc.", "Documentation.", False),
        ("studies/joblog.py", "1", "2", False),
        ("c.py", "1", "2", False),
    ],
)
def test_an_entry_script_counts_with_all_that_it_imports_but_the_log(
    package, file, old, new, changes
):
    before = provenance.code_version("sub", scripts=("make",))
    assert before != provenance.code_version("sub")
    package(file, old, new)
    assert (provenance.code_version("sub", scripts=("make",)) != before) == changes


def test_an_entry_script_that_is_not_there_is_named(package):
    with pytest.raises(ValueError, match=r"there is no entry script gone\.py"):
        provenance.code_version(scripts=("gone",))
