"""Tables as CSV that no spreadsheet takes for formulas, and that every reader splits alike."""

import csv
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas

# Starts of a formula, by OWASP's page on CSV injection; four are full-width.
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
MARK = "'"


def safe_text(text: str) -> str:
    """Return a text that no spreadsheet runs as a formula: with one apostrophe in front.

    Texts that begin with an apostrophe get another, so that no two become the same and the one in
    front can always be taken away again.
    """
    return MARK + text if text.startswith((*FORMULA_STARTS, MARK)) else text


def as_csv(frame: "pandas.DataFrame") -> str:
    """Return a data frame as CSV with lines that end in a line feed; null is an empty field.

    Texts are quoted where they must be, and all of them where one holds a carriage return:
    readers begin a row there, and the writer minds only its own end of line.
    """
    texts = frame.select_dtypes(["object", "string"])
    returns = any(texts[name].str.contains("\r", regex=False, na=False).any() for name in texts)
    quoting = csv.QUOTE_NONNUMERIC if returns else csv.QUOTE_MINIMAL
    return frame.to_csv(index=False, lineterminator="\n", quoting=quoting)
