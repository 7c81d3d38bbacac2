"""Templates to finished pages: escaped, with style and scripts inside, allowed to load nothing."""

import base64
import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from earnest.reports.charts import safe

TEMPLATES = Path(__file__).parent / "templates"


def render(
    template: str,
    *,
    scripts: Sequence[str] = ("sort.js", "print.js"),
    styles: Sequence[str] = ("report.css",),
    sources: str = "data:",
    **values: Any,
) -> str:
    """Fill a template that extends `base.html`.

    Parameters
    ----------
    template : str
        Name of a file in the folder of templates.
    scripts, styles : sequence of str
        Files of that folder that go into the page, in this order. No other script can run:
        the page names their hashes to the browser.
    sources : str
        Where pictures and sounds may come from, as a content security policy says it;
        `data:` is the page itself.
    **values
        What the template names; text is escaped unless it is marked as safe.

    Returns
    -------
    str
        A complete HTML document.

    Raises
    ------
    jinja2.UndefinedError
        If the template names a value that was not given.
    """
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    texts = [_read(name) for name in scripts]
    return environment.get_template(template).render(
        style=safe("".join(_read(name) for name in styles)),
        scripts=[safe(text) for text in texts],
        script_hashes=[_hash(text) for text in texts],
        sources=sources,
        **values,
    )


def _read(name: str) -> str:
    return (TEMPLATES / name).read_text(encoding="utf-8")


def _hash(script: str) -> str:
    digest = hashlib.sha256(script.encode("utf-8")).digest()
    return "sha256-" + base64.b64encode(digest).decode("ascii")
