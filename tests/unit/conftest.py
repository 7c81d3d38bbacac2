"""What tests of several rooms need."""

import sys

import pytest

from earnest import records


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Return a function that puts a tiny package beside the library, as pip would."""
    monkeypatch.syspath_prepend(tmp_path)
    modules = []

    def put(module, source, entry_points, *, version="1.0"):
        (tmp_path / f"{module}.py").write_text(source)
        info = tmp_path / f"{module}-{version}.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: {version}")
        (info / "entry_points.txt").write_text(entry_points)
        modules.append(module)
        records._offers.cache_clear()

    yield put
    for module in modules:
        sys.modules.pop(module, None)
    records._offers.cache_clear()
