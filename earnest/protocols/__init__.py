"""How a study repeats its question, and sums up what came of it."""
